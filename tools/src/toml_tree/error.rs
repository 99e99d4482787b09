//! What can be wrong with a settings file whatever it is for: what was found, what is accepted, and
//! on which line.

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
    /// What is wrong with it; said in the message, so not given as a source once more.
    pub problem: P,
}

impl<P> FileError<P> {
    /// On a line of a file.
    pub(crate) fn at(path: &Path, line: u32, problem: P) -> Self {
        Self { path: path.to_owned(), line: Some(line), problem }
    }

    /// The same place, with a problem of a wider kind.
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
    /// The file system refused; not a matter of what the file holds.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// More bytes than are taken, or no text.
    #[error("{found}, expected {expected}")]
    File {
        /// What was found.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// No TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A key that means nothing.
    #[error("unknown key `{key}` in {table}, expected one of {known}")]
    UnknownKey {
        /// The table that it is in.
        table: String,
        /// The key.
        key: String,
        /// Keys that mean something.
        known: String,
    },
    /// A key that must be there.
    #[error("{table} has no `{key}`, expected {expected}")]
    MissingKey {
        /// The table that it should be in.
        table: String,
        /// The key.
        key: &'static str,
        /// What it would hold.
        expected: String,
    },
    /// A value of the wrong kind, or out of range.
    #[error("`{key}` is {found}, expected {expected}")]
    Value {
        /// The key, with a place inside its value.
        key: String,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Two keys that exclude each other.
    #[error("`{key}` together with `{other}`, expected one of both")]
    Both {
        /// One.
        key: &'static str,
        /// The other.
        other: &'static str,
    },
}

impl TomlProblem {
    /// Whether the file system is at fault, and not what the file holds.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
