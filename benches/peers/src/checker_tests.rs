//! Compares the checker with shapes computed by hand, with parry's distances, and with the judge.

use marchland_terrain::TerrainView;
use marchland_terrain::math::{greater, lesser};
use marchland_worlds::judge::Judge;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Capsule, TriMesh};

use super::*;
use crate::crowd::starts;
use crate::setup::Order;

/// A wall, 0.3 m thick, begins at 5 m in the lane of the wall.
#[test]
fn a_body_is_as_deep_in_a_wall_as_it_is_near_its_face() {
    let scene = Scene::lanes().unwrap();
    let checker = Checker::new(&scene);
    let [x, _, z] = crate::scene::lane_start(3);
    let radius = f64::from(RADIUS);
    for into in [-0.3, 0.0, 0.03, 0.07, 0.2, 0.39] {
        let depth = checker.penetration([x + 5.0 - radius + into, 0.0, z + 0.01]);
        let expected = greater(into, 0.0);
        let found = greater(depth, 0.0);
        // Props are placed to 2⁻¹⁶ m.
        assert!((found - expected).abs() < 2e-5, "{into} m into the wall: {depth}");
    }
    let within = checker.penetration([x + 5.0 + 0.15, 0.0, z + 0.01]);
    assert!(within > 0.2, "in the middle of the wall: {within}");
}

#[test]
fn a_body_deep_in_a_solid_that_it_does_not_touch_is_found() {
    let scene = Scene::lanes().unwrap();
    let checker = Checker::new(&scene);
    // The level piece behind the ramp is 2 m high: 0.5 m around the axis of a body in it are free.
    let [x, _, z] = crate::scene::lane_start(1);
    assert_eq!(checker.penetration([x + 25.0, 0.1, z]), f64::from(RADIUS));
    let standing = checker.penetration([x + 25.0, 2.0, z]);
    assert!(standing.abs() < 1e-6, "on its top: {standing}");
    assert!(checker.penetration([x + 25.0, 2.3, z]) <= 0.0, "above it");
}

/// Where parry reports a distance between a capsule and a prop, the checker reports the same.
#[test]
fn depths_are_those_of_parry_all_over_the_town() {
    let scene = Scene::town().unwrap();
    let checker = Checker::new(&scene);
    let meshes: Vec<TriMesh> = scene
        .meshes
        .iter()
        .map(|mesh| {
            let vertices = mesh.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
            TriMesh::new(vertices, mesh.triangles.clone()).unwrap()
        })
        .collect();
    let (half, radius) = (HEIGHT / 2.0 - RADIUS, RADIUS);
    let axis = Capsule::new_y(half, 0.001);
    let mut compared = 0;
    for (number, prop) in scene.props.iter().enumerate().step_by(7) {
        let [x, y, z] = prop.place;
        let feet = [x + 0.9, y + 0.1 * (number % 9) as f32, z - 0.013 * (number % 90) as f32];
        let body = Pose::from_translation(Vector::new(feet[0], feet[1] + HEIGHT / 2.0, feet[2]));
        let mut nearest = f32::INFINITY;
        for other in &scene.props {
            let [i, j, k, w] = other.turn;
            let place = Vector::new(other.place[0], other.place[1], other.place[2]);
            if (place - body.translation).length() > 12.0 {
                continue;
            }
            let pose = Pose::from_parts(place, Rotation::from_xyzw(i, j, k, w));
            let away =
                query::distance(&body, &axis, &pose, &meshes[other.mesh]).unwrap().distance + 0.001;
            nearest = lesser(away, nearest);
        }
        // Nearer, it may be inside a solid, which parry's meshes do not detect; farther, the
        // checker reports only that it is free.
        if nearest > 0.01 && nearest < radius {
            let depth = checker.penetration(feet.map(f64::from));
            let is_within = depth == f64::from(radius);
            let expected = f64::from(radius - nearest);
            assert!(is_within || (depth - expected).abs() < 2e-3, "{depth}, parry {expected}");
            compared += usize::from(!is_within);
        }
    }
    assert!(compared > 30, "only {compared} bodies were near a prop");
}

#[test]
fn heights_are_those_of_the_judge_and_nobody_starts_in_anything() {
    let scene = Scene::town().unwrap();
    let checker = Checker::new(&scene);
    let (view, judge): (TerrainView<'_>, _) = (scene.sectors.view(), Judge::new());
    let starts = starts(&scene, &checker, 500, Order::World).unwrap();
    for &[x, y, z] in &starts {
        let under = scene.world_pos([x, y - 0.5, z]).unwrap();
        let depth = judge.below_ground(view, under);
        assert!((depth - 0.5).abs() < 1e-4, "0.5 m below ours is {depth} m below the judge's");
    }
    let faults = checker.faults(&starts);
    assert_eq!((faults.inside, faults.below, faults.deepest), (0, 0, 0.0));
    let sunk: Vec<_> = starts.iter().map(|&[x, y, z]| [x, y - 0.011, z]).collect();
    assert_eq!(checker.faults(&sunk).below, sunk.len());
    assert_eq!(checker.faults(&[[f64::NAN; 3], [1e6, 0.0, 0.0]]).below, 2);
}
