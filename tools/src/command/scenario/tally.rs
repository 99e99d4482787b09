//! Statistics of a unit over a whole run.

use marchland_terrain::math::{greater, lesser};
use serde::Serialize;

use super::expect::{Mode, UnitState};

/// Extremes and counts of a unit, from its start on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// Least height of the feet, the start included. Metres.
    pub lowest: f64,
    /// Greatest height of the feet, the start included. Metres.
    pub highest: f64,
    /// Greatest depth of the upper cylinder in anything at the end of a tick. Metres.
    pub deepest_penetration: f64,
    /// Ticks that ended in falling.
    pub falling_ticks: u32,
    /// Ticks that ended in a different mode from the one they began in.
    pub mode_changes: u32,
    #[serde(skip)]
    mode: Mode,
}

impl Tally {
    /// The tally at the start.
    #[must_use]
    pub fn new(start: &UnitState) -> Self {
        let height = start.position[1];
        Self {
            lowest: height,
            highest: height,
            deepest_penetration: 0.0,
            falling_ticks: 0,
            mode_changes: 0,
            mode: start.mode,
        }
    }

    /// Adds a tick. `penetration` is the depth measured at its end, in metres.
    pub fn after(&mut self, state: &UnitState, penetration: f64) {
        let height = state.position[1];
        self.lowest = lesser(height, self.lowest);
        self.highest = greater(height, self.highest);
        self.deepest_penetration = greater(penetration, self.deepest_penetration);
        self.falling_ticks += u32::from(state.mode == Mode::Falling);
        self.mode_changes += u32::from(state.mode != self.mode);
        self.mode = state.mode;
    }
}
