//! What the `marchland` binary is made of: decoding of elevation files, the verbs, their pictures.

pub mod baking;
pub mod bench;
pub mod cli;
pub mod demo;
pub mod failure;
pub mod fly;
pub mod fresh;
pub mod guard;
pub mod import;
pub mod interrupt;
pub mod output;
pub mod output_file;
pub mod plot;
pub mod render;
pub mod scenario;
pub mod toml_tree;
pub mod verbs;
pub mod world;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
