//! What is asked of the ground alone, and ground that is kept with what is gathered: as all triangles answer.

use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::kernel::{Gathered, LevelBody, LevelFaces};
use marchland_terrain::math::greater;
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Region, Seams, Solids, SupportBy};
use marchland_terrain::{
    CellKind, LoadedSector, SectorCoord, SectorData, SectorState, SurfaceId, SurfaceSet,
};

use super::level::BODY;
use super::scene::{Random, Scene, Vectors};

/// Rough ground with holes in the middle sector.
fn rough(seed: u64) -> Scene {
    let middle = SectorCoord::new(5, -2);
    let height = |x: f64, z: f64| {
        let at = ((x + 32.0) as u64) << 8 | (z + 32.0) as u64;
        f64::from(Random::new(seed << 20 | at).within(-1.5, 1.5)) + 0.3 * x
    };
    let mut scene = Scene::new(middle, height);
    let mut kinds = vec![CellKind::Solid; 18 * 18];
    for at in [9 * 18 + 9, 9 * 18 + 10, 17 * 18 + 4, 18 + 1] {
        kinds[at] = CellKind::Hole;
    }
    let data =
        SectorData::from_fn(scene.sectors.grid(), height).unwrap().with_kinds(kinds).unwrap();
    let sector = LoadedSector::new(encode(middle, &data).bytes).unwrap();
    scene.sectors.insert(middle, Arc::new(sector)).unwrap();
    scene
}

/// Bodies of many sizes near the ground, also at borders and corners of sectors.
fn bodies(random: &mut Random) -> (Cylinder, Vec3) {
    let radius = random.within(0.1, 2.5);
    let mut along = || match random.below(4) {
        0 => [-7.99, 7.99][random.below(2) as usize],
        _ => random.within(-7.99, 7.99),
    };
    let [x, z] = [along(), along()];
    let y = 0.3 * x + random.within(-2.0, 2.0);
    (Cylinder { radius, height: random.within(0.3, 2.5) }, Vec3::new(x, y, z))
}

#[test]
fn the_highest_ground_is_that_of_all_supports_by_it() {
    let never_steep = SurfaceSet::from_iter([SurfaceId(0)]);
    let (mut found, mut none) = (0, 0);
    for seed in 0..8 {
        let (scene, mut random) = (rough(seed), Random::new(seed));
        for _ in 0..1000 {
            let (body, feet) = bodies(&mut random);
            let at = scene.at(feet);
            let low = random.within(-2.0, 1.0);
            let high = low + random.within(0.0, 2.0);
            let upright = [0.0, 0.7, 0.95, 2.0][random.below(4) as usize];
            let solids = scene.view().solids(ALL_LAYERS);
            for solids in [solids, solids.with_ground_never_steep(Some(&never_steep))] {
                let by = SupportBy::Terrain;
                let expected = solids.support_upright(body, at, low, high, by, upright).unwrap();
                let expected = expected.map(|support| support.point.y);
                let highest = solids.highest_ground(body, at, (low, high), upright);
                assert_eq!(highest, Ok(expected), "{body:?} at {feet}, {seed}");
                *(if expected.is_some() { &mut found } else { &mut none }) += 1;
            }
        }
    }
    assert!(found > 1000 && none > 1000, "{found}, {none}");
}

#[test]
fn the_tops_over_a_disc_are_the_highest_ground_and_all_that_is_nearly_as_high() {
    const WITHIN: f64 = 0.05;
    let (mut told, mut cut) = (0, 0);
    for seed in 0..8 {
        // Level in the west: there all triangles are as high.
        let height = |x: f64, z: f64| {
            let at = ((x + 32.0) as u64) << 8 | (z + 32.0) as u64;
            let rough = f64::from(Random::new(seed << 20 | at).within(-1.5, 1.5));
            if x < -4.0 { 0.0 } else { rough + 0.3 * x }
        };
        let scene = Scene::new(SectorCoord::new(5, -2), height);
        let SectorState::Resident(sector) = scene.view().sector(SectorCoord::new(5, -2)) else {
            panic!("it was put there");
        };
        let field = sector.field();
        let mut random = Random::new(seed);
        for _ in 0..1000 {
            let (body, feet) = bodies(&mut random);
            let radius = f64::from(body.radius);
            let tops = field.tops_over_disc([feet.x, feet.z], radius, WITHIN);
            let most = greater(feet.x.abs(), feet.z.abs()) + body.radius;
            assert_eq!(tops.is_some(), most <= 8.0 && radius <= 2.0, "{body:?} at {feet}");
            let Some(tops) = tops else { continue };
            let solids = scene.view().solids(ALL_LAYERS);
            let highest = solids.highest_ground(body, scene.at(feet), (-99.0, 99.0), 0.0);
            let highest = f64::from(feet.y) + f64::from(highest.unwrap().unwrap());
            assert!((tops.highest() - highest).abs() < 1e-5, "{body:?} at {feet}, {seed}");
            if tops.is_cut() {
                cut += 1;
                continue;
            }
            let list = tops.as_slice();
            assert!(list.iter().any(|top| top.height == tops.highest()));
            assert!(list.iter().all(|top| top.height >= tops.highest() - WITHIN));
            told += list.len();
            for _ in 0..50 {
                let (x, z) = (random.within(-1.0, 1.0), random.within(-1.0, 1.0));
                if x * x + z * z > 1.0 {
                    continue;
                }
                let place = field.place(feet.x + x * body.radius, feet.z + z * body.radius);
                let (y, gradient) = field.height_and_gradient_at(place);
                let is_high = f64::from(y) > tops.highest() - WITHIN + 1e-4;
                assert!(f64::from(y) <= tops.highest() + 1e-4, "{body:?} at {feet}, {seed}");
                let is_told = list.iter().any(|top| top.gradient == gradient);
                assert!(is_told || !is_high, "{body:?} at {feet}, {seed}");
            }
        }
    }
    assert!(told > 1500 && cut > 100, "{told}, {cut}");
}

