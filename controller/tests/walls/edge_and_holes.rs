//! The world's edge, who is beyond it, and holes.

use marchland_controller::{Motion, Wish};
use marchland_terrain::CellKind;
use marchland_terrain::glam::Vec3;

use crate::common::{HEADINGS, Scene, endless, grid, place, world};

#[test]
fn the_worlds_edge_stops_and_is_slid_along_by_walkers_and_fallers() {
    let grid = grid(1.0, 32);
    // Two by two sectors; the last three columns of the eastern ones are not of this world.
    let kind = |c: i64, _: i64| if c >= 61 { CellKind::Outside } else { CellKind::Solid };
    let ground = world(grid, (0, 1), &|_, _| 3.0, &kind);
    // Metres from the centre of sector (0, 0).
    let (low, east, south) = (-16.0, 45.0, 48.0);
    for motion in [Motion::Walking, Motion::Falling] {
        for heading in HEADINGS {
            for speed in [5.0, 100.0_f32] {
                let mut scene = Scene::new(grid);
                let velocity = Vec3::new(heading[0] * speed, 0.0, heading[1] * speed);
                let y = if motion == Motion::Walking { 3.0 } else { 2000.0 };
                let start = place(grid, (0, 0), [15.0, y, 15.5]);
                let wish = Wish::walk(velocity.x, velocity.z);
                let id = scene.spawn(start, motion, velocity, wish);
                let mut stopped = 0;
                for _ in 0..600 {
                    stopped += scene.tick(ground.view()).stopped_at_edge;
                    let [x, _, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
                    assert!(low <= x && x < east && low <= z && z < south, "{heading:?}: {x} {z}");
                }
                assert!(stopped > 0);
                let [x, _, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
                let near = |a: f64, b: f64| (a - b).abs() < 1e-3;
                let at_edge = near(x, low) || near(x, east) || near(z, low) || near(z, south);
                assert!(at_edge, "{heading:?}: rests at {x} {z}");
            }
        }
    }
}

#[test]
fn the_last_sector_that_has_a_number_ends_the_world() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    for (sector, heading) in [
        ((i32::MAX, 0), [1.0, 0.3]),
        ((i32::MIN, i32::MIN), [-1.0, -1.0]),
        ((4, i32::MAX), [0.2, 1.0]),
    ] {
        for speed in [5.0, 5000.0_f32] {
            let mut scene = Scene::new(grid);
            scene.settings.dt = 0.25;
            let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
            let id = scene.walker(ground.view(), place(grid, sector, [0.0; 3]), wish);
            let mut stopped = 0;
            for _ in 0..100 {
                stopped += scene.tick(ground.view()).stopped_at_edge;
                scene.assert_sound(ground.view());
            }
            assert!(stopped > 0 && scene.units.motion(id) == Some(Motion::Walking));
        }
    }
}

#[test]
fn who_stands_outside_the_world_stays_there() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, _: i64| if c >= 20 { CellKind::Outside } else { CellKind::Solid };
    let ground = world(grid, (0, 0), &|_, _| 0.0, &kind);
    let mut scene = Scene::new(grid);
    let places = [place(grid, (7, 7), [0.0; 3]), place(grid, (0, 0), [10.0, 5.0, 0.0])];
    let beyond =
        places.map(|at| scene.spawn(at, Motion::Falling, Vec3::ZERO, Wish::walk(1.0, 1.0)));
    let before = scene.units.state_hash();
    let report = scene.tick(ground.view());
    assert_eq!((report.outside(), report.ticked), (&beyond[..], 0));
    assert_eq!(scene.units.state_hash(), before);
    let inside = scene.walker(ground.view(), place(grid, (0, 0), [0.5; 3]), Wish::STAND);
    assert_eq!(scene.tick(ground.view()).outside(), beyond, "named in every tick");
    scene.units.teleport(ground.view(), beyond[0], place(grid, (0, 0), [1.0, 0.0, 1.0])).unwrap();
    scene.units.teleport(ground.view(), inside, place(grid, (-3, 2), [0.0; 3])).unwrap();
    let report = scene.tick(ground.view());
    assert_eq!((report.outside(), report.ticked), (&[beyond[1], inside][..], 1));
}

#[test]
fn who_walks_over_a_hole_falls_through_and_never_comes_up_its_rim() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, r: i64| {
        if (16..18).contains(&c) && (14..18).contains(&r) {
            CellKind::Hole
        } else {
            CellKind::Solid
        }
    };
    // Level, and rising towards +X so that the far rim is above the near one.
    // So slow that nobody flies over it to where the rim is lower.
    for (rise, speeds) in [(0.0, [2.0, 4.0]), (0.3, [1.0, 2.0])] {
        let ground = world(grid, (0, 0), &|c, _| c as f64 * rise, &kind);
        for (heading, speed) in HEADINGS.iter().flat_map(|h| speeds.map(|speed| (h, speed))) {
            let mut scene = Scene::new(grid);
            let start = [1.0 - heading[0] * 2.6, 0.0, -heading[1] * 3.4];
            let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
            let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
            let mut left = 0;
            let mut rim = 0;
            for _ in 0..60 * 8 {
                let report = scene.tick(ground.view());
                left += report.left_ground;
                rim += report.stopped_by_slope;
                assert_eq!(report.landed, 0, "{heading:?} came up");
                scene.assert_sound(ground.view());
            }
            assert_eq!(left, 1, "{heading:?} at {speed}");
            assert!(rim > 0, "{heading:?} met no rim");
            let local = scene.local(id);
            assert!(local.y < -100.0 && (0.0..2.0).contains(&local.x), "{heading:?}: {local}");
            let velocity = scene.units.velocity(id).unwrap();
            assert_eq!((velocity.y, scene.units.motion(id)), (-55.0, Some(Motion::Falling)));
        }
    }
}
