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
    /// [works on](crate::limits::LOAD_MAX), in order of their slots.
    #[must_use]
    pub fn overloaded(&self) -> &[UnitId] {
        &self.overloaded
    }

    /// The units that were not moved because their wish is not a number, infinite or too fast, in order of
    /// their slots. Who stands on a prop that moves rides on, as who is held.
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
        let Self { outside, held, overloaded, invalid, missing, .. } = std::mem::take(self);
        (self.outside, self.held, self.overloaded) = (outside, held, overloaded);
        (self.invalid, self.missing) = (invalid, missing);
        self.lists().into_iter().for_each(Vec::clear);
        self.missing.clear();
    }

    /// Leaves of the report of a tick that did not run for which sectors it waits, and who waits.
    pub(crate) fn withdraw(&mut self) {
        let Self { held, missing, .. } = std::mem::take(self);
        (self.held, self.missing) = (held, missing);
    }

    /// Room for so many units in each list, and for so many sectors.
    pub(crate) fn reserve(&mut self, units: usize, sectors: usize) {
        self.lists().into_iter().for_each(|list| list.reserve(units));
        self.missing.reserve(sectors);
    }

    /// Whether anything is on a list.
    pub(crate) fn has_lists(&self) -> bool {
        let Self { outside, held, overloaded, invalid, missing, .. } = self;
        !missing.is_empty()
            || [outside, held, overloaded, invalid].iter().any(|list| !list.is_empty())
    }

    /// Adds another part of the same tick's report, and clears that.
    pub(crate) fn take(&mut self, other: &mut Self) {
        self.ticked += other.ticked;
        self.walking += other.walking;
        self.falling += other.falling;
        self.sliding += other.sliding;
        self.climbing += other.climbing;
        self.full += other.full;
        self.landed += other.landed;
        self.left_ground += other.left_ground;
        self.stopped_at_edge += other.stopped_at_edge;
        self.stopped_by_slope += other.stopped_by_slope;
        self.borders_crossed += other.borders_crossed;
        for (list, other) in self.lists().into_iter().zip(other.lists()) {
            list.append(other);
        }
        other.missing.iter().for_each(|&coord| self.add_missing(coord));
        other.clear();
    }

    /// Lists a missing sector. When the list is full, duplicates are removed: the list grows with the number of
    /// sectors, not with the number of units that wait for them.
    pub(crate) fn add_missing(&mut self, coord: SectorCoord) {
        let missing = &mut self.missing;
        // Units in neighbouring slots often wait for the same sector.
        if missing[missing.len().saturating_sub(4)..].contains(&coord) {
            return;
        }
        if missing.len() == missing.capacity() {
            missing.sort_unstable();
            missing.dedup();
            // Rare: half of the list is free afterwards.
            if missing.len() > missing.capacity() / 2 {
                missing.reserve(missing.len());
            }
        }
        missing.push(coord);
    }

    /// Puts the lists into order.
    pub(crate) fn sort(&mut self) {
        self.lists().into_iter().for_each(|list| list.sort_unstable());
        self.missing.sort_unstable();
        self.missing.dedup();
    }

    /// The lists of units.
    fn lists(&mut self) -> [&mut Vec<UnitId>; 4] {
        [&mut self.outside, &mut self.held, &mut self.overloaded, &mut self.invalid]
    }
}
