//! Tables of a TOML file, key by key, each value with its line.
//!
//! A value is requested with its expected type; the message names the type found.

mod error;
mod value;

use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use self::error::{FileError, TomlError, TomlProblem};
pub(crate) use self::value::{Value, quoted};
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
    fn line(&self, byte: usize) -> u32 {
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
    fn key(self, key: &str) -> String {
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

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'t> {
    text: &'t Text,
    name: TableName<'t>,
    pub(crate) line: u32,
    table: &'t DeTable<'t>,
}

impl<'t> Keys<'t> {
    pub(crate) fn new(
        text: &'t Text,
        name: TableName<'t>,
        line: u32,
        table: &'t DeTable<'t>,
        known: &[&str],
    ) -> Result<Self, TomlError> {
        let strangers = table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        // The first key in the file, not the first alphabetically.
        if let Some(key) = strangers.min_by_key(|key| key.span().start) {
            let line = text.line(key.span().start);
            let (key, known) = (key.get_ref().to_string(), known.join(", "));
            let problem = TomlProblem::UnknownKey { table: name.to_string(), key, known };
            return Err(text.error(line, problem));
        }
        Ok(Self { text, name, line, table })
    }

    /// The table of the whole file.
    pub(crate) fn root(
        text: &'t Text,
        root: &'t Spanned<DeTable<'t>>,
        what: &'static str,
        known: &[&str],
    ) -> Result<Self, TomlError> {
        Self::new(text, TableName::Plain(what), 1, root.get_ref(), known)
    }

    pub(crate) fn get(&self, key: &'static str) -> Option<Value<'t>> {
        let value = self.table.get(key)?;
        Some(Value::new(self.text, self.name.key(key), value))
    }

    pub(crate) fn need(&self, key: &'static str, expected: &str) -> Result<Value<'t>, TomlError> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    /// The error for a missing key.
    pub(crate) fn missing(&self, key: &'static str, expected: &str) -> TomlError {
        let (table, expected) = (self.name.to_string(), expected.to_owned());
        self.error(TomlProblem::MissingKey { table, key, expected })
    }

    /// Which of several mutually exclusive keys is present, and its value, if any is.
    pub(crate) fn one_of(
        &self,
        keys: &[&'static str],
    ) -> Result<Option<(&'static str, Value<'t>)>, TomlError> {
        let mut there = keys.iter().filter_map(|key| Some((*key, self.get(key)?)));
        match (there.next(), there.next()) {
            (Some(first), Some(second)) => {
                // The later one is the surplus key.
                let is_later = first.1.line > second.1.line;
                let ((other, _), (key, value)) =
                    if is_later { (second, first) } else { (first, second) };
                Err(value.fault(TomlProblem::Both { key, other }))
            }
            (first, _) => Ok(first),
        }
    }

    /// One of two mutually exclusive keys; it is an error if neither is present.
    pub(crate) fn either(
        &self,
        keys: [&'static str; 2],
        expected: &str,
    ) -> Result<Either<'t>, TomlError> {
        match self.one_of(&keys)? {
            Some((key, value)) if key == keys[0] => Ok(Either::First(value)),
            Some((_, value)) => Ok(Either::Second(value)),
            None => Err(self.missing(keys[0], expected)),
        }
    }

    /// The tables of `[[key]]`, in the order of the file.
    pub(crate) fn tables(
        &self,
        key: &'static str,
        what: &'static str,
        known: &[&str],
    ) -> Result<Vec<Self>, TomlError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let expected = format!("tables, each beginning with {what}");
        let DeValue::Array(entries) = value.value else { return Err(value.wrong(&expected)) };
        let table = |entry: &'t Spanned<DeValue<'t>>| {
            let line = self.text.line(entry.span().start);
            match entry.get_ref() {
                DeValue::Table(table) => {
                    Self::new(self.text, TableName::Plain(what), line, table, known)
                }
                _ => Err(value.wrong(&expected)),
            }
        };
        entries.iter().map(table).collect()
    }

    /// The tables of `[key.NAME]` with their names, in the order of the file.
    pub(crate) fn named(
        &self,
        key: &'static str,
        known: &[&str],
    ) -> Result<Vec<(&'t str, Self)>, TomlError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let expected = format!("tables, each beginning with [{key}.NAME]");
        let DeValue::Table(tables) = value.value else { return Err(value.wrong(&expected)) };
        let mut tables: Vec<_> = tables.iter().collect();
        tables.sort_by_key(|(name, _)| name.span().start);
        let table = |(name, entry): (&'t Spanned<_>, &'t Spanned<DeValue<'t>>)| {
            let line = self.text.line(name.span().start);
            let name: &'t str = std::borrow::Cow::as_ref(name.get_ref());
            match entry.get_ref() {
                DeValue::Table(table) => {
                    let called = TableName::Named(key, name);
                    Ok((name, Self::new(self.text, called, line, table, known)?))
                }
                _ => Err(Value::new(self.text, format!("{key}.{name}"), entry).wrong(&expected)),
            }
        };
        tables.into_iter().map(table).collect()
    }

    /// The tables in the array of a key, in its order.
    pub(crate) fn entries(
        &self,
        key: &'static str,
        known: &[&str],
        expected: &str,
    ) -> Result<Vec<Self>, TomlError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let entries = value.entries().ok_or_else(|| value.wrong(expected))?;
        let entries = entries.iter().enumerate();
        let table = |(index, entry): (usize, &Value<'t>)| {
            entry.table(TableName::Entry(key, index), known, expected)
        };
        entries.map(table).collect()
    }

    pub(crate) fn error<P>(&self, problem: P) -> FileError<P> {
        self.text.error(self.line, problem)
    }

    /// The name of the table's props in messages.
    pub(crate) fn place(&self) -> String {
        self.text.name(self.line)
    }
}

/// Which of two keys was present.
pub(crate) enum Either<'t> {
    First(Value<'t>),
    Second(Value<'t>),
}
