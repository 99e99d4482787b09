//! The ground of the clutter: rolling, with parts that are too steep, and two pits.
//!
//! ```text
//!   -16        16        48        80       112   x
//! -16 ┌─────────┬─────────┬─────────┬─────────┐
//!     │         │         │         │  ravine │
//!  16 ├─────────┼─────────┼─────────┼─────────┤
//!     │         │         │         │         │
//!  48 ├─────────┼──────  middle ────┼───── ↑ ─┤
//!     │         │         │         │    bank │
//!  80 ├─ mound ─┼─ pit ───┼──────── pit ─ ↓ ──┤   the pit with a floor, then the bottomless one
//!     │         │         │         │         │   at the corner (80, 80)
//! 112 └─────────┴─────────┴─────────┴─────────┘
//!   z
//! ```

use marchland_terrain::math::{clamp, greater};

use crate::{Grid, scene};

/// The low corner on both axes. Metres.
pub const LOW: f64 = -16.0;
/// The high corner on both axes. Metres.
pub const HIGH: f64 = 112.0;
/// Samples along each side, a metre apart.
pub const SAMPLES: usize = 129;

/// Corner of the pit with a floor, and its sides. Metres.
pub(super) const PIT: [f64; 4] = [30.0, 76.0, 4.0, 3.0];
/// Corner of the bottomless pit, and its sides: 2 m, on the corner of four sectors.
pub(super) const SHAFT: [f64; 4] = [79.0, 79.0, 2.0, 2.0];

/// The height at a place. Metres.
pub(super) fn height(x: f64, z: f64, seed: u64) -> f64 {
    let rolling = 0.25 * scene::rolling_height(x - LOW, z - LOW, seed);
    // 3 m up over 2 m.
    let bank = 1.5 * clamp(x - 94.0 + 0.1 * (z - 60.0), 0.0, 2.0);
    let bank = if (40.0..100.0).contains(&z) { bank } else { 0.0 };
    // 52 degrees.
    let mound = greater(0.0, 5.0 - 1.3 * ((x + 2.0) * (x + 2.0) + (z - 80.0) * (z - 80.0)).sqrt());
    // Two walls of 58 degrees that meet.
    let (along, across) = ((x - 96.0) + z, (x - 96.0) - z);
    let cut = greater(0.0, 2.5 - 1.13 * across.abs());
    let ravine = if along.abs() < 16.0 { cut } else { 0.0 };
    rolling + bank + mound - ravine
}

/// Heights at the samples, row by row from the low corner. Metres.
pub(super) fn heights(seed: u64) -> Grid<f64> {
    Grid::from_fn(SAMPLES, SAMPLES, |column, row| {
        height(LOW + column as f64, LOW + row as f64, seed)
    })
}

/// Cells that are holes, as 1.
pub(super) fn holes() -> Grid<u8> {
    Grid::from_fn(SAMPLES - 1, SAMPLES - 1, |column, row| {
        let (x, z) = (LOW + column as f64, LOW + row as f64);
        let is_in = |[west, north, wide, long]: [f64; 4]| {
            (west..west + wide).contains(&x) && (north..north + long).contains(&z)
        };
        u8::from(is_in(PIT) || is_in(SHAFT))
    })
}
