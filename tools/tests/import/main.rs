//! What sources of every kind give, and what is refused. All files are made here.
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod damage;
mod exr;
mod fixtures;
mod masks;
mod picture_damage;
mod picture_masks;
mod pictures;
mod png;
mod raw;
mod tiff;
mod tiff_files;
mod tiles;
