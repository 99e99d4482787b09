//! One unit over bare ground: with no prop near, and no surface that is not plain, its tick is short, however steep the
//! ground is.

use marchland_terrain::glam::{Vec2, Vec3};
use marchland_terrain::math::Aabb;
use marchland_terrain::{HeightfieldView, SectorState, SectorView};

use super::classify::{Classifier, is_simple};
use super::context::TickContext;
use super::move_unit::Work;
use super::rest::{rest_of, stays};
use crate::following::follow::{differs, follow};
use crate::kinematic::Subject;
use crate::kinematic::bare_ground::{BareSlide, followed_free, near, slide, walk_along};
use crate::kinematic::{Course, OwnMove, Turn, Went, course, turn};
use crate::units::contact_state::{ContactState, Recurrence, TurnedBack};
use crate::units::memory::unit_memory::UnitMemory;
use crate::units::reach::Reaches;
use crate::units::tick::{Outcome, Tick, Verdict};
use crate::units::unit::{Motion, Unit};

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
        let ContactState { normal, recurrence, turned_back, .. } = *state;
        let normal = if unit.motion == Motion::Sliding { normal } else { Vec3::ZERO };
        if *state != (ContactState { normal, recurrence, turned_back, ..ContactState::NONE }) {
            return None;
        }
        let (moved, normal) = match unit.motion {
            Motion::Climbing => return None,
            Motion::Sliding => {
                let BareSlide { unit: slid, normal } = slide(self.tick, &field, who)?;
                (Outcome { unit: slid, new_velocity: true, ..Outcome::NOTHING }, normal)
            }
            Motion::Walking | Motion::Falling => {
                (self.follow_over_ground(classifier, work, who, &field)?, normal)
            }
        };
        let (recurrence, turned_back) = went(self.tick, who, &moved.unit)?;
        let after = ContactState { normal, recurrence, turned_back, ..ContactState::NONE };
        let reach = Reaches::carried(self.tick, unit, body, wish, ([0.0; 2], 0.0));
        let is_all_there = !reach.is_beyond() && !reach.any_missing(work.sectors, unit.sector);
        let near = near(body, unit.local, moved.unit.local);
        if !is_all_there || !is_bare(classifier, &sector, who, &near) {
            return None;
        }
        work.notes.report.full += 1;
        *work.state = Some(after);
        if let Some(memory) = memory
            && stays(who, &moved)
            && state.is_same(&after)
            && classifier.is_known(&self.reach(classifier, unit, body, wish))
        {
            memory.set_rest(wish, rest_of(&moved));
        }
        Some(moved)
    }

    /// Follows ground that is not all gentle, or walks along what stops it.
    fn follow_over_ground(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, '_>,
        who: &Subject<'_>,
        field: &HeightfieldView<'_>,
    ) -> Option<Outcome> {
        let Subject { unit, body, wish, .. } = *who;
        let alone = Subject { state: &ContactState::NONE, ..*who };
        // Over gentle ground it follows wherever nothing else is near.
        if !is_simple(&alone) || classifier.has_gentle_ground(work.home, work.sectors, who) {
            return None;
        }
        let followed = follow(self.tick, work.home, work.sectors, unit, body, wish);
        let is_free = |followed: &Outcome| {
            followed.verdict == Verdict::Moved
                && followed.borders == 0
                && followed_free(field, body, unit, &followed.unit)
        };
        if let Some(followed) = followed.filter(is_free) {
            return Some(Outcome { follows: false, ..followed });
        }
        if unit.motion != Motion::Walking {
            return None;
        }
        let walked = walk_along(self.tick, field, work.sectors, who)?;
        let new_velocity = differs(walked.velocity, unit.velocity);
        Some(Outcome { unit: walked, new_velocity, met_slope: true, ..Outcome::NOTHING })
    }
}

/// What a unit is to know of where it has been, after a tick. `None` where it is to stay.
fn went(
    tick: &Tick,
    who: &Subject<'_>,
    now: &Unit,
) -> Option<(Option<Recurrence>, Option<TurnedBack>)> {
    let Subject { unit, state, wish, .. } = *who;
    let (asked, dt) = (Vec2::from(wish.velocity()), tick.dt);
    let (by, walks) = (now.local - unit.local, unit.motion == Motion::Walking);
    let went = Went { asked, dt, by, walked: walks, slides: false, slid: false };
    let Turn::Goes(turned_back) = turn(state.turned_back, &went) else { return None };
    if asked == Vec2::ZERO || wish.jumps() {
        return Some((None, turned_back));
    }
    if by == Vec3::ZERO {
        return Some((state.recurrence, turned_back));
    }
    let own = OwnMove { asked, dt, went: by, walk: walks.then_some(Vec3::ZERO), step: by };
    let Course::Goes(recurrence) = course(state.recurrence, &own) else { return None };
    Some((recurrence, turned_back))
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
