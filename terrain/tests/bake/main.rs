//! The bake: what comes out is the source, on both sides of every border, however it is read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod holes_and_outside;
mod refusals;
mod source;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use marchland_terrain::bake::{
    BakeError, BakeInput, BakeReport, BakeSettings, CellSource, HeightRow, HeightSource, RowOrder,
    SourceError, VoidPolicy, bake,
};
use marchland_terrain::{
    CellKind, Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, TerrainView, WorldPos,
};

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
