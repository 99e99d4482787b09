//! All contenders in alternation, round by round, so that other load on the machine affects all of them
//! equally. The median of the rounds is reported.
//!
//! Work on one thread is timed by the processor time of the process, which a busy machine disturbs
//! less. Work on several threads is timed by the wall clock.

use crate::clock::Clock;
use crate::contenders::Contender;
use crate::crowd::{Course, LEG_TICKS, SPEED};
use crate::setup::{DT, Failure};

/// A running contender.
pub(crate) struct Runner<'a> {
    /// The contender.
    pub(crate) contender: Box<dyn Contender + 'a>,
    /// Its name in the tables.
    name: String,
    course: &'a Course,
    /// The number of units.
    pub(crate) units: usize,
    /// Ticks in each round, at least 2.
    round_ticks: usize,
    tick: usize,
    /// Nanoseconds per unit and tick, by round.
    rounds: Vec<f64>,
    /// Nanoseconds of single units and ticks.
    each: Vec<u32>,
    /// Positions of units at the start of the leg, if their distances are recorded.
    leg: Option<Vec<[f64; 3]>>,
    gone: f64,
    asked: f64,
}

impl<'a> Runner<'a> {
    /// A contender that moves `units` and runs `round_ticks` ticks in each round.
    pub(crate) fn new(
        contender: Box<dyn Contender + 'a>,
        units: usize,
        round_ticks: usize,
    ) -> Self {
        let (name, rounds, each) = (contender.name().into(), Vec::new(), Vec::new());
        let (gone, asked, leg, course, tick) = (0.0, 0.0, None, &Course::Squares, 0);
        Self { contender, name, course, units, round_ticks, tick, rounds, each, leg, gone, asked }
    }

    /// Sends it on another course.
    pub(crate) fn on(mut self, course: &'a Course) -> Self {
        self.course = course;
        self
    }

    /// Replaces its name in the tables.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Its name in the tables.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Records how far units go.
    pub(crate) fn recorded(mut self) -> Self {
        self.leg = Some(self.contender.places());
        self
    }

    /// Runs a round, timed except for its first tick: before it, the caches hold the other contenders' data.
    fn round(&mut self) -> Result<(), Failure> {
        let first = |contender: &mut dyn Contender, _: &mut Vec<u32>, ticks| contender.run(ticks);
        self.advance(1, first)?;
        let ticks = self.round_ticks - 1;
        let seconds = self.advance(ticks, |contender, _, ticks| contender.run(ticks))?;
        self.rounds.push(seconds * 1e9 / (self.units * ticks) as f64);
        Ok(())
    }

    /// Runs `ticks` ticks and times every unit.
    pub(crate) fn time_each(&mut self, ticks: usize) -> Result<(), Failure> {
        self.advance(ticks, |contender, each, ticks| contender.run_each(ticks, each))?;
        Ok(())
    }

    /// Runs `ticks` ticks and records the cycles of each unit in the full controller.
    pub(crate) fn count_cycles(&mut self, ticks: usize) -> Result<(), Failure> {
        self.advance(ticks, |contender, each, ticks| contender.run_cycles(ticks, each))?;
        Ok(())
    }

    /// Runs ticks leg by leg; returns the seconds without steering.
    fn advance(
        &mut self,
        ticks: usize,
        run: impl Fn(&mut dyn Contender, &mut Vec<u32>, usize) -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        let end = self.tick + ticks;
        let mut seconds = 0.0;
        while self.tick < end {
            let leg_end = (self.tick / LEG_TICKS + 1) * LEG_TICKS;
            if self.tick.is_multiple_of(LEG_TICKS) {
                let wish = |(unit, place)| self.course.wish(unit, self.tick, place);
                let wishes: Vec<_> =
                    self.contender.places().into_iter().enumerate().map(wish).collect();
                self.contender.steer(&wishes);
            }
            let ticks = usize::min(end, leg_end) - self.tick;
            let begun = Clock::start(self.contender.threads());
            run(&mut *self.contender, &mut self.each, ticks)?;
            seconds += begun.seconds();
            self.tick += ticks;
            self.record(ticks);
        }
        Ok(seconds)
    }

    /// Adds the horizontal distances that all units moved in the last ticks of one leg.
    fn record(&mut self, ticks: usize) {
        let Some(before) = &mut self.leg else { return };
        let now = self.contender.places();
        for (from, to) in before.iter().zip(&now) {
            let (x, z) = (to[0] - from[0], to[2] - from[2]);
            self.gone += (x * x + z * z).sqrt();
        }
        self.asked += f64::from(SPEED * DT) * (ticks * self.units) as f64;
        *before = now;
    }

    /// The median of the rounds: nanoseconds per unit and tick.
    pub(crate) fn nanoseconds(&self) -> f64 {
        let mut rounds = self.rounds.clone();
        rounds.sort_unstable_by(f64::total_cmp);
        rounds.get(rounds.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// A percentile of the times of single units and ticks: `hundredths` of a hundred stay below.
    /// Nanoseconds, or cycles if those were recorded; NaN if none was timed.
    pub(crate) fn of_single(&self, hundredths: usize) -> f64 {
        let mut each = self.each.clone();
        each.sort_unstable();
        let place = each.len() * hundredths / 100;
        each.get(place).map_or(f64::NAN, |&nanoseconds| f64::from(nanoseconds))
    }

    /// The moved distance as a fraction of the requested one, 0 to 1.
    pub(crate) fn share_gone(&self) -> f64 {
        self.gone / self.asked
    }

    /// Ticks run so far.
    pub(crate) fn ticks(&self) -> usize {
        self.tick
    }
}

/// Runs all contenders for `rounds` rounds, in alternation.
pub(crate) fn run(runners: &mut [Runner<'_>], rounds: usize) -> Result<(), Failure> {
    for _ in 0..rounds {
        for runner in &mut *runners {
            runner.round()?;
        }
    }
    Ok(())
}
