//! When and in which order units are told what they are told.

use marchland_tools::command::scenario::{Mode, Overrides};

use crate::fixtures::*;
use crate::whole::run;

const DT: f64 = 1.0 / 60.0;

fn unit(position: &str, controls: &str) -> String {
    format!("{FLAT}[[units]]\nname = \"a\"\nposition = {position}\ncontrols = [{controls}]\n")
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
}

#[test]
fn a_control_acts_on_the_step_from_its_tick_on() {
    let (states, _) = ticks(&read(&unit(
        "[0, 2, 0]",
        "{ tick = 10, move = [6, 0] }, { tick = 30, move = [0, 0] }",
    )));
    assert_eq!(states.len(), 61);
    near(states[10][0].position[0], 0.0);
    near(states[11][0].position[0], 6.0 * DT);
    near(states[30][0].position[0], 20.0 * 6.0 * DT);
    assert_eq!(states[60][0].position, states[30][0].position);
    assert_eq!(states[60][0].velocity, [0.0; 3]);
}

#[test]
fn whose_feet_are_within_the_skin_of_support_begins_walking() {
    let modes = [
        ("[0, 2, 0]", Mode::Walking),
        ("[0, 2.009, 0]", Mode::Walking),
        ("[0, 2.02, 0]", Mode::Falling),
        ("[20, 3.0, 0]", Mode::Walking),
        ("[20.5, 3.005, 0.5]", Mode::Walking),
        ("[20, 3.02, 0]", Mode::Falling),
        ("[23, 3.0, 0]", Mode::Falling),
    ];
    let block = "[meshes.b]\nbox = [4, 2, 4]\n[[props]]\nmesh = \"b\"\nposition = [20, 2, 0]\n";
    for (position, mode) in modes {
        let (states, _) = ticks(&read(&(unit(position, "") + block)));
        assert_eq!(states[0][0].mode, mode, "{position}");
    }
}

#[test]
fn a_teleport_comes_before_the_impulse_and_the_wish_of_its_tick() {
    let controls = "{ tick = 0, move = [6, 0] }, \
                    { tick = 20, teleport = [100, 2, 50], impulse = [0, 4, -2] }";
    let (states, _) = ticks(&read(&unit("[0, 2, 0]", controls)));
    near(states[20][0].position[0], 2.0);
    let after = &states[21][0];
    // Teleported it is at rest; the impulse then is all its velocity.
    near(after.position[0], 100.0);
    near(after.position[1], 2.0 + 4.0 * DT - 0.5 * 9.81 * DT * DT);
    near(after.position[2], 50.0 - 2.0 * DT);
    near(f64::from(after.velocity[1]), 4.0 - 9.81 * DT);
    assert_eq!(after.mode, Mode::Falling);
    let (states, _) = ticks(&read(&unit(
        "[0, 2, 0]",
        "{ tick = 5, move = [6, 0], \
                                         teleport = [-40, 2, 0] }",
    )));
    near(states[5][0].position[0], 0.0);
    near(states[6][0].position[0], -40.0 + 6.0 * DT);
    near(states[7][0].position[0], -40.0 + 12.0 * DT);
}

#[test]
fn a_mask_comes_before_the_teleport_of_its_tick() {
    // Onto a block that the unit does not meet: it falls at once, with no tick of standing.
    let block = "[meshes.b]\nbox = [4, 2, 4]\n[[props]]\nmesh = \"b\"\nposition = [20, 3, 0]\n\
                 layers = 4\n";
    let controls = "{ tick = 5, mask = 3, teleport = [20, 4, 0] }";
    let (states, _) = ticks(&read(&(unit("[0, 2, 0]", controls) + block)));
    near(states[6][0].position[1], 4.0 - 0.5 * 9.81 * DT * DT);
}

const CEILING: &str = "[bodies.low]\nheight = 1.0\n[bodies.tall]\nheight = 1.9\n\
    [meshes.b]\nbox = [4, 1, 4]\n[[props]]\nmesh = \"b\"\nposition = [0, 3.8, 0]\n";

