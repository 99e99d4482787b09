//! Compares the states of a run with what is expected of them.

use super::expect::{Expect, UnitState};
use super::spec::Scenario;

/// Collects the unmet expectations, in the order of the file.
#[derive(Clone, Debug)]
pub struct Checks<'s> {
    scenario: &'s Scenario,
    /// Indices of expectations in order of their first ticks, those not begun yet last.
    by_tick: Vec<usize>,
    begun: usize,
    /// Indices of those that have begun and not ended.
    current: Vec<usize>,
    failures: Vec<Failure>,
}

/// An expectation that does not hold.
#[derive(Clone, Debug)]
struct Failure {
    /// Its index.
    number: usize,
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
        let expects = &scenario.expects;
        let mut by_tick: Vec<usize> = (0..expects.len()).collect();
        by_tick.sort_by_key(|&number| expects.get(number).map(|expect| expect.tick));
        Self { scenario, by_tick, begun: 0, current: Vec::new(), failures: Vec::new() }
    }

    /// Checks the expectations after `tick` ticks, 0 for the start. Must be called with ascending ticks;
    /// `state` returns the state of a unit by its index.
    pub fn after(&mut self, tick: u32, mut state: impl FnMut(usize) -> UnitState) {
        let expects = &self.scenario.expects;
        while let Some(&number) = self.by_tick.get(self.begun)
            && expects.get(number).is_some_and(|expect| expect.tick <= tick)
        {
            self.current.push(number);
            self.begun += 1;
        }
        self.current.retain(|&number| {
            let Some(expect) = expects.get(number) else { return false };
            if expect.is_due(tick) {
                note(&mut self.failures, number, tick, expect.wrong(&state(expect.unit)));
            }
            expect.last() > tick
        });
    }

    /// The unmet expectations, in the order of the file.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures: Vec<&Failure> = self.failures.iter().collect();
        failures.sort_by_key(|failure| failure.number);
        failures.into_iter().flat_map(|failure| self.sentences(failure)).collect()
    }

    fn sentences(&self, failure: &Failure) -> Vec<String> {
        let expect = self.scenario.expects.get(failure.number);
        let unit = expect.and_then(|expect| self.scenario.units.get(expect.unit));
        let name = unit.map_or("", |unit| unit.name.as_str());
        let (tick, last) = (failure.tick, expect.map_or(failure.tick, Expect::last));
        let more = match failure.more {
            0 => String::new(),
            more => format!(" and at {more} more up to tick {last}"),
        };
        let sentence = |what: &String| format!("unit {name} at tick {tick}{more}: {what}");
        failure.wrong.iter().map(sentence).collect()
    }
}

/// Adds what is wrong at a tick to the failures.
fn note(failures: &mut Vec<Failure>, number: usize, tick: u32, wrong: Vec<String>) {
    if wrong.is_empty() {
        return;
    }
    match failures.iter_mut().find(|failure| failure.number == number) {
        Some(failure) => failure.more += 1,
        None => failures.push(Failure { number, tick, wrong, more: 0 }),
    }
}
