//! Who waits for sectors that are late, and strict ticks that wait for all of them.

use marchland_controller::{EventKind, Motion, TickError, TickMode, Wish};
use marchland_terrain::SectorCoord;

use crate::common::{self, Random, Scene, bits, grid, held_units, hills, place, solid, world};

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