fn below_ceiling(at: &str, body: &str, controls: &str) -> String {
    format!(
        "{FLAT}{CEILING}[[units]]\nname = \"a\"\nbody = \"{body}\"\nposition = {at}\n\
         controls = [{controls}]\n"
    )
}

#[test]
fn a_body_that_does_not_fit_is_told_once_and_asked_for_until_it_does() {
    // The ceiling is 1.3 m above the ground. Outside the body fits, so that back below, once low
    // again, it is refused a second time.
    let controls = "{ tick = 5, body = \"tall\" }, { tick = 20, teleport = [50, 2, 0] }, \
        { tick = 30, body = \"low\" }, { tick = 31, teleport = [0, 2, 0] }, \
        { tick = 40, body = \"tall\" }";
    let result = run(&read(&below_ceiling("[0, 2, 0]", "low", controls)), &Overrides::default());
    let result = result.unwrap();
    let refused = |event: &&(u32, &str)| event.1 == "resize_refused";
    let events = events_of(&result, "a");
    let ticks: Vec<u32> = events.iter().filter(refused).map(|event| event.0).collect();
    assert_eq!(ticks, [6, 41], "{events:?}");
    let first = result.events.iter().find(|event| event.event == "resize_refused").unwrap();
    assert_eq!(first.details["body"], "tall");
}

#[test]
fn a_body_that_is_asked_for_anew_or_beside_another_is_told_again() {
    let controls = "{ tick = 5, body = \"tall\" }, { tick = 8, body = \"low\" }, \
                    { tick = 9, body = \"tall\" }, { tick = 12, body = \"taller\" }";
    let toml = below_ceiling("[0, 2, 0]", "low", controls) + "[bodies.taller]\nheight = 2\n";
    let result = run(&read(&toml), &Overrides::default()).unwrap();
    let refused: Vec<_> =
        result.events.iter().filter(|event| event.event == "resize_refused").collect();
    let told: Vec<_> = refused.iter().map(|e| (e.tick, e.details["body"].as_str())).collect();
    assert_eq!(told, [(6, Some("tall")), (10, Some("tall")), (13, Some("taller"))]);
}

#[test]
fn a_body_comes_before_the_teleport_of_its_tick() {
    let out = "{ tick = 5, body = \"tall\", teleport = [50, 2, 0] }";
    let result = run(&read(&below_ceiling("[0, 2, 0]", "low", out)), &Overrides::default());
    let events = result.unwrap().events;
    assert_eq!(events.iter().filter(|event| event.event == "resize_refused").count(), 1);
    let there = "{ tick = 5, body = \"tall\" }, { tick = 6, teleport = [50, 2, 0] }";
    let result = run(&read(&below_ceiling("[50, 2, 0]", "low", there)), &Overrides::default());
    let events = result.unwrap().events;
    assert!(events.iter().all(|event| event.event != "resize_refused"), "{events:?}");
}

#[test]
fn a_mask_that_leaves_the_ceiling_out_comes_after_the_body_of_its_tick() {
    let controls = "{ tick = 5, body = \"tall\", mask = 0 }";
    let result = run(&read(&below_ceiling("[0, 2, 0]", "low", controls)), &Overrides::default());
    let result = result.unwrap();
    let events = events_of(&result, "a");
    let refused = events.iter().filter(|event| event.1 == "resize_refused").count();
    assert_eq!(refused, 1, "it was not there yet: {events:?}");
}

