//! What went wrong, counted and reported.

use std::collections::BTreeMap;

/// How many of each sort are reported.
const REPORTED: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A number is none.
    NotFinite,
    /// Beyond the world's edge.
    Outside,
    /// Held, though every sector is in memory.
    Held,
    /// Its work was beyond the budget, though no body is larger than it is for.
    Overloaded,
    /// Told to be stuck, though it was in nothing before and nothing moves beside it.
    Stuck,
    /// The upper cylinder of who was free overlaps something. Metres.
    Inside,
    /// The feet are below the ground, and no event says that it is crushed or stuck. Metres.
    BelowGround,
    /// Farther away than its speed explains. Metres.
    Flung,
    /// Not free for long, and no event says so. Metres.
    Untold,
}

pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// How the unit moves, and what it met.
    pub(crate) class: String,
    pub(crate) amount: f64,
    /// In a line, and as a scenario file.
    pub(crate) what: [String; 2],
}

/// Faults of one sort.
#[derive(Default)]
struct Sort {
    count: usize,
    greatest: f64,
    /// The first few, and the scenario file of the first.
    reported: Vec<String>,
    file: String,
}

/// Faults by kind and class.
#[derive(Default)]
pub(crate) struct Faults(BTreeMap<(Kind, String), Sort>);

impl Faults {
    pub(crate) fn put(&mut self, fault: Fault) {
        let [line, file] = fault.what;
        let sort = Sort { count: 1, greatest: fault.amount, reported: vec![line], file };
        self.join(Self(BTreeMap::from([((fault.kind, fault.class), sort)])));
    }

    pub(crate) fn join(&mut self, others: Self) {
        for (key, sort) in others.0 {
            let known = self.0.entry(key).or_default();
            if known.count == 0 {
                known.file = sort.file;
            }
            known.count += sort.count;
            if sort.greatest > known.greatest {
                known.greatest = sort.greatest;
            }
            known.reported.extend(sort.reported);
            known.reported.truncate(REPORTED);
        }
    }

    /// How many there are of one kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        let of_kind = self.0.iter().filter(|((known, _), _)| *known == kind);
        of_kind.map(|(_, sort)| sort.count).sum()
    }

    /// Reports all and fails, unless there are none.
    pub(crate) fn report(&self, ticks: u64) {
        let mut text = String::new();
        for Sort { file, .. } in self.0.values() {
            text += &format!("\n{file}");
        }
        // The lines last, where they are seen.
        for ((kind, class), Sort { count, greatest, reported, .. }) in &self.0 {
            text += &format!("\n{kind:?}, {class}: {count} in {ticks}, at most {greatest:.6}");
            for line in reported {
                text += &format!("\n  {line}");
            }
        }
        assert!(self.0.is_empty(), "{text}");
    }
}
