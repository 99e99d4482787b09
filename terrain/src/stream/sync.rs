//! Threads and what they share, in one place, so that a test can put a scheduler of its own beneath
//! them which tries many orders of events.

#[cfg(not(feature = "shuttle"))]
pub(super) use std::{sync, thread};

#[cfg(feature = "shuttle")]
pub(super) use shuttle::{sync, thread};
