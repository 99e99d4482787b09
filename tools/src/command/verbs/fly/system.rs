//! Statistics of the system about this process and its files.

use std::fs;
use std::ops::{Add as _, Sub as _};
use std::path::Path;
use std::time::Instant;

use crate::command::failure::Failure;

/// The system's counters of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Page faults that waited for a disk.
    pub(super) major: u64,
    /// Page faults that waited for the system alone.
    pub(super) minor: u64,
    /// How often a thread gave up its core to wait for a lock, a disk or a timer.
    pub(super) waits: u64,
}

impl Counts {
    /// The counters of all threads of the current pool since they began; `None` where the system
    /// does not report them.
    pub(super) fn of_pool() -> Option<Self> {
        let each = rayon::broadcast(|_| Self::of_thread());
        each.into_iter().try_fold(Self::default(), |sum, one| Some(sum.with(one?, u64::add)))
    }

    /// The difference of two readings.
    pub(super) fn since(self, before: Self) -> Self {
        self.with(before, u64::sub)
    }

    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            major: of(self.major, other.major),
            minor: of(self.minor, other.minor),
            waits: of(self.waits, other.waits),
        }
    }

    /// The tenth and the twelfth field of `/proc/thread-self/stat`, see proc_pid_stat(5), and a line of
    /// `/proc/thread-self/status`.
    fn of_thread() -> Option<Self> {
        let text = fs::read_to_string("/proc/thread-self/stat").ok()?;
        // The second field is a name in brackets, which may hold spaces.
        let (_, rest) = text.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let minor = fields.nth(7)?.parse().ok()?;
        let major = fields.nth(1)?.parse().ok()?;
        let text = fs::read_to_string("/proc/thread-self/status").ok()?;
        let waits = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        Some(Self { major, minor, waits: waits.trim().parse().ok()? })
    }
}

/// The duration of something. Microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// By the wall clock.
    pub(super) wall: f32,
    /// By this thread's CPU clock, which stops while other threads and programs have the core; zero
    /// where there is none.
    pub(super) cpu: f32,
}

/// Two clocks.
pub(super) struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { cpu: cpu_us(), wall: Instant::now() }
    }

    pub(super) fn stop(self) -> Timing {
        let wall = self.wall.elapsed().as_secs_f32() * 1e6;
        Timing { wall, cpu: (cpu_us() - self.cpu) as f32 }
    }
}

#[cfg(target_os = "linux")]
fn cpu_us() -> f64 {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

#[cfg(not(target_os = "linux"))]
fn cpu_us() -> f64 {
    0.0
}

/// Makes the system drop its cached copies of a world's files, so that the next access reads from the
/// disk. Returns whether this system can.
///
/// # Errors
/// If a file cannot be read.
pub fn forget_files(world: &Path) -> Result<bool, Failure> {
    if !cfg!(target_os = "linux") {
        return Ok(false);
    }
    walk(world).map_err(|error| Failure::file(world, &error))?;
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
    // Data that has not reached the disk would be kept.
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
        let before = Counts::of_thread().unwrap();
        let pages = 4096;
        let mut bytes = vec![0_u8; pages * 4096];
        for page in bytes.chunks_exact_mut(4096) {
            page[7] = 1;
        }
        assert!(bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() == pages);
        let seen = Counts::of_thread().unwrap().since(before);
        // Where the system hands out large pages there are fewer.
        assert!(seen.minor >= pages as u64 / 512, "{seen:?}");
    }
}
