//! What is chosen before anything runs: how much, in which order, and the numbers common to all contenders.

use std::error::Error;

/// Ticks a second.
pub(crate) const RATE: f32 = 60.0;
/// Seconds of a tick.
pub(crate) const DT: f32 = 1.0 / RATE;

/// Radius of every body. Metres.
pub(crate) const RADIUS: f32 = 0.4;
/// Feet to top. Metres.
pub(crate) const HEIGHT: f32 = 1.8;
/// Tallest rise walked onto. Metres.
pub(crate) const STEP: f32 = 0.4;
/// Greatest drop followed down. Metres.
pub(crate) const SNAP: f32 = 0.3;
/// Steepest slope walked up. Degrees.
pub(crate) const SLOPE_DEGREES: f64 = 50.0;
/// Metres a second squared.
pub(crate) const GRAVITY: f32 = 9.81;

/// Why a comparison cannot be made.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// The amount of work.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Rounds; their median is reported.
    pub(crate) rounds: usize,
    /// Divisor of crowd sizes.
    pub(crate) less: usize,
    /// The order of units in all lists.
    pub(crate) order: Order,
}

/// The order of units in the lists of all contenders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Neighbours in the world are neighbours in the list: data read for one of them is in the cache
    /// for the next.
    World,
    /// Random order.
    Random,
}

impl Order {
    /// Its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::World => "the order of the world",
            Self::Random => "random order",
        }
    }
}
