//! The props that have moved near a unit in this tick.
//!
//! A prop is a mover if its last step is a [way](marchland_terrain::props::LivePropRef::way). All others are
//! where they are, and count as fixed.

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::props::PropWay;
use marchland_terrain::{PropId, TerrainView, WorldPos};

use crate::body::Body;
use crate::extra::Extra;

/// Most movers that are swept for a unit, those with the least ids. Others are met where they end.
pub(super) const MOVERS_MAX: usize = 16;

/// How much further than its skin a body counts as near a way. Metres: more than contacts reach further than
/// the skin. Less than that by which following looks for live props, so that a unit that follows meets none.
const NEAR_MARGIN: f64 = 1e-3;

/// The props that have moved near a unit, by id. Large: it is filled where it is, and lent.
#[derive(Debug)]
pub(crate) struct Movers<'v> {
    ids: [PropId; MOVERS_MAX],
    ways: [Option<PropWay<'v>>; MOVERS_MAX],
    /// How far each moves anything near the unit, at most. Metres.
    lengths: [f64; MOVERS_MAX],
    len: usize,
}

const NO_PROP: PropId = PropId::Live { slot: u32::MAX, generation: u32::MAX };

impl<'v> Movers<'v> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self {
            ids: [NO_PROP; MOVERS_MAX],
            ways: [const { None }; MOVERS_MAX],
            lengths: [0.0; MOVERS_MAX],
            len: 0,
        }
    }

    /// Finds the movers that a unit may meet while it is carried and pushed, and what carries it.
    pub(crate) fn find(
        &mut self,
        view: TerrainView<'v>,
        mask: u32,
        place: WorldPos,
        body: &Body,
        extra: &Extra,
    ) {
        let Some(live) = view.live().filter(|live| mask != 0 && live.step_dt().is_some()) else {
            return;
        };
        let support = extra.support.and_then(|id| live.get(id));
        let carried = support.map_or(DVec3::ZERO, |prop| prop.displacement_of(place));
        let beside = f64::from(body.radius() + SKIN) + NEAR_MARGIN;
        let over = f64::from(SKIN) + NEAR_MARGIN;
        let feet = place.local().as_dvec3();
        let low = feet - DVec3::new(beside, over, beside);
        let high = feet + DVec3::new(beside, f64::from(body.height()) + over, beside);
        let (low, high) = (low + least(carried), high - least(-carried));
        let arm = f64::from(body.radius() + body.height());
        self.add_all(view, mask, place, arm, (low, high));
        let push = self.push_max(extra.support);
        if push > 0.0 {
            let push = DVec3::splat(push);
            self.len = 0;
            self.add_all(view, mask, place, arm + push.x, (low - push, high + push));
        }
    }

    /// Adds the movers in a box, metres from the centre of the place's sector.
    fn add_all(
        &mut self,
        view: TerrainView<'v>,
        mask: u32,
        place: WorldPos,
        arm: f64,
        (low, high): (DVec3, DVec3),
    ) {
        let Some(live) = view.live() else { return };
        live.in_box(place.sector(), low, high, |prop| {
            if prop.layers() & mask == 0 {
                return;
            }
            if let Some(way) = prop.way() {
                let by = way.displacement(place.sector(), place.local().as_dvec3(), 0.0, 1.0);
                self.add(prop.id(), way, by.length() + way.turns().0 * arm);
            }
        });
    }

    /// Adds a mover in its place; if there are too many, the greatest id is dropped.
    fn add(&mut self, id: PropId, way: PropWay<'v>, length: f64) {
        let at = self.ids[..self.len].partition_point(|known| *known < id);
        if at == MOVERS_MAX {
            return;
        }
        if self.len < MOVERS_MAX {
            self.len += 1;
        }
        let end = self.len - 1;
        self.ids.copy_within(at..end, at + 1);
        self.ways.copy_within(at..end, at + 1);
        self.lengths.copy_within(at..end, at + 1);
        (self.ids[at], self.ways[at], self.lengths[at]) = (id, Some(way), length);
    }

    /// Their ids, in order.
    pub(super) fn ids(&self) -> &[PropId] {
        &self.ids[..self.len]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (PropId, PropWay<'v>, f64)> + '_ {
        (0..self.len).filter_map(|at| Some((self.ids[at], self.ways[at]?, self.lengths[at])))
    }

    pub(super) fn get(&self, id: PropId) -> Option<PropWay<'v>> {
        self.iter().find_map(|(other, way, _)| (other == id).then_some(way))
    }

    /// How far they can push a unit at most, without the prop that carries it. Metres.
    pub(crate) fn push_max(&self, support: Option<PropId>) -> f64 {
        let found = self.ids().iter().zip(&self.lengths);
        found.filter(|(id, _)| Some(**id) != support).map(|(_, length)| length).sum()
    }
}

/// The components below 0.
fn least(by: DVec3) -> DVec3 {
    DVec3::from_array(by.to_array().map(|part| if part < 0.0 { part } else { 0.0 }))
}
