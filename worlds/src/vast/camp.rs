//! A camp: a tower, cottages around it, oaks and boulders around those. All of it lies well within
//! one sector, so that no other sector needs to list it.

use marchland_terrain::SectorCoord;
use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshError, PreparedMesh};

use crate::demo_props::Kind;
use crate::recipe::noise::fraction;
use crate::shapes::{prepared, solid};

/// The parts of a camp: how many of each, the least and the greatest distance from the middle in
/// metres, and the index of its surface in [`SURFACE_NAMES`](super::SURFACE_NAMES).
const RINGS: [(Kind, u32, [f64; 2], u8); 4] = [
    (Kind::Tower, 1, [0.0, 0.0], 3),
    (Kind::Cottage, 8, [24.0, 44.0], 3),
    (Kind::Oak, 24, [50.0, 100.0], 1),
    (Kind::Boulder, 8, [60.0, 110.0], 2),
];

pub(super) fn meshes() -> Result<Vec<PreparedMesh>, MeshError> {
    prepared(RINGS.map(|(kind, ..)| kind.source()))
}

/// The props of a sector of this side, metres.
pub(super) fn props(coord: SectorCoord, side: f64, seed: u64) -> Vec<PropSource> {
    let middle = [f64::from(coord.x) * side, f64::from(coord.z) * side];
    let seed = seed.wrapping_add((coord.x as u64) << 32 ^ coord.z as u64);
    let mut props = Vec::new();
    for (mesh, (kind, count, [near, far], surface)) in RINGS.into_iter().enumerate() {
        for number in 0..count {
            let random = |of| fraction(seed, i64::from(number) * 4 + of, mesh as i64);
            let turn = (f64::from(number) + 0.7 * random(0)) / f64::from(count);
            let angle = turn * std::f64::consts::TAU;
            let away = near + (far - near) * random(1);
            let [x, z] = middle;
            props.push(PropSource {
                kind: solid(mesh, surface),
                name: format!("{} {number} of camp {coord}", kind.name()),
                position: [x + away * libm::cos(angle), z + away * libm::sin(angle)],
                height: PropHeight::AboveGround(-0.3),
                rotation: Rotation::from_degrees([0.0, 360.0 * random(2), 0.0]),
                scale: 1.0,
            });
        }
    }
    props
}
