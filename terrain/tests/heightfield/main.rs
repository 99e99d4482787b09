//! The height rule: one answer everywhere, from whichever side it is asked.
// Helpers of tests may unwrap and panic as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod heights;
mod normals;
mod outside;

use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::{
    CellKind, Grid, Ground, HeightfieldView, LoadedSector, ResidentSectors, SectorCoord,
    SectorData, SectorState, SurfaceId, SurfaceLayer,
};

/// Cell, sector size and quantum in metres, and relief in quanta: from one cell along a sector to
/// many, from gentle ground to cliffs that need 32 bits.
const WORLDS: [(f64, f64, f64, i32); 6] = [
    (8.0, 8.0, 1.0 / 64.0, 500),
    (1.0, 8.0, 1.0 / 256.0, 300),
    (0.0625, 16.0, 1.0 / 1024.0, 9),
    (0.5, 32.0, 1.0 / 512.0, 40_000),
    (32.0, 2048.0, 1.0 / 16.0, 30_000),
    (1024.0, 4096.0, 0.5, 1 << 22),
];

fn mix(seed: u64, a: i32, b: i32) -> u64 {
    let mut hash = seed ^ (u64::from(a as u32) << 32 | u64::from(b as u32));
    for _ in 0..2 {
        hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ (hash >> 29)
}

/// In `[0, 1)`.
fn part(seed: u64, index: i32) -> f64 {
    (mix(seed, index, 1) >> 11) as f64 / (1_u64 << 53) as f64
}

fn rough(relief: i32, seed: u64) -> impl Fn(i32, i32) -> i32 {
    move |column, row| (mix(seed, column, row) % (2 * relief as u64 + 1)) as i32 - relief
}

/// 2 × 2 sectors, (−1, −1) to (0, 0), from samples and cells counted from sector (0, 0)'s low corner.
fn world(
    grid: Grid,
    quanta: impl Fn(i32, i32) -> i32,
    kind: impl Fn(i32, i32) -> CellKind,
) -> ResidentSectors {
    let mut sectors = ResidentSectors::new(grid);
    let cells = grid.cells() as i32;
    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
        let places = |end: i32| {
            (-1..=end).flat_map(move |row| {
                (-1..=end).map(move |column| (x * cells + column, z * cells + row))
            })
        };
        let heights = places(cells + 1).map(|(column, row)| quanta(column, row)).collect();
        let kinds = places(cells).map(|(column, row)| kind(column, row)).collect();
        let surface = SurfaceLayer::Uniform(SurfaceId(0));
        let data = SectorData::new(grid, heights, Some(kinds), surface).unwrap();
        let coord = SectorCoord::new(x, z);
        sectors
            .insert(coord, Arc::new(LoadedSector::new(encode(coord, &data).bytes).unwrap()))
            .unwrap();
    }
    sectors
}

fn solid(_: i32, _: i32) -> CellKind {
    CellKind::Solid
}

fn some_holes(column: i32, row: i32) -> CellKind {
    if mix(40, column, row).is_multiple_of(6) { CellKind::Hole } else { CellKind::Solid }
}

fn field(sectors: &ResidentSectors, x: i32, z: i32) -> HeightfieldView<'_> {
    match sectors.view().sector(SectorCoord::new(x, z)) {
        SectorState::Resident(sector) => sector.field(),
        other => panic!("{other:?}"),
    }
}

fn bits(ground: Ground) -> Option<u32> {
    match ground {
        Ground::Height(height) => Some(height.to_bits()),
        _ => None,
    }
}

/// Along a border: every corner and middle of a cell's side, and places between.
fn along_border(grid: Grid, seed: u64) -> impl Iterator<Item = f32> {
    let (half, cells) = (grid.sector_size().half(), grid.cells() as i32);
    let cell = grid.cell();
    (0..=2 * cells)
        .map(move |step| step as f32 * 0.5 * cell - half)
        .chain((0..4000).map(move |index| (part(seed, index) as f32 * 2.0 - 1.0) * half))
}