#[test]
fn a_body_is_as_deep_in_the_ground_as_its_deepest_contact() {
    let mut contacts = Contacts::with_capacity(1024);
    let (mut deep, mut free) = (0, 0);
    for seed in 0..8 {
        let (scene, mut random) = (rough(seed), Random::new(seed));
        for _ in 0..1000 {
            let (body, feet) = bodies(&mut random);
            let at = scene.at(feet);
            let raw = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
            raw.overlap(body, at, &mut contacts).unwrap();
            let depth = contacts.deepest().map_or(0.0, |contact| contact.depth);
            for most in [0.0, 5e-4, depth, 0.5 * depth, 2.0 * depth] {
                let is_deeper = raw.has_ground_deeper(body, at, most).unwrap();
                assert_eq!(is_deeper, depth > most, "{body:?} at {feet}, {seed}");
            }
            *(if depth > 0.0 { &mut deep } else { &mut free }) += 1;
        }
    }
    assert!(deep > 1000 && free > 1000, "{deep}, {free}");
}

/// What a body asks of the ground.
fn answers(
    solids: &Solids<'_>,
    scene: &Scene,
    (body, feet): (Cylinder, Vec3),
    way: Vec3,
) -> String {
    let mut contacts = Contacts::with_capacity(256);
    let at = scene.at(feet);
    let steep = solids.with_ground_steeper(0.8);
    steep.overlap(body, at, &mut contacts).unwrap();
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        contacts,
        steep.sweep_on(body, at, way),
        solids.sweep(body, at, way),
        solids.highest_ground(body, at, (-1.0, 1.0), 0.7),
        solids.support(body, at, -1.0, 1.0, SupportBy::All),
    )
}

#[test]
fn kept_ground_is_the_same_ground() {
    let mut kept = Gathered::with_capacity(256);
    let mut less = 0;
    for seed in 0..6 {
        let (scene, mut random) = (rough(seed), Random::new(seed));
        for _ in 0..400 {
            let (body, feet) = bodies(&mut random);
            let region = Region::around(body, scene.at(feet), 1.5).unwrap();
            let view = scene.view();
            kept.forget();
            kept.keep_ground(view, random.below(8) > 0);
            view.gather(&region, ALL_LAYERS, &mut kept).unwrap();
            for _ in 0..3 {
                let beside = feet + random.vector(0.7);
                let is_inside = beside.abs().cmplt(Vec3::splat(7.99)).all();
                let asked = (body, if is_inside { beside } else { feet });
                let way = random.vector(0.7);
                let gathered = view.solids_with(ALL_LAYERS, &kept);
                let expected = answers(&view.solids(ALL_LAYERS), &scene, asked, way);
                assert_eq!(answers(&gathered, &scene, asked, way), expected, "{asked:?}, {seed}");
                less += usize::from(expected.contains("Contact {"));
            }
        }
    }
    assert!(less > 1000, "{less}");
}

/// Where the faces around a place hold no ground above a height, none lifts a disc there, and no body is in any.
#[test]
fn ground_that_faces_do_not_hold_is_found_by_no_query() {
    let mut faces = LevelFaces::new();
    let (mut none, mut some) = (0, 0);
    for seed in 0..8 {
        let (scene, mut random) = (rough(seed), Random::new(seed));
        let solids = scene.view().solids(ALL_LAYERS).with_ground_steeper(f64::INFINITY);
        for _ in 0..1000 {
            let (_, feet) = bodies(&mut random);
            let radius = random.within(0.1, 1.0);
            let body = LevelBody { body: Cylinder { radius, ..BODY.body }, ..BODY };
            let heights = (-1.0, 2.5);
            let at = scene.at(feet);
            solids.level_faces(&body, at, (DVec2::ZERO, 0.3), heights, &mut faces).unwrap();
            let beside = feet + random.vector(0.25);
            let is_inside = beside.abs().cmplt(Vec3::splat(7.99)).all();
            let at = scene.at(if is_inside { beside } else { feet });
            let low = random.within(-0.7, 1.0);
            let upright = [0.0, 0.7, 0.95][random.below(3) as usize];
            let disc = Cylinder { radius, height: 1.5 };
            let wide = f64::from(radius);
            if !faces.hold_no_ground(wide, at, f64::from(low), f64::from(upright)) {
                some += 1;
                continue;
            }
            none += 1;
            let lifted = solids.highest_ground(disc, at, (low, 100.0), upright);
            assert_eq!(lifted, Ok(None), "{disc:?} at {at:?}, {seed}");
            if upright == 0.0 {
                let raised = scene.at(at.local() + Vec3::Y * low);
                assert_eq!(
                    solids.has_ground_deeper(disc, raised, 0.0),
                    Ok(false),
                    "{at:?}, {seed}"
                );
            }
        }
    }
    assert!(none > 1000 && some > 1000, "{none}, {some}");
}
