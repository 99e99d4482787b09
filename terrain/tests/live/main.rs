//! Props that come, go and move at run time.

// Helpers of tests may unwrap and panic as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod find;
mod ids;
mod motion;
mod move_to;
mod scene;
mod state;
