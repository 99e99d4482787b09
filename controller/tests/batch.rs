//! Many units at once: the same bits however the work is done, wherever it is done, and whatever
//! was asked of the others.
#![allow(clippy::unwrap_used)]

mod common;

use common::{
    HEADINGS, Random, Scene, bits, endless, grid, held_units, hills, noise, place, solid, world,
};
use marchland_controller::{Batch, EventKind, Motion, TickError, TickMode, TickSettings, Wish};
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
fn a_unit_that_was_held_goes_on_as_if_there_had_been_no_pause() {
    let grid = grid(1.0, 8);
    let height = |c: i64, r: i64| hills(c, r);
    let whole = world(grid, (-2, 2), &height, &solid);
    for seed in 1..=30 {
        let mut random = Random::from_state(seed * 7919);
        let mut partly = whole.clone();
        let mut held_scene = Scene::new(grid);
        let mut free_scene = Scene::new(grid);
        let mut ids = Vec::new();
        for _ in 0..12 {
            let at =
                place(grid, (0, 0), [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)]);
            ids.push(held_scene.walker(whole.view(), at, Wish::STAND));
            free_scene.walker(whole.view(), at, Wish::STAND);
        }
        // What each unit is asked in each of its own ticks, paused or not.
        let script = |unit: usize, tick: usize| {
            let mut random =
                Random::from_state((seed * 1000 + unit as u64 * 31 + tick as u64 / 40) | 1);
            random.bits();
            Wish::walk(random.within(-6.0, 6.0), random.within(-6.0, 6.0))
        };
        let mut histories: Vec<Vec<[u32; 6]>> = vec![Vec::new(); ids.len()];
        for tick in 0..300 {
            for (unit, id) in ids.iter().enumerate() {
                free_scene.wishes[id.slot as usize] = script(unit, tick);
            }
            free_scene.tick(whole.view());
            for (unit, &id) in ids.iter().enumerate() {
                histories[unit].push(bits(&free_scene, id));
            }
        }
        let mut own_ticks = vec![0; ids.len()];
        let mut pauses = 0;
        for tick in 0..300 {
            if tick % 9 == 0 {
                for x in -2..=2 {
                    for z in -2..=2 {
                        let coord = SectorCoord::new(x, z);
                        if random.below(3) == 0 {
                            partly.unload(coord);
                        } else {
                            partly
                                .insert(coord, common::sector(grid, coord, &height, &solid))
                                .unwrap();
                        }
                    }
                }
            }
            for (unit, id) in ids.iter().enumerate() {
                held_scene.wishes[id.slot as usize] = script(unit, own_ticks[unit]);
            }
            let before: Vec<_> = ids.iter().map(|&id| bits(&held_scene, id)).collect();
            let report = held_scene.tick(partly.view()).clone();
            assert!(report.held().is_sorted());
            assert!(report.missing().is_sorted_by(|a, b| a < b), "in order, each once");
            assert_eq!(report.held().len() + report.ticked, ids.len());
            assert_eq!(report.held().is_empty(), report.missing().is_empty());
            for (unit, &id) in ids.iter().enumerate() {
                let now = bits(&held_scene, id);
                if report.held().contains(&id) {
                    assert_eq!(held_scene.units.is_held(id), Some(true));
                    assert_eq!(held_scene.units.motion(id), Some(Motion::Walking));
                    assert_eq!(now, before[unit], "held, and changed");
                    pauses += 1;
                } else {
                    assert_eq!(held_scene.units.is_held(id), Some(false));
                    assert_eq!(now, histories[unit][own_ticks[unit]], "seed {seed}, unit {unit}");
                    own_ticks[unit] += 1;
                }
            }
        }
        assert!(pauses > 50, "{pauses}");
    }
}

