//! What a unit is asked to do in a tick.

use crate::limits::SPEED_MAX;

/// What a unit is asked to do in a tick. Slices of wishes are indexed by slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Wish {
    /// Requested horizontal velocity along X and Z. Metres per second, at most
    /// [`SPEED_MAX`] long.
    pub velocity: [f32; 2],
    /// Whether to jump, if the unit stands.
    pub jump: bool,
}

impl Wish {
    /// To stand still.
    pub const STAND: Self = Self { velocity: [0.0, 0.0], jump: false };

    /// To walk at `x` and `z` metres per second.
    #[must_use]
    pub const fn walk(x: f32, z: f32) -> Self {
        Self { velocity: [x, z], jump: false }
    }

    /// The same, and to jump.
    #[must_use]
    pub const fn jumping(self) -> Self {
        Self { jump: true, ..self }
    }

    /// Whether a unit can be asked this: finite, and not too fast.
    #[must_use]
    #[inline]
    pub fn is_valid(self) -> bool {
        let [x, z] = self.velocity;
        // False for what is not a number; what overflows is infinite and too fast.
        x * x + z * z <= SPEED_MAX * SPEED_MAX
    }
}
