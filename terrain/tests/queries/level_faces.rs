//! Faces that are kept around a place give the answers of the world, and level sweeps those of general ones.

use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::kernel::{LevelBody, LevelFaces, Wall, Walls};
use marchland_terrain::props::MeshSource;
use marchland_terrain::query::{ALL_LAYERS, Cylinder, Solids, SupportBy};
use marchland_terrain::{PropId, SectorCoord, WorldPos};

use super::level::BODY;
use super::scene::{Random, Scene, Vectors, block};

/// Blocks, turned, and triangles anywhere: a part of them upright, level or flush with each other.
fn scene(random: &mut Random, with_ground: bool) -> Scene {
    let middle = SectorCoord::new(-4, 9);
    let mut scene = if with_ground {
        Scene::new(middle, |x, z| libm::sin(x * 0.9) + libm::cos(z * 0.7))
    } else {
        Scene::without_ground(middle)
    };
    for at in 0..5 {
        let size = Vec3::new(random.within(0.2, 2.0), random.within(0.1, 2.5), 0.6);
        let turn = [0.0, f64::from(random.within(0.0, 90.0)), 0.0];
        let turn = if at % 2 == 0 { turn } else { [0.0; 3] };
        scene.put(&block(-size, size), random.vector(3.0).with_y(0.2), turn);
    }
    let soup = MeshSource {
        vertices: (0..24).map(|_| random.vector(2.5)).collect(),
        triangles: (0..8).map(|at| [at * 3, at * 3 + 1, at * 3 + 2]).collect(),
    };
    scene.put(&soup, Vec3::ZERO, [0.0, 30.0, 0.0]);
    scene
}

type Answer = (Vec<(f64, DVec2, bool)>, f64, Option<(f64, DVec2, bool)>);

fn told(walls: &Walls) -> (Vec<(f64, DVec2, bool)>, f64) {
    let each = walls.as_slice().iter().map(|wall| (wall.distance, wall.normal, wall.is_ground));
    (each.collect(), walls.depth())
}

#[test]
fn kept_faces_give_the_bits_of_the_world() {
    let mut random = Random::new(61);
    let (mut met, mut hits, mut kept, mut beside) = (0, 0, 0, 0);
    for round in 0..60 {
        let scene = scene(&mut random, round % 3 == 0);
        let all = scene.view().solids(ALL_LAYERS);
        let mut faces = LevelFaces::new();
        let mut walls = Walls::new();
        for _ in 0..40 {
            let base = random.vector(3.0).with_y(-0.4);
            let ahead = DVec2::new(random.between(-0.4, 0.4), random.between(-0.4, 0.4));
            let low = LevelBody { low: 1e-4, ..BODY };
            let steep = all.with_ground_steeper(0.7);
            let heights = (-0.3, 2.2);
            steep.level_faces(&low, scene.at(base), (ahead, 0.05), heights, &mut faces).unwrap();
            for _ in 0..6 {
                let far = 0.5 * ahead.length() + 0.05;
                let off = DVec2::from_angle(random.part() * std::f64::consts::TAU)
                    * random.between(0.0, far * 0.7)
                    + ahead * 0.5;
                let up = random.within(-0.2, 0.2);
                let at = scene.at(base + Vec3::new(off.x as f32, up, off.y as f32));
                let motion = DVec2::new(random.between(-0.1, 0.1), random.between(-0.1, 0.1));
                for (body, solids) in [(BODY, steep), (low, steep.with_props_steeper(0.64))] {
                    let plain = world(&solids, &body, at, motion);
                    if !solids.level_walls_among(&faces, &body, at, &mut walls) {
                        continue;
                    }
                    let among = told(&walls);
                    assert_eq!((&among.0, among.1), (&plain.0, plain.1));
                    let Some(hit) = solids.sweep_level_among(&faces, &body, at, motion, &mut walls)
                    else {
                        continue;
                    };
                    let hit = hit.map(|hit| (hit.time, hit.normal, hit.is_ground));
                    assert_eq!(hit, plain.2, "{motion}");
                    beside += compare_beside(&solids, &faces, &body, at, &walls);
                    let bare = LevelBody { skin: 0.0, margin: 0.0, ..body };
                    let past = solids.sweep_level_past(&faces, &bare, at, motion, bare.envelope());
                    let hit = solids.sweep_level(&bare, at, motion, bare.envelope()).unwrap();
                    assert_eq!(past, Some(hit), "{motion}");
                    kept += 1;
                    met += among.0.len();
                    hits += usize::from(hit.is_some());
                }
            }
        }
    }
    assert!(kept > 5000 && met > 2000 && hits > 1000, "{kept} {met} {hits}");
    assert!(beside > 1000, "{beside}");
}

/// Whether each of the props that are walls of a body, and one that is nowhere, is beside it: told from faces as from
/// the world, and only if a body grown by the skin touches it. Returns how many are.
fn compare_beside(
    solids: &Solids<'_>,
    faces: &LevelFaces,
    body: &LevelBody,
    at: WorldPos,
    walls: &Walls,
) -> usize {
    let nowhere = PropId::Live { slot: 999, generation: 1 };
    let props = walls.as_slice().iter().filter_map(|wall| wall.triangle.prop());
    let less = LevelBody { margin: 0.0, ..*body };
    let mut found = 0;
    for prop in props.chain([nowhere]) {
        let is_beside = solids.has_beside(&less, at, prop).unwrap();
        assert_eq!(solids.has_beside_among(faces, &less, at, prop), Some(is_beside));
        let is_wall = |wall: &Wall| {
            wall.triangle.prop() == Some(prop)
                && !wall.is_ground
                && wall.distance < f64::from(less.body.radius + less.skin)
        };
        assert!(is_beside || !walls.as_slice().iter().any(is_wall), "{prop:?}");
        assert!(prop != nowhere || !is_beside);
        found += usize::from(is_beside);
    }
    found
}

