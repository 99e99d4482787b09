//! Who was inside of something. Nobody may be, but who begins so, and who is pressed or stuck; and what presses one is
//! told once.

use marchland_tools::command::scenario::{EventRecord, RunResult, Scenario, Stage};
use marchland_worlds::judge::{Judge, JudgedBody};

/// Depth that is taken for rounding. Metres.
const TOLERANCE: f64 = 1e-3;

/// Who was deeper inside of something than rounding explains.
pub(crate) fn overlaps(scenario: &Scenario, result: &RunResult) -> impl Iterator<Item = String> {
    let deep = result.units.iter().enumerate().filter(|(number, unit)| {
        let is_pressed = |event: &str| ["crushed", "stuck"].contains(&event);
        let mut events = result.events.iter().filter(|event| event.unit == unit.name);
        unit.tally.deepest_penetration > TOLERANCE
            && !events.any(|event| is_pressed(&event.event))
            && depth_at_start(scenario, *number) <= TOLERANCE
    });
    deep.map(|(_, unit)| {
        let (name, depth) = (&unit.name, unit.tally.deepest_penetration);
        format!("unit {name} was {depth:.4} m inside of something")
    })
}

/// What ceased to crush somebody and crushed it again in the same tick.
pub(crate) fn told_again(result: &RunResult) -> impl Iterator<Item = String> {
    let again = result.events.iter().enumerate().filter(|(at, began)| {
        let ended = result.events[..*at].iter().rev().take_while(|event| event.tick == began.tick);
        let is_own = |event: &EventRecord| {
            event.event == "crush_ended"
                && event.unit == began.unit
                && event.details["prop"] == began.details["prop"]
        };
        began.event == "crushed" && ended.into_iter().any(is_own)
    });
    again.map(|(_, event)| {
        format!("unit {} is told again at tick {} that it is crushed", event.unit, event.tick)
    })
}

fn depth_at_start(scenario: &Scenario, number: usize) -> f64 {
    let (Some(unit), Ok(stage)) = (scenario.units.get(number), Stage::new(scenario)) else {
        return 0.0;
    };
    let body = &scenario.bodies[unit.body].values;
    let body = JudgedBody { radius: body.radius, knee: body.knee, height: body.height };
    Judge::new().penetration(stage.view(), unit.position, body, u32::MAX)
}
