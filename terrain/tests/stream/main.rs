//! Streaming under a virtual clock, with a loader that the test drives.

// In all of these, a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::panic)]

#[allow(dead_code)]
mod driver;
#[path = "../store/memory.rs"]
#[allow(dead_code)]
mod memory;
mod plain;
mod smoke;
#[path = "../store/worlds.rs"]
#[allow(dead_code)]
mod worlds;
