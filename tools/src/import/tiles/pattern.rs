//! A pattern of file names, with `{x}` and `{y}` or with `{i}`, as given by `--tiles`.

use std::path::Path;

use crate::import::error::ImportError;

/// A file name with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    parts: Vec<Part>,
    pub(crate) tile_columns: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    X,
    Y,
    Index,
}

const PATTERN_EXPECTED: &str =
    "a file name with one {x} and one {y} separated by text, or with one {i}";

impl Pattern {
    pub(crate) fn parse(
        folder: &Path,
        text: &str,
        tile_columns: Option<u32>,
    ) -> Result<Self, ImportError> {
        let fault = || ImportError::setting(folder, format!("`--tiles {text}`"), PATTERN_EXPECTED);
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (part, len) = match rest {
                _ if rest.starts_with("{x}") => (Part::X, 3),
                _ if rest.starts_with("{y}") => (Part::Y, 3),
                _ if rest.starts_with("{i}") => (Part::Index, 3),
                _ => {
                    let len = rest[1..].find('{').map_or(rest.len(), |at| at + 1);
                    (Part::Text(rest[..len].to_owned()), len)
                }
            };
            let follows_number = parts.last().is_some_and(|last| !matches!(last, Part::Text(_)));
            if follows_number && !matches!(part, Part::Text(_)) {
                return Err(fault());
            }
            parts.push(part);
            rest = rest.get(len..).unwrap_or_default();
        }
        let count = |wanted: Part| parts.iter().filter(|part| **part == wanted).count();
        match (count(Part::X), count(Part::Y), count(Part::Index)) {
            (1, 1, 0) => {}
            (0, 0, 1) if tile_columns.is_some() => {}
            (0, 0, 1) => {
                let expected = "`--tile-columns N` as well: the index is y × N + x";
                return Err(ImportError::setting(folder, format!("`--tiles {text}`"), expected));
            }
            _ => return Err(fault()),
        }
        Ok(Self { parts, tile_columns })
    }

    pub(crate) fn has(&self, part: &Part) -> bool {
        self.parts.contains(part)
    }

    /// The place encoded in a name, if the whole name matches the pattern.
    pub(crate) fn place(&self, name: &str) -> Option<(i64, i64)> {
        let (mut x, mut y) = (0, 0);
        let mut rest = name;
        for part in &self.parts {
            if let Part::Text(text) = part {
                rest = rest.strip_prefix(text.as_str())?;
                continue;
            }
            let unsigned = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            let after = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
            let value = number(&unsigned[..unsigned.len() - after.len()])?;
            let value = if rest.starts_with('-') { -value } else { value };
            match (part, self.tile_columns) {
                (Part::X, _) => x = value,
                (Part::Y, _) => y = value,
                (_, Some(columns)) if value >= 0 => {
                    (x, y) = (value % i64::from(columns), value / i64::from(columns));
                }
                _ => return None,
            }
            rest = after;
        }
        rest.is_empty().then_some((x, y))
    }

    pub(crate) fn name_of(&self, x: i64, y: i64) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::X => x.to_string(),
            Part::Y => y.to_string(),
            Part::Index => (y * i64::from(self.tile_columns.unwrap_or(1)) + x).to_string(),
        };
        self.parts.iter().map(text).collect()
    }
}

/// A number of at most nine digits, so that no sum of two such numbers overflows.
pub(crate) fn number(digits: &str) -> Option<i64> {
    if digits.len() > 9 {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_follows_a_name_from_end_to_end() {
        let here = Path::new("folder");
        let pattern = Pattern::parse(here, "h_{x}-{y}.png", None).unwrap();
        assert_eq!(pattern.place("h_3-12.png"), Some((3, 12)));
        assert_eq!(pattern.place("h_3--12.png"), Some((3, -12)));
        assert_eq!(pattern.place("h_3-12.png.bak"), None);
        assert_eq!(pattern.place("old_h_3-12.png"), None);
        assert_eq!(pattern.name_of(3, -12), "h_3--12.png");
        let index = Pattern::parse(here, "{i}.png", Some(8)).unwrap();
        assert_eq!(index.place("19.png"), Some((3, 2)));
        assert_eq!(index.place("-1.png"), None);
        assert_eq!(index.name_of(3, 2), "19.png");
    }

    #[test]
    fn a_pattern_that_says_no_place_is_refused() {
        for (text, columns) in [
            ("height.png", None),
            ("{x}.png", None),
            ("{x}{y}.png", None),
            ("{x}_{y}_{x}.png", None),
            ("{i}.png", None),
            ("{x}_{y}_{i}.png", Some(4)),
            ("", None),
            ("{é}", None),
        ] {
            assert!(Pattern::parse(Path::new("folder"), text, columns).is_err(), "{text}");
        }
    }
}
