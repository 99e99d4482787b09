//! The threads on which ticks run.
//!
//! Workers take parts from one iterator, so a busy place, or a thread that is late, keeps nobody waiting, and
//! an executor decides nothing but the number of workers: how it calls them changes no result.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Threads on which the work of a tick runs: a game's own pool, behind two functions. [`Rayon`] and
/// [`SingleThread`] are ready.
///
/// No result depends on an executor. Calls may run in any order, at the same time or one after another, on
/// any threads; the work of calls that are left out is done by the thread that ticks.
///
/// ```
/// use marchland_controller::{Batch, Executor, TickSettings, Units};
/// # use marchland_terrain::{Grid, ResidentSectors};
///
/// /// So many threads, new ones each time: a pool has threads that wait for work.
/// struct Threads(usize);
///
/// impl Executor for Threads {
///     fn threads(&self) -> usize {
///         self.0
///     }
///
///     fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             for index in 1..count {
///                 scope.spawn(move || work(index));
///             }
///             work(0);
///         });
///     }
/// }
///
/// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// # let world = ResidentSectors::new(grid);
/// # let (mut units, wishes) = (Units::new(grid.sector_size()), []);
/// let mut batch = Batch::new();
/// batch.tick_on(&Threads(4), world.view(), &mut units, &wishes, &TickSettings::at_rate(60.0))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// On a pool with scoped tasks, such as that of Bevy, `run` is one line:
/// `pool.scope(|scope| for index in 0..count { scope.spawn(async move { work(index) }) })`.
pub trait Executor: Sync {
    /// The most calls that can run at the same time; 0 counts as 1. Work is split for so many threads, and
    /// memory is kept for each: a number that stays the same spares allocations.
    fn threads(&self) -> usize;

    /// Calls `work` with each number below `count`, which is at most [`threads`](Self::threads), and returns
    /// once all calls have returned. A panic in a call has to be passed on; otherwise the tick panics.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// The threads of the current `rayon` pool: that in which the tick is called (`ThreadPool::install`), or the
/// global one. The default.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Rayon;

#[cfg(feature = "rayon")]
impl Executor for Rayon {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        use rayon::prelude::*;
        (0..count).into_par_iter().for_each(work);
    }
}

/// The calling thread alone. The default without the feature `rayon`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleThread;

impl Executor for SingleThread {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }
}

/// What runs a tick if a caller does not choose.
#[cfg(feature = "rayon")]
pub(crate) const USUAL: Rayon = Rayon;
#[cfg(not(feature = "rayon"))]
pub(crate) const USUAL: SingleThread = SingleThread;

/// An executor, and the number of its threads for the whole of a tick.
#[derive(Clone, Copy)]
pub(crate) struct Workers<'a> {
    executor: &'a dyn Executor,
    pub(crate) threads: usize,
}

impl<'a> Workers<'a> {
    pub(crate) fn new(executor: &'a dyn Executor) -> Self {
        Self { executor, threads: executor.threads().max(1) }
    }

    /// Calls `work` with each part, and with a value of the worker that calls: `share` makes it, from the
    /// number of the worker, below the number of threads.
    pub(crate) fn each<T: Send, S>(
        self,
        parts: impl ExactSizeIterator<Item = T> + Send,
        share: impl Fn(usize) -> S + Sync,
        work: impl Fn(&mut S, T) + Sync,
    ) {
        let workers = if self.threads < parts.len() { self.threads } else { parts.len() };
        let (parts, unfinished) = (Mutex::new(parts), AtomicUsize::new(0));
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let worker = |index: usize| {
            let Some(mut part) = next() else { return };
            unfinished.fetch_add(1, Ordering::Relaxed);
            let mut share = share(index % self.threads);
            loop {
                work(&mut share, part);
                let Some(another) = next() else { break };
                part = another;
            }
            unfinished.fetch_sub(1, Ordering::Relaxed);
        };
        if workers > 1 {
            self.executor.run(workers, &worker);
        }
        worker(0); // all of it, or what is left if the executor left out calls
        let is_done = unfinished.into_inner() == 0;
        assert!(is_done, "the work of a tick panicked, and the executor did not pass that on");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    include!("../../tests/common/threads.rs");

    /// Calls with these numbers, whatever was asked for, and keeps panics to itself.
    struct Calls(&'static [usize]);

    impl Executor for Calls {
        fn threads(&self) -> usize {
            3
        }

        fn run(&self, _: usize, work: &(dyn Fn(usize) + Sync)) {
            for index in self.0 {
                _ = catch_unwind(AssertUnwindSafe(|| work(*index)));
            }
        }
    }

    #[test]
    fn each_part_is_worked_on_once_whatever_is_called() {
        let calls: [&dyn Executor; 8] = [
            &SingleThread,
            &Threads(0),
            &Threads(2),
            &Threads(9),
            &Calls(&[]),
            &Calls(&[2, 1, 0]),
            &Calls(&[1, 1, 1]),
            &Calls(&[77, usize::MAX]),
        ];
        for (executor, parts) in calls.into_iter().flat_map(|on| [0, 1, 2, 7, 100].map(|n| (on, n)))
        {
            let seen: Vec<_> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            let workers = Workers::new(executor);
            let share = |index| {
                assert!(index < workers.threads, "no scratch memory for worker {index}");
            };
            workers.each(0..parts, share, |(), part| {
                seen[part].fetch_add(1, Ordering::Relaxed);
            });
            assert!(seen.into_iter().all(|times| times.into_inner() == 1), "of {parts}");
        }
    }

    #[test]
    fn a_panic_that_an_executor_keeps_to_itself_is_not_lost() {
        let work = |(): &mut (), part: usize| assert!(part != 5, "this one panics");
        let each = |executor: &dyn Executor| {
            catch_unwind(AssertUnwindSafe(|| Workers::new(executor).each(0..9, |_| (), work)))
        };
        assert!(each(&Calls(&[0, 1, 2])).is_err());
        assert!(each(&Threads(3)).is_err());
        assert!(each(&SingleThread).is_err());
    }
}
