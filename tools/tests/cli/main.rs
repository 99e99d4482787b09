//! The command as its users run it: the real binary, on sources that are made here.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod about;
mod answers;
mod baking;
mod benching;
mod damage;
mod demo;
mod flying;
mod interrupts;
mod outputs;
mod packing;
mod pictures;
mod prop_answers;
mod props;
mod refusals;
mod shell;
mod workshop;
