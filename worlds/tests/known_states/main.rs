//! What crowds among props come to is what it always was, on every machine.

#![allow(clippy::unwrap_used, reason = "a test")]

mod scenes;

use marchland_terrain::TerrainView;
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::town::{self, Town};

use self::scenes::Crowd;

/// The hash of the state at some ticks, in order.
type GoldenHashes = [(u64, u64); 3];

/// Ticks a crowd, by what tells how many took the full controller, and looks at its state.
fn assert_known(
    crowd: &mut Crowd,
    mut tick: impl FnMut(&mut Crowd) -> usize,
    golden: GoldenHashes,
) {
    let (mut got, mut full) = (Vec::new(), 0);
    for at in 1..=golden[2].0 {
        crowd.ask();
        full += tick(crowd);
        if golden.iter().any(|(known, _)| *known == at) {
            got.push((at, crowd.units.state_hash()));
        }
    }
    assert!(full > 2000, "only {full} were among props");
    assert!(
        got == golden,
        "got {got:#018x?}; if movement was meant to change, say so in CHANGELOG.md"
    );
}

fn within(view: TerrainView<'_>) -> impl FnMut(&mut Crowd) -> usize {
    move |crowd| crowd.tick(view).full
}

#[test]
fn the_state_of_a_known_scene_in_the_clutter_is_what_it_always_was() {
    let mut clutter = Clutter::new(2).unwrap();
    let mut crowd = Crowd::new(clutter.view(), 151, [clutter::LOW + 8.0, clutter::HIGH - 8.0]);
    let tick = |crowd: &mut Crowd| {
        clutter.advance().unwrap();
        crowd.tick(clutter.view()).full
    };
    let golden =
        [(1, 0x6d58_5690_ebcc_fa5b), (30, 0x4f76_18cc_20ab_2d57), (300, 0x52ba_8ecc_d223_e705)];
    assert_known(&mut crowd, tick, golden);
}

#[test]
fn the_state_of_a_known_scene_in_the_town_is_what_it_always_was() {
    let town = Town::new().unwrap();
    let view = town.sectors.view();
    let crowd = || Crowd::new(view, 151, [town::LOW + 100.0, town::HIGH - 100.0]);
    let golden =
        [(1, 0x2cdc_fbfe_7458_2fc8), (30, 0x23f3_b3a4_d1ca_8f03), (300, 0x794a_9fc8_b71c_4e6f)];
    assert_known(&mut crowd(), within(view), golden);
    assert_known(&mut crowd().on_full(), within(view), golden);
}

#[test]
fn the_state_of_a_known_scene_of_a_crowd_pushed_apart_is_what_it_always_was() {
    let mut clutter = Clutter::new(5).unwrap();
    // Close enough that everybody has somebody to be pushed by.
    let mut crowd = Crowd::new(clutter.view(), 451, [24.0, 72.0]).apart();
    let tick = |crowd: &mut Crowd| {
        clutter.advance().unwrap();
        crowd.tick(clutter.view()).full
    };
    let golden =
        [(1, 0xc396_8a13_dafb_2787), (30, 0x7226_574a_55ca_fcb4), (150, 0x0404_6ab4_f93b_186c)];
    assert_known(&mut crowd, tick, golden);
}
