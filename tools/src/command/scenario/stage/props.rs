//! The props of the file as live props.

use std::path::Path;
use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::LivePropError;
use marchland_terrain::{LiveProp, LiveProps, PropId, SectorSize};

use super::error::StageError;
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::{MeshSpec, MotionEntry, PropSpec};

/// Adds the props, in the order of the file, each with its velocities at tick 0.
pub(super) fn stand(
    size: SectorSize,
    meshes: &[MeshSpec],
    props: &[PropSpec],
) -> Result<(LiveProps, Vec<PropId>), StageError> {
    let mut live = LiveProps::new(size);
    let mut ids = Vec::with_capacity(props.len());
    for prop in props {
        let Some(mesh) = meshes.get(prop.mesh) else { continue }; // every name was looked up
        let first = prop.motion.first().filter(|entry| entry.tick == 0);
        let still = (Vec3::ZERO, Vec3::ZERO);
        let (linear_velocity, angular_velocity) =
            first.map_or(still, |entry| (entry.velocity, entry.angular_velocity));
        let fault = |fault| StageError::Prop { line: line_of(&fault, prop, first), fault };
        let added = live.add(LiveProp {
            mesh: Arc::clone(&mesh.mesh),
            position: prop.position,
            placement: prop.placement,
            surface: prop.surface,
            layers: prop.layers,
            collision: prop.collision,
            linear_velocity,
            angular_velocity,
        });
        ids.push(added.map_err(fault)?);
    }
    Ok((live, ids))
}

/// The line at fault: that of the velocities, or that of the prop.
fn line_of(fault: &LivePropError, prop: &PropSpec, first: Option<&MotionEntry>) -> u32 {
    match fault {
        LivePropError::LinearVelocity { .. }
        | LivePropError::AngularVelocity { .. }
        | LivePropError::RimSpeed { .. } => first.map_or(prop.line, |entry| entry.line),
        _ => prop.line,
    }
}

/// Tests whether all props can stand and move as specified.
pub(in crate::command::scenario) fn check(
    path: &Path,
    size: SectorSize,
    meshes: &[MeshSpec],
    props: &[PropSpec],
) -> Result<(), ScenarioError> {
    let found = stand(size, meshes, props).and_then(|(mut live, ids)| {
        for (prop, id) in props.iter().zip(ids) {
            for entry in &prop.motion {
                let set = live.set_velocity(id, entry.velocity, entry.angular_velocity);
                set.map_err(|fault| StageError::Prop { line: entry.line, fault })?;
            }
        }
        Ok(())
    });
    match found {
        Err(StageError::Prop { line, fault }) => {
            Err(ScenarioError::at(path, line, ScenarioProblem::Prop { fault }))
        }
        _ => Ok(()),
    }
}
