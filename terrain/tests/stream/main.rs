//! Streaming under a virtual clock, with a loader that the test drives.

// In all of these, a panic is how a test fails, and no tick depends on what is expected.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod budget;
mod clocks;
#[allow(dead_code)]
mod driver;
mod edges;
mod equal;
mod failures;
mod geometry;
#[path = "../store/memory.rs"]
#[allow(dead_code)]
mod memory;
mod plain;
mod queue;
mod rates;
mod ready;
mod reload;
mod smoke;
mod thrash;
mod threads;
mod vanish;
mod wire;
#[path = "../store/worlds.rs"]
#[allow(dead_code)]
mod worlds;
