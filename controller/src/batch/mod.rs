//! A tick of all units, in chunks of slots.
//!
//! ```text
//! refresh maps ─▶  each chunk, on any thread:    in_cell ── in the cell that is remembered
//! (open maps)                                    cross ── into the next one (crossings)
//!                                                rest ── as in the last tick, which changed nothing
//!                                                follow, or the full controller (classify), whose
//!                                                tick is short over bare ground (over_ground)
//!              ─▶ events and lists of units in order (notes)
//! ```
//!
//! No unit reads of another what a tick writes, so each is written when it has moved, and no result depends on how the
//! work is split. A strict tick that may not run restores what was written.

mod cache_expiry;
mod cache_keys;
mod chunk;
mod classify;
mod context;
mod crowds;
mod held_rider;
mod in_cell;
mod move_unit;
mod notes;
mod open_map;
mod over_ground;
mod overload;
mod rest;
mod settle;
mod strict;
mod tick_start;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use marchland_terrain::kernel::lanes::LANES;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{SectorCoord, TerrainView};

use crate::following::follow::FollowLimits;
use crate::units::columns::Units;
use crate::units::contact_state::{ContactState, SpareContactStates};
use crate::units::error::TickError;
use crate::units::event::Event;
use crate::units::executor::{Executor, Workers};
use crate::units::report::Report;
use crate::units::settings::{TickMode, TickSettings, check, check_live_dt};
use crate::units::switches::{Shortcuts, Switches};
use crate::units::tick::Tick;
use crate::units::wish::Wish;
use cache_keys::CacheKeys;
use context::{ReadColumns, ThreadScratch, TickContext};
use notes::{Notes, capacity_for};
use open_map::cache::OpenMaps;
use strict::Backup;

/// Chunks for each thread if there are several threads, and the fewest units of such a chunk.
const CHUNKS_EACH: usize = 8;
const CHUNK_MIN: usize = 64;