fn world(solids: &Solids<'_>, body: &LevelBody, at: WorldPos, motion: DVec2) -> Answer {
    let mut walls = Walls::new();
    solids.level_walls(body, at, &mut walls).unwrap();
    let hit = solids.sweep_level(body, at, motion, walls.envelope()).unwrap();
    let (walls, depth) = told(&walls);
    (walls, depth, hit.map(|hit| (hit.time, hit.normal, hit.is_ground)))
}

/// Where no face comes near a cylinder on its way, it stands on nothing, meets nothing and has nothing above it.
#[test]
fn what_leaves_a_way_free_is_met_by_no_query() {
    let mut random = Random::new(62);
    let (mut free, mut filled, mut floorless) = (0, 0, 0);
    for _ in 0..60 {
        let scene = scene(&mut random, false);
        let solids = scene.view().solids(ALL_LAYERS);
        let mut faces = LevelFaces::new();
        for _ in 0..100 {
            let base = random.vector(3.0).with_y(-0.4);
            let ahead = DVec2::new(random.between(-0.4, 0.4), random.between(-0.4, 0.4));
            let low = LevelBody { low: 1e-4, ..BODY };
            let heights = (-0.3, 2.2);
            solids.level_faces(&low, scene.at(base), (ahead, 0.05), heights, &mut faces).unwrap();
            let part = random.within(0.0, 1.0);
            let way = Vec3::new(ahead.x as f32, 0.0, ahead.y as f32) * part;
            let body =
                Cylinder { radius: random.within(0.1, 0.4), height: random.within(0.2, 2.0) };
            let (from, to) = (scene.at(base), scene.at(base + way));
            if faces.hold_no_floor(body, to, 0.7) {
                let (high, by) = (body.height, SupportBy::Props);
                let floor = solids.support_upright(body, to, 0.0, high, by, 0.7).unwrap();
                assert_eq!(floor, None);
                floorless += usize::from(!faces.leave_free(body, to, to));
            }
            if !faces.leave_free(body, from, to) {
                filled += 1;
                continue;
            }
            free += 1;
            let is_inside = solids.ceiling(body, from, 0.0).unwrap().is_some();
            let above = solids.ceiling(body, to, body.height).unwrap();
            assert_eq!(above.is_some(), is_inside, "{above:?}");
            let hit = solids.sweep_on(
                body,
                from,
                to.relative_to(from, scene.view().grid().sector_size()),
            );
            assert_eq!(hit.unwrap(), None);
            let under = solids.support(body, to, 0.0, body.height, SupportBy::Props).unwrap();
            assert_eq!(under, None);
        }
    }
    assert!(free > 1000 && filled > 1000 && floorless > 300, "{free} {filled} {floorless}");
}

/// Of one triangle that the body is not in when it begins, a level sweep meets what a general one meets, as far as
/// that lies between its heights, at the same time.
fn compare_with_general_sweeps(cases: u32) {
    let mut random = Random::new(63);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..cases / 50 {
        let mut scene = Scene::without_ground(SectorCoord::new(2, 2));
        let mut corners = [(); 3].map(|()| random.vector(1.0));
        match case % 4 {
            0 => corners[1] = corners[0].with_y(corners[1].y),
            1 => corners[2].y = corners[1].y,
            _ => {}
        }
        let mesh = MeshSource { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]] };
        scene.put(&mesh, Vec3::new(1.0, 1.2, 0.5), [0.0; 3]);
        let solids = scene.view().solids(ALL_LAYERS);
        for _ in 0..50 {
            let at = Vec3::new(random.within(-1.5, 3.5), random.within(-0.5, 1.0), -1.5);
            let motion = Vec3::new(random.within(-2.0, 2.0), 0.0, random.within(0.0, 4.0));
            let place = scene.at(at);
            let slab = BODY.body.height + BODY.skin - BODY.low;
            let body = Cylinder { radius: BODY.body.radius + BODY.skin, height: slab };
            let raised = scene.at(at + Vec3::Y * BODY.low);
            if solids.ceiling(body, raised, slab).unwrap().is_some() {
                continue;
            }
            let level = DVec2::new(f64::from(motion.x), f64::from(motion.z));
            let found = solids.sweep_level(&BODY, place, level, BODY.envelope()).unwrap();
            let general = solids.sweep_on(body, raised, motion).unwrap();
            let length = f64::from(motion.length());
            match (found, general) {
                (Some(found), Some(general)) => {
                    hits += 1;
                    let apart = (found.time - general.time).abs() * length;
                    assert!(apart < 2e-5 * (1.0 + length), "{found:?} {general:?}");
                }
                (None, None) => misses += 1,
                (found, general) => {
                    // One of them only just touches it.
                    let shorter = LevelBody { skin: BODY.skin - 2e-5, ..BODY };
                    let less =
                        solids.sweep_level(&shorter, place, level, shorter.envelope()).unwrap();
                    let longer = LevelBody { skin: BODY.skin + 2e-5, ..BODY };
                    let more =
                        solids.sweep_level(&longer, place, level, longer.envelope()).unwrap();
                    assert!(
                        less.is_none() && more.is_some(),
                        "{found:?} {general:?} at {at} {motion} {corners:?}"
                    );
                }
            }
        }
    }
    assert!(hits > cases / 20 && misses > cases / 20, "{hits} {misses}");
}

#[test]
fn level_sweeps_meet_what_general_ones_meet() {
    compare_with_general_sweeps(20_000);
}

#[test]
#[ignore = "takes a minute: .ci/deep queries"]
fn a_million_level_sweeps_meet_what_general_ones_meet() {
    compare_with_general_sweeps(1_000_000);
}
