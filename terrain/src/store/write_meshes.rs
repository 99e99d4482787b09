//! Writes mesh files, by the same rules as sector files: under unique names, synced before the
//! manifest that names them.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_128;

use super::error::{ManifestError, StoreError};
use super::manifest::WorldProps;
use super::manifest_meshes::MeshRecord;
use super::names;
use super::write::{PutOutcome, WorldWriter};
use crate::format::EncodedSector;
use crate::props::{LoadedMesh, MeshHash};

/// The meshes that were put, and how often the sectors use them.
#[derive(Debug, Default)]
pub(super) struct MeshProgress {
    put: BTreeMap<MeshHash, PutMesh>,
    /// Props of each mesh, for every mesh that a sector names.
    used: BTreeMap<MeshHash, u64>,
    /// Mesh files written.
    pub(super) written: u64,
    /// Bytes of mesh files written.
    pub(super) written_bytes: u64,
}

/// A mesh that was put.
#[derive(Clone, Copy, Debug)]
struct PutMesh {
    file_bytes: u64,
    triangles: u64,
}

impl MeshProgress {
    /// Notes the meshes that a sector uses.
    pub(super) fn note_used(&mut self, sector: &EncodedSector) {
        for mesh in &sector.meshes {
            let props = self.used.entry(mesh.hash).or_default();
            *props = props.saturating_add(mesh.props);
        }
    }

    /// Mesh files that already existed.
    pub(super) fn kept(&self) -> u64 {
        (self.put.len() as u64).saturating_sub(self.written)
    }

    /// The manifest's data about the meshes that were put and that a sector uses.
    pub(super) fn totals(&self) -> Result<WorldProps, ManifestError> {
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

impl WorldWriter {
    /// Puts a mesh's file into the world that is being baked. A mesh that no sector uses does not
    /// become part of it; putting the same mesh again has no effect.
    ///
    /// # Errors
    /// If the bytes are not a valid mesh, or the file system fails.
    pub fn put_mesh(&self, bytes: &[u8]) -> Result<(MeshHash, PutOutcome), StoreError> {
        let hash = MeshHash(xxh3_128(bytes));
        let path = names::mesh_path(hash);
        let mesh = LoadedMesh::new(bytes.to_vec()).map_err(|source| {
            let path = self.folder.storage().full_path(&path);
            StoreError::Mesh { path, source }
        })?;
        let record = MeshRecord { hash, file_bytes: bytes.len() as u64 };
        let triangles = u64::from(mesh.view().triangles());
        let put = PutMesh { file_bytes: record.file_bytes, triangles };
        if self.progress().meshes.put.insert(hash, put).is_some() {
            return Ok((hash, PutOutcome::Kept));
        }
        let is_there = self.is_mesh_named(record);
        let outcome = is_there
            .and_then(|is_named| self.put_file(&names::mesh_folder(hash), &path, bytes, is_named));
        let outcome = outcome.inspect_err(|_| _ = self.progress().meshes.put.remove(&hash))?;
        if outcome == PutOutcome::Written {
            let mut progress = self.progress();
            progress.meshes.written += 1;
            progress.meshes.written_bytes += record.file_bytes;
        }
        Ok((hash, outcome))
    }

    /// Whether the newest manifest names exactly this file, which is then durable.
    fn is_mesh_named(&self, record: MeshRecord) -> Result<bool, StoreError> {
        let Some((_, manifest)) = &self.newest else { return Ok(false) };
        match manifest.find_mesh(record.hash) {
            Ok(found) => Ok(found == Some(record)),
            Err(error) if error.is_io() => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// Whether every mesh file that the newest manifest names exists with the right length.
    pub(super) fn has_meshes(&self) -> Result<bool, StoreError> {
        let Some((_, manifest)) = &self.newest else { return Ok(false) };
        let meshes = match manifest.meshes() {
            Err(error) if !error.is_io() => return Ok(false),
            other => other?,
        };
        for mesh in meshes {
            if self.folder.len_bytes(&names::mesh_path(mesh.hash))? != Some(mesh.file_bytes) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
