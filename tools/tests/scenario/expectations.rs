//! What came out against what was expected.

use marchland_tools::command::scenario::{Checks, Expectation, Mode, Scenario, UnitState};

use crate::fixtures::*;

const UNIT: &str = "[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n";

fn state(position: [f64; 3], velocity: [f32; 3], mode: Mode) -> UnitState {
    UnitState { position, velocity, mode }
}

/// What one expectation says of a state.
fn judged(expect: &str, state: UnitState) -> Vec<String> {
    let scenario = read(&format!("{UNIT}[[expect]]\nunit = \"a\"\n{expect}\n"));
    scenario.expects[0].wrong(&state)
}

fn walking(position: [f64; 3]) -> UnitState {
    state(position, [0.0; 3], Mode::Walking)
}

#[test]
fn the_sentence_is_that_of_the_document() {
    let scenario = read(&format!(
        "{UNIT}[[expect]]\nunit = \"a\"\nposition = [12.5, \"any\", 0.0]\ntolerance = 0.02\n"
    ));
    let mut checks = Checks::new(&scenario);
    checks.after(100, |_| walking([f64::from(11.9_f32), 99.0, 0.02]));
    assert_eq!(checks.failures(), ["unit a at tick 100: x is 11.9, expected 12.5 ± 0.02"]);
}

#[test]
fn positions_are_compared_axis_by_axis_within_the_tolerance() {
    let expect = "position = [1, 2, 3]\ntolerance = 0.5";
    assert!(judged(expect, walking([1.5, 1.5, 3.5])).is_empty(), "the tolerance itself fits");
    assert_eq!(
        judged(expect, walking([1.75, 2.0, 2.25])),
        ["x is 1.75, expected 1 ± 0.5", "z is 2.25, expected 3 ± 0.5"]
    );
    assert!(judged("position = [\"any\", \"any\", \"any\"]", walking([9.0; 3])).is_empty());
}

#[test]
fn bounds_hold_on_both_sides_and_include_themselves() {
    let expect = "min = [0, \"any\", -0.5]\nmax = [14, 3, \"any\"]";
    for fits in [[0.0, 3.0, -0.5], [14.0, -100.0, 100.0]] {
        assert!(judged(expect, walking(fits)).is_empty(), "{fits:?}");
    }
    assert_eq!(
        judged(expect, walking([-0.25, 3.5, -0.75])),
        [
            "x is -0.25, expected at least 0",
            "y is 3.5, expected at most 3",
            "z is -0.75, expected at least -0.5"
        ]
    );
    // Shorter, it would read as 14, which is within.
    assert_eq!(
        judged(expect, walking([14.00001, 0.0, 0.0])),
        ["x is 14.00001, expected at most 14"]
    );
}

#[test]
fn a_value_just_beyond_the_tolerance_is_shown_as_beyond() {
    let said = judged("position = [12.5, 0, 0]\ntolerance = 0.02", walking([12.520001, 0.0, 0.0]));
    assert_eq!(said, ["x is 12.520001, expected 12.5 ± 0.02"]);
}

#[test]
fn modes_are_compared_by_their_words() {
    assert!(judged("mode = \"walking\"", walking([0.0; 3])).is_empty());
    for mode in Mode::ALL {
        let expect = format!("mode = \"{}\"", mode.word());
        assert!(judged(&expect, state([0.0; 3], [0.0; 3], mode)).is_empty(), "{expect}");
    }
    let fell = state([0.0; 3], [0.0; 3], Mode::Falling);
    assert_eq!(judged("mode = \"held\"", fell), ["mode is falling, expected held"]);
}

#[test]
fn speed_is_that_of_all_three_dimensions() {
    let moving = state([0.0; 3], [2.0, -3.0, 6.0], Mode::Walking);
    assert!(judged("speed = 7", moving).is_empty());
    assert!(judged("speed = 7.05", moving).is_empty());
    assert_eq!(judged("speed = 6.5", moving), ["speed is 7, expected 6.5 ± 0.05"]);
    assert!(judged("speed = 6.5\nspeed_tolerance = 0.5", moving).is_empty());
}

#[test]
fn what_is_not_a_number_is_never_expected() {
    let broken = state([f64::NAN, f64::INFINITY, 0.0], [f32::NAN, 0.0, 0.0], Mode::Walking);
    let said = judged("position = [0, 0, 0]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nspeed = 0", broken);
    assert_eq!(
        said,
        [
            "x is NaN, expected 0 ± 0.01",
            "x is NaN, expected at least 0",
            "x is NaN, expected at most 1",
            "y is inf, expected 0 ± 0.01",
            "y is inf, expected at most 1",
            "speed is NaN, expected 0 ± 0.05"
        ]
    );
}

#[test]
fn checks_look_at_each_tick_and_speak_in_the_order_of_the_file() {
    let scenario = read(&format!(
        "{UNIT}[[units]]\nname = \"b\"\nposition = [0, 0, 0]\n\
         [[expect]]\nunit = \"b\"\nmin = [1, \"any\", \"any\"]\n\
         [[expect]]\nunit = \"a\"\ntick = 40\nposition = [40, \"any\", \"any\"]\n\
         [[expect]]\nunit = \"a\"\ntick = 0\nmode = \"falling\"\n\
         [[expect]]\nunit = \"a\"\ntick = 40\nposition = [41, \"any\", \"any\"]\n"
    ));
    let mut checks = Checks::new(&scenario);
    for tick in 0..=100 {
        // Unit a is where its tick says, unit b at 0.
        checks
            .after(tick, |unit| walking([if unit == 0 { f64::from(tick) } else { 0.0 }, 0.0, 0.0]));
    }
    assert_eq!(
        checks.failures(),
        [
            "unit b at tick 100: x is 0, expected at least 1",
            "unit a at tick 0: mode is walking, expected falling",
            "unit a at tick 40: x is 40, expected 41 ± 0.01"
        ]
    );
}

