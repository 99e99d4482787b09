//! `profile`, `prism`, `ramp`, `stairs` and `cylinder` of `[meshes.NAME]`: meshes from a few measures.
//!
//! Every place is computed in `f64` from the numbers of the file and rounded to `f32` once, as vertices of
//! the file are.

use std::f64::consts::TAU;

use marchland_terrain::props::{MeshSource, PROP_EXTENT_MAX};

use crate::command::scenario::outline::{self, Along, OutlineFault, POINTS_MAX};
use crate::toml_tree::{Keys, TableName, TomlError, Value};

const PROFILE_KEYS: [&str; 3] = ["outline", "z", "open"];
const PRISM_KEYS: [&str; 3] = ["outline", "y", "open"];
const RAMP_KEYS: [&str; 4] = ["run", "rise", "landing", "z"];
const STAIRS_KEYS: [&str; 5] = ["steps", "run", "rise", "landing", "z"];
const CYLINDER_KEYS: [&str; 3] = ["radius", "y", "sides"];

/// Greatest distance of a mesh from its origin along an axis. Metres.
const EXTENT: f64 = PROP_EXTENT_MAX as f64;
/// Most steps of stairs: their outline has two points for each, and two more.
const STEPS_MAX: u64 = 500;
const _: () = assert!(2 * STEPS_MAX as usize + 2 <= POINTS_MAX);
/// Sides of a cylinder.
const SIDES: [u64; 2] = [3, 256];
const SIDES_TEXT: &str = "a whole number of sides, 3 to 256";

/// `profile`: an outline as seen along Z.
pub(super) fn profile(value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let keys = value.table(TableName::Part("profile"), &PROFILE_KEYS, "{ outline, z, open }")?;
    drawn_out(keys, Along::Z, "z", "points, each [x, y] in metres")
}

/// `prism`: an outline as seen from above.
pub(super) fn prism(value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let keys = value.table(TableName::Part("prism"), &PRISM_KEYS, "{ outline, y, open }")?;
    drawn_out(keys, Along::Y, "y", "points, each [x, z] in metres")
}

/// `ramp`: up along X, with a level top after it if asked for.
pub(super) fn ramp(value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let expected = "{ run, rise, landing, z }";
    let keys = value.table(TableName::Part("ramp"), &RAMP_KEYS, expected)?;
    let (run, rise, landing) = (length(keys, "run")?, length(keys, "rise")?, landing(keys)?);
    let end = run + landing;
    let mut points = vec![[0.0, 0.0], [end, 0.0], [end, rise]];
    if landing > 0.0 {
        points.push([run, rise]);
    }
    let extent = extent(keys, "z")?;
    within_extent(value, end, rise)?;
    solid(value, &points, Along::Z, extent)
}

/// `stairs`: steps up along X, the first rise at 0.
pub(super) fn stairs(value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let expected = "{ steps, run, rise, landing, z }";
    let keys = value.table(TableName::Part("stairs"), &STAIRS_KEYS, expected)?;
    let expected = "a whole number of steps, 1 to 500";
    let steps = keys.need("steps", expected)?.whole([1, STEPS_MAX], expected)? as u32;
    let (run, rise, landing) = (length(keys, "run")?, length(keys, "rise")?, landing(keys)?);
    let end = f64::from(steps) * run + landing;
    let mut points = vec![[0.0, 0.0]];
    for step in 0..steps {
        let (from, to) = (f64::from(step), f64::from(step + 1));
        let tread_end = if step + 1 == steps { end } else { to * run };
        points.extend([[from * run, to * rise], [tread_end, to * rise]]);
    }
    points.push([end, 0.0]);
    let extent = extent(keys, "z")?;
    within_extent(value, end, f64::from(steps) * rise)?;
    solid(value, &points, Along::Z, extent)
}

