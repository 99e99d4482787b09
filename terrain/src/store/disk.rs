//! A world's folder on a real disk.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use thiserror::Error;

use super::storage::{FilePlace, NewFile, Storage, StoredFile, there};
use crate::mutex::lock;

/// Up to this many files and folders are synced one by one. A sync of the whole file system also
/// waits for what other programs wrote, so it pays only where it replaces many.
#[cfg(all(target_os = "linux", feature = "memmap2"))]
const SINGLE_SYNCS_MAX: usize = 64;

/// A folder on disk.
#[derive(Debug)]
pub struct DiskStorage {
    folder: PathBuf,
    /// Folders above the world's that got a new entry and must be synced for it to be durable.
    grown: Mutex<Vec<PathBuf>>,
    /// Kept open from before the first write, so that a sync of the file system reports every write
    /// that has failed since.
    #[cfg(all(target_os = "linux", feature = "memmap2"))]
    file_system: Mutex<Option<File>>,
}

impl DiskStorage {
    /// The folder at a path; it need not exist.
    #[must_use]
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            grown: Mutex::default(),
            #[cfg(all(target_os = "linux", feature = "memmap2"))]
            file_system: Mutex::default(),
        }
    }

    /// Creates the world's own folder, and remembers which folders above it got a new entry.
    fn create_world_folder(&self) -> io::Result<()> {
        let mut grown = Vec::new();
        let mut folder = self.folder.as_path();
        while !folder.as_os_str().is_empty() && !folder.exists() {
            let Some(above) = folder.parent() else { break };
            let above_or_here = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            grown.push(above_or_here.to_owned());
            folder = above;
        }
        fs::create_dir_all(&self.folder)?;
        lock(&self.grown).extend(grown);
        #[cfg(all(target_os = "linux", feature = "memmap2"))]
        {
            *lock(&self.file_system) = Some(File::open(&self.folder)?);
        }
        Ok(())
    }

    fn sync_grown(&self) -> io::Result<()> {
        let grown = std::mem::take(&mut *lock(&self.grown));
        grown.iter().try_for_each(|folder| sync_folder(folder))
    }
}

impl Storage for DiskStorage {
    fn full_path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.folder.clone() } else { self.folder.join(path) }
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        if path.is_empty() {
            return self.create_world_folder();
        }
        fs::create_dir_all(self.full_path(path))
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        write_through(&mut File::create_new(self.full_path(path))?, 0, bytes)
    }

    fn create_new(&self, path: &str) -> io::Result<Box<dyn NewFile + '_>> {
        Ok(Box::new(NewDiskFile { file: File::create_new(self.full_path(path))?, end: 0 }))
    }

    fn write_spool(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        File::create_new(self.full_path(path))?.write_all(bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        // Windows flushes only through handles with write access; other systems do not need it.
        let file = OpenOptions::new().read(true).write(cfg!(windows)).open(self.full_path(path))?;
        file.sync_all()
    }

    fn sync_folder(&self, path: &str) -> io::Result<()> {
        sync_folder(&self.full_path(path))?;
        if path.is_empty() { self.sync_grown() } else { Ok(()) }
    }

    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        #[cfg(all(target_os = "linux", feature = "memmap2"))]
        if files.len() + folders.len() > SINGLE_SYNCS_MAX
            && let Some(folder) = &*lock(&self.file_system)
        {
            // Linux reports failed writes here since 5.8.
            rustix::fs::syncfs(folder)?;
            return self.sync_grown();
        }
        files.iter().try_for_each(|path| self.sync_file(path))?;
        folders.iter().try_for_each(|path| self.sync_folder(path))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.full_path(from), self.full_path(to))
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        Ok(Box::new(DiskFile::new(open_file(&self.full_path(path))?)))
    }

    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        Ok(Box::new(DiskFile::new(file.open(self.full_path(path))?)))
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        let metadata = there(fs::metadata(self.full_path(path)))?;
        Ok(metadata.filter(fs::Metadata::is_file).map(|metadata| metadata.len()))
    }

    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        let path = self.full_path(path);
        let len_bytes = fs::metadata(&path)?.len();
        Ok(Some(FilePlace { path, offset: 0, len_bytes }))
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        let mut names = there(names_in(&self.full_path(path)))?;
        if let Some(names) = &mut names {
            names.sort_unstable();
        }
        Ok(names)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.full_path(path))
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        fs::remove_dir(self.full_path(path))
    }
}

/// Opens a file for reading. Anything else is refused before it is opened: opening a pipe would block
/// until a writer opens it.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() {
        return File::open(path);
    }
    let (path, found) = (path.to_owned(), name_of(kind));
    Err(io::Error::new(io::ErrorKind::InvalidInput, NotAFile { path, found }))
}

/// What is found where a file should be, as an I/O error reports it.
#[derive(Debug, Error)]
#[error("{}: {found}, expected a file", path.display())]
pub(super) struct NotAFile {
    pub(super) path: PathBuf,
    pub(super) found: &'static str,
}

fn name_of(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() { "a folder" } else { "something else" }
}

/// The names in a folder. A name that is not text is none of ours; it is listed all the same, so
/// that a folder with such a file does not look empty.
#[cfg(all(target_os = "linux", feature = "memmap2"))]
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    use rustix::fs::{Dir, Mode, OFlags};
    // The standard library's iterator panics if a broken disk fails to close the folder.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(folder, flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// As above.
#[cfg(not(all(target_os = "linux", feature = "memmap2")))]
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Appends to a new file and makes the system begin at once to write it to the disk.
///
/// A world may be larger than memory and is not read while it is baked. By itself the system would
/// delay nearly all writes until the final sync, and evict memory that other programs need. Linux
/// since 6.14 can write such a file through and drop it from its cache: a bake of 561 MB then takes
/// 0.7 s of system time instead of 1.4 s (two processors of a virtual AMD EPYC, November 2026; no
/// less where free memory was in use just before). Even so, nothing is durable before the sync.
fn write_through(file: &mut File, end: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(not(all(target_os = "linux", feature = "memmap2")))]
    let _ = end;
    #[cfg(all(target_os = "linux", feature = "memmap2"))]
    let bytes = {
        use rustix::io::{ReadWriteFlags, pwritev2};
        use std::io::{IoSlice, Seek, SeekFrom};

        /// `RWF_DONTCACHE` of the system's headers.
        const DONT_CACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);
        // Older systems, and file systems without support, refuse. What was not written goes the
        // plain way, which also reports any real error.
        let taken = pwritev2(&*file, &[IoSlice::new(bytes)], end, DONT_CACHE).unwrap_or(0);
        file.seek(SeekFrom::Start(end + taken as u64))?;
        &bytes[taken..]
    };
    file.write_all(bytes)
}

/// A new file that is written in pieces.
struct NewDiskFile {
    file: File,
    end: u64,
}

impl NewFile for NewDiskFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_through(&mut self.file, self.end, bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Folders are files only on Unix; elsewhere their entries neither need nor allow a separate sync.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// An open file on disk.
#[derive(Debug)]
pub(super) struct DiskFile {
    file: File,
    /// Where a read at an offset is a seek and a read, two of them must not interleave.
    #[cfg(not(unix))]
    seeking: Mutex<()>,
}

impl DiskFile {
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            #[cfg(not(unix))]
            seeking: Mutex::default(),
        }
    }
}

impl StoredFile for DiskFile {
    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset)
    }

    #[cfg(not(unix))]
    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let _alone = lock(&self.seeking);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(out)
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        locked(self.file.try_lock())
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        locked(self.file.try_lock_shared())
    }
}

fn locked(result: Result<(), TryLockError>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
