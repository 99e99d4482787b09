//! A loader with threads of its own.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::loader::{Done, Job, Loader};
use super::sync::sync::{Arc, Mutex, PoisonError, mpsc};
use super::sync::thread;

/// The first nap of an idle loader that looks for jobs. Each nap is twice as long as the one before.
#[cfg(not(feature = "shuttle"))]
const NAP_FIRST: Duration = Duration::from_micros(50);
/// The longest nap: by so much a load may begin late. A thread that waits for a message has to be woken
/// by who sends it, which takes 45 µs of a tick where the other core sleeps in a virtual machine (Intel
/// Xeon); napping, it wakes by itself some hundred times a second.
#[cfg(not(feature = "shuttle"))]
const NAP_MOST: Duration = Duration::from_millis(3);

/// Threads that do a streamer's jobs, first come, first served. Who starts a job or asks what is
/// finished takes no lock that a loading thread holds. Dropping it lets the jobs that have begun end,
/// forgets the others, and joins the threads.
#[derive(Debug)]
pub struct ThreadLoader {
    /// Jobs that were started and not handed on yet. All of an update's go together.
    begun: Vec<Job>,
    /// Nothing once it is being dropped.
    jobs: Option<mpsc::Sender<Vec<Job>>>,
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
        // Only the loading threads share it: one of them waits for jobs with it locked, the others for
        // the lock.
        let waiting = Arc::new(Mutex::new(Waiting { jobs: waiting, ready: VecDeque::new() }));
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

/// Jobs that no thread does yet.
#[derive(Debug)]
struct Waiting {
    jobs: mpsc::Receiver<Vec<Job>>,
    ready: VecDeque<Job>,
}

impl Waiting {
    /// Waits for a job; nothing once nobody can send any.
    fn next(&mut self) -> Option<Job> {
        while self.ready.is_empty() {
            self.ready.extend(self.receive()?);
        }
        self.ready.pop_front()
    }

    /// Looks for jobs until there are some. Nobody has to wake it for that.
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

    /// Waits for jobs: a schedule without end would not be one that can be gone through.
    #[cfg(feature = "shuttle")]
    fn receive(&self) -> Option<Vec<Job>> {
        self.jobs.recv().ok()
    }
}

/// Does jobs until nobody can send any, or nobody hears what came of them.
fn work(waiting: &Mutex<Waiting>, results: &mpsc::Sender<Done>) {
    loop {
        // The lock ends with the line, and the next thread takes what is left.
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
