//! The parts of the `marchland` binary: decoding of elevation files, the verbs, their pictures.
//!
//! | module | contents |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`verbs`] | a file for each verb |
//! | [`demo`] | the sample world, baked, marched over and drawn |
//! | [`bench`](mod@bench) | crowds of several sizes over a user's world, to measure what a tick costs there |
//! | [`fly`] | flights over worlds, to measure what streaming costs |
//! | [`scenario`] | scenario files: read, staged and run |
//! | [`baking`] | from the command line to a published world |
//! | [`import`] | elevation files, masks and meshes, decoded |
//! | [`render`] | maps with shaded relief, and what is drawn on them |
//! | [`plot`] | frames with scales, and a pen for them |
//! | [`toml_tree`] | tables of a TOML file, each value with its line |
//! | [`world`] | worlds as the verbs open them |
//! | [`fresh`] | removes what a failed command began in a new folder |
//! | [`guard`] | where a command may not write |
//! | [`output`], [`output_file`] | what is printed; files that are whole or absent |
//! | [`interrupt`] | what happens when the user interrupts a command |
//! | [`failure`] | a message, a hint and an exit code |

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
