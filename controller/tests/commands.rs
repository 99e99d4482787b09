//! What a game does to units between ticks.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Scene, endless, grid, place, sector, solid, world};
use marchland_controller::{
    BodyBuilder, CommandError, EventKind, LeftGround, Motion, PathChoice, SurfaceResponse,
    TickSettings, Wish, start_motion,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::query::ALL_LAYERS;
use marchland_terrain::{CellKind, LiveProp, LiveProps, SectorCoord, SurfaceId};

/// A ravine along Z: its floor from x = -1 to 1, its sides 20 m high and a cell wide.
fn ravine(column: i64, _: i64) -> f64 {
    if (-1..=1).contains(&(column - 16)) { 0.0 } else { 20.0 }
}

#[test]
fn a_body_grows_between_steep_ground_only_where_it_fits() {
    let grid = grid(1.0, 32);
    let ground = world(grid, (-1, 1), &ravine, &solid);
    let view = ground.view();
    let mut scene = Scene::with_body(grid, BodyBuilder { radius: 0.2, ..BodyBuilder::default() });
    let [wide, tall, wider] = [(2.0, 1.8), (0.2, 3.0), (0.6, 1.8)].map(|(radius, height)| {
        let body = BodyBuilder { radius, height, ..BodyBuilder::default() };
        scene.units.add_body(body.build().unwrap()).unwrap()
    });
    let at = place(grid, (0, 0), [0.1, 0.0, 0.0]);
    let id = scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND);
    scene.tick(view);
    let refused = scene.units.resize(view, id, wide);
    assert!(matches!(refused, Err(CommandError::Steep { depth }) if depth > 0.5), "{refused:?}");
    assert_eq!(scene.units.resize(view, id, tall), Ok(()));
    assert_eq!(scene.units.resize(view, id, wider), Ok(()));
    scene.tick(view);
    assert_eq!(scene.local(id), at.local(), "nobody is thrown out of a ravine");
}

#[test]
fn who_slides_stands_up_as_ever() {
    let grid = grid(1.0, 32);
    let ground = world(grid, (-1, 1), &|column, _| column as f64 * 2.0, &solid);
    let view = ground.view();
    let crouched = BodyBuilder { height: 0.9, ..BodyBuilder::default() };
    let mut scene = Scene::with_body(grid, crouched);
    let upright = scene.units.add_body(BodyBuilder::default().build().unwrap()).unwrap();
    let id = scene.walker(view, place(grid, (0, 0), [0.3, 0.0, 0.2]), Wish::STAND);
    for _ in 0..30 {
        scene.tick(view);
    }
    assert_eq!(scene.units.motion(id), Some(Motion::Sliding));
    assert_eq!(scene.units.resize(view, id, upright), Ok(()));
}

/// Teleports onto ground, ticks, and tells the hash of all units and what was told: with the ground there
/// from the beginning, or after so many ticks.
fn teleported(
    to: [f32; 3],
    impulse: Option<Vec3>,
    late: usize,
) -> (u64, Option<Motion>, Vec<EventKind>) {
    let grid = grid(1.0, 32);
    let flat = |_: i64, _: i64| 3.0;
    let mut ground = world(grid, (0, 0), &flat, &solid);
    let there = SectorCoord::new(5, -2);
    let coming = sector(grid, there, &flat, &solid);
    ground.insert(there, coming.clone()).unwrap();
    if late > 0 {
        ground.unload(there);
    }
    let mut scene = Scene::new(grid);
    let id = scene.walker(ground.view(), place(grid, (0, 0), [0.0; 3]), Wish::walk(3.0, 0.0));
    scene.tick(ground.view());
    let to = place(grid, (5, -2), to);
    scene.units.teleport(ground.view(), id, to).unwrap();
    if let Some(impulse) = impulse {
        scene.units.add_impulse(id, impulse).unwrap();
    }
    for _ in 0..late {
        assert_eq!(scene.tick(ground.view()).held(), [id]);
    }
    if late > 0 {
        ground.insert(there, coming).unwrap();
    }
    let mut told = Vec::new();
    for _ in 0..20 {
        scene.tick(ground.view());
        let events = scene.batch.events().iter().map(|event| event.kind);
        told.extend(events.filter(|kind| *kind != EventKind::Released));
    }
    (scene.units.state_hash_from(SectorCoord::new(0, 0)), scene.units.motion(id), told)
}

