//! Tables of a TOML file, key by key, each value with its line.
//!
//! A value is requested with its expected type; the message names the type found.

mod error;
mod fields;
mod text;
mod tree;

pub use self::error::{FileError, TomlError, TomlProblem};
pub(crate) use self::fields::Field;
pub(crate) use self::text::{TableName, Text};
pub(crate) use self::tree::{Keys, Value, either, quoted};
