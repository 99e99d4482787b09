//! Where there is no ground: voids, masks of holes, and cells outside of the world.

use marchland_terrain::bake::{BakeSettings, CellSource, SourceRect};
use marchland_terrain::{Grid, Ground, SectorCoord, WorldPos};

use crate::{Heights, assert_neighbours_agree, height_at, input, mask, rough, settings, try_bake};

#[test]
fn voids_and_masks_make_holes_and_surfaces_keep_their_cells() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let mut heights = Heights::from_fn(17, 17, |_, _| 2.0);
    heights.metres[5 * 17 + 8] = f64::NAN; // on the border of two sectors
    let mut bake_input = input(&heights);
    bake_input.holes = mask(17, 17, |column, row| 255 * u8::from((column, row) == (2, 3)))
        .map(|mask| Box::new(mask) as Box<dyn CellSource>);
    bake_input.surfaces = mask(16, 16, |column, _| u8::from(column >= 4))
        .map(|mask| Box::new(mask) as Box<dyn CellSource>);
    let settings = BakeSettings { surface_names: 2, ..settings(grid, 1.0) };
    let baked = try_bake(bake_input, &settings).unwrap();
    let resident = baked.resident();
    for row in 0..16 {
        for column in 0..16 {
            let (x, z) = (f64::from(column) - 3.5, f64::from(row) - 3.5);
            let around_void = (7..=8).contains(&column) && (4..=5).contains(&row);
            let expected = if around_void || (column, row) == (2, 3) {
                Ground::Hole
            } else {
                Ground::Height(2.0)
            };
            assert_eq!(height_at(resident.view(), x, z), expected, "cell {column}, {row}");
            if let Ground::Height(_) = expected {
                let size = grid.sector_size();
                let place = WorldPos::from_metres(x, 0.0, z, size).unwrap();
                let surface = resident.view().surface(place).unwrap();
                assert_eq!(surface.0, u8::from(column >= 4), "cell {column}, {row}");
            }
        }
    }
}

#[test]
fn a_void_that_is_resampled_takes_no_more_than_the_cells_around_it() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    // Every second world sample is a source sample: each source cell is 2 x 2 cells of the world,
    // and its border runs along grid lines that the cell across still gives a height.
    let mut heights = Heights::from_fn(13, 13, rough);
    heights.metres[5 * 13 + 7] = f64::NAN;
    for heights in [heights.clone(), heights.south_first()] {
        let baked = try_bake(input(&heights), &settings(grid, 2.0)).unwrap();
        assert!(baked.report.resampled);
        let resident = baked.resident();
        for row in 0..24 {
            for column in 0..24 {
                let (x, z) = (f64::from(column) - 3.5, f64::from(row) - 3.5);
                let is_hole = height_at(resident.view(), x, z) == Ground::Hole;
                let around_void = (6..=7).contains(&(column / 2)) && (4..=5).contains(&(row / 2));
                assert_eq!(is_hole, around_void, "cell {column}, {row}, {:?}", heights.order);
            }
        }
    }
}

#[test]
fn cells_said_to_be_outside_are_no_part_of_the_world() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let rect = SourceRect { column0: 9, row0: 3, column1: 20, row1: 24 };
    // At 2.3 m there are cells whose middle is in the world and a corner is not.
    for spacing in [1.0, 1.5, 2.3] {
        let mut heights = Heights::from_fn(33, 33, rough);
        for row in rect.row0 + 1..rect.row1 {
            for column in rect.column0 + 1..rect.column1 {
                heights.metres[(row * 33 + column) as usize] = f64::NAN;
            }
        }
        let mut bake_input = input(&heights);
        bake_input.outside = vec![rect];
        let baked = try_bake(bake_input, &settings(grid, spacing)).unwrap();
        assert_neighbours_agree(&baked);
        let resident = baked.resident();
        let mut outside = 0;
        for row in 0..32_u32 {
            for column in 0..32_u32 {
                let x = (f64::from(column) + 0.5) * spacing - 4.0;
                let z = (f64::from(row) + 0.5) * spacing - 4.0;
                let ground = height_at(resident.view(), x, z);
                if rect.contains(column, row) {
                    assert_eq!(ground, Ground::Outside, "cell {column}, {row}");
                    outside += 1;
                } else {
                    assert_ne!(ground, Ground::Hole, "cell {column}, {row}");
                }
            }
        }
        assert_eq!(outside, 11 * 21);
        // A cell with a corner in there has no ground either, and is not taken for a hole.
        let inside = |metres: f64, low: u32, high: u32| {
            let along = (metres + 4.0) / spacing;
            f64::from(low) < along && along < f64::from(high)
        };
        let [columns, rows] = baked.report.samples;
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let x = baked.report.first[0] + column as f64;
                let z = baked.report.first[1] + row as f64;
                let beside =
                    |x, z| inside(x, rect.column0, rect.column1) && inside(z, rect.row0, rect.row1);
                let corner = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
                    .into_iter()
                    .any(|(dx, dz)| beside(x + dx, z + dz));
                let ground = height_at(resident.view(), x + 0.5, z + 0.5);
                assert_ne!(ground, Ground::Hole, "at {x}, {z}");
                if corner {
                    assert_eq!(ground, Ground::Outside, "at {x}, {z}, spacing {spacing}");
                }
            }
        }
    }
}

#[test]
fn a_sector_that_is_wholly_outside_is_not_written() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    // Sectors along a side of 32 cells, each of 8: one of them and more, then the same less a column.
    let over = SourceRect { column0: 7, row0: 15, column1: 17, row1: 25 };
    let short = SourceRect { column0: 9, ..over };
    for (rect, is_written) in [(over, false), (short, true)] {
        let heights = Heights::from_fn(33, 33, rough);
        let mut bake_input = input(&heights);
        bake_input.outside = vec![rect];
        let baked = try_bake(bake_input, &settings(grid, 1.0)).unwrap();
        let here = baked.files.contains_key(&SectorCoord::new(1, 2));
        assert_eq!((here, baked.files.len()), (is_written, 15 + usize::from(is_written)));
        assert_neighbours_agree(&baked);
    }
}
