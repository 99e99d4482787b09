//! Tables of keys beside what is accepted: the keys, which of them are needed, and what the others are
//! where nothing is said.
//!
//! What is accepted is asked for as a user would: a key that means nothing is refused with those that
//! mean something, and one that is missing by its name.

use std::collections::BTreeSet;

use marchland_tools::toml_tree::TomlProblem;
use toml::de::DeTable;

use crate::document::{Document, quoted};

/// A table that is read, with the keys that it cannot do without.
pub(crate) struct Sample {
    /// Above its table in the document.
    pub(crate) heading: &'static str,
    /// Lines before it, and what begins it.
    pub(crate) begin: &'static str,
    /// Keys that are needed, with values that do.
    pub(crate) needed: &'static [(&'static str, &'static str)],
    /// Keys of which one of several is needed.
    pub(crate) chosen: &'static [(&'static str, &'static str)],
    /// What ends it, where it stands between braces.
    pub(crate) end: &'static str,
}

impl Sample {
    /// The file, with one line more and without some of the keys.
    pub(crate) fn text(&self, more: Option<String>, without: &[&str]) -> String {
        let keys = self.needed.iter().chain(self.chosen);
        let lines = keys.filter(|(key, _)| !without.contains(key));
        let lines = lines.map(|(key, value)| format!("{key} = {value}")).chain(more);
        let between = if self.end.is_empty() { "\n" } else { ", " };
        let lines: Vec<String> = lines.collect();
        format!("{}{}{}\n", self.begin, lines.join(between), self.end)
    }
}

/// What reading a file comes to: all that it means as a text, or what is wrong with it.
pub(crate) type Read<'a> = &'a dyn Fn(&str) -> Result<String, TomlProblem>;

/// Compares every table of keys of a document with what is accepted.
pub(crate) fn check(document: Document, samples: &[Sample], read: Read<'_>) {
    let headings: Vec<_> = samples.iter().map(|sample| sample.heading).collect();
    assert_eq!(document.headings_of_keys(), headings, "tables of keys");
    for sample in samples {
        check_names(document, sample, read);
        check_needed(document, sample, read);
        check_defaults(document, sample, read);
        check_parts(document, sample, &headings);
    }
}

/// Every key that is accepted has a row, and every row is a key that is accepted.
fn check_names(document: Document, sample: &Sample, read: Read<'_>) {
    let heading = sample.heading;
    let problem = read(&sample.text(Some("nonsense = 1".to_owned()), &[])).unwrap_err();
    let TomlProblem::UnknownKey { known, key, .. } = problem else {
        panic!("{heading}: {problem}");
    };
    assert_eq!(key, "nonsense", "{heading}");
    let accepted: BTreeSet<&str> = known.split(", ").collect();
    let rows = document.names(heading);
    let named: BTreeSet<&str> = rows.iter().copied().collect();
    let missing: Vec<_> = accepted.difference(&named).collect();
    assert!(missing.is_empty(), "{heading} does not name {missing:?}");
    let strange: Vec<_> = named.difference(&accepted).collect();
    assert!(strange.is_empty(), "{heading} names {strange:?}, which no file may have");
    assert_eq!(rows.len(), named.len(), "{heading} names a key twice");
}

/// What is told to be needed is missed, and nothing else.
fn check_needed(document: Document, sample: &Sample, read: Read<'_>) {
    let heading = sample.heading;
    let is_needed = |row: &Vec<&'static str>| row[2] == "**needed**";
    let told = document.table(heading).into_iter().filter(is_needed);
    let told: BTreeSet<&str> = told.flat_map(|row| quoted(row[0])).collect();
    assert_eq!(told, sample.needed.iter().map(|(key, _)| *key).collect(), "{heading}: needed");
    let whole = sample.text(None, &[]);
    assert!(read(&whole).is_ok(), "{heading}: {}\n{whole}", read(&whole).unwrap_err());
    for key in told {
        match read(&sample.text(None, &[key])) {
            Err(TomlProblem::MissingKey { key: missing, .. }) => assert_eq!(missing, key),
            other => panic!("{heading} without {key}: {other:?}"),
        }
    }
}

/// A default that is written out changes nothing.
fn check_defaults(document: Document, sample: &Sample, read: Read<'_>) {
    let heading = sample.heading;
    let unsaid = read(&sample.text(None, &[])).unwrap();
    for row in document.table(heading) {
        let (key, default) = (quoted(row[0])[0], row[2].trim_matches('`'));
        let line = format!("{key} = {default}");
        let is_there = sample.chosen.iter().any(|(chosen, _)| *chosen == key);
        if is_there || DeTable::parse(&line).is_err() {
            continue; // said in words
        }
        let said = read(&sample.text(Some(line), &[]));
        let said = said.unwrap_or_else(|problem| panic!("{heading}: {problem}"));
        assert_eq!(said, unsaid, "{heading}: `{key}` is not {default} where nothing is said");
    }
}

/// A key that holds tables has a heading for them.
fn check_parts(document: Document, sample: &Sample, headings: &[&str]) {
    for row in document.table(sample.heading) {
        let key = quoted(row[0])[0];
        let forms = ["`K`", "`[K]`", "`[K.NAME]`", "`[[K]]`"];
        let is_there =
            |form: &str| headings.iter().any(|heading| heading.ends_with(&form.replace('K', key)));
        let has_part = forms.into_iter().any(is_there);
        assert_eq!(has_part, row[1].starts_with("table"), "{}: {key}", sample.heading);
    }
}
