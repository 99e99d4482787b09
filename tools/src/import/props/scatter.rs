//! `[[scatter]]`: rules that place many props.

use marchland_random::mixed;
use marchland_terrain::bake::props::{Amount, Scatter};
use marchland_terrain::math::angle::tan_degrees;

use super::common::{self, DEGREES, HEIGHT_MAX, KIND_KEYS, Kind, PLACE_MAX, SCALES, SCALES_TEXT};
use super::error::PropFileError;
use super::library::MeshLibrary;
use crate::toml_tree::{Keys, TomlError, Value};

/// Keys of `[[scatter]]`.
pub(super) const KEYS: [&str; 15] = [
    "mesh",
    "meshes",
    "seed",
    "count",
    "density",
    "slope",
    "height",
    "on",
    "area",
    "yaw",
    "scale",
    "sink",
    KIND_KEYS[0],
    KIND_KEYS[1],
    KIND_KEYS[2],
];

/// Most props that a rule may place: 16 777 216.
const COUNT_MAX: u64 = 1 << 24;
/// Most props in a hectare that a rule may place: a hundred per square metre.
const DENSITY_MAX: f64 = 1e6;
/// Most meshes to choose from.
const MESHES_MAX: usize = 1024;

/// Splits a rule into one rule for each of its meshes: they share its amount, and each has its own
/// seed, derived from that of the rule. `number` is the rule's index, from 0, for rules without a
/// seed.
pub(super) fn scatter(
    keys: Keys<'_>,
    number: u64,
    surfaces: &[String],
    library: &mut MeshLibrary,
) -> Result<Vec<Scatter>, PropFileError> {
    let (random_yaw, yaw_degrees) = yaw(keys)?;
    let amount = amount(keys)?;
    let kind = Kind::read(keys, surfaces)?;
    let seed = match keys.get("seed") {
        Some(value) => {
            value.whole([0, i64::MAX as u64], "a whole number, 0 to 9223372036854775807")?
        }
        // Otherwise consecutive rules would put their props at the same places.
        None => mixed(number),
    };
    let (slope, height) = (slope(keys)?, height(keys)?);
    let (on, area) = (on(keys, surfaces)?, area(keys)?);
    let (scale, sink) = (scale(keys)?, sink(keys)?);
    let names = meshes(keys)?;
    let parts = names.len() as u64;
    let mut scatters = Vec::with_capacity(names.len());
    for (part, value) in (0_u64..).zip(names) {
        let name = value.text("the name of a .glb, .gltf or .obj file")?;
        let mesh = library.whole(name, yaw_degrees).map_err(|problem| value.fault(problem))?;
        let amount = match amount {
            // The first rules take the remainder.
            Amount::Count(count) => Amount::Count(count / parts + u64::from(part < count % parts)),
            Amount::PerHectare(density) => Amount::PerHectare(density / parts as f64),
        };
        scatters.push(Scatter {
            kind: kind.of(mesh, library)?,
            name: keys.place(),
            seed: if part == 0 { seed } else { mixed(seed ^ mixed(part)) },
            amount,
            slope,
            height,
            on: on.clone(),
            area,
            sink,
            random_yaw,
            scale,
        });
    }
    scatters.retain(|scatter| scatter.amount != Amount::Count(0));
    Ok(scatters)
}

