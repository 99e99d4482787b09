//! A tick of all units: group by sector, follow the ground or take the full controller, write back.
//!
//! Workers read the units as they were before the tick and write outcomes beside them, each its own
//! stretch; so nothing depends on how the work is split. A tick that may not run has changed
//! nothing.

mod bins;
mod classify;

use std::sync::{Mutex, PoisonError};

use marchland_terrain::TerrainView;

use crate::body::Body;
use crate::error::TickError;
use crate::event::{Event, EventKind, LeftGround};
use crate::extra::Extra;
use crate::follow::{Outcome, Tick, Verdict, follow, refuse, unmoved};
use crate::kinematic::{Scratch, Subject, kinematic, reach_of};
use crate::report::Report;
use crate::sectors::{Home, Sectors};
use crate::settings::{PathChoice, TickMode, TickSettings};
use crate::surface::SurfaceResponse;
use crate::units::{Mode, Motion, UnitId, Units};
use crate::wish::Wish;
use bins::Bins;
pub(crate) use bins::Entry;
use classify::Open;

/// Events for which there is room, for each unit, whatever happens in a tick: hardly any unit tells more
/// than one, and none more than 16 and that it was held or released.
const EVENTS_EACH: usize = 2;

/// Sectors that may be missing before the list of them grows.
const MISSING: usize = 256;

/// What a chunk of units tells beside its outcomes: of those that took the full controller.
#[derive(Debug, Default)]
struct Chunk {
    extras: Vec<(u32, Extra)>,
    news: Vec<(u32, EventKind)>,
}

/// Moves units, tick by tick. Holds only scratch: any batch moves any units to the same bits, the
/// one that moved them before is quicker.
///
/// The first tick of a population (these units in these slots) makes room for all that later ticks of it
/// write, on as many threads and in chunks of the same size; those do not allocate then. There is room for
/// two events of each unit, in every chunk and in all. A tick in which units tell more than that on
/// average (each could tell 17) grows the lists of them, and one in which units wait for more than some
/// hundred sectors that of the missing; they keep their length.
#[derive(Debug, Default)]
pub struct Batch {
    bins: Bins,
    /// What became of each entry of the bins.
    outcomes: Vec<Outcome>,
    /// What chunks of units tell beside their outcomes.
    chunks: Vec<Chunk>,
    /// Memory for the full controller, one for each thread.
    scratches: Vec<Mutex<Scratch>>,
    /// Entries of units that were held, in order of their slots.
    held: Vec<(u32, usize)>,
    /// What happened in this tick, to be put in order.
    news: Vec<(u32, u32, EventKind)>,
    events: Vec<Event>,
    report: Report,
}

impl Batch {
    /// A batch that has moved nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves all units by one tick. `wishes` is indexed by slot and has at least as many entries as
    /// there are slots. Threads are those of the current `rayon` pool.
    ///
    /// # Errors
    /// If the settings or slices are wrong, or the tick is strict and sectors are missing. Nothing
    /// has changed then.
    pub fn tick(
        &mut self,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
        settings: &TickSettings,
    ) -> Result<&Report, TickError> {
        self.report.clear();
        self.events.clear();
        self.news.clear();
        check(view, units, wishes, settings)?;
        if settings.dt == 0.0 {
            return Ok(&self.report);
        }
        self.bins.refresh(units);
        let tick = Tick::new(view, settings);
        self.follow(view, units, wishes, settings, &tick);
        self.list_held(view, units, wishes, &tick);
        if settings.mode == TickMode::Strict && !self.report.missing.is_empty() {
            return Err(TickError::NotResident { count: self.report.missing.len() });
        }
        self.apply(units);
        Ok(&self.report)
    }

