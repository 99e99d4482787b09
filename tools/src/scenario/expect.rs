//! Compares results with expectations, and describes differences in sentences.

use super::spec::{Expect, Mode, Scenario};

/// The state of a unit after some ticks. Positions are metres of the file; see
/// [`Scenario::position_of`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitState {
    /// The feet: X, Y, Z.
    pub position: [f64; 3],
    /// Metres per second.
    pub velocity: [f32; 3],
    /// Its mode.
    pub mode: Mode,
}

impl UnitState {
    /// Speed in all three dimensions. Metres per second.
    #[must_use]
    pub fn speed(&self) -> f64 {
        let [x, y, z] = self.velocity.map(f64::from);
        (x * x + y * y + z * z).sqrt()
    }
}

/// Collects the unmet expectations, in the order of the file.
#[derive(Clone, Debug)]
pub struct Checks<'s> {
    scenario: &'s Scenario,
    /// Indices of expectations in order of their ticks, those not checked yet last.
    by_tick: Vec<usize>,
    done: usize,
    failures: Vec<(usize, String)>,
}

impl<'s> Checks<'s> {
    /// Starts with nothing checked.
    #[must_use]
    pub fn new(scenario: &'s Scenario) -> Self {
        let expects = &scenario.expects;
        let mut by_tick: Vec<usize> = (0..expects.len()).collect();
        by_tick.sort_by_key(|&number| expects.get(number).map(|expect| expect.tick));
        Self { scenario, by_tick, done: 0, failures: Vec::new() }
    }

    /// Checks the expectations after `tick` ticks, 0 for the start. Must be called with ascending ticks;
    /// `state` returns the state of a unit by its index.
    pub fn after(&mut self, tick: u32, mut state: impl FnMut(usize) -> UnitState) {
        while let Some(&number) = self.by_tick.get(self.done) {
            let Some(expect) = self.scenario.expects.get(number) else { break };
            if expect.tick > tick {
                break;
            }
            if expect.tick == tick {
                let unit = self.scenario.units.get(expect.unit);
                let name = unit.map_or("", |unit| unit.name.as_str());
                let failures = expect.check(name, &state(expect.unit));
                self.failures.extend(failures.into_iter().map(|failure| (number, failure)));
            }
            self.done += 1;
        }
    }

    /// The unmet expectations, in the order of the file.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.failures.clone();
        failures.sort_by_key(|(number, _)| *number);
        failures.into_iter().map(|(_, failure)| failure).collect()
    }
}

impl Expect {
    /// A sentence for each difference. NaN never meets an expectation.
    #[must_use]
    pub fn check(&self, unit: &str, state: &UnitState) -> Vec<String> {
        let mut wrong = Vec::new();
        let axes = ["x", "y", "z"].into_iter().zip(state.position);
        for (((axis, found), expected), (min, max)) in
            axes.zip(self.position).zip(self.min.into_iter().zip(self.max))
        {
            wrong.extend(near(axis, found, expected, self.tolerance));
            // NaN is beyond every bound.
            if let Some(min) = min.filter(|min| found.is_nan() || found < *min) {
                wrong.push(beyond(axis, found, min, "at least", |shown| shown >= min));
            }
            if let Some(max) = max.filter(|max| found.is_nan() || found > *max) {
                wrong.push(beyond(axis, found, max, "at most", |shown| shown <= max));
            }
        }
        if let Some(mode) = self.mode.filter(|mode| *mode != state.mode) {
            wrong.push(format!("mode is {}, expected {}", state.mode.word(), mode.word()));
        }
        wrong.extend(near("speed", state.speed(), self.speed, self.speed_tolerance));
        let tick = self.tick;
        wrong.into_iter().map(|what| format!("unit {unit} at tick {tick}: {what}")).collect()
    }
}

/// The message for a value that is not within a tolerance.
fn near(what: &str, found: f64, expected: Option<f64>, tolerance: f64) -> Option<String> {
    let expected = expected?;
    let fits = |value: f64| (value - expected).abs() <= tolerance;
    if fits(found) {
        return None;
    }
    let shown = short(found, tolerance, fits);
    Some(format!("{what} is {shown}, expected {expected} ± {tolerance}"))
}

/// The message for a value that is beyond a bound.
fn beyond(what: &str, found: f64, bound: f64, side: &str, fits: impl Fn(f64) -> bool) -> String {
    format!("{what} is {}, expected {side} {bound}", short(found, DIGITS_FOR, fits))
}

/// Bounds have no tolerance: shown with the digits of a tolerance of one centimetre.
const DIGITS_FOR: f64 = 0.01;

/// A wrong value, with as few digits as show the difference: a hundredth of the tolerance, or more digits if
/// the shorter number would meet the expectation.
fn short(value: f64, tolerance: f64, fits: impl Fn(f64) -> bool) -> String {
    let mut digits = 0;
    let mut step = 1.0;
    while digits < 12 && step > tolerance * 0.01 {
        digits += 1;
        step *= 0.1;
    }
    for digits in digits..=12 {
        let text = format!("{value:.digits$}");
        let trimmed = match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.'),
            false => &text,
        };
        if !trimmed.parse().is_ok_and(&fits) {
            return if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() };
        }
    }
    value.to_string()
}
