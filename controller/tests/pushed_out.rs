//! Who is pushed out onto something stands on it: it does not fall through, again and again, faster
//! each time.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Scene, endless, grid, place};
use marchland_controller::{BodyBuilder, Motion, Wish};
use marchland_terrain::LiveProps;
use marchland_terrain::glam::Vec3;

/// Ticks until who is in the top of a box stands on it.
const SOON: usize = 3;

#[test]
fn who_falls_in_the_top_of_a_box_lands_on_it() {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &|_, _| 0.0);
    for top in [2.0_f32, 2.75, 30.125, 700.375] {
        let mut live = LiveProps::new(grid.sector_size());
        put(&mut live, &cuboid([4.0, top, 4.0]), place(grid, (0, 0), [0.0; 3]));
        let view = ground.view().with_live(&live);
        for radius in [0.15_f32, 0.4, 0.9] {
            for sunk in [1e-4_f32, 1e-3, 0.02, 0.1] {
                let body = BodyBuilder { radius, ..BodyBuilder::default() };
                let mut scene = Scene::with_body(grid, body);
                let at = place(grid, (0, 0), [0.3, top - sunk, -0.2]);
                let id = scene.spawn(at, Motion::Falling, Vec3::ZERO, Wish::STAND);
                for _ in 0..SOON {
                    scene.tick(view);
                }
                let (feet, motion) = (scene.local(id).y, scene.units.motion(id).unwrap());
                assert_eq!(
                    (motion, feet),
                    (Motion::Walking, top),
                    "radius {radius}, {sunk} m in a top at {top}"
                );
            }
        }
    }
}
