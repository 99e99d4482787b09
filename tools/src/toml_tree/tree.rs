//! Tables, whose keys hold values, and values, which may be tables.

use std::num::ParseIntError;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{FileError, TomlError, TomlProblem};
use super::text::{TableName, Text};

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

    /// A number of an optional key; see [`Value::number`].
    pub(crate) fn number_or(
        &self,
        key: &'static str,
        default: f64,
        range: [f64; 2],
        expected: &str,
    ) -> Result<f64, TomlError> {
        self.get(key).map_or(Ok(default), |value| value.number(range, expected))
    }

    /// 32 bits as a number; `None` if the key is absent.
    pub(crate) fn bits(&self, key: &'static str) -> Result<Option<u32>, TomlError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        Ok(Some(value.whole([0, u64::from(u32::MAX)], "a 32-bit mask, 0 to 4294967295")? as u32))
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

/// A value, its name, and its line.
#[derive(Clone)]
pub(crate) struct Value<'t> {
    text: &'t Text,
    /// Its key, with the index if it lies in an array.
    pub(crate) key: String,
    pub(crate) line: u32,
    value: &'t DeValue<'t>,
}

impl<'t> Value<'t> {
    fn new(text: &'t Text, key: String, value: &'t Spanned<DeValue<'t>>) -> Self {
        Self { text, key, line: text.line(value.span().start), value: value.get_ref() }
    }

    pub(crate) fn as_text(&self) -> Option<&'t str> {
        match self.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => None,
        }
    }

    pub(crate) fn text(&self, expected: &str) -> Result<&'t str, TomlError> {
        self.as_text().ok_or_else(|| self.wrong(expected))
    }

    pub(crate) fn boolean(&self) -> Result<bool, TomlError> {
        match self.value {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, TomlError> {
        let word = self.as_text();
        let found = words.iter().find(|(known, _)| Some(*known) == word);
        found
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| self.wrong(&either(words.iter().map(|w| w.0), words.len())))
    }

    /// A finite number from `least` to `most`.
    pub(crate) fn number(&self, [least, most]: [f64; 2], expected: &str) -> Result<f64, TomlError> {
        let number = match self.value {
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => self.parsed(i64::from_str_radix).map(|number| number as f64),
        };
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| self.wrong(expected))
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&self, [least, most]: [u64; 2], expected: &str) -> Result<u64, TomlError> {
        let number = self.parsed(u64::from_str_radix);
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| self.wrong(expected))
    }

    /// A whole number of 32 bits, of either sign.
    pub(crate) fn integer(&self, expected: &str) -> Result<i32, TomlError> {
        self.parsed(i32::from_str_radix).ok_or_else(|| self.wrong(expected))
    }

    fn parsed<T>(&self, parse: fn(&str, u32) -> Result<T, ParseIntError>) -> Option<T> {
        let DeValue::Integer(number) = self.value else { return None };
        parse(number.as_str(), number.radix()).ok()
    }

    /// The entries of an array, if it is one.
    pub(crate) fn entries(&self) -> Option<Vec<Self>> {
        let DeValue::Array(entries) = self.value else { return None };
        let entry = |(index, value)| Self::new(self.text, format!("{}[{index}]", self.key), value);
        Some(entries.iter().enumerate().map(entry).collect())
    }

    /// The entries of an array of exactly `N`.
    pub(crate) fn array<const N: usize>(&self, expected: &str) -> Result<[Self; N], TomlError> {
        let entries = self.entries().and_then(|entries| <[Self; N]>::try_from(entries).ok());
        entries.ok_or_else(|| self.wrong(expected))
    }

    /// An array of finite numbers, each from `least` to `most`.
    pub(crate) fn numbers<const N: usize>(
        &self,
        range: [f64; 2],
        expected: &str,
    ) -> Result<[f64; N], TomlError> {
        let mut numbers = [0.0; N];
        for (entry, number) in self.array::<N>(expected)?.iter().zip(&mut numbers) {
            *number = entry.number(range, expected)?;
        }
        Ok(numbers)
    }

    /// A table of known keys.
    pub(crate) fn table(
        &self,
        name: TableName<'t>,
        known: &[&str],
        expected: &str,
    ) -> Result<Keys<'t>, TomlError> {
        match self.value {
            DeValue::Table(table) => Keys::new(self.text, name, self.line, table, known),
            _ => Err(self.wrong(expected)),
        }
    }

    /// The error for an unexpected value.
    pub(crate) fn wrong(&self, expected: &str) -> TomlError {
        self.unlike(shown(self.value), expected)
    }

    /// The same, in other words for what was found.
    pub(crate) fn unlike(&self, found: String, expected: &str) -> TomlError {
        let (key, expected) = (self.key.clone(), expected.to_owned());
        self.fault(TomlProblem::Value { key, found, expected })
    }

    /// An error on the value's line.
    pub(crate) fn fault<P>(&self, problem: P) -> FileError<P> {
        self.text.error(self.line, problem)
    }
}

/// A value as shown in messages.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
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

/// A text as shown in messages: in quotes, with dots for omitted characters.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// `"a", "b" or "c"`; if there are more in total, `"a", "b", "c" and 9 more`.
pub(crate) fn either<'n>(words: impl Iterator<Item = &'n str>, in_all: usize) -> String {
    let words: Vec<String> = words.map(quoted).collect();
    let more = in_all.saturating_sub(words.len());
    if more > 0 {
        return format!("{} and {more} more", words.join(", "));
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Characters of a text shown in messages.
const SHOWN_CHARS: usize = 64;
/// Entries of an array shown in messages.
const SHOWN_ENTRIES: usize = 4;
