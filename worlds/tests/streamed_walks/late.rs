//! A loader whose jobs take time: of the streamer's clock, not of the machine's.

use std::collections::VecDeque;
use std::time::Duration;

use marchland_terrain::stream::{Done, Job, Loader};

/// Does each job at the moment at which it would end.
#[derive(Debug)]
pub(crate) struct LateLoader {
    latency: Duration,
    now: Duration,
    /// Jobs and when they end, in that order.
    jobs: VecDeque<(Duration, Job)>,
    clock: Clock,
}

/// The time that the test has come to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(std::sync::Arc<std::sync::Mutex<Duration>>);

impl Clock {
    pub(crate) fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    pub(crate) fn pass(&self, time: Duration) -> Duration {
        let mut now = self.0.lock().unwrap();
        *now += time;
        *now
    }
}

impl LateLoader {
    pub(crate) fn new(clock: &Clock, latency: Duration) -> Self {
        Self { latency, now: Duration::ZERO, jobs: VecDeque::new(), clock: clock.clone() }
    }
}

impl Loader for LateLoader {
    fn start(&mut self, job: Job) {
        self.now = self.clock.now();
        let latency = if job.is_wanted() { self.latency } else { Duration::ZERO };
        self.jobs.push_back((self.now + latency, job));
    }

    fn finished(&mut self) -> Option<Done> {
        let now = self.clock.now();
        let at = self.jobs.iter().position(|(end, _)| *end <= now)?;
        let (_, job) = self.jobs.remove(at)?;
        Some(job.run())
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        self.clock.pass(at_most);
        at_most
    }
}
