//! `SCENARIO.md` and `PROPS.md` say what the code does: their tables of keys are compared with what is
//! accepted, key by key and range by range, and their examples are run and baked. `README.md` and
//! `ARCHITECTURE.md` have a greatest length.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod document;
mod keys;
mod lengths;
mod props;
mod ranges;
mod scenario;
#[path = "../scenario_run/whole.rs"]
mod whole;
mod workshop;
