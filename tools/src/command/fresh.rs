//! A world's folder that did not exist before: what a failed command began in it is removed again.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use marchland_terrain::store::folder_names::{LOCK, MANIFEST_PREFIX, MESHES, SECTORS, SPOOL};

/// A folder that does not exist, or is empty.
#[derive(Debug)]
pub struct FreshWorld {
    folder: PathBuf,
    /// The folders that do not exist: the folder, and those above it.
    absent: Vec<PathBuf>,
}

impl FreshWorld {
    /// Checks before a command begins; `None` if the folder is not empty.
    #[must_use]
    pub fn look(folder: &Path) -> Option<Self> {
        let absent = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let absent: Vec<_> = folder.ancestors().take_while(absent).map(Path::to_owned).collect();
        let is_empty = || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        let is_fresh = !absent.is_empty() || is_empty();
        is_fresh.then(|| Self { folder: folder.to_owned(), absent })
    }

    /// Removes what was begun, unless there is a world, or another process is writing one. Whatever cannot be
    /// removed stays; it does no harm.
    pub fn remove(self) {
        let lock = self.folder.join(LOCK);
        let Ok(locked) = OpenOptions::new().write(true).open(&lock) else { return };
        if locked.try_lock().is_err() || self.is_published() {
            return;
        }
        for folder in [SECTORS, MESHES, SPOOL] {
            let _ = fs::remove_dir_all(self.folder.join(folder));
        }
        let _ = fs::remove_file(&lock);
        // The folders above may have received other files since.
        let _ = self.absent.iter().try_for_each(fs::remove_dir);
        drop(locked);
    }

    fn is_published(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.folder) else { return true };
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with(MANIFEST_PREFIX))
    }
}
