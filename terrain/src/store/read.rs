//! Reads the files that a manifest names into memory and checks them against it.

use std::io;
use std::sync::Arc;

use super::error::StoreError;
use super::files::WorldFiles;
use super::manifest_index::SectorRecord;
use super::names;
use crate::bytes::KeptBytes;
use crate::format::LoadedSector;
use crate::format::SectorError;
use crate::format::SectorLayout;
use crate::grid::Grid;
use crate::props::{LoadedMesh, MeshHash};

/// How files are brought into memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    Copied,
    #[cfg(feature = "memmap2")]
    Mapped(super::mapped::Promise),
}

/// Reads a sector and the meshes that it needs. Checks that all are complete and the ones named.
pub(super) fn read_sector(
    files: &WorldFiles,
    record: &SectorRecord,
) -> Result<LoadedSector, StoreError> {
    let path = names::sector_path(record.coord, record.content_hash);
    let full_path = || files.folder().storage().full_path(&path);
    let bytes = read_bytes(files, &path, record.file_bytes)?
        .ok_or_else(|| StoreError::Missing { coord: record.coord, path: full_path() })?;
    let mut failed = None;
    let mut find = |hash| {
        if failed.is_some() {
            return None;
        }
        match files.meshes().get(hash, || read_mesh(files, hash)) {
            Ok(mesh) => Some(mesh),
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    };
    let checked = check_sector(bytes, record, files.info().facts.grid, &mut find);
    match (failed, checked) {
        (Some(error), _) => Err(error),
        (None, Ok(sector)) => Ok(sector),
        (None, Err(source)) => {
            // An error is reported for the place where it was found.
            let path_shown = full_path();
            files.folder().storage().distrust(&path);
            Err(StoreError::Sector { path: path_shown, source })
        }
    }
}

/// Reads the bytes of a sector's file and checks that it is complete and the one named; its meshes
/// are not checked.
pub(super) fn read_sector_file(
    files: &WorldFiles,
    record: &SectorRecord,
) -> Result<KeptBytes, StoreError> {
    let path = names::sector_path(record.coord, record.content_hash);
    let full_path = || files.folder().storage().full_path(&path);
    let bytes = read_bytes(files, &path, record.file_bytes)?
        .ok_or_else(|| StoreError::Missing { coord: record.coord, path: full_path() })?;
    SectorLayout::check(&bytes)
        .and_then(|layout| check_named(&layout, bytes.len(), record, files.info().facts.grid))
        .map_err(|source| {
            let path_shown = full_path();
            files.folder().storage().distrust(&path);
            StoreError::Sector { path: path_shown, source }
        })?;
    Ok(bytes)
}

/// Reads a mesh and checks that it is complete and the one that its name states.
pub(super) fn read_mesh(files: &WorldFiles, hash: MeshHash) -> Result<LoadedMesh, StoreError> {
    let record = files.manifest().find_mesh(hash)?;
    let record = record.ok_or(StoreError::UnnamedMesh { hash })?;
    let path = names::mesh_path(hash);
    let full_path = || files.folder().storage().full_path(&path);
    let bytes = read_bytes(files, &path, record.file_bytes)?
        .ok_or_else(|| StoreError::MissingMesh { path: full_path() })?;
    let found = match LoadedMesh::from_bytes(bytes) {
        Ok(mesh) if mesh.hash() == hash => return Ok(mesh),
        Ok(other) => {
            Err(StoreError::OtherMesh { path: full_path(), found: other.hash(), expected: hash })
        }
        Err(source) => Err(StoreError::Mesh { path: full_path(), source }),
    };
    files.folder().storage().distrust(&path);
    found
}

/// A file's bytes; `None` if there is no such file.
fn read_bytes(
    files: &WorldFiles,
    path: &str,
    expected_bytes: u64,
) -> Result<Option<KeptBytes>, StoreError> {
    let bytes = match files.access() {
        Access::Copied => copy(files, path, expected_bytes),
        #[cfg(feature = "memmap2")]
        Access::Mapped(promise) => map(files, promise, path, expected_bytes),
    };
    match bytes {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => {
            let path = files.folder().storage().full_path(path);
            Err(StoreError::from_io("read", path, source))
        }
    }
}

/// Copies a file into memory. If its length is not the expected one, only the first bytes are read:
/// enough for the checks to refuse it.
fn copy(files: &WorldFiles, path: &str, expected_bytes: u64) -> io::Result<KeptBytes> {
    let file = files.folder().storage().open(path)?;
    let have_bytes = file.len_bytes()?;
    let length = usize::try_from(have_bytes.min(expected_bytes.saturating_add(1)))
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = files.buffers().take(length)?;
    file.read_exact_at(0, bytes.bytes_mut())?;
    Ok(Box::new(bytes))
}

/// Maps a file. One whose length is not the expected one is copied instead, so that it is refused
/// in the same way without bringing it into memory. So is one of a storage that has no place on a
/// disk.
#[cfg(feature = "memmap2")]
fn map(
    files: &WorldFiles,
    promise: super::mapped::Promise,
    path: &str,
    expected_bytes: u64,
) -> io::Result<KeptBytes> {
    match files.folder().storage().place(path)? {
        Some(place) if place.len_bytes == expected_bytes && expected_bytes > 0 => {
            match promise.map(&place) {
                // Removed in the meantime to make room for others.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    copy(files, path, expected_bytes)
                }
                mapped => Ok(Box::new(mapped?)),
            }
        }
        _ => copy(files, path, expected_bytes),
    }
}

fn check_sector(
    bytes: KeptBytes,
    record: &SectorRecord,
    grid: Grid,
    find: &mut dyn FnMut(MeshHash) -> Option<Arc<LoadedMesh>>,
) -> Result<LoadedSector, SectorError> {
    let sector = LoadedSector::from_bytes(bytes, find)?;
    check_named(sector.layout(), sector.len_bytes(), record, grid)?;
    Ok(sector)
}

/// Checks that a sector is the one named.
fn check_named(
    layout: &SectorLayout,
    found_bytes: usize,
    record: &SectorRecord,
    grid: Grid,
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
    let found = layout.grid();
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
