//! The inputs of a tick besides wishes.

use marchland_terrain::{LiveProps, TerrainView};

use crate::ground::limits::{DT_MAX, GRAVITY_MAX};
use crate::units::columns::Units;
use crate::units::error::TickError;
use crate::units::wish::Wish;

/// What happens where a unit could reach ground that is not in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TickMode {
    /// The unit is held; all others move.
    #[default]
    Hold,
    /// The tick does not run at all; for lockstep, where a path must not depend on a disk. Request the same
    /// tick again once the ground is in memory, with the live props as they are: they have already been
    /// [moved](marchland_terrain::LiveProps::advance) for it, and must not be moved twice.
    Strict,
}

/// Whether a tick may use remembered cells, boxes and rests, and the coarse steepness map. Both give the
/// same bits; [`Ignore`](Self::Ignore) is far slower and exists for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortcuts {
    /// Shortcuts are used.
    #[default]
    Use,
    /// Shortcuts are not used; the reference that the fast way is tested against.
    Ignore,
}

/// Which way units take. Both give the same bits wherever both may be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathChoice {
    /// Units on open ground follow it, all others take the full controller.
    #[default]
    Auto,
    /// Every unit takes the full controller.
    Full,
}

/// The inputs of a tick besides wishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TickSettings {
    /// Seconds, 0 to 0.25. Zero changes nothing.
    pub dt: f32,
    /// Metres per second squared, downwards. Default 9.81.
    pub gravity: f32,
    /// What happens where ground is not in memory.
    pub mode: TickMode,
    /// Whether shortcuts may be used. For tests.
    #[doc(hidden)]
    pub shortcuts: Shortcuts,
    /// Which way units take. For tests and measurements.
    #[doc(hidden)]
    pub path: PathChoice,
    /// The most units that one thread takes at a time; 0 counts as 1. With few units, threads take fewer. No
    /// bit depends on it. For tests and measurements.
    #[doc(hidden)]
    pub chunk_units: usize,
}

/// At the end of a stretch the columns of the next one are prefetched, which another thread may be writing: a stretch is
/// several times as long as what is prefetched.
const CHUNK_UNITS: usize = 4096;

impl Default for TickSettings {
    /// 60 Hz.
    fn default() -> Self {
        Self {
            dt: 1.0 / 60.0,
            gravity: 9.81,
            mode: TickMode::Hold,
            shortcuts: Shortcuts::Use,
            path: PathChoice::Auto,
            chunk_units: CHUNK_UNITS,
        }
    }
}

impl TickSettings {
    /// The defaults at `rate` ticks a second.
    #[must_use]
    pub fn at_rate(rate: f32) -> Self {
        Self { dt: 1.0 / rate, ..Self::default() }
    }

    /// Returns an error for settings with which no tick can run.
    pub(crate) fn check(&self) -> Result<(), TickError> {
        if !(0.0..=DT_MAX).contains(&self.dt) {
            return Err(TickError::Dt { found: self.dt });
        }
        if !(0.0..=GRAVITY_MAX).contains(&self.gravity) {
            return Err(TickError::Gravity { found: self.gravity });
        }
        Ok(())
    }
}

/// Returns an error for a view, units, wishes or settings with which no tick can run.
pub(crate) fn check(
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

/// Returns an error if the tick and the step by which live props would carry differ in length.
pub(crate) fn check_live_step(
    view: TerrainView<'_>,
    settings: &TickSettings,
) -> Result<(), TickError> {
    match view.live().and_then(LiveProps::step_dt) {
        Some(props) if props != settings.dt => Err(TickError::LiveDt { props, tick: settings.dt }),
        _ => Ok(()),
    }
}
