//! Worlds on disk: published whole or not at all, read whole or refused.

mod crash;
mod faults;
mod manifest;
mod memory;
mod readers;
mod round_trip;
mod verify;
mod worlds;
