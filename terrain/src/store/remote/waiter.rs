//! Waits for remote answers on any thread, and their errors.

use std::future::Future;
use std::io;
use std::sync::mpsc;

use object_store::Error;
use tokio::runtime::{Builder, EnterGuard, Handle, Runtime};

/// A runtime with one thread of its own, for callers that wait.
#[derive(Debug)]
pub(super) struct Waiter {
    handle: Handle,
    /// Present until this is dropped.
    runtime: Option<Runtime>,
}

impl Waiter {
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("marchland-remote")
            .enable_io()
            .enable_time()
            .build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// For constructors that need to run inside a runtime.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Waits for an answer.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        answer: impl Future<Output = T> + Send + 'static,
    ) -> io::Result<T> {
        if Handle::try_current().is_err() {
            return Ok(self.handle.block_on(answer));
        }
        // This thread may be in the middle of another runtime's task, where waiting in a runtime
        // panics. So the answer comes to our own thread, and this one waits as it would for a disk.
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // Sending fails only if the waiting thread is gone.
            let _ = sender.send(answer.await);
        });
        receiver
            .recv()
            .map_err(|_| io::Error::other("the task that waited for the response panicked"))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // Dropping a runtime waits for its threads, which is not allowed in tasks of another
        // runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The error as a file system would report it.
pub(super) fn plain(error: Error) -> io::Error {
    let kind = match &error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        Error::NotSupported { .. } | Error::NotImplemented { .. } => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
