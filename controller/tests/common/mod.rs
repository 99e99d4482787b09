//! Small worlds in memory and units on them, shared by the tests.
#![allow(dead_code, unreachable_pub, unused_imports, clippy::unwrap_used)]

pub mod props;

use std::sync::Arc;

use marchland_controller::{
    Batch, Body, BodyBuilder, BodyId, Motion, Report, Spawn, Switches, TickError, TickSettings,
    UnitId, Units, Wish,
};
pub use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData, SurfaceLayer,
    TerrainView, WorldPos, format,
};

pub fn grid(cell: f64, cells: u32) -> Grid {
    Grid::new(cell, cell * f64::from(cells), 1.0 / 256.0).unwrap()
}

/// A sector whose height and cell kinds are asked for in samples and cells of the whole world.
pub fn sector(
    grid: Grid,
    coord: SectorCoord,
    height: &dyn Fn(i64, i64) -> f64,
    kind: &dyn Fn(i64, i64) -> CellKind,
) -> Arc<LoadedSector> {
    painted_sector(grid, coord, height, kind, None)
}

/// The same with a surface for each cell.
pub fn painted_sector(
    grid: Grid,
    coord: SectorCoord,
    height: &dyn Fn(i64, i64) -> f64,
    kind: &dyn Fn(i64, i64) -> CellKind,
    surface: Option<&dyn Fn(i64, i64) -> u8>,
) -> Arc<LoadedSector> {
    let cells = i64::from(grid.cells());
    let (column0, row0) = (i64::from(coord.x) * cells, i64::from(coord.z) * cells);
    let (cell, half) = (f64::from(grid.cell()), f64::from(grid.sector_size().half()));
    let index = |metres: f64| ((metres + half) / cell).round() as i64;
    let data =
        SectorData::from_fn(grid, |x, z| height(column0 + index(x), row0 + index(z))).unwrap();
    let around = -1..=cells;
    let kinds = around
        .clone()
        .flat_map(|row| around.clone().map(move |column| (column, row)))
        .map(|(column, row)| kind(column0 + column, row0 + row));
    let mut data = data.with_kinds(kinds.collect()).unwrap();
    if let Some(surface) = surface {
        let own = (0..cells).flat_map(|row| (0..cells).map(move |column| (column, row)));
        let ids = own.map(|(column, row)| surface(column0 + column, row0 + row)).collect();
        data = data.with_surfaces(SurfaceLayer::PerCell(ids)).unwrap();
    }
    Arc::new(LoadedSector::new(format::encode(coord, &data).bytes).unwrap())
}

/// A square of sectors from `low` to `high`, both ends included.
pub fn world(
    grid: Grid,
    (low, high): (i32, i32),
    height: &dyn Fn(i64, i64) -> f64,
    kind: &dyn Fn(i64, i64) -> CellKind,
) -> ResidentSectors {
    let mut world = ResidentSectors::new(grid);
    for x in low..=high {
        for z in low..=high {
            let coord = SectorCoord::new(x, z);
            world.insert(coord, sector(grid, coord, height, kind)).unwrap();
        }
    }
    world
}

pub fn solid(_: i64, _: i64) -> CellKind {
    CellKind::Solid
}

/// The same sector everywhere; `height` repeats after the sector's cells.
pub fn endless(grid: Grid, height: &dyn Fn(i64, i64) -> f64) -> ResidentSectors {
    let cells = i64::from(grid.cells());
    let repeated = |column: i64, row: i64| height(column.rem_euclid(cells), row.rem_euclid(cells));
    ResidentSectors::endless(sector(grid, SectorCoord::new(0, 0), &repeated, &solid))
}