#[test]
fn a_missing_sector_holds_who_would_reach_it_and_lets_go_again() {
    // The border is at 8 m: at 6 m/s, and with a body of 0.4 m, it is reached about tick 16.
    let toml = unit("[6, 2, 0]", "{ tick = 0, move = [6, 0] }")
        .replace("[terrain]", "sector_size = 16\n[terrain]")
        + "[[not_resident]]\nsector = [1, 0]\nfrom = 10\nto = 40\n";
    let (states, result) = ticks(&read(&toml));
    let held: Vec<usize> =
        (0..states.len()).filter(|tick| states[*tick][0].mode == Mode::Held).collect();
    let first = held[0];
    assert!((14..=17).contains(&first), "{held:?}");
    assert_eq!(held, (first..=40).collect::<Vec<_>>(), "held to the last tick that it is missing");
    for tick in &held {
        assert_eq!(states[*tick][0].position, states[first - 1][0].position);
        assert_eq!(states[*tick][0].velocity, states[first - 1][0].velocity);
    }
    let moved = 60 - held.len();
    near(states[60][0].position[0], 6.0 + moved as f64 * 6.0 * DT);
    assert_eq!(result.units[0].tally.mode_changes, 2);
}

#[test]
fn overlaps_are_measured_with_what_the_unit_meets_while_it_does() {
    // At the start the middle is 0.1 m inside the block, as seen from its near side; a unit that does
    // not meet it is inside of nothing, and neither is one beside it.
    let block =
        "[meshes.b]\nbox = [2, 4, 2]\n[[props]]\nmesh = \"b\"\nposition = [0, 4, 0]\nlayers = 4\n";
    let depth = |at: &str, mask: u32, measure: bool| {
        let control = format!("{{ tick = 0, mask = {mask} }}");
        let scenario = read(&(unit(at, &control) + block));
        let result = run(&scenario, &Overrides { measure, ..Overrides::default() }).unwrap();
        result.units[0].tally.deepest_penetration
    };
    let inside = depth("[0.9, 2, 0]", 4, true);
    assert!(inside > 0.05 && inside < 0.6, "{inside}");
    assert_eq!(depth("[0.9, 2, 0]", 3, true), 0.0);
    assert_eq!(depth("[1.5, 2, 0]", 4, true), 0.0);
    assert_eq!(depth("[0.9, 2, 0]", 4, false), 0.0, "it is not asked for");
}

#[test]
fn gravity_is_that_of_the_file() {
    let toml = unit("[0, 50, 0]", "").replace("ticks = 60", "ticks = 60\ngravity = 1.625");
    let (states, _) = ticks(&read(&toml));
    near(states[60][0].position[1], 50.0 - 0.5 * 1.625);
    near(f64::from(states[60][0].velocity[1]), -1.625);
}

#[test]
fn what_is_expected_of_the_start_is_looked_at() {
    let toml = unit("[0, 2, 0]", "{ tick = 0, move = [6, 0] }")
        + "[[expect]]\nunit = \"a\"\ntick = 0\nposition = [1, 2, 0]\n\
           [[expect]]\nunit = \"a\"\ntick = 0\nposition = [0, 2, 0]\nspeed = 0\n";
    let result = run(&read(&toml), &Overrides::default()).unwrap();
    assert_eq!(result.failures, ["unit a at tick 0: x is 0, expected 1 ± 0.01"]);
}

#[test]
fn a_teleport_meets_props_where_they_are_before_they_move() {
    // A lift whose top is at 20 - 3 t: put on it with less than the skin between, the unit stands. A
    // tick later the lift is 5 cm lower, and the unit would be in the air.
    let lift = "[meshes.b]\nbox = [4, 0.2, 4]\n[[props]]\nmesh = \"b\"\nposition = [20, 19.9, 0]\n\
                velocity = [0, -3, 0]\n";
    for (above, stands) in [(0.005, true), (0.055, false), (1.5, false)] {
        let at = 18.5 + above;
        let controls = format!("{{ tick = 30, teleport = [20, {at}, 0] }}");
        let (states, _) = ticks(&read(&(unit("[0, 2, 0]", &controls) + lift)));
        let speed = f64::from(states[31][0].velocity[1]);
        // Who stands when the tick begins has no vertical velocity when it ends.
        assert_eq!(speed == 0.0, stands, "put at {at}: {speed} m/s");
    }
}
