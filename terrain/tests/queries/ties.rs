//! Of several answers that are equally right, the one that is promised; and what comes with an answer.

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, MeshSource};
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Feature, SupportBy, Sweep};
use marchland_terrain::{PropId, SectorCoord};

use super::scene::{Scene, block, loaded};

const BODY: Cylinder = Cylinder { radius: 0.4, height: 1.8 };

/// Unit cubes on their floors, one in the other.
fn twins(count: usize) -> (Scene, Vec<PropId>) {
    let mut scene = Scene::without_ground(SectorCoord::new(1, 2));
    let cube = block(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0));
    let ids = (0..count).map(|_| scene.put(&cube, Vec3::ZERO, [0.0; 3])).collect();
    (scene, ids)
}

#[test]
fn of_equals_the_first_prop_answers() {
    let (scene, ids) = twins(5);
    let solids = scene.view().solids(ALL_LAYERS);
    let above = scene.at(Vec3::new(0.25, 2.5, 0.125));
    let found = solids.support(BODY, above, -1.0, 1.0, SupportBy::All).unwrap().unwrap();
    assert_eq!(found.triangle.prop(), Some(ids[0]));
    let Sweep::Hit(hit) = solids.sweep(BODY, above, Vec3::NEG_Y).unwrap() else { panic!("fell") };
    assert_eq!(hit.triangle.prop(), Some(ids[0]));
    let below = scene.at(Vec3::new(0.25, -2.5, 0.125));
    let found = solids.ceiling(BODY, below, 4.0).unwrap().unwrap();
    assert_eq!((found.triangle.prop(), found.clearance), (Some(ids[0]), 2.5));
}

#[test]
fn of_two_tops_of_one_height_the_first_prop_supports() {
    for side in [1.0, -1.0] {
        let mut scene = Scene::without_ground(SectorCoord::new(1, 2));
        let post = block(Vec3::new(-0.125, 0.0, -0.125), Vec3::new(0.125, 1.0, 0.125));
        let first = scene.put(&post, Vec3::X * 0.25 * side, [0.0; 3]);
        scene.put(&post, Vec3::X * -0.25 * side, [0.0; 3]);
        let (solids, at) = (scene.view().solids(ALL_LAYERS), scene.at(Vec3::Y));
        let found = solids.support(BODY, at, -1.0, 1.0, SupportBy::All).unwrap().unwrap();
        assert_eq!(found.triangle.prop(), Some(first));
        assert!(found.point.x * side > 0.0, "{found:?}");
    }
}

#[test]
fn beside_an_edge_the_most_upright_face_supports_and_none_that_looks_down() {
    let (scene, _) = twins(1);
    let solids = scene.view().solids(ALL_LAYERS);
    for (x, z) in [(1.25, 0.0), (-1.125, 0.5), (0.25, 1.375), (1.25, -1.25)] {
        let at = scene.at(Vec3::new(x, 2.0, z));
        let found = solids.support(BODY, at, -1.0, 0.5, SupportBy::All).unwrap().unwrap();
        assert_eq!(found.normal, Vec3::Y, "{found:?} at {x}, {z}");
    }
    // Below the cube, its top out of reach.
    let at = scene.at(Vec3::new(0.0, -0.5, 0.0));
    assert_eq!(solids.support(BODY, at, -1.0, 1.0, SupportBy::Props), Ok(None));
}

#[test]
fn below_the_skin_of_a_solid_there_is_no_room_and_a_floor_is_no_ceiling() {
    let (mut scene, _) = twins(1);
    let inside = scene.at(Vec3::new(0.0, 1.5, 0.0));
    let found = scene.view().solids(ALL_LAYERS).ceiling(BODY, inside, 3.0).unwrap().unwrap();
    assert_eq!(found.clearance, 0.0);
    let vertices = vec![Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0];
    let sheet = MeshSource { vertices, triangles: vec![[0, 2, 1]] };
    scene.put(&sheet, Vec3::new(3.0, 1.0, 3.0), [0.0; 3]);
    for rounded in [0.0, 1e-5, -1e-5] {
        let on_it = scene.at(Vec3::new(4.0, 1.0 + rounded, 4.0));
        assert_eq!(scene.view().solids(ALL_LAYERS).ceiling(BODY, on_it, 3.0), Ok(None));
    }
}

