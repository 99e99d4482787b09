//! Props for small worlds.

use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{LiveProp, LiveProps, LoadedMesh, WorldPos};

/// A box of `size` metres that stands on its origin. Closed.
pub fn cuboid(size: [f32; 3]) -> Arc<LoadedMesh> {
    leaning(size, 0.0)
}

/// The same with a roof that rises by `rise` metres along X.
pub fn leaning([x, y, z]: [f32; 3], rise: f32) -> Arc<LoadedMesh> {
    let vertices = (0..8)
        .map(|corner| {
            let at = |axis: i32| (corner >> axis & 1) as f32;
            Vec3::new((at(0) - 0.5) * x, at(1) * (y + at(0) * rise), (at(2) - 0.5) * z)
        })
        .collect();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    assert!(mesh.is_closed());
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

/// Adds a mesh at a place, at rest.
pub fn put(live: &mut LiveProps, mesh: &Arc<LoadedMesh>, at: WorldPos) {
    live.add(LiveProp::new(mesh.clone(), at)).unwrap();
}
