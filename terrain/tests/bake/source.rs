//! What is baked is the source, on its grid and off it, from either end and with any threads.

use marchland_terrain::bake::{BakeSettings, CellSource};
use marchland_terrain::math::greater;
use marchland_terrain::{Grid, Ground};
use proptest::prelude::*;

use crate::{
    Heights, Mask, assert_neighbours_agree, height_at, input, mask, rough, settings, try_bake,
};

#[test]
fn every_sample_on_the_grid_is_within_half_a_quantum() {
    let grid = Grid::new(2.0, 16.0, 1.0 / 128.0).unwrap();
    // 8 cells a sector; 21 x 30 samples end inside the third and the fourth sector.
    let heights = Heights::from_fn(21, 30, rough);
    let baked = try_bake(input(&heights), &settings(grid, 2.0)).unwrap();
    assert_eq!(baked.report.sectors, 3 * 4);
    assert!(!baked.report.resampled);
    let resident = baked.resident();
    for row in 0..29 {
        for column in 0..20 {
            let (x, z) = (column as f64 * 2.0 - 8.0, row as f64 * 2.0 - 8.0);
            let Ground::Height(height) = height_at(resident.view(), x, z) else {
                panic!("no ground at {column}, {row}")
            };
            let off = (f64::from(height) - heights.at(column, row)).abs();
            assert!(off <= 0.5 / 128.0, "{off} at {column}, {row}");
        }
    }
    // The last column and row bound the world and are themselves outside.
    assert_eq!(height_at(resident.view(), 20.0 * 2.0 - 8.0, 0.0), Ground::Outside);
    assert_eq!(height_at(resident.view(), 0.0, 29.0 * 2.0 - 8.0), Ground::Outside);
    assert_eq!(height_at(resident.view(), -8.0 - 1e-6, 0.0), Ground::Outside);
}

#[test]
fn neighbours_store_the_same_edges_aprons_and_kinds() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let mut heights = Heights::from_fn(30, 27, rough);
    for (column, row) in [(8, 8), (16, 3), (0, 0), (29, 26), (7, 20)] {
        heights.metres[row * 30 + column] = f64::NAN;
    }
    let mut input = input(&heights);
    input.holes = mask(29, 26, |column, row| u8::from(column == 15 && row > 20))
        .map(|mask| Box::new(mask) as Box<dyn CellSource>);
    let baked = try_bake(input, &settings(grid, 1.0)).unwrap();
    assert_neighbours_agree(&baked);
}

#[test]
fn threads_and_the_end_read_first_change_no_byte() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    for spacing in [1.0, 0.7, 2.3] {
        let mut heights = Heights::from_fn(45, 40, rough);
        heights.metres[13 * 45 + 22] = f64::NAN;
        let mut settings = settings(grid, spacing);
        settings.origin = [-37.0, 11.0];
        settings.surface_names = 4;
        let make = |heights: &Heights| {
            let mut input = input(heights);
            let ids = mask(45, 40, |column, row| ((column / 3 + row / 5) % 4) as u8);
            let holes = mask(44, 39, |column, row| u8::from(column == row));
            let order = heights.order;
            let turned = |mask: Option<Mask>| {
                mask.map(|mask| Box::new(Mask { order, ..mask }) as Box<dyn CellSource>)
            };
            input.surfaces = turned(ids);
            input.holes = turned(holes);
            input
        };
        let once = try_bake(make(&heights), &settings).unwrap();
        assert!(once.files.len() > 9);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| try_bake(make(&heights), &settings)).unwrap();
            assert_eq!(once.files, again.files, "{threads} threads");
        }
        let from_the_south = try_bake(make(&heights.clone().south_first()), &settings).unwrap();
        assert_eq!(once.files, from_the_south.files, "spacing {spacing}");
        assert_eq!(once.report, from_the_south.report);
    }
}

