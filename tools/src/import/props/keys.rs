//! Tables of a TOML file, key by key, each value with its line.
//!
//! A value is asked for as what it should be; what it is instead goes into the message.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{PropFileError, PropProblem};

/// The text of a file, and where its lines end.
pub(super) struct Text {
    path: PathBuf,
    text: String,
    line_ends: Vec<usize>,
}

impl Text {
    pub(super) fn new(path: &Path, text: String) -> Self {
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { path: path.to_owned(), text, line_ends }
    }

    /// The whole file as a table.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'_>>, PropFileError> {
        DeTable::parse(&self.text).map_err(|e| {
            let line = e.span().map(|span| self.line(span.start));
            self.error(line, PropProblem::Syntax(e.message().to_owned()))
        })
    }

    /// The line of a byte, from 1.
    fn line(&self, byte: usize) -> u32 {
        self.line_ends.partition_point(|&end| end < byte) as u32 + 1
    }

    pub(super) fn error(&self, line: Option<u32>, problem: PropProblem) -> PropFileError {
        PropFileError { path: self.path.clone(), line, problem }
    }

    /// What something on a line is called in messages, wherever the file lies.
    pub(super) fn name(&self, line: u32) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        format!("{}, line {line}", name.display())
    }
}

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub(super) struct Keys<'t> {
    text: &'t Text,
    /// What the table is called in messages.
    what: &'static str,
    pub(super) line: u32,
    table: &'t DeTable<'t>,
}

impl<'t> Keys<'t> {
    pub(super) fn new(
        text: &'t Text,
        what: &'static str,
        line: u32,
        table: &'t DeTable<'t>,
        known: &[&str],
    ) -> Result<Self, PropFileError> {
        let strangers = table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        // The first in the file, not in the alphabet.
        if let Some(key) = strangers.min_by_key(|key| key.span().start) {
            let line = text.line(key.span().start);
            let (key, known) = (key.get_ref().to_string(), known.join(", "));
            let problem = PropProblem::UnknownKey { table: what.to_owned(), key, known };
            return Err(text.error(Some(line), problem));
        }
        Ok(Self { text, what, line, table })
    }

    pub(super) fn get(&self, key: &'static str) -> Option<Value<'t>> {
        let value = self.table.get(key)?;
        Some(Value::new(self.text, key.to_owned(), value))
    }

    pub(super) fn need(
        &self,
        key: &'static str,
        expected: &str,
    ) -> Result<Value<'t>, PropFileError> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    fn missing(&self, key: &'static str, expected: &str) -> PropFileError {
        let (table, expected) = (self.what.to_owned(), expected.to_owned());
        self.error(PropProblem::MissingKey { table, key, expected })
    }

    /// One of two keys that exclude each other; neither is an error as well.
    pub(super) fn either(
        &self,
        [first, second]: [&'static str; 2],
        expected: &str,
    ) -> Result<Either<'t>, PropFileError> {
        match (self.get(first), self.get(second)) {
            (Some(_), Some(value)) => {
                Err(value.fault(PropProblem::Both { key: second, other: first }))
            }
            (Some(value), None) => Ok(Either::First(value)),
            (None, Some(value)) => Ok(Either::Second(value)),
            (None, None) => Err(self.missing(first, expected)),
        }
    }

    /// The tables of `[[key]]`, in the order of the file.
    pub(super) fn tables(
        &self,
        key: &'static str,
        what: &'static str,
        known: &[&str],
    ) -> Result<Vec<Self>, PropFileError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let expected = format!("tables, each beginning with {what}");
        let DeValue::Array(entries) = value.value else { return Err(value.wrong(&expected)) };
        let table = |entry: &'t Spanned<DeValue<'t>>| {
            let line = self.text.line(entry.span().start);
            match entry.get_ref() {
                DeValue::Table(table) => Self::new(self.text, what, line, table, known),
                _ => Err(value.wrong(&expected)),
            }
        };
        entries.iter().map(table).collect()
    }

    pub(super) fn error(&self, problem: PropProblem) -> PropFileError {
        self.text.error(Some(self.line), problem)
    }

    /// What this table's props are called in messages.
    pub(super) fn name(&self) -> String {
        self.text.name(self.line)
    }
}

