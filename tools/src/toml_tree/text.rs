//! The text of a TOML file, by line, and the names of its tables in messages.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::DeTable;

use super::error::{FileError, TomlError, TomlProblem};
use crate::import::mesh::{MeshProblem, read_bytes};

/// The text of a file, and the positions of its line ends.
pub(crate) struct Text {
    path: PathBuf,
    text: String,
    line_ends: Vec<usize>,
}

impl Text {
    pub(crate) fn new(path: &Path, text: String) -> Self {
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { path: path.to_owned(), text, line_ends }
    }

    /// Reads a file of at most `limit` bytes; `what` is its name in messages.
    pub(crate) fn read(path: &Path, what: &'static str, limit: u64) -> Result<Self, TomlError> {
        let fault = |problem| TomlError { path: path.to_owned(), line: None, problem };
        let bytes = read_bytes(path, what, limit).map_err(|problem| {
            fault(match problem {
                MeshProblem::Io { doing, source } => TomlProblem::Io { doing, source },
                other => TomlProblem::File { found: other.to_string(), expected: what.to_owned() },
            })
        })?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let found = format!("a byte at {} that is not UTF-8", e.utf8_error().valid_up_to());
            fault(TomlProblem::File { found, expected: "TOML".to_owned() })
        })?;
        Ok(Self::new(path, text))
    }

    /// The whole file as a table.
    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'_>>, TomlError> {
        DeTable::parse(&self.text).map_err(|e| {
            let message = e.message();
            let (line, what) = match e.span() {
                Some(span) => (self.line(span.start), self.text.get(span).unwrap_or_default()),
                None => (self.first_line_with(message), ""),
            };
            // The parser reports where a duplicate key is, but not which key.
            let problem = TomlProblem::Syntax(match message {
                DUPLICATE => format!("{message} `{}`", what.chars().take(64).collect::<String>()),
                _ => message.to_owned(),
            });
            FileError { path: self.path.clone(), line: Some(line), problem }
        })
    }

    /// The last line of the shortest prefix of the file that has a fault, for faults whose position the
    /// parser does not report.
    fn first_line_with(&self, fault: &str) -> u32 {
        let is_sound = |&end: &usize| {
            let start = self.text.get(..end).unwrap_or_default();
            DeTable::parse(start).err().is_none_or(|error| error.message() != fault)
        };
        self.line_ends.partition_point(is_sound) as u32 + 1
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> u32 {
        self.line_ends.partition_point(|&end| end < byte) as u32 + 1
    }

    pub(crate) fn error<P>(&self, line: u32, problem: P) -> FileError<P> {
        FileError::at(&self.path, line, problem)
    }

    /// The name of something on a line, for messages: with the folders as given, since several files may have
    /// the same name.
    pub(crate) fn name(&self, line: u32) -> String {
        format!("{}, line {line}", self.path.display())
    }
}

/// The parser's message for a key, or a table, that exists already.
const DUPLICATE: &str = "duplicate key";

/// The name of a table in messages.
#[derive(Clone, Copy)]
pub(crate) enum TableName<'t> {
    /// The name itself: `[[prop]]`, `a file of props`. Its keys need no prefix.
    Plain(&'static str),
    /// The value of a key: `heights`.
    Part(&'static str),
    /// One of a group of named tables: `[bodies.soldier]`.
    Named(&'static str, &'t str),
    /// One of the tables in the array of a key: `controls[2]`.
    Entry(&'static str, usize),
}

impl TableName<'_> {
    /// The name of a key of the table.
    pub(super) fn key(self, key: &str) -> String {
        match self {
            Self::Plain(_) => key.to_owned(),
            Self::Part(part) => format!("{part}.{key}"),
            Self::Named(group, name) => format!("{group}.{name}.{key}"),
            Self::Entry(array, index) => format!("{array}[{index}].{key}"),
        }
    }
}

impl fmt::Display for TableName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) | Self::Part(name) => f.write_str(name),
            Self::Named(group, name) => write!(f, "[{group}.{name}]"),
            Self::Entry(array, index) => write!(f, "{array}[{index}]"),
        }
    }
}
