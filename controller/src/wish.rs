//! What a unit is asked to do in a tick.

use crate::limits::SPEED_MAX;

/// What a unit is asked to do in a tick. Slices of wishes are indexed by slot.
///
/// Twelve bytes, in memory just as the velocity that comes of it for who walks: it is seen at a glance that
/// a unit goes on as it did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Wish {
    x: f32,
    /// 1 to jump. All bits are 0 otherwise, as the vertical velocity of who walks.
    jump: u32,
    z: f32,
}

impl Wish {
    /// To stand still.
    pub const STAND: Self = Self::walk(0.0, 0.0);

    /// To walk at `x` and `z` metres per second along X and Z. The velocity may be at most
    /// [`SPEED_MAX`] long.
    #[must_use]
    pub const fn walk(x: f32, z: f32) -> Self {
        Self { x, jump: 0, z }
    }

    /// The same, and to jump if the unit stands.
    #[must_use]
    pub const fn jumping(self) -> Self {
        self.with_jump(true)
    }

    /// The same, to jump or not.
    #[must_use]
    pub const fn with_jump(self, jump: bool) -> Self {
        Self { jump: jump as u32, ..self }
    }

    /// The same at another velocity along X and Z. Metres per second.
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

    /// Whether to jump, if the unit stands.
    #[must_use]
    #[inline]
    pub const fn jumps(self) -> bool {
        self.jump != 0
    }

    /// All of it, as a velocity would have it: the same bits as one that comes of it.
    #[inline]
    pub(crate) const fn bits(self) -> [u32; 3] {
        [self.x.to_bits(), self.jump, self.z.to_bits()]
    }

    /// Whether a unit can be asked this: finite, and not too fast.
    #[must_use]
    #[inline]
    pub fn is_valid(self) -> bool {
        let Self { x, z, .. } = self;
        // False for what is not a number; what overflows is infinite and too fast.
        x * x + z * z <= SPEED_MAX * SPEED_MAX
    }
}
