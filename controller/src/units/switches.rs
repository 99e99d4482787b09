//! How a tick is computed: no bit of any result depends on it. For tests and measurements.

use crate::units::executor::{Executor, USUAL};

/// Whether a tick may use remembered cells, boxes and rests, and the coarse steepness map. Both give the
/// same bits; [`Ignore`](Self::Ignore) is far slower and exists for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortcuts {
    /// Shortcuts are used.
    #[default]
    Use,
    /// Shortcuts are not used; the reference that the fast way is tested against.
    Ignore,
}

/// Which way units take. Both give the same bits wherever both may be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathChoice {
    /// Units on open ground follow it, all others take the full controller.
    #[default]
    Auto,
    /// Every unit takes the full controller.
    Full,
}

/// At the end of a chunk the columns of the next one are prefetched, which another thread may be writing: a chunk is
/// several times as long as what is prefetched.
const CHUNK_UNITS: usize = 4096;

/// How ticks and pushes are computed.
#[derive(Clone, Copy)]
pub struct Switches<'a> {
    /// Whether shortcuts may be used.
    pub shortcuts: Shortcuts,
    /// Which way units take.
    pub path: PathChoice,
    /// The most units that one thread takes at a time; 0 counts as 1. With few units, threads take fewer.
    pub chunk_units: usize,
    /// The threads.
    pub executor: &'a dyn Executor,
}

impl Default for Switches<'_> {
    fn default() -> Self {
        Self {
            shortcuts: Shortcuts::Use,
            path: PathChoice::Auto,
            chunk_units: CHUNK_UNITS,
            executor: &USUAL,
        }
    }
}

impl Switches<'_> {
    /// The defaults with another way.
    #[must_use]
    pub fn path(path: PathChoice) -> Self {
        Self { path, ..Self::default() }
    }
}
