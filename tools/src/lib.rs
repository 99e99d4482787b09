//! What the `marchland` binary is made of.

pub mod import;
