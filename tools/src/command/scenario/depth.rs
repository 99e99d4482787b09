//! How deep units are inside solids, measured at the end of each tick.

use marchland_controller::{UnitId, Units};
use marchland_terrain::TerrainView;
use marchland_worlds::judge::{Judge, JudgedBody};

/// Measures overlaps with a judge that shares no code with the controller, and with the queries only the
/// trees.
pub(super) struct Depths {
    judge: Judge,
}

impl Depths {
    pub(super) fn new() -> Self {
        Self { judge: Judge::new() }
    }

    /// The depth of a unit's upper cylinder in the triangles that it meets, or in the ground.
    /// Metres; 0 for a unit that does not exist.
    pub(super) fn of(&mut self, view: TerrainView<'_>, units: &Units, id: UnitId) -> f64 {
        let (place, body, mask) = (units.position(id), units.body(id), units.mask(id));
        let (Some(place), Some(body), Some(mask)) = (place, body, mask) else { return 0.0 };
        self.judge.penetration(view, place, JudgedBody::from(body), mask)
    }
}