/// The source's surface at a place, by the height rule on its own grid.
fn surface(heights: &Heights, spacing: f64, origin: f64, x: f64, z: f64) -> f64 {
    let (along, down) = ((x - origin) / spacing, (z - origin) / spacing);
    let column = (along as usize).min(heights.columns - 2);
    let row = (down as usize).min(heights.rows - 2);
    let (u, v) = (along - column as f64, down - row as f64);
    let [a, b] = [heights.at(column, row), heights.at(column + 1, row)];
    let [c, e] = [heights.at(column, row + 1), heights.at(column + 1, row + 1)];
    if u >= v { a + (b - a) * u + (e - b) * v } else { a + (c - a) * v + (e - c) * u }
}

#[test]
fn off_the_grid_every_world_sample_lies_on_the_sources_surface() {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    // Coarser, finer and much finer than the cells; origins off the grid.
    for (spacing, origin) in [(3.1, -20.3), (0.9, 5.25), (0.125, 100.0), (2.0, 0.5)] {
        let heights = Heights::from_fn(37, 41, rough);
        let mut settings = settings(grid, spacing);
        settings.origin = [origin, origin];
        let baked = try_bake(input(&heights), &settings).unwrap();
        assert!(baked.report.resampled);
        assert_neighbours_agree(&baked);
        let resident = baked.resident();
        let [columns, rows] = baked.report.samples;
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let x = baked.report.first[0] + column as f64;
                let z = baked.report.first[1] + row as f64;
                let Ground::Height(height) = height_at(resident.view(), x, z) else {
                    panic!("no ground at {x}, {z}")
                };
                let expected = surface(&heights, spacing, origin, x, z);
                let off = (f64::from(height) - expected).abs();
                assert!(off <= 0.5 / 256.0 + 1e-9, "{off} at {x}, {z}, spacing {spacing}");
            }
        }
        // The difference that the report names is the greatest there is.
        let mut greatest = 0.0;
        for row in 0..41 {
            for column in 0..37 {
                let x = origin + column as f64 * spacing;
                let z = origin + row as f64 * spacing;
                if let Ground::Height(height) = height_at(resident.view(), x, z) {
                    let off = (f64::from(height) - heights.at(column, row)).abs();
                    greatest = greater(off, greatest);
                }
            }
        }
        let reported = baked.report.difference.unwrap().greatest;
        // Samples on the world's far border are compared too, and are outside for a query.
        assert!(reported >= greatest - 1e-4, "{reported} < {greatest}, spacing {spacing}");
        assert!(greatest > 0.0 && reported < 60.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_size_at_any_place_bakes_to_the_source(
        columns in 2_usize..40, rows in 2_usize..40, cells_log2 in 0_u32..5,
        offset_x in -30_i32..30, offset_z in -30_i32..30, far in -1_000_000_i32..1_000_000,
    ) {
        let cells = f64::from(1_u32 << cells_log2);
        let cell = if cells_log2 < 3 { 8.0 } else { 1.0 };
        let grid = Grid::new(cell, cells * cell, 1.0 / 256.0).unwrap();
        let heights = Heights::from_fn(columns, rows, rough);
        let half = cells * cell / 2.0;
        let origin = [
            -half + cell * f64::from(offset_x) + f64::from(far) * cells * cell,
            -half + cell * f64::from(offset_z),
        ];
        let settings = BakeSettings { origin, ..settings(grid, cell) };
        let baked = try_bake(input(&heights), &settings).unwrap();
        assert_neighbours_agree(&baked);
        let resident = baked.resident();
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let x = origin[0] + column as f64 * cell;
                let z = origin[1] + row as f64 * cell;
                let Ground::Height(height) = height_at(resident.view(), x, z) else {
                    return Err(TestCaseError::fail(format!("no ground at {column}, {row}")));
                };
                let off = (f64::from(height) - heights.at(column, row)).abs();
                prop_assert!(off <= 0.5 / 256.0);
            }
        }
    }
}
