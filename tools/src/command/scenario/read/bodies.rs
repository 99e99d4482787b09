//! `[bodies.NAME]`: the bodies of units.

use marchland_controller::BodyBuilder;
use marchland_controller::limits::SPEED_MAX;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::BodySpec;
use crate::toml_tree::{Field, Keys, TomlError};

const KEYS: [&str; 15] = [
    "shape",
    "radius",
    "height",
    "knee",
    "step_up",
    "step_down",
    "climb",
    "max_slope",
    "slope_rule",
    "slide_control",
    "air_control",
    "leave_platform",
    "jump_speed",
    "slide_speed",
    "terminal_speed",
];

/// Least radius and height: the skin. Metres.
const SIZE_MIN: f64 = 0.01;
const _: () = assert!(SIZE_MIN as f32 == SKIN);
/// Greatest height of a body, of its steps and of its climbs. Metres.
const HEIGHT_MAX: f64 = 512.0;
/// Greatest radius. Metres.
const RADIUS_MAX: f64 = 64.0;

/// The body with all defaults, then the bodies of the file.
pub(super) fn read(keys: Keys<'_>) -> Result<Vec<BodySpec>, ScenarioError> {
    let mut bodies = vec![BodySpec::default()];
    for (name, keys) in keys.named("bodies", &KEYS)? {
        bodies.push(body(name, keys)?);
    }
    Ok(bodies)
}

fn body(name: &str, keys: Keys<'_>) -> Result<BodySpec, ScenarioError> {
    let metres = |key, [least, most]: [f64; 2]| {
        Field::number(key, [least, most], &format!("{least} to {most} m"))
    };
    let speed = |key| Field::number(key, [0.0, f64::from(SPEED_MAX)], "0 to 8192 m/s");
    let mut values: BodyBuilder = keys.read(&[
        metres("height", [SIZE_MIN, HEIGHT_MAX]),
        metres("knee", [0.0, HEIGHT_MAX]),
        metres("step_up", [0.0, HEIGHT_MAX]),
        metres("step_down", [0.0, HEIGHT_MAX]),
        metres("radius", [SIZE_MIN, RADIUS_MAX]),
        metres("climb", [0.0, HEIGHT_MAX]),
        Field::number("max_slope", [0.0, 90.0], "0 to 90 degrees").of("max_slope_degrees"),
        Field::plain("slope_rule"),
        Field::number("slide_control", [0.0, 1.0], "0 to 1"),
        Field::number("air_control", [0.0, 1000.0], "0 to 1000"),
        Field::plain("leave_platform"),
        speed("jump_speed"),
        speed("slide_speed"),
        speed("terminal_speed"),
    ])?;
    check_shape(keys)?;
    let BodyBuilder { height, knee, step_up, step_down, .. } = &mut values;
    // What is not given agrees with what is.
    let is_given = |key| keys.get(key).is_some();
    if !is_given("knee") {
        *knee = lesser(*knee, *height);
    }
    if !is_given("step_up") {
        *step_up = greater(*step_up, *knee);
    }
    if !is_given("step_down") {
        *step_down = lesser(*step_down, *height);
    }
    check(keys, "knee", knee <= height, || format!("at most `height`, which is {height} m"))?;
    check(keys, "step_up", step_up >= knee, || format!("at least `knee`, which is {knee} m"))?;
    check(keys, "step_down", step_down <= height, || {
        format!("at most `height`, which is {height} m")
    })?;
    Ok(BodySpec { name: name.to_owned(), values })
}

fn check_shape(keys: Keys<'_>) -> Result<(), ScenarioError> {
    let Some(value) = keys.get("shape") else { return Ok(()) };
    if value.choice(&[("cylinder", true), ("capsule", false), ("ellipsoid", false)])? {
        return Ok(());
    }
    let (key, found) = (value.key.clone(), value.text("a shape")?.to_owned());
    Err(value.fault(ScenarioProblem::Shape { key, found }))
}

/// A given value must agree with the others; an omitted one agrees by its default.
fn check(
    keys: Keys<'_>,
    key: &'static str,
    agrees: bool,
    expected: impl Fn() -> String,
) -> Result<(), TomlError> {
    match keys.get(key) {
        Some(value) if !agrees => Err(value.wrong(&expected())),
        _ => Ok(()),
    }
}
