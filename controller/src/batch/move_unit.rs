//! One unit that takes the long way: by following, or by the full controller. Who rests is known before (`rest`).
//!
//! ```text
//! its way is remembered as bare, or open, or found bare ─▶ follows
//! only ground is near, however steep, and does not stop it ─▶ `over_ground`
//! otherwise ─▶ the full controller
//! if nothing changed ─▶ that is remembered
//! ```

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::Aabb;
use marchland_terrain::query::Region;
use marchland_terrain::{CellKind, SectorState, TerrainView, WorldPos};

use super::classify::Classifier;
use super::context::TickContext;
use super::notes::Notes;
use super::overload::{
    is_overloaded, is_surely_light, may_be_overloaded_by_cells, may_be_overloaded_in,
};
use super::rest::{rest_of, rests, stays};
use crate::following::follow::follow;
use crate::ground::sectors::{Sectors, UnitSector};
use crate::kinematic::{Scratch, Subject, farthest, kinematic, reach_of};
use crate::units::body::Body;
use crate::units::contact_state::ContactState;
use crate::units::memory::gather_cache::{KnownSurroundings, is_long};
use crate::units::memory::unit_memory::UnitMemory;
use crate::units::switches::PathChoice;
use crate::units::tick::{Outcome, Verdict, unmoved};
use crate::units::unit::{Motion, Unit};
use crate::units::wish::Wish;

/// What the units of a sector are moved with, one by one.
pub(crate) struct Work<'w, 'v> {
    /// The world as the unit meets it: without live props where none is near.
    pub(crate) view: TerrainView<'v>,
    pub(crate) home: &'w UnitSector<'v>,
    /// Whether the unit is below the ground, by less than its knee.
    pub(crate) is_low: bool,
    pub(crate) sectors: &'w mut Sectors<'v>,
    pub(crate) notes: &'w mut Notes,
    pub(crate) scratch: &'w mut Scratch,
    /// The new contact state of the unit, if it may have changed.
    pub(crate) state: &'w mut Option<ContactState>,
}

/// A unit near props, and what it remembers.
struct UnitTask<'a> {
    slot: u32,
    subject: Subject<'a>,
    /// The box in which it follows if the box is bare.
    passage: Option<Aabb>,
    memory: Option<&'a mut UnitMemory>,
}

enum Route {
    /// It has followed the ground.
    Followed(Outcome),
    /// The full controller, unless `passage` is found bare: then it follows after all.
    Full { in_the_open: bool, passage: Option<Aabb> },
}

impl<'v> TickContext<'v> {
    pub(super) fn move_one(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, 'v>,
        slot: u32,
        (unit, state): (&Unit, &ContactState),
        memory: Option<&mut UnitMemory>,
    ) -> Outcome {
        let Some(let_go) = self.let_go(slot, state) else {
            return self.move_with(classifier, work, slot, unit, state, memory);
        };
        let outcome = self.move_with(classifier, work, slot, unit, &let_go, memory);
        if outcome.follows && outcome.verdict == Verdict::Moved {
            // Following writes no contact state, and this unit's is out of date.
            work.notes.report.full += 1;
            *work.state = Some(let_go);
        }
        outcome
    }

