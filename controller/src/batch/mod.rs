//! A tick of all units: group by sector, follow, write back.
//!
//! Workers read the units as they were before the tick and write outcomes beside them, each its own
//! stretch; so nothing depends on how the work is split. A tick that may not run has changed
//! nothing.

mod bins;

use marchland_terrain::TerrainView;

use crate::body::Body;
use crate::error::TickError;
use crate::event::Event;
use crate::follow::{Outcome, Reach, Tick, Verdict, follow};
use crate::report::Report;
use crate::sectors::{Home, Sectors};
use crate::settings::{TickMode, TickSettings};
use crate::units::{Mode, Motion, UnitId, Units};
use crate::wish::Wish;
use bins::{Bins, Entry};

/// Moves units, tick by tick. Holds only scratch: any batch moves any units to the same bits, the
/// one that moved them before is quicker.
#[derive(Debug, Default)]
pub struct Batch {
    bins: Bins,
    /// What became of each entry of the bins.
    outcomes: Vec<Outcome>,
    /// Entries of units that were held, in order of their slots.
    held: Vec<(u32, usize)>,
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

    /// What has happened to units since the events were last drained: tick by tick, in order of
    /// slots.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Hands out the events and forgets them, but not their memory.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.drain(..)
    }

    fn follow(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        settings: &TickSettings,
        tick: &Tick,
    ) {
        let entries = self.bins.entries();
        self.outcomes.resize(entries.len(), Outcome::NOTHING);
        let chunk = settings.chunk_units.max(1);
        let run = |(entries, outcomes): (&[Entry], &mut [Outcome])| {
            follow_chunk(view, tick, units, wishes, entries, outcomes);
        };
        #[cfg(feature = "rayon")]
        if rayon::current_num_threads() > 1 && entries.len() > chunk {
            use rayon::prelude::*;
            let pairs = entries.par_chunks(chunk).zip(self.outcomes.par_chunks_mut(chunk));
            pairs.for_each(run);
            return;
        }
        entries.chunks(chunk).zip(self.outcomes.chunks_mut(chunk)).for_each(run);
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
            let reach = Reach::of(tick, &unit, body, wishes[slot as usize]);
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

    /// Writes the outcomes into the units and counts.
    fn apply(&mut self, units: &mut Units) {
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

/// Follows a stretch of units, which come in order of their sectors.
fn follow_chunk(
    view: TerrainView<'_>,
    tick: &Tick,
    units: &Units,
    wishes: &[Wish],
    entries: &[Entry],
    outcomes: &mut [Outcome],
) {
    let Some(first) = entries.first() else { return };
    let mut home = Home::new(view, first.sector);
    let mut sectors = Sectors::new(view);
    for (entry, outcome) in entries.iter().zip(outcomes) {
        if entry.sector != home.coord {
            home = Home::new(view, entry.sector);
        }
        let slot = entry.slot as usize;
        let (unit, body) = (units.unit(slot, entry.sector), body_of(units, entry.slot));
        *outcome = follow(tick, &home, &mut sectors, &unit, body, wishes[slot]);
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
