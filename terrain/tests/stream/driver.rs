//! A loader whose jobs are done when the test says so, and in the order that it says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use marchland_terrain::SectorCoord;
use marchland_terrain::World;
use marchland_terrain::stream::{Done, Job, Loader, StreamSettings, Streamer};

#[derive(Debug, Default)]
struct Desk {
    jobs: Vec<Job>,
    done: VecDeque<Done>,
    /// Loads in the order in which they were started.
    started: Vec<SectorCoord>,
}

/// The test's end of the loader.
#[derive(Clone, Debug, Default)]
pub(crate) struct Driver(Arc<Mutex<Desk>>);

/// The streamer's end.
#[derive(Debug)]
pub(crate) struct DrivenLoader {
    driver: Driver,
    /// What a wait does and how long that takes: the next job, or nothing.
    latency: Duration,
}

impl Driver {
    /// A streamer whose loads the test finishes. A wait finishes the next job in a millisecond.
    pub(crate) fn stream(world: World, settings: StreamSettings) -> (Streamer, Self) {
        let driver = Self::default();
        let latency = Duration::from_millis(1);
        let loader = DrivenLoader { driver: driver.clone(), latency };
        (Streamer::with_loader(world, settings, Box::new(loader)), driver)
    }

    /// The sectors that are being loaded, in the order in which that began.
    pub(crate) fn loading(&self) -> Vec<SectorCoord> {
        self.0.lock().unwrap().jobs.iter().filter_map(Job::loads).collect()
    }

    /// All loads that were ever started, in order.
    pub(crate) fn started(&self) -> Vec<SectorCoord> {
        self.0.lock().unwrap().started.clone()
    }

    /// Finishes the job that is at a place in the order of their beginnings.
    pub(crate) fn finish(&self, at: usize) {
        let job = self.0.lock().unwrap().jobs.remove(at);
        let done = job.run();
        self.0.lock().unwrap().done.push_back(done);
    }

    /// Jobs that are not finished.
    pub(crate) fn jobs(&self) -> usize {
        self.0.lock().unwrap().jobs.len()
    }

    /// Finishes the load of a sector.
    pub(crate) fn finish_load(&self, coord: SectorCoord) {
        let is_it = |job: &Job| job.loads() == Some(coord);
        let at = self.0.lock().unwrap().jobs.iter().position(is_it).unwrap();
        self.finish(at);
    }

    /// Finishes every job that is no load.
    pub(crate) fn finish_others(&self) {
        loop {
            let is_other = |job: &Job| job.loads().is_none();
            let at = self.0.lock().unwrap().jobs.iter().position(is_other);
            let Some(at) = at else { return };
            self.finish(at);
        }
    }

    /// Finishes every job.
    pub(crate) fn finish_all(&self) {
        while self.jobs() > 0 {
            self.finish(0);
        }
    }
}

impl Loader for DrivenLoader {
    fn start(&mut self, job: Job) {
        let mut desk = self.driver.0.lock().unwrap();
        desk.started.extend(job.loads());
        desk.jobs.push(job);
    }

    fn finished(&mut self) -> Option<Done> {
        self.driver.0.lock().unwrap().done.pop_front()
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        if self.driver.jobs() == 0 || self.latency > at_most {
            return at_most;
        }
        self.driver.finish(0);
        self.latency
    }
}
