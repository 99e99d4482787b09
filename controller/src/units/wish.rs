//! The request for a unit in a tick.

use bytemuck::{Pod, Zeroable};

use crate::limits::SPEED_MAX;

/// The request for a unit in a tick. Slices of wishes are indexed by slot.
///
/// Three words (`bytemuck::Pod`): metres per second along X, 0 or, to jump, 1, and metres per second along Z.
/// This is the memory layout of the velocity that it gives a walking unit, so one comparison of bits shows that
/// a unit continues as before.
///
/// ```
/// use marchland_controller::Wish;
///
/// let wish = Wish::walk(3.0, -4.0).jumping(); // 5 m/s, and a jump where it stands
/// assert_eq!((wish.velocity(), wish.jumps()), ([3.0, -4.0], true));
/// assert!(!Wish::walk(f32::NAN, 0.0).is_valid()); // such a unit is listed in the report, and stays
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Wish {
    x: f32,
    /// 1 to jump. Otherwise all bits are 0, like the vertical velocity of a walking unit.
    jump: u32,
    z: f32,
}

impl Wish {
    /// Stand still.
    pub const STAND: Self = Self::walk(0.0, 0.0);

    /// Walk at `x` and `z` metres per second along X and Z. The velocity may be at most
    /// [`SPEED_MAX`] long.
    #[must_use]
    pub const fn walk(x: f32, z: f32) -> Self {
        Self { x, jump: 0, z }
    }

    /// The same wish, with a jump if the unit stands.
    #[must_use]
    pub const fn jumping(self) -> Self {
        self.with_jump(true)
    }

    /// The same wish, with or without a jump.
    #[must_use]
    pub const fn with_jump(self, jump: bool) -> Self {
        Self { jump: jump as u32, ..self }
    }

    /// The same wish with a different velocity along X and Z. Metres per second.
    #[must_use]
    pub const fn at_velocity(self, [x, z]: [f32; 2]) -> Self {
        Self { x, z, ..self }
    }

    /// Requested horizontal velocity along X and Z. Metres per second.
    #[must_use]
    #[inline]
    pub const fn velocity(self) -> [f32; 2] {
        [self.x, self.z]
    }

    /// Whether the unit jumps if it stands.
    #[must_use]
    #[inline]
    pub const fn jumps(self) -> bool {
        self.jump != 0
    }

    /// Whether the wish is valid: finite, and not longer than [`SPEED_MAX`].
    #[must_use]
    #[inline]
    pub fn is_valid(self) -> bool {
        let Self { x, z, .. } = self;
        // False for NaN; an overflow is infinite and too fast.
        x * x + z * z <= SPEED_MAX * SPEED_MAX
    }
}
