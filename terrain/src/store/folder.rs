//! A world's folder as readers and bakers see it: storage whose errors say what was tried on which
//! file, and the finding of manifests.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::error::{ManifestError, StoreError};
use super::manifest::Manifest;
use super::names;
use super::storage::{Storage, StoredFile, there};

/// How often a reader looks for the newest manifest again when it vanished, or was locked for
/// removal, between looking and locking. Each time a whole new bake must have been published in
/// between, so a second try is rare.
const OPEN_TRIES: u32 = 100;

#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) storage: Arc<dyn Storage>,
}

impl Folder {
    pub(super) fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Runs an operation and adds the operation and the file to its error.
    pub(super) fn run<T>(
        &self,
        op: &'static str,
        path: &str,
        run: impl FnOnce(&dyn Storage) -> io::Result<T>,
    ) -> Result<T, StoreError> {
        let full_path = || self.storage.full_path(path);
        run(&*self.storage).map_err(|source| StoreError::from_io(op, full_path(), source))
    }

    pub(super) fn len_bytes(&self, path: &str) -> Result<Option<u64>, StoreError> {
        self.run("examine", path, |storage| storage.len_bytes(path))
    }

    pub(super) fn remove_file(&self, path: &str) -> Result<(), StoreError> {
        self.run("remove", path, |storage| storage.remove_file(path))
    }

    /// The names in a folder; empty if there is no folder.
    pub(super) fn list(&self, path: &str) -> Result<Vec<String>, StoreError> {
        Ok(self.run("list", path, |storage| storage.list(path))?.unwrap_or_default())
    }

    /// The generations of all manifests, ascending.
    pub(super) fn generations(&self) -> Result<Vec<u64>, StoreError> {
        let names = self.list("")?;
        let mut generations: Vec<u64> =
            names.iter().filter_map(|name| names::parse_manifest(name)).collect();
        generations.sort_unstable();
        Ok(generations)
    }

    /// The paths of the block folders in `sectors`, or of the folders of mesh files in `meshes`.
    pub(super) fn inner_folders(&self, within: &str) -> Result<Vec<String>, StoreError> {
        let mut folders = self.list(within)?;
        folders.retain(|name| names::is_inner_folder(within, name));
        Ok(folders.into_iter().map(|name| format!("{within}/{name}")).collect())
    }

    /// The paths of all that is in `sectors` and `meshes`, and whether each is a pack, finished or not.
    pub(super) fn packs_and_others(&self) -> Result<Vec<(String, bool)>, StoreError> {
        let mut all = Vec::new();
        for within in [names::SECTORS, names::MESHES] {
            for name in self.list(within)? {
                let finished = name.strip_suffix(names::TEMP_SUFFIX).unwrap_or(&name);
                let is_pack = names::folder_of_pack(within, finished).is_some();
                all.push((format!("{within}/{name}"), is_pack));
            }
        }
        Ok(all)
    }

    pub(super) fn open_manifest(&self, generation: u64) -> Result<Manifest, StoreError> {
        let name = names::manifest(generation);
        let file = self.run("open", &name, |storage| storage.open(&name))?;
        Manifest::open(self.storage.full_path(&name), file)
    }

    /// An error of the manifest of a generation.
    pub(super) fn manifest_error(&self, generation: u64, source: ManifestError) -> StoreError {
        StoreError::Manifest { path: self.storage.full_path(&names::manifest(generation)), source }
    }

    /// As [`open_manifest`](Self::open_manifest), but `None` for a damaged one. One of another
    /// version is an error: what a later version wrote cannot be judged here.
    pub(super) fn open_sound_manifest(
        &self,
        generation: u64,
    ) -> Result<Option<Manifest>, StoreError> {
        match self.open_manifest(generation) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(error @ StoreError::Manifest { source: ManifestError::Version { .. }, .. }) => {
                Err(error)
            }
            Err(StoreError::Manifest { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The newest manifest and its generation, with a shared lock on it for as long as it is open:
    /// no bake deletes what it names.
    pub(super) fn open_newest(&self) -> Result<(u64, Manifest), StoreError> {
        let mut name = String::new();
        for _ in 0..OPEN_TRIES {
            let Some(&generation) = self.generations()?.last() else {
                return Err(self.no_world());
            };
            name = names::manifest(generation);
            if let Some(file) = self.open_shared(&name)? {
                return Ok((generation, Manifest::open(self.storage.full_path(&name), file)?));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let path = self.storage.full_path(&name);
        Err(StoreError::Io { op: "lock", path, source: io::ErrorKind::WouldBlock.into() })
    }

    /// Why there is no world: no manifest, or not even a folder.
    fn no_world(&self) -> StoreError {
        let path = self.storage.full_path("");
        match self.run("list", "", |storage| storage.list("")) {
            Ok(Some(_)) => StoreError::NoManifest { path },
            Ok(None) => StoreError::NoFolder { path },
            Err(error) => error,
        }
    }

    /// Opens a file and locks it together with other readers; `None` if it is gone, or about to be.
    fn open_shared(&self, name: &str) -> Result<Option<Box<dyn StoredFile>>, StoreError> {
        let found = self.run("open", name, |storage| there(storage.open(name)))?;
        let Some(file) = found else { return Ok(None) };
        match file.try_lock_shared() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            // Where there are no locks, no bake runs beside a reader either: a bake needs a lock.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(error) => return self.run("lock", name, |_| Err(error)),
        }
        // A bake may have deleted it between opening and locking. Generations are never reused, so
        // the file that now has the name is the one that was opened.
        Ok(self.len_bytes(name)?.map(|_| file))
    }
}
