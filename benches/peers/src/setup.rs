//! What is chosen before anything runs: how much, and in which order.

use std::error::Error;

/// Ticks a second.
pub(crate) const RATE: f32 = 60.0;
/// Seconds of a tick.
pub(crate) const DT: f32 = 1.0 / RATE;

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
