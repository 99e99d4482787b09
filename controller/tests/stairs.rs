//! Stairs are walked up at the speed of level ground: however much of them a tick's move spans where the steps
//! are above the knee, and at the usual speeds and rates where the knee absorbs them.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Scene, endless, grid, place};
use marchland_controller::{BodyBuilder, EventKind, Motion, TickSettings, Wish};
use marchland_terrain::LiveProps;
use marchland_terrain::glam::Vec3;

/// Steps of a staircase, of which the last is the landing.
const STEPS: u32 = 12;

/// Metres before the first step.
const START: f32 = 1.0;

/// Seconds.
const TIME: f32 = 2.0;

struct Stairs {
    tread: f32,
    rise: f32,
    body: BodyBuilder,
}

fn stairs() -> [Stairs; 3] {
    let usual = BodyBuilder { step_down: 0.7, ..BodyBuilder::default() };
    let low_knee = BodyBuilder { knee: 0.1, step_up: 0.3, ..usual };
    let tall = BodyBuilder { step_up: 0.7, ..usual };
    [
        Stairs { tread: 0.28, rise: 0.18, body: usual },
        Stairs { tread: 0.28, rise: 0.18, body: low_knee },
        Stairs { tread: 0.3, rise: 0.5, body: tall },
    ]
}

/// Where somebody is who walks up at a speed, in ticks of a rate, and how many steps were told.
fn walk_up(stairs: &Stairs, speed: f32, rate: f32) -> (Vec3, usize) {
    let grid = grid(1.0, 64);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    for step in 0..STEPS {
        let (west, height) = (step as f32 * stairs.tread, (step + 1) as f32 * stairs.rise);
        let deep = if step + 1 == STEPS { 24.0 } else { stairs.tread };
        let mesh = cuboid([deep, height, 4.0]);
        put(&mut live, &mesh, place(grid, (0, 0), [west + deep / 2.0, 0.0, 0.0]));
    }
    let mut scene = Scene::with_body(grid, stairs.body);
    scene.settings = TickSettings::at_rate(rate);
    let start = place(grid, (0, 0), [-START, 0.0, 0.0]);
    let id = scene.spawn(start, Motion::Walking, Vec3::ZERO, Wish::walk(speed, 0.0));
    let mut steps = 0;
    for _ in 0..(TIME * rate) as usize {
        scene.tick(ground.view().with_live(&live));
        let events = scene.batch.events();
        steps += events.iter().filter(|at| matches!(at.kind, EventKind::Stepped { .. })).count();
    }
    (scene.local(id), steps)
}

#[test]
fn stairs_cost_no_time_from_ten_ticks_a_second_on() {
    for stairs in stairs() {
        let Stairs { tread, rise, body } = stairs;
        // What the knee absorbs is no step: whose tick spans three risers of it may lose some way.
        let fast: &[f32] = if rise > body.knee { &[9.0, 9.9] } else { &[] };
        for &speed in [2.0, 4.0, 6.0, 12.0].iter().chain(fast) {
            for rate in [10.0, 20.0, 30.0, 60.0, 120.0] {
                let (at, steps) = walk_up(&stairs, speed, rate);
                let far = speed * TIME - START;
                let what = format!("{tread} x {rise} m, {speed} m/s at {rate} Hz: {at}");
                assert!((at.x - far).abs() < 2e-3, "{what}, not {far}");
                // The foremost tread under the disc bears it.
                let tread_at = |x: f32| ((x / tread).floor() as i32 + 1).clamp(0, STEPS as i32);
                let front = at.x + body.radius;
                let [low, high] = [front - 2e-3, front + 2e-3].map(tread_at);
                let is_there = |step: i32| (at.y - step as f32 * rise).abs() < 1e-3;
                assert!(is_there(low) || is_there(high), "{what}, not {low} steps up");
                if rise > body.knee {
                    assert_eq!(steps, low as usize, "{what}");
                }
            }
        }
    }
}
