//! Seams do not exist for a unit: a floor or a wall of many pieces answers as one piece does.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::props::MeshSource;
use marchland_terrain::query::{ALL_LAYERS, Contact, Contacts, Cylinder, Seams, Sweep};

use super::scene::{Random, Scene, block, sheet};

const BODY: Cylinder = Cylinder { radius: 0.4, height: 1.8 };

/// Level floors, all at height 0: of one block, of flush blocks, of flush blocks turned a quarter,
/// of a sheet with many triangles, of ground.
fn floors() -> Vec<(&'static str, Scene)> {
    let far = SectorCoord::new(40, -3);
    let mut one = Scene::without_ground(far);
    one.put(
        &block(Vec3::new(-12.0, -1.0, -12.0), Vec3::new(12.0, 0.0, 12.0)),
        Vec3::ZERO,
        [0.0; 3],
    );

    let (mut blocks, mut turned) = (Scene::without_ground(far), Scene::without_ground(far));
    let tile = block(Vec3::new(-0.75, -1.0, -0.75), Vec3::new(0.75, 0.0, 0.75));
    for (x, z) in (-8..8).flat_map(|x| (-8..8).map(move |z| (x, z))) {
        let at = Vec3::new(x as f32 * 1.5 + 0.75, 0.0, z as f32 * 1.5 + 0.75);
        blocks.put(&tile, at, [0.0; 3]);
        turned.put(&tile, at, [0.0, 90.0 * f64::from((x + 3 * z) % 4), 0.0]);
    }
    let mut pieces = Scene::without_ground(far);
    pieces.put(&sheet(24, 24, &mut Random::new(5)), Vec3::new(-12.0, 0.0, -12.0), [0.0; 3]);
    let ground = Scene::new(far, |_, _| 0.0);
    vec![
        ("one block", one),
        ("flush blocks", blocks),
        ("turned blocks", turned),
        ("a sheet", pieces),
        ("ground", ground),
    ]
}

fn contacts(scene: &Scene, feet: Vec3, seams: Seams) -> Vec<Contact> {
    let mut contacts = Contacts::with_capacity(512);
    let solids = scene.view().solids(ALL_LAYERS).with_seams(seams);
    solids.overlap(BODY, scene.at(feet), &mut contacts).unwrap();
    assert!(!contacts.is_cut());
    contacts.as_slice().to_vec()
}

#[test]
fn a_body_sunk_into_a_floor_of_any_pieces_is_pushed_straight_up() {
    let mut random = Random::new(11);
    let mut bumps = 0;
    for (name, scene) in floors() {
        for _ in 0..3000 {
            let sunk = random.within(1e-4, 5e-3);
            let feet = Vec3::new(random.within(-10.0, 10.0), -sunk, random.within(-10.0, 10.0));
            let found = contacts(&scene, feet, Seams::Smooth);
            assert!(!found.is_empty(), "{name}: nothing at {feet}");
            for contact in &found {
                assert!(
                    contact.normal.y > 0.999_999,
                    "{name}: {contact:?} at {feet} in {found:#?}"
                );
                assert!((contact.depth - sunk).abs() < 1e-5, "{name}: {contact:?} at {feet}");
            }
            let raw = contacts(&scene, feet, Seams::Raw);
            bumps += usize::from(raw.iter().any(|contact| contact.normal.y < 0.9));
        }
    }
    assert!(bumps > 100, "only {bumps} bumps with seams met: this test shows nothing");
}

#[test]
fn a_body_that_slides_over_a_floor_of_any_pieces_is_not_stopped() {
    let mut random = Random::new(12);
    for (name, scene) in floors() {
        let solids = scene.view().solids(ALL_LAYERS);
        for _ in 0..1000 {
            let feet = Vec3::new(random.within(-8.0, 8.0), 0.0, random.within(-8.0, 8.0));
            let motion = Vec3::new(random.within(-3.0, 3.0), 0.0, random.within(-3.0, 3.0));
            let swept = solids.sweep(BODY, scene.at(feet), motion).unwrap();
            assert_eq!(swept, Sweep::Free, "{name}: {feet} by {motion}");
            // Coming down at a slant it meets the floor, and nothing but the floor.
            let (feet, motion) = (feet + Vec3::Y * 0.01, motion - Vec3::Y * 0.1);
            let Sweep::Hit(impact) = solids.sweep(BODY, scene.at(feet), motion).unwrap() else {
                panic!("{name}: fell through at {feet} by {motion}");
            };
            assert!(impact.normal.y > 0.999_999, "{name}: {impact:?} at {feet} by {motion}");
            assert!((impact.time - 0.1).abs() < 1e-4, "{name}: {impact:?} at {feet} by {motion}");
        }
    }
}

