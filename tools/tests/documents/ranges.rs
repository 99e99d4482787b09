//! Ranges in tables of keys beside what is accepted: both ends are taken, what is beyond either is not.

use marchland_tools::toml_tree::TomlProblem;

use crate::document::{Document, quoted};
use crate::keys::{Read, Sample};

/// Checks the first range of each row that has one; says how many there are.
pub(crate) fn check(document: Document, samples: &[Sample], read: Read<'_>) -> usize {
    let mut checked = 0;
    for sample in samples {
        for row in document.table(sample.heading) {
            let (key, Some(range)) = (quoted(row[0])[0], range(row[3])) else { continue };
            let Some(shape) = Shape::of(row[1]) else { continue };
            let refused = |number: f64| is_refused(sample, key, &shape.text(number, range), read);
            let ([least, most], [below, above]) = (range, shape.beyond(range));
            let heading = sample.heading;
            assert!(!refused(least), "{heading}: `{key}` may not be {least}");
            assert!(!refused(most), "{heading}: `{key}` may not be {most}");
            assert!(refused(below), "{heading}: `{key}` may be {below}");
            assert!(refused(above), "{heading}: `{key}` may be {above}");
            checked += 1;
        }
    }
    checked
}

/// Whether a value is refused on account of its key. What it may do to other keys is another matter.
fn is_refused(sample: &Sample, key: &str, value: &str, read: Read<'_>) -> bool {
    let line = || Some(format!("{key} = {value}"));
    let problem = match read(&sample.text(line(), &[key])) {
        Err(TomlProblem::Both { key: one, other }) => {
            let instead = if one == key { other } else { one };
            read(&sample.text(line(), &[key, instead])).err()
        }
        read => read.err(),
    };
    let Some(TomlProblem::Value { key: at_fault, .. }) = problem else { return false };
    let last = at_fault.rsplit('.').next().unwrap();
    last.split('[').next() == Some(key)
}

/// What a value looks like, by the column of types.
enum Shape {
    Whole,
    Number,
    Numbers(usize),
    /// Both ends, the first below the second.
    Extent,
}

impl Shape {
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "whole" => Some(Self::Whole),
            "number" => Some(Self::Number),
            "`[x, z]`" | "`[least, greatest]`" => Some(Self::Numbers(2)),
            "`[x, y, z]`" => Some(Self::Numbers(3)),
            "`[from, to]`" => Some(Self::Extent),
            _ => None,
        }
    }

    /// A value with this number, where the other end of an extent is that of the range.
    fn text(&self, number: f64, [least, most]: [f64; 2]) -> String {
        match self {
            Self::Extent if number * 2.0 < least + most => format!("[{number}, {most}]"),
            Self::Extent => format!("[{least}, {number}]"),
            Self::Whole | Self::Number => number.to_string(),
            Self::Numbers(count) => format!("[{}]", vec![number.to_string(); *count].join(", ")),
        }
    }

    /// What lies just below and just above a range.
    fn beyond(&self, [least, most]: [f64; 2]) -> [f64; 2] {
        let step = if let Self::Number = self { (most - least) / 1024.0 } else { 1.0 };
        [least - step, most + step]
    }
}

/// The first `a to b` with two numbers.
fn range(meaning: &str) -> Option<[f64; 2]> {
    let words: Vec<&str> = meaning.split_whitespace().collect();
    words.windows(3).find_map(|window| match window {
        [least, "to", most] => Some([number(least)?, number(most)?]),
        _ => None,
    })
}

/// A number, or one over another.
fn number(word: &str) -> Option<f64> {
    let word = word.trim_end_matches(['.', ',', ':', ';']).replace('−', "-");
    match word.split_once('/') {
        Some((above, below)) => Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?),
        None => word.parse().ok(),
    }
}

#[test]
fn ranges_are_found_among_words() {
    assert_eq!(range("Metres, −5.5 to 6, or so"), Some([-5.5, 6.0]));
    assert_eq!(range("0 to `height`. Up to 8; 1/4 to 1."), Some([0.25, 1.0]));
    assert_eq!(range("1 to many of them"), None);
}
