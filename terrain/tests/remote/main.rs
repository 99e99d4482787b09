//! Worlds in object stores and on web servers.
#![cfg(feature = "remote")]
// In all of these, a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::panic, unsafe_code)]

#[path = "../store/memory.rs"]
#[allow(dead_code)]
mod memory;
mod reading;
mod server;
mod sharing;
mod streaming;
#[path = "../store/worlds.rs"]
#[allow(dead_code)]
mod worlds;
