//! Boxes that are told to be bare, against every triangle of every prop, clipped to them.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::Aabb;
use marchland_terrain::query::{ALL_LAYERS, Cylinder, Region, TriangleId};

use super::brute::{Triangle, all_triangles};
use super::depths::yard;
use super::scene::{Random, Scene, Vectors, block, sheet};

/// How much smaller or larger a box may be for the judge, which rounds otherwise. Metres.
const SLACK: f32 = 1e-4;

/// Turned blocks, small and large, and a sheet.
fn turned(seed: u64) -> Scene {
    let (mut scene, mut random) = (yard(seed), Random::new(seed ^ 99));
    for _ in 0..25 {
        let size = Vec3::splat(random.within(0.2, 2.5));
        let degrees = [0, 1, 2].map(|_| f64::from(random.within(-180.0, 180.0)));
        scene.put(&block(-size, size), random.vector(7.0), degrees);
    }
    scene.put(&sheet(4, 4, &mut random), Vec3::new(1.0, 1.0, -5.0), [20.0, 0.0, 8.0]);
    scene
}

/// What of a triangle lies in a box, side by side cut off (Sutherland and Hodgman, 1974).
fn is_in(triangle: &Triangle, within: &Aabb) -> bool {
    let (min, max) = (within.min.as_dvec3(), within.max.as_dvec3());
    let mut corners = triangle.corners.to_vec();
    for axis in 0..3 {
        for (side, sign) in [(min[axis], 1.0), (max[axis], -1.0)] {
            let depth = |corner: DVec3| (corner[axis] - side) * sign;
            let ends = corners.iter().zip(corners.iter().cycle().skip(1));
            let mut kept = Vec::new();
            for (&from, &to) in ends {
                if depth(from) >= 0.0 {
                    kept.push(from);
                }
                if (depth(from) >= 0.0) != (depth(to) >= 0.0) {
                    kept.push(from + (to - from) * (depth(from) / (depth(from) - depth(to))));
                }
            }
            corners = kept;
            if corners.is_empty() {
                return false;
            }
        }
    }
    true
}

/// Whether a ray that goes up from a place leaves more solid props than it comes into.
fn is_held(props: &[Triangle], place: Vec3) -> bool {
    let lengths = props.iter().filter(|prop| prop.solid).filter_map(|prop| {
        let [a, b, c] = prop.from(place);
        let cross = |u: DVec3, v: DVec3| u.x * v.z - u.z * v.x;
        let parts = [cross(b, c), cross(c, a), cross(a, b)];
        let same = parts.iter().all(|part| *part > 0.0) || parts.iter().all(|part| *part < 0.0);
        let sum: f64 = parts.iter().sum();
        let height = (a.y * parts[0] + b.y * parts[1] + c.y * parts[2]) / sum;
        (same && height > 0.0).then_some(if sum > 0.0 { 1 } else { -1 })
    });
    lengths.sum::<i32>() != 0
}

#[test]
fn a_bare_box_has_no_triangle_and_one_without_is_bare() {
    let mut scratch = Gathered::with_capacity(8192);
    let (mut bare, mut not, mut wider) = (0, 0, 0);
    for seed in 0..8 {
        let (scene, mut random) = (turned(seed), Random::new(seed + 70));
        let mut props = all_triangles(&scene);
        props.retain(|triangle| matches!(triangle.id, TriangleId::Prop { .. }));
        for _ in 0..400 {
            let (middle, half) = (random.vector(8.0), random.vector(0.6).abs() + Vec3::splat(0.01));
            let within = Aabb { min: middle - half, max: middle + half };
            let more = random.within(0.0, 0.5);
            let found = scene.view().bare_around(scene.middle, &within, ALL_LAYERS, more);
            let exactly = scene.view().bare_around(scene.middle, &within, ALL_LAYERS, 0.0);
            assert_eq!(found.is_some(), exactly.is_some(), "{within:?} {more}");
            let region = Region::of_box(scene.middle, &within.grown(more));
            scene.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
            let gathered = scratch.bare_within(scene.view(), scene.middle, &within);
            assert_eq!(gathered.is_some(), found.is_some(), "{within:?} {more}");
            for found in found.into_iter().chain(gathered) {
                bare += 1;
                wider += usize::from(found.max.x > within.max.x + 0.1);
                let small = found.grown(-SLACK);
                assert!(!props.iter().any(|prop| is_in(prop, &small)), "{within:?} {more}");
                assert!(!is_held(&props, middle), "{within:?} is within a prop");
            }
            if found.is_none() {
                not += 1;
                let touches = props.iter().any(|prop| is_in(prop, &within.grown(SLACK)));
                assert!(touches || is_held(&props, middle), "{within:?} is bare");
            }
        }
    }
    assert!(bare > 500 && not > 500 && wider > 100, "{bare} {not} {wider}");
}

