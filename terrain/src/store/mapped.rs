//! The only memory map of the project, and the only unsafe code of the store.
#![allow(unsafe_code)]

use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

use super::disk::{DiskStorage, open_file};
use super::error::StoreError;
use super::read::Access;
use super::storage::{FilePlace, Storage};
use super::world::World;

/// The caller promised that the world's files are not written to or shortened for as long as anything that
/// came from the world lives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise(());

impl World {
    /// Opens a world whose sectors and meshes are mapped into memory instead of copied. Answers are
    /// the same to the bit, and all pages are in memory before a sector counts as loaded.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Safety
    /// While this world, or anything that came from it, lives, its sector, mesh and pack files must not be
    /// written to or shortened by anyone. What came from it are its [`files`](Self::files), sectors and
    /// meshes that were read ([`LoadedSector`](crate::LoadedSector), [`LoadedMesh`](crate::LoadedMesh)) and
    /// whatever holds those: a copy of [`resident`](Self::resident), a [`Streamer`](crate::stream::Streamer).
    /// A bake may run: it only adds files, and removes the names of those that are no longer needed.
    pub unsafe fn open_mapped(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        let storage = Arc::new(DiskStorage::new(folder));
        // SAFETY: the caller promises the same.
        unsafe { Self::open_mapped_on(storage) }
    }

    /// As [`open_mapped`](Self::open_mapped), on storage other than a folder. Files without a place
    /// on a disk are copied.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Safety
    /// While this world, or anything that came from it, lives, the files that [`Storage::place`] names must
    /// not be written to or shortened by anyone. [`open_mapped`](Self::open_mapped) lists what came from it.
    pub unsafe fn open_mapped_on(storage: Arc<dyn Storage>) -> Result<Self, StoreError> {
        Self::open_with(storage, Access::Mapped(Promise(())))
    }
}

impl Promise {
    /// Maps a file of the world and brings all its pages into memory: reading the map never waits
    /// for the disk.
    pub(super) fn map(self, place: &FilePlace) -> io::Result<Mmap> {
        let file = open_file(&place.path)?;
        let length = usize::try_from(place.len_bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut options = MmapOptions::new();
        let options = options.offset(place.offset).len(length);
        // SAFETY: `MmapOptions::map` requires that the file is not changed while it is mapped, in or out
        // of this process. Within the project it is not: a sector, mesh or pack file is written under
        // another name, renamed and never opened for writing again (`store::write`, `store::pack`), and
        // removing its name leaves the map whole. That no other program writes to it or truncates it
        // cannot be enforced: FORMAT.md forbids it, and `World::open_mapped_on`, which alone makes a
        // `Promise`, requires it of its caller for as long as the map lives: every map is held by what
        // came from that world. `World::open`, which copies, is for callers who cannot promise it.
        let map = unsafe { options.map(&file)? };
        prefault(&map)?;
        Ok(map)
    }
}

/// Starts reading everything at once (asking page by page is three times slower on a cold cache),
/// then waits until all is there. Unlike a touch, the wait reports a page that cannot be read as an
/// error instead of killing the process.
#[cfg(target_os = "linux")]
fn prefault(map: &Mmap) -> io::Result<()> {
    use memmap2::Advice;
    use rustix::io::Errno;

    // Only advice: where it is ignored, reading is slower but still correct.
    let _ = map.advise(Advice::WillNeed);
    match map.advise(Advice::PopulateRead) {
        // Kernels before 5.14 do not support it.
        Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => Ok(()),
        other => other,
    }
}

/// Elsewhere the checksums, which read every byte, bring the pages into memory.
#[cfg(not(target_os = "linux"))]
fn prefault(_map: &Mmap) -> io::Result<()> {
    Ok(())
}
