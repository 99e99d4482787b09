//! The only memory map of the project.
#![allow(unsafe_code)]

use std::io;

use memmap2::{Mmap, MmapOptions};

use super::disk::open_file;
use super::storage::FilePlace;

/// The caller promised that the world's files are not written to or shortened for as long as anything that
/// came from the world lives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise(());

impl Promise {
    /// The promise itself.
    ///
    /// # Safety
    /// While anything that was mapped with it lives, the world's files must not be written to or shortened.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }

    /// Maps a file of the world and brings all its pages into memory: reading the map never waits
    /// for the disk.
    pub(super) fn map(self, place: &FilePlace) -> io::Result<Mmap> {
        let file = open_file(&place.path)?;
        let length = usize::try_from(place.len_bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut options = MmapOptions::new();
        let options = options.offset(place.offset).len(length);
        // SAFETY: `MmapOptions::map` requires that the file is not changed while it is mapped, in or out
        // of this process. Within the project it is not: a sector, mesh or pack file is written under
        // another name, renamed and never opened for writing again (`store::write::files`,
        // `store::pack::stream`), and removing its name leaves the map whole. That no other program writes
        // to it or truncates it cannot be enforced: FORMAT.md forbids it, and `World::open_mapped_on`,
        // which alone makes a `Promise`, requires it of its caller for as long as the map lives: every map
        // is held by what came from that world. `World::open`, which copies, is for callers who cannot
        // promise it.
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
