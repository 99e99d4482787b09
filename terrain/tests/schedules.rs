//! The loading threads under schedulers that try many orders of events: nothing waits for ever, and
//! every job that was started is done once, or forgotten when its loader ends.
//!
//! ```text
//! cargo test -p marchland-terrain --features shuttle --test schedules
//! ```

#![cfg(feature = "shuttle")]
// In all of these, a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "store/memory.rs"]
#[allow(dead_code)]
mod memory;
#[path = "stream/plain.rs"]
#[allow(dead_code)]
mod plain;
#[path = "store/worlds.rs"]
#[allow(dead_code)]
mod worlds;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use marchland_terrain::World;
use marchland_terrain::store::Storage;
use marchland_terrain::stream::{
    Done, Interest, Job, Loader, StreamSettings, Streamer, ThreadLoader,
};

use plain::{at, square};

/// Schedules for each test and scheduler.
const SCHEDULES: usize = 4000;
/// Places at which a schedule may prefer another thread.
const DEPTH: usize = 4;

fn check(test: fn()) {
    // What is made once and for all is made outside of the schedules.
    let _ = storage();
    shuttle::check_random(test, SCHEDULES);
    shuttle::check_pct(test, SCHEDULES, DEPTH);
}

fn storage() -> Arc<dyn Storage> {
    static STORAGE: OnceLock<Arc<dyn Storage>> = OnceLock::new();
    Arc::clone(STORAGE.get_or_init(|| square(5).0))
}

/// A loader that keeps the jobs it is given.
#[derive(Clone, Debug, Default)]
struct Jobs(Arc<Mutex<(VecDeque<Job>, VecDeque<Done>)>>);

impl Loader for Jobs {
    fn start(&mut self, job: Job) {
        self.0.lock().unwrap().0.push_back(job);
    }

    fn finished(&mut self) -> Option<Done> {
        self.0.lock().unwrap().1.pop_front()
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        at_most
    }
}

impl Jobs {
    fn take(&self) -> Option<Job> {
        self.0.lock().unwrap().0.pop_front()
    }
}

/// Five loads of different sectors, of a world that lives for as long as any of them.
fn loads() -> (Vec<Job>, std::sync::Weak<marchland_terrain::store::WorldFiles>) {
    let world = World::open_on(storage()).unwrap();
    let files = Arc::downgrade(world.files());
    let jobs = Jobs::default();
    let settings = StreamSettings { loads_in_flight: 5, ..StreamSettings::default() };
    let mut streamer = Streamer::with_loader(world, settings, Box::new(jobs.clone()));
    streamer.add_interest(Interest::new(at(0.0, 0.0), 10.0)).unwrap();
    streamer.update(Duration::ZERO);
    let done = jobs.take().unwrap().run();
    jobs.0.lock().unwrap().1.push_back(done);
    streamer.update(Duration::from_millis(1));
    let loads: Vec<_> = std::iter::from_fn(|| jobs.take()).collect();
    assert_eq!(loads.iter().filter_map(Job::loads).count(), 5);
    // What is not loaded any more is still read: a cancelled load would be none.
    (loads, files)
}

fn names(done: &[Done]) -> Vec<String> {
    let mut names: Vec<_> = done.iter().map(|done| format!("{done:?}")).collect();
    names.sort_unstable();
    names
}

/// Ends some loads by waiting and the rest by asking.
fn every_job_ends_once() {
    let (jobs, files) = loads();
    let mut expected: Vec<_> =
        jobs.iter().filter_map(Job::loads).map(|coord| format!("loaded {coord}")).collect();
    expected.sort_unstable();
    let mut loader = ThreadLoader::new(2).unwrap();
    let mut done = Vec::new();
    for (number, job) in jobs.into_iter().enumerate() {
        loader.start(job);
        if number % 2 == 1 {
            loader.wait(Duration::from_secs(1));
            // Of two waits, the second returns at once: what came is still to be taken.
            loader.wait(Duration::from_secs(1));
            done.extend(loader.finished());
        }
    }
    while done.len() < expected.len() {
        match loader.finished() {
            Some(one) => done.push(one),
            None => shuttle::thread::yield_now(),
        }
    }
    assert_eq!(names(&done), expected);
    assert!(loader.finished().is_none());
    drop((loader, done));
    assert!(files.upgrade().is_none(), "a job is left");
}

/// Drops a loader after it was given this many jobs, and took what had ended by then.
fn ends_with_jobs(threads: usize, count: usize, is_asked: bool) {
    let (jobs, files) = loads();
    let mut loader = ThreadLoader::new(threads).unwrap();
    for job in jobs.into_iter().take(count) {
        loader.start(job);
    }
    let done = if is_asked { loader.finished() } else { None };
    drop(loader);
    drop(done);
    assert!(files.upgrade().is_none(), "a job is left");
}

#[test]
fn every_job_that_was_started_ends_once() {
    check(every_job_ends_once);
}

#[test]
fn a_loader_ends_with_nothing_to_do() {
    check(|| ends_with_jobs(3, 0, false));
}

#[test]
fn a_loader_ends_with_jobs_in_flight_and_waiting() {
    check(|| ends_with_jobs(2, 5, false));
    check(|| ends_with_jobs(1, 3, true));
    check(|| ends_with_jobs(0, 2, true));
}

#[test]
fn a_streamer_on_threads_gets_ready_and_ends() {
    check(|| {
        let world = World::open_on(storage()).unwrap();
        let files = Arc::downgrade(world.files());
        let settings = StreamSettings { loads_in_flight: 2, ..StreamSettings::default() };
        let mut streamer = Streamer::new(world, settings).unwrap();
        let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 0.0)).unwrap();
        let mut now = Duration::ZERO;
        while !streamer.is_ready(at(0.0, 0.0), 0.0) {
            now += Duration::from_millis(16);
            streamer.update(now);
            shuttle::thread::yield_now();
        }
        // And with whatever is under way.
        streamer.set_interest(id, Interest::new(at(14.0, 0.0), 3.0)).unwrap();
        streamer.reload();
        streamer.update(now + Duration::from_secs(1));
        drop(streamer);
        assert!(files.upgrade().is_none());
    });
}
