//! `[[props]]`: the props, at rest or moving.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::angle;
use marchland_terrain::props::{LIVE_TURN_MAX, Placement};
use marchland_terrain::{Collision, LoadedMesh};

use super::common::{Frame, TickOrder, named, velocity_of};
use super::surfaces;
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::{MeshSpec, MotionEntry, PropSpec, SurfaceSpec};
use crate::import::props::common as props;
use crate::toml_tree::{Keys, TomlError, TomlProblem, Value};

const KEYS: [&str; 10] = [
    "mesh",
    "position",
    "rotation",
    "scale",
    "surface",
    "layers",
    "collision",
    "velocity",
    "angular_velocity",
    "motion",
];
const MOTION_KEYS: [&str; 3] = ["tick", "velocity", "angular_velocity"];

/// All props.
pub(super) fn read(
    keys: Keys<'_>,
    frame: Frame,
    meshes: &[MeshSpec],
    surfaces: &[SurfaceSpec],
) -> Result<Vec<PropSpec>, ScenarioError> {
    let tables = keys.tables("props", "[[props]]", &KEYS)?;
    tables.into_iter().map(|keys| prop(keys, frame, meshes, surfaces)).collect()
}

fn prop(
    keys: Keys<'_>,
    frame: Frame,
    meshes: &[MeshSpec],
    surfaces: &[SurfaceSpec],
) -> Result<PropSpec, ScenarioError> {
    let value = keys.need("mesh", "the name of a mesh")?;
    let mesh = named(&value, "a mesh", meshes.iter().map(|mesh| mesh.name.as_str()))?;
    let position = frame.place(&keys.need("position", "[x, y, z] in metres")?)?;
    let mesh_spec = meshes.get(mesh).ok_or_else(|| value.wrong("the name of a mesh"))?;
    Ok(PropSpec {
        mesh,
        position,
        placement: placement(keys)?,
        surface: surfaces::of(keys, surfaces)?,
        layers: keys.bits("layers")?.unwrap_or(u32::MAX),
        collision: collision(keys, mesh_spec)?,
        motion: motion(keys)?,
        line: keys.line,
    })
}

fn placement(keys: Keys<'_>) -> Result<Placement, TomlError> {
    let (rotation, scale) = (props::rotation(keys)?, props::scale(keys)?);
    // A scale that was read is within the limits.
    Ok(Placement::new(rotation, scale).unwrap_or(Placement::IDENTITY))
}

/// How a prop blocks: as requested, or as its mesh allows.
fn collision(keys: Keys<'_>, mesh: &MeshSpec) -> Result<Collision, ScenarioError> {
    let closed = mesh.mesh.view().is_closed();
    let fitting = if closed { Collision::Solid } else { Collision::Soup };
    let Some(value) = keys.get("collision") else { return Ok(fitting) };
    match props::collision(&value)? {
        Some(Collision::Solid) if !closed => {
            let (mesh, why) = (mesh.name.clone(), why_open(&mesh.mesh, mesh.open_edges));
            Err(value.fault(ScenarioProblem::NotClosed { mesh, why }))
        }
        asked => Ok(asked.unwrap_or(fitting)),
    }
}

fn why_open(mesh: &LoadedMesh, open_edges: u64) -> String {
    match open_edges {
        0 => format!("its {} triangles enclose nothing", mesh.view().triangles()),
        1 => "1 edge is open".to_owned(),
        count => format!("{count} edges are open"),
    }
}

/// Constant velocities, or a motion in several parts.
fn motion(keys: Keys<'_>) -> Result<Vec<MotionEntry>, ScenarioError> {
    let stays = ["velocity", "angular_velocity"];
    let Some(motion) = keys.get("motion") else {
        let first = stays.iter().find_map(|key| keys.get(key));
        let first = first.map(|value| velocities(keys, 0, value.line)).transpose()?;
        return Ok(first.into_iter().collect());
    };
    if let Some(other) = stays.into_iter().find(|key| keys.get(key).is_some()) {
        return Err(motion.fault(TomlProblem::Both { key: "motion", other }).into());
    }
    let mut rising = TickOrder::default();
    let expected = "entries, each { tick, velocity, angular_velocity }";
    let entries = keys.entries("motion", &MOTION_KEYS, expected)?;
    let entry = |entry: Keys<'_>| {
        let (tick, line) = rising.next(entry)?;
        Ok(velocities(entry, tick, line)?)
    };
    entries.into_iter().map(entry).collect()
}

fn velocities(keys: Keys<'_>, tick: u32, line: u32) -> Result<MotionEntry, TomlError> {
    let velocity = velocity_of(keys, "velocity")?;
    let angular_velocity = keys.get("angular_velocity");
    let angular_velocity = angular_velocity.map_or(Ok(Vec3::ZERO), |value| turning(&value))?;
    Ok(MotionEntry { tick, velocity, angular_velocity, line })
}

/// Degrees per second to radians per second.
fn turning(value: &Value<'_>) -> Result<Vec3, TomlError> {
    // 1024 rad/s, the greatest angular velocity of a live prop.
    const TURN_MAX: f64 = 58_670.0;
    let expected = "[x, y, z] in degrees/s, at most 58670 long";
    let degrees = value.numbers::<3>([-TURN_MAX, TURN_MAX], expected)?;
    let turning = Vec3::from_array(degrees.map(|degrees| angle::radians(degrees) as f32));
    let is_valid = turning.as_dvec3().length() <= f64::from(LIVE_TURN_MAX);
    if is_valid { Ok(turning) } else { Err(value.wrong(expected)) }
}
