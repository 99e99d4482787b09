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
pub(super) struct SharedMeshes(Mutex<MeshTable>);

type MeshTable = BTreeMap<MeshHash, Weak<LoadedMesh>>;

impl SharedMeshes {
    /// A mesh that is in memory, or else the result of `read`. No lock is held while reading; if
    /// two threads read the same mesh, both get the one that was stored first.
    pub(super) fn get(
        &self,
        hash: MeshHash,
        read: impl FnOnce() -> Result<LoadedMesh, StoreError>,
    ) -> Result<Arc<LoadedMesh>, StoreError> {
        let find = |table: &MeshTable| table.get(&hash).and_then(Weak::upgrade);
        if let Some(mesh) = find(&lock(&self.0)) {
            return Ok(mesh);
        }
        let mesh = Arc::new(read()?);
        let mut table = lock(&self.0);
        if let Some(earlier) = find(&table) {
            return Ok(earlier);
        }
        table.insert(hash, Arc::downgrade(&mesh));
        Ok(mesh)
    }
}
