//! Whether the ground around a place is there, and waiting until it is.

use std::fmt;
use std::time::Duration;

use super::Streamer;
use super::interest::{Interest, InterestError, tidy};
use crate::math::{SectorCoord, WorldPos};
use crate::resident::SectorState;

/// The longest that a wait for ready ground goes without an update: failed loads are tried again.
const WAIT_MAX: Duration = Duration::from_millis(20);
/// The shortest time that a wait counts for.
const MOMENT: Duration = Duration::from_micros(10);

/// Ground that was not there in time.
#[derive(Clone, Debug, PartialEq)]
pub struct NotReady {
    /// Sectors that were missing at the end, in order.
    pub missing: Vec<SectorCoord>,
    /// Those of them whose loads failed.
    pub failed: Vec<SectorCoord>,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missing, failed) = (self.missing.len(), self.failed.len());
        write!(f, "{missing} sectors are not in memory, {failed} of them failed to load")?;
        self.missing.first().map_or(Ok(()), |first| write!(f, "; the first is {first}"))
    }
}

impl std::error::Error for NotReady {}

impl Streamer {
    /// Whether all ground within `radius` metres of a position along X and Z is in memory, or known to
    /// be outside the world. A radius that is no number counts as 0.
    #[must_use]
    pub fn is_ready(&self, position: WorldPos, radius: f32) -> bool {
        self.each_missing(position, radius, |_| true)
    }

    /// The sectors within `radius` metres of a position along X and Z that are neither in memory nor
    /// known to be outside the world, in order.
    #[must_use]
    pub fn missing(&self, position: WorldPos, radius: f32) -> Vec<SectorCoord> {
        let mut missing = Vec::new();
        self.each_missing(position, radius, |coord| {
            missing.push(coord);
            false
        });
        missing
    }

    /// Waits until the ground within `radius` metres of a position is there, as
    /// [`is_ready`](Self::is_ready) says, for loading screens and tests. While it waits, that ground is
    /// wanted before all else and other sources' loads go on.
    ///
    /// # Errors
    /// If it is not there after the time `deadline`, or the memory has no room for it.
    pub fn ensure_ready(
        &mut self,
        position: WorldPos,
        radius: f32,
        deadline: Duration,
    ) -> Result<(), NotReady> {
        let radius = tidy(radius);
        // The square of ground that is asked about lies within a circle of √2 times its radius.
        let around =
            Interest { pinned: true, weight: 1e6, ..Interest::new(position, radius * 1.5) };
        let id = self.add_interest(around);
        let end = self.now + deadline;
        loop {
            self.update(self.now);
            if self.is_ready(position, radius) || self.now >= end {
                break;
            }
            let left = end - self.now;
            let waited = self.loader.wait(if left < WAIT_MAX { left } else { WAIT_MAX });
            // A loader that knows no time must not keep the caller for ever.
            let waited = if waited.is_zero() { MOMENT } else { waited };
            self.update(self.now + waited);
        }
        self.end_waiting(id);
        let missing = self.missing(position, radius);
        if missing.is_empty() {
            return Ok(());
        }
        let failed = missing.iter().copied().filter(|&coord| self.view().has_failed(coord));
        let failed = failed.collect();
        Err(NotReady { missing, failed })
    }

    fn end_waiting(&mut self, id: Result<super::InterestId, InterestError>) {
        if let Ok(id) = id {
            // It was added here and nobody else knows its name.
            let _ = self.remove_interest(id);
        }
    }

    /// Goes over the missing sectors of a square until `stop` says to. Gives whether there was none.
    fn each_missing(
        &self,
        position: WorldPos,
        radius: f32,
        mut stop: impl FnMut(SectorCoord) -> bool,
    ) -> bool {
        let Some((min, max)) = self.coord_bounds() else { return true };
        let size = f64::from(self.info().facts.grid.sector_size().metres());
        let (radius, local) = (f64::from(tidy(radius)), position.local());
        // Conversions to integers saturate, so the square ends with the sectors that can be named.
        let at = |sector: i32, local: f32, reach: f64| {
            (f64::from(sector) + ((f64::from(local) + reach) / size + 0.5).floor()) as i32
        };
        let sector = position.sector();
        let x_low = at(sector.x, local.x, -radius).max(min.x);
        let x_high = at(sector.x, local.x, radius).min(max.x);
        let z_low = at(sector.z, local.z, -radius).max(min.z);
        let z_high = at(sector.z, local.z, radius).min(max.z);
        let mut is_ready = true;
        for x in x_low..=x_high {
            for z in z_low..=z_high {
                let coord = SectorCoord::new(x, z);
                if matches!(self.view().sector(coord), SectorState::NotResident) {
                    is_ready = false;
                    if stop(coord) {
                        return false;
                    }
                }
            }
        }
        is_ready
    }
}
