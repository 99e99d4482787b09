//! A loader with its own threads.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::loader::{Done, Job, Loader};
use super::sync::sync::{Arc, Mutex, PoisonError, mpsc};
use super::sync::thread;

/// The first sleep of an idle loader thread that polls for jobs. Each sleep is twice as long as the one
/// before.
#[cfg(not(feature = "shuttle"))]
const NAP_FIRST: Duration = Duration::from_micros(50);
/// The longest sleep: a load may begin this much late. A thread that waits for a message must be woken by its
/// sender, which takes 45 µs of a tick if the other core sleeps in a virtual machine (Intel Xeon). A polling
/// thread wakes by itself some hundred times a second.
#[cfg(not(feature = "shuttle"))]
const NAP_MOST: Duration = Duration::from_millis(3);

/// Threads that run a streamer's jobs in order of arrival. Starting a job or fetching a result takes no lock
/// that a loading thread holds. Dropping the loader lets the jobs that have begun end, discards the others,
/// and joins the threads.
#[derive(Debug)]
pub struct ThreadLoader {
    /// Jobs that were started and not passed on yet. All jobs of an update are passed on together.
    begun: Vec<Job>,
    /// `None` once the loader is being dropped.
    jobs: Option<mpsc::Sender<Vec<Job>>>,
    done: mpsc::Receiver<Done>,
    /// A result that arrived during a wait.
    early: Option<Done>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl ThreadLoader {
    /// With this many threads, at least one.
    ///
    /// # Errors
    /// If the system provides no thread.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel();
        let (results, done) = mpsc::channel();
        // Only the loading threads share it: one of them waits for jobs while it holds the lock, and the
        // others wait for the lock.
        let waiting = Arc::new(Mutex::new(JobQueue { jobs: waiting, ready: VecDeque::new() }));
        let mut loader =
            Self { begun: Vec::new(), jobs: Some(jobs), done, early: None, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (waiting, results) = (Arc::clone(&waiting), results.clone());
            let builder = thread::Builder::new().name(format!("marchland-load-{number}"));
            loader.threads.push(builder.spawn(move || work(&waiting, &results))?);
        }
        Ok(loader)
    }
}

/// Jobs that no thread has taken yet.
#[derive(Debug)]
struct JobQueue {
    jobs: mpsc::Receiver<Vec<Job>>,
    ready: VecDeque<Job>,
}

impl JobQueue {
    /// Waits for a job; `None` once all senders are gone.
    fn next(&mut self) -> Option<Job> {
        while self.ready.is_empty() {
            self.ready.extend(self.receive()?);
        }
        self.ready.pop_front()
    }

    /// Polls for jobs until there are some, so no other thread has to wake it.
    #[cfg(not(feature = "shuttle"))]
    fn receive(&self) -> Option<Vec<Job>> {
        let mut nap = NAP_FIRST;
        loop {
            match self.jobs.try_recv() {
                Ok(jobs) => return Some(jobs),
                Err(mpsc::TryRecvError::Disconnected) => return None,
                Err(mpsc::TryRecvError::Empty) => thread::sleep(nap),
            }
            nap = if nap < NAP_MOST { nap * 2 } else { nap };
        }
    }

    /// Waits for jobs: an endless schedule could not be explored completely.
    #[cfg(feature = "shuttle")]
    fn receive(&self) -> Option<Vec<Job>> {
        self.jobs.recv().ok()
    }
}

/// Runs jobs until all senders are gone, or no one receives the results.
fn work(waiting: &Mutex<JobQueue>, results: &mpsc::Sender<Done>) {
    loop {
        // The lock is released at the end of the line, and the next thread takes the remaining jobs.
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(job) = next else { return };
        if results.send(job.run()).is_err() {
            return;
        }
    }
}

impl Loader for ThreadLoader {
    fn start(&mut self, job: Job) {
        self.begun.push(job);
    }

    fn flush(&mut self) {
        if let Some(jobs) = self.jobs.as_ref().filter(|_| !self.begun.is_empty()) {
            // The threads end only after the sender is gone.
            let _ = jobs.send(std::mem::take(&mut self.begun));
        }
    }

    fn finished(&mut self) -> Option<Done> {
        self.flush();
        self.early.take().or_else(|| self.done.try_recv().ok())
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        let begun = Instant::now();
        self.flush();
        if self.early.is_none() {
            self.early = self.done.recv_timeout(at_most).ok();
        }
        begun.elapsed()
    }
}

impl Drop for ThreadLoader {
    fn drop(&mut self) {
        // No one receives the remaining results: a thread that ends a job sees that and stops.
        let (_, nobody) = mpsc::channel();
        self.done = nobody;
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has already reported it on standard error.
            let _ = thread.join();
        }
    }
}
