//! Contacts that last begin once and end once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use common::props::cuboid;
use common::{Random, Scene, endless, grid, place};
use marchland_controller::{BodyBuilder, EventKind, Motion, TickSettings, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::{LiveProp, LiveProps, PropId};

/// In which ticks contacts of each unit with each prop began and ended.
type Told = BTreeMap<(u32, PropId), Vec<u32>>;

fn note(told: &mut Told, scene: &Scene, tick: u32) {
    for event in scene.batch.events() {
        if let EventKind::ContactBegan { prop, .. } | EventKind::ContactEnded { prop } = event.kind
        {
            told.entry((event.unit.slot, prop)).or_default().push(tick);
        }
    }
}

/// The most events of one contact in a second.
fn most_in_a_second(told: &Told, rate: f32) -> usize {
    let in_a_second = |ticks: &Vec<u32>| {
        let from =
            |at: usize| ticks[at..].iter().filter(move |tick| **tick < ticks[at] + rate as u32);
        (0..ticks.len()).map(|at| from(at).count()).max().unwrap()
    };
    told.values().map(in_a_second).max().unwrap_or(0)
}

#[test]
fn a_rider_that_is_carried_along_a_wall_and_past_its_end_touches_it_once() {
    for (rate, radius) in [(30.0, 0.4), (60.0, 0.2), (120.0, 0.6), (240.0, 0.4)] {
        let grid = grid(1.0, 32);
        let ground = endless(grid, &|_, _| 0.0);
        let mut live = LiveProps::new(grid.sector_size());
        let at = |y: f32| place(grid, (0, 0), [0.1, y, 0.2]);
        let table = live.add(LiveProp::new(cuboid([6.0, 0.3, 6.0]), at(0.05))).unwrap();
        live.add(LiveProp::new(cuboid([0.3, 3.0, 4.0]), at(0.5))).unwrap();
        live.set_velocity(table, Vec3::new(0.15, 0.0, 0.3), Vec3::Y * 0.52).unwrap();
        let mut scene = Scene::with_body(grid, BodyBuilder { radius, ..BodyBuilder::default() });
        scene.settings = TickSettings::at_rate(rate);
        let mut random = Random::new(7);
        for _ in 0..80 {
            let mut within = |most: f32| random.within(-most, most);
            let at = place(grid, (0, 0), [within(2.5), 0.35, within(2.5)]);
            let wish = Wish::walk(within(1.0), within(1.0));
            scene.spawn(at, Motion::Walking, Vec3::ZERO, wish);
        }
        let mut told = Told::new();
        for tick in 0..4 * rate as u32 {
            live.advance(scene.settings.dt).unwrap();
            scene.tick(ground.view().with_live(&live));
            note(&mut told, &scene, tick);
        }
        let most = most_in_a_second(&told, rate);
        assert!(told.len() > 20 && most <= 4, "{most} at {rate}");
    }
}

#[test]
fn who_jumps_between_walls_that_slant_touches_each_once_in_a_jump() {
    for (rate, radius) in [(30.0, 0.4), (60.0, 0.2), (120.0, 0.6), (240.0, 0.4)] {
        for degrees in [-30.0, 30.0, 40.0] {
            let grid = grid(1.0, 32);
            let ground = endless(grid, &|_, _| 0.0);
            let mut live = LiveProps::new(grid.sector_size());
            for side in [-1.0, 1.0] {
                let turn = Rotation::from_degrees([degrees * side, 0.0, 0.0]);
                let placement = Placement::new(turn, 1.0).unwrap();
                let at = place(grid, (0, 0), [0.0, -1.0, 1.2 * side as f32]);
                let slab = LiveProp { placement, ..LiveProp::new(cuboid([4.0, 5.0, 0.4]), at) };
                live.add(slab).unwrap();
            }
            let mut scene =
                Scene::with_body(grid, BodyBuilder { radius, ..BodyBuilder::default() });
            scene.settings = TickSettings::at_rate(rate);
            let mut random = Random::new(11);
            let mut wishes = Vec::new();
            for _ in 0..40 {
                let mut within = |most: f32| random.within(-most, most);
                let at = place(grid, (0, 0), [within(1.5), 1.5 + within(1.0), within(0.3)]);
                wishes.push(Wish::walk(within(4.0), within(4.0)));
                scene.spawn(at, Motion::Falling, Vec3::ZERO, Wish::STAND);
            }
            let mut told = Told::new();
            for tick in 0..4 * rate as u32 {
                let jumps = tick % (rate as u32 / 2) == 0;
                for (now, wish) in scene.wishes.iter_mut().zip(&wishes) {
                    *now = if jumps { wish.jumping() } else { *wish };
                }
                live.advance(scene.settings.dt).unwrap();
                scene.tick(ground.view().with_live(&live));
                note(&mut told, &scene, tick);
            }
            // It begins and ends in each of two jumps, and in a fall off the end.
            let most = most_in_a_second(&told, rate);
            assert!(told.len() > 5 && most <= 6, "{most} at {rate}, {degrees}");
        }
    }
}
