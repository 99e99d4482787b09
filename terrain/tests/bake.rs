//! The bake: what comes out is the source, on both sides of every border, however it is read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use marchland_terrain::bake::{
    BakeError, BakeInput, BakeReport, BakeSettings, CellSource, HeightRow, HeightSource, RowOrder,
    SourceError, SourceRect, VoidPolicy, bake,
};
use marchland_terrain::{
    CellKind, Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, TerrainView, WorldPos,
};
use proptest::prelude::*;

/// The row to deliver next, counted from the north.
fn next_row(order: RowOrder, rows: usize, delivered: &mut usize) -> usize {
    *delivered += 1;
    match order {
        RowOrder::NorthFirst => *delivered - 1,
        RowOrder::SouthFirst => rows - *delivered,
    }
}

/// Heights in memory, delivered from either end.
#[derive(Clone)]
struct Heights {
    columns: usize,
    rows: usize,
    metres: Vec<f64>,
    order: RowOrder,
    delivered: usize,
}

impl Heights {
    fn from_fn(columns: usize, rows: usize, height: impl Fn(usize, usize) -> f64) -> Self {
        let metres = (0..columns * rows).map(|at| height(at % columns, at / columns)).collect();
        Self { columns, rows, metres, order: RowOrder::NorthFirst, delivered: 0 }
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.metres[row * self.columns + column]
    }

    fn south_first(mut self) -> Self {
        self.order = RowOrder::SouthFirst;
        self
    }
}

impl HeightSource for Heights {
    fn columns(&self) -> u32 {
        self.columns as u32
    }
    fn rows(&self) -> u32 {
        self.rows as u32
    }
    fn order(&self) -> RowOrder {
        self.order
    }
    fn next_row(&mut self) -> Result<HeightRow<'_>, SourceError> {
        let row = next_row(self.order, self.rows, &mut self.delivered);
        Ok(HeightRow::Metres(&self.metres[row * self.columns..][..self.columns]))
    }
}

struct Mask {
    columns: usize,
    rows: usize,
    values: Vec<u8>,
    order: RowOrder,
    delivered: usize,
}

impl CellSource for Mask {
    fn columns(&self) -> u32 {
        self.columns as u32
    }
    fn rows(&self) -> u32 {
        self.rows as u32
    }
    fn order(&self) -> RowOrder {
        self.order
    }
    fn next_row(&mut self) -> Result<&[u8], SourceError> {
        let row = next_row(self.order, self.rows, &mut self.delivered);
        Ok(&self.values[row * self.columns..][..self.columns])
    }
}

fn mask(columns: usize, rows: usize, value: impl Fn(usize, usize) -> u8) -> Option<Mask> {
    let values = (0..columns * rows).map(|at| value(at % columns, at / columns)).collect();
    Some(Mask { columns, rows, values, order: RowOrder::NorthFirst, delivered: 0 })
}

struct Baked {
    files: BTreeMap<SectorCoord, Vec<u8>>,
    report: BakeReport,
    grid: Grid,
}

impl Baked {
    fn resident(&self) -> ResidentSectors {
        let mut resident = ResidentSectors::new(self.grid);
        for (&coord, bytes) in &self.files {
            resident.insert(coord, Arc::new(LoadedSector::new(bytes.clone()).unwrap())).unwrap();
        }
        resident
    }
}

fn input(heights: &Heights) -> BakeInput {
    BakeInput {
        heights: Box::new(heights.clone()),
        holes: None,
        surfaces: None,
        outside: Vec::new(),
    }
}

fn try_bake(input: BakeInput, settings: &BakeSettings) -> Result<Baked, BakeError> {
    let files = Mutex::new(BTreeMap::new());
    let report = bake(input, settings, &mut |_| {}, &|file| {
        let twice = files.lock().unwrap().insert(file.coord, file.bytes);
        assert!(twice.is_none(), "sector {} came twice", file.coord);
        Ok(())
    })?;
    let files = files.into_inner().unwrap();
    assert_eq!(files.len() as u64, report.sectors);
    Ok(Baked { files, report, grid: settings.grid })
}

fn settings(grid: Grid, spacing: f64) -> BakeSettings {
    BakeSettings {
        grid,
        spacing: [spacing, spacing],
        origin: BakeSettings::default_origin(grid),
        void: VoidPolicy::Hole,
        surface_names: 1,
    }
}

fn rough(column: usize, row: usize) -> f64 {
    let mix = (column * 7919 + row * 104_729) % 1009;
    20.0 * (column as f64 * 0.3).fract() - 0.5 * row as f64 + mix as f64 * 0.037
}