#[test]
fn a_body_slides_along_a_wall_of_flush_blocks_as_along_one() {
    let far = SectorCoord::new(-2, 9);
    let mut one = Scene::without_ground(far);
    one.put(&block(Vec3::new(-12.0, 0.0, 0.0), Vec3::new(12.0, 3.0, 1.0)), Vec3::ZERO, [0.0; 3]);
    let mut many = Scene::without_ground(far);
    for i in -8..8 {
        for level in 0..2 {
            let tile = block(Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.5, 1.5, 1.0));
            many.put(&tile, Vec3::new(i as f32 * 1.5, level as f32 * 1.5, 0.0), [0.0; 3]);
        }
    }
    let mut random = Random::new(13);
    let mut hits = 0;
    for _ in 0..4000 {
        let gap = random.within(0.0, 0.05);
        let feet = Vec3::new(random.within(-8.0, 8.0), random.within(-0.5, 2.0), -0.4 - gap);
        let motion = Vec3::new(random.within(-3.0, 3.0), 0.0, random.within(-0.2, 0.2));
        let ask = |scene: &Scene| {
            scene.view().solids(ALL_LAYERS).sweep(BODY, scene.at(feet), motion).unwrap()
        };
        match (ask(&one), ask(&many)) {
            (Sweep::Free, Sweep::Free) => {}
            (Sweep::Hit(a), Sweep::Hit(b)) => {
                hits += 1;
                assert!((a.time - b.time).abs() < 1e-9, "{a:?}, {b:?} at {feet} by {motion}");
                assert!((a.normal - b.normal).length() < 1e-6, "{a:?}, {b:?}");
                assert!((a.normal - Vec3::NEG_Z).length() < 1e-6, "{a:?}");
            }
            // Both begin in touch, or one rounds into overlap by less than a millionth.
            (a, b) => panic!("{a:?} and {b:?} at {feet} by {motion}"),
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn an_outer_edge_still_pushes_away_from_itself() {
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    let cube = block(Vec3::splat(-1.0), Vec3::ONE);
    scene.put(&cube, Vec3::ZERO, [0.0; 3]);
    // Over the upright edge at (1, 1): the way out is along the diagonal.
    let off = 1.0 + 0.39 * 0.5_f32.sqrt();
    let found = contacts(&scene, Vec3::new(off, -0.5, off), Seams::Smooth);
    let deepest = found.iter().fold(0.0_f32, |most, contact| greater(contact.depth, most));
    assert!((deepest - 0.01).abs() < 1e-4, "{found:?}");
    let diagonal = Vec3::new(0.5_f32.sqrt(), 0.0, 0.5_f32.sqrt());
    for contact in &found {
        assert!((contact.normal - diagonal).length() < 1e-3, "{contact:?}");
    }
}

/// A crate on a floor, and a taller one flush beside it: both stand on level blocks.
fn crates() -> Scene {
    let mut scene = Scene::without_ground(SectorCoord::new(3, 3));
    let tile = block(Vec3::new(-2.0, -1.0, -2.0), Vec3::new(2.0, 0.0, 2.0));
    for (x, z) in (-2..3).flat_map(|x| (-2..3).map(move |z| (x, z))) {
        scene.put(&tile, Vec3::new(x as f32 * 4.0, 0.0, z as f32 * 4.0), [0.0; 3]);
    }
    scene.put(&block(Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0)), Vec3::ZERO, [0.0; 3]);
    scene.put(&block(Vec3::ZERO, Vec3::new(1.0, 3.0, 1.0)), Vec3::new(1.0, 0.0, 0.0), [0.0; 3]);
    scene
}

#[test]
fn what_stands_on_a_floor_pushes_away_from_its_upright_edges() {
    let scene = crates();
    let solids = scene.view().solids(ALL_LAYERS);
    let diagonal = Vec3::new(-(0.5_f32.sqrt()), 0.0, -(0.5_f32.sqrt()));
    let found = contacts(&scene, diagonal * 0.39, Seams::Smooth);
    assert!(!found.is_empty());
    for contact in &found {
        assert!((contact.normal - diagonal).length() < 1e-3, "{contact:?}");
    }
    let Sweep::Hit(hit) = solids.sweep(BODY, scene.at(diagonal * 1.0), -diagonal).unwrap() else {
        panic!("through the edge");
    };
    assert!((hit.time - 0.6).abs() < 1e-6 && (hit.normal - diagonal).length() < 1e-3, "{hit:?}");
}

#[test]
fn a_wall_that_rises_from_a_flush_neighbour_stops_who_stands_on_that() {
    let scene = crates();
    let solids = scene.view().solids(ALL_LAYERS);
    for (lift, z) in [(0.0, 0.5), (0.0, 0.2), (1e-4, 0.5), (0.3, 0.9)] {
        let feet = Vec3::new(0.1, 1.0 + lift, z);
        let Sweep::Hit(hit) = solids.sweep(BODY, scene.at(feet), Vec3::X * 2.0).unwrap() else {
            panic!("through the wall from {feet}");
        };
        assert!((hit.time - 0.25).abs() < 1e-6 && (hit.normal - Vec3::NEG_X).length() < 1e-6);
        let found = contacts(&scene, feet + Vec3::X * 0.51, Seams::Smooth);
        assert!(
            found
                .iter()
                .any(|c| (c.normal - Vec3::NEG_X).length() < 1e-6 && (c.depth - 0.01).abs() < 1e-5),
            "{found:?}"
        );
    }
    // Below the top of the lower one there is no wall between them to be met.
    let found = contacts(&scene, Vec3::new(1.0, 1.0 - 1e-3, -0.2), Seams::Smooth);
    for contact in &found {
        assert!(contact.normal.x.abs() < 1e-3 || contact.normal.y > 0.9, "{contact:?}");
    }
}

#[test]
fn a_ridge_too_gentle_to_be_an_edge_is_landed_on() {
    // 0.8° from face to face: the mesh calls the edge flat, and the body's foot meets nothing else.
    let high = 0.034_9;
    let mesh = MeshSource {
        vertices: [-5.0, 0.0, 5.0]
            .into_iter()
            .flat_map(|x: f32| {
                let y = if x == 0.0 { high } else { 0.0 };
                [Vec3::new(x, y, -5.0), Vec3::new(x, y, 5.0)]
            })
            .collect(),
        triangles: vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]],
    };
    let mut scene = Scene::without_ground(SectorCoord::new(1, 2));
    scene.put(&mesh, Vec3::ZERO, [0.0; 3]);
    let solids = scene.view().solids(ALL_LAYERS);
    for (x, z) in [(0.0, 0.0), (0.01, 2.5), (-0.2, -4.0)] {
        let from = scene.at(Vec3::new(x, high + 1.0, z));
        let Sweep::Hit(hit) = solids.sweep(BODY, from, Vec3::Y * -2.0).unwrap() else {
            panic!("through the ridge at {x}, {z}");
        };
        assert!((hit.time - 0.5).abs() < 1e-4 && hit.normal.y > 0.999_9, "{hit:?}");
    }
}

