//! Being crushed: what presses a unit against something is not passed through.
//!
//! ```text
//!          a mover is in the body where the tick ends, and no way out is free
//! free ─────────────────────────────────────────────────────────────────────▶ crushed (event, for each prop)
//!   ▲                                                                            │ place and motion stay,
//!   │  no prop that crushes it is in the body any more (event, for each prop)    │ the velocity is 0
//!   └────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! - A tick in which a mover presses is decided where it ends. A body that a mover is in there goes out by the
//!   shortest way that is free: ahead of the mover or to a side of it, never against the direction in which it
//!   came, by at most the radius, the skin and the mover's way ([`crush_exit`](super::crush_exit)). If there is none,
//!   the body is crushed.
//! - While that lasts, nothing else is computed: the unit neither walks nor falls nor stands on anything, and
//!   is pushed by nothing. So nothing can lead it through the prop, however thin the prop is.
//! - In every tick it is tried again to go out, on the side where the unit was when it began. That side turns
//!   with the prop.
//! - It ends where the prop is out of the whole body, the part below the knee included: back where it came
//!   from, so that a unit under a press is under it and one on a lift stands on it; or past the whole body.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::props::PosedProp;
use marchland_terrain::{PropId, WorldPos};

use super::piece::put;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::posed::displaced;
use crate::kinematic::space::{Missing, Part};
use crate::units::contact_state::{CRUSHERS_MAX, Crusher, Crushers};
use crate::units::event::EventKind;
use crate::units::unit::Motion;

