//! All contenders in turns, round by round, so that whatever else the machine does hits all of them
//! alike; of the rounds the median counts.
//!
//! What runs on one thread is timed by the processor time of the process, which a busy machine disturbs
//! less; what runs on several by the clock on the wall.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

use crate::Failure;
use crate::contenders::{Contender, DT};
use crate::crowd::{self, LEG_TICKS, SPEED};

/// A contender on its way.
pub(crate) struct Runner<'a> {
    /// Who runs.
    pub(crate) contender: Box<dyn Contender + 'a>,
    /// What the tables call it.
    name: String,
    /// How many units it moves.
    pub(crate) units: usize,
    /// Ticks in each round, at least 2.
    round_ticks: usize,
    tick: usize,
    /// Nanoseconds per unit and tick, by round.
    rounds: Vec<f64>,
    /// Nanoseconds of single units and ticks.
    each: Vec<u32>,
    /// Where units were when the leg began, if it is recorded how far they go.
    leg: Option<Vec<[f64; 3]>>,
    gone: f64,
    asked: f64,
}

impl<'a> Runner<'a> {
    /// A contender that moves `units` and runs `round_ticks` a round.
    pub(crate) fn new(
        contender: Box<dyn Contender + 'a>,
        units: usize,
        round_ticks: usize,
    ) -> Self {
        let (name, rounds, each) = (contender.name().into(), Vec::new(), Vec::new());
        let (gone, asked, leg) = (0.0, 0.0, None);
        Self { contender, name, units, round_ticks, tick: 0, rounds, each, leg, gone, asked }
    }

    /// Has the tables call it something else.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// What the tables call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Records how far units go.
    pub(crate) fn recorded(mut self) -> Self {
        self.leg = Some(self.contender.places());
        self
    }

    /// Runs a round, timed but for its first tick: before it, the caches are the others'.
    fn round(&mut self) -> Result<(), Failure> {
        let first = |contender: &mut dyn Contender, _: &mut Vec<u32>, ticks| contender.run(ticks);
        self.advance(1, first)?;
        let ticks = self.round_ticks - 1;
        let seconds = self.advance(ticks, |contender, _, ticks| contender.run(ticks))?;
        self.rounds.push(seconds * 1e9 / (self.units * ticks) as f64);
        Ok(())
    }

    /// Runs so many ticks and times every unit.
    pub(crate) fn time_each(&mut self, ticks: usize) -> Result<(), Failure> {
        self.advance(ticks, |contender, each, ticks| contender.run_each(ticks, each))?;
        Ok(())
    }

    /// Runs, leg by leg: the seconds that it took without steering.
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
                let wishes: Vec<_> =
                    (0..self.units).map(|unit| crowd::wish(unit, self.tick)).collect();
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

    /// Adds how far everybody came, seen from above, in the last ticks of one leg.
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

    /// Of single units and ticks, what so many of a hundred stay below. Nanoseconds; not a number if
    /// none was timed.
    pub(crate) fn of_single(&self, hundredths: usize) -> f64 {
        let mut each = self.each.clone();
        each.sort_unstable();
        let place = each.len() * hundredths / 100;
        each.get(place).map_or(f64::NAN, |&nanoseconds| f64::from(nanoseconds))
    }

    /// How far units came of what they were asked to, 0 to 1.
    pub(crate) fn share_gone(&self) -> f64 {
        self.gone / self.asked
    }

    /// Ticks so far.
    pub(crate) fn ticks(&self) -> usize {
        self.tick
    }
}

/// A clock that was started.
enum Clock {
    Wall(Instant),
    Processor(f64),
}

impl Clock {
    fn start(threads: usize) -> Self {
        if threads > 1 { Self::Wall(Instant::now()) } else { Self::Processor(processor_seconds()) }
    }

    fn seconds(&self) -> f64 {
        match self {
            Self::Wall(begun) => begun.elapsed().as_secs_f64(),
            Self::Processor(begun) => processor_seconds() - begun,
        }
    }
}

/// What all threads of the process have taken of the processors. Seconds.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A stopwatch for one unit: what this thread takes of the processors, for the other work of a busy
/// machine would be most of what the slowest of a hundred take. It takes a part of a microsecond itself.
pub(crate) struct Stopwatch(i64);

impl Stopwatch {
    /// Starts it.
    pub(crate) fn start() -> Self {
        Self(Self::now())
    }

    /// Nanoseconds since.
    pub(crate) fn nanoseconds(&self) -> u32 {
        u32::try_from(Self::now() - self.0).unwrap_or(u32::MAX)
    }

    fn now() -> i64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Runs all of them so many rounds, in turns.
pub(crate) fn run(runners: &mut [Runner<'_>], rounds: usize) -> Result<(), Failure> {
    for _ in 0..rounds {
        for runner in &mut *runners {
            runner.round()?;
        }
    }
    Ok(())
}
