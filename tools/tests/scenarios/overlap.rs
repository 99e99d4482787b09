//! Who was inside of something. Nobody may be, but who begins so, and who is pressed or stuck.

use marchland_tools::command::scenario::{RunResult, Scenario, Stage};
use marchland_worlds::judge::{Judge, JudgedBody};

/// Depth that is taken for rounding. Metres.
const TOLERANCE: f64 = 1e-3;

/// Who was deeper inside of something than rounding explains.
pub(crate) fn overlaps(scenario: &Scenario, result: &RunResult) -> impl Iterator<Item = String> {
    let deep = result.units.iter().enumerate().filter(|(number, unit)| {
        let is_pressed = |event: &str| ["crushed", "stuck"].contains(&event);
        let mut events = result.events.iter().filter(|event| event.unit == unit.name);
        unit.deepest_penetration > TOLERANCE
            && !events.any(|event| is_pressed(&event.event))
            && depth_at_start(scenario, *number) <= TOLERANCE
    });
    deep.map(|(_, unit)| {
        let (name, depth) = (&unit.name, unit.deepest_penetration);
        format!("unit {name} was {depth:.4} m inside of something")
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
