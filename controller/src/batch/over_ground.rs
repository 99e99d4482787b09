//! One unit over bare ground: with no prop near, and no surface that is not plain, its tick is short, however steep the
//! ground is.

use marchland_terrain::math::Aabb;
use marchland_terrain::{SectorState, SectorView};

use super::classify::{Classifier, is_simple};
use super::context::TickContext;
use super::move_unit::Work;
use super::rest::{rest_of, stays};
use crate::following::follow::follow;
use crate::kinematic::Subject;
use crate::kinematic::bare_ground::{BareSlide, followed_free, near, slide};
use crate::units::contact_state::ContactState;
use crate::units::memory::unit_memory::UnitMemory;
use crate::units::reach::Reaches;
use crate::units::tick::{Outcome, Verdict};
use crate::units::unit::Motion;

impl TickContext<'_> {
    /// A tick over bare ground that is no open ground. `None` where there is more to it: that depends on the unit and
    /// on what is near it alone.
    pub(super) fn move_over_ground(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, '_>,
        who: &Subject<'_>,
        memory: Option<&mut UnitMemory>,
    ) -> Option<Outcome> {
        let Subject { unit, state, body, wish, .. } = *who;
        let SectorState::Resident(sector) = work.home.state else { return None };
        let field = sector.field();
        if work.is_low || !field.is_whole() {
            return None;
        }
        let (moved, normal) = match unit.motion {
            Motion::Climbing => return None,
            Motion::Sliding => {
                let is_plain =
                    *state == ContactState { normal: state.normal, ..ContactState::NONE };
                let BareSlide { unit: slid, normal } =
                    is_plain.then(|| slide(self.tick, &field, who)).flatten()?;
                (Outcome { unit: slid, new_velocity: true, ..Outcome::NOTHING }, normal)
            }
            Motion::Walking | Motion::Falling => {
                // Over gentle ground it follows wherever nothing else is near.
                if !is_simple(who) || classifier.has_gentle_ground(work.home, work.sectors, who) {
                    return None;
                }
                let followed = follow(self.tick, work.home, work.sectors, unit, body, wish)?;
                let is_free = followed.verdict == Verdict::Moved
                    && followed.borders == 0
                    && followed_free(&field, body, unit, &followed.unit);
                is_free.then_some((Outcome { follows: false, ..followed }, state.normal))?
            }
        };
        let reach = Reaches::carried(self.tick, unit, body, wish, ([0.0; 2], 0.0));
        let is_all_there = !reach.is_beyond() && !reach.any_missing(work.sectors, unit.sector);
        let near = near(body, unit.local, moved.unit.local);
        if !is_all_there || !is_bare(classifier, &sector, who, &near) {
            return None;
        }
        work.notes.report.full += 1;
        *work.state = Some(ContactState { normal, ..*state });
        if let Some(memory) = memory
            && stays(who, &moved)
            && *state == (ContactState { normal, ..*state })
            && classifier.is_known(&self.reach(classifier, unit, body, wish))
        {
            memory.set_rest(wish, rest_of(&moved));
        }
        Some(moved)
    }
}

/// Whether only plain ground of a sector is in a box, for a unit that meets some props.
fn is_bare(
    classifier: &Classifier<'_>,
    sector: &SectorView<'_>,
    who: &Subject<'_>,
    near: &Aabb,
) -> bool {
    let Subject { unit, mask, .. } = *who;
    let size = classifier.view.grid().sector_size();
    let half = size.half();
    let props = sector.props();
    let is_home =
        -half <= near.min.x && near.max.x <= half && -half <= near.min.z && near.max.z <= half;
    is_home
        && classifier.is_plain_in(sector, near)
        && (mask == 0
            || (!classifier.has_live_in(unit.sector, near)
                && (props.is_empty() || !props.has_any_in(near, mask, size))))
}