    /// One unit, with the given contact state.
    #[inline]
    fn move_with(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, 'v>,
        slot: u32,
        unit: &Unit,
        state: &ContactState,
        mut memory: Option<&mut UnitMemory>,
    ) -> Outcome {
        let index = slot as usize;
        let wish = self.wishes[index];
        if let Some(verdict) = refuse(work.home, unit, wish) {
            return unmoved(unit, verdict);
        }
        if let Some(memory) = &mut memory {
            memory.forget_rest();
        }
        let body = &self.columns.bodies[self.columns.body_ids[index].index()];
        let mask = self.columns.masks[index];
        let who = Subject {
            unit,
            state,
            body,
            mask,
            wish,
            surfaces: self.columns.surfaces,
            sticky: classifier.sticky.as_ref(),
            conveyor_speed: classifier.conveyor_speed,
            in_the_open: false,
            among_props: false,
        };
        let (in_the_open, passage) =
            match self.follow_or_route(classifier, work, &who, memory.as_deref()) {
                Route::Followed(outcome) => {
                    if let Some(memory) = memory
                        && stays(&who, &outcome)
                        && classifier.is_known(&self.reach(classifier, unit, body, wish))
                    {
                        memory.set_rest(wish, rest_of(&outcome));
                    }
                    return outcome;
                }
                Route::Full { in_the_open, passage } => (in_the_open, passage),
            };
        // Where only props bar a passage it does not lead over bare ground.
        if !in_the_open
            && passage.is_none()
            && let Some(moved) =
                self.move_over_ground(classifier, work, &who, memory.as_deref_mut())
        {
            return moved;
        }
        // What fits the memory of a unit is little enough, unless many cells add to it or it is crowded.
        let counts_first = !in_the_open && may_be_overloaded_by_cells(self.tick, &who);
        if counts_first && self.is_overloaded(work, &who) {
            return unmoved(unit, Verdict::Overloaded);
        }
        let asked = classifier.asked(&who);
        let subject = Subject { in_the_open, ..who };
        let mut task = UnitTask { slot, subject, passage, memory };
        let checked = in_the_open || counts_first;
        if let Some(moved) =
            self.with_cached_triangles(classifier, work, &mut task, &asked, checked)
        {
            return moved;
        }
        // Nothing can be kept for it: what most units query is gathered anew.
        let own = &mut work.scratch.at_hand;
        own.forget();
        let fits = (passage.is_some() || !is_long(&asked))
            && work.view.gather(&Region::of_box(unit.sector, &asked), mask, &mut own.near).is_ok()
            && !own.near.is_overfull();
        let is_light = checked || fits && is_surely_light(&own.near, work.view, self.tick, &who);
        if !is_light && self.is_overloaded(work, &who) {
            return unmoved(unit, Verdict::Overloaded);
        }
        self.among_props(classifier, work, &mut task, None)
    }

    /// Follows where the result is certain to be that of the full controller. Otherwise returns what is known
    /// of the way.
    #[inline]
    fn follow_or_route(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, 'v>,
        who: &Subject<'_>,
        memory: Option<&UnitMemory>,
    ) -> Route {
        let Subject { unit, body, wish, .. } = *who;
        // Below the ground a unit is not where it will be when it has risen.
        let may_follow = !work.is_low;
        let is_auto = self.path == PathChoice::Auto && may_follow;
        let Work { home, sectors, .. } = work;
        let passage = is_auto.then(|| classifier.passage(home, sectors, who)).flatten();
        if let (Some(passage), Some(memory)) = (&passage, memory)
            && memory.is_bare(passage)
            && let Some(followed) = follow(self.tick, home, sectors, unit, body, wish)
        {
            return Route::Followed(followed);
        }
        let in_the_open = may_follow && classifier.may_follow(home, sectors, who);
        if in_the_open
            && is_auto
            && let Some(followed) = follow(self.tick, home, sectors, unit, body, wish)
        {
            return Route::Followed(followed);
        }
        Route::Full { in_the_open, passage: passage.filter(|_| !in_the_open) }
    }

    /// Whether there is too much within a unit's reach, all of which is in memory: until then it is held.
    fn is_overloaded(&self, work: &mut Work<'_, 'v>, who: &Subject<'_>) -> bool {
        let Subject { unit, state, body, mask, wish, .. } = *who;
        let (view, size) = (work.view, work.view.grid().sector_size());
        is_overloaded(view, self.tick, who)
            && WorldPos::new(unit.sector, unit.local, size).is_ok_and(|place| {
                let who = (body, mask);
                let reach = reach_of(self.tick, view, place, unit, state, who, wish);
                !reach.any_missing(work.sectors, unit.sector)
            })
    }

