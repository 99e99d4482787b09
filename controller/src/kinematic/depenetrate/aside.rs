//! How far a unit may be put aside in a tick, beside its own move and what carries it: by its radius, the skin
//! and the ways of the props that move against it, all in all.
//!
//! A prop's way is that of its points near the unit. A point at the unit itself may be far outside of a prop
//! that turns, and would count for far more than anything of the prop moves. A prop that went too far to be swept has no
//! way: what is beyond a unit's reach is not known to be free.

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::props::LivePropRef;
use marchland_terrain::{PropId, WorldPos};

use crate::kinematic::mover::Mover;
use crate::kinematic::moving_props::carrier::is_set;

/// How far a walk leads aside, as a part of it, where it comes into something or something is in its way higher up.
const ASIDE_PART: f64 = 0.5;

/// How far a walk of so many metres leads where something turns it aside: who is in nothing goes not much faster than
/// it walks. Metres.
pub(crate) fn longest_aside(walk: f64) -> f64 {
    walk * (1.0 + ASIDE_PART * ASIDE_PART).sqrt() + f64::from(SKIN)
}

impl Mover<'_, '_, '_, '_> {
    /// How much farther a unit may be put to be out of a prop that has moved by `way` metres, or out of things
    /// at rest. Metres.
    pub(crate) fn aside_left(&self, way: f64) -> f64 {
        let own = f64::from(self.space.body.radius() + SKIN);
        let left = own + way - self.pushed;
        if self.shoved == 0.0 {
            return left;
        }
        let ways = self.all_ways();
        let all = own + greater(ways, way) - self.pushed - self.shoved;
        lesser(all, left)
    }

    /// Whether a unit that moving props have shoved aside by so many metres would be farther aside than it may be.
    pub(crate) fn is_beyond_aside(&self, shoved: f64) -> bool {
        let own = f64::from(self.space.body.radius() + SKIN);
        shoved > own && shoved > own + self.all_ways()
    }

    /// How far a prop has moved where it may be in the body, without what the unit was carried with it. Metres.
    pub(crate) fn way_of(&self, prop: Option<PropId>) -> f64 {
        let Some(found) = self.live(prop) else { return 0.0 };
        if is_set(&found) {
            return 0.0; // as if it had always been there
        }
        let way = self.way_near(&found);
        if self.state.support != prop {
            return way;
        }
        let went = self.place.relative_to(self.began_at, self.space.size).as_dvec3().length();
        let carried = self.carried.length();
        let left = way - lesser(went, carried);
        greater(left, 0.0)
    }

    /// The sum of the ways of all moving props.
    fn all_ways(&self) -> f64 {
        self.space.moving_props.ids().iter().map(|id| self.way_of(Some(*id))).sum()
    }

    /// The greatest way of a prop in the part of its box that is in the box around the body where it began and
    /// where it is, or nearest to that. A rigid motion is the greatest at a corner.
    fn way_near(&self, prop: &LivePropRef<'_>) -> f64 {
        let body = self.space.body;
        let began = self.began_at.relative_to(self.place, self.space.size).as_dvec3();
        let feet = self.place.local().as_dvec3();
        let beside = f64::from(body.radius() + SKIN);
        let (low, high) = prop.found_in(self.place.sector());
        let within = |metres: f64, axis: usize| {
            let metres = lesser(high[axis], metres);
            greater(low[axis], metres)
        };
        let side = |axis: usize, is_high: bool| {
            let grown = match (axis, is_high) {
                (1, true) => f64::from(body.height() + SKIN),
                (_, true) => beside,
                (1, false) => -f64::from(SKIN),
                (_, false) => -beside,
            };
            let by = began[axis];
            let by = if (by > 0.0) == is_high { by } else { 0.0 };
            within(feet[axis] + by + grown, axis)
        };
        let mut most = 0.0;
        for corner in 0..8 {
            let at = [0, 1, 2].map(|axis| side(axis, corner >> axis & 1 == 1));
            let at: WorldPos = self.space.moved(self.place, DVec3::from_array(at) - feet);
            let way = prop.displacement_of(at).length();
            most = greater(way, most);
        }
        most
    }
}
