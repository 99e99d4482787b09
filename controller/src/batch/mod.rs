//! A tick of all units, in stretches of slots.
//!
//! ```text
//! refresh maps ─▶  each stretch, on any thread:  stroll ─ in the cell that is remembered (lanes)
//! (open maps)                                    cross ── into the next one (crossers)
//!                                                follow, or the full controller (classify)
//!              ─▶ held units listed ─▶ outcomes written ─▶ events in order
//! ```
//!
//! Strolling units are written at once. All other units read the state before the tick and leave
//! outcomes beside it. No result depends on how the work is split. A strict tick that may not run
//! restores what was written.

mod bins;
mod cache_expiry;
mod cache_keys;
mod chunk;
mod classify;
mod context;
mod corner;
mod crossers;
mod gentle;
mod held;
mod lanes;
mod load;
mod move_unit;
mod open_map;
mod open_map_cache;
mod stroll;

use std::sync::{Mutex, PoisonError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::lanes::LANES;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{SectorCoord, TerrainView};

use crate::following::follow::Gait;
use crate::ground::sectors::Sectors;
use crate::kinematic::reach_of;
use crate::units::body::Body;
use crate::units::columns::Units;
use crate::units::error::TickError;
use crate::units::event::{Event, EventKind, LeftGround};
use crate::units::executor::{Executor, USUAL, Workers};
use crate::units::report::Report;
use crate::units::settings::{TickMode, TickSettings, check, check_live_step};
use crate::units::tick::{Outcome, Tick, Verdict};
use crate::units::unit::{Mode, Motion, Unit, UnitId};
use crate::units::wish::Wish;
use bins::Bins;
pub(crate) use bins::Entry;
use cache_keys::CacheKeys;
use context::{Chunk, ReadColumns, ThreadScratch, TickContext};
use open_map_cache::OpenMaps;

/// Events reserved for each unit. Hardly any unit reports more than one in a tick, and none more than 16 plus
/// one for being held or released.
const EVENTS_EACH: usize = 2;

/// Chunks for each thread if there are several threads, and the fewest units of such a chunk.
const CHUNKS_EACH: usize = 8;
const CHUNK_MIN: usize = 64;

/// Missing sectors for which memory is reserved at first.
const MISSING: usize = 256;

/// Moves units, tick by tick. Holds only scratch memory: every batch moves units to the same bits, but
/// the batch that moved them before is faster.
///
/// The first tick of a population (these units in these slots) reserves memory for everything that later
/// ticks write. Later ticks on as many threads and in chunks of the same size do not allocate. Each unit has
/// room for two events, in every chunk and in the whole list. A tick in which units report more than two
/// events on average (each could report 17) grows these lists. A tick in which units wait for more than a few
/// hundred different sectors grows the list of missing sectors. The lists keep their capacity.
#[derive(Debug, Default)]
pub struct Batch {
    /// The order by sector, for callers that request it.
    bins: Bins,
    /// Where units may stroll.
    open_maps: OpenMaps,
    /// The keys of what units among props remember.
    cache_keys: CacheKeys,
    /// The limits for strolling of each body.
    gaits: Vec<Gait>,
    /// The results of stretches of units.
    chunks: Vec<Chunk>,
    /// Memory for each thread.
    scratches: Vec<Mutex<ThreadScratch>>,
    /// Units that were held, in order of slots, with the verdict and the state at the start of the
    /// tick.
    held: Vec<(u32, Verdict, Unit)>,
    /// Positions, velocities and residues before a strict tick.
    before: (Vec<Vec3>, Vec<Vec3>, Vec<[f32; 2]>),
    /// What happened in this tick, before it is sorted.
    news: Vec<(u32, u32, EventKind)>,
    events: Vec<Event>,
    report: Report,
}

impl Batch {
    /// A batch that has not moved any unit yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves all units by one tick. `wishes` is indexed by slot and has at least as many entries as
    /// there are slots. Runs on the threads of the current `rayon` pool, or, without the feature `rayon`, on the
    /// calling thread; [`tick_on`](Self::tick_on) runs on others.
    ///
    /// A wish belongs to a slot, not to a unit: if a slot holds a different unit since the last tick, that
    /// unit obeys the wish in the slot. Set the wish of a unit when it is spawned.
    ///
    /// The returned report borrows the batch. To use it beside the [events](Self::events), drop it and get
    /// the [report](Self::report) again:
    ///
    /// ```
    /// # use marchland_controller::{Batch, TickSettings, Units};
    /// # use marchland_terrain::{Grid, ResidentSectors};
    /// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
    /// # let world = ResidentSectors::new(grid);
    /// # let mut units = Units::new(grid.sector_size());
    /// # let (mut batch, wishes, settings) = (Batch::new(), [], TickSettings::at_rate(60.0));
    /// batch.tick(world.view(), &mut units, &wishes, &settings)?;
    /// let (report, events) = (batch.report(), batch.events());
    /// # assert!(report.ticked == 0 && events.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the settings or slices are invalid, if live props moved by a step of a different length, or if the
    /// tick is strict and sectors are missing. Nothing has changed then.
    pub fn tick(
        &mut self,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
        settings: &TickSettings,
    ) -> Result<&Report, TickError> {
        self.tick_on(&USUAL, view, units, wishes, settings)
    }

    /// Moves all units by one [tick](Self::tick), on the threads of an [executor](Executor), to the same bits.
    ///
    /// # Errors
    /// As for [`tick`](Self::tick).
    pub fn tick_on(
        &mut self,
        executor: &dyn Executor,
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
        check_live_step(view, settings)?;
        let tick = Tick::new(view, settings);
        let is_strict = settings.mode == TickMode::Strict;
        if is_strict {
            self.before.0.clone_from(&units.locals);
            self.before.1.clone_from(&units.velocities);
            self.before.2.clone_from(&units.residues);
        }
        self.open_maps.refresh(view, units);
        self.cache_keys.refresh(view, units, settings);
        self.move_all(Workers::new(executor), view, units, wishes, settings, &tick);
        self.list_held(view, units, wishes, &tick);
        if is_strict && !self.report.missing.is_empty() {
            units.locals.clone_from(&self.before.0);
            units.velocities.clone_from(&self.before.1);
            units.residues.clone_from(&self.before.2);
            units.cells.clear();
            return Err(TickError::NotResident { count: self.report.missing.len() });
        }
        self.apply(view, units, &tick);
        self.learn(view);
        Ok(&self.report)
    }

    /// What the last tick did. After a strict tick that did not run: the sectors that it was missing.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What happened to units in the last tick, in order of slots, and for each unit in the order in
    /// which it happened. The next tick starts a new list.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Drains the events; the list keeps its memory.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.drain(..)
    }

    /// The number of open maps, and of sectors in which units remember something.
    #[cfg(test)]
    pub(crate) fn cached_counts(&self) -> [usize; 2] {
        [self.open_maps.len(), self.cache_keys.len()]
    }

    /// The number of open maps, and how many of them asked the terrain for their sectors in the last tick.
    #[cfg(test)]
    pub(crate) fn map_counts(&self) -> [usize; 2] {
        self.open_maps.counts()
    }

    /// All live units, by sector and then by slot.
    pub(crate) fn in_order(&mut self, units: &Units) -> &[Entry] {
        self.bins.refresh(units);
        self.bins.entries()
    }

    /// Makes every list long enough for `count` units at once, not when units first need it. Memory that is
    /// never written to costs nothing.
    fn make_room(&mut self, count: usize, chunk_units: usize) {
        self.chunks.resize_with(count.div_ceil(chunk_units), Chunk::default);
        let each = lesser(chunk_units, count);
        for chunk in &mut self.chunks {
            chunk.make_room(each, EVENTS_EACH);
        }
        self.held.clear();
        self.held.reserve(count);
        self.news.reserve(EVENTS_EACH * count);
        self.events.reserve(EVENTS_EACH * count);
        self.report.outside.reserve(count);
        self.report.held.reserve(count);
        self.report.overloaded.reserve(count);
        self.report.invalid.reserve(count);
        self.report.missing.reserve(MISSING);
    }

    fn move_all(
        &mut self,
        workers: Workers<'_>,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
        settings: &TickSettings,
        tick: &Tick,
    ) {
        let size = chunk_size(units.slots(), settings.chunk_units, workers.threads);
        self.make_room(units.slots(), size);
        units.cells.gather_cache.make_room(units.slots());
        while self.scratches.len() < workers.threads {
            self.scratches.push(Mutex::new(ThreadScratch::new()));
        }
        for scratch in &mut self.scratches {
            scratch.get_mut().unwrap_or_else(PoisonError::into_inner).make_room(size);
        }
        self.gaits.clear();
        self.gaits
            .extend(units.bodies.iter().map(|body| Gait::new(tick, body).up_to_borders(tick)));
        let (columns, all) = ReadColumns::split(units);
        let context = TickContext {
            view,
            tick,
            columns,
            wishes,
            path: settings.path,
            open_maps: &self.open_maps,
            gaits: &self.gaits,
            cache_keys: &self.cache_keys,
        };
        let scratches = &self.scratches;
        // What a panic left behind is overwritten.
        let scratch =
            |worker: usize| scratches[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = all;
        let stretches = self.chunks.iter_mut().map(|chunk| (rest.take(size), chunk));
        workers.each(stretches, scratch, |scratch, (mut stretch, chunk)| {
            context.move_stretch(&mut stretch, chunk, scratch);
        });
    }

    /// Finds the units that were held, in order of slots, and the sectors for which they wait.
    fn list_held(&mut self, view: TerrainView<'_>, units: &Units, wishes: &[Wish], tick: &Tick) {
        for (slot, outcome) in self.chunks.iter().flat_map(|chunk| &chunk.outcomes) {
            if matches!(outcome.verdict, Verdict::Held | Verdict::HeldBy(_)) {
                self.held.push((*slot, outcome.verdict, outcome.unit));
            }
        }
        if self.held.is_empty() {
            return;
        }
        self.held.sort_unstable_by_key(|(slot, ..)| *slot);
        let mut sectors = Sectors::new(view);
        let missing = &mut self.report.missing;
        for &(slot, verdict, unit) in &self.held {
            let id = unit_id(units, slot);
            self.report.held.push(id);
            if let Verdict::HeldBy(coord) = verdict {
                add_missing(missing, coord);
                continue;
            }
            let Some(place) = units.position(id) else { continue };
            let index = slot as usize;
            let (extra, body) = (&units.extras[index], body_of(units, slot));
            let who = (body, units.masks[index]);
            let reach = reach_of(tick, view, place, &unit, extra, who, wishes[index]);
            for coord in reach.sectors(unit.sector) {
                if sectors.is_missing(coord) {
                    add_missing(missing, coord);
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
    }

    /// Writes the outcomes into the units, counts them, and lists the events.
    fn apply(&mut self, view: TerrainView<'_>, units: &mut Units, tick: &Tick) {
        self.tell_waits(units);
        let report = &mut self.report;
        for chunk in &self.chunks {
            report.ticked += chunk.strolled;
            report.walking += chunk.strolled;
            for (slot, outcome) in &chunk.outcomes {
                match outcome.verdict {
                    Verdict::Moved => {
                        let (sector, velocity) = (outcome.borders != 0, outcome.new_velocity);
                        units.set_unit(*slot as usize, &outcome.unit, sector, velocity);
                        count(report, outcome);
                    }
                    Verdict::Held | Verdict::HeldBy(_) => {
                        held::ride_on(view, tick, units, *slot as usize);
                        units.modes[*slot as usize] = Mode::Held;
                    }
                    Verdict::Overloaded => {
                        report.overloaded.push(unit_id(units, *slot));
                        held::ride_on(view, tick, units, *slot as usize);
                        units.modes[*slot as usize] = Mode::Overloaded;
                    }
                    Verdict::Invalid => {
                        let id = unit_id(units, *slot);
                        report.invalid.push(id);
                    }
                    Verdict::Outside => {
                        report.outside.push(unit_id(units, *slot));
                        let index = *slot as usize;
                        units.modes[index] = units.motions[index].into();
                    }
                }
            }
        }
        report.invalid.sort_unstable();
        report.outside.sort_unstable();
        report.overloaded.sort_unstable();
        for chunk in &self.chunks {
            report.full += chunk.extras.len();
            for (slot, extra) in &chunk.extras {
                units.extras[*slot as usize] = *extra;
            }
            for (slot, kind) in &chunk.news {
                self.news.push((*slot, self.news.len() as u32, *kind));
            }
        }
        // By slot, and for each unit in the order in which they happened.
        self.news.sort_unstable_by_key(|(slot, order, _)| (*slot, *order));
        let named =
            self.news.iter().map(|&(slot, _, kind)| Event { unit: unit_id(units, slot), kind });
        self.events.extend(named);
    }

    /// Draws the open maps and adds the numbers of surroundings that were missing in this tick.
    fn learn(&mut self, view: TerrainView<'_>) {
        for &(coord, body) in self.chunks.iter().flat_map(|chunk| &chunk.unknown) {
            self.open_maps.add(view, coord, body);
        }
        for &coord in self.chunks.iter().flat_map(|chunk| &chunk.unseen) {
            self.cache_keys.add(view, coord);
        }
    }

    /// Lists the events of units that began or ceased to wait in this tick, and of units that followed.
    fn tell_waits(&mut self, units: &Units) {
        let news = &mut self.news;
        for (slot, outcome) in self.chunks.iter().flat_map(|chunk| &chunk.outcomes) {
            if outcome.verdict == Verdict::Invalid {
                continue; // the wish is invalid: a unit that was waiting goes on waiting
            }
            let mode = units.modes[*slot as usize];
            let was_held = mode == Mode::Held;
            let is_held = matches!(outcome.verdict, Verdict::Held | Verdict::HeldBy(_));
            let was_overloaded = mode == Mode::Overloaded;
            let is_overloaded = outcome.verdict == Verdict::Overloaded;
            let mut tell = |kind| news.push((*slot, news.len() as u32, kind));
            if was_overloaded && !is_overloaded {
                tell(EventKind::OverloadEnded);
            }
            if was_held != is_held {
                tell(if is_held { EventKind::Held } else { EventKind::Released });
            }
            if is_overloaded && !was_overloaded {
                tell(EventKind::Overloaded);
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

/// Units of a chunk: whole blocks, and never more than there are. Few enough that every thread has several
/// chunks, and a crowded place does not keep one thread busy when the others are done.
fn chunk_size(units: usize, most: usize, threads: usize) -> usize {
    let shared = if threads > 1 { units.div_ceil(CHUNKS_EACH * threads) } else { units };
    let shared = greater(shared, CHUNK_MIN);
    let size = if shared < most { shared } else { most.max(1) };
    let size = if size < units { size } else { units.max(1) };
    size.next_multiple_of(LANES)
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

/// Lists a missing sector. When the list is full, duplicates are removed: the list grows with the number of
/// sectors, not with the number of units that wait for them.
fn add_missing(missing: &mut Vec<SectorCoord>, coord: SectorCoord) {
    // Units in neighbouring slots often wait for the same sector.
    if missing[missing.len().saturating_sub(4)..].contains(&coord) {
        return;
    }
    if missing.len() == missing.capacity() {
        missing.sort_unstable();
        missing.dedup();
        // Rare: half of the list is free afterwards.
        if missing.len() > missing.capacity() / 2 {
            missing.reserve(missing.len());
        }
    }
    missing.push(coord);
}

fn unit_id(units: &Units, slot: u32) -> UnitId {
    UnitId { slot, generation: units.generations[slot as usize] }
}

fn body_of(units: &Units, slot: u32) -> &Body {
    &units.bodies[units.body_ids[slot as usize].index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_as_long_as_was_asked_for_or_as_gives_every_thread_several() {
        for (units, most, threads, size) in [
            (10_000, 1024, 1, 1024),
            (10_000, 1000, 1, 1008),
            (10_000, 1024, 2, 640),
            (10_000, 100, 2, 112),
            (1000, 1024, 2, 64),
            (100, 1024, 8, 64),
            (10, 1024, 8, 16),
            (0, 0, 1, 16),
            (1_000_000, 0, 1, 16),
            (1_000_000, usize::MAX, 1, 1_000_000),
            (1_000_000, usize::MAX, 2, 62_512),
        ] {
            assert_eq!(chunk_size(units, most, threads), size, "{units} {most} {threads}");
        }
        let some = [0, 1, 7, 15, 16, 17, 63, 64, 65, 1000, 3001, 4096, 1_000_003];
        for (units, most) in some.into_iter().flat_map(|units| some.map(|most| (units, most))) {
            for threads in [1, 2, 3, 8, 64] {
                let size = chunk_size(units, most, threads);
                assert!(size.is_multiple_of(LANES), "{size} are not whole blocks");
                let longest = if most < units { most } else { units };
                assert!(0 < size && size < longest.max(1) + LANES, "{size} of {units}, {most}");
            }
        }
    }
}
