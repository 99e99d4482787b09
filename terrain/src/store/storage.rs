//! The seam between a world and the file system: what a world asks of it, so that tests can answer
//! with memory, with failures and with power cuts.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;

/// A folder that a world lives in. Paths are relative to it, with forward slashes; the empty path
/// is the folder itself. Errors are plain; who calls adds operation and path.
pub trait Storage: Debug + Send + Sync {
    /// The path as messages show it and as the system knows it.
    fn full_path(&self, path: &str) -> PathBuf;

    /// Makes a folder and those above it; fine if it is there.
    ///
    /// # Errors
    /// What the system says.
    fn create_folder(&self, path: &str) -> io::Result<()>;

    /// Makes a file that is not there yet and writes it. Not durable before a sync.
    ///
    /// # Errors
    /// What the system says; `AlreadyExists` if the file is there. The file may be there, in part,
    /// after an error.
    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()>;

    /// As [`write_new`](Self::write_new), of a file that is soon read again and never synced.
    ///
    /// # Errors
    /// As [`write_new`](Self::write_new).
    fn write_spool(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_new(path, bytes)
    }

    /// Makes a file that is not there yet, to be written piece by piece. Not durable before a sync.
    ///
    /// Unless the storage has a way of its own, the pieces are gathered in memory and written by
    /// [`write_new`](Self::write_new).
    ///
    /// # Errors
    /// As [`write_new`](Self::write_new).
    fn create_new(&self, path: &str) -> io::Result<Box<dyn NewFile + '_>> {
        Ok(Box::new(Gathered { storage: self, path: path.to_owned(), bytes: Vec::new() }))
    }

    /// Makes a file's bytes durable; not its name.
    ///
    /// # Errors
    /// What the system says. An error means that bytes may be lost for good: never try again.
    fn sync_file(&self, path: &str) -> io::Result<()>;

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// As [`sync_file`](Self::sync_file).
    fn sync_folder(&self, path: &str) -> io::Result<()>;

    /// Makes many files and the names in many folders durable, at the price of one sync where the
    /// system can.
    ///
    /// # Errors
    /// As [`sync_file`](Self::sync_file).
    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()>;

    /// Gives a file another name, in one step, replacing what had it.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Opens a file for reading.
    ///
    /// # Errors
    /// What the system says; `NotFound` if there is none.
    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Opens a file that is there only to be locked, and makes it if need be.
    ///
    /// # Errors
    /// What the system says.
    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Length of a file, or nothing if there is none.
    ///
    /// # Errors
    /// What the system says.
    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>>;

    /// Where on a disk the bytes of a file stand, for who maps them; nothing if they stand on none. The
    /// file may lose that name at any time; who finds it gone [opens](Self::open) it instead.
    ///
    /// # Errors
    /// What the system says; `NotFound` if there is no such file.
    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        let _ = path;
        Ok(None)
    }

    /// Says that what was read of a file is not what it should be: who keeps a copy of what stands
    /// elsewhere does not answer from it again.
    fn distrust(&self, path: &str) {
        let _ = path;
    }

    /// The names in a folder, in order; nothing if there is no folder.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>>;

    /// Takes a file's name away. Who has it open keeps it.
    ///
    /// # Errors
    /// What the system says.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Takes an empty folder away.
    ///
    /// # Errors
    /// What the system says.
    fn remove_folder(&self, path: &str) -> io::Result<()>;
}

/// A new file that is being written.
pub trait NewFile {
    /// Adds bytes at its end.
    ///
    /// # Errors
    /// What the system says. The file may hold a part of them after an error.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Ends the writing.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A new file whose bytes are gathered first.
struct Gathered<'a, S: ?Sized> {
    storage: &'a S,
    path: String,
    bytes: Vec<u8>,
}

impl<S: Storage + ?Sized> NewFile for Gathered<'_, S> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.storage.write_new(&self.path, &self.bytes)
    }
}

/// Where on a disk the bytes of a file stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file on disk, which may hold others too.
    pub path: PathBuf,
    /// Where in it the bytes begin.
    pub offset: u64,
    /// How many they are.
    pub len_bytes: u64,
}

/// An open file, read from any thread. Its lock ends when it is dropped.
pub trait StoredFile: Debug + Send + Sync {
    /// Its length.
    ///
    /// # Errors
    /// What the system says.
    fn len_bytes(&self) -> io::Result<u64>;

    /// Fills `out` from `offset` on.
    ///
    /// # Errors
    /// What the system says; `UnexpectedEof` if the file ends before.
    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Says that what was read is not what it should be: who keeps parts of what stands elsewhere does
    /// not answer from them again.
    fn distrust(&self) {}

    /// Locks the file for its holder alone; `false` if others hold a lock.
    ///
    /// # Errors
    /// What the system says; `Unsupported` where there are no locks.
    fn try_lock_exclusive(&self) -> io::Result<bool>;

    /// Locks the file together with others; `false` if somebody holds it alone.
    ///
    /// # Errors
    /// As [`try_lock_exclusive`](Self::try_lock_exclusive).
    fn try_lock_shared(&self) -> io::Result<bool>;
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
