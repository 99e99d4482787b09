//! Many units at once: the same bits however the work is done, wherever it is done, and whatever
//! was asked of the others.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod held;
mod wishes;

use common::{HEADINGS, Random, Scene, endless, grid, hills, noise, place, world};
use marchland_controller::{Batch, Motion, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, Grid, ResidentSectors, SectorCoord};

/// Rolling ground with cliffs, holes and an edge: everything that a unit can meet.
fn mixed_ground(grid: Grid) -> ResidentSectors {
    let height = |c: i64, r: i64| {
        let cliff = if (c.div_euclid(9) + r.div_euclid(7)) % 5 == 0 { 6.0 } else { 0.0 };
        hills(c, r) + cliff
    };
    let kind = |c: i64, r: i64| match noise(c / 2, r / 3) {
        n if n < 0.02 => CellKind::Hole,
        _ if c >= 44 => CellKind::Outside,
        _ => CellKind::Solid,
    };
    world(grid, (-2, 2), &height, &kind)
}

/// Walkers and fallers, spread over the sectors in an order that is not theirs.
fn crowd(grid: Grid, ground: &ResidentSectors, count: usize, order: &[usize]) -> Scene {
    let mut scene = Scene::new(grid);
    let half = grid.sector_size().half();
    let starts: Vec<_> = {
        let mut random = Random::from_state(31);
        (0..count)
            .map(|unit| {
                let sector = (random.below(5) as i32 - 2, random.below(4) as i32 - 2);
                let mut at = || random.within(-half, half * 0.999);
                let position = place(grid, sector, [at(), 9.5, at()]);
                let heading = HEADINGS[unit % 16];
                let speed = random.within(0.0, 9.0);
                let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
                let velocity = Vec3::new(random.within(-6.0, 6.0), random.within(-9.0, 9.0), 1.0);
                (position, wish, velocity)
            })
            .collect()
    };
    for &unit in order {
        let (position, wish, velocity) = starts[unit];
        if unit % 3 == 0 {
            scene.spawn(position, Motion::Falling, velocity, wish);
        } else {
            scene.walker(ground.view(), position, wish);
        }
    }
    scene
}

fn in_order(count: usize) -> Vec<usize> {
    (0..count).collect()
}

#[cfg(feature = "rayon")]
#[test]
fn threads_and_chunks_do_not_change_a_bit() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let count = 1003;
    let run = |threads: usize, chunk_units: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut scene = crowd(grid, &ground, count, &in_order(count));
            scene.switches.chunk_units = chunk_units;
            let mut seen = Vec::new();
            for _ in 0..60 {
                let report = scene.tick(ground.view()).clone();
                seen.push((scene.units.state_hash(), report));
            }
            seen
        })
    };
    let expected = run(1, 1024);
    let last = &expected.last().unwrap().1;
    assert!(last.walking > 100 && last.falling > 10, "a scene that shows nothing: {last:?}");
    for threads in [1, 2, 3, 4, 8] {
        for chunk_units in [0, 1, 7, 64, 4096, usize::MAX] {
            let got = run(threads, chunk_units);
            assert!(got == expected, "{threads} threads, chunks of {chunk_units}");
        }
    }
}

#[test]
fn the_order_in_which_units_were_spawned_does_not_change_their_bits() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let count = 500;
    let mut order = in_order(count);
    let mut random = Random::from_state(8);
    for at in (1..count).rev() {
        order.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut plain = crowd(grid, &ground, count, &in_order(count));
    let mut mixed = crowd(grid, &ground, count, &order);
    for tick in 0..100 {
        plain.tick(ground.view());
        mixed.tick(ground.view());
        for (slot, &unit) in order.iter().enumerate() {
            assert_eq!(mixed.units.locals()[slot], plain.units.locals()[unit], "tick {tick}");
            assert_eq!(mixed.units.velocities()[slot], plain.units.velocities()[unit]);
            assert_eq!(mixed.units.sectors()[slot], plain.units.sectors()[unit]);
        }
    }
}

