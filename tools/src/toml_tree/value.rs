//! A value of a file, requested with its expected type.

use toml::Spanned;
use toml::de::DeValue;

use super::{FileError, Keys, TableName, Text, TomlError, TomlProblem};

/// A value, its name, and its line.
#[derive(Clone)]
pub(crate) struct Value<'t> {
    text: &'t Text,
    /// Its key, with the index if it lies in an array.
    pub(crate) key: String,
    pub(crate) line: u32,
    pub(super) value: &'t DeValue<'t>,
}

impl<'t> Value<'t> {
    pub(super) fn new(text: &'t Text, key: String, value: &'t Spanned<DeValue<'t>>) -> Self {
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

    /// A finite number from `least` to `most`.
    pub(crate) fn number(&self, [least, most]: [f64; 2], expected: &str) -> Result<f64, TomlError> {
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
    pub(crate) fn whole(&self, most: u64, expected: &str) -> Result<u64, TomlError> {
        let number = match self.value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.filter(|&number| number <= most).ok_or_else(|| self.wrong(expected))
    }

    /// A whole number of 32 bits, of either sign.
    pub(crate) fn integer(&self, expected: &str) -> Result<i32, TomlError> {
        let number = match self.value {
            DeValue::Integer(number) => i32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(expected))
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
        let (key, expected) = (self.key.clone(), expected.to_owned());
        self.fault(TomlProblem::Value { key, found: shown(self.value), expected })
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

/// Characters of a text shown in messages.
const SHOWN_CHARS: usize = 64;
/// Entries of an array shown in messages.
const SHOWN_ENTRIES: usize = 4;
