//! The files of a world at one generation: looked up, read and checked against its manifest, from any
//! thread.

use std::io;
use std::sync::Arc;

use super::buffers::BufferPool;
use super::error::StoreError;
use super::folder::Folder;
use super::manifest::index::SectorRecord;
use super::manifest::{Manifest, WorldInfo};
use super::meshes::SharedMeshes;
use super::names;
use super::pack::storage::PackedStorage;
#[cfg(feature = "memmap2")]
use super::storage::FilePlace;
use super::storage::{Storage, there};
use crate::bytes::KeptBytes;
use crate::format::{LoadedSector, SectorError, SectorLayout};
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash};

/// How files are brought into memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    Copied,
    #[cfg(feature = "memmap2")]
    Mapped(super::mapped::Promise),
}

/// The files of a world at the generation that was opened, which are kept for as long as this
/// lives.
///
/// No lock is held while reading waits for the disk, so any number of threads may read at once.
#[derive(Debug)]
pub struct WorldFiles {
    pub(super) folder: Folder,
    generation: u64,
    pub(super) manifest: Manifest,
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
        let path = names::sector_path(record.coord, record.content_hash);
        let bytes = self.read_sector_file(&path, record)?;
        let mut failed = None;
        let mut find = |hash| {
            if failed.is_some() {
                return None;
            }
            let mesh = self.meshes.get(hash, || self.read_mesh(hash));
            mesh.map_err(|error| failed = Some(error)).ok()
        };
        let checked = LoadedSector::from_bytes(bytes, &mut find).and_then(|sector| {
            self.check_named(sector.layout(), sector.len_bytes(), record)?;
            Ok(sector)
        });
        match (failed, checked) {
            (Some(error), _) => Err(error),
            (None, Ok(sector)) => Ok(sector),
            (None, Err(source)) => Err(self.refused(&path, source)),
        }
    }

    /// Reads the bytes of a sector's file and checks that it is complete and the one named; its meshes
    /// are not checked.
    pub(super) fn read_sector_bytes(&self, record: &SectorRecord) -> Result<KeptBytes, StoreError> {
        let path = names::sector_path(record.coord, record.content_hash);
        let bytes = self.read_sector_file(&path, record)?;
        SectorLayout::check(&bytes)
            .and_then(|layout| self.check_named(&layout, bytes.len(), record))
            .map_err(|source| self.refused(&path, source))?;
        Ok(bytes)
    }

    /// Reads a mesh and checks that it is complete and the one that its name states.
    pub(super) fn read_mesh(&self, hash: MeshHash) -> Result<LoadedMesh, StoreError> {
        let record = self.manifest.find_mesh(hash)?;
        let record = record.ok_or(StoreError::UnnamedMesh { hash })?;
        let path = names::mesh_path(hash);
        let full_path = || self.folder.storage.full_path(&path);
        let bytes = self
            .read_bytes(&path, record.file_bytes)?
            .ok_or_else(|| StoreError::MissingMesh { path: full_path() })?;
        let found = match LoadedMesh::from_bytes(bytes) {
            Ok(mesh) if mesh.hash() == hash => return Ok(mesh),
            Ok(other) => Err(StoreError::OtherMesh {
                path: full_path(),
                found: other.hash(),
                expected: hash,
            }),
            Err(source) => Err(StoreError::Mesh { path: full_path(), source }),
        };
        self.folder.storage.distrust(&path);
        found
    }

    fn read_sector_file(&self, path: &str, record: &SectorRecord) -> Result<KeptBytes, StoreError> {
        let missing = || StoreError::Missing {
            coord: record.coord,
            path: self.folder.storage.full_path(path),
        };
        self.read_bytes(path, record.file_bytes)?.ok_or_else(missing)
    }

    /// Distrusts a sector's file that is invalid. The error names the place where it was found.
    fn refused(&self, path: &str, source: SectorError) -> StoreError {
        let path_shown = self.folder.storage.full_path(path);
        self.folder.storage.distrust(path);
        StoreError::Sector { path: path_shown, source }
    }

    /// A file's bytes; `None` if there is no such file.
    fn read_bytes(&self, path: &str, expected_bytes: u64) -> Result<Option<KeptBytes>, StoreError> {
        let bytes = match self.access {
            Access::Copied => self.copy(path, expected_bytes),
            #[cfg(feature = "memmap2")]
            Access::Mapped(promise) => self.map(promise, path, expected_bytes),
        };
        self.folder.run("read", path, |_| there(bytes))
    }

    /// Copies a file into memory. If its length is not the expected one, only the first bytes are read:
    /// enough for the checks to refuse it.
    fn copy(&self, path: &str, expected_bytes: u64) -> io::Result<KeptBytes> {
        let file = self.folder.storage.open(path)?;
        let have_bytes = file.len_bytes()?;
        let length = usize::try_from(have_bytes.min(expected_bytes.saturating_add(1)))
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = self.buffers.take(length)?;
        file.read_exact_at(0, bytes.bytes_mut())?;
        Ok(KeptBytes::from_owner(bytes))
    }

    /// Maps a file. One whose length is not the expected one is copied instead, so that it is refused
    /// in the same way without bringing it into memory. So is one of a storage that has no place on a
    /// disk.
    #[cfg(feature = "memmap2")]
    fn map(
        &self,
        promise: super::mapped::Promise,
        path: &str,
        expected_bytes: u64,
    ) -> io::Result<KeptBytes> {
        let place = self.folder.storage.place(path)?;
        let is_whole = |place: &FilePlace| place.len_bytes == expected_bytes && expected_bytes > 0;
        let Some(place) = place.filter(is_whole) else { return self.copy(path, expected_bytes) };
        match promise.map(&place) {
            // Removed in the meantime to make room for others.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.copy(path, expected_bytes)
            }
            mapped => Ok(KeptBytes::from_owner(mapped?)),
        }
    }

    /// Checks that a sector is the one named.
    fn check_named(
        &self,
        layout: &SectorLayout,
        found_bytes: usize,
        record: &SectorRecord,
    ) -> Result<(), SectorError> {
        let mismatch = |what, found: String, expected: String| {
            Err(SectorError::Mismatch { what, found, expected })
        };
        let found_bytes = found_bytes as u64;
        if layout.coord() != record.coord {
            return Err(SectorError::WrongSector { found: layout.coord(), expected: record.coord });
        }
        if layout.content_hash() != record.content_hash {
            let [found, expected] =
                [layout.content_hash(), record.content_hash].map(|hash| format!("{hash:032x}"));
            return mismatch("content hash", found, expected);
        }
        if found_bytes != record.file_bytes {
            return mismatch("length", found_bytes.to_string(), record.file_bytes.to_string());
        }
        let (found, grid) = (layout.grid(), self.info().facts.grid);
        for (what, found, expected) in [
            ("cell", f64::from(found.cell()), f64::from(grid.cell())),
            ("cells", f64::from(found.cells()), f64::from(grid.cells())),
            ("quantum", f64::from(found.quantum()), f64::from(grid.quantum())),
        ] {
            if found != expected {
                return mismatch(what, found.to_string(), expected.to_string());
            }
        }
        Ok(())
    }
}
