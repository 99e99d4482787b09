//! `[[expect]]`: the expected results.

use super::common::{WHOLE_TICKS, named, whole_ticks};
use crate::command::scenario::expect::{Expectation, LaterTicks, Mode};
use crate::command::scenario::spec::UnitSpec;
use crate::toml_tree::{Keys, TomlError, Value};

/// Keys of the table. All but the first are keys of its entries too.
const KEYS: [&str; 11] = [
    "at",
    "unit",
    "tick",
    "every",
    "position",
    "tolerance",
    "mode",
    "min",
    "max",
    "speed",
    "speed_tolerance",
];

/// All expectations.
pub(super) fn read(
    keys: Keys<'_>,
    units: &[UnitSpec],
    ticks: u32,
) -> Result<Vec<Expectation>, TomlError> {
    let mut expects = Vec::new();
    for table in keys.tables("expect", "[[expect]]", &KEYS)? {
        let Some(value) = table.get("at") else {
            expects.extend(expect(EntryKeys { entry: table, table }, units, ticks)?);
            continue;
        };
        let expected = "tables of the keys of [[expect]] without `at`, at least one";
        let entries = table.entries("at", &KEYS[1..], expected)?;
        if entries.is_empty() {
            return Err(value.wrong(expected));
        }
        for entry in entries {
            expects.extend(expect(EntryKeys { entry, table }, units, ticks)?);
        }
    }
    Ok(expects)
}

/// The keys of an entry, and those of the table that it lies in. Without entries, both are the table.
#[derive(Clone, Copy)]
struct EntryKeys<'t> {
    entry: Keys<'t>,
    table: Keys<'t>,
}

impl<'t> EntryKeys<'t> {
    /// The value of the entry, or else that of the table.
    fn get(self, key: &'static str) -> Option<Value<'t>> {
        self.entry.get(key).or_else(|| self.table.get(key))
    }

    /// The tick or ticks: those of the entry replace either of the table.
    fn when(self) -> Result<Option<(&'static str, Value<'t>)>, TomlError> {
        let of_table = self.table.one_of(&["tick", "every"])?;
        Ok(self.entry.one_of(&["tick", "every"])?.or(of_table))
    }
}

/// An expectation for each of the units that are named.
fn expect(
    keys: EntryKeys<'_>,
    units: &[UnitSpec],
    ticks: u32,
) -> Result<Vec<Expectation>, TomlError> {
    let named = named_units(keys, units)?;
    let [position, min, max] = ["position", "min", "max"]
        .map(|key| keys.get(key).map_or(Ok([None; 3]), |value| place(&value)));
    let (position, min, max) = (position?, min?, max?);
    let crossed = min.iter().zip(&max).any(|(min, max)| match (min, max) {
        (Some(min), Some(max)) => min > max,
        _ => false,
    });
    if let Some(value) = keys.get("max").filter(|_| crossed) {
        return Err(value.wrong("no number below the corresponding one in `min`"));
    }
    let (tick, every, tick_line) = match keys.when()? {
        Some(("every", value)) => {
            let (tick, every) = every(&value, ticks)?;
            (tick, Some(every), value.line)
        }
        Some((_, value)) => (tick(&value, ticks)?, None, value.line),
        None => (ticks, None, keys.entry.line),
    };
    let speed = keys.get("speed").map(|v| v.number([0.0, f64::MAX], "m/s, at least 0"));
    let first = Expectation {
        unit: 0,
        tick,
        every,
        tick_line,
        position,
        tolerance: tolerance(keys, "tolerance", 0.01, "metres, above 0")?,
        mode: keys.get("mode").map(|value| mode(&value)).transpose()?,
        min,
        max,
        speed: speed.transpose()?,
        speed_tolerance: tolerance(keys, "speed_tolerance", 0.05, "m/s, above 0")?,
        line: keys.entry.line,
    };
    Ok(named.into_iter().map(|unit| Expectation { unit, ..first.clone() }).collect())
}

/// The units that are named: one, or an array of them.
fn named_units(keys: EntryKeys<'_>, units: &[UnitSpec]) -> Result<Vec<usize>, TomlError> {
    let expected = "the name of a unit";
    let Some(value) = keys.get("unit") else { return Err(keys.entry.missing("unit", expected)) };
    let one =
        |value: &Value<'_>| named(value, "a unit", units.iter().map(|unit| unit.name.as_str()));
    match value.entries() {
        Some(entries) if entries.is_empty() => Err(value.wrong("one name of a unit, or several")),
        Some(entries) => entries.iter().map(one).collect(),
        None => Ok(vec![one(&value)?]),
    }
}

fn tick(value: &Value<'_>, ticks: u32) -> Result<u32, TomlError> {
    let tick = whole_ticks(value)?;
    if tick <= ticks {
        Ok(tick)
    } else {
        Err(value.wrong(&format!("{WHOLE_TICKS}, and at most `ticks`, which is {ticks}")))
    }
}

/// The first of several ticks, and the others.
fn every(value: &Value<'_>, ticks: u32) -> Result<(u32, LaterTicks), TomlError> {
    let expected = "[from, to] or [from, to, step], ticks of which the first is below the second";
    let entries = value.entries().unwrap_or_default();
    let (from, to, step) = match &entries[..] {
        [from, to] => (from, to, None),
        [from, to, step] => (from, to, Some(step)),
        _ => return Err(value.wrong(expected)),
    };
    let (first, last) = (tick(from, ticks)?, tick(to, ticks)?);
    if first >= last {
        return Err(value.wrong(expected));
    }
    let step = step.map(|step| whole_step(step, last - first)).transpose()?;
    Ok((first, LaterTicks { last, step }))
}

/// Ticks from one to the next, so that the last one is among them.
fn whole_step(value: &Value<'_>, stretch: u32) -> Result<u32, TomlError> {
    let step = whole_ticks(value)?;
    if step > 0 && stretch.is_multiple_of(step) {
        return Ok(step);
    }
    let expected = format!("a divisor of the {stretch} ticks between the first and the last");
    Err(value.wrong(&expected))
}

/// Three numbers, each of which may be `"any"`.
fn place(value: &Value<'_>) -> Result<[Option<f64>; 3], TomlError> {
    let expected = "[x, y, z], each metres or \"any\"";
    let metres = |entry: &Value<'_>| match entry.as_text() {
        Some("any") => Ok(None),
        _ => entry.number([f64::MIN, f64::MAX], "metres or \"any\"").map(Some),
    };
    let [x, y, z] = value.array::<3>(expected)?;
    Ok([metres(&x)?, metres(&y)?, metres(&z)?])
}

fn tolerance(
    keys: EntryKeys<'_>,
    key: &'static str,
    default: f64,
    expected: &str,
) -> Result<f64, TomlError> {
    let above_zero = [f64::MIN_POSITIVE, f64::MAX];
    keys.get(key).map_or(Ok(default), |value| value.number(above_zero, expected))
}

fn mode(value: &Value<'_>) -> Result<Mode, TomlError> {
    value.choice(&Mode::ALL.map(|mode| (mode.word(), mode)))
}
