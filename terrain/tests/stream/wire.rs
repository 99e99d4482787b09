//! Storage between a world and its files that fails, waits and counts as the test says.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};

use marchland_terrain::store::{FilePlace, Storage, StoredFile};

#[derive(Debug, Default)]
struct State {
    /// Parts of paths whose opening or reading fails so.
    failing: BTreeMap<String, io::ErrorKind>,
    /// The part of paths whose opening or reading panics.
    panicking: Option<String>,
    /// The part of paths whose reads wait.
    closed: Option<String>,
    /// Reads that wait.
    waiting: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Wire {
    inner: Arc<dyn Storage>,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Debug)]
struct WiredFile {
    wire: Wire,
    path: String,
    inner: Box<dyn StoredFile>,
}

impl Wire {
    pub(crate) fn new(inner: Arc<dyn Storage>) -> Self {
        Self { inner, state: Arc::default() }
    }

    /// From now on all that has to do with paths that hold `part` fails, or no longer.
    pub(crate) fn fail(&self, part: &str, kind: Option<io::ErrorKind>) {
        let failing = &mut self.state.0.lock().unwrap().failing;
        match kind {
            Some(kind) => _ = failing.insert(part.to_owned(), kind),
            None => _ = failing.remove(part),
        }
    }

    /// From now on all that has to do with paths that hold `part` panics, or nothing does.
    pub(crate) fn panic(&self, part: Option<&str>) {
        self.state.0.lock().unwrap().panicking = part.map(str::to_owned);
    }

    /// From now on reads of files whose paths hold `part` wait until the wire is opened.
    pub(crate) fn close(&self, part: &str) {
        self.state.0.lock().unwrap().closed = Some(part.to_owned());
    }

    pub(crate) fn open_again(&self) {
        self.state.0.lock().unwrap().closed = None;
        self.state.1.notify_all();
    }

    /// Waits until so many reads wait at the same time.
    pub(crate) fn wait_for_waiting(&self, reads: usize) {
        let state = self.state.0.lock().unwrap();
        drop(self.state.1.wait_while(state, |state| state.waiting < reads).unwrap());
    }

    fn check(&self, path: &str) -> io::Result<()> {
        let state = self.state.0.lock().unwrap();
        let failing = state.failing.iter().find(|(part, _)| path.contains(part.as_str()));
        let result = failing.map_or(Ok(()), |(_, &kind)| Err(kind.into()));
        let panics = state.panicking.as_ref().is_some_and(|part| path.contains(part));
        drop(state);
        assert!(!panics, "the wire is cut");
        result
    }

    fn pass(&self, path: &str) {
        let mut state = self.state.0.lock().unwrap();
        let is_closed =
            |state: &mut State| state.closed.as_ref().is_some_and(|part| path.contains(part));
        if is_closed(&mut state) {
            state.waiting += 1;
            self.state.1.notify_all();
            state = self.state.1.wait_while(state, is_closed).unwrap();
            state.waiting -= 1;
        }
    }
}

impl Storage for Wire {
    fn full_path(&self, path: &str) -> PathBuf {
        self.inner.full_path(path)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.inner.create_folder(path)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_new(path, bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.inner.sync_file(path)
    }

    fn sync_folder(&self, path: &str) -> io::Result<()> {
        self.inner.sync_folder(path)
    }

    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        self.inner.sync_all(files, folders)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        self.check(path)?;
        let (wire, path) = (self.clone(), path.to_owned());
        let inner = self.inner.open(&path)?;
        Ok(Box::new(WiredFile { wire, path, inner }))
    }

    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        self.inner.open_lock(path)
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        self.inner.len_bytes(path)
    }

    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        self.check(path)?;
        self.inner.place(path)
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        self.inner.list(path)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.inner.remove_file(path)
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        self.inner.remove_folder(path)
    }
}

impl StoredFile for WiredFile {
    fn len_bytes(&self) -> io::Result<u64> {
        self.inner.len_bytes()
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.wire.pass(&self.path);
        self.wire.check(&self.path)?;
        self.inner.read_exact_at(offset, out)
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        self.inner.try_lock_exclusive()
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        self.inner.try_lock_shared()
    }
}
