//! What went wrong, counted and told.

use std::collections::BTreeMap;

/// How many of each kind are told.
const TOLD: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A number is none.
    NotFinite,
    /// Beyond the world's edge.
    Outside,
    /// Held, though every sector is in memory.
    Held,
    /// The upper cylinder of who was free overlaps something. Metres.
    Inside,
    /// The feet are below the ground. Metres.
    BelowGround,
    /// Farther away than its speed explains. Metres.
    Flung,
    /// Not free for long, and no event says so. Metres.
    Untold,
}

pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) amount: f64,
    pub(crate) what: String,
}

/// Faults by kind: how many, the greatest, and the first few.
#[derive(Default)]
pub(crate) struct Faults(BTreeMap<Kind, (usize, f64, Vec<String>)>);

impl Faults {
    pub(crate) fn is_new(&self, kind: Kind) -> bool {
        !self.0.contains_key(&kind)
    }

    pub(crate) fn put(&mut self, fault: Fault) {
        self.join(Self(BTreeMap::from([(fault.kind, (1, fault.amount, vec![fault.what]))])));
    }

    pub(crate) fn join(&mut self, others: Self) {
        for (kind, (count, amount, told)) in others.0 {
            let known = self.0.entry(kind).or_default();
            known.0 += count;
            known.1 = if amount > known.1 { amount } else { known.1 };
            known.2.extend(told);
            known.2.truncate(TOLD);
        }
    }

    /// Tells all and fails, unless there are none.
    pub(crate) fn tell(&self, ticks: u64) {
        let mut text = String::new();
        for (kind, (count, most, told)) in &self.0 {
            text +=
                &format!("\n{kind:?}: {count} times in {ticks} ticks of units, at most {most:.6}");
            for what in told.iter().rev() {
                text += &format!("\n  {what}");
            }
        }
        assert!(self.0.is_empty(), "{text}");
    }
}
