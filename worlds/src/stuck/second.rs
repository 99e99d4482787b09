//! The last second of a unit: where it began, what is asked, and how far it came.

use marchland_terrain::{SectorSize, WorldPos};

/// Seconds that are judged.
pub const SECOND: f64 = 1.0;
/// Who changes its height by more in a second is in the air. Metres.
const RISES: f32 = 1.0;

/// A second of an unchanged request that is not over yet, or just is.
#[derive(Clone, Copy, Debug)]
pub struct Second {
    /// Where it began.
    pub from: WorldPos,
    /// Requested velocity, x and z. Metres a second.
    pub request: [f32; 2],
    /// How far from there the unit was at most, seen from above. Metres.
    pub farthest: f64,
    /// Whether it is not judged.
    pub is_excused: bool,
    ticks: u32,
}

impl Second {
    /// Begins at a place.
    #[must_use]
    pub fn begin(from: WorldPos, request: [f32; 2]) -> Self {
        Self { from, request, farthest: 0.0, is_excused: false, ticks: 0 }
    }

    /// Takes in where the unit is a tick later.
    pub fn pass(&mut self, place: WorldPos, size: SectorSize) {
        self.ticks += 1;
        let moved = place.relative_to(self.from, size);
        let level =
            f64::from(moved.x) * f64::from(moved.x) + f64::from(moved.z) * f64::from(moved.z);
        self.farthest = marchland_reference::most(self.farthest, level.sqrt());
        self.is_excused |= moved.y.abs() > RISES;
    }

    /// Whether it ends with this tick.
    #[must_use]
    pub fn is_over(&self, dt: f32) -> bool {
        f64::from(self.ticks) * f64::from(dt) >= SECOND - 1e-6
    }
}
