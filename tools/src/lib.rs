//! The parts of the `marchland` binary.
//!
//! | module | contents |
//! |---|---|
//! | [`command`] | the command line and all that only a command needs |
//! | [`import`] | elevation files, masks and meshes, decoded |
//! | [`toml_tree`] | tables of a TOML file, each value with its line |
//!
//! Without the feature `command`, which is a default, there is only what decodes users' files, for a game or an
//! editor that bakes by itself.

#[cfg(feature = "command")]
pub mod command;
pub mod import;
#[cfg_attr(
    not(feature = "command"),
    allow(dead_code, unused_imports, reason = "some of it only scenarios read")
)]
pub mod toml_tree;

/// The README's example compiles.
#[cfg(all(doctest, feature = "command"))]
#[doc = include_str!("../../README.md")]
pub struct Readme;
