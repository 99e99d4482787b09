//! Walks that take minutes: ignored unless asked for.

mod common;

use common::{Random, Scene, endless, hills, place, world};
use marchland_controller::{Batch, Motion, Shortcuts, Switches, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, ResidentSectors};

/// A thousand units wander for so many ticks at speeds from 1 mm/s to 1 km/s. Gives back how many
/// borders they crossed.
fn wander(ground: &ResidentSectors, ticks: u64, seed: u64) -> u64 {
    let grid = ground.grid();
    let half = grid.sector_size().half();
    let mut random = Random::from_state(seed);
    let mut scene = Scene::new(grid);
    for _ in 0..1000 {
        let local = [random.within(-half, half * 0.99), 0.0, random.within(-half, half * 0.99)];
        scene.walker(ground.view(), place(grid, (0, 0), local), Wish::STAND);
    }
    let mut crossed = 0;
    for tick in 0..ticks {
        if tick.is_multiple_of(16) {
            for wish in &mut scene.wishes {
                // A walk, a run, a flight: about as many of each.
                let speed = [0.001, 0.1, 5.0, 60.0, 1000.0][random.below(5) as usize];
                let mut part = || random.within(-1.0, 1.0) * speed;
                *wish = Wish::walk(part(), part());
            }
        }
        crossed += scene.tick(ground.view()).borders_crossed;
        scene.assert_sound(ground.view());
    }
    crossed
}

#[test]
#[ignore = "takes minutes: .ci/deep walks"]
fn nobody_is_below_the_ground_after_ten_million_border_crossings() {
    let grid = common::grid(1.0, 16);
    let ground = endless(grid, &hills);
    let (mut crossed, mut crowds) = (0, 0);
    while crossed < 10_000_000 {
        crowds += 1;
        crossed += wander(&ground, 1000, 0x9e37 + crowds);
        assert!(crowds < 1000, "only {crossed} borders crossed");
    }
}

#[test]
#[ignore = "takes minutes: .ci/deep walks"]
fn nobody_is_below_ragged_ground_with_holes_and_edges_after_many_crowds() {
    let grid = common::grid(1.0, 16);
    let rough = |column, row| common::noise(column, row) * 0.8;
    let kind = |column, row| match (common::noise(column + 77, row - 5) * 40.0) as u32 {
        0 => CellKind::Hole,
        1 => CellKind::Outside,
        _ => CellKind::Solid,
    };
    let ground = world(grid, (-6, 6), &rough, &kind);
    // Sooner or later everybody falls into a hole: then others begin.
    let crossed: u64 = (0..100).map(|crowd| wander(&ground, 200, 0x51ed + crowd)).sum();
    assert!(crossed > 10_000, "only {crossed} borders crossed");
}

#[test]
#[ignore = "takes minutes: .ci/deep walks"]
fn the_fast_way_and_the_thorough_way_agree_for_ten_million_unit_ticks() {
    let grid = common::grid(1.0, 16);
    let ground = world(grid, (-3, 3), &|c, r| common::noise(c, r) * 2.0, &common::solid);
    let mut random = Random::from_state(0xabcd);
    let mut fast = Scene::new(grid);
    for _ in 0..1000 {
        let at = [random.within(-8.0, 7.9), 6.0, random.within(-8.0, 7.9)];
        fast.spawn(place(grid, (0, 0), at), Motion::Falling, Vec3::ZERO, Wish::STAND);
    }
    let mut units = fast.units.clone();
    let thorough = Switches {
        shortcuts: Shortcuts::Ignore,
        chunk_units: 7, // no divisor of the number of units
        ..fast.switches
    };
    let mut batch = Batch::new();
    for tick in 0..10_000 {
        if tick % 32 == 0 {
            for wish in &mut fast.wishes {
                *wish = Wish::walk(random.within(-9.0, 9.0), random.within(-9.0, 9.0));
            }
        }
        let (view, wishes, settings) = (ground.view(), &fast.wishes, &fast.settings);
        batch.tick_with(&thorough, view, &mut units, wishes, settings).unwrap();
        fast.tick(ground.view());
        if tick % 100 == 99 {
            assert_eq!(units.state_hash(), fast.units.state_hash(), "tick {tick}");
        }
    }
}
