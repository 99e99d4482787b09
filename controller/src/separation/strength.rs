//! Strength of pushes: from a sum of overlaps to a velocity; and the direction in which units at one
//! place separate.

use super::settings::SeparationSettings;

/// Metres in a sixteenth of a quantum.
const METRES: f32 = 1.0 / 65_536.0;

/// A factor that keeps a push slightly below its limit, by no more than rounding, and never above it.
pub(super) const LESS: f32 = 0.999_999;

/// The strength of pushes in a tick, computed from the settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strength {
    /// Metres per second for each sixteenth.
    pub(super) per_sixteenth: f32,
    pub(super) rest_squared: f32,
    pub(super) push_max: f32,
}

impl Strength {
    /// For a tick of `dt` seconds, above 0.
    pub(super) fn new(settings: &SeparationSettings, dt: f32) -> Self {
        // If a tick removed more than half of an overlap, crowds would begin to shake.
        let rate = if settings.rate * dt < 0.5 { settings.rate } else { 0.5 / dt };
        Self {
            per_sixteenth: 2.0 * rate * METRES,
            rest_squared: settings.rest * settings.rest,
            push_max: settings.push_max,
        }
    }
}

/// The direction in which a unit leaves another at exactly the same place; the other leaves the opposite way.
pub(super) fn way_apart(from: u32, other: u32) -> [f32; 2] {
    let (a, b) = (heading(from), heading(other));
    let (x, z) = (a[0] - b[0], a[1] - b[1]);
    let length = (x * x + z * z).sqrt();
    if length > 1e-3 {
        [x / length, z / length]
    } else if from < other {
        [1.0, 0.0]
    } else {
        [-1.0, 0.0]
    }
}

/// A direction for each slot, of length 1: consecutive slots advance by the golden section, and so lie
/// far apart and evenly spread.
fn heading(slot: u32) -> [f32; 2] {
    let round = slot.wrapping_mul(0x9e37_79b9);
    // Along the rim of a square that stands on its corner, projected onto the circle.
    let (quarter, part) = (round >> 30, (round << 2 >> 8) as f32 / 16_777_216.0);
    let (x, z) = match quarter {
        0 => (1.0 - part, part),
        1 => (-part, 1.0 - part),
        2 => (part - 1.0, -part),
        _ => (part, part - 1.0),
    };
    let length = (x * x + z * z).sqrt();
    [x / length, z / length]
}
