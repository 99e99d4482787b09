//! Single meshes, beside parry's rays in `f32`.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{PropHit, RayHit, Raycast, SectorCoord};
use parry3d::query::{Ray, RayCast};
use parry3d::shape::{TriMesh, Triangle};

use crate::prop_scene::PropScene;
use crate::scene::Random;

/// Distances from an edge within which parry's `f32` and we may differ. Metres.
const EDGE: f64 = 1e-3;

#[test]
fn props_are_met_where_parry_meets_them() {
    let scene = PropScene::new(SectorCoord::new(0, 0), 99, 30, false);
    let points: Vec<_> =
        scene.triangles.iter().flat_map(|placed| placed.corners.map(DVec3::as_vec3)).collect();
    let indices = (0..scene.triangles.len() as u32).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]);
    let mesh = TriMesh::new(points, indices.collect()).unwrap();
    let mut numbers = Random::from_state(0x5151_1ee7);
    let (mut same, mut near_edges) = (0, 0);
    for cast in 0..20_000 {
        let (place, direction) = scene.ray(&mut numbers);
        let (from, towards) = (scene.metres(place), direction.as_dvec3().normalize());
        let theirs = mesh
            .cast_local_ray_and_get_normal(
                &Ray::new(from.as_vec3(), towards.as_vec3()),
                f32::MAX,
                false,
            )
            .map(|hit| f64::from(hit.time_of_impact));
        // Without ground in the way: what both are asked is the same then.
        let ours = match scene.cast(place, direction, f32::INFINITY, u32::MAX) {
            Raycast::Hit(RayHit { prop: Some(prop), distance, .. }) => {
                Some((f64::from(distance), prop))
            }
            Raycast::Hit(ground) => {
                assert!(
                    theirs.is_none_or(|t| t > f64::from(ground.distance) - EDGE) || {
                        // Only parry met something before the ground.
                        near_edges += 1;
                        is_uncertain(&scene, from, towards, theirs)
                    }
                );
                continue;
            }
            _ => None,
        };
        let agree = match (ours, theirs) {
            (Some((a, _)), Some(b)) => (a - b).abs() < 1e-3 * (1.0 + a * 1e-2),
            (None, None) => true,
            _ => false,
        };
        if agree {
            same += usize::from(ours.is_some());
            continue;
        }
        near_edges += 1;
        let ours_at = ours.map(|(t, _)| t);
        assert!(
            is_uncertain(&scene, from, towards, ours_at)
                || is_uncertain(&scene, from, towards, theirs),
            "cast {cast} from {from} towards {towards}: {ours:?} and {theirs:?}"
        );
    }
    assert!(same > 5000 && near_edges < 2000, "{same} the same, {near_edges} at edges");
}

/// Whether at a distance a ray passes so near to an edge, or so nearly in a face's plane, that `f32`
/// may have it either way.
fn is_uncertain(scene: &PropScene, from: DVec3, towards: DVec3, t: Option<f64>) -> bool {
    let Some(t) = t else { return false };
    let at = from + towards * t;
    scene.triangles.iter().any(|placed| {
        let [a, b, c] = placed.corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let off = normal.dot(at - a).abs();
        let grazing = normal.dot(towards).abs() < 2e-2;
        let to_edge = [(a, b), (b, c), (c, a)]
            .into_iter()
            .map(|(p, q)| {
                let along = (q - p).normalize_or_zero();
                let place = lesser(greater((at - p).dot(along), 0.0), (q - p).length());
                (at - (p + along * place)).length()
            })
            .fold(f64::INFINITY, lesser);
        (grazing && off < 0.05) || to_edge < EDGE * 4.0
    })
}

#[test]
fn a_single_triangle_is_met_as_parry_meets_it() {
    // The two kernels alone, on triangles of a metre and rays that cross them well.
    let mut numbers = Random::from_state(7);
    let scene = PropScene::new(SectorCoord::new(5, -5), 3, 3, false);
    let mut met = 0;
    for _ in 0..3000 {
        let (place, direction) = scene.ray(&mut numbers);
        let from = scene.metres(place).as_vec3();
        let answer = scene.cast(place, direction, f32::INFINITY, u32::MAX);
        let Raycast::Hit(RayHit { prop: Some(prop), distance, .. }) = answer else { continue };
        let same = |other: &PropHit| *other == prop;
        let placed = scene.triangles.iter().find(|placed| same(&placed.prop)).unwrap();
        let [a, b, c] = placed.corners.map(DVec3::as_vec3);
        let towards: Vec3 = direction.normalize();
        let ray = Ray::new(from, towards);
        let Some(t) = Triangle::new(a, b, c).cast_local_ray(&ray, f32::MAX, false) else {
            continue;
        };
        met += 1;
        let slope = f64::from(((b - a).cross(c - a)).normalize_or_zero().dot(towards).abs());
        assert!(f64::from((t - distance).abs()) * slope < 1e-3, "{t} and {distance}");
    }
    assert!(met > 300, "{met}");
}