/// Heights between 0 and 1 without any pattern.
pub fn noise(column: i64, row: i64) -> f64 {
    let mut hash = (column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (row as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    hash = (hash ^ (hash >> 31)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash >> 40) as f64 / 16_777_216.0
}

/// Gentle hills that repeat after 16 cells.
pub fn hills(column: i64, row: i64) -> f64 {
    let wave = |i: i64| {
        let i = i.rem_euclid(16);
        (if i < 8 { i } else { 16 - i }) as f64
    };
    wave(column) * 0.2
        + wave(row + 3) * 0.15
        + noise(column.rem_euclid(16), row.rem_euclid(16)) * 0.3
}

pub fn place(grid: Grid, sector: (i32, i32), local: [f32; 3]) -> WorldPos {
    WorldPos::new(SectorCoord::new(sector.0, sector.1), Vec3::from(local), grid.sector_size())
        .unwrap()
}

pub fn height_at(view: TerrainView<'_>, position: WorldPos) -> Option<f32> {
    match view.ground(position) {
        Ground::Height(height) => Some(height),
        _ => None,
    }
}

/// Units, what they wish, and the batch that moves them.
pub struct Scene {
    pub units: Units,
    pub body: BodyId,
    pub wishes: Vec<Wish>,
    pub batch: Batch,
    pub settings: TickSettings,
    pub switches: Switches<'static>,
}

impl Scene {
    pub fn new(grid: Grid) -> Self {
        Self::with_body(grid, Body::builder())
    }

    pub fn with_body(grid: Grid, body: BodyBuilder) -> Self {
        let mut units = Units::new(grid.sector_size());
        let body = units.add_body(body.build().unwrap()).unwrap();
        Self {
            units,
            body,
            wishes: Vec::new(),
            batch: Batch::new(),
            settings: TickSettings::default(),
            switches: Switches::default(),
        }
    }

    pub fn spawn(
        &mut self,
        position: WorldPos,
        motion: Motion,
        velocity: Vec3,
        wish: Wish,
    ) -> UnitId {
        let spawn = Spawn { position, velocity, motion, body: self.body, mask: u32::MAX };
        let id = self.units.spawn(spawn).unwrap();
        self.wishes.resize(self.units.slots(), Wish::STAND);
        self.wishes[id.slot as usize] = wish;
        id
    }

    /// A walking unit, put on the ground if there is any.
    pub fn walker(&mut self, view: TerrainView<'_>, position: WorldPos, wish: Wish) -> UnitId {
        let mut local = position.local();
        local.y = height_at(view, position).unwrap_or(local.y);
        let on_ground =
            place(view.grid(), (position.sector().x, position.sector().z), local.into());
        self.spawn(on_ground, Motion::Walking, Vec3::ZERO, wish)
    }

    pub fn tick(&mut self, view: TerrainView<'_>) -> &Report {
        self.try_tick(view).unwrap()
    }

    pub fn try_tick(&mut self, view: TerrainView<'_>) -> Result<&Report, TickError> {
        let Self { batch, units, wishes, settings, switches, .. } = self;
        batch.tick_with(switches, view, units, wishes, settings)
    }

    pub fn local(&self, id: UnitId) -> Vec3 {
        self.units.position(id).unwrap().local()
    }

    /// Every unit that is not held is exactly on or above the ground, within its sector and a
    /// number.
    pub fn assert_sound(&self, view: TerrainView<'_>) {
        let half = view.grid().sector_size().half();
        for id in self.units.iter() {
            let position = self.units.position(id).unwrap();
            let (local, velocity) = (position.local(), self.units.velocity(id).unwrap());
            assert!(
                local.is_finite() && velocity.is_finite(),
                "{id:?} at {local} going {velocity}"
            );
            let stored = self.units.locals()[id.slot as usize];
            assert!(-half <= stored.x && stored.x < half && -half <= stored.z && stored.z < half);
            if let Some(height) = height_at(view, position) {
                assert!(local.y >= height, "{id:?} at {local}, ground {height}");
            }
        }
    }
}

/// The units that are held.
pub fn held_units(units: &Units) -> Vec<UnitId> {
    units.iter().filter(|&id| units.is_held(id) == Some(true)).collect()
}

/// The bits of a position within its sector, and of a velocity.
pub fn bits(scene: &Scene, id: UnitId) -> [u32; 6] {
    let (local, velocity) = (scene.local(id), scene.units.velocity(id).unwrap());
    [local.x, local.y, local.z, velocity.x, velocity.y, velocity.z].map(f32::to_bits)
}

/// Sixteen headings, exact along the axes and diagonals.
pub const HEADINGS: [[f32; 2]; 16] = {
    const C: f32 = 0.923_879_5;
    const S: f32 = 0.382_683_43;
    const D: f32 = 0.707_106_77;
    [
        [1.0, 0.0],
        [C, S],
        [D, D],
        [S, C],
        [0.0, 1.0],
        [-S, C],
        [-D, D],
        [-C, S],
        [-1.0, 0.0],
        [-C, -S],
        [-D, -D],
        [-S, -C],
        [0.0, -1.0],
        [S, -C],
        [D, -D],
        [C, -S],
    ]
};