/// `cylinder`: upright around the origin, its corners on the circle and the first of them on +X.
pub(super) fn cylinder(value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let keys = value.table(TableName::Part("cylinder"), &CYLINDER_KEYS, "{ radius, y, sides }")?;
    let radius = length(keys, "radius")?;
    let sides = keys.get("sides").map_or(Ok(16), |value| value.whole(SIDES, SIDES_TEXT))? as u32;
    let corner = |side: u32| {
        let angle = TAU * f64::from(side) / f64::from(sides);
        // A quarter turn ends on the axis itself, which the sine misses by a rounding.
        let part = |part: f64| if part.abs() < 1e-12 { 0.0 } else { part * radius };
        [part(libm::cos(angle)), part(libm::sin(angle))]
    };
    let points: Vec<_> = (0..sides).map(corner).collect();
    solid(value, &points, Along::Y, extent(keys, "y")?)
}

/// A solid or a sheet from the `outline` of a table.
fn drawn_out(
    keys: Keys<'_>,
    along: Along,
    axis: &'static str,
    expected: &str,
) -> Result<MeshSource, TomlError> {
    let value = keys.need("outline", expected)?;
    let point = |point: &Value<'_>| {
        point.numbers::<2>([-EXTENT, EXTENT], "two coordinates in metres, each -65536 to 65536")
    };
    let entries = value.entries().ok_or_else(|| value.wrong(expected))?;
    let is_open = keys.get("open").map_or(Ok(false), |value| value.boolean())?;
    let least = if is_open { 2 } else { 3 };
    if !(least..=POINTS_MAX).contains(&entries.len()) {
        let expected = format!("{least} to {POINTS_MAX} of them");
        return Err(value.unlike(format!("{} points", entries.len()), &expected));
    }
    let points: Vec<[f64; 2]> = entries.iter().map(point).collect::<Result<_, _>>()?;
    let extent = extent(keys, axis)?;
    if is_open {
        let mesh = outline::sheet(&rounded(&points), along, extent);
        mesh.map_err(|fault| refused(&value, fault))
    } else {
        solid(&value, &points, along, extent)
    }
}

/// A closed mesh; `value` is what a message names if there is none.
fn solid(
    value: &Value<'_>,
    points: &[[f64; 2]],
    along: Along,
    extent: [f32; 2],
) -> Result<MeshSource, TomlError> {
    outline::solid(&rounded(points), along, extent).map_err(|fault| refused(value, fault))
}

fn rounded(points: &[[f64; 2]]) -> Vec<[f32; 2]> {
    points.iter().map(|point| point.map(|part| part as f32)).collect()
}

fn refused(value: &Value<'_>, fault: OutlineFault) -> TomlError {
    let (found, expected) = match fault {
        OutlineFault::Same { point } => (
            format!("an outline with point {point} where the one before it is"),
            "points that differ from those before them",
        ),
        OutlineFault::Meets { side, other } => (
            format!("an outline whose sides from point {side} and from point {other} meet"),
            "sides that meet only their neighbours, at one point",
        ),
        OutlineFault::Thin => {
            ("an outline too thin to be cut into triangles".to_owned(), "an outline with an area")
        }
    };
    value.unlike(found, expected)
}

/// Where a mesh begins and ends along the axis that it is drawn out along.
fn extent(keys: Keys<'_>, key: &'static str) -> Result<[f32; 2], TomlError> {
    let expected = "[from, to] in metres, -65536 to 65536, the first below the second";
    let value = keys.need(key, expected)?;
    let extent = value.numbers::<2>([-EXTENT, EXTENT], expected)?.map(|end| end as f32);
    if extent[0] < extent[1] { Ok(extent) } else { Err(value.wrong(expected)) }
}

fn length(keys: Keys<'_>, key: &'static str) -> Result<f64, TomlError> {
    let expected = "metres, above 0 and at most 65536";
    keys.need(key, expected)?.number([f64::MIN_POSITIVE, EXTENT], expected)
}

fn landing(keys: Keys<'_>) -> Result<f64, TomlError> {
    keys.number_or("landing", 0.0, [0.0, EXTENT], "metres, 0 to 65536")
}

/// Refuses what ends too far from the mesh's origin.
fn within_extent(value: &Value<'_>, length: f64, height: f64) -> Result<(), TomlError> {
    if length <= EXTENT && height <= EXTENT {
        return Ok(());
    }
    let found = format!("{length} m long and {height} m high");
    Err(value.unlike(found, "at most 65536 m of each"))
}
