use std::sync::Arc;

use marchland_random::Random;

use super::*;
use crate::format::LoadedSector;
use crate::format::encode;
use crate::grid::Grid;
use crate::math::Rotation;
use crate::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, Placement, PreparedMesh};
use crate::query::{ALL_LAYERS, Gathered};
use crate::resident::ResidentSectors;
use crate::sector::SectorData;

/// Every triangle judged when it comes, whatever is known of the others.
struct Plain<'a, 'w>(ImpactSearch<'a, 'w>);

impl Visit for Plain<'_, '_> {
    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let first = &mut self.0;
        let from_feet = source.origin - first.feet;
        let [a, b, c] = facet.seen_from(from_feet);
        let towards_face = (b - a).cross(c - a).dot(first.motion);
        if !first.solids.meets(source, facet) || (source.solid && towards_face >= 0.0) {
            return;
        }
        let normal = unit_normal([a, b, c]);
        let face = normal.map(|normal| if towards_face > 0.0 { -normal } else { normal });
        let (radius, height) = (f64::from(first.body.radius), f64::from(first.body.height));
        let hit = cylinder::sweep(&[a, b, c], normal, radius, height, first.motion);
        let Some(hit) = hit else { return };
        let Some(way) = first.way_out(source, facet, face, &hit) else { return };
        let triangle = source.triangle(facet.triangle);
        let place = if way.is_true { &mut first.best } else { &mut first.spare };
        let key = (hit.time, triangle);
        if place.as_ref().is_none_or(|known| key < (known.time, known.triangle)) {
            *place = Some(Impact {
                time: hit.time,
                point: way.point.as_vec3(),
                normal: towards(way.normal),
                triangle,
                feature: way.feature,
                face: towards(face.unwrap_or(way.normal)),
                surface: facet.surface,
                velocity: source.moving.at((way.point - from_feet).as_vec3()),
            });
        }
    }
}

fn block(half: Vec3) -> MeshSource {
    let corner = |at: u32| {
        let part = |bit: u32, half: f32| if at & bit == 0 { -half } else { half };
        Vec3::new(part(1, half.x), part(2, half.y), part(4, half.z))
    };
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let halves = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    MeshSource { vertices: (0..8).map(corner).collect(), triangles: halves.collect() }
}

/// Blocks at random over rough ground, some of them flush with others, so that many triangles are met at
/// about the same time and many of them at seams.
#[test]
fn who_waits_to_be_judged_changes_no_impact() {
    let grid = Grid::new(1.0, 32.0, 1.0 / 256.0).unwrap();
    let here = SectorCoord::new(0, 0);
    let rough = |x: f64, z: f64| ((x * 7.0 + z * 3.0) % 2.0) * 0.6;
    let file = encode(here, &SectorData::from_fn(grid, rough).unwrap());
    let mut sectors = ResidentSectors::new(grid);
    sectors.insert(here, Arc::new(LoadedSector::new(file.bytes).unwrap())).unwrap();
    let (size, mut random) = (grid.sector_size(), Random::from_state(0x5eed));
    let (mut hits, mut spares) = (0, 0);
    let mut memory = Gathered::with_capacity(1024);
    for scene in 0..30 {
        let mut live = LiveProps::new(size);
        for at in 0..40 {
            let half = Vec3::new(0.5, random.within(0.2, 1.5), 0.5);
            let (mesh, _) = PreparedMesh::new(&block(half)).unwrap();
            // Half of the scenes on a lattice, where sides lie in one plane.
            let place = Vec3::new(random.within(-3.0, 3.0), half.y, random.within(-3.0, 3.0));
            let (place, degrees) = if scene % 2 == 0 {
                (Vec3::new(place.x.round_ties_even(), place.y, place.z.round_ties_even()), 0.0)
            } else {
                (place, f64::from(at) * 17.0)
            };
            let mesh = Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
            let place = WorldPos::new(here, place, size).unwrap();
            let rotation = Rotation::from_degrees([0.0, degrees, 0.0]);
            let placement = Placement::new(rotation, 1.0).unwrap();
            let prop = LiveProp { placement, ..LiveProp::new(mesh, place) };
            live.add(prop).unwrap();
        }
        let view = sectors.view().with_live(&live);
        for _ in 0..150 {
            let mut part = |most: f32| random.within(-most, most);
            let feet = Vec3::new(part(4.0), 0.7 + part(0.8), part(4.0));
            let motion = Vec3::new(part(3.0), part(0.3), part(3.0));
            let feet = WorldPos::new(here, feet, size).unwrap();
            let body = Cylinder { radius: 0.4 + part(0.2), height: 1.4 + part(0.6) };
            let steeper = if part(1.0) > 0.0 { 0.6 } else { f64::INFINITY };
            let solids = view.solids(ALL_LAYERS).with_props_steeper(steeper);
            let region = Region::of(body, feet, motion);
            let first = ImpactSearch::new(&solids, &region, body, local(feet), motion.as_dvec3());
            let mut plain = Plain(first);
            solids.each(&region, &mut plain).unwrap();
            spares += u32::from(plain.0.spare.is_some());
            let expected = plain.0.earlier();
            hits += u32::from(expected.is_some());
            assert_eq!(solids.sweep_on(body, feet, motion).unwrap(), expected, "{feet:?} {motion}");
            let around = region.around_both(&region, size).grown_by(0.01);
            let gathered = view.gather(&around, ALL_LAYERS, &mut memory).unwrap();
            let gathered = gathered.with_props_steeper(steeper);
            assert!(gathered.is_gathered(&region));
            assert_eq!(
                gathered.sweep_on(body, feet, motion).unwrap(),
                expected,
                "gathered: {feet:?} {motion}"
            );
        }
    }
    assert!(hits > 1000 && spares > 100, "{hits} hits, {spares} stand in for seams");
}
