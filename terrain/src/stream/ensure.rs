//! Whether the ground around a place is in memory, and waiting until it is.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use super::Streamer;
use super::interest::{Interest, tidy};
use super::plan::WORTH_WANTING_MOST;
use super::table::{Slot, State};
use crate::math::{SectorBounds, SectorCoord, WorldPos, greater, lesser};
use crate::resident::SectorState;
use crate::store::SectorRecord;

/// The longest wait without an update, while waiting for ground: failed loads are retried in updates.
const WAIT_MAX: Duration = Duration::from_millis(20);
/// The shortest time that a wait counts for.
const MOMENT: Duration = Duration::from_micros(10);

/// For a square of more places than this many times the sectors of the world, and more than a source may
/// want, the manifest is queried for the sectors that exist there.
const PLACES_PER_SECTOR: u64 = 4;

/// Ground that was not in memory in time.
#[derive(Clone, Debug, PartialEq)]
pub struct NotReady {
    /// Sectors that were missing at the end, in order. Empty if only a part of the manifest is known to be
    /// missing.
    pub missing: Vec<SectorCoord>,
    /// Those of the missing sectors whose loads failed.
    pub failed: Vec<SectorCoord>,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missing, failed) = (self.missing.len(), self.failed.len());
        let Some(first) = self.missing.first() else {
            return f.write_str(
                "a part of the manifest cannot be read: sectors that it lists may be missing",
            );
        };
        write!(f, "{missing} sectors are not in memory, {failed} of which failed to load")?;
        write!(f, "; the first is {first}")
    }
}

impl std::error::Error for NotReady {}

impl Streamer {
    /// Whether all ground within `radius` metres of a position along X and Z is in memory, or known to be
    /// outside the world. A radius of NaN counts as 0.
    ///
    /// A square of hundreds of thousands of places, in a world that has far fewer sectors, is not visited
    /// place by place: the manifest is read, on this thread, and places that it does not list are outside.
    #[must_use]
    pub fn is_ready(&self, position: WorldPos, radius: f32) -> bool {
        self.each_missing(&self.around(position, radius), |_| true)
    }

    /// The sectors within `radius` metres of a position along X and Z that are neither in memory nor known to
    /// be outside the world, in order. They are determined as in [`is_ready`](Self::is_ready).
    #[must_use]
    pub fn missing(&self, position: WorldPos, radius: f32) -> Vec<SectorCoord> {
        self.missing_of(&self.around(position, radius))
    }

    fn missing_of(&self, around: &Surroundings) -> Vec<SectorCoord> {
        let mut missing = Vec::new();
        self.each_missing(around, |coord| {
            missing.push(coord);
            false
        });
        missing
    }

    /// Waits until the ground within `radius` metres of a position is ready in the sense of
    /// [`is_ready`](Self::is_ready), for loading screens and tests. While it waits, that ground has priority
    /// over everything else, and the loads of other sources continue.
    ///
    /// # Errors
    /// If it is not ready after the time `deadline`, or the memory has no room for it.
    pub fn ensure_ready(
        &mut self,
        position: WorldPos,
        radius: f32,
        deadline: Duration,
    ) -> Result<(), NotReady> {
        let radius = tidy(radius);
        // The square of ground is within a circle of √2 times its radius.
        let circle = tidy(radius * 1.5);
        let circle = greater(radius, circle);
        let around = Interest { pinned: true, weight: 1e6, ..Interest::new(position, circle) };
        let id = self.add_interest(around);
        let end = self.now.saturating_add(deadline);
        let mut around = self.around(position, radius);
        let is_ready = loop {
            self.update(self.clock);
            if !around.is_whole || around.generation != self.generation() {
                around = self.around(position, radius);
            }
            let is_ready = self.each_missing(&around, |_| true);
            if is_ready || self.now >= end {
                break is_ready;
            }
            let left = end - self.now;
            let waited = self.loader.get().wait(lesser(left, WAIT_MAX));
            // A loader that measures no time must not block the caller for ever.
            let waited = if waited.is_zero() { MOMENT } else { waited };
            self.update(self.clock.saturating_add(waited));
        };
        if let Ok(id) = id {
            // It was added here, and no other code knows its id.
            let _ = self.remove_interest(id);
        }
        if is_ready {
            return Ok(());
        }
        let missing = self.missing_of(&around);
        let failed = missing.iter().copied().filter(|&coord| self.view().has_failed(coord));
        let failed = failed.collect();
        Err(NotReady { missing, failed })
    }

    /// The ground of a square: `radius` metres to each side of a position.
    fn around(&self, position: WorldPos, radius: f32) -> Surroundings {
        let generation = self.generation();
        let nothing = Surroundings { generation, square: None, sectors: None, is_whole: true };
        let size = self.info().facts.grid.sector_size();
        let square = SectorBounds::near(position, f64::from(tidy(radius)), size);
        let square = self.info().bounds.and_then(|bounds| square.within(bounds));
        let Some(square) = square else { return nothing };
        let most = u128::from(self.info().sectors.saturating_mul(PLACES_PER_SECTOR));
        let is_sparse = square.area() > most.max(WORTH_WANTING_MOST.into());
        let places = Surroundings { square: Some(square), ..nothing };
        if is_sparse { self.sectors_of(square) } else { places }
    }

    /// The sectors that exist in a square.
    fn sectors_of(&self, square: SectorBounds) -> Surroundings {
        let mut sectors = Vec::new();
        let mut is_whole = true;
        for record in self.files.records() {
            let Ok(SectorRecord { coord, .. }) = record else {
                // Each of the following records may take as long to fail.
                is_whole = false;
                break;
            };
            sectors.push(coord);
        }
        // Units wait on removed sectors as on ground that is missing.
        let is_removed = |slot: &&Slot| matches!(slot.state, State::Removed);
        sectors.extend(self.table.slots().iter().filter(is_removed).map(|slot| slot.coord));
        sectors.retain(|&coord| square.contains(coord));
        sectors.sort_unstable();
        sectors.dedup();
        let (generation, square) = (self.generation(), Some(square));
        Surroundings { generation, square, sectors: Some(sectors), is_whole }
    }

    /// Visits the missing sectors of a square, in order, until `stop` returns true. Returns whether there was
    /// none.
    fn each_missing(
        &self,
        around: &Surroundings,
        mut stop: impl FnMut(SectorCoord) -> bool,
    ) -> bool {
        let mut is_ready = around.is_whole;
        around.each(|coord| {
            if !matches!(self.view().sector(coord), SectorState::NotResident) {
                return ControlFlow::Continue(());
            }
            is_ready = false;
            if stop(coord) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_ready
    }
}

/// The ground of a square.
struct Surroundings {
    /// The generation for which this was determined.
    generation: u64,
    /// The places; `None` if there is no sector.
    square: Option<SectorBounds>,
    /// In a world of few sectors far apart, the sectors in the square, in order: visiting them is faster than
    /// visiting the places, of which there may be far too many.
    sectors: Option<Vec<SectorCoord>>,
    /// Whether the list is complete: false if a part of the manifest could not be read.
    is_whole: bool,
}

impl Surroundings {
    /// Visits sectors, or places where sectors may be, in order of coordinates.
    fn each(&self, mut visit: impl FnMut(SectorCoord) -> ControlFlow<()>) {
        let Some(SectorBounds { min, max }) = self.square else { return };
        let _ = match &self.sectors {
            Some(sectors) => sectors.iter().try_for_each(|&coord| visit(coord)),
            None => (min.x..=max.x)
                .try_for_each(|x| (min.z..=max.z).try_for_each(|z| visit(SectorCoord::new(x, z)))),
        };
    }
}
