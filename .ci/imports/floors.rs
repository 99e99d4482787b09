//! The floors of a crate: its first-level modules as ARCHITECTURE.md lists them.

use std::collections::{BTreeMap, BTreeSet};

use crate::names::Crate;

/// One list: the first text block after the line "Within `CRATE/`:".
pub struct Floors {
    /// The floor of each module; 0 is the highest.
    floor: BTreeMap<String, usize>,
    /// "low -> high": may be imported although it stands above.
    excepted: BTreeSet<String>,
}

impl Floors {
    pub fn new(architecture: &str, folder: &str) -> Option<Self> {
        let head = format!("Within `{folder}/`:");
        let mut lines = architecture.lines().skip_while(|line| *line != head);
        lines.find(|line| line.starts_with("```"))?;
        let mut floors = Self { floor: BTreeMap::new(), excepted: BTreeSet::new() };
        for (number, line) in lines.take_while(|line| !line.starts_with("```")).enumerate() {
            if line.is_empty() || line.starts_with(' ') {
                continue; // modules within the one above
            }
            let words = line.split("  ").next().unwrap_or(line);
            if words.contains(" -> ") {
                floors.excepted.insert(words.to_owned());
                continue;
            }
            let words = words.split([' ', ',']).filter(|word| !word.is_empty());
            floors.floor.extend(words.map(|word| (word.to_owned(), number)));
        }
        Some(floors)
    }

    /// What points up, what the list lacks, and exceptions that are not needed, for the modules within `above`.
    pub fn problems(&self, house: &Crate, above: &[&str]) -> Vec<String> {
        let mut problems = BTreeSet::new();
        let mut used = BTreeSet::new();
        for (file, line, here, name) in house.first_names(above) {
            let Some(own) = self.floor.get(here) else {
                problems.insert(format!(
                    "{file}: module {here} is missing from the list in ARCHITECTURE.md"
                ));
                continue;
            };
            let Some(other) = self.floor.get(name) else {
                problems.insert(format!(
                    "{file}:{line}: crate::{name} is no module of the list: name the module that owns it"
                ));
                continue;
            };
            let arrow = format!("{here} -> {name}");
            if other < own && self.excepted.contains(&arrow) {
                used.insert(arrow);
            } else if other < own {
                problems.insert(format!(
                    "{file}:{line}: crate::{name} points up: {here} stands below it in ARCHITECTURE.md"
                ));
            }
        }
        let unused = self.excepted.difference(&used);
        problems.extend(
            unused.map(|arrow| format!("ARCHITECTURE.md: exception {arrow} is not needed")),
        );
        problems.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "Within `x/`:\n\n```text\ntop          why\n  inner\nleft right   why\n\
        base -> top  why\nbase\n```\nother\n";

    fn problems(code: &[(&str, &str)]) -> Vec<String> {
        let house = Crate::new("lib.rs", &|path| {
            if path == "lib.rs" {
                return Some("mod top; mod left; mod right; mod base;".to_owned());
            }
            let name = path.strip_suffix(".rs")?;
            let found = code.iter().find(|(file, _)| *file == name);
            Some(found.map_or(String::new(), |(_, text)| (*text).to_owned()))
        });
        Floors::new(LIST, "x").map_or(Vec::new(), |floors| floors.problems(&house, &[]))
    }

    #[test]
    fn what_points_down_or_stays_on_its_floor_is_right() {
        let base = ("base", "use crate::top::T;");
        assert_eq!(
            problems(&[
                base,
                ("top", "use crate::{left, base::B};"),
                ("left", "use super::right;")
            ]),
            [""; 0]
        );
    }

    #[test]
    fn what_points_up_or_stands_on_no_floor_is_reported() {
        let found = problems(&[("left", "fn f() { crate::top::T }\nuse crate::Other;")]);
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md: exception base -> top is not needed",
                "left.rs:1: crate::top points up: left stands below it in ARCHITECTURE.md",
                "left.rs:2: crate::Other is no module of the list: name the module that owns it",
            ]
        );
    }
}