/// Which of two keys was there.
pub(super) enum Either<'t> {
    First(Value<'t>),
    Second(Value<'t>),
}

/// A value, what it is called, and its line.
#[derive(Clone)]
pub(super) struct Value<'t> {
    text: &'t Text,
    /// Its key, with a place where it lies in an array.
    key: String,
    line: u32,
    value: &'t DeValue<'t>,
}

impl<'t> Value<'t> {
    fn new(text: &'t Text, key: String, value: &'t Spanned<DeValue<'t>>) -> Self {
        Self { text, key, line: text.line(value.span().start), value: value.get_ref() }
    }

    pub(super) fn as_text(&self) -> Option<&'t str> {
        match self.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => None,
        }
    }

    pub(super) fn text(&self, expected: &str) -> Result<&'t str, PropFileError> {
        self.as_text().ok_or_else(|| self.wrong(expected))
    }

    /// A finite number from `least` to `most`.
    pub(super) fn number(
        &self,
        [least, most]: [f64; 2],
        expected: &str,
    ) -> Result<f64, PropFileError> {
        let number = match self.value {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n as f64)
            }
            _ => None,
        };
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| self.wrong(expected))
    }

    /// A whole number from 0 to `most`.
    pub(super) fn whole(&self, most: u64, expected: &str) -> Result<u64, PropFileError> {
        let number = match self.value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.filter(|&number| number <= most).ok_or_else(|| self.wrong(expected))
    }

    /// The entries of an array, if it is one.
    pub(super) fn entries(&self) -> Option<Vec<Self>> {
        let DeValue::Array(entries) = self.value else { return None };
        let entry = |(index, value)| Self::new(self.text, format!("{}[{index}]", self.key), value);
        Some(entries.iter().enumerate().map(entry).collect())
    }

    /// The entries of an array of so many.
    pub(super) fn array<const N: usize>(&self, expected: &str) -> Result<[Self; N], PropFileError> {
        let entries = self.entries().and_then(|entries| <[Self; N]>::try_from(entries).ok());
        entries.ok_or_else(|| self.wrong(expected))
    }

    /// An array of finite numbers, each from `least` to `most`.
    pub(super) fn numbers<const N: usize>(
        &self,
        range: [f64; 2],
        expected: &str,
    ) -> Result<[f64; N], PropFileError> {
        let mut numbers = [0.0; N];
        for (entry, number) in self.array::<N>(expected)?.iter().zip(&mut numbers) {
            *number = entry.number(range, expected)?;
        }
        Ok(numbers)
    }

    /// It is not what was expected.
    pub(super) fn wrong(&self, expected: &str) -> PropFileError {
        let (key, expected) = (self.key.clone(), expected.to_owned());
        self.fault(PropProblem::Value { key, found: shown(self.value), expected })
    }

    /// Something is wrong with it.
    pub(super) fn fault(&self, problem: PropProblem) -> PropFileError {
        self.text.error(Some(self.line), problem)
    }
}

/// A value as a message shows it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => {
            let short: String = text.chars().take(SHOWN_CHARS).collect();
            format!("{short:?}")
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(entries) => {
            let shown_entries: Vec<_> =
                entries.iter().take(SHOWN_ENTRIES).map(|v| shown(v.get_ref())).collect();
            let more = if entries.len() > SHOWN_ENTRIES { ", …" } else { "" };
            format!("[{}{more}]", shown_entries.join(", "))
        }
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Letters of a text that a message shows.
const SHOWN_CHARS: usize = 60;
/// Entries of an array that a message shows.
const SHOWN_ENTRIES: usize = 4;
