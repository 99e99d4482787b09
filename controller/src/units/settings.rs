//! The inputs of a tick besides wishes.

use marchland_terrain::{LiveProps, TerrainView};

use crate::limits::{DT_MAX, GRAVITY_MAX};
use crate::units::columns::Units;
use crate::units::error::TickError;
use crate::units::wish::Wish;

/// What happens where a unit could reach ground that is not in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum TickMode {
    /// The unit is held; all others move.
    #[default]
    Hold,
    /// The tick does not run at all; for lockstep, where a path must not depend on a disk. Request the same
    /// tick again once the ground is in memory, with the live props as they are: they have already been
    /// [moved](marchland_terrain::LiveProps::advance) for it, and must not be moved twice.
    Strict,
}

/// The inputs of a tick besides wishes. In files (feature `serde`) what is not named has its default, and a name
/// that means nothing is an error.
///
/// ```
/// use marchland_controller::{TickMode, TickSettings};
///
/// let settings = TickSettings { mode: TickMode::Strict, ..TickSettings::at_rate(30.0) };
/// assert_eq!((settings.dt, settings.gravity), (1.0 / 30.0, 9.81));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct TickSettings {
    /// The length of the tick. Seconds, 0 to 0.25. Zero changes nothing. Default 1/60.
    pub dt: f32,
    /// Metres per second squared, downwards, 0 to 1024. Default 9.81.
    pub gravity: f32,
    /// What happens where ground is not in memory. Default [`Hold`](TickMode::Hold).
    pub mode: TickMode,
}

impl Default for TickSettings {
    /// 60 Hz.
    fn default() -> Self {
        Self { dt: 1.0 / 60.0, gravity: 9.81, mode: TickMode::Hold }
    }
}

impl TickSettings {
    /// The defaults at `rate` ticks a second.
    #[must_use]
    pub fn at_rate(rate: f32) -> Self {
        Self { dt: 1.0 / rate, ..Self::default() }
    }
}

/// Returns an error for a view, units, wishes or settings with which no tick can run.
pub(crate) fn check(
    view: TerrainView<'_>,
    units: &Units,
    wishes: &[Wish],
    settings: &TickSettings,
) -> Result<(), TickError> {
    if !(0.0..=DT_MAX).contains(&settings.dt) {
        return Err(TickError::Dt { found: settings.dt });
    }
    if !(0.0..=GRAVITY_MAX).contains(&settings.gravity) {
        return Err(TickError::Gravity { found: settings.gravity });
    }
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
pub(crate) fn check_live_dt(
    view: TerrainView<'_>,
    settings: &TickSettings,
) -> Result<(), TickError> {
    match view.live().and_then(LiveProps::step_dt) {
        Some(props) if props != settings.dt => Err(TickError::LiveDt { props, tick: settings.dt }),
        _ => Ok(()),
    }
}
