//! Files of this machine that were fetched from elsewhere, each by a name that tells its content.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::disk::DiskFile;
use crate::store::names;
use crate::store::storage::StoredFile;

/// A folder of fetched files.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    max_bytes: u64,
    files: Mutex<Files>,
    /// Numbers the files that are being written.
    writing: AtomicU64,
}

/// What is in the folder.
#[derive(Debug, Default)]
struct Files {
    /// Looked up; walked only to find what was used longest ago.
    by_path: HashMap<String, Entry>,
    bytes: u64,
    uses: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u64,
    last_use: u64,
}

impl Cache {
    /// A folder, made if it is not there, with what is in it.
    pub(super) fn open(folder: &Path, max_bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let mut files = Files::default();
        find_files(folder, "", &mut files)?;
        let folder = folder.to_owned();
        let cache =
            Self { folder, max_bytes, files: Mutex::new(files), writing: AtomicU64::new(0) };
        cache.make_room();
        Ok(cache)
    }

    /// A file on this machine, by its path in the world; brought here by `fetch` if need be. Two
    /// threads may both fetch it, and both get the same bytes.
    pub(super) fn get<B: AsRef<[u8]>>(
        &self,
        path: &str,
        fetch: impl FnOnce() -> io::Result<B>,
    ) -> io::Result<PathBuf> {
        let full = self.folder.join(path);
        // Somebody may have taken it away behind our back.
        if self.files().touch(path) && full.is_file() {
            return Ok(full);
        }
        let bytes = fetch()?;
        self.write(&full, bytes.as_ref())?;
        self.files().add(path, bytes.as_ref().len() as u64);
        self.make_room();
        Ok(full)
    }

    /// Takes a file away that is not what it should be.
    pub(super) fn forget(&self, path: &str) {
        if self.files().remove(path) {
            let _ = fs::remove_file(self.folder.join(path));
        }
    }

    pub(super) fn open_file(path: &Path) -> io::Result<Box<dyn StoredFile>> {
        Ok(Box::new(DiskFile::new(File::open(path)?)))
    }

    /// Writes a file under another name and renames it: a reader sees all of it or nothing. It is not
    /// synced: what a power cut leaves of it fails its checks and is fetched again.
    fn write(&self, full: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.writing.fetch_add(1, Ordering::Relaxed);
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder)?;
        }
        let temp = self.folder.join(format!("fetching-{number}{}", names::TEMP_SUFFIX));
        let written = File::create(&temp).and_then(|mut file| file.write_all(bytes));
        let written = written.and_then(|()| fs::rename(&temp, full));
        if written.is_err() {
            let _ = fs::remove_file(&temp);
        }
        written
    }

    /// Takes away what was used longest ago, for as long as there is too much.
    fn make_room(&self) {
        loop {
            let Some(path) = self.files().excess(self.max_bytes) else { return };
            // Whoever has it open or mapped keeps it; where the system does not allow that, it stays
            // until the folder is opened again.
            let _ = fs::remove_file(self.folder.join(path));
        }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    /// Notes that a file was used. Gives whether it is there.
    fn touch(&mut self, path: &str) -> bool {
        self.uses += 1;
        let uses = self.uses;
        self.by_path.get_mut(path).map(|entry| entry.last_use = uses).is_some()
    }

    fn add(&mut self, path: &str, bytes: u64) {
        self.uses += 1;
        let entry = Entry { bytes, last_use: self.uses };
        let old = self.by_path.insert(path.to_owned(), entry);
        self.bytes = self.bytes + bytes - old.map_or(0, |old| old.bytes);
    }

    fn remove(&mut self, path: &str) -> bool {
        let old = self.by_path.remove(path);
        self.bytes -= old.map_or(0, |old| old.bytes);
        old.is_some()
    }

    /// The file that has to go, which is then no longer known. The newest stays, however large.
    fn excess(&mut self, max_bytes: u64) -> Option<String> {
        if self.bytes <= max_bytes || self.by_path.len() < 2 {
            return None;
        }
        let oldest = self.by_path.iter().min_by_key(|(path, entry)| (entry.last_use, *path));
        let path = oldest.map(|(path, _)| path.clone())?;
        self.remove(&path);
        Some(path)
    }
}

/// Lists the files below a folder, and removes what was being written when a process ended.
fn find_files(folder: &Path, inside: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(inside))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
        let meta = entry.metadata()?;
        if meta.is_dir() {
            find_files(folder, &path, files)?;
        } else if name.ends_with(names::TEMP_SUFFIX) {
            fs::remove_file(entry.path())?;
        } else if names::parse_sector(&name).is_some() || names::parse_mesh(&name).is_some() {
            files.add(&path, meta.len());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sector(number: u32) -> String {
        format!("sectors/+000_+000/+{number:03}_+000-00000000000000ff.sector")
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_what_is_there_is_not_fetched_again() {
        let folder = tempfile::tempdir().unwrap();
        let fetches = AtomicU64::new(0);
        let fetch = || {
            fetches.fetch_add(1, Ordering::Relaxed);
            Ok([7_u8; 100])
        };
        let cache = Cache::open(folder.path(), 350).unwrap();
        for number in [1, 2, 3, 1, 4] {
            let path = cache.get(&sector(number), fetch).unwrap();
            assert_eq!(fs::read(path).unwrap(), [7; 100]);
        }
        // The second was used longest ago when the fourth came.
        assert_eq!(fetches.load(Ordering::Relaxed), 4);
        assert!(!folder.path().join(sector(2)).exists() && folder.path().join(sector(1)).exists());
        fs::write(folder.path().join("fetching-9.tmp"), [1; 50]).unwrap();
        fs::write(folder.path().join("notes.txt"), [1; 500]).unwrap();
        drop(cache);
        let cache = Cache::open(folder.path(), 250).unwrap();
        let left = [1, 3, 4].map(|number| folder.path().join(sector(number)).exists());
        assert_eq!(left.iter().filter(|is_there| **is_there).count(), 2);
        assert!(!folder.path().join("fetching-9.tmp").exists());
        assert!(folder.path().join("notes.txt").exists(), "a file that is none of ours");
        let kept = if left[2] { 4 } else { 3 };
        cache.forget(&sector(kept));
        assert!(!folder.path().join(sector(kept)).exists());
        cache.get(&sector(kept), fetch).unwrap();
        assert_eq!(fetches.load(Ordering::Relaxed), 5);
        assert!(cache.get(&sector(9), || Err::<[u8; 1], _>(io::Error::other("no"))).is_err());
    }
}