fn meshes(keys: Keys<'_>) -> Result<Vec<Value<'_>>, TomlError> {
    let expected = "the name of a .glb, .gltf or .obj file, or `meshes` with several names";
    match keys.one_of(&["mesh", "meshes"])? {
        Some(("mesh", value)) => Ok(vec![value]),
        Some((_, value)) => {
            let names = value.entries();
            let names = names.filter(|names| (1..=MESHES_MAX).contains(&names.len()));
            names.ok_or_else(|| value.wrong("1 to 1024 names of mesh files"))
        }
        None => Err(keys.missing("mesh", expected)),
    }
}

fn amount(keys: Keys<'_>) -> Result<Amount, TomlError> {
    let expected = "the number of props, or `density`, the number per hectare";
    match keys.one_of(&["count", "density"])? {
        Some(("count", value)) => {
            Ok(Amount::Count(value.whole([0, COUNT_MAX], "a whole number, 0 to 16777216")?))
        }
        Some((_, value)) => {
            let expected = "props per hectare, 0 to 1000000";
            Ok(Amount::PerHectare(value.number([0.0, DENSITY_MAX], expected)?))
        }
        None => Err(keys.missing("count", expected)),
    }
}

/// Rise over run, least and greatest.
fn slope(keys: Keys<'_>) -> Result<[f64; 2], TomlError> {
    let Some(value) = keys.get("slope") else { return Ok([0.0, f64::INFINITY]) };
    let expected = "[least, greatest] in degrees, 0 to 90";
    let degrees = ascending(&value, [0.0, 90.0], expected)?;
    Ok(degrees.map(|degrees| if degrees == 90.0 { f64::INFINITY } else { tan_degrees(degrees) }))
}

fn height(keys: Keys<'_>) -> Result<[f64; 2], TomlError> {
    let Some(value) = keys.get("height") else { return Ok([f64::NEG_INFINITY, f64::INFINITY]) };
    ascending(&value, [-HEIGHT_MAX, HEIGHT_MAX], "[least, greatest] in metres, -524288 to 524288")
}

fn on(keys: Keys<'_>, surfaces: &[String]) -> Result<Vec<marchland_terrain::SurfaceId>, TomlError> {
    let Some(value) = keys.get("on") else { return Ok(Vec::new()) };
    let names = value.entries().filter(|names| !names.is_empty());
    let names = names.ok_or_else(|| value.wrong("the names of one or more surfaces"))?;
    names.iter().map(|name| common::surface(name, surfaces)).collect()
}

fn area(keys: Keys<'_>) -> Result<Option<[[f64; 2]; 2]>, TomlError> {
    let Some(value) = keys.get("area") else { return Ok(None) };
    let expected = "[[x0, z0], [x1, z1]] in metres, the first corner below the second";
    let range = [-PLACE_MAX, PLACE_MAX];
    let [low, high] = value.array::<2>(expected)?;
    let [low, high] = [low.numbers(range, expected)?, high.numbers(range, expected)?];
    let is_area = low[0] < high[0] && low[1] < high[1];
    if is_area { Ok(Some([low, high])) } else { Err(value.wrong(expected)) }
}

/// Whether yaw is random, otherwise the degrees.
fn yaw(keys: Keys<'_>) -> Result<(bool, f64), TomlError> {
    match keys.get("yaw") {
        None => Ok((true, 0.0)),
        Some(value) if value.as_text() == Some("random") => Ok((true, 0.0)),
        Some(value) => {
            let degrees = value.number(DEGREES, "\"random\", or degrees, -36000 to 36000")?;
            // A whole turn is 0, and −0 is 0.
            Ok((false, degrees % 360.0 + 0.0))
        }
    }
}

fn scale(keys: Keys<'_>) -> Result<[f32; 2], TomlError> {
    let Some(value) = keys.get("scale") else { return Ok([1.0, 1.0]) };
    let range = match value.entries() {
        Some(_) => ascending(&value, SCALES, &format!("[least, greatest], each {SCALES_TEXT}"))?,
        None => [value.number(SCALES, &format!("{SCALES_TEXT}, or [least, greatest]"))?; 2],
    };
    Ok(range.map(|scale| scale as f32))
}

fn sink(keys: Keys<'_>) -> Result<f64, TomlError> {
    keys.number_or("sink", 0.0, [-HEIGHT_MAX, HEIGHT_MAX], "metres, -524288 to 524288")
}

fn ascending(value: &Value<'_>, range: [f64; 2], expected: &str) -> Result<[f64; 2], TomlError> {
    let [least, most] = value.numbers(range, expected)?;
    if least <= most { Ok([least, most]) } else { Err(value.wrong(expected)) }
}
