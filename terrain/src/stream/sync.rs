//! Threads and what they share, in one place, so that a test can replace them with a scheduler that tries
//! many orders of events.

#[cfg(not(feature = "shuttle"))]
pub(super) use std::{sync, thread};

#[cfg(feature = "shuttle")]
pub(super) use shuttle::{sync, thread};
