//! Stairs are walked at the speed of level ground, up and down, however much of them a tick's move spans.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
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

#[derive(Clone, Copy)]
struct Stairs {
    tread: f32,
    rise: f32,
    body: BodyBuilder,
}

fn stairs() -> [Stairs; 5] {
    let usual = BodyBuilder { step_down: 0.7, ..BodyBuilder::default() };
    let low_knee = BodyBuilder { knee: 0.1, step_up: 0.3, ..usual };
    let tall = BodyBuilder { step_up: 0.7, ..usual };
    [
        Stairs { tread: 0.28, rise: 0.18, body: usual },
        Stairs { tread: 0.28, rise: 0.18, body: low_knee },
        Stairs { tread: 0.3, rise: 0.5, body: tall },
        two_above_the_knee()[0],
        two_above_the_knee()[1],
    ]
}

/// Stairs of which the knee absorbs one riser and not two, and as much is followed down.
fn two_above_the_knee() -> [Stairs; 2] {
    let body = BodyBuilder::default();
    let low = BodyBuilder { knee: 0.3, step_up: 0.3, step_down: 0.3, ..body };
    [Stairs { tread: 0.25, rise: 0.25, body }, Stairs { tread: 0.28, rise: 0.18, body: low }]
}

/// Where somebody is who walks from a place at a speed, in ticks of a rate, and what was told.
fn walk(stairs: &Stairs, from: [f32; 3], speed: f32, rate: f32) -> (Vec3, Vec<EventKind>) {
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
    let start = place(grid, (0, 0), from);
    let id = scene.spawn(start, Motion::Walking, Vec3::ZERO, Wish::walk(speed, 0.0));
    let mut told = Vec::new();
    for _ in 0..(TIME * rate) as usize {
        scene.tick(ground.view().with_live(&live));
        told.extend(scene.batch.events().iter().map(|event| event.kind));
    }
    (scene.local(id), told)
}

/// Whether somebody stands on what is highest under the disc: the tread under its front, seen from the foot
/// of the stairs.
fn is_on_its_tread(stairs: &Stairs, at: Vec3) -> bool {
    let Stairs { tread, rise, body } = stairs;
    let front = at.x + body.radius;
    [front - 2e-3, front + 2e-3].into_iter().any(|x| {
        let step = ((x / tread).floor() as i32 + 1).clamp(0, STEPS as i32);
        (at.y - step as f32 * rise).abs() < 1e-3
    })
}

#[test]
fn stairs_cost_no_time_upwards() {
    for stairs in stairs() {
        let Stairs { tread, rise, body } = stairs;
        for speed in [2.0, 4.0, 6.0, 9.0, 9.9, 12.0] {
            for rate in [4.0, 10.0, 20.0, 30.0, 60.0, 120.0] {
                let (at, told) = walk(&stairs, [-START, 0.0, 0.0], speed, rate);
                let far = speed * TIME - START;
                let what = format!("{tread} x {rise} m, {speed} m/s at {rate} Hz: {at}");
                assert!((at.x - far).abs() < 2e-3, "{what}, not {far}");
                assert!(is_on_its_tread(&stairs, at), "{what}");
                // What the knee absorbs is no step.
                let is_step = |kind: &&EventKind| matches!(kind, EventKind::Stepped { .. });
                let steps = ((at.y / rise).round() as usize) * usize::from(rise > body.knee);
                assert_eq!(told.iter().filter(is_step).count(), steps, "{what}");
            }
        }
    }
}

#[test]
fn stairs_cost_no_time_downwards() {
    let usual = Stairs { tread: 0.28, rise: 0.18, body: BodyBuilder::default() };
    let [low, lower] = two_above_the_knee();
    for stairs in [usual, low, lower] {
        let Stairs { tread, rise, .. } = stairs;
        let [top, high] = [STEPS as f32 * tread, STEPS as f32 * rise];
        for speed in [2.0, 4.0, 6.0, 9.0, 9.9, 12.0] {
            for rate in [4.0, 10.0, 20.0, 30.0, 60.0, 120.0] {
                let (at, told) = walk(&stairs, [top + START, high, 0.0], -speed, rate);
                let far = top + START - speed * TIME;
                let what = format!("{tread} x {rise} m, {speed} m/s at {rate} Hz: {at}");
                assert!((at.x - far).abs() < 2e-3, "{what}, not {far}");
                assert!(is_on_its_tread(&stairs, at), "{what}");
                let is_air = |kind: &EventKind| matches!(kind, EventKind::LeftGround { .. });
                assert!(!told.iter().any(is_air), "{what}: {told:?}");
            }
        }
    }
}

#[test]
fn a_ramp_beside_a_wall_is_no_step() {
    let grid = grid(1.0, 64);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &leaning([20.0, 1e-3, 8.0], 10.0), place(grid, (0, 0), [10.0, 0.0, 0.0]));
    put(&mut live, &cuboid([40.0, 20.0, 1.0]), place(grid, (0, 0), [10.0, 0.0, 2.0]));
    for knee in [0.0, BodyBuilder::default().knee] {
        for rate in [30.0, 60.0, 240.0] {
            let mut scene = Scene::with_body(grid, BodyBuilder { knee, ..BodyBuilder::default() });
            scene.settings = TickSettings::at_rate(rate);
            let start = place(grid, (0, 0), [-1.0, 0.0, 0.0]);
            let id = scene.spawn(start, Motion::Walking, Vec3::ZERO, Wish::walk(1.5, 0.7));
            for tick in 0..(6.0 * rate) as usize {
                scene.tick(ground.view().with_live(&live));
                let told = scene.batch.events().iter().map(|event| event.kind);
                let steps: Vec<_> =
                    told.filter(|kind| matches!(kind, EventKind::Stepped { .. })).collect();
                assert!(steps.is_empty(), "knee {knee} at {rate} Hz, tick {tick}: {steps:?}");
            }
            let at = scene.local(id);
            assert!(at.x > 7.0, "knee {knee} at {rate} Hz: {at}");
        }
    }
}