    /// Moves a unit with the triangles kept for it from tick to tick. `None` where none may be kept.
    #[inline]
    fn with_cached_triangles(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, 'v>,
        task: &mut UnitTask<'_>,
        asked: &Aabb,
        is_checked: bool,
    ) -> Option<Outcome> {
        let around = task.memory.as_ref()?.around();
        if !classifier.is_known(asked) {
            return None;
        }
        let Subject { unit, mask, wish, .. } = task.subject;
        let whose = (task.slot, unit.sector, mask);
        let [x, z] = wish.velocity();
        // Along what is in its way, it goes on as it went.
        let asked_way =
            if unit.motion == Motion::Walking { Vec3::new(x, 0.0, z) } else { Vec3::ZERO };
        let ways = [asked_way, unit.velocity];
        self.columns.gather_cache.with(work.view, whose, ways, around, asked, |at_hand| {
            let who = &task.subject;
            let is_light = is_checked || is_surely_light(&at_hand.near, work.view, self.tick, who);
            if !is_light && self.is_overloaded(work, who) {
                return unmoved(unit, Verdict::Overloaded);
            }
            self.among_props(classifier, work, task, Some(at_hand))
        })
    }

    /// One unit near props, with the triangles at hand.
    fn among_props(
        &self,
        classifier: &Classifier<'_>,
        work: &mut Work<'_, 'v>,
        task: &mut UnitTask<'_>,
        cached: Option<&mut KnownSurroundings>,
    ) -> Outcome {
        let UnitTask { slot, ref mut subject, passage, ref mut memory } = *task;
        let Subject { unit, body, mask, wish, .. } = *subject;
        let Scratch { at_hand: own, around, full } = &mut *work.scratch;
        let at_hand = cached.unwrap_or(own);
        let bare = passage.and_then(|passage| bare(work.view, &at_hand.near, unit, &passage, mask));
        // Props that it touched in the last tick are mostly still there.
        subject.among_props = subject.state.touches_prop() || (passage.is_some() && bare.is_none());
        if let Some(bare) = bare {
            if let Some(memory) = memory
                && classifier.is_known(&bare)
                && !may_be_overloaded_in(&at_hand.near, work.view, unit.sector, &bare, mask)
            {
                memory.set_bare(bare);
            }
            if let Some(followed) = follow(self.tick, work.home, work.sectors, unit, body, wish) {
                return followed;
            }
        }
        let Work { view, sectors, notes, .. } = work;
        let at_hand = (at_hand, around);
        let moved = kinematic(self.tick, *view, sectors, at_hand, subject, full);
        if moved.verdict == Verdict::Moved {
            notes.report.full += 1;
            *work.state = Some(full.state);
            full.events.as_slice().iter().for_each(|kind| notes.emit(slot, *kind));
            if let Some(memory) = memory
                && rests(subject, &moved, full)
                && classifier.is_known(&self.reach(classifier, unit, body, wish))
            {
                memory.set_rest(wish, rest_of(&moved));
            }
        }
        moved
    }

    /// A box around everything that a unit can query in a tick. Metres from its sector's centre.
    pub(super) fn reach(
        &self,
        classifier: &Classifier<'_>,
        unit: &Unit,
        body: &Body,
        wish: Wish,
    ) -> Aabb {
        let carried = classifier.conveyor_speed * self.tick.dt;
        Aabb::at(unit.local).grown(farthest(self.tick, unit, body, wish, carried) + body.radius())
    }
}

/// A box around `passage` that contains no prop. `None` if there is a prop in `passage`.
fn bare(
    view: TerrainView<'_>,
    near: &Gathered,
    unit: &Unit,
    passage: &Aabb,
    mask: u32,
) -> Option<Aabb> {
    if near.covers(view, &Region::of_box(unit.sector, passage)) {
        near.bare_within(view, unit.sector, passage)
    } else {
        view.bare_around(unit.sector, passage, mask, 0.0)
    }
}

/// Why a unit does not move at all, by either controller. `None` if it may move.
#[inline]
fn refuse(home: &UnitSector<'_>, unit: &Unit, wish: Wish) -> Option<Verdict> {
    if !wish.is_valid() {
        return Some(Verdict::Invalid);
    }
    let sector = match &home.state {
        SectorState::Resident(sector) => sector,
        SectorState::Outside => return Some(Verdict::Outside),
        SectorState::NotResident => return Some(Verdict::Held),
    };
    if !home.all_solid {
        let field = sector.field();
        let place = field.place(unit.local.x, unit.local.z);
        if field.cell_kind(place.column as i32, place.row as i32) == CellKind::Outside {
            return Some(Verdict::Outside);
        }
    }
    None
}
