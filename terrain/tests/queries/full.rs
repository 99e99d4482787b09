//! What is full is full: below ground, in holes and in closed props; and which contacts are kept.

use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, LiveProps};
use marchland_terrain::query::{ALL_LAYERS, Contact, Contacts, Cylinder, Seams, SupportBy, Sweep};
use marchland_terrain::{
    CellKind, Collision, Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData,
};

use super::scene::{Random, Scene, Vectors, block, loaded};
use super::totality::{BODY, assert_unit};

/// Rough ground 0.1 m up and down with a hole of one cell at (0, 0) to (1, 1).
fn holed() -> Scene {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    let data = SectorData::from_fn(grid, |x, z| ((x * 3.0 + z * 5.0) as i64 % 4) as f64 * 0.03125);
    let mut kinds = vec![CellKind::Solid; 18 * 18];
    kinds[9 * 18 + 9] = CellKind::Hole;
    let data = data.unwrap().with_kinds(kinds).unwrap();
    let middle = SectorCoord::new(4, 4);
    let mut sectors = ResidentSectors::new(grid);
    sectors
        .insert(middle, Arc::new(LoadedSector::new(encode(middle, &data).bytes).unwrap()))
        .unwrap();
    Scene { middle, sectors, live: LiveProps::new(grid.sector_size()) }
}

fn contacts(scene: &Scene, body: Cylinder, feet: Vec3) -> Vec<Contact> {
    let mut contacts = Contacts::with_capacity(256);
    scene.view().solids(ALL_LAYERS).overlap(body, scene.at(feet), &mut contacts).unwrap();
    assert!(!contacts.is_cut());
    contacts.as_slice().to_vec()
}

#[test]
fn below_ground_is_full_however_deep_and_a_hole_is_not() {
    let scene = holed();
    let solids = scene.view().solids(ALL_LAYERS);
    for deep in [1.5_f32, 20.0, 3000.0, 60_000.0] {
        for (x, z) in [(4.0, 4.0), (-3.5, 2.25), (-0.75, 0.5), (7.5, -7.0)] {
            let feet = Vec3::new(x, -deep, z);
            let found = contacts(&scene, BODY, feet);
            assert!(!found.is_empty(), "nothing at {feet}");
            let mut most = 0.0_f32;
            for contact in &found {
                assert!(contact.inside || contact.normal.y.abs() < 1e-6, "{contact:?} at {feet}");
                assert_unit(contact.normal, "below ground");
                let height = contact.normal.y > 0.9;
                most = if height && contact.depth > most { contact.depth } else { most };
            }
            // Followed, it frees: up, or along the slope of the ground.
            assert!(most > deep - 0.3 && most < deep + 0.3, "{most} of {deep} at {feet}");
            let out = contacts(&scene, BODY, feet + Vec3::Y * (deep + 0.1));
            assert!(out.is_empty(), "{out:?} above {feet}");
            let sweep = solids.sweep(BODY, scene.at(feet), Vec3::X).unwrap();
            assert!(matches!(sweep, Sweep::Overlapping(contact) if contact.depth >= most));
        }
        let hole = Vec3::new(0.5, -deep, 0.5);
        assert_eq!(contacts(&scene, BODY, hole), [], "{deep} m down the hole");
        let fat = contacts(&scene, Cylinder { radius: 0.51, ..BODY }, hole);
        assert!(!fat.is_empty(), "{deep} m down, wider than the hole");
        // A little way into the wall of the hole the way out is back, and not up through the ground.
        let aside = contacts(&scene, BODY, hole + Vec3::X * 0.01);
        assert!(!aside.is_empty(), "{deep} m down, in the wall");
        for contact in aside {
            assert!((contact.normal + Vec3::X).length() < 1e-6, "{contact:?}");
            assert!((contact.depth - 0.01).abs() < 1e-4, "{contact:?}");
        }
    }
}

