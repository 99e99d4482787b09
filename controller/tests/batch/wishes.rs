//! Wishes and settings that are none, and the greatest that are.

use marchland_controller::{TickError, TickSettings, Wish};

use crate::common::{self, Random, Scene, bits, endless, grid, hills, place};
use crate::{crowd, in_order, mixed_ground};

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
