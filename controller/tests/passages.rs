//! Who passes props without meeting any follows the ground, also within the box around a prop that stands
//! askew: with the bits of the full controller, however far or little it goes.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::cuboid;
use common::{Random, Scene, grid, height_at, noise, place, solid, world};
use marchland_controller::{Body, PathChoice, Shortcuts, Wish};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, Placement};
use marchland_terrain::{LiveProps, ResidentSectors};

const UNITS: usize = 240;

/// Short waves, no steeper than a unit walks, and deeper than it steps down.
fn waves(column: i64, row: i64) -> f64 {
    (noise(column, row) + if column % 2 == 0 { 0.5 } else { 0.0 }) * 0.25
}

/// Walls that stand askew: most of the box around one is free; and a block so large that who is in it
/// is near none of its faces.
fn walls(ground: &ResidentSectors) -> LiveProps {
    let grid = ground.grid();
    let mut live = LiveProps::new(grid.sector_size());
    let wall = cuboid([9.0, 2.5, 0.2]);
    for sector in [(-1, 0), (0, 0), (0, -1), (1, 1)] {
        for at in [-8.0, 0.0, 8.0] {
            let at = place(grid, sector, [at, 0.0, at * 0.5]);
            let y = height_at(ground.view(), at).unwrap() - 0.3;
            let local = at.local();
            let at = place(grid, sector, [local.x, y, local.z]);
            let turned = Placement::new(Rotation::from_degrees([0.0, 40.0, 0.0]), 1.0).unwrap();
            live.add(LiveProp { placement: turned, ..LiveProp::new(wall.clone(), at) }).unwrap();
        }
    }
    let middle = place(grid, (-1, -1), [0.0, -6.0, 0.0]);
    live.add(LiveProp::new(cuboid([12.0, 12.0, 12.0]), middle)).unwrap();
    live
}

#[test]
fn who_passes_props_goes_as_the_full_controller_does() {
    let grid = grid(1.0, 32);
    let ground = world(grid, (-2, 2), &waves, &solid);
    let live = walls(&ground);
    let view = ground.view().with_live(&live);
    let ways = [PathChoice::Auto, PathChoice::Full];
    let mut scenes = ways.map(|path| {
        let body = marchland_controller::BodyBuilder { step_down: 0.02, ..Body::builder() };
        let mut scene = Scene::with_body(grid, body);
        scene.switches.path = path;
        scene
    });
    let mut random = Random::from_state(5);
    for unit in 0..UNITS {
        let sector = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        let (x, z) = (random.within(-15.9, 15.9), random.within(-15.9, 15.9));
        // Near the middle of a sector the least of moves is one.
        let near = if unit % 5 == 0 { 1e-3 } else { 1.0 };
        for scene in &mut scenes {
            scene.walker(view, place(grid, sector, [x * near, 0.0, z * near]), Wish::STAND);
        }
    }
    let mut full = [0; 2];
    for tick in 0..400_u64 {
        for (unit, wish) in scenes[0].wishes.iter_mut().enumerate() {
            if random.below(20) == 0 {
                let speed = [4e-6, 1e-4, 1.0, 5.0, 23.0, 35.0, 50.0, 0.0][unit % 8];
                let way = [(); 2].map(|()| random.within(-0.9, 0.9) * speed);
                *wish = Wish::STAND.at_velocity(way);
            }
        }
        let [auto, plain] = &mut scenes;
        plain.wishes.clone_from(&auto.wishes);
        if tick % 2 == 1 {
            plain.switches.shortcuts = Shortcuts::Ignore;
        }
        full[0] += auto.tick(view).full;
        full[1] += plain.tick(view).full;
        assert_eq!(auto.units.state_hash(), plain.units.state_hash(), "tick {tick}");
        assert_eq!(auto.batch.events(), plain.batch.events(), "tick {tick}");
    }
    assert!(full[0] * 2 < full[1], "{full:?} took the full controller");
}