#[test]
fn a_unit_is_held_if_and_only_if_its_reach_touches_a_missing_sector() {
    let grid = grid(1.0, 8);
    let mut ground = world(grid, (-2, 2), &|_, _| 0.0, &solid);
    ground.unload(SectorCoord::new(1, 0));
    // The border is at x = 4; the body reaches 0.4 m and the skin of 1 cm beyond the centre, and
    // 6 m/s are 0.1 m a tick.
    for (x, speed, held) in [
        (3.58, 0.0, false),
        (3.60, 0.0, true),
        (3.48, 6.0, false),
        (3.50, 6.0, true),
        (3.58, -6.0, false),
        (-3.9, 0.0, false),
    ] {
        let mut scene = Scene::new(grid);
        let id =
            scene.walker(ground.view(), place(grid, (0, 0), [x, 0.0, 0.0]), Wish::walk(speed, 0.0));
        let report = scene.tick(ground.view());
        assert_eq!(report.held() == [id], held, "at {x} going {speed}");
        let missing = [SectorCoord::new(1, 0)];
        assert_eq!(report.missing(), if held { &missing[..] } else { &[] });
    }
    // Fast enough to be past it at the end of the tick: held for the whole tick, not on the way.
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let id = scene.walker(ground.view(), place(grid, (-2, 0), [0.0; 3]), Wish::walk(128.0, 0.0));
    let before = scene.units.state_hash();
    assert_eq!(scene.tick(ground.view()).held(), [id]);
    assert_eq!(scene.units.state_hash(), before);
    // What is outside the world is not missing.
    ground.set_outside(SectorCoord::new(1, 0));
    assert!(scene.tick(ground.view()).held().is_empty());
}

#[test]
fn a_slide_into_a_missing_sector_beyond_the_reach_holds_for_the_whole_tick() {
    let grid = grid(1.0, 8);
    // Steep beyond a diagonal: who walks east is led south, over the border at z = 4.
    let height = |c: i64, r: i64| (c - r + 5).max(0) as f64 * 2.0;
    let whole = world(grid, (-1, 1), &height, &solid);
    let mut ground = whole.clone();
    let south = SectorCoord::new(0, 1);
    ground.unload(south);
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let start = place(grid, (0, 0), [-3.0, 0.0, 3.0]);
    let id = scene.walker(ground.view(), start, Wish::walk(12.0, 0.0));
    for mode in [TickMode::Hold, TickMode::Strict] {
        scene.settings.mode = mode;
        let before = scene.units.state_hash();
        let ran = scene.try_tick(ground.view()).is_ok();
        assert_eq!(ran, mode == TickMode::Hold);
        assert_eq!(scene.batch.report().held(), [id]);
        assert_eq!(scene.batch.report().missing(), [south]);
        assert_eq!(scene.units.state_hash(), before);
    }
    let report = scene.tick(whole.view());
    assert_eq!((report.ticked, report.borders_crossed), (1, 1));
}

#[test]
fn a_strict_tick_runs_wholly_or_changes_nothing_and_says_what_is_missing() {
    let grid = grid(1.0, 8);
    let mut ground = world(grid, (-2, 2), &|_, _| 0.0, &solid);
    let mut scene = Scene::new(grid);
    scene.settings.mode = TickMode::Strict;
    for x in [-3.8, 0.0, 3.8] {
        for z in [-3.8, 0.0, 3.8] {
            scene.walker(ground.view(), place(grid, (0, 0), [x, 0.0, z]), Wish::walk(1.0, 0.0));
        }
    }
    for coord in [(1, 1), (-1, 0), (1, 0)] {
        ground.unload(SectorCoord::new(coord.0, coord.1));
    }
    let before = scene.units.state_hash();
    let held = held_units(&scene.units);
    let refused = scene.try_tick(ground.view()).err();
    assert_eq!(refused, Some(TickError::NotResident { count: 3 }));
    let missing = [(-1, 0), (1, 0), (1, 1)].map(|(x, z)| SectorCoord::new(x, z));
    assert_eq!(scene.batch.report().missing(), missing);
    assert_eq!((scene.units.state_hash(), held_units(&scene.units)), (before, held));
    for coord in missing {
        ground.insert(coord, common::sector(grid, coord, &|_, _| 0.0, &solid)).unwrap();
    }
    assert_eq!(scene.tick(ground.view()).ticked, 9);
    assert_ne!(scene.units.state_hash(), before);
}

