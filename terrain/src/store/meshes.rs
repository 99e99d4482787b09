//! The meshes that the resident sectors of a world share: each in memory once, for as long as any
//! sector uses it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::error::StoreError;
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
        if let Some(mesh) = self.find(&self.table(), hash) {
            return Ok(mesh);
        }
        let mesh = Arc::new(read()?);
        let mut table = self.table();
        if let Some(earlier) = self.find(&table, hash) {
            return Ok(earlier);
        }
        table.insert(hash, Arc::downgrade(&mesh));
        Ok(mesh)
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<MeshHash, Weak<LoadedMesh>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(
        &self,
        table: &BTreeMap<MeshHash, Weak<LoadedMesh>>,
        hash: MeshHash,
    ) -> Option<Arc<LoadedMesh>> {
        table.get(&hash).and_then(Weak::upgrade)
    }
}
