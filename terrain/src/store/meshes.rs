//! The meshes that the resident sectors of a world share: each in memory once, for as long as any
//! sector uses it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use super::error::StoreError;
use crate::mutex::lock;
use crate::props::{LoadedMesh, MeshHash};

/// The meshes in memory. A mesh that is no longer used leaves a few dozen bytes behind, at most once
/// for each mesh of the world.
#[derive(Debug, Default)]
pub(super) struct SharedMeshes(Mutex<BTreeMap<MeshHash, Weak<LoadedMesh>>>);

impl SharedMeshes {
    /// A mesh that is in memory, or else the result of `read`. No lock is held while reading; if
    /// two threads read the same mesh, both get the one that was stored first.
    pub(super) fn get(
        &self,
        hash: MeshHash,
        read: impl FnOnce() -> Result<LoadedMesh, StoreError>,
    ) -> Result<Arc<LoadedMesh>, StoreError> {
        if let Some(mesh) = self.find(&lock(&self.0), hash) {
            return Ok(mesh);
        }
        let mesh = Arc::new(read()?);
        let mut table = lock(&self.0);
        if let Some(earlier) = self.find(&table, hash) {
            return Ok(earlier);
        }
        table.insert(hash, Arc::downgrade(&mesh));
        Ok(mesh)
    }

    fn find(
        &self,
        table: &BTreeMap<MeshHash, Weak<LoadedMesh>>,
        hash: MeshHash,
    ) -> Option<Arc<LoadedMesh>> {
        table.get(&hash).and_then(Weak::upgrade)
    }
}
