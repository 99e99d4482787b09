//! Props in a sector's file: whole or refused, the same for any order, and found from any place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod forged;
mod read_back;
mod refusals;

use std::sync::Arc;

use marchland_terrain::error::SectorError;
use marchland_terrain::format::{EncodedSector, MeshUse, encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh};
use marchland_terrain::{
    Collision, Grid, LoadedMesh, LoadedSector, PropRecord, SectorCoord, SectorData, SurfaceId,
};

const HOME: SectorCoord = SectorCoord::new(-3, 70_000);

/// A tent: two slopes, open below. Not around its origin.
fn tent(height: f32) -> Arc<LoadedMesh> {
    let vertices =
        [[0.5, 0.0], [2.5, 0.0], [2.5, 3.0], [0.5, 3.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let ridge = [Vec3::new(1.5, height, 0.0), Vec3::new(1.5, height, 3.0)];
    let source = MeshSource {
        vertices: vertices.into_iter().chain(ridge).collect(),
        triangles: vec![[0, 3, 5], [0, 5, 4], [1, 4, 5], [1, 5, 2]],
    };
    let (mesh, _) = PreparedMesh::new(&source).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

/// A closed box of one metre around its origin.
fn crate_mesh() -> Arc<LoadedMesh> {
    let vertices = (0..8)
        .map(|corner| {
            Vec3::new((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32) - 0.5
        })
        .collect();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

fn use_of(mesh: &LoadedMesh) -> MeshUse {
    MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() }
}

fn meshes() -> Vec<Arc<LoadedMesh>> {
    vec![tent(1.0), crate_mesh(), tent(2.25)]
}

fn uses() -> Vec<MeshUse> {
    meshes().iter().map(|mesh| use_of(mesh)).collect()
}

fn grid() -> Grid {
    Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap()
}

fn base() -> Vec<u8> {
    encode(HOME, &SectorData::from_fn(grid(), |x, z| 0.1 * x - 0.2 * z).unwrap()).bytes
}

/// Props of this sector and of others, none with the number of another of its sector.
fn props() -> Vec<PropRecord> {
    let record = |number: u32| PropRecord {
        sector: HOME.offset(i32::from(number % 4 == 3), -i32::from(number % 5 == 4)).unwrap(),
        index: 1000 - number,
        mesh: if number.is_multiple_of(3) { 2 } else { 0 },
        position: Vec3::new(number as f32 * 0.5 - 4.0, 3.25, 1.0 / 65_536.0 - number as f32 * 0.25),
        placement: Placement::new(
            Rotation::from_degrees([0.0, f64::from(number) * 31.0, 4.0]),
            1.0 + number as f32 * 0.125,
        )
        .unwrap(),
        surface: SurfaceId(number as u8),
        collision: Collision::Soup,
        layers: 1 << number,
    };
    (0..13).map(record).collect()
}

fn file() -> EncodedSector {
    with_props(&base(), &props(), &uses()).unwrap()
}

fn load(bytes: Vec<u8>) -> Result<LoadedSector, SectorError> {
    let meshes = meshes();
    let find = |hash| meshes.iter().find(|mesh| mesh.hash() == hash).cloned();
    LoadedSector::with_meshes(bytes, &mut { find })
}
