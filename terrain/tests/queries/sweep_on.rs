//! Sweeps of bodies that touch, or are a little inside, what they stand beside.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Sweep};

use super::brute::all_triangles;
use super::depths::{bodies, depth, yard};
use super::scene::{Random, Scene, Vectors, block};

const BODY: Cylinder = Cylinder { radius: 0.5, height: 2.0 };

/// How far from a face a body begins, metres; below 0 inside.
const GAPS: [f32; 4] = [0.0, 1e-7, -1e-7, -1e-3];

#[test]
fn who_begins_free_is_stopped_as_by_a_sweep() {
    let mut random = Random::new(21);
    let (mut hits, mut free) = (0, 0);
    for seed in 0..8 {
        let scene = yard(seed);
        let solids = scene.view().solids(ALL_LAYERS);
        for (body, feet) in bodies(seed, 500) {
            let (at, motion) = (scene.at(feet), random.vector(5.0));
            let on = solids.sweep_on(body, at, motion).unwrap();
            match solids.sweep(body, at, motion).unwrap() {
                Sweep::Overlapping(_) => continue,
                Sweep::Hit(hit) => assert_eq!(on, Some(hit)),
                Sweep::Free => assert_eq!(on, None),
            }
            hits += usize::from(on.is_some());
            free += usize::from(on.is_none());
        }
    }
    assert!(hits > 300 && free > 300, "{hits}, {free}");
}

#[test]
fn a_face_that_is_touched_stops_nobody_who_moves_along_it_or_away() {
    // A pillar of 2 m on all sides, 8 m high; far walls around it, a floor below and a lid above.
    let mut scene = Scene::without_ground(SectorCoord::new(9, -9));
    scene.put(&block(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 8.0, 1.0)), Vec3::ZERO, [0.0; 3]);
    for (low, high) in [
        (Vec3::new(-9.0, -9.0, -9.0), Vec3::new(-8.0, 20.0, 9.0)),
        (Vec3::new(8.0, -9.0, -9.0), Vec3::new(9.0, 20.0, 9.0)),
        (Vec3::new(-8.0, -9.0, -9.0), Vec3::new(8.0, 20.0, -8.0)),
        (Vec3::new(-8.0, -9.0, 8.0), Vec3::new(8.0, 20.0, 9.0)),
        (Vec3::new(-8.0, 19.0, -8.0), Vec3::new(8.0, 20.0, 8.0)),
        (Vec3::new(-8.0, -9.0, -8.0), Vec3::new(8.0, -8.0, 8.0)),
    ] {
        scene.put(&block(low, high), Vec3::ZERO, [0.0; 3]);
    }
    let solids = scene.view().solids(ALL_LAYERS);
    let mut random = Random::new(22);
    let faces = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y, Vec3::NEG_Y];
    for turn in 0..3000 {
        let normal = faces[turn % faces.len()];
        let gap = GAPS[turn / faces.len() % GAPS.len()];
        let slide = random.within(-0.9, 0.9);
        // Where the body touches the face: beside it, on it, under it.
        let beside = Vec3::new(slide, random.within(1.0, 5.0), slide);
        let out = Vec3::new(1.5, 0.0, 1.5) + Vec3::splat(gap);
        let feet = match normal {
            Vec3::Y => Vec3::new(slide, 8.0 + gap, slide),
            Vec3::NEG_Y => Vec3::new(slide, -2.0 - gap, slide),
            _ => normal * out + beside * (Vec3::ONE - normal.abs()),
        };
        let mut motion = random.vector(30.0);
        let away = if turn % 2 == 0 { 0.0 } else { random.within(0.0, 3.0) };
        motion += normal * (away - motion.dot(normal));
        let found = solids.sweep_on(BODY, scene.at(feet), motion).unwrap();
        // The time at which the first of the far planes is touched.
        let (low, high) = (feet - Vec3::new(0.5, 0.0, 0.5), feet + Vec3::new(0.5, 2.0, 0.5));
        let room = [(-8.0, 8.0), (-8.0, 19.0), (-8.0, 8.0)];
        let time = (0..3).map(|axis| {
            let (motion, (least, most)) = (f64::from(motion[axis]), room[axis]);
            let left = if motion > 0.0 {
                most - f64::from(high[axis])
            } else {
                least - f64::from(low[axis])
            };
            if motion == 0.0 { f64::INFINITY } else { left / motion }
        });
        let time = time.fold(f64::INFINITY, lesser);
        let case = format!("{normal}, {gap}: {feet} by {motion}");
        match found {
            None => assert!(time > 1.0 - 1e-6, "nothing at {time}: {case}"),
            Some(hit) => assert!((hit.time - time).abs() < 1e-6, "{hit:?}, {time}: {case}"),
        }
    }
}

#[test]
fn who_does_not_move_against_the_ways_out_gets_no_deeper() {
    let mut random = Random::new(23);
    let mut contacts = Contacts::with_capacity(256);
    let mut moved = 0;
    for seed in 0..24 {
        let scene = yard(seed);
        let all = all_triangles(&scene);
        let solids = scene.view().solids(ALL_LAYERS);
        for (body, feet) in bodies(seed, 600) {
            let at = scene.at(feet);
            solids.overlap(body, at, &mut contacts).unwrap();
            let deepest = contacts.deepest().map_or(0.0, |deepest| deepest.depth);
            if deepest == 0.0 || deepest > 0.1 || contacts.as_slice().iter().any(|c| c.inside) {
                continue;
            }
            let motion = random.vector(3.0);
            if contacts.as_slice().iter().any(|c| c.normal.dot(motion) < 0.0) {
                continue;
            }
            moved += 1;
            let time = solids.sweep_on(body, at, motion).unwrap().map_or(1.0, |hit| hit.time);
            let way = motion.as_dvec3() * time;
            let owners = scene.live.iter().map(|prop| Some(prop.id())).chain([None]);
            for owner in owners {
                let before = depth(&all, owner, body, feet, DVec3::ZERO);
                let after = depth(&all, owner, body, feet, way);
                let begun = greater(before, 0.0);
                assert!(
                    after < begun + 1e-5,
                    "{before} to {after} in {owner:?}: {body:?} at {feet} by {motion}, {seed}"
                );
            }
        }
    }
    assert!(moved > 150, "{moved}");
}
