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
//!
//! Without the feature `command`, which is a default, there are only [`import`] and [`toml_tree`]: what decodes
//! users' files, for a game or an editor that bakes by itself, and nothing of a command line.

#[cfg(feature = "command")]
pub mod baking;
#[cfg(feature = "command")]
pub mod bench;
#[cfg(feature = "command")]
pub mod cli;
#[cfg(feature = "command")]
pub mod demo;
#[cfg(feature = "command")]
pub mod failure;
#[cfg(feature = "command")]
pub mod fly;
#[cfg(feature = "command")]
pub mod fresh;
#[cfg(feature = "command")]
pub mod guard;
pub mod import;
#[cfg(feature = "command")]
pub mod interrupt;
#[cfg(feature = "command")]
pub mod output;
#[cfg(feature = "command")]
pub mod output_file;
#[cfg(feature = "command")]
pub mod plot;
#[cfg(feature = "command")]
pub mod render;
#[cfg(feature = "command")]
pub mod scenario;
#[cfg_attr(
    not(feature = "command"),
    allow(dead_code, unused_imports, reason = "some of it only scenarios read")
)]
pub mod toml_tree;
#[cfg(feature = "command")]
pub mod verbs;
#[cfg(feature = "command")]
pub mod world;

/// The README's example compiles.
#[cfg(all(doctest, feature = "command"))]
#[doc = include_str!("../../README.md")]
pub struct Readme;