#[test]
fn a_box_without_end_upwards_has_all_that_stands_in_it() {
    let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
    scene.put(
        &block(Vec3::new(1.0, 2.0, 1.0), Vec3::new(2.0, 3.0, 2.0)),
        Vec3::ZERO,
        [0.0, 30.0, 0.0],
    );
    let (view, sector) = (scene.view(), scene.middle);
    let column = |x: f32, low: f32, high: f32| Aabb {
        min: Vec3::new(x, low, -6.0),
        max: Vec3::new(x + 7.0, high, 6.0),
    };
    let without_end = [(f32::NEG_INFINITY, f32::INFINITY), (0.0, f32::INFINITY), (-1.0, f32::MAX)];
    for (low, high) in without_end {
        let mut gathered = Gathered::with_capacity(64);
        let region = Region::of_box(sector, &column(-1.0, low, high));
        view.gather(&region, ALL_LAYERS, &mut gathered).unwrap();
        assert_eq!(gathered.len(), 12, "{low} to {high}");
        assert_eq!(view.bare_around(sector, &column(-1.0, low, high), ALL_LAYERS, 0.0), None);
        assert!(view.bare_around(sector, &column(-7.5, low, high), ALL_LAYERS, 0.0).is_some());
    }
}

#[test]
fn a_bare_box_is_never_less_than_what_was_asked_for() {
    let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
    scene.put(&block(Vec3::ZERO, Vec3::ONE), Vec3::new(0.05, 0.5, 0.5), [0.0; 3]);
    let (view, sector) = (scene.view(), scene.middle);
    let bare = |within: &Aabb, more: f32| view.bare_around(sector, within, ALL_LAYERS, more);
    let met = Aabb { min: Vec3::ZERO, max: Vec3::splat(2.0) };
    let beside = Aabb { min: Vec3::splat(-2.0), max: Vec3::ZERO };
    for more in [-0.5, -1e9, f32::NEG_INFINITY, f32::NAN, 0.0] {
        assert_eq!(bare(&met, more), None, "{more}");
        assert_eq!(bare(&beside, more), Some(beside), "{more}");
    }
    // Nor is anything known of what is no box, or more than can be gone over.
    let none = Aabb { min: Vec3::ZERO, max: Vec3::new(-1.0, 1.0, 1.0) };
    let unknown = Aabb { min: Vec3::splat(f32::NAN), max: Vec3::splat(f32::NAN) };
    let wide = Aabb { min: Vec3::new(-30_000.0, 5.0, -2.0), max: Vec3::new(-3.0, 6.0, 2.0) };
    for within in [none, unknown, wide] {
        assert_eq!(bare(&within, 0.0), None, "{within:?}");
    }
}

#[test]
fn a_clone_has_the_room_of_what_it_was_cloned_from() {
    let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
    scene.put(&block(Vec3::ZERO, Vec3::ONE), Vec3::ZERO, [0.0; 3]);
    let region = Region::of_box(scene.middle, &Aabb { min: Vec3::ZERO, max: Vec3::ONE });
    for mut gathered in vec![Gathered::with_capacity(12); 3] {
        scene.view().gather(&region, ALL_LAYERS, &mut gathered).unwrap();
        assert!(!gathered.is_overfull());
        assert_eq!(gathered.clone().len(), 12);
    }
}

#[test]
fn what_was_gathered_along_a_motion_serves_that_motion() {
    let scene = turned(3);
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let (feet, motion) = (scene.at(Vec3::new(-1.0, 0.0, 2.0)), Vec3::new(3.0, 0.5, -4.0));
    let swept = Region::swept(body, feet, motion).unwrap();
    let mut gathered = Gathered::with_capacity(8192);
    scene.view().gather(&swept, ALL_LAYERS, &mut gathered).unwrap();
    assert!(gathered.covers(scene.view(), &swept));
}
