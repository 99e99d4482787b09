//! Scenario files: whatever the text, reading returns a scenario or a typed error with its place. A scenario
//! that was read can be queried for every tick that it names, and run at a different rate or rejected.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use marchland_tools::command::scenario::{Checks, Mode, Scenario, UnitState};

fuzz_target!(|text: &str| {
    // A folder that does not exist: files with relative names are not found.
    let Ok(scenario) = Scenario::from_text(Path::new("/nonexistent/run.toml"), text) else {
        return;
    };
    let state = UnitState { position: [0.0; 3], velocity: [0.0; 3], mode: Mode::Walking };
    let mut checks = Checks::new(&scenario);
    for tick in [0, 1, scenario.ticks / 2, scenario.ticks] {
        for unit in 0..scenario.units.len() {
            let _ = scenario.controls_at(unit, tick);
        }
        for prop in 0..scenario.props.len() {
            let _ = scenario.motion_at(prop, tick);
        }
        let _ = scenario.missing_at(tick);
        checks.after(tick, |_| state);
    }
    let _ = (checks.failures(), scenario.at_rate(30.0));
});