/// Moves units, tick by tick. Holds only scratch memory: every batch moves units to the same bits, but
/// the batch that moved them before is faster.
///
/// The first tick of a population (these units in these slots) reserves memory for everything that later
/// ticks write. Later ticks on as many threads and in chunks of the same size do not allocate. There is room for two
/// events of each unit, and for each in every list; in crowds of more than 16 384, for as many units, or one in 64. A
/// tick in which more happens (each unit could report 17 events) grows these lists. A tick in which units wait for
/// more than a few hundred different sectors grows the list of missing sectors. The lists keep their capacity.
///
/// ```
/// use marchland_controller::{Batch, Body, Spawn, TickSettings, Units, Wish};
/// use marchland_terrain::WorldPos;
/// # use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, format};
/// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// # let flat = format::encode(SectorCoord::new(0, 0), &SectorData::from_fn(grid, |_, _| 0.0)?);
/// # let world = ResidentSectors::endless(LoadedSector::new(flat.bytes)?.into()); // level at 0 m
/// let mut units = Units::new(grid.sector_size());
/// let body = units.add_body(Body::default())?;
/// let start = WorldPos::from_metres(0.0, 0.0, 0.0, grid.sector_size())?;
/// let unit = units.spawn(Spawn::standing(start, body))?;
/// let (mut batch, wishes) = (Batch::new(), [Wish::walk(5.0, 0.0)]);
/// for _ in 0..60 {
///     let report = batch.tick(world.view(), &mut units, &wishes, &TickSettings::at_rate(60.0))?;
///     assert_eq!(report.walking, 1);
/// }
/// let x = units.position(unit).ok_or("no unit")?.local().x;
/// assert!((x - 5.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Batch {
    /// The index of each sector's crowd, while crowds are listed.
    crowd_of: HashMap<SectorCoord, usize>,
    /// Where units may stay and go on within cells.
    open_maps: OpenMaps,
    /// The keys of what units among props remember.
    cache_keys: CacheKeys,
    /// The limits of each body for moves within a cell.
    follow_limits: Vec<FollowLimits>,
    /// Memory for each thread.
    scratches: Vec<Mutex<ThreadScratch>>,
    /// For as many units as there is room for in lists.
    spare_states: SpareContactStates,
    /// How many slots there were in the last tick.
    slots: usize,
    before: Backup,
    /// Of the last tick.
    notes: Notes,
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
        self.tick_with(&Switches::default(), view, units, wishes, settings)
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
        let switches = Switches { executor, ..Switches::default() };
        self.tick_with(&switches, view, units, wishes, settings)
    }

    /// Moves all units by one [tick](Self::tick), to the same bits whatever the switches are. For tests and
    /// measurements.
    ///
    /// # Errors
    /// As for [`tick`](Self::tick).
    #[doc(hidden)]
    pub fn tick_with(
        &mut self,
        switches: &Switches<'_>,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
        settings: &TickSettings,
    ) -> Result<&Report, TickError> {
        self.notes.clear();
        check(view, units, wishes, settings)?;
        if settings.dt == 0.0 {
            return Ok(self.report());
        }
        check_live_dt(view, settings)?;
        let ignores_shortcuts = switches.shortcuts == Shortcuts::Ignore;
        let tick = Tick { ignores_shortcuts, ..Tick::new(view, settings) };
        let is_strict = settings.mode == TickMode::Strict;
        if is_strict {
            self.before.keep(units);
        }
        self.open_maps.refresh(view, units);
        self.cache_keys.refresh(view, units, settings, switches.path);
        self.move_all(switches, view, units, wishes, is_strict, &tick);
        if is_strict && !self.notes.report.missing.is_empty() {
            self.before.restore(units, &self.notes.states_before);
            self.notes.events.clear();
            self.notes.report.withdraw();
            return Err(TickError::NotResident { count: self.notes.report.missing.len() });
        }
        self.learn(view);
        Ok(self.report())
    }

    /// What the last tick did. After a strict tick that did not run: the sectors that it was missing.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.notes.report
    }

    /// What happened to units in the last tick, in order of slots, and for each unit in the order in
    /// which it happened. The next tick starts a new list.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.notes.events
    }

    /// Drains the events; the list keeps its memory.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.notes.events.drain(..)
    }

    fn move_all(
        &mut self,
        switches: &Switches<'_>,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
        is_strict: bool,
        tick: &Tick,
    ) {
        let workers = Workers::new(switches.executor);
        let size = chunk_size(units.slots(), switches.chunk_units, workers.threads);
        units.cells.gather_cache.reserve(units.slots());
        while self.scratches.len() < workers.threads {
            self.scratches.push(Mutex::default());
        }
        self.notes.prepare(units.slots(), is_strict);
        for scratch in &mut self.scratches {
            let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
            scratch.prepare(lesser(size, units.slots()), is_strict);
        }
        if self.slots != units.slots() {
            self.slots = units.slots();
            let spares = self.spare_states.get_mut().unwrap_or_else(PoisonError::into_inner);
            let room = greater(capacity_for(self.slots), spares.len());
            spares.reserve(room - spares.len());
            spares.resize_with(room, || Box::new(ContactState::NONE));
        }
        self.follow_limits.clear();
        self.follow_limits.extend(
            units.bodies.iter().map(|body| FollowLimits::new(tick, body).up_to_borders(tick)),
        );
        let notes = Mutex::new(std::mem::take(&mut self.notes));
        let (columns, all) = ReadColumns::split(units);
        let context = TickContext {
            view,
            tick,
            columns,
            wishes,
            path: switches.path,
            open_maps: &self.open_maps,
            follow_limits: &self.follow_limits,
            cache_keys: &self.cache_keys,
            notes: &notes,
            spare_states: &self.spare_states,
            is_strict,
        };
        let scratches = &self.scratches;
        // What a panic left behind is overwritten.
        let scratch =
            |worker: usize| scratches[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = all;
        let chunks = (0..self.slots.div_ceil(size)).map(|_| rest.take(size));
        workers.each(chunks, scratch, |scratch, mut chunk| {
            context.move_chunk(&mut chunk, scratch);
        });
        self.notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        for scratch in &mut self.scratches {
            let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.notes.take(&mut scratch.notes);
        }
        self.notes.sort(&units.generations);
    }

    /// Draws the open maps and adds the numbers of surroundings that were missing in this tick.
    fn learn(&mut self, view: TerrainView<'_>) {
        for &(coord, body) in &self.notes.unknown {
            self.open_maps.add(view, coord, body);
        }
        for &coord in &self.notes.unseen {
            self.cache_keys.add(view, coord);
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
                let longest = lesser(most, units);
                assert!(0 < size && size < longest.max(1) + LANES, "{size} of {units}, {most}");
            }
        }
    }
}
