//! Where more props move around a unit than are swept, what carries it is never left out, and none passes unseen.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::props::cuboid;
use common::{Scene, grid, place, world};
use marchland_controller::{EventKind, Motion, TickSettings, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, LiveProp, LiveProps};

/// A platform, added after so many small props that fly along around its rider, or before them.
fn ride(rate: f32, speed: f32, count: u32, is_first: bool) -> (Vec3, bool) {
    let grid = grid(1.0, 64);
    let ground = world(grid, (-1, 1), &|_, _| 0.0, &|_, _| CellKind::Hole);
    let mut live = LiveProps::new(grid.sector_size());
    let mut add = |size: [f32; 3], at: [f32; 3]| {
        let id = live.add(LiveProp::new(cuboid(size), place(grid, (0, 0), at))).unwrap();
        live.set_velocity(id, Vec3::X * speed, Vec3::ZERO).unwrap();
    };
    let platform = [3.0, 0.2, 3.0];
    if is_first {
        add(platform, [0.0; 3]);
    }
    for at in 0..count {
        // Around it, in a square of which no side comes nearer to its axis than 0.46 m.
        let along = -0.46 + 0.92 * (at / 4) as f32 / (count / 4) as f32;
        let [x, z] = [[along, -0.5], [0.5, along], [-along, 0.5], [-0.5, -along]][at as usize % 4];
        add([0.05; 3], [x, 0.3 + 0.2 * (at % 7) as f32, z]);
    }
    if !is_first {
        add(platform, [0.0; 3]);
    }
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings::at_rate(rate);
    let at = place(grid, (0, 0), [0.0, 0.2, 0.0]);
    let id = scene.walker(ground.view().with_live(&live), at, Wish::STAND);
    for _ in 0..rate as u32 / 2 {
        live.advance(scene.settings.dt).unwrap();
        scene.tick(ground.view().with_live(&live));
    }
    (scene.local(id), scene.units.is_overloaded(id).unwrap())
}

#[test]
fn a_rider_stays_on_its_platform_whatever_moves_around_it() {
    for rate in [30.0, 60.0, 240.0] {
        for speed in [1.0, 5.0, 20.0] {
            for (count, is_first) in [(12, false), (40, true), (40, false), (120, false)] {
                let (at, is_overloaded) = ride(rate, speed, count, is_first);
                let off = at - Vec3::new(0.5 * speed, 0.2, 0.0);
                let told = format!("{rate} {speed} {count} {is_first}: {off} {is_overloaded}");
                // Whoever has too many around keeps its place as well.
                assert!(off.length() < 2e-3 && (!is_overloaded || count > 40), "{told}");
            }
        }
    }
}

#[test]
fn who_would_be_met_by_more_than_are_swept_is_told_as_overloaded() {
    let grid = grid(1.0, 64);
    let ground = world(grid, (-1, 1), &|_, _| 0.0, &|_, _| CellKind::Solid);
    for (count, is_over) in [(30, false), (60, true)] {
        let mut live = LiveProps::new(grid.sector_size());
        for at in 0..count {
            // Slats, one above the other and 2 cm apart, that come past the unit's place from the side.
            let at = place(grid, (0, 0), [-6.0, 0.5 + 0.02 * at as f32, 0.0]);
            let id = live.add(LiveProp::new(cuboid([0.2, 0.01, 1.0]), at)).unwrap();
            live.set_velocity(id, Vec3::X * 30.0, Vec3::ZERO).unwrap();
        }
        let mut scene = Scene::new(grid);
        let at = place(grid, (0, 0), [0.0, 0.0, 0.0]);
        let id = scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND);
        let mut told = Vec::new();
        for _ in 0..30 {
            live.advance(scene.settings.dt).unwrap();
            scene.tick(ground.view().with_live(&live));
            told.extend(scene.batch.events().iter().map(|event| event.kind));
        }
        let overloads = [EventKind::Overloaded, EventKind::OverloadEnded];
        let count_of = |kind| told.iter().filter(|told| **told == kind).count();
        let expected = if is_over { 1 } else { 0 };
        assert_eq!(overloads.map(count_of), [expected; 2], "{told:?}");
        // It is pushed ahead, or stays where it is.
        let x = scene.local(id).x;
        assert!(if is_over { x == 0.0 } else { x > 5.0 }, "{x}");
    }
}
