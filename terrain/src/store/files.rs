//! The files of a world at one generation: looked up and read from any thread.

use std::sync::Arc;

use super::buffers::BufferPool;
use super::error::StoreError;
use super::folder::Folder;
use super::manifest::{Manifest, WorldInfo};
use super::manifest_index::SectorRecord;
use super::meshes::SharedMeshes;
use super::pack_storage::PackedStorage;
use super::read::{Access, read_mesh, read_sector};
use super::storage::Storage;
use crate::format::LoadedSector;
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash};

/// The files of a world at the generation that was opened, which are kept for as long as this
/// lives.
///
/// No lock is held while reading waits for the disk, so any number of threads may read at once.
#[derive(Debug)]
pub struct WorldFiles {
    folder: Folder,
    generation: u64,
    manifest: Manifest,
    access: Access,
    /// Mesh files are named by the hash of their content: newer generations share them.
    meshes: Arc<SharedMeshes>,
    buffers: Arc<BufferPool>,
}

impl WorldFiles {
    pub(super) fn open(storage: Arc<dyn Storage>, access: Access) -> Result<Self, StoreError> {
        let folder = Folder::new(Arc::new(PackedStorage::new(storage)));
        let (generation, manifest) = folder.open_newest()?;
        let (meshes, buffers) = (Arc::default(), Arc::default());
        Ok(Self { folder, generation, manifest, access, meshes, buffers })
    }

    /// The newest generation of the same world; `None` if this is it. What is open stays open.
    ///
    /// # Errors
    /// If the newest manifest is damaged or of another version, or cannot be read.
    pub fn newest(&self) -> Result<Option<Self>, StoreError> {
        let (generation, manifest) = self.folder.open_newest()?;
        if generation == self.generation {
            return Ok(None);
        }
        let (folder, access) = (self.folder.clone(), self.access);
        let (meshes, buffers) = (Arc::clone(&self.meshes), Arc::clone(&self.buffers));
        Ok(Some(Self { folder, generation, manifest, access, meshes, buffers }))
    }

    /// Data about the whole world.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        self.manifest.info()
    }

    /// The generation that was opened; bakes number them from 1.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Looks a sector up in the manifest; `None` if the world has none there.
    ///
    /// # Errors
    /// If the manifest cannot be read, or is damaged there.
    pub fn find(&self, coord: SectorCoord) -> Result<Option<SectorRecord>, StoreError> {
        self.manifest.find(coord)
    }

    /// The records of all sectors, those of neighbours near each other. Reads the whole index.
    pub(crate) fn records(&self) -> impl Iterator<Item = Result<SectorRecord, StoreError>> + '_ {
        self.manifest.records()
    }

    /// Reads and checks the sector that a record names, with the meshes that its props are made of;
    /// meshes already in memory for another sector are shared.
    ///
    /// # Errors
    /// If its file or a mesh's is missing, damaged, not the one named, or cannot be read.
    pub fn read(&self, record: &SectorRecord) -> Result<LoadedSector, StoreError> {
        read_sector(self, record)
    }

    /// A mesh of the manifest, read and checked again.
    pub(super) fn read_mesh(&self, hash: MeshHash) -> Result<LoadedMesh, StoreError> {
        read_mesh(self, hash)
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn access(&self) -> Access {
        self.access
    }

    pub(super) fn meshes(&self) -> &SharedMeshes {
        &self.meshes
    }

    pub(super) fn buffers(&self) -> &Arc<BufferPool> {
        &self.buffers
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<WorldFiles>();
};
