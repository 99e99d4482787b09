//! Boxes that are told to be bare, against every triangle of every prop, clipped to them.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Aabb;
use marchland_terrain::query::{ALL_LAYERS, Gathered, Region, TriangleId};

use super::brute::{Triangle, all_triangles};
use super::depths::yard;
use super::scene::{Random, Scene, block, sheet};

/// How much smaller or larger a box may be for the judge, which rounds otherwise. Metres.
const SLACK: f32 = 1e-4;

/// Turned blocks, small and large, and a sheet.
fn turned(seed: u64) -> Scene {
    let (mut scene, mut random) = (yard(seed), Random::new(seed ^ 99));
    for _ in 0..25 {
        let size = Vec3::splat(random.between(0.2, 2.5));
        let degrees = [0, 1, 2].map(|_| f64::from(random.between(-180.0, 180.0)));
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
            let more = random.between(0.0, 0.5);
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
