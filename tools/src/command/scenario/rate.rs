//! The same duration at a different tick rate.

use super::error::{ScenarioError, ScenarioProblem};
use super::spec::Scenario;

/// Fewest ticks per second: a tick is at most a quarter of a second.
pub const RATE_MIN: f64 = 4.0;
/// Most ticks per second.
pub const RATE_MAX: f64 = 100_000.0;
/// Both limits.
pub(super) const RATES: [f64; 2] = [RATE_MIN, RATE_MAX];
/// The same range for messages.
pub(super) const RATES_TEXT: &str = "4 to 100000 Hz";

impl Scenario {
    /// The same duration at `rate` ticks per second: every tick in it is scaled.
    ///
    /// # Errors
    /// If a scaled tick is not whole (the error names the first in the file), or the rate is out of
    /// range.
    pub fn at_rate(&self, rate: f64) -> Result<Self, ScenarioError> {
        if !(RATE_MIN..=RATE_MAX).contains(&rate) {
            let problem = ScenarioProblem::NoRate { found: rate, expected: RATES_TEXT };
            return Err(ScenarioError { path: self.path.clone(), line: None, problem });
        }
        let mut scaled = self.clone();
        scaled.tick_rate = rate;
        let mut faults = Vec::new();
        for tick in scaled.ticks_of() {
            match whole(*tick.tick, self.tick_rate, rate) {
                Ok(whole) => *tick.tick = whole,
                Err(off) => faults.push((tick.line, tick.key, *tick.tick, off)),
            }
        }
        match faults.into_iter().min_by_key(|(line, ..)| *line) {
            None => Ok(scaled),
            Some((line, key, found, off)) => {
                let (from, to) = (self.tick_rate, rate);
                let problem = ScenarioProblem::Rate { key, found, from, scaled: off, to };
                Err(ScenarioError::at(&self.path, line, problem))
            }
        }
    }

    /// Every tick that the file names.
    fn ticks_of(&mut self) -> Vec<NamedTick<'_>> {
        let named = |key: String, line: u32, tick| NamedTick { key, line, tick };
        let mut all = vec![named("ticks".to_owned(), self.ticks_line, &mut self.ticks)];
        for prop in &mut self.props {
            for (index, entry) in prop.motion.iter_mut().enumerate() {
                all.push(named(format!("motion[{index}].tick"), entry.line, &mut entry.tick));
            }
        }
        for unit in &mut self.units {
            for (index, entry) in unit.controls.iter_mut().enumerate() {
                let key = format!("controls[{index}].tick` of unit `{}", unit.name);
                all.push(named(key, entry.line, &mut entry.tick));
            }
        }
        for gone in &mut self.not_resident {
            all.push(named("from".to_owned(), gone.lines[0], &mut gone.from));
            all.push(named("to".to_owned(), gone.lines[1], &mut gone.to));
        }
        for expect in &mut self.expects {
            let line = expect.tick_line;
            let Some(every) = &mut expect.every else {
                all.push(named("tick".to_owned(), line, &mut expect.tick));
                continue;
            };
            let ticks = [&mut expect.tick, &mut every.last].into_iter().chain(&mut every.step);
            let ticks = ticks.enumerate();
            all.extend(ticks.map(|(index, tick)| named(format!("every[{index}]"), line, tick)));
        }
        all
    }
}

/// A tick of the file, to be scaled.
struct NamedTick<'s> {
    key: String,
    line: u32,
    tick: &'s mut u32,
}

/// A tick at a different rate; as error, the scaled value that is not a whole tick.
fn whole(tick: u32, from: f64, to: f64) -> Result<u32, f64> {
    // For whole rates the product is exact, and a whole quotient is then exact too.
    let scaled = f64::from(tick) * to / from;
    if scaled.fract() == 0.0 && scaled <= f64::from(u32::MAX) {
        Ok(scaled as u32)
    } else {
        Err(scaled)
    }
}
