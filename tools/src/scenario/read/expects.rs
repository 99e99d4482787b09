//! `[[expect]]`: the expected results.

use super::common::{WHOLE_TICKS, choice, named, whole_ticks};
use crate::scenario::spec::{Expect, Mode, UnitSpec};
use crate::toml_tree::{Keys, TomlError, Value};

const KEYS: [&str; 9] =
    ["unit", "tick", "position", "tolerance", "mode", "min", "max", "speed", "speed_tolerance"];

/// All expectations.
pub(super) fn read(
    keys: Keys<'_>,
    units: &[UnitSpec],
    ticks: u32,
) -> Result<Vec<Expect>, TomlError> {
    let tables = keys.tables("expect", "[[expect]]", &KEYS)?;
    tables.into_iter().map(|keys| expect(keys, units, ticks)).collect()
}

fn expect(keys: Keys<'_>, units: &[UnitSpec], ticks: u32) -> Result<Expect, TomlError> {
    let unit = keys.need("unit", "the name of a unit")?;
    let unit = named(&unit, "a unit", units.iter().map(|unit| unit.name.as_str()))?;
    let min = keys.get("min").map_or(Ok([None; 3]), |value| place(&value))?;
    let max = keys.get("max").map_or(Ok([None; 3]), |value| place(&value))?;
    if let Some(value) = keys.get("max") {
        let crossed = min.iter().zip(&max).any(|(min, max)| match (min, max) {
            (Some(min), Some(max)) => min > max,
            _ => false,
        });
        if crossed {
            return Err(value.wrong("no number below the corresponding one in `min`"));
        }
    }
    Ok(Expect {
        unit,
        tick_line: keys.get("tick").map_or(keys.line, |value| value.line),
        tick: keys.get("tick").map_or(Ok(ticks), |value| tick(&value, ticks))?,
        position: keys.get("position").map_or(Ok([None; 3]), |value| place(&value))?,
        tolerance: tolerance(keys, "tolerance", 0.01, "metres, above 0")?,
        mode: keys.get("mode").map(|value| mode(&value)).transpose()?,
        min,
        max,
        speed: keys
            .get("speed")
            .map(|v| v.number([0.0, f64::MAX], "m/s, at least 0"))
            .transpose()?,
        speed_tolerance: tolerance(keys, "speed_tolerance", 0.05, "m/s, above 0")?,
        line: keys.line,
    })
}

fn tick(value: &Value<'_>, ticks: u32) -> Result<u32, TomlError> {
    let tick = whole_ticks(value)?;
    if tick <= ticks {
        Ok(tick)
    } else {
        Err(value.wrong(&format!("{WHOLE_TICKS}, and at most `ticks`, which is {ticks}")))
    }
}

/// Three numbers, each of which may be `"any"`.
fn place(value: &Value<'_>) -> Result<[Option<f64>; 3], TomlError> {
    let expected = "[x, y, z], each metres or \"any\"";
    let mut place = [None; 3];
    for (entry, out) in value.array::<3>(expected)?.iter().zip(&mut place) {
        *out = match entry.as_text() {
            Some("any") => None,
            _ => Some(entry.number([f64::MIN, f64::MAX], "metres or \"any\"")?),
        };
    }
    Ok(place)
}

fn tolerance(
    keys: Keys<'_>,
    key: &'static str,
    default: f64,
    expected: &str,
) -> Result<f64, TomlError> {
    let above_zero = [f64::MIN_POSITIVE, f64::MAX];
    keys.get(key).map_or(Ok(default), |value| value.number(above_zero, expected))
}

fn mode(value: &Value<'_>) -> Result<Mode, TomlError> {
    let modes = [Mode::Walking, Mode::Falling, Mode::Sliding, Mode::Climbing, Mode::Held];
    choice(value, &modes.map(|mode| (mode.word(), mode)))
}