/// A block with a step on it, whose sides are cut so that one half of the riser has a single corner on the near side.
fn step() -> MeshSource {
    let outline = [(0.0, 0.0), (0.0, 1.0), (2.0, 1.0), (2.0, 1.25), (4.0, 1.25), (4.0, 0.0)];
    // Corner i at the near side is vertex 2 i, at the far side 2 i + 1.
    let vertices = outline.into_iter().flat_map(|(x, y)| [0.0, 2.0].map(|z| Vec3::new(x, y, z)));
    let sides = [[0, 1, 2], [0, 2, 5], [2, 3, 4], [2, 4, 5]];
    let near = sides.map(|side| side.map(|corner| 2 * corner));
    let far = sides.map(|[a, b, c]| [2 * a + 1, 2 * c + 1, 2 * b + 1]);
    let around = (0..6).flat_map(|from| {
        let (a, b) = (2 * from, 2 * ((from + 1) % 6));
        [[a, a + 1, b + 1], [a, b + 1, b]]
    });
    let triangles = near.into_iter().chain(far).chain(around).collect();
    MeshSource { vertices: vertices.collect(), triangles }
}

#[test]
fn a_riser_pushes_nobody_who_is_beside_its_end_across_the_stair() {
    let mut scene = Scene::without_ground(SectorCoord::new(40, -3));
    scene.put(&step(), Vec3::ZERO, [0.0; 3]);
    let (mut random, mut met) = (Random::new(14), 0);
    for _ in 0..4000 {
        // The foot a hair lower than the tread, the middle beside the stair and before the riser.
        let sunk = random.within(1e-3, 2e-2);
        let feet = Vec3::new(random.within(1.7, 2.0), 1.0 - sunk, random.within(-0.41, -0.3));
        let corner = Vec3::new(2.0, feet.y, 0.0);
        let apart = BODY.radius - (feet - corner).length();
        for contact in contacts(&scene, feet, Seams::Smooth) {
            assert!(contact.normal.x > -0.999, "{contact:?} at {feet}");
            met += usize::from(contact.normal.x < -0.1 && apart > 0.0);
        }
    }
    assert!(met > 100, "only {met} contacts with the riser's end");
}
