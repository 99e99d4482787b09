//! A bake with props, in two passes: a prop may reach into a sector that is encoded before the sector on
//! whose ground it stands.
//!
//! ```text
//! 1  heights ─ bake ─▶ sectors without props ─ spool ─▶ kept aside
//! 2  kept aside ─ place ─▶ Placements        meshes that are placed ─▶ put_mesh
//!    kept aside ─ furnish with what each sector knows ─▶ put
//! ```

use std::error::Error;
use std::sync::{Arc, Mutex};

use super::error::BakeError;
use super::place::place;
use super::place::placements::{Placements, order};
use super::props::PropInput;
use super::{BakeInput, BakeReport, BakeSettings, Progress, bake, threads};
use crate::format::{EncodedSector, LoadedSector, MeshUse};
use crate::math::SectorCoord;
use crate::mutex::lock;
use crate::props::{MeshHash, PreparedMesh};

/// Stores sectors between the passes and receives the finished files, from several threads at once.
pub trait PropSink: Sync {
    /// Keeps a sector without props.
    ///
    /// # Errors
    /// Whatever prevents that; the bake then ends. The same holds for the other methods.
    fn spool(&self, sector: &EncodedSector) -> Result<(), SinkError>;

    /// The bytes of a stored sector.
    ///
    /// # Errors
    /// As [`spool`](Self::spool).
    fn spooled(&self, coord: SectorCoord) -> Result<Vec<u8>, SinkError>;

    /// Receives a mesh that is placed.
    ///
    /// # Errors
    /// As [`spool`](Self::spool).
    fn put_mesh(&self, bytes: &[u8]) -> Result<MeshHash, SinkError>;

    /// Receives a finished sector.
    ///
    /// # Errors
    /// As [`spool`](Self::spool).
    fn put(&self, sector: EncodedSector) -> Result<(), SinkError>;
}

/// A sink's own error.
pub type SinkError = Box<dyn Error + Send + Sync>;

/// Bakes a source with props, otherwise as [`bake`]. The bytes of the sectors are the same for any number of
/// threads.
///
/// # Errors
/// As [`bake`] and [`place`].
pub fn bake_with_props(
    input: BakeInput,
    settings: &BakeSettings,
    props: &PropInput,
    progress: &mut dyn FnMut(Progress),
    sink: &dyn PropSink,
) -> Result<(BakeReport, Placements), BakeError> {
    let sectors = Mutex::new(Vec::new());
    let report = bake(input, settings, progress, &|file| {
        sink.spool(&file)?;
        lock(&sectors).push(file.coord);
        Ok(())
    })?;
    let mut sectors = std::mem::take(&mut *lock(&sectors));
    sectors.sort_unstable_by_key(|&coord| order(coord));
    let placements = place(settings.grid, &sectors, props, &|coord| {
        Ok(Arc::new(LoadedSector::new(sink.spooled(coord)?)?))
    })?;
    let meshes = put_meshes(&props.meshes, &placements, sink)?;
    let finish = |coord: SectorCoord| -> Result<(), BakeError> {
        let base = sink.spooled(coord).map_err(BakeError::Sink)?;
        let file = placements.furnish(coord, &base, &meshes)?;
        sink.put(file).map_err(BakeError::Sink)
    };
    threads::each(sectors, finish)?;
    Ok((report, placements))
}

/// Passes the placed meshes to the sink. Returns how sectors refer to the meshes of the input, in its order.
fn put_meshes(
    meshes: &[PreparedMesh],
    placements: &Placements,
    sink: &dyn PropSink,
) -> Result<Vec<MeshUse>, BakeError> {
    let uses = placements.uses(meshes.len());
    let put = |(mesh, uses): (&PreparedMesh, u64)| {
        // No sector refers to a mesh that is not placed.
        let hash = match uses {
            0 => MeshHash(0),
            _ => sink.put_mesh(&mesh.encode()).map_err(BakeError::Sink)?,
        };
        Ok(MeshUse { hash, bounds: mesh.bounds() })
    };
    meshes.iter().zip(uses).map(put).collect()
}
