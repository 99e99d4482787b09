//! What scenario files mean, and what is refused. All files are made here.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod defaults;
mod example;
mod expectations;
mod fixtures;
mod grounds;
mod input;
mod rates;
mod refusals;
mod reports;
mod separation;
mod shapes;
mod staged;
#[path = "../scenario_run/whole.rs"]
mod whole;
