//! Storage in memory that remembers every operation, can be cut off at any of them, and shows what
//! a disk may then hold.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use marchland_terrain::store::{Storage, StoredFile};

/// A kind of sync, so that a test can leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The world's folder, for the name of the lock file.
    LockName,
    /// The sector files.
    SectorFiles,
    /// The mesh files.
    MeshFiles,
    /// The folders of meshes, for the names of the mesh files.
    MeshNames,
    /// The folder of these, for their names.
    MeshFolders,
    /// The blocks' folders, for the names of the sector files.
    SectorNames,
    /// The folder of all blocks, for their names.
    BlockNames,
    /// The world's folder, for the names of the folders of all sectors and of all meshes.
    SectorsName,
    /// The manifest.
    ManifestFile,
    /// The world's folder, for the manifest's name.
    ManifestName,
}

#[derive(Clone, Debug)]
enum Op {
    Folder(String),
    Create(String, usize),
    Write(usize),
    Rename(String, String, usize),
    Remove(String),
    RemoveFolder(String),
    SyncFile(usize),
    SyncFolder(String),
}

#[derive(Clone, Debug, Default)]
struct Disk {
    folders: BTreeSet<String>,
    entries: BTreeMap<String, usize>,
    contents: Vec<Arc<Vec<u8>>>,
}

#[derive(Debug, Default)]
struct State {
    start: Disk,
    now: Disk,
    log: Vec<Op>,
    /// Shared locks held on each inode; −1 for an exclusive one.
    locks: BTreeMap<usize, i32>,
    left_out: Option<Sync>,
}