#[test]
fn the_velocity_of_a_place_on_a_prop_comes_with_every_answer() {
    let mut scene = Scene::without_ground(SectorCoord::new(-1, 2));
    let deck = loaded(&block(Vec3::new(-4.0, -1.0, -4.0), Vec3::new(4.0, 0.0, 4.0)));
    let mut prop = LiveProp::new(deck, scene.at(Vec3::ZERO));
    (prop.linear_velocity, prop.angular_velocity) = (Vec3::new(1.0, 2.0, 3.0), Vec3::Y * 0.5);
    scene.live.add(prop).unwrap();
    let solids = scene.view().solids(ALL_LAYERS);
    let feet = Vec3::new(2.0, -0.01, -1.0);
    let expected = |point: Vec3| Vec3::new(1.0, 2.0, 3.0) + (Vec3::Y * 0.5).cross(feet + point);
    let is_right = |velocity: Vec3, point| {
        assert!((velocity - expected(point)).length() < 1e-4, "{velocity} at {point}");
    };
    let found = solids.support(BODY, scene.at(feet), -1.0, 1.0, SupportBy::All).unwrap().unwrap();
    is_right(found.velocity, found.point);
    let mut contacts = Contacts::with_capacity(16);
    solids.overlap(BODY, scene.at(feet), &mut contacts).unwrap();
    assert!(!contacts.as_slice().is_empty());
    contacts.as_slice().iter().for_each(|found| is_right(found.velocity, found.point));
    let above = scene.at(feet + Vec3::Y);
    let Sweep::Hit(hit) = solids.sweep(BODY, above, Vec3::NEG_Y * 3.0).unwrap() else {
        panic!("fell through")
    };
    is_right(hit.velocity, hit.point + Vec3::Y);
}

#[test]
fn only_another_solid_covers_a_face() {
    // A plate thinner than what counts as one place: its own underside does not cover it.
    let mut scene = Scene::without_ground(SectorCoord::new(0, 5));
    let thin = Vec3::new(2.0, 0.000_02, 2.0);
    scene.put(&block(-thin, thin), Vec3::ZERO, [0.0; 3]);
    let solids = scene.view().solids(ALL_LAYERS);
    let swept = solids.sweep(BODY, scene.at(Vec3::Y), Vec3::NEG_Y * 2.0).unwrap();
    assert!(matches!(swept, Sweep::Hit(hit) if hit.normal == Vec3::Y), "{swept:?}");
    // A carpet without an inside, laid face down on a block.
    let mut scene = Scene::without_ground(SectorCoord::new(0, 5));
    let cube = scene.put(&block(Vec3::splat(-2.0), Vec3::splat(2.0)), Vec3::ZERO, [0.0; 3]);
    let vertices = vec![Vec3::ZERO, Vec3::X * 8.0, Vec3::Z * 8.0];
    let carpet = MeshSource { vertices, triangles: vec![[0, 1, 2]] };
    scene.put(&carpet, Vec3::new(-3.0, 2.0, -3.0), [0.0; 3]);
    let mut contacts = Contacts::with_capacity(16);
    let solids = scene.view().solids(ALL_LAYERS);
    solids.overlap(BODY, scene.at(Vec3::new(0.5, 1.99, 0.25)), &mut contacts).unwrap();
    let of_cube = |c: &&marchland_terrain::query::Contact| c.triangle.prop() == Some(cube);
    let found: Vec<_> = contacts.as_slice().iter().filter(of_cube).collect();
    assert!(found.iter().any(|c| c.normal == Vec3::Y), "{contacts:?}");
}

#[test]
fn an_impact_names_the_part_of_the_triangle_that_is_touched() {
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    scene.put(&block(Vec3::splat(-1.0), Vec3::ONE), Vec3::ZERO, [0.0; 3]);
    let spike = MeshSource {
        vertices: vec![
            Vec3::new(6.0, 2.0, 0.0),
            Vec3::new(5.0, 0.0, 1.0),
            Vec3::new(5.0, 0.0, -1.0),
        ],
        triangles: vec![[0, 1, 2]],
    };
    scene.put(&spike, Vec3::ZERO, [0.0; 3]);
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let touched = |from: Vec3, motion: Vec3| {
        let solids = scene.view().solids(ALL_LAYERS);
        match solids.sweep(body, scene.at(from), motion).unwrap() {
            Sweep::Hit(hit) => hit.feature,
            other => panic!("{other:?}"),
        }
    };
    // A side into a wall, a side across an upright edge, a foot on a tip.
    let face = touched(Vec3::new(-3.0, -0.2, 0.3), Vec3::X * 4.0);
    assert!(matches!(face, Feature::Face), "{face:?}");
    let edge = touched(Vec3::new(-3.0, -0.5, -3.0), Vec3::new(4.0, 0.0, 4.0));
    assert!(matches!(edge, Feature::Edge(_)), "{edge:?}");
    let corner = touched(Vec3::new(6.0, 4.0, 0.0), Vec3::Y * -4.0);
    assert_eq!(corner, Feature::Corner(0));
}
