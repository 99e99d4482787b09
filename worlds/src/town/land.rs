//! The ground of the town: its bounds and its hills.

use crate::{Grid, scene};

/// Samples along each side.
pub const SAMPLES: usize = 513;
/// Metres between samples.
pub const SPACING: f64 = 1.0;
/// The low corner on both axes. Metres from the centre of sector (0, 0).
pub const LOW: f64 = -128.0;
/// The high corner on both axes. Metres from the centre of sector (0, 0).
pub const HIGH: f64 = 384.0;

/// Height of the hills, from −7 to 7 m, no steeper than about 12°. Metres.
#[must_use]
pub fn height(x: f64, z: f64) -> f64 {
    0.35 * scene::rolling_height(x - LOW, z - LOW, 31)
}

/// Heights at the samples, row by row from the low corner. Metres.
#[must_use]
pub fn heights() -> Grid<f64> {
    Grid::from_fn(SAMPLES, SAMPLES, |column, row| {
        height(LOW + column as f64 * SPACING, LOW + row as f64 * SPACING)
    })
}