#[test]
fn who_is_put_onto_ground_that_is_late_begins_there_as_if_it_had_been_there() {
    let to = [[1.0, 3.0, 2.0], [1.0, 8.0, 2.0], [1.0, -8.0, 2.0]];
    let impulses = [None, Some(Vec3::new(1.0, 5.0, 0.0))];
    for (to, impulse) in to.into_iter().flat_map(|to| impulses.map(|impulse| (to, impulse))) {
        let expected = teleported(to, impulse, 0);
        for late in [1, 7] {
            let found = teleported(to, impulse, late);
            assert_eq!(found, expected, "{to:?} {impulse:?}, {late} ticks late");
        }
        let falls = expected.2.iter().any(|kind| matches!(kind, EventKind::LeftGround { .. }));
        assert_eq!(falls, to[1] > 3.5 || impulse.is_some(), "{to:?}: {:?}", expected.2);
    }
}

#[test]
fn who_begins_to_walk_on_late_ground_names_the_sector_that_it_still_waits_for() {
    let grid = grid(1.0, 32);
    let flat = |_: i64, _: i64| 3.0;
    let mut ground = world(grid, (0, 0), &flat, &solid);
    let [there, beyond] = [5, 6].map(|x| SectorCoord::new(x, -2));
    for coord in [there, beyond] {
        ground.insert(coord, sector(grid, coord, &flat, &solid)).unwrap();
        ground.unload(coord);
    }
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings::at_rate(20.0);
    let id = scene.walker(ground.view(), place(grid, (0, 0), [0.0; 3]), Wish::walk(6.0, 0.0));
    // Its body is 0.2 m from the border, and its walk leads over it.
    let at = place(grid, (5, -2), [15.4, 3.0, 2.0]);
    scene.units.teleport(ground.view(), id, at).unwrap();
    assert_eq!(scene.tick(ground.view()).missing(), [there]);
    ground.insert(there, sector(grid, there, &flat, &solid)).unwrap();
    let report = scene.tick(ground.view());
    assert_eq!((report.held(), report.missing()), (&[id][..], &[beyond][..]));
}

/// Where somebody is along X, and how fast, who rides on a platform with one of these masks and then has
/// another one, before and after a tick.
fn ridden(masks: [u32; 2]) -> [[f32; 2]; 2] {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    let lift = LiveProp::new(cuboid([4.0, 0.5, 4.0]), place(grid, (0, 0), [0.0, 2.0, 0.0]));
    let linear_velocity = Vec3::new(6.0, 3.0, 0.0);
    live.add(LiveProp { linear_velocity, layers: 1, ..lift }).unwrap();
    let mut scene = Scene::new(grid);
    let at = place(grid, (0, 0), [0.0, 2.5, 0.0]);
    let id = scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND);
    scene.units.set_mask(id, masks[0]);
    let mut seen = [[0.0; 2]; 2];
    for tick in 0..10 {
        if tick == 9 {
            scene.units.set_mask(id, masks[1]);
        }
        live.advance(scene.settings.dt).unwrap();
        scene.tick(ground.view().with_live(&live));
        seen = [seen[1], [scene.local(id).x, scene.units.velocity(id).unwrap().x]];
    }
    seen
}