impl<'v> Mover<'_, '_, 'v, '_> {
    /// A crushed unit's tick. Returns whether it still is crushed, or has got out by itself; if not, its tick
    /// goes on as that of any other.
    pub(crate) fn stays_crushed(&mut self) -> Result<bool, Missing> {
        let before = self.state.crushers;
        if before == [None; CRUSHERS_MAX] {
            return Ok(false);
        }
        let mut known = before;
        for crusher in known.iter_mut().flatten() {
            crusher.side = self.turned_side(crusher);
        }
        // It may have been put elsewhere, or the ground where it is.
        self.rise_to_ground()?;
        let now = self.crushers_at(self.place, &known)?;
        let out = if now[0].is_some() { self.way_out_of(&now)? } else { None };
        if let Some(out) = &out {
            self.place = out.place;
        }
        let is_out = out.is_some_and(|out| out.is_whole);
        let now = if is_out { [None; CRUSHERS_MAX] } else { now };
        self.emit_crushers(&before, &now)?;
        self.let_go = known;
        let rests = is_out || now[0].is_some();
        self.velocity = Vec3::ZERO;
        (self.state.support, self.state.normal) = (None, Vec3::ZERO);
        Ok(rests)
    }

    /// After a tick in which something presses: goes out of what is in the body, or is crushed by it. Returns
    /// whether the tick ends with that; if not, nothing is in the body.
    pub(crate) fn is_crushed_at(&mut self, at: WorldPos, motion: Motion) -> Result<bool, Missing> {
        self.is_pressed = false;
        let moved = std::mem::replace(&mut self.place, at);
        self.rise_to_ground()?;
        let at = std::mem::replace(&mut self.place, moved);
        let let_go = self.let_go;
        let now = self.crushers_at(at, &let_go)?;
        if now[0].is_none() {
            self.emit_passing(at, motion)?;
            return Ok(false);
        }
        self.place = at;
        self.motion = motion;
        self.is_suspended = false;
        self.velocity = Vec3::ZERO;
        let out = self.way_out_of(&now)?;
        let is_out = out.as_ref().is_some_and(|out| out.is_whole);
        if let Some(out) = out {
            self.place = out.place;
        }
        for crusher in now.iter().flatten() {
            self.props_met.push(crusher.prop, crusher.side.as_dvec3());
        }
        // What it is pressed against is still there.
        for prop in self.state.contacts_last_tick.into_iter().flatten() {
            self.props_met.push(prop, DVec3::ZERO);
        }
        if !is_out {
            // What crushed it until now crushes it still.
            for crusher in now.iter().flatten() {
                self.events.take_back(EventKind::CrushEnded { prop: crusher.prop });
            }
            let before = let_go
                .map(|one| one.filter(|one| now.iter().flatten().any(|now| now.prop == one.prop)));
            self.emit_crushers(&before, &now)?;
        }
        // What has gone on without it carries it no more, unless it has been shoved along that.
        if !is_out || (self.is_left_behind() && !self.is_over_support()?) {
            (self.state.support, self.state.normal) = (None, Vec3::ZERO);
        }
        self.emit_contacts()?;
        Ok(true)
    }

    /// Tells of moving props that went through the body within this tick, wholly past it, while the unit was pressed
    /// or could not go where it was carried. They crushed the unit, which is left behind.
    fn emit_passing(&mut self, at: WorldPos, motion: Motion) -> Result<(), Missing> {
        if self.is_passed {
            return Ok(());
        }
        let middle = Vec3::Y * (0.5 * self.space.body.height());
        let own = at.relative_to(self.began_at, self.space.size).as_dvec3();
        let mut is_passed = false;
        let moving_props = self.space.moving_props;
        for (prop, way, _) in moving_props.iter() {
            let lost = if self.state.support == Some(prop) {
                self.carried - own
            } else {
                displaced(&way, at, middle, self.pressed_from, 1.0)
            };
            if lost.length() <= f64::from(SKIN) {
                continue;
            }
            // Seen from the prop, the body has come from where it would be if it had gone along.
            let from = self.space.moved(at, lost);
            // Past the part that blocks: what passes below the knee of a walker is stepped onto.
            let part = if motion == Motion::Walking { Part::Upper } else { Part::Whole };
            let core = self.space.slice(part, 0.0);
            let Some(hit) = self.space.sweep_posed(&way.posed(1.0), core, from, -lost)? else {
                continue;
            };
            let depth = (lost.length() * (1.0 - hit.time)) as f32;
            if depth <= TOUCH {
                continue;
            }
            self.events.push(EventKind::Crushed { prop, depth });
            self.events.push(EventKind::CrushEnded { prop });
            is_passed = true;
        }
        if is_passed {
            // It goes on from where it is, and nothing carries it.
            (self.is_passed, self.velocity) = (true, Vec3::ZERO);
            (self.state.support, self.state.normal) = (None, Vec3::ZERO);
        }
        Ok(())
    }

    /// Ends the tick at a place where the unit was in it, in the motion in which it began: crushed, if a mover
    /// is in the body there too.
    pub(crate) fn end_at(&mut self, place: WorldPos, motion: Motion) -> Result<(), Missing> {
        if self.is_crushed_at(place, motion)? {
            return Ok(());
        }
        (self.place, self.motion, self.velocity) = (place, motion, Vec3::ZERO);
        self.is_suspended = false;
        self.rise_to_ground()?;
        if self.is_free()? {
            self.mark_freed();
        } else {
            self.mark_stuck(0.0);
        }
        self.emit_contacts()
    }

    /// Whether a prop that carries the unit has gone on by more than the unit's skin without it.
    pub(crate) fn is_left_behind(&self) -> bool {
        let own = self.place.relative_to(self.began_at, self.space.size).as_dvec3();
        let moves =
            self.state.support.is_some_and(|id| self.space.moving_props.ids().contains(&id));
        moves && (self.carried - own).length() > f64::from(SKIN)
    }

    /// Whether what carried the unit is still under it.
    fn is_over_support(&mut self) -> Result<bool, Missing> {
        let under = self.under()?;
        Ok(under.is_some_and(|under| under.prop == self.state.support))
    }

    /// Whether a mover is in the body where the tick has led: in what blocks of it, or in all of it where a
    /// unit that walked has lost its support.
    pub(crate) fn is_entered(&mut self, began: Motion) -> Result<bool, Missing> {
        let is_lost = began == Motion::Walking && self.is_suspended;
        let part = match self.motion {
            Motion::Walking => Part::Upper,
            _ => Part::Whole,
        };
        let moving_props = self.space.moving_props;
        for (_, way, _) in moving_props.iter() {
            let depth = self.space.depth_in(&way.posed(1.0), part, self.place)?;
            if depth.is_some_and(|depth| is_lost || depth > TOUCH) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The props that crush a body at a place: those that have been doing so, and the moving props that are in it.
    fn crushers_at(&mut self, at: WorldPos, known: &Crushers) -> Result<Crushers, Missing> {
        let mut now = [None; CRUSHERS_MAX];
        for crusher in known.iter().flatten() {
            if let Some(posed) = self.posed_now(crusher.prop)
                && self.space.depth_in(&posed, Part::Whole, at)?.is_some()
            {
                put(&mut now, *crusher);
            }
        }
        let is_known = |id| known.iter().flatten().any(|known| known.prop == id);
        let moving_props = self.space.moving_props;
        for (prop, way, _) in moving_props.iter() {
            if is_known(prop) || self.space.depth_in(&way.posed(1.0), Part::Whole, at)?.is_none() {
                continue;
            }
            let middle = Vec3::Y * (0.5 * self.space.body.height());
            let by = displaced(&way, at, middle, 0.0, 1.0);
            // What carries the unit has gone on by what that has not; against all others it was on its way with that.
            let with = match self.state.support == Some(prop) {
                true => at.relative_to(self.began_at, self.space.size).as_dvec3(),
                false => self.carried,
            };
            let apart = by - with;
            // Where it goes along with the body, what tells the side is its face.
            let side = match self.space.contacts.deepest() {
                Some(face) if apart.length() <= f64::from(SKIN) => face.normal.as_dvec3(),
                _ => apart.normalize_or(by.normalize_or(DVec3::Y)),
            };
            put(&mut now, Crusher { prop, side: side.as_vec3() });
        }
        let count = now.iter().flatten().count();
        now[..count].sort_unstable_by_key(|crusher| crusher.map(|crusher| crusher.prop));
        Ok(now)
    }

    /// A live prop that the unit meets, as it is now.
    pub(crate) fn posed_now(&self, id: PropId) -> Option<PosedProp<'v>> {
        let prop = self.space.view.live()?.get(id)?;
        prop.is_met_by(self.space.mask).then(|| prop.posed())
    }

    /// The side of a crusher, turned with it.
    fn turned_side(&self, crusher: &Crusher) -> Vec3 {
        let Some(way) = self.space.moving_props.get(crusher.prop) else { return crusher.side };
        let side = crusher.side.as_dvec3();
        let ends = [Vec3::ZERO, crusher.side].map(|by| displaced(&way, self.place, by, 0.0, 1.0));
        (side + ends[1] - ends[0]).normalize_or(side).as_vec3()
    }

    /// Tells what began to crush the unit and what ceased to.
    fn emit_crushers(&mut self, before: &Crushers, now: &Crushers) -> Result<(), Missing> {
        let has = |list: &Crushers, prop| list.iter().flatten().any(|one| one.prop == prop);
        for Crusher { prop, .. } in before.iter().flatten() {
            if !has(now, *prop) {
                self.events.push(EventKind::CrushEnded { prop: *prop });
            }
        }
        for &Crusher { prop, .. } in now.iter().flatten() {
            if !has(before, prop)
                && let Some(posed) = self.posed_now(prop)
            {
                let depth = self.space.depth_in(&posed, Part::Whole, self.place)?;
                self.events.push(EventKind::Crushed { prop, depth: depth.unwrap_or(0.0) });
            }
        }
        self.state.crushers = *now;
        Ok(())
    }
}

/// How deep a mover may be in a body where a tick ends without being in it. Metres: more than what
/// [`is_free`](Mover::is_free) does not see.
pub(crate) const TOUCH: f32 = 6e-4;
