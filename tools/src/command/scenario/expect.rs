//! What is expected of a unit, and the sentences that describe how a state differs from it.

/// The state of a unit after some ticks. Positions are metres of the file; see
/// [`Scenario::position_of`](super::Scenario::position_of).
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

/// The mode of a unit, as reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Supported.
    Walking,
    /// Not supported.
    Falling,
    /// On steep ground.
    Sliding,
    /// On a ledge or a ladder.
    Climbing,
    /// It waits for ground that is not resident.
    Held,
    /// Too much is around it.
    Overloaded,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 6] =
        [Self::Walking, Self::Falling, Self::Sliding, Self::Climbing, Self::Held, Self::Overloaded];

    /// Its name in files, in JSON and in a trace.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Walking => "walking",
            Self::Falling => "falling",
            Self::Sliding => "sliding",
            Self::Climbing => "climbing",
            Self::Held => "held",
            Self::Overloaded => "overloaded",
        }
    }
}

/// The expected state of a unit after some ticks. Positions are metres of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Index of the unit.
    pub unit: usize,
    /// The number of ticks done; of several, the first.
    pub tick: u32,
    /// The further ticks, if there are several.
    pub every: Option<LaterTicks>,
    /// The line of the tick, or that of the whole entry if it has none.
    pub tick_line: u32,
    /// X, Y, Z; `None` if any value is accepted.
    pub position: [Option<f64>; 3],
    /// Greatest error along each axis. Metres, above 0. Default 0.01.
    pub tolerance: f64,
    /// Its mode.
    pub mode: Option<Mode>,
    /// Least X, Y, Z.
    pub min: [Option<f64>; 3],
    /// Greatest X, Y, Z.
    pub max: [Option<f64>; 3],
    /// Speed in all three dimensions. Metres per second.
    pub speed: Option<f64>,
    /// Greatest error of the speed. Metres per second, above 0. Default 0.05.
    pub speed_tolerance: f64,
    /// Its line.
    pub line: u32,
}

/// The ticks of an expectation after its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterTicks {
    /// The last one.
    pub last: u32,
    /// Ticks from one to the next, above 0 and a divisor of the whole stretch. Every tick of the run unless
    /// given, whatever its rate.
    pub step: Option<u32>,
}

impl Expectation {
    /// The last tick at which it is checked.
    #[must_use]
    pub fn last(&self) -> u32 {
        self.every.map_or(self.tick, |every| every.last)
    }

    /// Whether it is checked after so many ticks.
    #[must_use]
    pub fn is_due(&self, tick: u32) -> bool {
        let step = self.every.and_then(|every| every.step).unwrap_or(1);
        (self.tick..=self.last()).contains(&tick) && (tick - self.tick).is_multiple_of(step)
    }

    /// Each difference between a state and what is expected. NaN never meets an expectation.
    #[must_use]
    pub fn wrong(&self, state: &UnitState) -> Vec<String> {
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
        wrong
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
    let mut last_digit = 1.0;
    while digits < 12 && last_digit > tolerance * 0.01 {
        digits += 1;
        last_digit *= 0.1;
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
