//! Compares the states of a run with what is expected of them.

use std::collections::BTreeMap;

use super::expect::{Expectation, UnitState};
use super::spec::Scenario;

/// Collects the unmet expectations, in the order of the file.
#[derive(Clone, Debug)]
pub struct Checks<'s> {
    scenario: &'s Scenario,
    /// By index.
    failures: BTreeMap<usize, Failure>,
}

/// An expectation that does not hold.
#[derive(Clone, Debug)]
struct Failure {
    /// The first tick at which it does not hold.
    tick: u32,
    /// What differs then.
    wrong: Vec<String>,
    /// Further ticks at which it does not hold.
    more: u32,
}

impl<'s> Checks<'s> {
    /// Starts with nothing checked.
    #[must_use]
    pub fn new(scenario: &'s Scenario) -> Self {
        Self { scenario, failures: BTreeMap::new() }
    }

    /// Checks the expectations after `tick` ticks, 0 for the start. Must be called with ascending ticks;
    /// `state` returns the state of a unit by its index.
    pub fn after(&mut self, tick: u32, mut state: impl FnMut(usize) -> UnitState) {
        let expects = self.scenario.expects.iter().enumerate();
        for (number, expect) in expects.filter(|(_, expect)| expect.is_due(tick)) {
            let wrong = expect.wrong(&state(expect.unit));
            if !wrong.is_empty() {
                let first = Failure { tick, wrong, more: 0 };
                let failure = self.failures.entry(number);
                failure.and_modify(|failure| failure.more += 1).or_insert(first);
            }
        }
    }

    /// The unmet expectations, in the order of the file.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failures = self.failures.iter();
        failures.flat_map(|(number, failure)| self.sentences(*number, failure)).collect()
    }

    fn sentences(&self, number: usize, failure: &Failure) -> Vec<String> {
        let expect = self.scenario.expects.get(number);
        let unit = expect.and_then(|expect| self.scenario.units.get(expect.unit));
        let name = unit.map_or("", |unit| unit.name.as_str());
        let (tick, last) = (failure.tick, expect.map_or(failure.tick, Expectation::last));
        let more = match failure.more {
            0 => String::new(),
            more => format!(" and at {more} more up to tick {last}"),
        };
        let sentence = |what: &String| format!("unit {name} at tick {tick}{more}: {what}");
        failure.wrong.iter().map(sentence).collect()
    }
}