#[test]
fn a_batch_that_is_new_in_every_tick_gives_the_same_bits() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let mut kept = crowd(grid, &ground, 300, &in_order(300));
    let mut fresh = crowd(grid, &ground, 300, &in_order(300));
    for _ in 0..100 {
        kept.tick(ground.view());
        fresh.batch = Batch::new();
        fresh.tick(ground.view());
        assert_eq!(kept.units.state_hash(), fresh.units.state_hash());
    }
}

#[test]
fn a_snapshot_continues_as_if_nothing_had_happened() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let mut scene = crowd(grid, &ground, 200, &in_order(200));
    let mut again = crowd(grid, &ground, 200, &in_order(200));
    for tick in 0..1500 {
        scene.tick(ground.view());
        // The other one is taken out, lost, and put back in every tick.
        again.tick(ground.view());
        let snapshot = again.units.snapshot();
        let lost = again.units.iter().nth(tick % 100).unwrap();
        again.units.despawn(lost);
        if tick % 7 == 0 {
            again.tick(ground.view());
        }
        again.units.restore(&snapshot);
        assert_eq!(again.units.state_hash(), scene.units.state_hash(), "tick {tick}");
    }
}

#[test]
fn a_scene_moved_by_whole_sectors_keeps_its_local_bits() {
    let grid = grid(1.0, 16);
    let ground = endless(grid, &|c, r| hills(c, r) + if (c, r) == (5, 9) { 4.0 } else { 0.0 });
    let run = |shift: (i32, i32)| {
        let mut scene = Scene::new(grid);
        let mut random = Random::from_state(21);
        for unit in 0..200 {
            let sector = (shift.0 + random.below(3) as i32, shift.1 - random.below(3) as i32);
            let at = [random.within(-8.0, 7.99), 5.0, random.within(-8.0, 7.99)];
            let heading = HEADINGS[unit % 16];
            let wish = Wish::walk(heading[0] * 40.0, heading[1] * 40.0);
            if unit % 4 == 0 {
                let velocity = Vec3::new(3.0, 9.0, random.within(-30.0, 30.0));
                scene.spawn(place(grid, sector, at), Motion::Falling, velocity, wish);
            } else {
                scene.walker(ground.view(), place(grid, sector, at), wish);
            }
        }
        let mut hashes = Vec::new();
        for _ in 0..300 {
            scene.tick(ground.view());
            hashes.push(scene.units.state_hash_from(SectorCoord::new(shift.0, shift.1)));
        }
        hashes
    };
    let here = run((0, 0));
    let shifts = [
        (1, 0),
        (-1, -1),
        (1_000_000, -1_000_000),
        (i32::MAX - 40, i32::MIN + 40),
        (i32::MIN + 40, i32::MAX - 40),
    ];
    for shift in shifts {
        assert!(run(shift) == here, "shifted by {shift:?}");
    }
}

/// Runs units to and fro over a border while sectors come and go, beside the same units in a world
/// that is whole. A unit that is held keeps every bit, and then does what it would have done.
#[test]
fn the_state_of_a_known_scene_is_what_it_always_was() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let mut scene = crowd(grid, &ground, 333, &in_order(333));
    let golden = [
        (1, 0xa6c9_19a9_f776_0edc),
        (10, 0x783e_dabc_db92_ee00),
        (100, 0x33da_cec8_ee30_50e7),
        (1000, 0x0a58_fc8d_4b66_06ec),
    ];
    let mut got = Vec::new();
    for tick in 1..=1000 {
        scene.tick(ground.view());
        if golden.iter().any(|(at, _)| *at == tick) {
            got.push((tick, scene.units.state_hash()));
        }
    }
    assert!(
        got == golden,
        "got {got:#018x?}; if movement was meant to change, say so in CHANGELOG.md"
    );
}

/// The scene above once more, as a program of its own in which fewer lanes are taken.
#[cfg(target_arch = "x86_64")]
#[test]
fn fewer_lanes_come_to_the_same_known_state() {
    for lanes in ["plain", "sse2", "avx2", "avx512"] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["the_state_of_a_known_scene_is_what_it_always_was", "--exact"])
            .env("MARCHLAND_SIMD", lanes)
            .output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{lanes}: {said}");
    }
}
