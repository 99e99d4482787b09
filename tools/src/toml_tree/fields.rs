//! Tables read through `serde`: the type says which fields there are, what kind each is and what it is if it is not
//! given; the table says which key is which, and what is accepted. Faults are those of [`Value`].

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::{TomlError, TomlProblem};
use super::tree::{Keys, Value, either};

/// A key of a table, and the field that it is.
pub(crate) struct Field {
    key: &'static str,
    field: &'static str,
    kind: FieldKind,
}

enum FieldKind {
    /// A number in a range, and the range in messages.
    Number([f64; 2], String),
    /// Three of them.
    Vector([f64; 2], String),
    /// A boolean, or one of the words that the type knows.
    Plain,
}

impl Field {
    /// A number from `least` to `most`.
    pub(crate) fn number(key: &'static str, range: [f64; 2], expected: &str) -> Self {
        Self { key, field: key, kind: FieldKind::Number(range, expected.to_owned()) }
    }

    /// `[x, y, z]`, each from `least` to `most`.
    pub(crate) fn vector(key: &'static str, range: [f64; 2], expected: &str) -> Self {
        Self { key, field: key, kind: FieldKind::Vector(range, expected.to_owned()) }
    }

    /// A boolean, or one of the words that the type knows.
    pub(crate) fn plain(key: &'static str) -> Self {
        Self { key, field: key, kind: FieldKind::Plain }
    }

    /// The same for a field that is not called as its key is.
    pub(crate) fn of(self, field: &'static str) -> Self {
        Self { field, ..self }
    }
}

impl Keys<'_> {
    /// A value of which the given fields are read, in their order; the others are left to it.
    pub(crate) fn read<T: DeserializeOwned>(self, fields: &[Field]) -> Result<T, TomlError> {
        let given = fields.iter().filter_map(|field| {
            Some((field.field, FieldValue { value: self.get(field.key)?, kind: &field.kind }))
        });
        T::deserialize(MapDeserializer::new(given)).map_err(|fault| match fault {
            Fault::Told(fault) => *fault,
            Fault::OfType(found) => {
                self.error(TomlProblem::File { found, expected: "known fields".to_owned() })
            }
        })
    }
}

/// The value of a field.
struct FieldValue<'t, 'f> {
    value: Value<'t>,
    kind: &'f FieldKind,
}

impl<'de> IntoDeserializer<'de, Fault> for FieldValue<'_, '_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for FieldValue<'_, '_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind {
            FieldKind::Number(range, expected) => {
                visitor.visit_f64(self.value.number(*range, expected)?)
            }
            FieldKind::Vector(range, expected) => {
                let numbers = self.value.numbers::<3>(*range, expected)?;
                visitor.visit_seq(SeqDeserializer::new(numbers.into_iter()))
            }
            FieldKind::Plain => visitor.visit_bool(self.value.boolean()?),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let word = self.value.as_text();
        let Some(word) = words.iter().find(|known| Some(**known) == word) else {
            return Err(self.value.wrong(&either(words.iter().copied(), words.len())).into());
        };
        visitor.visit_enum(StrDeserializer::new(word))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A fault in a value, or a field that the type does not have.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    Told(Box<TomlError>),
    #[error("{0}")]
    OfType(String),
}

impl From<TomlError> for Fault {
    fn from(error: TomlError) -> Self {
        Self::Told(Box::new(error))
    }
}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self::OfType(what.to_string())
    }
}