fn height_at(view: TerrainView<'_>, x: f64, z: f64) -> Ground {
    view.ground(WorldPos::from_metres(x, 0.0, z, view.grid().sector_size()).unwrap())
}

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

/// Samples and cell kinds that two neighbours both store, apron included, must be equal.
fn assert_neighbours_agree(baked: &Baked) {
    let cells = baked.grid.cells() as i32;
    for (&coord, bytes) in &baked.files {
        let here = marchland_terrain::format::decode(bytes).unwrap().field();
        for (dx, dz) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let Some(other) = baked.files.get(&coord.offset(dx, dz).unwrap()) else { continue };
            let there = marchland_terrain::format::decode(other).unwrap().field();
            for row in -1..=cells {
                for column in -1..=cells {
                    let (c, r) = (column - dx * cells, row - dz * cells);
                    if (-1..=cells).contains(&c) && (-1..=cells).contains(&r) {
                        let kind = here.cell_kind(column, row);
                        assert_eq!(kind, there.cell_kind(c, r), "cell {column}, {row} of {coord}");
                        if kind == CellKind::Solid {
                            for (right, down) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                                assert_eq!(
                                    here.quanta(column + right, row + down),
                                    there.quanta(c + right, r + down),
                                    "sample {column}+{right}, {row}+{down} of {coord}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
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
                    greatest = if off > greatest { off } else { greatest };
                }
            }
        }
        let reported = baked.report.difference.unwrap().greatest;
        // Samples on the world's far border are compared too, and are outside for a query.
        assert!(reported >= greatest - 1e-4, "{reported} < {greatest}, spacing {spacing}");
        assert!(greatest > 0.0 && reported < 60.0);
    }
}

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

#[test]
fn what_does_not_fit_is_refused_and_named() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let heights = Heights::from_fn(9, 9, |_, _| 0.0);
    let settings = settings(grid, 1.0);
    let mut with_mask = input(&heights);
    with_mask.holes = mask(7, 9, |_, _| 0).map(|mask| Box::new(mask) as Box<dyn CellSource>);
    assert!(matches!(
        try_bake(with_mask, &settings),
        Err(BakeError::MaskSize { columns: 7, cell_columns: 8, sample_rows: 9, .. })
    ));
    let mut with_ids = input(&heights);
    with_ids.surfaces = mask(8, 8, |column, row| 3 * u8::from((column, row) == (5, 6)))
        .map(|mask| Box::new(mask) as Box<dyn CellSource>);
    assert!(matches!(
        try_bake(with_ids, &settings),
        Err(BakeError::SurfaceId { id: 3, column: 5, row: 6, names: 1 })
    ));
    let mut high = heights.clone();
    high.metres[4 * 9 + 2] = 40_000.0;
    assert!(matches!(
        try_bake(input(&high), &settings),
        Err(BakeError::Height { column: 2, row: 4, quantum_needed, .. })
            if quantum_needed == Some(1.0 / 128.0)
    ));
    let line = Heights::from_fn(9, 1, |_, _| 0.0);
    assert!(matches!(try_bake(input(&line), &settings), Err(BakeError::TooFewSamples { .. })));
    let mut tiny = settings.clone();
    tiny.spacing = [0.01, 1.0];
    assert!(matches!(try_bake(input(&heights), &tiny), Err(BakeError::NoWholeCell { .. })));
    let error = bake(input(&heights), &settings, &mut |_| {}, &|_| Err("disk full".into()));
    assert!(matches!(error, Err(BakeError::Sink(error)) if error.to_string() == "disk full"));
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

#[test]
fn a_few_samples_over_a_vast_world_of_small_cells_are_refused_before_any_row_is_read() {
    let heights = Heights::from_fn(2, 3, |_, _| 1.0);
    let input =
        BakeInput { heights: Box::new(heights), holes: None, surfaces: None, outside: Vec::new() };
    let settings = BakeSettings {
        grid: Grid::new(1.0, 256.0, 1.0 / 256.0).unwrap(),
        spacing: [1e9, 1.0],
        origin: [-128.0, -128.0],
        void: VoidPolicy::Hole,
        surface_names: 1,
    };
    let refused = bake(input, &settings, &mut |_| panic!("read"), &|_| panic!("made"));
    let error = refused.unwrap_err();
    assert!(matches!(error, BakeError::Samples { axis: 'x', .. }), "{error}");
    let text = error.to_string();
    let expected = "the world would have 1000000001 samples along x, from source samples 1000000000 m apart \
                    and cells of 1 m, expected at most 4194304";
    assert_eq!(text, expected);
}