#[test]
fn a_body_falls_through_a_hole_of_exactly_its_size_and_a_wider_one_does_not() {
    let scene = holed();
    let solids = scene.view().solids(ALL_LAYERS);
    let above = scene.at(Vec3::new(0.5, 2.0, 0.5));
    let down = Vec3::Y * -1000.0;
    assert_eq!(solids.sweep(BODY, above, down), Ok(Sweep::Free));
    for (radius, aside) in [(0.501, 0.0), (0.5, 0.001)] {
        let body = Cylinder { radius, ..BODY };
        let at = scene.at(Vec3::new(0.5 + aside, 2.0, 0.5));
        let Ok(Sweep::Hit(hit)) = solids.sweep(body, at, down) else {
            panic!("{radius} m wide fell through, {aside} m aside");
        };
        assert!(hit.time * 1000.0 > 1.8 && hit.time * 1000.0 < 2.01, "{hit:?}");
    }
    // The rim supports who stands beside the middle, and nobody in it.
    let at = scene.at(Vec3::new(0.5, 0.0, 0.5));
    let thin = Cylinder { radius: 0.499, ..BODY };
    assert_eq!(solids.support(thin, at, -2.0, 1.0, SupportBy::All), Ok(None));
    assert!(matches!(solids.support(BODY, at, -2.0, 1.0, SupportBy::All), Ok(Some(_))));
}

#[test]
fn walking_down_in_a_hole_meets_its_walls_on_all_four_sides() {
    let scene = holed();
    let solids = scene.view().solids(ALL_LAYERS);
    let body = Cylinder { radius: 0.25, height: 0.5 };
    for deep in [0.0, 1.0, 500.0, 60_000.0] {
        let at = scene.at(Vec3::new(0.5, -deep - 0.5, 0.5));
        for way in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            let Ok(Sweep::Hit(hit)) = solids.sweep(body, at, way * 2.0) else {
                panic!("through the wall at {deep} m down by {way}");
            };
            assert!((hit.time - 0.125).abs() < 1e-6, "{hit:?}");
            assert!((hit.normal + way).length() < 1e-6, "{hit:?} by {way}");
        }
        let slanted = Vec3::new(1.0, 0.0, 0.5);
        let Ok(Sweep::Hit(hit)) = solids.sweep(body, at, slanted) else { panic!("through") };
        assert!((hit.time - 0.25).abs() < 1e-6 && (hit.normal + Vec3::X).length() < 1e-6);
    }
}

#[test]
fn within_a_closed_prop_one_contact_leads_out() {
    let mut random = Random::new(8);
    for case in 0..400 {
        let mut scene = Scene::without_ground(SectorCoord::new(-9, 2));
        let half =
            Vec3::new(random.within(2.0, 7.0), random.within(2.0, 7.0), random.within(2.0, 7.0));
        let degrees = [0, 1, 2].map(|_| f64::from(random.within(0.0, 360.0)));
        let degrees = if case % 3 == 0 { [0.0; 3] } else { degrees };
        let id = scene.put(&block(-half, half), Vec3::new(0.5, 0.25, -1.0), degrees);
        let body = Cylinder { radius: 0.25, height: 0.5 };
        let mut feet = Vec3::new(0.5, 0.0, -1.0) + random.vector(0.8);
        let found = contacts(&scene, body, feet);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].inside && found[0].triangle.prop() == Some(id), "{found:?}");
        let swept = scene.view().solids(ALL_LAYERS).sweep(body, scene.at(feet), Vec3::X).unwrap();
        assert_eq!(swept, Sweep::Overlapping(found[0]));
        let ceiling = scene.view().solids(ALL_LAYERS).ceiling(body, scene.at(feet), 0.5).unwrap();
        assert_eq!(ceiling.map(|found| found.clearance), Some(0.0), "inside");
        let mut left = 4;
        loop {
            let found = contacts(&scene, body, feet);
            let Some(way) = found.iter().max_by(|a, b| a.depth.total_cmp(&b.depth)) else { break };
            assert!(left > 0, "still in it at {feet}: {found:?}");
            assert_unit(way.normal, "inside");
            feet += way.normal * (way.depth + 1e-5);
            left -= 1;
        }
        let outside = feet - Vec3::new(0.5, 0.25, -1.0);
        assert!(outside.length() < half.length() + 1.0, "thrown to {outside}");
    }
    // In two at once, each says so.
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    scene.put(&block(Vec3::splat(-3.0), Vec3::splat(3.0)), Vec3::ZERO, [0.0; 3]);
    scene.put(&block(Vec3::splat(-4.0), Vec3::splat(4.0)), Vec3::ZERO, [0.0, 20.0, 0.0]);
    let found = contacts(&scene, BODY, Vec3::ZERO);
    assert!(found.len() == 2 && found.iter().all(|contact| contact.inside), "{found:?}");
    // A soup has no inside, and a body beside a solid is in nothing.
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    let cube = loaded(&block(Vec3::splat(-3.0), Vec3::splat(3.0)));
    let mut prop = LiveProp::new(cube, scene.at(Vec3::ZERO));
    prop.collision = Collision::Soup;
    scene.live.add(prop).unwrap();
    assert_eq!(contacts(&scene, BODY, Vec3::ZERO), []);
}

