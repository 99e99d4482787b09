//! A wide world of small sectors in files: rolling hills with crates and pillars on them, for tests of
//! streaming.

use std::sync::Arc;

use marchland_terrain::bake::props::{Amount, PropInput, PropKind, Scatter};
use marchland_terrain::bake::{BakeInput, VoidPolicy, bake_with_props};
use marchland_terrain::props::PreparedMesh;
use marchland_terrain::store::{BakeRecord, Storage, WorldFacts, WorldWriter};
use marchland_terrain::{Collision, Grid, SurfaceId};
use marchland_worlds::source::Heights;
use marchland_worlds::terrain::{bake_settings, grid_of};
use marchland_worlds::{scene, shapes};

/// Cells of a metre along a sector.
const CELLS: u32 = 32;
/// Crates in a hectare; there are as many pillars.
const PER_HECTARE: f64 = 40.0;

/// The grid of the wide world: sectors of 32 m.
pub(crate) fn grid() -> Grid {
    grid_of(1.0, CELLS).unwrap()
}

/// Bakes a square of `sectors_along` × `sectors_along` sectors into a folder, sector (0, 0) at its low
/// corner. Each seed gives different hills.
pub(crate) fn bake(storage: Arc<dyn Storage>, sectors_along: u32, seed: u64) {
    let (grid, samples) = (grid(), (sectors_along * CELLS + 1) as usize);
    let input = BakeInput {
        heights: Box::new(Heights::new(scene::rolling(samples, samples, 1.0, seed))),
        holes: None,
        surfaces: None,
        outside: Vec::new(),
    };
    let settings = bake_settings(grid, 1.0, VoidPolicy::Error);
    let props = props(seed);
    let writer = WorldWriter::begin_on(storage).unwrap();
    bake_with_props(input, &settings, &props, &mut |_| {}, &writer).unwrap();
    let facts = WorldFacts { grid, surface_names: vec!["ground".to_owned()] };
    let record = BakeRecord { bake_version: 1, sources: Vec::new(), settings: format!("{seed}") };
    writer.finish(&facts, &record).unwrap();
}

fn props(seed: u64) -> PropInput {
    let shapes = [shapes::crate_box(1.2, 1.0, 1.5), shapes::pillar(0.4, 3.0, 8)];
    let meshes: Vec<_> = shapes.iter().map(|shape| PreparedMesh::new(shape).unwrap().0).collect();
    let scatters = (0..meshes.len()).map(|mesh| scatter(mesh, seed)).collect();
    PropInput { meshes, props: Vec::new(), scatters }
}

fn scatter(mesh: usize, seed: u64) -> Scatter {
    Scatter {
        kind: PropKind { mesh, surface: SurfaceId(0), collision: Collision::Solid, layers: 1 },
        name: format!("scatter {mesh}"),
        seed: seed + mesh as u64,
        amount: Amount::PerHectare(PER_HECTARE),
        slope: [0.0, 1.0],
        height: [-1e3, 1e3],
        on: Vec::new(),
        area: None,
        sink: 0.2,
        random_yaw: true,
        scale: [0.8, 1.4],
    }
}
