//! Writes files of a world under other names, renames them, and makes them durable together.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::mutex::lock;
use crate::store::error::StoreError;
use crate::store::folder::Folder;
use crate::store::names::TEMP_SUFFIX;

/// The result of putting a sector or a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// Its file was written.
    Written,
    /// Its file already existed.
    Kept,
}

/// The files that a bake puts into a world's folder, from any thread.
#[derive(Debug)]
pub(crate) struct FileWriter {
    pub(crate) folder: Folder,
    /// Whether no file is trusted by its name and length.
    pub(crate) compares_all: bool,
    unsynced: Mutex<SyncList>,
}

/// What is not known to be durable.
#[derive(Debug, Default)]
struct SyncList {
    files: Vec<String>,
    /// Folders with a new file.
    folders: BTreeSet<String>,
}

impl FileWriter {
    pub(crate) fn new(folder: Folder) -> Self {
        Self { folder, compares_all: false, unsynced: Mutex::default() }
    }

    /// Notes a file that was put and is not known to be durable.
    pub(crate) fn note_unsynced(&self, folder: &str, path: String) {
        let mut unsynced = lock(&self.unsynced);
        unsynced.folders.insert(folder.to_owned());
        unsynced.files.push(path);
    }

    /// Whether a file of the same length holds exactly these bytes.
    fn holds(&self, path: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let file = self.folder.run("open", path, |storage| storage.open(path))?;
        let mut found = vec![0; bytes.len()];
        self.folder.run("read", path, |_| file.read_exact_at(0, &mut found))?;
        Ok(found == bytes)
    }

    /// Ensures that a file exists under its final name: keeps one that the newest manifest names or
    /// whose every byte is right, else writes it.
    pub(crate) fn put(
        &self,
        folder: &str,
        path: &str,
        bytes: &[u8],
        is_named: bool,
    ) -> Result<PutOutcome, StoreError> {
        let has_length = self.folder.len_bytes(path)? == Some(bytes.len() as u64);
        if has_length && is_named && !self.compares_all {
            return Ok(PutOutcome::Kept);
        }
        let is_there = has_length && self.holds(path, bytes)?;
        if !is_there {
            self.write_file(folder, path, bytes)?;
        }
        // A file that already existed may have been left unsynced by a killed bake.
        self.note_unsynced(folder, path.to_owned());
        Ok(if is_there { PutOutcome::Kept } else { PutOutcome::Written })
    }

    fn write_file(&self, folder: &str, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        if !lock(&self.unsynced).folders.contains(folder) {
            self.folder.run("create", folder, |storage| storage.create_folder(folder))?;
        }
        let temp = format!("{path}{TEMP_SUFFIX}");
        self.folder.run("write", &temp, |storage| storage.write_new(&temp, bytes))?;
        self.folder.run("rename", &temp, |storage| storage.rename(&temp, path))
    }

    /// Makes everything that was put durable. After a failed sync the system may hold pages in
    /// memory that never reach the disk and look written, so those files are removed: a later bake
    /// must not find them.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let SyncList { files, folders } = std::mem::take(&mut *lock(&self.unsynced));
        if files.is_empty() {
            return Ok(());
        }
        let above = |folder: &String| folder.split_once('/').map(|(above, _)| above.to_owned());
        let above: BTreeSet<String> = folders.iter().filter_map(above).collect();
        let folders: Vec<String> =
            folders.into_iter().chain(above).chain([String::new()]).collect();
        let synced = self.folder.run("sync", "", |storage| storage.sync_all(&files, &folders));
        if synced.is_err() {
            for path in &files {
                // The sync's own error is the one to report.
                let _ = self.folder.remove_file(path);
            }
        }
        synced
    }

    /// Writes a manifest, durable when this returns.
    pub(crate) fn publish(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let temp = format!("{name}{TEMP_SUFFIX}");
        self.folder.run("write", &temp, |storage| storage.write_new(&temp, bytes))?;
        self.folder.run("sync", &temp, |storage| storage.sync_file(&temp))?;
        self.folder.run("rename", &temp, |storage| storage.rename(&temp, name))?;
        self.folder.run("sync", "", |storage| storage.sync_folder(""))
    }
}
