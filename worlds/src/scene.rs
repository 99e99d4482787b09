//! Small synthetic grounds for tests and benches: heights in metres at samples, as plain grids,
//! computed with only + − × ÷ and sqrt.

use crate::grid::Grid;
use crate::recipe::noise::{gradient, octaves};

/// Rolling hills, about 40 m from the lowest to the highest, some 200 m wide; walkable everywhere
/// (no steeper than about 30°).
pub fn rolling(columns: usize, rows: usize, spacing: f64, seed: u64) -> Grid<f64> {
    Grid::from_fn(columns, rows, |column, row| {
        rolling_height(column as f64 * spacing, row as f64 * spacing, seed)
    })
}

/// The height of [`rolling`] ground at one place, all in metres.
pub fn rolling_height(x: f64, z: f64, seed: u64) -> f64 {
    20.0 * octaves(seed, x / 200.0, z / 200.0, 3, 0.4)
}

/// A tile that can be repeated endlessly: `cells + 1` samples a side. The last column equals the
/// first and the last row the first, bit for bit, and the seams are as smooth as the inside. Hills
/// about `relief` metres from the lowest to the highest, `waves` of them along a side.
///
/// # Panics
/// If `cells` or `waves` is 0.
pub fn repeating(cells: usize, waves: u32, relief: f64, seed: u64) -> Grid<f64> {
    assert!(cells > 0 && waves > 0, "a tile of {cells} cells and {waves} waves");
    let waves = f64::from(waves);
    Grid::from_fn(cells + 1, cells + 1, |column, row| {
        let u = (column % cells) as f64 / cells as f64;
        let v = (row % cells) as f64 / cells as f64;
        0.45 * relief * (wrapped(seed, u, v, waves) + 0.3 * wrapped(seed + 1, u, v, waves * 2.0))
    })
}

/// Noise on a square that repeats without a seam: four copies of one noise, each faded out towards the edge
/// where the next takes over.
fn wrapped(seed: u64, u: f64, v: f64, waves: f64) -> f64 {
    let copy = |east: f64, south: f64| gradient(seed, (u - east) * waves, (v - south) * waves);
    let (east, south) = (u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v));
    let north_side = copy(0.0, 0.0) * (1.0 - east) + copy(1.0, 0.0) * east;
    let south_side = copy(0.0, 1.0) * (1.0 - east) + copy(1.0, 1.0) * east;
    north_side * (1.0 - south) + south_side * south
}

#[cfg(test)]
mod tests {
    use marchland_terrain::math::{greater, lesser};

    use super::*;

    #[test]
    fn a_repeating_tile_meets_itself_to_the_bit_and_without_a_kink() {
        let tile = repeating(48, 3, 30.0, 5);
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..=48 {
            assert_eq!(tile.at(0, i).to_bits(), tile.at(48, i).to_bits());
            assert_eq!(tile.at(i, 0).to_bits(), tile.at(i, 48).to_bits());
            let (before, after) = (tile.at(48, i) - tile.at(47, i), tile.at(1, i) - tile.at(0, i));
            assert!((before - after).abs() < 1.2, "a kink of {} in row {i}", before - after);
        }
        for height in &tile.values {
            range.0 = lesser(*height, range.0);
            range.1 = greater(*height, range.1);
        }
        assert!(range.1 - range.0 > 8.0 && range.1 - range.0 < 40.0, "{range:?}");
    }

    #[test]
    fn rolling_ground_is_walkable_and_differs_by_seed() {
        let ground = rolling(120, 90, 2.0, 1);
        assert_ne!(ground, rolling(120, 90, 2.0, 2));
        for row in 0..90 {
            for column in 0..119 {
                let rise = ground.at(column + 1, row) - ground.at(column, row);
                assert!(rise.abs() < 2.0 * 0.577, "{rise} at {column}, {row}");
            }
        }
    }
}
