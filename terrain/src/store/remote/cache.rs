//! Local copies of fetched files, each named by its content.
//!
//! ```text
//! fetching-7.tmp                                        being written; left by a process that ended
//! sectors/+000_-001/+003_-001-5f3a91c20b7de846.sector   as in a world's folder
//! meshes/5f/5f3a91c20b7de8465f3a91c20b7de846.mesh
//! ```
//!
//! Anything else in the folder, or in folders below it, is neither counted nor touched.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::cache_files::{Files, fetching, find_files};
use crate::mutex::lock;
use crate::store::error::StoreError;
use crate::store::names;
use crate::store::storage::there;

/// The folders that are open in this process.
static OPEN: Mutex<BTreeMap<PathBuf, Weak<CacheState>>> = Mutex::new(BTreeMap::new());
/// Numbers the files that are being written, in all folders: one folder reached by two paths, through a
/// mount, is two folders here.
static WRITING: AtomicU64 = AtomicU64::new(0);

/// A folder of fetched files as one storage uses it.
#[derive(Debug)]
pub(super) struct Cache {
    shared: Arc<CacheState>,
    max_bytes: u64,
}

/// A folder of fetched files, shared by all its users.
#[derive(Debug)]
struct CacheState {
    folder: PathBuf,
    files: Mutex<Files>,
}

impl Cache {
    /// Opens a folder, created if it does not exist, with what was fetched into it. Opening it twice
    /// shares it.
    pub(super) fn open(folder: &Path, max_bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let folder = fs::canonicalize(folder)?;
        refuse_world(&folder)?;
        // Held while the folder is read: nothing may be fetched into it before its contents are
        // known.
        let mut open = lock(&OPEN);
        open.retain(|_, shared| shared.strong_count() > 0);
        let shared = match open.get(&folder).and_then(Weak::upgrade) {
            Some(shared) => shared,
            None => {
                let shared = Arc::new(CacheState::of(folder.clone())?);
                open.insert(folder, Arc::downgrade(&shared));
                shared
            }
        };
        drop(open);
        lock(&shared.files).limits.push(max_bytes);
        shared.evict();
        Ok(Self { shared, max_bytes })
    }

    /// A local file, open, and its location, by its path in the world; `fetch` brings it here if need
    /// be. Two threads may both fetch it, and both get the same bytes. It may lose its name at any
    /// time, to make room; the open file stays whole.
    pub(super) fn get<B: AsRef<[u8]>>(
        &self,
        path: &str,
        fetch: impl FnOnce() -> io::Result<B>,
    ) -> io::Result<(File, PathBuf)> {
        let full = self.shared.folder.join(path);
        // Another program may have removed it.
        if lock(&self.shared.files).touch(path)
            && let Some(file) = open_if_there(&full)?
        {
            return Ok((file, full));
        }
        let bytes = fetch()?;
        let file = self.shared.write(&full, bytes.as_ref())?;
        lock(&self.shared.files).add(path, bytes.as_ref().len() as u64);
        self.shared.evict();
        Ok((file, full))
    }

    /// Removes a file whose contents are invalid.
    pub(super) fn forget(&self, path: &str) {
        if lock(&self.shared.files).remove(path) {
            let _ = fs::remove_file(self.shared.folder.join(path));
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let limits = &mut lock(&self.shared.files).limits;
        if let Some(own) = limits.iter().position(|&limit| limit == self.max_bytes) {
            limits.swap_remove(own);
        }
    }
}

impl CacheState {
    fn of(folder: PathBuf) -> io::Result<Self> {
        let mut files = Files::default();
        find_files(&folder, &mut files)?;
        Ok(Self { folder, files: Mutex::new(files) })
    }

