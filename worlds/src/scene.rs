//! Small synthetic grounds for tests and benches: heights in metres at samples, as plain grids,
//! computed with only + − × ÷ and sqrt.

use crate::grid::Grid;
use crate::recipe::noise::{gradient, octaves};

/// Level ground at `height` metres.
pub fn level(columns: usize, rows: usize, height: f64) -> Grid<f64> {
    Grid::filled(columns, rows, height)
}

/// A plane: `height` metres at the first sample, rising by `slope_east` and `slope_south` (rise over
/// run) over samples `spacing` metres apart.
pub fn plane(
    columns: usize,
    rows: usize,
    spacing: f64,
    height: f64,
    slope_east: f64,
    slope_south: f64,
) -> Grid<f64> {
    Grid::from_fn(columns, rows, |column, row| {
        let (x, z) = (column as f64 * spacing, row as f64 * spacing);
        height + slope_east * x + slope_south * z
    })
}

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

/// Steps that climb eastwards: flat treads of `tread_columns` cells, each `rise` metres above the previous
/// tread and joined to it by one cell.
pub fn staircase(columns: usize, rows: usize, tread_columns: usize, rise: f64) -> Grid<f64> {
    Grid::from_fn(columns, rows, |column, _| rise * (column / (tread_columns + 1)) as f64)
}

/// Two levels with a wall between them: 0 m before `wall_column`, `rise` metres from it on, so that
/// the cells just west of that column are the wall.
pub fn cliff(columns: usize, rows: usize, wall_column: usize, rise: f64) -> Grid<f64> {
    Grid::from_fn(columns, rows, |column, _| if column < wall_column { 0.0 } else { rise })
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
            range.0 = if *height < range.0 { *height } else { range.0 };
            range.1 = if *height > range.1 { *height } else { range.1 };
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

    #[test]
    fn stairs_cliffs_and_planes_are_where_they_should_be() {
        let stairs = staircase(9, 2, 3, 0.5);
        assert_eq!(stairs.values[..9], [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 1.0]);
        let wall = cliff(5, 2, 3, 7.0);
        assert_eq!(wall.values[..5], [0.0, 0.0, 0.0, 7.0, 7.0]);
        let plane = plane(4, 3, 2.0, 1.0, 0.25, -0.5);
        assert_eq!(plane.at(3, 2), 1.0 + 1.5 - 2.0);
        assert_eq!(level(3, 2, 4.0).values, [4.0; 6]);
    }
}
