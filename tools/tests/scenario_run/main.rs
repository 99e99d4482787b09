//! `marchland run`: what comes out of a scenario, on the command line and inside a program.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod command;
mod elsewhere;
mod exits;
mod fixtures;
mod input;
mod whole;
