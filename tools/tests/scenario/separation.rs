//! Separation: on with its table, off without, and its settings reach the controller.

use marchland_controller::SeparationSettings;
use marchland_tools::command::scenario::{Overrides, RunResult};

use crate::fixtures::*;
use crate::whole::run;

/// Two bodies of 0.4 m, 0.3 m apart.
const PAIR: &str = "[terrain]\nflat = 0\n[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n\
    [[units]]\nname = \"b\"\nposition = [0.3, 0, 0]\n";

fn ran(separation: &str) -> RunResult {
    run(&read(&format!("{PAIR}{separation}")), &Overrides::default()).unwrap()
}

/// Metres between the two.
fn apart(result: &RunResult) -> f64 {
    result.units[1].position[0] - result.units[0].position[0]
}

#[test]
fn an_empty_table_has_the_settings_of_the_controller() {
    assert_eq!(read("").separation, None);
    assert_eq!(read("[separation]\n").separation, Some(SeparationSettings::default()));
    let said = read("[separation]\nrate = 2\npush_max = 0.5\nrest = 0.125\n").separation;
    let expected = SeparationSettings { rate: 2.0, push_max: 0.5, rest: 0.125 };
    assert_eq!(said, Some(expected));
}

#[test]
fn two_that_overlap_part_with_separation_and_stay_without() {
    let (off, on) = (ran(""), ran("[separation]\n"));
    assert_eq!(apart(&off), f64::from(0.3_f32));
    // They come to rest with 5 mm of overlap.
    let found = apart(&on);
    assert!((0.794..0.8).contains(&found), "{found}");
    assert_ne!(off.state_hash, on.state_hash);
}

#[test]
fn each_setting_changes_how_they_part() {
    let plain = apart(&ran("[separation]\n"));
    let slow = apart(&ran("[separation]\nrate = 1\n"));
    let weak = apart(&ran("[separation]\npush_max = 0.05\n"));
    let early = apart(&ran("[separation]\nrest = 0.4\n"));
    // Both are pushed: 100 ticks at 0.05 m/s are 0.083 m each.
    assert!((weak - 0.3 - 2.0 * 0.05 * 100.0 / 60.0).abs() < 0.005, "{weak}");
    assert!(slow < plain - 0.02 && early < plain - 0.05, "{slow} {early} {plain}");
    assert_eq!(apart(&ran("[separation]\nrate = 0\n")), apart(&ran("")));
}