#[test]
fn who_no_longer_meets_a_platform_is_not_carried_by_it() {
    let [before, after] = ridden([1, 2]);
    assert!(before[0] > 0.5, "was not carried: {before:?}");
    assert_eq!(after, [before[0], 0.0]);
    for still in [1, 3] {
        let [before, after] = ridden([1, still]);
        assert!((after[0] - before[0] - 0.1).abs() < 1e-4, "{before:?} {after:?}");
    }
}

#[test]
fn who_is_stuck_and_put_elsewhere_is_free() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &cuboid([20.0, 20.0, 20.0]), place(grid, (0, 0), [0.0, -5.0, 0.0]));
    let view = ground.view().with_live(&live);
    let mut scene = Scene::new(grid);
    let id = scene.walker(view, place(grid, (0, 0), [0.0; 3]), Wish::STAND);
    assert_eq!(scene.units.is_stuck(id), Some(false), "not until a tick has found out");
    let mut told = Vec::new();
    for tick in 0..10 {
        if tick == 5 {
            let to = place(grid, (2, 0), [0.0, 0.0, 0.0]);
            scene.units.teleport(view, id, to).unwrap();
        }
        scene.tick(view);
        assert_eq!(scene.units.is_stuck(id), Some(tick < 5), "tick {tick}");
        told.extend(scene.batch.events().iter().map(|event| (tick, event.kind)));
    }
    // On its way out it is told once.
    assert!(matches!(told[..], [(0, EventKind::Stuck { .. }), (5, EventKind::Freed)]), "{told:?}");
    scene.units.despawn(id);
    assert_eq!(scene.units.is_stuck(id), None);
}

#[test]
fn who_is_put_onto_the_rim_of_a_hole_stands_there_and_may_jump() {
    let grid = grid(2.0, 16);
    let hole = |c: i64, r: i64| if (c, r) == (8, 8) { CellKind::Hole } else { CellKind::Solid };
    let flat = |_: i64, _: i64| 0.0;
    let mut ground = world(grid, (-1, 1), &flat, &hole);
    let home = SectorCoord::new(0, 0);
    let own = sector(grid, home, &flat, &hole);
    // The hole is from 0 to 2 along both axes: on its rim, and over its middle.
    for (x, walks) in [(0.2, true), (1.0, false)] {
        for (late, jumps) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut scene = Scene::new(grid);
            let body = *scene.units.bodies().first().unwrap();
            let at = place(grid, (0, 0), [x, 0.0, 1.0]);
            let wish = if jumps { Wish::STAND.jumping() } else { Wish::STAND };
            let motion = start_motion(ground.view(), at, &body, u32::MAX);
            assert_eq!(motion == Motion::Walking, walks, "at {x}");
            scene.spawn(at, motion, Vec3::ZERO, wish);
            let there = place(grid, (1, 1), [1.0, 0.0, 1.0]);
            let put = scene.spawn(there, Motion::Walking, Vec3::ZERO, wish);
            if late {
                ground.unload(home);
            }
            scene.units.teleport(ground.view(), put, at).unwrap();
            ground.insert(home, own.clone()).unwrap();
            scene.tick(ground.view());
            for id in scene.units.iter() {
                let rises = scene.units.velocity(id).unwrap().y > 1.0;
                let motion = scene.units.motion(id).unwrap();
                let expected = if walks && !jumps { Motion::Walking } else { Motion::Falling };
                assert_eq!((motion, rises), (expected, walks && jumps), "{x} {late} {jumps}");
            }
        }
    }
}

#[test]
fn an_impulse_in_the_air_is_no_leaving_of_the_ground() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut scene = Scene::new(grid);
    let id = scene.walker(ground.view(), place(grid, (0, 0), [0.0; 3]), Wish::STAND);
    let mut told = Vec::new();
    for tick in 0..20 {
        if tick == 3 || tick == 9 {
            // Two between ticks are one.
            scene.units.add_impulse(id, Vec3::new(1.0, 3.0, 0.0)).unwrap();
            scene.units.add_impulse(id, Vec3::new(0.0, 1.0, 0.0)).unwrap();
        }
        scene.tick(ground.view());
        told.extend(scene.batch.events().iter().map(|event| (tick, event.kind)));
    }
    let thrown = EventKind::LeftGround { reason: LeftGround::Thrown };
    assert_eq!(told, [(3, thrown)]);
}

