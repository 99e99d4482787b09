//! A file for each verb.

pub mod bake;
pub mod bench;
pub mod completions;
pub mod demo;
pub mod fly;
pub mod info;
pub mod pack;
pub mod preview;
pub mod probe;
pub mod raycast;
pub mod run;
pub mod sample;
pub mod unpack;
pub mod verify;