/// A folder in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryStorage(Arc<Mutex<State>>);

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl MemoryStorage {
    /// A copy that has everything on disk and nothing going on.
    pub(crate) fn settled(&self) -> Self {
        let now = self.0.lock().unwrap().now.clone();
        Self::of(now)
    }

    fn of(disk: Disk) -> Self {
        let state = State { start: disk.clone(), now: disk, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    pub(crate) fn leave_out(&self, sync: Sync) {
        self.0.lock().unwrap().left_out = Some(sync);
    }

    pub(crate) fn operations(&self) -> usize {
        self.0.lock().unwrap().log.len()
    }

    /// All paths, for a look at what is there.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap().now.entries.keys().cloned().collect()
    }

    /// All files with their bytes.
    pub(crate) fn contents(&self) -> BTreeMap<String, Arc<Vec<u8>>> {
        let now = self.0.lock().unwrap().now.clone();
        let file = |(path, inode): (String, usize)| (path, Arc::clone(&now.contents[inode]));
        now.entries.clone().into_iter().map(file).collect()
    }

    /// Changes a file's bytes behind everybody's back.
    pub(crate) fn tamper(&self, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.0.lock().unwrap();
        let inode = state.now.entries[path];
        change(Arc::make_mut(&mut state.now.contents[inode]));
    }

    /// What survives when the power goes after `operations`: all that was synced, and of the rest
    /// what `choose` picks; `choose(n)` is asked for one of `n` fates of each unsynced operation.
    pub(crate) fn after_power_cut(
        &self,
        operations: usize,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Self {
        let state = self.0.lock().unwrap();
        let log = &state.log[..operations];
        let mut disk = state.start.clone();
        disk.contents = state.now.contents.clone();
        for (at, op) in log.iter().enumerate() {
            let is_synced = log[at + 1..].iter().any(|sync| match (op, sync) {
                (Op::Write(written), Op::SyncFile(synced)) => written == synced,
                (
                    Op::Folder(path)
                    | Op::Create(path, _)
                    | Op::Rename(_, path, _)
                    | Op::Remove(path)
                    | Op::RemoveFolder(path),
                    Op::SyncFolder(folder),
                ) => parent(path) == folder,
                _ => false,
            });
            match op {
                Op::SyncFile(_) | Op::SyncFolder(_) => {}
                Op::Write(inode) => {
                    let fate = if is_synced { 0 } else { choose(4) };
                    let bytes = Arc::make_mut(&mut disk.contents[*inode]);
                    let half = bytes.len() / 2;
                    match fate {
                        0 => {}
                        1 => bytes.clear(),
                        2 => bytes.truncate(half),
                        _ => bytes[half..].fill(0),
                    }
                }
                _ if !is_synced && choose(2) == 1 => {}
                Op::Folder(path) => _ = disk.folders.insert(path.clone()),
                Op::Create(path, inode) => _ = disk.entries.insert(path.clone(), *inode),
                Op::Rename(from, to, inode) => {
                    disk.entries.remove(from);
                    disk.entries.insert(to.clone(), *inode);
                }
                Op::Remove(path) => _ = disk.entries.remove(path),
                Op::RemoveFolder(path) => _ = disk.folders.remove(path),
            }
        }
        // A file that was made, with nothing written before the cut, is empty.
        for (at, op) in log.iter().enumerate() {
            if let Op::Create(_, inode) = op
                && !log[at..].iter().any(|op| matches!(op, Op::Write(written) if written == inode))
            {
                disk.contents[*inode] = Arc::default();
            }
        }
        let folders = disk.folders.clone();
        let is_there = |path: &str| path.is_empty() || folders.contains(path);
        disk.entries.retain(|path, _| is_there(parent(path)) && is_there(parent(parent(path))));
        Self::of(disk)
    }
}

impl Storage for MemoryStorage {
    fn full_path(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("memory/{path}"))
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let mut above = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            above = if above.is_empty() { part.to_owned() } else { format!("{above}/{part}") };
            if state.now.folders.insert(above.clone()) {
                state.log.push(Op::Folder(above.clone()));
            }
        }
        Ok(())
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        if state.now.entries.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !parent(path).is_empty() && !state.now.folders.contains(parent(path)) {
            return Err(not_found());
        }
        let inode = state.now.contents.len();
        state.now.contents.push(Arc::new(bytes.to_vec()));
        state.now.entries.insert(path.to_owned(), inode);
        state.log.push(Op::Create(path.to_owned(), inode));
        state.log.push(Op::Write(inode));
        Ok(())
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let inode = *state.now.entries.get(path).ok_or_else(not_found)?;
        if state.left_out != Some(Sync::ManifestFile) {
            state.log.push(Op::SyncFile(inode));
        }
        Ok(())
    }

    fn sync_folder(&self, path: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let is_published =
            state.log.iter().any(|op| matches!(op, Op::Rename(_, to, _) if !to.contains('/')));
        let sync = if is_published { Sync::ManifestName } else { Sync::LockName };
        if state.left_out != Some(sync) {
            state.log.push(Op::SyncFolder(path.to_owned()));
        }
        Ok(())
    }

    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        for path in files {
            let is_mesh = path.ends_with(".mesh");
            let sync = if is_mesh { Sync::MeshFiles } else { Sync::SectorFiles };
            let inode = *state.now.entries.get(path).ok_or_else(not_found)?;
            if state.left_out != Some(sync) {
                state.log.push(Op::SyncFile(inode));
            }
        }
        for folder in folders {
            let sync = match folder.as_str() {
                "" => Sync::SectorsName,
                "sectors" => Sync::BlockNames,
                "meshes" => Sync::MeshFolders,
                folder if folder.starts_with("meshes/") => Sync::MeshNames,
                _ => Sync::SectorNames,
            };
            if state.left_out != Some(sync) {
                state.log.push(Op::SyncFolder(folder.clone()));
            }
        }
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let inode = state.now.entries.remove(from).ok_or_else(not_found)?;
        state.now.entries.insert(to.to_owned(), inode);
        state.log.push(Op::Rename(from.to_owned(), to.to_owned(), inode));
        Ok(())
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        let state = self.0.lock().unwrap();
        let inode = *state.now.entries.get(path).ok_or_else(not_found)?;
        let bytes = Arc::clone(&state.now.contents[inode]);
        Ok(Box::new(MemoryFile { storage: self.clone(), inode, bytes, held: Mutex::new(0) }))
    }

    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        match self.write_new(path, &[]) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.open(path),
        }
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        let state = self.0.lock().unwrap();
        let inode = state.now.entries.get(path);
        Ok(inode.map(|&inode| state.now.contents[inode].len() as u64))
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        let state = self.0.lock().unwrap();
        if !path.is_empty() && !state.now.folders.contains(path) {
            return Ok(None);
        }
        let all = state.now.folders.iter().chain(state.now.entries.keys());
        let mut names: Vec<_> = all
            .filter(|found| parent(found) == path)
            .map(|found| found.rsplit('/').next().unwrap_or_default().to_owned())
            .collect();
        names.sort_unstable();
        Ok(Some(names))
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.now.entries.remove(path).ok_or_else(not_found)?;
        state.log.push(Op::Remove(path.to_owned()));
        Ok(())
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.now.folders.remove(path);
        state.log.push(Op::RemoveFolder(path.to_owned()));
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryFile {
    storage: MemoryStorage,
    inode: usize,
    bytes: Arc<Vec<u8>>,
    /// 0 no lock, 1 shared, −1 exclusive.
    held: Mutex<i32>,
}

impl MemoryFile {
    fn try_lock(&self, wanted: i32) -> io::Result<bool> {
        let mut state = self.storage.0.lock().unwrap();
        let locks = state.locks.entry(self.inode).or_default();
        let is_free = *locks == 0 || (wanted == 1 && *locks > 0);
        if is_free {
            *locks += wanted;
            *self.held.lock().unwrap() = wanted;
        }
        Ok(is_free)
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        let held = *self.held.lock().unwrap();
        *self.storage.0.lock().unwrap().locks.entry(self.inode).or_default() -= held;
    }
}

impl StoredFile for MemoryFile {
    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.bytes.read_exact_at(offset, out)
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        self.try_lock(-1)
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        self.try_lock(1)
    }
}
