//! Errors common to all settings files: what was found, what is accepted, and on which line.

use std::io;
use std::path::{Path, PathBuf};

/// Something wrong with a file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), line.map(|n| format!(", line {n}")).unwrap_or_default())]
pub struct FileError<P> {
    /// The file.
    pub path: PathBuf,
    /// The line at fault, from 1.
    pub line: Option<u32>,
    /// What is wrong with it; contained in the message, and therefore not also given as a source.
    pub problem: P,
}

impl<P> FileError<P> {
    /// On a line of a file.
    pub(crate) fn at(path: &Path, line: u32, problem: P) -> Self {
        Self { path: path.to_owned(), line: Some(line), problem }
    }

    /// The same error, with a problem of a wider type.
    pub(crate) fn widened<W: From<P>>(self) -> FileError<W> {
        FileError { path: self.path, line: self.line, problem: self.problem.into() }
    }
}

/// Something wrong with a file as TOML, or with a value in it.
pub type TomlError = FileError<TomlProblem>;

/// What is wrong with a file as TOML, or with a value in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TomlProblem {
    /// The file system reported an error, independent of the file's contents.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// Too long, or not text.
    #[error("{found}, expected {expected}")]
    File {
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// An unknown key.
    #[error("unknown key `{key}` in {table}, expected one of {known}")]
    UnknownKey {
        /// The table that it is in.
        table: String,
        /// The key.
        key: String,
        /// The known keys.
        known: String,
    },
    /// A missing key.
    #[error("{table} has no `{key}`, expected {expected}")]
    MissingKey {
        /// The table that it should be in.
        table: String,
        /// The key.
        key: &'static str,
        /// The expected value.
        expected: String,
    },
    /// A value of the wrong kind, or out of range.
    #[error("`{key}` is {found}, expected {expected}")]
    Value {
        /// The key, with the position inside its value.
        key: String,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Two keys that exclude each other.
    #[error("`{key}` together with `{other}`, expected only one of them")]
    Both {
        /// One of the keys.
        key: &'static str,
        /// The other key.
        other: &'static str,
    },
}

impl TomlProblem {
    /// Whether the error comes from the file system, not from the file's contents.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