#[test]
fn a_strict_tick_that_may_not_run_leaves_who_has_moved_where_it_was() {
    let grid = grid(1.0, 8);
    let flat = |_: i64, _: i64| 0.0;
    let whole = world(grid, (-2, 2), &flat, &solid);
    let mut ground = whole.clone();
    let (mut scene, mut other) = (Scene::new(grid), Scene::new(grid));
    for scene in [&mut scene, &mut other] {
        scene.settings.mode = TickMode::Strict;
        for unit in 0..40 {
            let at = [unit as f32 * 0.1 - 2.0, 0.0, 2.0 - unit as f32 * 0.1];
            scene.walker(whole.view(), place(grid, (0, 0), at), Wish::walk(0.5, 0.25));
        }
        // One who goes over the border of a sector.
        scene.walker(whole.view(), place(grid, (1, 0), [-1.0, 0.0, 0.0]), Wish::walk(2.0, 0.0));
        for _ in 0..6 {
            scene.tick(whole.view());
        }
        for wish in &mut scene.wishes[..40] {
            *wish = Wish::walk(-1.0, 0.5);
        }
        scene.wishes[40] = Wish::walk(290.0, 0.0);
    }
    ground.unload(SectorCoord::new(2, 0));
    let before = (scene.units.state_hash(), scene.units.velocities().to_vec());
    let (locals, held) = (scene.units.locals().to_vec(), held_units(&scene.units));
    for _ in 0..2 {
        let refused = scene.try_tick(ground.view()).err();
        assert_eq!(refused, Some(TickError::NotResident { count: 1 }));
        assert_eq!((scene.units.state_hash(), scene.units.velocities().to_vec()), before);
        assert_eq!((scene.units.locals(), &held_units(&scene.units)), (&locals[..], &held));
    }
    // As if nobody had ever been refused.
    for tick in 0..6 {
        assert_eq!(scene.tick(whole.view()), other.tick(whole.view()), "tick {tick}");
        assert_eq!(scene.units.state_hash(), other.units.state_hash(), "tick {tick}");
    }
    assert_ne!(scene.units.state_hash(), before.0);
}

#[test]
fn who_waits_and_is_asked_what_is_no_wish_waits_on() {
    let grid = grid(1.0, 8);
    let mut ground = world(grid, (-1, 1), &|_, _| 0.0, &solid);
    let mut scene = Scene::new(grid);
    let at = place(grid, (0, 0), [3.7, 0.0, 0.0]);
    let id = scene.walker(ground.view(), at, Wish::STAND);
    let missing = SectorCoord::new(1, 0);
    let sector = common::sector(grid, missing, &|_, _| 0.0, &solid);
    ground.unload(missing);
    let good = Wish::STAND;
    let bad = Wish::walk(f32::NAN, 0.0);
    for (wish, told) in [(good, &[EventKind::Held][..]), (bad, &[]), (bad, &[]), (good, &[])] {
        scene.wishes[0] = wish;
        let report = scene.tick(ground.view()).clone();
        let kinds: Vec<_> = scene.batch.events().iter().map(|event| event.kind).collect();
        assert_eq!(kinds, told, "{wish:?}");
        assert_eq!(scene.units.is_held(id), Some(true), "{wish:?}");
        let waits = (report.held() == [id], report.invalid() == [id]);
        assert_eq!(waits, (wish.is_valid(), !wish.is_valid()));
    }
    ground.insert(missing, sector).unwrap();
    scene.tick(ground.view());
    let kinds: Vec<_> = scene.batch.events().iter().map(|event| event.kind).collect();
    assert_eq!((&kinds[..], scene.units.is_held(id)), (&[EventKind::Released][..], Some(false)));
}

