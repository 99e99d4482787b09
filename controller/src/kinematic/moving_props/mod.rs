//! The props that have moved near a unit in this tick.
//!
//! A prop is a mover if its last step is a [way](marchland_terrain::props::LivePropRef::way). All others are
//! where they are, and count as fixed. Which are near, and the nearest of too many, is found here.
//!
//! `carrier` says what carries a unit, and how far; `carry` moves the unit with it, `conveyor` is for belts, `leave` for
//! who walks or jumps off. `push` is for what moves against a unit, piece by piece of the tick (`piece`); `crush` for who
//! is pressed by it, `crush_exit` for the ways out.

pub(super) mod carrier;
pub(super) mod carry;
pub(super) mod conveyor;
pub(super) mod crush;
pub(super) mod crush_exit;
pub(super) mod leave;
pub(super) mod piece;
pub(super) mod push;

use marchland_terrain::math::{greater, lesser};
use std::ops::Range;

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::props::PropWay;
use marchland_terrain::{PropId, TerrainView, WorldPos};

use crate::units::body::Body;
use crate::units::contact_state::ContactState;

/// Most moving props that are swept for a unit: what carries it, and those nearest to it. A unit that meets one of the
/// others in its tick does not move, and is told as overloaded.
pub(crate) const MOVING_PROPS_MAX: usize = 32;

/// How much further than its skin a body counts as near a way. Metres: more than contacts reach further than
/// the skin. Less than that by which following looks for live props, so that a unit that follows meets none.
const NEAR_MARGIN: f64 = 1e-3;

/// The props that have moved near a unit, by id. Large: it is filled where it is, and lent.
#[derive(Debug)]
pub(crate) struct MovingProps<'v> {
    ids: [PropId; MOVING_PROPS_MAX],
    ways: [Option<PropWay<'v>>; MOVING_PROPS_MAX],
    /// How far each moves anything near the unit, at most. Metres.
    lengths: [f64; MOVING_PROPS_MAX],
    /// How far the box around each one's way is from where the unit is and is carried to. Metres; less than 0
    /// for what carries it.
    apart: [f64; MOVING_PROPS_MAX],
    len: usize,
    /// The same of the nearest one that is left out.
    left_out: f64,
}

const NO_PROP: PropId = PropId::Live { slot: u32::MAX, generation: u32::MAX };

impl<'v> MovingProps<'v> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self {
            ids: [NO_PROP; MOVING_PROPS_MAX],
            ways: [const { None }; MOVING_PROPS_MAX],
            lengths: [0.0; MOVING_PROPS_MAX],
            apart: [0.0; MOVING_PROPS_MAX],
            len: 0,
            left_out: f64::INFINITY,
        }
    }

    /// Finds the moving props that a unit may meet while it is carried and pushed, and what carries it.
    pub(crate) fn find(
        &mut self,
        view: TerrainView<'v>,
        mask: u32,
        place: WorldPos,
        body: &Body,
        state: &ContactState,
    ) {
        let Some(live) = view.live().filter(|live| mask != 0 && live.step_dt().is_some()) else {
            return;
        };
        let support = state.support.and_then(|id| live.get(id));
        let carried = support.map_or(DVec3::ZERO, |prop| prop.displacement_of(place));
        let beside = f64::from(body.radius() + SKIN) + NEAR_MARGIN;
        let over = f64::from(SKIN) + NEAR_MARGIN;
        let feet = place.local().as_dvec3();
        let low = feet - DVec3::new(beside, over, beside);
        let high = feet + DVec3::new(beside, f64::from(body.height()) + over, beside);
        let (low, high) = (low + least(carried), high - least(-carried));
        let arm = f64::from(body.radius() + body.height());
        let whose = (mask, state.support);
        self.add_all(view, whose, place, arm, (low, high, 0.0));
        let push = self.push_max(state.support);
        if push > 0.0 {
            (self.len, self.left_out) = (0, f64::INFINITY);
            self.add_all(view, whose, place, arm + push, (low, high, push));
        }
    }

    /// Adds the moving props in a box that is grown by so much, metres from the centre of the place's sector.
    fn add_all(
        &mut self,
        view: TerrainView<'v>,
        (mask, support): (u32, Option<PropId>),
        place: WorldPos,
        arm: f64,
        (low, high, grown): (DVec3, DVec3, f64),
    ) {
        let Some(live) = view.live() else { return };
        let by = DVec3::splat(grown);
        live.in_box(place.sector(), low - by, high + by, |prop| {
            if !prop.is_met_by(mask) {
                return;
            }
            if let Some(way) = prop.way() {
                let by = way.displacement(place.sector(), place.local().as_dvec3(), 0.0, 1.0);
                let apart = if Some(prop.id()) == support {
                    -1.0
                } else {
                    apart((low, high), prop.found_in(place.sector()))
                };
                self.add(prop.id(), way, by.length() + way.turns().0 * arm, apart);
            }
        });
    }

    /// Adds a mover in its place; if there are too many, the farthest is left out, of several the one with the
    /// greatest id.
    fn add(&mut self, id: PropId, way: PropWay<'v>, length: f64, apart: f64) {
        if self.len == MOVING_PROPS_MAX {
            let mut last = 0;
            for at in 1..self.len {
                last = if self.apart[at] >= self.apart[last] { at } else { last };
            }
            let is_last = (apart, id) > (self.apart[last], self.ids[last]);
            let out = if is_last { apart } else { self.apart[last] };
            self.left_out = lesser(out, self.left_out);
            if is_last {
                return;
            }
            self.shift(last + 1..self.len, last);
            self.len -= 1;
        }
        let at = self.ids[..self.len].partition_point(|known| *known < id);
        self.shift(at..self.len, at + 1);
        self.len += 1;
        (self.ids[at], self.ways[at]) = (id, Some(way));
        (self.lengths[at], self.apart[at]) = (length, apart);
    }

    fn shift(&mut self, from: Range<usize>, to: usize) {
        self.ids.copy_within(from.clone(), to);
        self.ways.copy_within(from.clone(), to);
        self.lengths.copy_within(from.clone(), to);
        self.apart.copy_within(from, to);
    }

    /// Whether a mover that is left out may meet a unit that is shoved by so many metres.
    pub(crate) fn is_left_out_within(&self, metres: f64) -> bool {
        self.left_out <= metres
    }

    /// Their ids, in order.
    pub(crate) fn ids(&self) -> &[PropId] {
        &self.ids[..self.len]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (PropId, PropWay<'v>, f64)> + '_ {
        (0..self.len).filter_map(|at| Some((self.ids[at], self.ways[at]?, self.lengths[at])))
    }

    pub(crate) fn get(&self, id: PropId) -> Option<PropWay<'v>> {
        self.iter().find_map(|(other, way, _)| (other == id).then_some(way))
    }

    /// How far they can push a unit at most, without the prop that carries it. Metres.
    pub(crate) fn push_max(&self, support: Option<PropId>) -> f64 {
        let found = self.ids().iter().zip(&self.lengths);
        found.filter(|(id, _)| Some(**id) != support).map(|(_, length)| length).sum()
    }
}

/// How far two boxes are apart along the axis along which that is most; 0 where they touch. Metres.
fn apart((low, high): (DVec3, DVec3), (other_low, other_high): (DVec3, DVec3)) -> f64 {
    let gaps = (other_low - high).to_array().into_iter().chain((low - other_high).to_array());
    gaps.fold(0.0, |most, gap| greater(gap, most))
}

/// The components below 0.
fn least(by: DVec3) -> DVec3 {
    DVec3::from_array(by.to_array().map(|part| lesser(part, 0.0)))
}
