//! `[[units]]`: the units, and their inputs.

use std::collections::BTreeMap;

use super::common::{Frame, TickOrder, flag, named, velocity, velocity_of};
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::{BodySpec, ControlEntry, UnitSpec};
use crate::toml_tree::{Keys, TomlError, Value};
use marchland_controller::limits::SPEED_MAX;

const KEYS: [&str; 5] = ["name", "body", "position", "velocity", "controls"];
const CONTROL_KEYS: [&str; 7] = ["tick", "move", "jump", "impulse", "teleport", "body", "mask"];

/// All units.
pub(super) fn read(
    keys: Keys<'_>,
    frame: Frame,
    bodies: &[BodySpec],
) -> Result<Vec<UnitSpec>, ScenarioError> {
    let mut lines = BTreeMap::new();
    let mut units = Vec::new();
    for keys in keys.tables("units", "[[units]]", &KEYS)? {
        let name = keys.need("name", NAME)?;
        let unit = unit(keys, &name, frame, bodies)?;
        if let Some(first_line) = lines.insert(unit.name.clone(), name.line) {
            let (key, name_twice) = (name.key.clone(), unit.name);
            let problem = ScenarioProblem::Twice { key, name: name_twice, first_line };
            return Err(name.fault(problem));
        }
        units.push(unit);
    }
    Ok(units)
}

/// A unit's name in words.
const NAME: &str = "a name of at least one letter, all on one line";

fn unit(
    keys: Keys<'_>,
    name: &Value<'_>,
    frame: Frame,
    bodies: &[BodySpec],
) -> Result<UnitSpec, ScenarioError> {
    let text = name.text(NAME)?;
    if text.is_empty() || text.contains(char::is_control) {
        return Err(name.wrong(NAME).into());
    }
    // The first body has every default and no name.
    let body = keys.get("body").map_or(Ok(0), |value| body(&value, bodies))?;
    Ok(UnitSpec {
        name: text.to_owned(),
        body,
        position: frame.place(&keys.need("position", "[x, y, z] in metres")?)?,
        velocity: velocity_of(keys, "velocity")?,
        controls: controls(keys, frame, bodies, body)?,
        line: keys.line,
    })
}

fn body(value: &Value<'_>, bodies: &[BodySpec]) -> Result<usize, TomlError> {
    let names = bodies.iter().skip(1).map(|body| body.name.as_str());
    Ok(named(value, "a body", names)? + 1)
}

fn controls(
    keys: Keys<'_>,
    frame: Frame,
    bodies: &[BodySpec],
    first_body: usize,
) -> Result<Vec<ControlEntry>, ScenarioError> {
    let mut rising = TickOrder::default();
    let mut before = ControlEntry::idle(first_body);
    let expected = "entries, each { tick, move, jump, impulse, teleport, body, mask }";
    let mut controls = Vec::new();
    for entry in keys.entries("controls", &CONTROL_KEYS, expected)? {
        let (tick, line) = rising.next(entry)?;
        let control = ControlEntry {
            tick,
            walk: entry.get("move").map_or(Ok(before.walk), |value| walk(&value))?,
            jump: flag(entry, "jump")?,
            impulse: entry.get("impulse").map(|value| velocity(&value)).transpose()?,
            teleport: entry.get("teleport").map(|value| frame.place(&value)).transpose()?,
            body: entry.get("body").map_or(Ok(before.body), |value| body(&value, bodies))?,
            mask: entry.bits("mask")?.unwrap_or(before.mask),
            line,
        };
        before = control;
        controls.push(control);
    }
    Ok(controls)
}

/// `[x, z]` in metres per second.
fn walk(value: &Value<'_>) -> Result<[f32; 2], TomlError> {
    let most = f64::from(SPEED_MAX);
    let expected = "[x, z] in m/s, at most 8192 long";
    let [x, z] = value.numbers::<2>([-most, most], expected)?.map(|part| part as f32);
    let (wide_x, wide_z) = (f64::from(x), f64::from(z));
    let is_valid = (wide_x * wide_x + wide_z * wide_z).sqrt() <= most;
    if is_valid { Ok([x, z]) } else { Err(value.wrong(expected)) }
}
