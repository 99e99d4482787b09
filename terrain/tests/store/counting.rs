//! Storage that counts what is asked of it, and fails on demand.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use marchland_terrain::store::{Storage, StoredFile};

/// Calls counted, and one of them failed.
#[derive(Debug, Default)]
struct Calls {
    done: AtomicU64,
    read_bytes: AtomicU64,
    fails_at: Option<u64>,
    failed: Mutex<Option<&'static str>>,
}

impl Calls {
    fn count(&self, op: &'static str) -> io::Result<()> {
        let call = self.done.fetch_add(1, Ordering::Relaxed);
        if self.fails_at != Some(call) {
            return Ok(());
        }
        *self.failed.lock().unwrap() = Some(op);
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// Storage that counts calls and fails at one of them; a write that fails leaves half of its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    inner: Arc<dyn Storage>,
    calls: Arc<Calls>,
}

impl Counting {
    pub(crate) fn new(inner: Arc<dyn Storage>, fails_at: Option<u64>) -> Self {
        Self { inner, calls: Arc::new(Calls { fails_at, ..Calls::default() }) }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.done.load(Ordering::Relaxed)
    }

    pub(crate) fn read_bytes(&self) -> u64 {
        self.calls.read_bytes.load(Ordering::Relaxed)
    }

    /// The operation that failed.
    pub(crate) fn failed(&self) -> Option<&'static str> {
        *self.calls.failed.lock().unwrap()
    }
}

impl Storage for Counting {
    fn full_path(&self, path: &str) -> PathBuf {
        self.inner.full_path(path)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.calls.count("create_folder")?;
        self.inner.create_folder(path)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.calls.count("write_new") {
            self.inner.write_new(path, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.inner.write_new(path, bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.calls.count("sync_file")?;
        self.inner.sync_file(path)
    }

    fn sync_folder(&self, path: &str) -> io::Result<()> {
        self.calls.count("sync_folder")?;
        self.inner.sync_folder(path)
    }

    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        self.calls.count("sync_all")?;
        self.inner.sync_all(files, folders)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.calls.count("rename")?;
        self.inner.rename(from, to)
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        self.calls.count("open")?;
        let inner = self.inner.open(path)?;
        Ok(Box::new(CountingFile { inner, calls: Arc::clone(&self.calls) }))
    }

    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        self.calls.count("open_lock")?;
        let inner = self.inner.open_lock(path)?;
        Ok(Box::new(CountingFile { inner, calls: Arc::clone(&self.calls) }))
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        self.calls.count("len_bytes")?;
        self.inner.len_bytes(path)
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        self.calls.count("list")?;
        self.inner.list(path)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.calls.count("remove_file")?;
        self.inner.remove_file(path)
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        self.calls.count("remove_folder")?;
        self.inner.remove_folder(path)
    }
}

#[derive(Debug)]
struct CountingFile {
    inner: Box<dyn StoredFile>,
    calls: Arc<Calls>,
}

impl StoredFile for CountingFile {
    fn len_bytes(&self) -> io::Result<u64> {
        self.calls.count("file length")?;
        self.inner.len_bytes()
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.calls.count("read")?;
        self.calls.read_bytes.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.inner.read_exact_at(offset, out)
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        self.calls.count("lock")?;
        self.inner.try_lock_exclusive()
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        self.calls.count("lock")?;
        self.inner.try_lock_shared()
    }
}
