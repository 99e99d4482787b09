//! Where props come to stand: what is placed, where, and which sectors know it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod one_by_one;
mod refusals;
mod scattering;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use marchland_terrain::bake::props::{
    Amount, PropHeight, PropInput, PropKind, PropSource, Scatter,
};
use marchland_terrain::bake::{PlaceError, Placements, place};
use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{
    CellKind, Collision, Grid, LoadedSector, PropRecord, SectorCoord, SectorData, SurfaceId,
};

/// Sectors of 32 m in cells of 2 m.
fn grid() -> Grid {
    Grid::new(2.0, 32.0, 1.0 / 128.0).unwrap()
}

/// A world in memory that counts how often it is asked.
struct Ground {
    files: Vec<EncodedSector>,
    sectors: BTreeMap<SectorCoord, Arc<LoadedSector>>,
    asked: AtomicUsize,
}

impl Ground {
    /// `columns` × `rows` sectors from (−2, −1) on.
    fn new(columns: i32, rows: i32, make: impl Fn(SectorCoord) -> SectorData) -> Self {
        let coords = (0..rows).flat_map(|z| (0..columns).map(move |x| (x - 2, z - 1)));
        let coords = coords.map(|(x, z)| SectorCoord::new(x, z));
        let files: Vec<_> = coords.map(|coord| encode(coord, &make(coord))).collect();
        let load = |file: &EncodedSector| {
            (file.coord, Arc::new(LoadedSector::new(file.bytes.clone()).unwrap()))
        };
        let sectors = files.iter().map(load).collect();
        Self { files, sectors, asked: AtomicUsize::new(0) }
    }

    /// Rises 0.25 m a metre along X and nothing along Z; flat at 9 m from the world's X of 40 m on.
    fn ramp(columns: i32, rows: i32) -> Self {
        Self::new(columns, rows, |coord| {
            let west = f64::from(coord.x) * 32.0;
            let height = move |x: f64, _: f64| {
                let x = west + x;
                if x < 40.0 { x * 0.25 - 1.0 } else { 9.0 }
            };
            SectorData::from_fn(grid(), height).unwrap()
        })
    }

    fn coords(&self) -> Vec<SectorCoord> {
        self.sectors.keys().copied().collect()
    }

    fn place(&self, input: &PropInput) -> Result<Placements, PlaceError> {
        self.place_from(&self.coords(), input)
    }

    fn place_from(
        &self,
        coords: &[SectorCoord],
        input: &PropInput,
    ) -> Result<Placements, PlaceError> {
        place(grid(), coords, input, &|coord| {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::clone(self.sectors.get(&coord).ok_or("no such sector")?))
        })
    }

    fn height(&self, x: f64, z: f64) -> f32 {
        let coord = owner(x, z);
        let local = |metres: f64, sector: i32| (metres - f64::from(sector) * 32.0) as f32;
        let ground = self.sectors[&coord].view().field();
        match ground.ground(local(x, coord.x), local(z, coord.z)) {
            marchland_terrain::Ground::Height(height) => height,
            other => panic!("{other:?} at {x}, {z}"),
        }
    }
}

fn owner(x: f64, z: f64) -> SectorCoord {
    let sector = |metres: f64| (metres / 32.0 + 0.5).floor() as i32;
    SectorCoord::new(sector(x), sector(z))
}

/// A tetrahedron in a box of these sides, its origin in the middle of the floor.
fn mesh(width: f32, height: f32) -> PreparedMesh {
    let half = width * 0.5;
    let vertices = vec![
        Vec3::new(-half, 0.0, -half),
        Vec3::new(half, 0.0, -half),
        Vec3::new(0.0, 0.0, half),
        Vec3::new(0.0, height, 0.0),
    ];
    let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap().0
}

fn kind() -> PropKind {
    PropKind { mesh: 0, surface: SurfaceId(3), collision: Collision::Soup, layers: 5 }
}

fn prop(x: f64, z: f64, height: PropHeight) -> PropSource {
    PropSource {
        kind: kind(),
        name: format!("prop at {x}, {z}"),
        position: [x, z],
        height,
        rotation: Rotation::IDENTITY,
        scale: 1.0,
    }
}

fn rule(amount: Amount) -> Scatter {
    Scatter {
        kind: kind(),
        name: "the rule".into(),
        seed: 11,
        amount,
        slope: [0.0, f64::INFINITY],
        height: [f64::NEG_INFINITY, f64::INFINITY],
        on: Vec::new(),
        area: None,
        sink: 0.0,
        random_yaw: true,
        scale: [0.5, 1.75],
    }
}

fn input(props: Vec<PropSource>, scatters: Vec<Scatter>) -> PropInput {
    PropInput { meshes: vec![mesh(1.5, 2.0)], props, scatters }
}

/// Metres of every prop from the centre of sector (0, 0).
fn places(placements: &Placements) -> Vec<[f64; 3]> {
    let place = |prop: &PropRecord| {
        let [x, y, z] = prop.position.to_array().map(f64::from);
        [f64::from(prop.sector.x) * 32.0 + x, y, f64::from(prop.sector.z) * 32.0 + z]
    };
    placements.props().iter().map(place).collect()
}

/// A world whose sector (0, 0) has a hole in its cell (8, 8), at 0 to 2 m, ends within the sector
/// east of it, and has no ground at all in the one west of it.
fn broken() -> Ground {
    Ground::new(5, 3, |coord| {
        let along = grid().cells() as usize + 2;
        let mut kinds = vec![CellKind::Solid; along * along];
        for (index, kind) in kinds.iter_mut().enumerate() {
            let (column, row) = (index % along, index / along);
            *kind = match coord.x {
                -1 => CellKind::Hole,
                0 if (column, row) == (9, 9) => CellKind::Hole,
                1 if column > 5 => CellKind::Outside,
                2 => CellKind::Outside,
                _ => CellKind::Solid,
            };
        }
        SectorData::from_fn(grid(), |_, _| 1.0).unwrap().with_kinds(kinds).unwrap()
    })
}
