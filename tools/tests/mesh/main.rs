//! What mesh files and files of props give, and what is refused. All files are made here.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod fixtures;
mod graphs;
mod malformed;
mod names;
mod obj;
mod prop_files;
mod refusals;
mod scenes;
mod shapes;
