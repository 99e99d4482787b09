//! A file or a folder for each verb: its words on the command line, and what it does.

pub mod bake;
pub mod bench;
pub mod demo;
pub mod fly;
pub mod info;
pub mod pack;
pub mod preview;
pub mod probe;
pub mod raycast;
pub mod run;
pub mod sample;
pub mod verify;
