//! parry3d: a height field, queried by a vertical ray or by the cell under a point.

use marchland_terrain::props::MeshSource;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{Ray, RayCast};
use parry3d::shape::{HeightField, HeightFieldCellStatus, SharedShape, TriMesh};
use parry3d::utils::Array2;

use super::Contender;
use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use crate::memory::Meter;
use crate::scene::{Ground, Prop, Scene};
use crate::setup::Failure;

/// The ground with the same diagonals.
pub(crate) fn height_field(ground: &Ground) -> HeightField {
    let samples = ground.samples;
    let mut heights = Array2::zeros(samples, samples);
    for (row, column) in every(samples) {
        heights[(row, column)] = ground.sample(column, row);
    }
    let side = 2.0 * ground.half() as f32;
    let mut field = HeightField::new(heights, Vector::new(side, 1.0, side));
    for (row, column) in every(samples - 1) {
        field.set_cell_status(row, column, HeightFieldCellStatus::ZIGZAG_SUBDIVISION);
    }
    field
}

fn every(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |row| (0..count).map(move |column| (row, column)))
}

/// A triangle mesh.
pub(super) fn triangle_mesh(mesh: &MeshSource) -> Result<SharedShape, Failure> {
    Ok(SharedShape::new(TriMesh::new(mesh.vertices.clone(), mesh.triangles.clone())?))
}

/// The pose of a prop.
pub(super) fn pose(prop: &Prop) -> Pose {
    let ([x, y, z], [i, j, k, w]) = (prop.place, prop.turn);
    Pose::from_parts(Vector::new(x, y, z), Rotation::from_xyzw(i, j, k, w))
}

/// Heap bytes of the ground, of the meshes, and of the props as a user of parry alone would store them:
/// a pose and a shared shape for each, and a tree over all of them.
pub(crate) fn bytes(scene: &Scene) -> Result<[i64; 3], Failure> {
    let mut meter = Meter::of_heap();
    let ground = SharedShape::new(height_field(&scene.ground));
    let ground_bytes = meter.lap();
    let meshes = scene.meshes.iter().map(triangle_mesh).collect::<Result<Vec<_>, Failure>>()?;
    let mesh_bytes = meter.lap();
    let mut parts = Vec::with_capacity(1 + scene.props.len());
    parts.push((Pose::identity(), ground));
    parts.extend(scene.props.iter().map(|prop| (pose(prop), meshes[prop.mesh].clone())));
    let boxes = parts.iter().map(|(pose, shape)| shape.compute_aabb(pose)).enumerate();
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
    let bytes = [ground_bytes, mesh_bytes, meter.lap()];
    drop((parts, tree));
    Ok(bytes)
}

/// Followers that cast a ray.
pub(crate) fn by_ray(ground: &Ground, starts: &[[f64; 3]]) -> Box<dyn Contender> {
    let field = height_field(ground);
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        let ray = Ray::new(Vector::new(x, top, z), Vector::NEG_Y);
        field.cast_local_ray(&ray, RAY_LONG, true).map(|along| top - along)
    };
    Box::new(Followers::new("parry 0.31, ray", starts, height))
}

/// Followers that look up the cell and stand on its triangle.
pub(crate) fn by_cell(ground: &Ground, starts: &[[f64; 3]]) -> Box<dyn Contender> {
    let field = height_field(ground);
    let height = move |[x, _, z]: [f32; 3]| {
        let (row, column) = field.cell_at_point(Vector::new(x, 0.0, z))?;
        let (south_west, north_east) = field.triangles_at(row, column);
        // South-west of the diagonal or north-east of it.
        let corner = south_west?.a;
        let triangle = if x - corner.x >= z - corner.z { north_east } else { south_west }?;
        let (a, normal) = (triangle.a, (triangle.b - triangle.a).cross(triangle.c - triangle.a));
        Some(a.y - ((x - a.x) * normal.x + (z - a.z) * normal.z) / normal.y)
    };
    Box::new(Followers::new("parry 0.31, cell and triangle", starts, height))
}
