//! Scenario files: text in, a checked scenario out.

mod bodies;
mod common;
mod expects;
mod meshes;
mod props;
mod shapes;
mod surfaces;
mod terrain;
mod units;

use std::path::Path;

use marchland_controller::SeparationSettings;
use marchland_controller::limits::GRAVITY_MAX;

use self::common::{Frame, WHOLE_TICKS, whole_ticks};
use super::error::ScenarioError;
use super::rate::{RATES, RATES_TEXT};
use super::spec::{Absence, Scenario};
use super::stage;
use crate::toml_tree::{Field, Keys, TableName, Text, TomlError};

/// Greatest length of a scenario file. Bytes: 64 MiB.
pub const SCENARIO_BYTES_MAX: u64 = 1 << 26;

/// Keys of the file itself.
const KEYS: [&str; 16] = [
    "version",
    "name",
    "tick_rate",
    "ticks",
    "gravity",
    "sector_size",
    "origin_sector",
    "terrain",
    "surfaces",
    "meshes",
    "props",
    "bodies",
    "separation",
    "units",
    "not_resident",
    "expect",
];

impl Scenario {
    /// Reads a scenario and all files that it names, relative to its folder.
    ///
    /// # Errors
    /// If a key is unknown, missing, of the wrong type, out of range or in conflict with a different key, or
    /// a named file cannot be used; with the line.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        read(path, &Text::read(path, "a scenario", SCENARIO_BYTES_MAX)?)
    }

    /// As [`load`](Self::load), from a text instead of the file's content.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_text(path: &Path, text: &str) -> Result<Self, ScenarioError> {
        read(path, &Text::new(path, text.to_owned()))
    }
}

fn read(path: &Path, text: &Text) -> Result<Scenario, ScenarioError> {
    let root = text.parse()?;
    let keys = Keys::root(text, &root, "a scenario", &KEYS)?;
    check_version(keys)?;
    let name = name(keys)?;
    let tick_rate = keys.number_or("tick_rate", 60.0, RATES, RATES_TEXT)?;
    let ticks_value = keys.need("ticks", WHOLE_TICKS)?;
    let ticks = whole_ticks(&ticks_value)?;
    let gravities = [0.0, f64::from(GRAVITY_MAX)];
    let gravity =
        keys.number_or("gravity", f64::from(9.81_f32), gravities, "0 to 1024 m/s²")? as f32;

    let folder = path.parent().unwrap_or(Path::new(""));
    let base = terrain::base(keys, folder)?;
    let origin = base.origin(keys)?;
    let frame = Frame { size: terrain::sector_size(keys, &base)?, origin };
    let surfaces = surfaces::read(keys, base.surface_names())?;
    let mut files = vec![path.to_owned()];
    let terrain = terrain::read(keys, &base, folder, frame, &surfaces, &mut files)?;

    let mut notes = Vec::new();
    let meshes = meshes::read(keys, folder, &mut files, &mut notes)?;
    let props = props::read(keys, frame, &meshes, &surfaces)?;
    stage::check_props(path, frame.size, &meshes, &props)?;
    let bodies = bodies::read(keys)?;
    let units = units::read(keys, frame, &bodies)?;
    let separation = separation(keys)?;
    let not_resident = not_resident(keys, frame)?;
    let expects = expects::read(keys, &units, ticks)?;
    Ok(Scenario {
        path: path.to_owned(),
        name,
        tick_rate,
        ticks,
        ticks_line: ticks_value.line,
        gravity,
        sector_size: frame.size,
        origin_sector: origin,
        terrain,
        surfaces,
        meshes,
        props,
        bodies,
        units,
        separation,
        not_resident,
        expects,
        files,
        notes,
    })
}

fn check_version(keys: Keys<'_>) -> Result<(), TomlError> {
    keys.need("version", "1")?.whole([1, 1], "1").map(drop)
}

fn name(keys: Keys<'_>) -> Result<String, TomlError> {
    let expected = "the name of the scenario";
    let value = keys.need("name", expected)?;
    match value.text(expected)? {
        "" => Err(value.wrong(expected)),
        name => Ok(name.to_owned()),
    }
}

/// Separation, which is off unless the table is there.
fn separation(keys: Keys<'_>) -> Result<Option<SeparationSettings>, TomlError> {
    let Some(value) = keys.get("separation") else { return Ok(None) };
    let name = TableName::Part("separation");
    let keys = value.table(name, &["rate", "push_max", "rest"], "{ rate, push_max, rest }")?;
    let speed = |key| Field::number(key, [0.0, 64.0], "0 to 64 m/s");
    let rate = Field::number("rate", [0.0, 1000.0], "0 to 1000 per second");
    keys.read(&[rate, speed("push_max"), speed("rest")]).map(Some)
}

fn not_resident(keys: Keys<'_>, frame: Frame) -> Result<Vec<Absence>, TomlError> {
    let tables = keys.tables("not_resident", "[[not_resident]]", &["sector", "from", "to"])?;
    let one = |keys: Keys<'_>| {
        let sector = frame.shifted(&keys.need("sector", common::SECTOR)?)?;
        let from_value = keys.need("from", WHOLE_TICKS)?;
        let from = whole_ticks(&from_value)?;
        let value = keys.need("to", WHOLE_TICKS)?;
        let to = whole_ticks(&value)?;
        if from >= to {
            return Err(value.wrong(&format!("a tick after `from`, which is {from}")));
        }
        Ok(Absence { sector, from, to, lines: [from_value.line, value.line] })
    };
    tables.into_iter().map(one).collect()
}
