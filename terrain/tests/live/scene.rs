//! Meshes and places for the tests.

use std::sync::Arc;

pub(crate) use marchland_random::Random;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh};
use marchland_terrain::{
    LiveProp, LiveProps, LoadedMesh, PropId, SectorCoord, SectorSize, WorldPos,
};

/// Vectors at random.
pub(crate) trait Vectors {
    /// No longer than `most` along any axis.
    fn vector(&mut self, most: f32) -> Vec3;
}

impl Vectors for Random {
    fn vector(&mut self, most: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.within(-1.0, 1.0))) * most
    }
}

pub(crate) fn size() -> SectorSize {
    SectorSize::new(64.0).unwrap()
}

pub(crate) fn at(sector: SectorCoord, local: Vec3) -> WorldPos {
    WorldPos::new(sector, local, size()).unwrap()
}

pub(crate) fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Arc<LoadedMesh> {
    let source = MeshSource { vertices: vertices.to_vec(), triangles: triangles.to_vec() };
    let (prepared, _) = PreparedMesh::new(&source).unwrap();
    Arc::new(LoadedMesh::new(prepared.encode()).unwrap())
}

/// Two triangles, not centred, so that turning it moves its box.
pub(crate) fn flag() -> Arc<LoadedMesh> {
    let corners = [[0.0, 0.0, 0.0], [0.25, 3.0, 0.0], [2.0, 2.5, 0.5], [-0.5, 1.0, -1.0]];
    mesh(&corners.map(Vec3::from_array), &[[0, 1, 2], [0, 3, 1]])
}

/// A lone triangle far from its origin, of the given reach.
pub(crate) fn spoke(reach: f32) -> Arc<LoadedMesh> {
    mesh(&[Vec3::ZERO, Vec3::X * reach, Vec3::new(reach, 1.0, 0.0)], &[[0, 1, 2]])
}

pub(crate) fn placement(draw: &mut Random) -> Placement {
    let degrees = draw.vector(180.0).to_array().map(f64::from);
    let scale = [0.25, 0.5, 1.0, 1.0, 3.7][draw.below(5) as usize];
    Placement::new(Rotation::from_degrees(degrees), scale).unwrap()
}

/// A prop somewhere within two sectors of one, perhaps moving.
pub(crate) fn prop(draw: &mut Random, mesh: &Arc<LoadedMesh>, around: SectorCoord) -> LiveProp {
    let position = at(around, draw.vector(128.0));
    let mut prop = LiveProp::new(Arc::clone(mesh), position);
    prop.placement = placement(draw);
    if draw.below(3) == 0 {
        prop.linear_velocity = draw.vector(20.0);
    }
    if draw.below(3) == 0 {
        prop.angular_velocity = draw.vector(3.0);
    }
    prop
}

/// A table that has seen many changes; the same for the same seed, but for the sector.
pub(crate) fn busy(seed: u64, around: SectorCoord, steps: u32) -> (LiveProps, Vec<PropId>) {
    let mut draw = Random::from_state(seed);
    let meshes = [flag(), spoke(9.0)];
    let mut live = LiveProps::new(size());
    let mut ids: Vec<PropId> = Vec::new();
    for _ in 0..steps {
        change(&mut draw, &meshes, around, &mut live, &mut ids);
    }
    (live, ids)
}

/// One change of some kind.
pub(crate) fn change(
    draw: &mut Random,
    meshes: &[Arc<LoadedMesh>; 2],
    around: SectorCoord,
    live: &mut LiveProps,
    ids: &mut Vec<PropId>,
) {
    let any = draw.below(ids.len() as u64 + 1) as usize;
    match draw.below(12) {
        0..=5 => {
            let mesh = &meshes[draw.below(2) as usize];
            let one = prop(draw, mesh, around);
            ids.push(live.add(one).unwrap());
        }
        6 | 7 if any < ids.len() => {
            let id = ids.swap_remove(any);
            assert!(live.remove(id).is_some());
            assert!(live.get(id).is_none());
        }
        8 if any < ids.len() => {
            let (position, placement) = (at(around, draw.vector(128.0)), placement(draw));
            live.set_pose(ids[any], position, placement).unwrap();
        }
        9 if any < ids.len() => {
            let still = draw.below(3) == 0;
            let most = if still { 0.0 } else { 5.0 };
            let (linear, angular) = (draw.vector(most), draw.vector(most));
            live.set_velocity(ids[any], linear, angular).unwrap();
        }
        _ => live.advance(1.0 / 60.0).unwrap(),
    }
}

/// Where a prop's vertices are, metres from the centre of `sector`.
pub(crate) fn vertices(live: &LiveProps, id: PropId, sector: SectorCoord) -> Vec<DVec3> {
    let prop = live.get(id).unwrap();
    let (placer, origin) = (prop.placer(), prop.origin_from(sector));
    (0..prop.mesh().triangles())
        .flat_map(|triangle| prop.mesh().triangle(triangle))
        .map(|vertex| origin + placer.place(vertex).as_dvec3())
        .collect()
}

/// The least box around a prop's vertices.
pub(crate) fn exact_box(live: &LiveProps, id: PropId, sector: SectorCoord) -> (DVec3, DVec3) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    vertices(live, id, sector).into_iter().fold(start, |(min, max), p| (min.min(p), max.max(p)))
}
