//! The demo's walkers: units that walk through the town's streets, around its houses, up the tower's stairs
//! and down by the lift, over the bridge and back by the ferry.
//!
//! | file | contents |
//! |---|---|
//! | `rounds` | their routes: rounds from point to point |
//! | `places` | where tower, lift and bridge are |
//! | `platforms` | the lift and the ferry, and their timetables |
//! | `feats` | what a walker did, derived from its positions |
//!
//! Nothing searches for a way: a walker goes straight from one point of its round to the next, in its own
//! lane and at its own pace, and waits where a platform is due. Plain f32 arithmetic in a fixed order,
//! as in [`march`](crate::march). Places are metres from the north-west corner.

mod feats;
mod places;
mod platforms;
mod rounds;

pub use self::feats::{Feats, Follower};
pub use self::platforms::{Movers, Platform, PlatformError, RATE, platforms};
pub use self::rounds::{Point, Round, rounds};
use crate::recipe::noise::fraction;

/// One unit in this many walks a round; all others march.
pub const ONE_IN: u32 = 160;

/// Red, green, blue of walkers in pictures.
pub const COLOUR: [u8; 3] = [255, 0, 214];

/// Slowest and fastest pace. Metres per second.
const PACES: [f32; 2] = [1.5, 2.5];

/// A walker this near to its own spot at a point goes on. Metres: more than it walks in a tick.
const ARRIVED: f32 = 0.1;

/// A walker on its round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// Its round, as its place in [`rounds`].
    pub round: usize,
    /// The point it is heading for, counted without reset across rounds.
    pub point: usize,
    /// Whether it has stopped waiting for the platform to its point.
    has_set_out: bool,
    /// Metres per second.
    pace: f32,
    /// Its lane at each point, as a fraction of that point's room, on both axes.
    lane: [f32; 2],
}

/// `count` walkers distributed over all rounds in turn, each with its start. Starts are spread over the open
/// part of a round.
#[must_use]
pub fn walkers(rounds: &[Round], count: u32) -> Vec<(Walker, [f32; 2])> {
    (0..count).map(|number| start(rounds, number, count)).collect()
}

fn start(rounds: &[Round], number: u32, count: u32) -> (Walker, [f32; 2]) {
    let chance = |k: i64| fraction(1777, i64::from(number), k) as f32;
    let round = number as usize % rounds.len();
    let mut walker = Walker {
        round,
        point: 0,
        has_set_out: false,
        pace: PACES[0] + (PACES[1] - PACES[0]) * chance(0),
        lane: [2.0 * chance(1) - 1.0, 2.0 * chance(2) - 1.0],
    };
    let here = &rounds[round];
    let (place_in_round, in_round) =
        (number as usize / rounds.len(), count as usize / rounds.len() + 1);
    let along = (place_in_round as f32 + chance(3)) / in_round as f32;
    let mut left = along * here.open_metres();
    for leg in 0..here.open_legs {
        let (from, to) = (walker.spot(&here.points[leg]), walker.spot(&here.points[leg + 1]));
        let length = here.leg_metres(leg);
        if left <= length || leg + 1 == here.open_legs {
            let share = if left < length { left / length } else { 1.0 };
            walker.point = leg + 1;
            let place = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
            return (walker, place);
        }
        left -= length;
    }
    (walker, walker.spot(&here.points[0]))
}

impl Walker {
    /// Its own spot at a point.
    fn spot(&self, point: &Point) -> [f32; 2] {
        [0, 1].map(|axis| point.at[axis] + point.room * self.lane[axis])
    }

    /// The wish at a place for the next tick: metres per second, east and south; zero while it waits.
    /// `None` if it has reached its point, and heads for the next from the next tick on.
    pub fn next_wish(&mut self, rounds: &[Round], [x, z]: [f32; 2], tick: u64) -> Option<[f32; 2]> {
        let points = &rounds[self.round].points;
        let point = &points[self.point % points.len()];
        if let (Some((platform, end)), false) = (point.gate, self.has_set_out) {
            if !platforms()[platform].is_open(end, tick) {
                return Some([0.0, 0.0]);
            }
            self.has_set_out = true;
        }
        let spot = self.spot(point);
        let (east, south) = (spot[0] - x, spot[1] - z);
        let away = (east * east + south * south).sqrt();
        if away < ARRIVED {
            self.point += 1;
            self.has_set_out = false;
            return None;
        }
        let speed = self.pace / away;
        Some([east * speed, south * speed])
    }
}