#[test]
fn who_is_put_where_it_stands_on_steep_ground_stands() {
    let grid = grid(1.0, 32);
    // 56 degrees: the highest ground under the disc is 0.6 m above the centre, and lifts the knee.
    let ground = world(grid, (-1, 1), &|column, _| column as f64 * 1.5, &solid);
    let view = ground.view();
    let steep = BodyBuilder { max_slope_degrees: 62.0, knee: 0.25, ..BodyBuilder::default() };
    for (body, sticky) in [(steep, false), (BodyBuilder::default(), true)] {
        let mut scene = Scene::with_body(grid, body);
        let response = SurfaceResponse { sticky, ..SurfaceResponse::PLAIN };
        scene.units.set_surface(SurfaceId(0), response).unwrap();
        let id = scene.walker(view, place(grid, (0, 0), [0.3, 0.45, 0.2]), Wish::STAND);
        let mut told = Vec::new();
        for tick in 0..20 {
            if tick == 10 {
                let here = place(grid, (0, 0), scene.local(id).to_array());
                assert!(here.local().y > 0.55, "is not lifted: {here:?}");
                let own = scene.units.body(id).copied().unwrap();
                let start = scene.units.start_motion(view, here, &own, u32::MAX);
                assert_eq!(start, Motion::Walking);
                scene.units.teleport(view, id, here).unwrap();
                assert_eq!(scene.units.motion(id), Some(Motion::Walking));
            }
            scene.tick(view);
            // Before, it is lifted to where it stands.
            let events = scene.batch.events().iter().filter(|_| tick >= 10);
            told.extend(events.map(|event| (tick, event.kind)));
        }
        assert_eq!(told, [], "sticky: {sticky}");
        // A little higher it is in the air.
        let above = place(grid, (0, 0), (scene.local(id) + Vec3::new(0.0, 0.1, 0.0)).to_array());
        scene.units.teleport(view, id, above).unwrap();
        assert_eq!(scene.units.motion(id), Some(Motion::Falling));
    }
}

/// The units' state, and where somebody is, after each of three ticks by a path: it rides on a platform, does
/// not meet it in the first of them, and meets it again.
fn let_go_for_a_tick(path: PathChoice) -> Vec<(u64, Vec3)> {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    let plate = LiveProp::new(cuboid([4.0, 0.5, 4.0]), place(grid, (0, 0), [0.0, 0.0, 0.0]));
    live.add(LiveProp { linear_velocity: Vec3::new(6.0, 0.0, 0.0), ..plate }).unwrap();
    let mut scene = Scene::new(grid);
    scene.switches.path = path;
    let at = place(grid, (0, 0), [0.0, 0.5, 0.0]);
    let id = scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND);
    let mut seen = Vec::new();
    for tick in 0..12 {
        scene.units.set_mask(id, if tick == 9 { 0 } else { ALL_LAYERS });
        live.advance(scene.settings.dt).unwrap();
        scene.tick(ground.view().with_live(&live));
        seen.push((scene.units.state_hash(), scene.local(id)));
    }
    seen.split_off(9)
}

#[test]
fn who_does_not_meet_a_platform_for_a_tick_has_left_it_by_either_path() {
    let [auto, full] = [PathChoice::Auto, PathChoice::Full].map(let_go_for_a_tick);
    assert_eq!(auto, full);
    let x = auto.iter().map(|(_, at)| at.x).collect::<Vec<_>>();
    assert!(
        x[0] == x[1] && x[1] < x[2],
        "was not left for a tick, or not taken along again: {x:?}"
    );
}