#[test]
fn of_more_contacts_than_fit_the_deepest_are_kept_in_order() {
    let mut random = Random::new(14);
    let mut cut = 0;
    for _ in 0..300 {
        let mut scene = Scene::without_ground(SectorCoord::new(1, 1));
        for _ in 0..6 {
            let half = random.within(0.2, 1.0);
            let degrees = [0, 1, 2].map(|_| f64::from(random.within(0.0, 360.0)));
            let cube = block(Vec3::splat(-half), Vec3::splat(half));
            scene.put(&cube, random.vector(1.0), degrees);
        }
        // Twice the same: contacts of equal depth.
        let cube = block(Vec3::splat(-0.5), Vec3::splat(0.5));
        let at = random.vector(0.5);
        scene.put(&cube, at, [0.0; 3]);
        scene.put(&cube, at, [0.0; 3]);
        for seams in [Seams::Smooth, Seams::Raw] {
            let solids = scene.view().solids(ALL_LAYERS).with_seams(seams);
            let mut all = Contacts::with_capacity(256);
            solids.overlap(BODY, scene.at(Vec3::ZERO), &mut all).unwrap();
            assert!(!all.is_cut() && all.as_slice().is_sorted_by_key(|c| c.triangle));
            let deepest = all.deepest().map(|contact| contact.depth);
            let mut order = all.as_slice().to_vec();
            order.sort_by(|a, b| {
                b.depth.total_cmp(&a.depth).then_with(|| a.triangle.cmp(&b.triangle))
            });
            assert_eq!(deepest, order.first().map(|contact| contact.depth));
            for room in [0, 1, 3, order.len()] {
                let mut some = Contacts::with_capacity(room);
                // What was there before is forgotten.
                solids.overlap(BODY, scene.at(Vec3::Y * 0.25), &mut some).unwrap();
                solids.overlap(BODY, scene.at(Vec3::ZERO), &mut some).unwrap();
                let mut expected = order.clone();
                expected.truncate(room.max(1));
                expected.sort_by_key(|contact| contact.triangle);
                assert_eq!(some.as_slice(), expected);
                assert_eq!(some.is_cut(), order.len() > room.max(1));
                cut += usize::from(some.is_cut());
            }
            if let Sweep::Overlapping(contact) =
                solids.sweep(BODY, scene.at(Vec3::ZERO), Vec3::X).unwrap()
            {
                assert_eq!(Some(&contact), order.first());
            }
        }
    }
    assert!(cut > 500, "{cut}");
}