    /// Writes a file under another name and renames it: a reader sees all of it or nothing. It is not
    /// synced: what a power cut leaves of it fails its checks and is fetched again.
    fn write(&self, full: &Path, bytes: &[u8]) -> io::Result<File> {
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder)?;
        }
        let (temp, mut file) = self.create()?;
        let written = file.write_all(bytes).and_then(|()| {
            // Opened for reading before others can find it and remove it.
            let file = File::open(&temp)?;
            fs::rename(&temp, full)?;
            Ok(file)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temp);
        }
        written
    }

    /// Creates a file to be written that no other writer has.
    fn create(&self) -> io::Result<(PathBuf, File)> {
        loop {
            let temp = self.folder.join(fetching(WRITING.fetch_add(1, Ordering::Relaxed)));
            match File::create_new(&temp) {
                // Belongs to another process, which should not use this folder: it is left alone.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return Ok((temp, created?)),
            }
        }
    }

    /// Removes the least recently used files while the limit is exceeded.
    fn evict(&self) {
        loop {
            let Some(path) = lock(&self.files).excess() else { return };
            // Users that have it open or mapped keep it; where the system does not allow that, it
            // stays until the folder is opened again.
            let _ = fs::remove_file(self.folder.join(path));
        }
    }
}

/// A file opened for reading; `None` if it does not exist.
fn open_if_there(path: &Path) -> io::Result<Option<File>> {
    if !path.is_file() {
        return Ok(None);
    }
    there(File::open(path))
}

