//! Clocks of rounds and of single units.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// A running clock.
pub(crate) enum Clock {
    /// By the wall.
    Wall(Instant),
    /// Processor time of the process. Seconds.
    Processor(f64),
}

impl Clock {
    /// Starts the clock of this many threads.
    pub(crate) fn start(threads: usize) -> Self {
        if threads > 1 { Self::Wall(Instant::now()) } else { Self::Processor(processor_seconds()) }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        match self {
            Self::Wall(begun) => begun.elapsed().as_secs_f64(),
            Self::Processor(begun) => processor_seconds() - begun,
        }
    }
}

/// Processor time of all threads of the process. Seconds.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A stopwatch for one unit. It counts processor time of this thread, because on a busy machine other work
/// would dominate the 99th percentile. A measurement itself takes part of a microsecond.
pub(crate) struct Stopwatch(i64);

impl Stopwatch {
    /// Starts the stopwatch.
    pub(crate) fn start() -> Self {
        Self(Self::now())
    }

    /// Nanoseconds since the start.
    pub(crate) fn nanoseconds(&self) -> u32 {
        u32::try_from(Self::now() - self.0).unwrap_or(u32::MAX)
    }

    fn now() -> i64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
