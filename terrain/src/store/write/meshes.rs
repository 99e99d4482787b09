//! Writes mesh files, by the same rules as sector files: under unique names, synced before the
//! manifest that names them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use xxhash_rust::xxh3::xxh3_128;

use super::files::{FileWriter, PutOutcome};
use crate::format::EncodedSector;
use crate::mutex::lock;
use crate::props::{LoadedMesh, MeshHash};
use crate::store::error::{ManifestError, StoreError, if_sound};
use crate::store::folder::Folder;
use crate::store::manifest::Manifest;
use crate::store::manifest::meshes::{MeshRecord, WorldProps};
use crate::store::names;

/// The meshes that were put, and how often the sectors use them.
#[derive(Debug, Default)]
pub(crate) struct MeshProgress {
    put: BTreeMap<MeshHash, PutMesh>,
    /// Props of each mesh, for every mesh that a sector names.
    used: BTreeMap<MeshHash, u64>,
    /// Mesh files written.
    pub(crate) written: u64,
    /// Bytes of mesh files written.
    pub(crate) written_bytes: u64,
}

/// A mesh that was put.
#[derive(Clone, Copy, Debug)]
struct PutMesh {
    file_bytes: u64,
    triangles: u64,
}

impl MeshProgress {
    /// Notes the meshes that a sector uses.
    pub(crate) fn note_used(&mut self, sector: &EncodedSector) {
        for mesh in &sector.meshes {
            let props = self.used.entry(mesh.hash).or_default();
            *props = props.saturating_add(mesh.props);
        }
    }

    /// Mesh files that already existed.
    pub(crate) fn kept(&self) -> u64 {
        (self.put.len() as u64).saturating_sub(self.written)
    }

    /// The manifest's data about the meshes that were put and that a sector uses.
    pub(crate) fn totals(&self) -> Result<WorldProps, ManifestError> {
        let mut totals = WorldProps::default();
        for (&hash, &props) in &self.used {
            let mesh = self.put.get(&hash).ok_or(ManifestError::MeshNotPut { hash })?;
            totals.meshes.push(MeshRecord { hash, file_bytes: mesh.file_bytes });
            totals.props = totals.props.saturating_add(props);
            totals.unique_triangles = totals.unique_triangles.saturating_add(mesh.triangles);
            let placed = props.saturating_mul(mesh.triangles);
            totals.placed_triangles = totals.placed_triangles.saturating_add(placed);
        }
        Ok(totals)
    }
}

/// Puts meshes, from any thread.
#[derive(Debug, Default)]
pub(crate) struct MeshWriter(Mutex<MeshProgress>);

impl MeshWriter {
    /// What was put so far.
    pub(crate) fn progress(&self) -> MutexGuard<'_, MeshProgress> {
        lock(&self.0)
    }

    /// Puts a mesh's file, unless it was put before. `newest` is the newest manifest.
    pub(crate) fn put(
        &self,
        files: &FileWriter,
        newest: Option<&Manifest>,
        bytes: &[u8],
    ) -> Result<(MeshHash, PutOutcome), StoreError> {
        let hash = MeshHash(xxh3_128(bytes));
        let path = names::mesh_path(hash);
        let mesh = LoadedMesh::new(bytes.to_vec()).map_err(|source| {
            let path = files.folder.storage.full_path(&path);
            StoreError::Mesh { path, source }
        })?;
        let record = MeshRecord { hash, file_bytes: bytes.len() as u64 };
        let triangles = u64::from(mesh.view().triangles());
        let put = PutMesh { file_bytes: record.file_bytes, triangles };
        if self.progress().put.insert(hash, put).is_some() {
            return Ok((hash, PutOutcome::Kept));
        }
        let is_named = |newest: &Manifest| is_found(newest.find_mesh(hash), &record);
        let outcome = newest
            .map_or(Ok(false), is_named)
            .and_then(|is_named| files.put(&names::mesh_folder(hash), &path, bytes, is_named));
        let outcome = outcome.inspect_err(|_| _ = self.progress().put.remove(&hash))?;
        if outcome == PutOutcome::Written {
            let mut progress = self.progress();
            progress.written += 1;
            progress.written_bytes += record.file_bytes;
        }
        Ok((hash, outcome))
    }
}

/// Whether a manifest names exactly this file, which is then durable. `found` is what it names instead.
pub(super) fn is_found<T: PartialEq>(
    found: Result<Option<T>, StoreError>,
    record: &T,
) -> Result<bool, StoreError> {
    Ok(if_sound(found)?.flatten().as_ref() == Some(record))
}

/// Whether every mesh file that a manifest names exists with the right length.
pub(crate) fn has_meshes(folder: &Folder, manifest: &Manifest) -> Result<bool, StoreError> {
    let Some(meshes) = if_sound(manifest.meshes())? else { return Ok(false) };
    for mesh in meshes {
        if folder.len_bytes(&names::mesh_path(mesh.hash))? != Some(mesh.file_bytes) {
            return Ok(false);
        }
    }
    Ok(true)
}
