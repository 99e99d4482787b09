//! The answer to the question for the ground.

/// What lies under a point: one of four states, never a sentinel number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// The ground's height. Metres.
    Height(f32),
    /// A hole: there is no ground, and things fall through.
    Hole,
    /// The world has ground here, but its sector is not in memory.
    NotResident,
    /// The point lies outside the world.
    Outside,
}

impl Ground {
    /// The ground's height in metres; `None` in the three other states.
    #[must_use]
    #[inline]
    pub const fn height(self) -> Option<f32> {
        match self {
            Self::Height(height) => Some(height),
            Self::Hole | Self::NotResident | Self::Outside => None,
        }
    }
}
