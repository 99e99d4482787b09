//! What a tick did.

use marchland_terrain::SectorCoord;

use crate::units::unit::UnitId;

/// What a tick did. Its lists reuse their memory in every tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Units that were ticked, whether they moved or stood still: all except those held, overloaded, invalid or
    /// outside.
    pub ticked: usize,
    /// Of those, how many ended walking.
    pub walking: usize,
    /// Of those, how many ended falling.
    pub falling: usize,
    /// Of those, how many ended sliding.
    pub sliding: usize,
    /// Of those, how many ended climbing.
    pub climbing: usize,
    /// Of those, how many took the full controller. This includes units at rest exactly as it left them, with
    /// the same request: its result is remembered and not computed again. All others followed the ground.
    pub full: usize,
    /// Of those, how many began falling and ended walking.
    pub landed: usize,
    /// Of those, how many began walking and ended falling.
    pub left_ground: usize,
    /// Of those, how many touched the world's edge.
    pub stopped_at_edge: usize,
    /// Of those, how many touched ground too steep for them, or the rim of a hole from inside.
    pub stopped_by_slope: usize,
    /// Sector borders crossed by all units together.
    pub borders_crossed: u64,
    pub(crate) outside: Vec<UnitId>,
    pub(crate) held: Vec<UnitId>,
    pub(crate) overloaded: Vec<UnitId>,
    pub(crate) invalid: Vec<UnitId>,
    pub(crate) missing: Vec<SectorCoord>,
}

impl Report {
    /// The units that were not moved because ground within their reach is not resident, in order of their
    /// slots.
    #[must_use]
    pub fn held(&self) -> &[UnitId] {
        &self.held
    }

    /// The units that were not moved because more is within their reach than a tick
    /// [works on](crate::ground::limits::LOAD_MAX), in order of their slots.
    #[must_use]
    pub fn overloaded(&self) -> &[UnitId] {
        &self.overloaded
    }

    /// The units that were not moved because their wish is not a number, infinite or too fast, in order of
    /// their slots.
    #[must_use]
    pub fn invalid(&self) -> &[UnitId] {
        &self.invalid
    }

    /// The units that were not moved because they are outside the world, in order of their slots. They stay
    /// where they are until they are put somewhere else; there is no event.
    #[must_use]
    pub fn outside(&self) -> &[UnitId] {
        &self.outside
    }

    /// The sectors for which units were held, in order, each once.
    #[must_use]
    pub fn missing(&self) -> &[SectorCoord] {
        &self.missing
    }

    /// Clears the report of the last tick, but keeps its memory.
    pub(crate) fn clear(&mut self) {
        let (mut outside, mut held, mut overloaded, mut invalid, mut missing) = (
            std::mem::take(&mut self.outside),
            std::mem::take(&mut self.held),
            std::mem::take(&mut self.overloaded),
            std::mem::take(&mut self.invalid),
            std::mem::take(&mut self.missing),
        );
        outside.clear();
        held.clear();
        overloaded.clear();
        invalid.clear();
        missing.clear();
        *self = Self { outside, held, overloaded, invalid, missing, ..Self::default() };
    }
}
