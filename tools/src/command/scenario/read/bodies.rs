//! `[bodies.NAME]`: the bodies of units.
//!
//! Read by hand, not through the controller's `serde`: faults name line, key and range, the keys `shape` and
//! `max_slope` are no fields, and defaults follow from `height` and `knee`.

use marchland_controller::limits::SPEED_MAX;
use marchland_controller::{BodyBuilder, LeavePlatform, SlopeRule};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use super::common::number_of;
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::BodySpec;
use crate::toml_tree::{Keys, TomlError};

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
    let plain = BodyBuilder::default();
    let metres = |key, default: f32, [least, most]: [f64; 2]| {
        number_of(keys, key, default, [least, most], &format!("{least} to {most} m"))
    };
    let speed = |key, default: f32| {
        number_of(keys, key, default, [0.0, f64::from(SPEED_MAX)], "0 to 8192 m/s")
    };
    let height = metres("height", plain.height, [SIZE_MIN, HEIGHT_MAX])?;
    let knee = metres("knee", lesser(plain.knee, height), [0.0, HEIGHT_MAX])?;
    check(keys, "knee", knee <= height, || format!("at most `height`, which is {height} m"))?;
    let step_up = metres("step_up", greater(plain.step_up, knee), [0.0, HEIGHT_MAX])?;
    check(keys, "step_up", step_up >= knee, || format!("at least `knee`, which is {knee} m"))?;
    let step_down = metres("step_down", lesser(plain.step_down, height), [0.0, HEIGHT_MAX])?;
    check(keys, "step_down", step_down <= height, || {
        format!("at most `height`, which is {height} m")
    })?;
    check_shape(keys)?;
    let values = BodyBuilder {
        radius: metres("radius", plain.radius, [SIZE_MIN, RADIUS_MAX])?,
        height,
        knee,
        step_up,
        step_down,
        climb: metres("climb", plain.climb, [0.0, HEIGHT_MAX])?,
        max_slope_degrees: keys.number_or(
            "max_slope",
            plain.max_slope_degrees,
            [0.0, 90.0],
            "0 to 90 degrees",
        )?,
        slope_rule: slope_rule(keys)?.unwrap_or(plain.slope_rule),
        slide_control: number_of(keys, "slide_control", plain.slide_control, [0.0, 1.0], "0 to 1")?,
        air_control: number_of(keys, "air_control", plain.air_control, [0.0, 1000.0], "0 to 1000")?,
        leave_platform: leave_platform(keys)?.unwrap_or(plain.leave_platform),
        jump_speed: speed("jump_speed", plain.jump_speed)?,
        slide_speed: speed("slide_speed", plain.slide_speed)?,
        terminal_speed: speed("terminal_speed", plain.terminal_speed)?,
        ..plain
    };
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

fn slope_rule(keys: Keys<'_>) -> Result<Option<SlopeRule>, TomlError> {
    let words = [
        ("keep_horizontal_speed", SlopeRule::KeepHorizontalSpeed),
        ("keep_direction", SlopeRule::KeepDirection),
        ("keep_path_speed", SlopeRule::KeepPathSpeed),
        ("project", SlopeRule::Project),
    ];
    keys.get("slope_rule").map(|value| value.choice(&words)).transpose()
}

fn leave_platform(keys: Keys<'_>) -> Result<Option<LeavePlatform>, TomlError> {
    let words =
        [("keep", LeavePlatform::Keep), ("drop", LeavePlatform::Drop), ("add", LeavePlatform::Add)];
    keys.get("leave_platform").map(|value| value.choice(&words)).transpose()
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
