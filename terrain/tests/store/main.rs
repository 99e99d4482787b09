//! Worlds on disk: published whole or not at all, read whole or refused.

// In all of these, a panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::panic)]

mod counting;
mod crash;
mod faults;
mod format_text;
mod golden;
mod manifest;
mod memory;
mod pack;
mod pack_crash;
mod pack_damage;
mod props;
mod readers;
mod round_trip;
mod spool;
mod verify;
mod verify_props;
mod worlds;
