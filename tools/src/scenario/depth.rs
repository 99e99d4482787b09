//! How deep units are in what is solid, measured at the end of each tick.

use marchland_controller::{UnitId, Units};
use marchland_terrain::TerrainView;

/// Measures overlaps, by code that neither the controller nor the queries have.
pub(super) struct Depths {}

impl Depths {
    pub(super) fn new() -> Self {
        Self {}
    }

    /// How deep the upper cylinder of a unit is in any triangle that it meets, or in the ground.
    /// Metres.
    pub(super) fn of(&mut self, _view: TerrainView<'_>, _units: &Units, _id: UnitId) -> f64 {
        0.0
    }
}
