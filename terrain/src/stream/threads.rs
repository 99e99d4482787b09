//! A loader with threads of its own.

use std::time::{Duration, Instant};

use super::loader::{Done, Job, Loader};
use super::sync::sync::{Arc, Mutex, PoisonError, mpsc};
use super::sync::thread;

/// Threads that do a streamer's jobs, first come, first served. Who starts a job or asks what is
/// finished takes no lock that a loading thread holds. Dropping it lets the jobs that have begun end,
/// forgets the others, and joins the threads.
#[derive(Debug)]
pub struct ThreadLoader {
    /// Nothing once it is being dropped.
    jobs: Option<mpsc::Sender<Job>>,
    done: mpsc::Receiver<Done>,
    /// What came while somebody waited for it.
    early: Option<Done>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl ThreadLoader {
    /// With so many threads, at least one.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel();
        let (results, done) = mpsc::channel();
        // Only the loading threads share it: one of them waits for a job with it locked, the others
        // for the lock.
        let waiting = Arc::new(Mutex::new(waiting));
        let mut loader = Self { jobs: Some(jobs), done, early: None, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (waiting, results) = (Arc::clone(&waiting), results.clone());
            let builder = thread::Builder::new().name(format!("marchland-load-{number}"));
            loader.threads.push(builder.spawn(move || work(&waiting, &results))?);
        }
        Ok(loader)
    }
}

/// Does jobs until nobody can send any, or nobody hears what came of them.
fn work(waiting: &Mutex<mpsc::Receiver<Job>>, results: &mpsc::Sender<Done>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if results.send(job.run()).is_err() {
            return;
        }
    }
}

impl Loader for ThreadLoader {
    fn start(&mut self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The threads end only after the sender is gone.
            let _ = jobs.send(job);
        }
    }

    fn finished(&mut self) -> Option<Done> {
        self.early.take().or_else(|| self.done.try_recv().ok())
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        let begun = Instant::now();
        if self.early.is_none() {
            self.early = self.done.recv_timeout(at_most).ok();
        }
        begun.elapsed()
    }
}

impl Drop for ThreadLoader {
    fn drop(&mut self) {
        // Nobody hears the rest: a thread that ends a job sees it and stops.
        let (_, nobody) = mpsc::channel();
        self.done = nobody;
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has told so on standard error.
            let _ = thread.join();
        }
    }
}