#[test]
fn a_wish_that_is_no_wish_stops_one_unit_and_no_other() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let count = 200;
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 8192.5, f32::MAX];
    let mut spoilt = crowd(grid, &ground, count, &in_order(count));
    let mut clean = crowd(grid, &ground, count, &in_order(count));
    let before: Vec<_> = spoilt.units.iter().map(|id| bits(&spoilt, id)).collect();
    for tick in 0..70 {
        for slot in (0..count).step_by(5) {
            let bad = bad[(slot / 5 + tick) % bad.len()];
            spoilt.wishes[slot] =
                if slot % 2 == 0 { Wish::walk(bad, 1.0) } else { Wish::walk(0.0, bad) };
        }
        let report = spoilt.tick(ground.view());
        assert_eq!(report.invalid().len(), count / 5);
        assert!(report.invalid().is_sorted());
        clean.tick(ground.view());
        for id in clean.units.iter() {
            let slot = id.slot as usize;
            let expected = if slot.is_multiple_of(5) { before[slot] } else { bits(&clean, id) };
            assert_eq!(bits(&spoilt, id), expected, "slot {slot} at tick {tick}");
        }
    }
}

#[test]
fn every_bit_pattern_of_a_wish_leaves_a_sound_state() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let mut scene = crowd(grid, &ground, 100, &in_order(100));
    let mut random = Random::from_state(404);
    for tick in 0..600 {
        for wish in &mut scene.wishes {
            let mut any = || f32::from_bits(random.bits() as u32);
            *wish = Wish::walk(any(), any());
        }
        scene.settings.dt = match tick % 5 {
            0 => f32::from_bits(1 + (random.below(1 << 22)) as u32), // subnormal
            1 => 0.25,
            _ => 1.0 / 60.0,
        };
        scene.tick(ground.view());
        scene.assert_sound(ground.view());
    }
}

#[test]
fn speeds_up_to_the_greatest_are_wishes() {
    let grid = grid(1.0, 16);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    scene.walker(ground.view(), place(grid, (0, 0), [0.0; 3]), Wish::walk(0.0, -8192.0));
    let report = scene.tick(ground.view());
    assert_eq!((report.ticked, report.borders_crossed), (1, 128));
}

#[test]
fn settings_that_no_tick_can_run_with_are_refused_and_nothing_changes() {
    let grid = grid(1.0, 16);
    let ground = endless(grid, &hills);
    let mut scene = crowd(grid, &ground, 20, &in_order(20));
    let before = scene.units.state_hash();
    for dt in [-1e-9, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.250_000_03, 1e9] {
        let settings = TickSettings { dt, ..TickSettings::default() };
        let result = scene.batch.tick(ground.view(), &mut scene.units, &scene.wishes, &settings);
        assert!(matches!(result, Err(TickError::Dt { .. })), "{dt}");
    }
    for gravity in [-1.0, f32::NAN, f32::INFINITY, 1e9] {
        let settings = TickSettings { gravity, ..TickSettings::default() };
        let result = scene.batch.tick(ground.view(), &mut scene.units, &scene.wishes, &settings);
        assert!(matches!(result, Err(TickError::Gravity { .. })), "{gravity}");
    }
    let few = &scene.wishes[..19];
    let result = scene.batch.tick(ground.view(), &mut scene.units, few, &scene.settings);
    assert_eq!(result.err(), Some(TickError::Wishes { found: 19, slots: 20 }));
    let other = endless(common::grid(1.0, 32), &hills);
    let result = scene.try_tick(other.view());
    assert_eq!(result.err(), Some(TickError::SectorSize { units: 16.0, world: 32.0 }));
    assert_eq!(scene.units.state_hash(), before);
}

#[test]
fn the_state_of_a_known_scene_is_what_it_always_was() {
    let grid = grid(1.0, 16);
    let ground = mixed_ground(grid);
    let mut scene = crowd(grid, &ground, 333, &in_order(333));
    let golden = [
        (1, 0x36c4_0b8d_11cd_8bb9),
        (10, 0xc4f3_bb9e_dd42_846e),
        (100, 0x1850_170e_4d43_bc22),
        (1000, 0x1f1c_71f9_7dcc_70b3),
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
