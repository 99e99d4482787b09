//! What is surely clear of props has no answer from one.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Gathered, Region, SupportBy};

use super::depths::{bodies, yard};
use super::scene::{Random, Scene, block, sheet};

/// Turned blocks, small and large, and a sheet.
pub(crate) fn turned(seed: u64) -> Scene {
    let (mut scene, mut random) = (yard(seed), Random::new(seed ^ 99));
    for _ in 0..25 {
        let size = Vec3::splat(random.between(0.2, 2.5));
        let degrees = [0, 1, 2].map(|_| f64::from(random.between(-180.0, 180.0)));
        scene.put(&block(-size, size), random.vector(7.0), degrees);
    }
    scene.put(&sheet(4, 4, &mut random), Vec3::new(1.0, 1.0, -5.0), [20.0, 0.0, 8.0]);
    scene
}

#[test]
fn where_there_are_surely_no_props_no_question_meets_one() {
    let (mut contacts, mut scratch) = (Contacts::with_capacity(32), Gathered::with_capacity(8192));
    let (mut clear, mut both, mut not) = (0, 0, 0);
    for seed in 0..8 {
        let (scene, mut random) = (turned(seed), Random::new(seed + 7));
        for (body, feet) in bodies(seed, 600) {
            let (at, motion) = (scene.at(feet), random.vector(1.0));
            let solids = scene.view().solids(ALL_LAYERS).with_ground_steeper(-2.0);
            let region = Region::swept(body, at, motion).unwrap();
            let is_clear = solids.has_surely_no_props(body, at, motion).unwrap();
            let gathered = scene.view().gather_more(&region, ALL_LAYERS, &mut scratch);
            // What is gathered may say no more often: it is a box, not a way.
            let is_clear_of_gathered = gathered.has_surely_no_props(body, at, motion).unwrap();
            both += usize::from(is_clear_of_gathered && is_clear);
            scratch.forget();
            if !is_clear && !is_clear_of_gathered {
                not += 1;
                continue;
            }
            clear += 1;
            solids.overlap(body, at, &mut contacts).unwrap();
            assert_eq!(contacts.as_slice(), [], "{body:?} at {feet}");
            assert_eq!(solids.sweep_on(body, at, motion), Ok(None), "{body:?} at {feet}");
            let (part, by) = (random.between(0.0, 1.0), SupportBy::Props);
            let there = scene.at(feet + motion * part);
            let slim = Cylinder { radius: body.radius * 0.999, ..body };
            let support = solids.support(slim, there, 0.0, body.height, by);
            assert_eq!(support, Ok(None), "{body:?} at {feet}");
            let ceiling = solids.ceiling(slim, there, body.height);
            assert_eq!(ceiling, Ok(None), "{body:?} at {feet}");
        }
    }
    assert!(clear > 500 && both > clear / 2 && not > 500, "{clear} {both} {not}");
    let empty = Scene::without_ground(SectorCoord::new(3, 3));
    let solids = empty.view().solids(ALL_LAYERS);
    let body = Cylinder { radius: 0.4, height: 1.8 };
    assert_eq!(solids.has_surely_no_props(body, empty.at(Vec3::ZERO), Vec3::X), Ok(true));
}