/// What is said of a unit that is at its tick along X, in 100 ticks.
fn said_of_a_walk(expects: &str) -> Vec<String> {
    let scenario = read(&format!("{UNIT}[[units]]\nname = \"b\"\nposition = [0, 0, 0]\n{expects}"));
    let mut checks = Checks::new(&scenario);
    for tick in 0..=100 {
        checks.after(tick, |unit| {
            let mode = if tick < 50 { Mode::Walking } else { Mode::Falling };
            state([f64::from(tick), unit as f64, 0.0], [0.0; 3], mode)
        });
    }
    checks.failures()
}

#[test]
fn a_stretch_is_checked_at_every_tick_with_both_its_ends() {
    let every = |every: &str, more: &str| {
        said_of_a_walk(&format!("[[expect]]\nunit = \"a\"\nevery = {every}\n{more}\n"))
    };
    assert!(every("[10, 49]", "mode = \"walking\"").is_empty());
    assert_eq!(
        every("[10, 50]", "mode = \"walking\""),
        ["unit a at tick 50: mode is falling, expected walking"]
    );
    assert!(every("[50, 100]", "mode = \"falling\"").is_empty());
    assert_eq!(
        every("[49, 100]", "mode = \"falling\""),
        ["unit a at tick 49: mode is walking, expected falling"]
    );
    assert!(every("[0, 100]", "max = [100, 0, 0]").is_empty(), "the start and the end");
}

#[test]
fn a_stretch_that_fails_names_the_first_tick_and_how_many_more() {
    assert_eq!(
        said_of_a_walk(
            "[[expect]]\nunit = \"a\"\nevery = [40, 60]\nmode = \"walking\"\n\
             [[expect]]\nunit = \"b\"\nevery = [0, 100]\nmax = [97, 0.5, 0]\n"
        ),
        [
            "unit a at tick 50 and at 10 more up to tick 60: mode is falling, expected walking",
            // Both at once only from 98 on, but it is one expectation.
            "unit b at tick 0 and at 100 more up to tick 100: y is 1, expected at most 0.5"
        ]
    );
}

#[test]
fn a_stretch_with_steps_is_checked_at_those_ticks_alone() {
    assert_eq!(
        said_of_a_walk("[[expect]]\nunit = \"a\"\nevery = [4, 100, 12]\nmode = \"walking\"\n"),
        ["unit a at tick 52 and at 4 more up to tick 100: mode is falling, expected walking"]
    );
    let scenario = read(&format!("{UNIT}[[expect]]\nunit = \"a\"\nevery = [4, 100, 12]\n"));
    let due: Vec<u32> = (0..=100).filter(|tick| scenario.expects[0].is_due(*tick)).collect();
    assert_eq!(due, [4, 16, 28, 40, 52, 64, 76, 88, 100]);
}

#[test]
fn entries_take_what_they_omit_from_their_table_and_replace_the_rest() {
    let table = read(&format!(
        "{UNIT}[[units]]\nname = \"b\"\nposition = [0, 0, 0]\n\
         [[expect]]\nunit = \"a\"\ntick = 7\ntolerance = 0.5\nmode = \"walking\"\nat = [\n\
         {{ position = [1, 2, 3] }},\n\
         {{ unit = \"b\", every = [8, 10], mode = \"held\", tolerance = 0.25, speed = 4 }},\n]\n\
         [[expect]]\nevery = [0, 50]\nmin = [0, 0, 0]\nat = [{{ unit = [\"b\", \"a\"], tick = 3 }}]\n"
    ));
    let alone = read(&format!(
        "{UNIT}[[units]]\nname = \"b\"\nposition = [0, 0, 0]\n\
         [[expect]]\nunit = \"a\"\ntick = 7\ntolerance = 0.5\nmode = \"walking\"\nposition = [1, 2, 3]\n\
         [[expect]]\nunit = \"b\"\nevery = [8, 10]\ntolerance = 0.25\nmode = \"held\"\nspeed = 4\n\
         [[expect]]\nunit = \"b\"\ntick = 3\nmin = [0, 0, 0]\n\
         [[expect]]\nunit = \"a\"\ntick = 3\nmin = [0, 0, 0]\n"
    ));
    let bare = |scenario: &Scenario| {
        let expects = scenario.expects.iter().cloned();
        expects.map(|expect| Expectation { line: 0, tick_line: 0, ..expect }).collect::<Vec<_>>()
    };
    assert_eq!(bare(&table), bare(&alone));
    let lines: Vec<_> =
        table.expects.iter().map(|expect| (expect.line, expect.tick_line)).collect();
    assert_eq!(lines, [(16, 12), (17, 17), (22, 22), (22, 22)]);
}

#[test]
fn the_same_may_be_expected_of_several_units() {
    assert_eq!(
        said_of_a_walk(
            "[[expect]]\nunit = [\"b\", \"a\"]\ntick = 60\nposition = [60, 0, 0]\nmode = \"walking\"\n"
        ),
        [
            "unit b at tick 60: y is 1, expected 0 ± 0.01",
            "unit b at tick 60: mode is falling, expected walking",
            "unit a at tick 60: mode is falling, expected walking"
        ]
    );
}
