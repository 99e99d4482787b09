//! Does the work for which a tick must not wait: looking up, reading, checking and freeing.

use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::format::LoadedSector;
use crate::math::SectorCoord;
use crate::store::{SectorRecord, StoreError, WorldFiles};

/// Runs jobs outside the tick. [`ThreadLoader`](super::ThreadLoader) does so with threads; a game with its
/// own job system, or a test, may provide another.
pub trait Loader: Debug + Send {
    /// Takes a job, to be [`run`](Job::run) on another thread, or later. Does not wait for it.
    fn start(&mut self, job: Job);

    /// Called when no more jobs come in this update: the jobs that were started may be passed on together.
    fn flush(&mut self) {}

    /// The result of a job, each once, in any order; `None` if none has ended since. Does not wait.
    fn finished(&mut self) -> Option<Done>;

    /// Waits until a job has ended, but at most the given time. Returns the time that passed.
    fn wait(&mut self, at_most: Duration) -> Duration;
}

/// The loader of a streamer that threads may share. It is only accessed through an exclusive borrow, so the
/// lock, which makes it [`Sync`], is never taken.
#[derive(Debug)]
pub(super) struct OwnLoader(Mutex<Box<dyn Loader>>);

impl OwnLoader {
    pub(super) fn new(loader: Box<dyn Loader>) -> Self {
        Self(Mutex::new(loader))
    }

    pub(super) fn get(&mut self) -> &mut dyn Loader {
        &mut **self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a job as no longer needed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A job for a streamer.
pub struct Job(pub(super) Task);

pub(super) enum Task {
    /// Looks sectors up.
    Locate { files: Arc<WorldFiles>, coords: Vec<SectorCoord> },
    /// Loads a sector into memory.
    Load {
        files: Arc<WorldFiles>,
        record: SectorRecord,
        /// The bytes that were reserved for it.
        reserved_bytes: u64,
        cancel: Cancel,
    },
    /// Looks for a newer generation, and for its changes to the known sectors.
    Reopen { files: Arc<WorldFiles>, known: Vec<SectorRecord> },
    /// Frees sectors that left memory.
    Free(Vec<Arc<LoadedSector>>),
}

/// The result of a job.
pub struct Done(pub(super) Outcome);

pub(super) enum Outcome {
    Located {
        generation: u64,
        found: Vec<(SectorCoord, Result<Option<SectorRecord>, StoreError>)>,
        /// The list from the job, to be reused.
        coords: Vec<SectorCoord>,
    },
    Loaded {
        coord: SectorCoord,
        reserved_bytes: u64,
        /// `None` if the job was cancelled.
        sector: Result<Option<Arc<LoadedSector>>, StoreError>,
    },
    Reopened(Result<Option<ReopenedWorld>, StoreError>),
    Freed(Vec<Arc<LoadedSector>>),
}

/// A newer generation of a world.
pub(super) struct ReopenedWorld {
    pub(super) files: Arc<WorldFiles>,
    /// Existing sectors whose content has changed, with their new records.
    pub(super) changed: Vec<SectorRecord>,
    /// Sectors that are no longer part of the world.
    pub(super) removed: Vec<SectorCoord>,
}

impl Job {
    /// The sector that is to be loaded, if the job loads one.
    #[must_use]
    pub fn loads(&self) -> Option<SectorCoord> {
        match &self.0 {
            Task::Load { record, .. } => Some(record.coord),
            _ => None,
        }
    }

    /// Whether the result of the job is still needed: true except for a cancelled load, and for freeing what
    /// left memory.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match &self.0 {
            Task::Load { cancel, .. } => !cancel.is_set(),
            Task::Free(_) => false,
            Task::Locate { .. } | Task::Reopen { .. } => true,
        }
    }

    /// Runs the job. Waits for the disk; holds no lock meanwhile. A panic is a failure like others: it is
    /// reported and retried.
    #[must_use]
    pub fn run(self) -> Done {
        Done(match self.0 {
            Task::Locate { files, coords } => {
                let _span = tracing::debug_span!("locate sectors", count = coords.len()).entered();
                let find = |coord| caught(|| files.find(coord));
                let found = coords.iter().map(|&coord| (coord, find(coord))).collect();
                Outcome::Located { generation: files.generation(), found, coords }
            }
            Task::Load { files, record, reserved_bytes, cancel } => {
                let coord = record.coord;
                let _span = tracing::debug_span!("load sector", x = coord.x, z = coord.z).entered();
                let read = || caught(|| files.read(&record)).map(|sector| Some(Arc::new(sector)));
                let sector = if cancel.is_set() { Ok(None) } else { read() };
                Outcome::Loaded { coord, reserved_bytes, sector }
            }
            Task::Reopen { files, known } => {
                let _span = tracing::debug_span!("reopen world").entered();
                Outcome::Reopened(caught(|| reopen(&files, &known)))
            }
            Task::Free(mut sectors) => {
                let _span = tracing::debug_span!("free sectors", count = sectors.len()).entered();
                sectors.clear();
                Outcome::Freed(sectors)
            }
        })
    }
}

/// The result of a job, or the error that it panicked: if the panic ended the thread, code that waits for the
/// job would wait for ever. The only data that jobs share are tables behind locks, to which only complete
/// entries are added.
fn caught<T>(job: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
        let message = said.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(StoreError::Panicked { message: message.unwrap_or_else(|| "no message".to_owned()) })
    })
}

/// Opens the newest generation and compares the known sectors with it.
fn reopen(files: &WorldFiles, known: &[SectorRecord]) -> Result<Option<ReopenedWorld>, StoreError> {
    let Some(newer) = files.newest()? else { return Ok(None) };
    let (found, expected) = (newer.info().facts.grid, files.info().facts.grid);
    if found != expected {
        return Err(StoreError::OtherGrid { found, expected });
    }
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for old in known {
        match newer.find(old.coord)? {
            Some(new) if new.content_hash == old.content_hash => {}
            Some(new) => changed.push(new),
            None => removed.push(old.coord),
        }
    }
    Ok(Some(ReopenedWorld { files: Arc::new(newer), changed, removed }))
}

impl Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Task::Locate { coords, .. } => write!(f, "locate {} sectors", coords.len()),
            Task::Load { record, .. } => write!(f, "load sector {}", record.coord),
            Task::Reopen { .. } => f.write_str("reopen the world"),
            Task::Free(sectors) => write!(f, "free {} sectors", sectors.len()),
        }
    }
}

impl Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Outcome::Located { found, .. } => write!(f, "located {} sectors", found.len()),
            Outcome::Loaded { coord, sector: Ok(Some(_)), .. } => write!(f, "loaded {coord}"),
            Outcome::Loaded { coord, sector: Ok(None), .. } => write!(f, "cancelled {coord}"),
            Outcome::Loaded { coord, sector: Err(error), .. } => write!(f, "{coord}: {error}"),
            Outcome::Reopened(Ok(Some(new))) => write!(f, "generation {}", new.files.generation()),
            Outcome::Reopened(Ok(None)) => f.write_str("no newer generation"),
            Outcome::Reopened(Err(error)) => write!(f, "reopening: {error}"),
            Outcome::Freed(_) => f.write_str("freed"),
        }
    }
}
