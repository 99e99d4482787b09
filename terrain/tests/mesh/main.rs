//! Meshes: prepared as they should be, stored and read whole or refused, asked what touches what.

// In all of these, a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::panic)]

mod faces;
mod file;
mod golden;
mod inside;
mod prepare;
mod queries;
mod shapes;
