//! What the system knows of this process and its files.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Page faults of threads: major ones waited for a disk, minor ones for the system alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) major: u64,
    pub(super) minor: u64,
}

impl Faults {
    /// Those of all threads of the current pool since they began; nothing where the system does not
    /// tell.
    pub(super) fn of_pool() -> Option<Self> {
        let each = rayon::broadcast(|_| Self::of_thread());
        each.into_iter().try_fold(Self::default(), |sum, one| {
            let one = one?;
            Some(Self { major: sum.major + one.major, minor: sum.minor + one.minor })
        })
    }

    /// Those between two looks.
    pub(super) fn since(self, before: Self) -> Self {
        Self { major: self.major - before.major, minor: self.minor - before.minor }
    }

    /// The tenth and the twelfth field of `/proc/thread-self/stat`; see proc_pid_stat(5).
    fn of_thread() -> Option<Self> {
        let text = fs::read_to_string("/proc/thread-self/stat").ok()?;
        // The second field is a name in brackets, which may hold spaces.
        let (_, rest) = text.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let minor = fields.nth(7)?.parse().ok()?;
        let major = fields.nth(1)?.parse().ok()?;
        Some(Self { major, minor })
    }
}

/// Has the system forget its copies of a world's files: the next look at them goes to the disk. Gives
/// whether this system can.
///
/// # Errors
/// If a file cannot be read.
pub fn forget_files(world: &Path) -> Result<bool, Failure> {
    if !cfg!(target_os = "linux") {
        return Ok(false);
    }
    walk(world).map_err(|error| Failure::io(format!("{}: {error}", world.display())))?;
    Ok(true)
}

fn walk(path: &Path) -> std::io::Result<()> {
    if !path.is_dir() {
        return forget(path);
    }
    for entry in fs::read_dir(path)? {
        walk(&entry?.path())?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn forget(path: &Path) -> std::io::Result<()> {
    use rustix::fs::{Advice, fadvise, fdatasync};

    let file = fs::File::open(path)?;
    // What is not on the disk yet would be kept.
    fdatasync(&file)?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}

#[cfg(not(target_os = "linux"))]
fn forget(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn fresh_memory_is_seen_as_minor_faults_of_this_thread() {
        let before = Faults::of_thread().unwrap();
        let pages = 4096;
        let mut bytes = vec![0_u8; pages * 4096];
        for page in bytes.chunks_exact_mut(4096) {
            page[7] = 1;
        }
        assert!(bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() == pages);
        let seen = Faults::of_thread().unwrap().since(before);
        // Where the system hands out large pages there are fewer.
        assert!(seen.minor >= pages as u64 / 512, "{seen:?}");
    }
}
