//! The interface between a world and the file system: the operations that a world needs, so that
//! tests can supply memory, failures and power cuts.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;

/// A folder that a world lives in. Paths are relative to it, with forward slashes; the empty path
/// is the folder itself. Errors are plain I/O errors; the caller adds operation and path.
///
/// By default whatever writes, removes or locks fails with `ReadOnlyFilesystem`: storage that a world
/// is baked into has to give all of it, except [`write_spool`](Self::write_spool) and
/// [`create_new`](Self::create_new).
pub trait Storage: Debug + Send + Sync {
    /// The path as messages show it and as the system knows it.
    fn full_path(&self, path: &str) -> PathBuf;

    /// Creates a folder and those above it; succeeds if it exists.
    ///
    /// # Errors
    /// Any error of the system.
    fn create_folder(&self, path: &str) -> io::Result<()> {
        read_only(path)
    }

    /// Creates a file that must not exist yet, and writes it. Not durable before a sync.
    ///
    /// # Errors
    /// Any error of the system; `AlreadyExists` if the file exists. After an error the file may
    /// exist with a part of the bytes.
    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        read_only((path, bytes))
    }

    /// As [`write_new`](Self::write_new), for a file that is soon read again and never synced.
    ///
    /// # Errors
    /// As [`write_new`](Self::write_new).
    fn write_spool(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_new(path, bytes)
    }

    /// Creates a file that must not exist yet, to be written in pieces. Not durable before a sync.
    ///
    /// By default the pieces are gathered in memory and written by [`write_new`](Self::write_new).
    ///
    /// # Errors
    /// As [`write_new`](Self::write_new).
    fn create_new(&self, path: &str) -> io::Result<Box<dyn NewFile + '_>> {
        Ok(Box::new(GatheredFile { storage: self, path: path.to_owned(), bytes: Vec::new() }))
    }

    /// Makes a file's bytes durable, but not its name.
    ///
    /// # Errors
    /// Any error of the system. An error means that bytes may be permanently lost: never retry.
    fn sync_file(&self, path: &str) -> io::Result<()> {
        read_only(path)
    }

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// As [`sync_file`](Self::sync_file).
    fn sync_folder(&self, path: &str) -> io::Result<()> {
        read_only(path)
    }

    /// Makes many files and the names in many folders durable, at the price of one sync where the
    /// system supports it.
    ///
    /// # Errors
    /// As [`sync_file`](Self::sync_file).
    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        read_only((files, folders))
    }

    /// Renames a file in one step, replacing any file of that name.
    ///
    /// # Errors
    /// Any error of the system.
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        read_only((from, to))
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// Any error of the system; `NotFound` if there is no such file.
    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Opens a file that serves only as a lock, and creates it if it does not exist.
    ///
    /// # Errors
    /// Any error of the system.
    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        read_only(path)
    }

    /// Length of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// Any error of the system.
    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>>;

    /// Where on a disk the bytes of a file are, for mapping them; `None` if they are not on a disk. The
    /// file may lose that name at any time; a caller that finds it gone [opens](Self::open) it instead.
    ///
    /// # Errors
    /// Any error of the system; `NotFound` if there is no such file.
    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        let _ = path;
        Ok(None)
    }

    /// Reports that what was read of a file is invalid: storage that keeps a local copy must not
    /// answer from that copy again.
    fn distrust(&self, path: &str) {
        let _ = path;
    }

    /// The names in a folder, in order; `None` if there is no such folder.
    ///
    /// # Errors
    /// Any error of the system.
    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>>;

    /// Removes a file's name. Open handles stay valid.
    ///
    /// # Errors
    /// Any error of the system.
    fn remove_file(&self, path: &str) -> io::Result<()> {
        read_only(path)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// Any error of the system.
    fn remove_folder(&self, path: &str) -> io::Result<()> {
        read_only(path)
    }
}

/// What storage answers that is only read.
fn read_only<T>(_asked: impl Sized) -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

/// A new file that is being written.
pub trait NewFile {
    /// Appends bytes.
    ///
    /// # Errors
    /// Any error of the system. After an error the file may hold a part of them.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Finishes the writing.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// `None` for a file that does not exist.
pub(super) fn there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// A new file whose bytes are gathered in memory first.
struct GatheredFile<'a, S: ?Sized> {
    storage: &'a S,
    path: String,
    bytes: Vec<u8>,
}

impl<S: Storage + ?Sized> NewFile for GatheredFile<'_, S> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.storage.write_new(&self.path, &self.bytes)
    }
}

/// The location on a disk of the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file on disk, which may also contain other files.
    pub path: PathBuf,
    /// Offset of the first byte in it.
    pub offset: u64,
    /// Number of bytes.
    pub len_bytes: u64,
}

/// An open file, readable from any thread. Its lock is released when it is dropped.
pub trait StoredFile: Debug + Send + Sync {
    /// Its length.
    ///
    /// # Errors
    /// Any error of the system.
    fn len_bytes(&self) -> io::Result<u64>;

    /// Fills `out` from `offset` on.
    ///
    /// # Errors
    /// Any error of the system; `UnexpectedEof` if the file ends before `out` is full.
    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Reports that what was read is invalid: storage that keeps local copies of parts must not answer
    /// from them again.
    fn distrust(&self) {}

    /// Locks the file exclusively; `false` if others hold a lock. By default there are no locks.
    ///
    /// # Errors
    /// Any error of the system; `Unsupported` where there are no locks.
    fn try_lock_exclusive(&self) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Locks the file together with others; `false` if another holder has it exclusively.
    ///
    /// # Errors
    /// As [`try_lock_exclusive`](Self::try_lock_exclusive).
    fn try_lock_shared(&self) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Bytes in memory, read like a file: locks always succeed.
impl StoredFile for Vec<u8> {
    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|begin| self.get(begin..)?.get(..out.len()))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        Ok(true)
    }
}