/// In a world's folder, or that of a bake, files are named like fetched ones but are not copies.
fn refuse_world(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name == names::LOCK || names::parse_manifest(&name).is_some() {
            let error = StoreError::Occupied { path: folder.to_owned() };
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::thread;

    use super::*;

    fn sector(number: u32) -> String {
        format!("sectors/+000_+000/+{number:03}_+000-00000000000000ff.sector")
    }

    fn bytes_of((mut file, _): (File, PathBuf)) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn write(folder: &Path, path: &str, length: usize) {
        let full = folder.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, vec![1; length]).unwrap();
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
            assert_eq!(bytes_of(cache.get(&sector(number), fetch).unwrap()), [7; 100]);
        }
        // The second was used longest ago when the fourth came.
        assert_eq!(fetches.load(Ordering::Relaxed), 4);
        assert!(!folder.path().join(sector(2)).exists() && folder.path().join(sector(1)).exists());
        write(folder.path(), "fetching-9.tmp", 50);
        drop(cache);
        let cache = Cache::open(folder.path(), 250).unwrap();
        let left = [1, 3, 4].map(|number| folder.path().join(sector(number)).exists());
        assert_eq!(left.iter().filter(|is_there| **is_there).count(), 2);
        assert!(!folder.path().join("fetching-9.tmp").exists());
        let kept = if left[2] { 4 } else { 3 };
        cache.forget(&sector(kept));
        assert!(!folder.path().join(sector(kept)).exists());
        cache.get(&sector(kept), fetch).unwrap();
        assert_eq!(fetches.load(Ordering::Relaxed), 5);
        assert!(cache.get(&sector(9), || Err::<[u8; 1], _>(io::Error::other("no"))).is_err());
    }

    #[test]
    fn what_was_not_fetched_is_neither_counted_nor_touched() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = "5f/5f3a91c20b7de8460000000000000007.mesh";
        let foreign = [
            "notes.txt".to_owned(),
            "drawing.tmp".to_owned(),
            "fetching-.tmp".to_owned(),
            "fetching-07.tmp".to_owned(),
            "fetching-x.tmp".to_owned(),
            "fetching-1.tmp/notes.txt".to_owned(),
            "deeper/fetching-1.tmp".to_owned(),
            "sectors/fetching-1.tmp".to_owned(),
            "sectors/+000_+000/fetching-1.tmp".to_owned(),
            "spool/+000_+000/+003_+000.sector.tmp".to_owned(),
            // A world that lies below, and files of one that lie elsewhere than they would.
            "hills.world/manifest-0000000001".to_owned(),
            format!("hills.world/{}", sector(1)),
            format!("hills.world/meshes/{mesh}"),
            format!("sectors/{}", sector(1)),
            sector(1).replace("sectors/+000_+000", "sectors"),
            sector(1).replace("sectors/+000_+000/", ""),
            sector(1).replace("sectors/+000_+000", "sectors/+001_+000"),
            sector(1).replace("sectors", "meshes"),
            format!("sectors/{mesh}"),
            "sectors/+000_+000.pack".to_owned(),
        ];
        for path in &foreign {
            write(folder.path(), path, 1000);
        }
        let fetched = [sector(1), format!("meshes/{mesh}"), "fetching-7.tmp".to_owned()];
        for path in &fetched {
            write(folder.path(), path, 10);
        }
        // Room for what was fetched and for nothing else.
        let cache = Cache::open(folder.path(), 20).unwrap();
        let is_there = |path: &String| folder.path().join(path).exists();
        assert_eq!(fetched.each_ref().map(is_there), [true, true, false]);
        drop(cache);
        let cache = Cache::open(folder.path(), 0).unwrap();
        assert_eq!(fetched.iter().filter(|path| is_there(path)).count(), 1);
        cache.get(&sector(2), || Ok([7; 10])).unwrap();
        assert_eq!(fetched.each_ref().map(is_there), [false; 3]);
        assert!(is_there(&sector(2)));
        for path in &foreign {
            assert_eq!(fs::read(folder.path().join(path)).unwrap(), [1; 1000], "{path}");
        }
    }

    #[test]
    fn the_folder_of_a_world_or_of_a_bake_is_refused_by_name() {
        for file in ["manifest-0000000007", "bake.lock"] {
            let folder = tempfile::tempdir().unwrap();
            for path in [file, &sector(1), "fetching-7.tmp"] {
                write(folder.path(), path, 10);
            }
            let error = Cache::open(folder.path(), 0).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<StoreError>());
            let expected = fs::canonicalize(folder.path()).unwrap();
            assert!(
                matches!(inner, Some(StoreError::Occupied { path }) if *path == expected),
                "{error}"
            );
            for path in [file, &sector(1), "fetching-7.tmp"] {
                assert!(folder.path().join(path).exists(), "{path}");
            }
        }
    }

    #[test]
    fn who_opens_a_folder_twice_shares_it_and_disturbs_no_fetch() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = || Err::<[u8; 1], _>(io::Error::other("not to be fetched"));
        let first = Cache::open(folder.path(), 350).unwrap();
        let (temp, mut being_written) = first.shared.create().unwrap();
        being_written.write_all(&[1; 50]).unwrap();
        // By another path to the same folder.
        fs::create_dir(folder.path().join("deeper")).unwrap();
        let second = Cache::open(&folder.path().join("deeper/.."), 10_000).unwrap();
        assert_eq!(fs::read(&temp).unwrap(), [1; 50]);
        assert_ne!(second.shared.create().unwrap().0, temp);
        // Even two that do not know of each other write into files of their own.
        let stranger = CacheState::of(fs::canonicalize(folder.path()).unwrap()).unwrap();
        let (other, _) = stranger.create().unwrap();
        assert_ne!(first.shared.create().unwrap().0, other);
        // Each finds what the other fetched, and all of it counts once, by the lesser limit.
        first.get(&sector(1), || Ok([1; 100])).unwrap();
        second.get(&sector(2), || Ok([2; 100])).unwrap();
        assert_eq!(bytes_of(second.get(&sector(1), nothing).unwrap()), [1; 100]);
        assert_eq!(bytes_of(first.get(&sector(2), nothing).unwrap()), [2; 100]);
        second.get(&sector(3), || Ok([3; 100])).unwrap();
        second.get(&sector(4), || Ok([4; 100])).unwrap();
        let are_there = || [1, 2, 3, 4].map(|at| folder.path().join(sector(at)).exists());
        assert_eq!(are_there(), [false, true, true, true]);
        // The lesser limit ends with the user that set it.
        drop(first);
        second.get(&sector(1), || Ok([1; 100])).unwrap();
        assert_eq!(are_there(), [true; 4]);
    }

    #[test]
    fn an_open_file_stays_whole_whoever_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for thread in 0..4_u32 {
                let path = folder.path();
                scope.spawn(move || {
                    // Only the newest file stays.
                    let cache = Cache::open(path, 0).unwrap();
                    for round in 0..200 {
                        let number = (round * (thread + 1)) % 5;
                        let bytes = [number as u8; 300];
                        let found = cache.get(&sector(number), || Ok(bytes)).unwrap();
                        assert_eq!(bytes_of(found), bytes);
                    }
                });
            }
        });
        let left = fs::read_dir(folder.path().join("sectors/+000_+000")).unwrap().count();
        assert!(left <= 1, "{left} files");
        let names = fs::read_dir(folder.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["sectors"]);
    }
}