    /// What the last tick did; after a strict tick that did not run, what it was missing.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What happened to units in the last tick, in order of slots; each unit's in the order in which it
    /// happened. The next tick begins a new list.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Hands out the events and forgets them, but not their memory.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.drain(..)
    }

    /// All live units, by sector and then by slot.
    pub(crate) fn in_order(&mut self, units: &Units) -> &[Entry] {
        self.bins.refresh(units);
        self.bins.entries()
    }

    /// Makes every list as long as it has to be for as many units as there are: at once, not when they
    /// first do something. Memory that was never written to costs none.
    fn make_room(&mut self, chunk_units: usize) {
        let count = self.bins.entries().len();
        self.outcomes.resize(count, Outcome::NOTHING);
        self.chunks.resize_with(count.div_ceil(chunk_units), Chunk::default);
        let each = if chunk_units < count { chunk_units } else { count };
        for chunk in &mut self.chunks {
            chunk.extras.clear();
            chunk.extras.reserve(each);
            chunk.news.clear();
            chunk.news.reserve(EVENTS_EACH * each);
        }
        self.held.clear();
        self.held.reserve(count);
        self.news.reserve(EVENTS_EACH * count);
        self.events.reserve(EVENTS_EACH * count);
        self.report.held.reserve(count);
        self.report.invalid.reserve(count);
        self.report.missing.reserve(MISSING);
    }

    fn follow(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        settings: &TickSettings,
        tick: &Tick,
    ) {
        let size = settings.chunk_units.max(1);
        self.make_room(size);
        let entries = self.bins.entries();
        #[cfg(feature = "rayon")]
        let threads = rayon::current_num_threads();
        #[cfg(not(feature = "rayon"))]
        let threads = 1;
        while self.scratches.len() < threads {
            self.scratches.push(Mutex::new(Scratch::new()));
        }
        let scratches = &self.scratches;
        let run = |((entries, outcomes), chunk): ((&[Entry], &mut [Outcome]), &mut Chunk)| {
            let crew = Crew { view, tick, units, wishes, path: settings.path, scratches };
            crew.move_chunk(entries, outcomes, chunk);
        };
        #[cfg(feature = "rayon")]
        if threads > 1 && entries.len() > size {
            use rayon::prelude::*;
            let pairs = entries.par_chunks(size).zip(self.outcomes.par_chunks_mut(size));
            pairs.zip(self.chunks.par_iter_mut()).for_each(run);
            return;
        }
        let pairs = entries.chunks(size).zip(self.outcomes.chunks_mut(size));
        pairs.zip(self.chunks.iter_mut()).for_each(run);
    }

    /// Finds who was held, in order of slots, and for which sectors.
    fn list_held(&mut self, view: TerrainView<'_>, units: &Units, wishes: &[Wish], tick: &Tick) {
        self.held.clear();
        for (index, (entry, outcome)) in self.bins.entries().iter().zip(&self.outcomes).enumerate()
        {
            if matches!(outcome.verdict, Verdict::Held | Verdict::HeldBy(_)) {
                self.held.push((entry.slot, index));
            }
        }
        if self.held.is_empty() {
            return;
        }
        self.held.sort_unstable();
        let mut sectors = Sectors::new(view);
        let missing = &mut self.report.missing;
        for &(slot, index) in &self.held {
            self.report.held.push(name(units, slot));
            if let Verdict::HeldBy(coord) = self.outcomes[index].verdict {
                missing.push(coord);
                continue;
            }
            let (unit, body) = (
                units.unit(slot as usize, self.bins.entries()[index].sector),
                body_of(units, slot),
            );
            let Some(place) = units.position(name(units, slot)) else { continue };
            let (extra, wish) = (&units.extras[slot as usize], wishes[slot as usize]);
            let reach = reach_of(tick, view, place, &unit, extra, body, wish);
            // Neighbours in the list wait for the same sectors: do not list them again and again.
            for coord in reach.sectors(unit.sector) {
                if sectors.is_missing(coord)
                    && !missing[missing.len().saturating_sub(4)..].contains(&coord)
                {
                    missing.push(coord);
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
    }

    /// Writes the outcomes into the units, counts, and tells what happened.
    fn apply(&mut self, units: &mut Units) {
        self.tell_waits(units);
        let report = &mut self.report;
        for (entry, outcome) in self.bins.entries().iter().zip(&self.outcomes) {
            match outcome.verdict {
                Verdict::Moved => {
                    let (sector, velocity) = (outcome.borders != 0, outcome.new_velocity);
                    units.set_unit(entry.slot as usize, &outcome.unit, sector, velocity);
                    count(report, outcome);
                }
                Verdict::Held | Verdict::HeldBy(_) => {
                    units.modes[entry.slot as usize] = Mode::Held;
                }
                Verdict::Invalid => {
                    let id = name(units, entry.slot);
                    report.invalid.push(id);
                    release(units, entry.slot);
                }
                Verdict::Outside => {
                    report.outside += 1;
                    release(units, entry.slot);
                }
            }
        }
        report.invalid.sort_unstable();
        for chunk in &self.chunks {
            report.full += chunk.extras.len();
            for (slot, extra) in &chunk.extras {
                units.extras[*slot as usize] = *extra;
            }
            for (slot, kind) in &chunk.news {
                self.news.push((*slot, self.news.len() as u32, *kind));
            }
        }
        // Each unit's in the order in which they happened, units by slot.
        self.news.sort_unstable_by_key(|(slot, order, _)| (*slot, *order));
        let named =
            self.news.iter().map(|&(slot, _, kind)| Event { unit: name(units, slot), kind });
        self.events.extend(named);
    }

    /// Who began to wait in this tick, who goes on, and what followers did.
    fn tell_waits(&mut self, units: &Units) {
        let news = &mut self.news;
        for (entry, outcome) in self.bins.entries().iter().zip(&self.outcomes) {
            let was_held = units.modes[entry.slot as usize] == Mode::Held;
            let is_held = matches!(outcome.verdict, Verdict::Held | Verdict::HeldBy(_));
            let mut tell = |kind| news.push((entry.slot, news.len() as u32, kind));
            if was_held != is_held {
                tell(if is_held { EventKind::Held } else { EventKind::Released });
            }
            if outcome.follows && outcome.verdict == Verdict::Moved {
                if outcome.touched_ground {
                    tell(EventKind::Landed { speed: outcome.landing_speed });
                }
                let falls = outcome.unit.motion == Motion::Falling;
                if outcome.left_ground || (outcome.touched_ground && falls) {
                    tell(EventKind::LeftGround { reason: LeftGround::LostSupport });
                }
            }
        }
    }
}

fn check(
    view: TerrainView<'_>,
    units: &Units,
    wishes: &[Wish],
    settings: &TickSettings,
) -> Result<(), TickError> {
    settings.check()?;
    let (size, world) = (units.sector_size(), view.grid().sector_size());
    if size != world {
        return Err(TickError::SectorSize { units: size.metres(), world: world.metres() });
    }
    if wishes.len() < units.slots() {
        return Err(TickError::Wishes { found: wishes.len(), slots: units.slots() });
    }
    Ok(())
}

/// What all chunks of a tick share.
struct Crew<'a> {
    view: TerrainView<'a>,
    tick: &'a Tick,
    units: &'a Units,
    wishes: &'a [Wish],
    path: PathChoice,
    scratches: &'a [Mutex<Scratch>],
}

impl Crew<'_> {
    /// Moves a stretch of units, which come in order of their sectors.
    fn move_chunk(&self, entries: &[Entry], outcomes: &mut [Outcome], chunk: &mut Chunk) {
        chunk.extras.clear();
        chunk.news.clear();
        let Some(first) = entries.first() else { return };
        let Self { view, tick, units, .. } = *self;
        let plain = units.surfaces.iter().all(SurfaceResponse::is_plain);
        let open = Open { view, tick, surfaces: &units.surfaces, plain };
        let mut home = Home::new(view, first.sector);
        let mut sectors = Sectors::new(view);
        for (entry, outcome) in entries.iter().zip(outcomes) {
            if entry.sector != home.coord {
                home = Home::new(view, entry.sector);
            }
            let slot = entry.slot as usize;
            let (unit, body) = (units.unit(slot, entry.sector), body_of(units, entry.slot));
            let (wish, extra) = (self.wishes[slot], &units.extras[slot]);
            if let Some(verdict) = refuse(&home, &unit, wish) {
                *outcome = unmoved(&unit, verdict);
                continue;
            }
            let in_the_open = open.may_follow(&home, &mut sectors, &unit, extra, body, wish);
            if in_the_open
                && self.path == PathChoice::Auto
                && let Some(followed) = follow(tick, &home, &mut sectors, &unit, body, wish)
            {
                *outcome = Outcome { follows: true, ..followed };
                continue;
            }
            let (mask, surfaces) = (units.masks[slot], &units.surfaces[..]);
            let subject = Subject { unit: &unit, extra, body, mask, surfaces, in_the_open };
            self.with_scratch(|scratch| {
                let (moved, full) = kinematic(tick, view, &mut sectors, scratch, &subject, wish);
                *outcome = moved;
                if moved.verdict == Verdict::Moved {
                    chunk.extras.push((entry.slot, full.extra));
                    chunk.news.extend(full.news.as_slice().iter().map(|kind| (entry.slot, *kind)));
                }
            });
        }
    }

    /// Lends this thread's memory.
    fn with_scratch(&self, work: impl FnOnce(&mut Scratch)) {
        #[cfg(feature = "rayon")]
        let thread = rayon::current_thread_index().unwrap_or(0);
        #[cfg(not(feature = "rayon"))]
        let thread = 0;
        let index = if thread < self.scratches.len() { thread } else { 0 };
        // What a panic left behind is overwritten like anything else.
        let mut scratch = self.scratches[index].lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut scratch);
    }
}

fn count(report: &mut Report, outcome: &Outcome) {
    report.ticked += 1;
    match outcome.unit.motion {
        Motion::Walking => report.walking += 1,
        Motion::Falling => report.falling += 1,
        Motion::Sliding => report.sliding += 1,
        Motion::Climbing => report.climbing += 1,
    }
    report.landed += usize::from(outcome.landed);
    report.left_ground += usize::from(outcome.left_ground);
    report.stopped_at_edge += usize::from(outcome.met_edge);
    report.stopped_by_slope += usize::from(outcome.met_slope);
    report.borders_crossed += u64::from(outcome.borders);
}

/// A unit that is not held, but was not moved either.
fn release(units: &mut Units, slot: u32) {
    units.modes[slot as usize] = units.motions[slot as usize].into();
}

fn name(units: &Units, slot: u32) -> UnitId {
    UnitId { slot, generation: units.generations[slot as usize] }
}

fn body_of(units: &Units, slot: u32) -> &Body {
    &units.bodies[units.body_ids[slot as usize].index()]
}
