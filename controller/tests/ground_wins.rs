//! Bodies that begin below the ground and in props: on the ground after every tick, and free or told as
//! stuck.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::props::cuboid;
use common::{Random, Scene, endless, grid, place};
use marchland_controller::{BodyBuilder, EventKind, Motion, TickSettings, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::query::{ALL_LAYERS, Cylinder};
use marchland_terrain::{LiveProp, LiveProps};

#[test]
fn nobody_ends_below_the_ground_or_in_a_prop_unless_told() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut random = Random::new(9);
    let (mut begun_inside, mut got_free) = (0, 0);
    for round in 0..400 {
        let mut live = LiveProps::new(grid.sector_size());
        let mut draw = |low: f64, high: f64| random.within(low as f32, high as f32);
        let slab = place(grid, (0, 0), [draw(-0.5, 0.5), draw(0.4, 2.3), draw(-0.5, 0.5)]);
        let mut slab = LiveProp::new(cuboid([6.0, 0.2, 6.0]), slab);
        let tilt = [draw(-45.0, 45.0), draw(0.0, 360.0), draw(-45.0, 45.0)].map(f64::from);
        slab.placement = Placement::new(Rotation::from_degrees(tilt), 1.0).unwrap();
        live.add(slab).unwrap();
        let radius = draw(0.1, 0.8);
        let (knee, height) = (0.45, draw(1.0, 2.0));
        let body = BodyBuilder { radius, height, knee, ..BodyBuilder::default() };
        let mut scene = Scene::with_body(grid, body);
        scene.settings = TickSettings::at_rate([30.0, 60.0, 240.0][round % 3]);
        let feet = place(grid, (0, 0), [0.0, draw(-0.449, 0.2), 0.0]);
        let motion = if round % 4 == 0 { Motion::Falling } else { Motion::Walking };
        let wish = Wish::walk(draw(-5.0, 5.0), draw(-5.0, 5.0));
        let id = scene.spawn(feet, motion, Vec3::ZERO, wish);
        let view = ground.view().with_live(&live);
        let upper = Cylinder { radius: radius - 1e-3, height: height - knee - 2e-3 };
        let is_inside = |scene: &Scene| {
            let feet = scene.units.position(id).unwrap();
            let knee = feet.moved_by(Vec3::Y * (knee + 1e-3), grid.sector_size()).unwrap();
            view.solids(ALL_LAYERS).ceiling(upper, knee, upper.height).unwrap().is_some()
        };
        let began_inside = is_inside(&scene);
        for tick in 0..40 {
            scene.tick(view);
            let at = scene.local(id);
            assert!(at.y >= 0.0, "{at} in tick {tick} of round {round}");
            let is_told = scene.units.is_stuck(id) == Some(true);
            assert!(is_told || !is_inside(&scene), "{at} in tick {tick} of round {round}");
        }
        begun_inside += usize::from(began_inside);
        got_free += usize::from(began_inside && !is_inside(&scene));
    }
    assert!(begun_inside > 100 && got_free > begun_inside / 3, "{got_free} of {begun_inside}");
}

/// The ground beside the middle is higher than the feet where they are put, and no knee absorbs it.
#[test]
fn a_body_without_knees_that_is_put_on_a_slope_is_not_told_as_stuck() {
    let grid = grid(1.0, 32);
    for slope in [0.125, 0.25, 0.75] {
        let ground = endless(grid, &|column, _| slope * (column - 16) as f64);
        let feet = place(grid, (0, 0), [0.0, 0.0, 0.3]);
        let mut scene = Scene::with_body(grid, BodyBuilder { knee: 0.0, ..BodyBuilder::default() });
        let id = scene.spawn(feet, Motion::Walking, Vec3::ZERO, Wish::STAND);
        for tick in 0..20 {
            if tick == 10 {
                scene.units.teleport(ground.view(), id, feet).unwrap();
            }
            scene.tick(ground.view());
            let is_stuck = |kind| matches!(kind, EventKind::Stuck { .. } | EventKind::Freed);
            let told = scene.batch.events().iter().find(|event| is_stuck(event.kind));
            assert!(told.is_none(), "{told:?} in tick {tick} at {slope}");
        }
        let y = scene.local(id).y;
        assert!((y - 0.4 * slope as f32).abs() < 1e-4, "{y} at {slope}");
    }
}
