//! A step up: lift, move, drop. When one is tried is decided in `get_over`.

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{PropId, WorldPos};

use super::BARRED;
use super::stand::LEVEL;
use crate::following::triangle_walk::BELOW_FEET;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::space::level::Blocking;
use crate::kinematic::space::{CONTACT_MARGIN, Missing, Part};
use crate::units::event::EventKind;

/// The least distance that a step reaches beyond the skin, so that the foot is above the step at every tick
/// rate. Metres.
pub(crate) const STEP_FORWARD_MIN: f64 = 0.012;

/// Who meets a step more aslant than this, as the part of its way that leads into it, does not look through all of its
/// skin for it: that would be farther than a unit is known to reach.
const ASLANT_MIN: f64 = 0.25;

/// A place to climb to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Top {
    /// Where the feet would stand.
    pub(crate) place: WorldPos,
    /// How much higher that is. Metres.
    pub(crate) rise: f32,
    /// The way there, seen from above. Metres.
    pub(crate) along: DVec3,
    /// What the feet would stand on; `None` is ground.
    pub(crate) prop: Option<PropId>,
}

/// Whether a place is higher by more than rounding.
fn is_step(top: &Top) -> bool {
    top.rise > LEVEL
}

impl Mover<'_, '_, '_, '_> {
    /// Lift, move, drop: by the whole rest of a walk, or, where that leads too high or beyond the step, no
    /// further than onto the step. Returns the part of the rest that was walked if this ends higher than
    /// before on something that can be stood on, or is about to. A unit that has not come through the skin
    /// yet continues in it, so that a step neither costs nor gains time at any tick rate. What moves lets nobody
    /// stay in the skin: that is left in one step.
    pub(crate) fn step_up(&mut self, rest: DVec3, wall: &Plane) -> Result<Option<f64>, Missing> {
        let length = rest.length();
        let ahead = rest / length;
        let into = -rest.dot(wall.normal) / length;
        if self.step_onto(ahead * length)? {
            return Ok(Some(1.0));
        }
        let onto = (f64::from(SKIN + CONTACT_MARGIN) + STEP_FORWARD_MIN) / into;
        if onto < length {
            let is_on = self.step_onto(ahead * onto)?;
            return Ok(is_on.then_some(onto / length));
        }
        let most = self.space.body.step_up();
        // Aslant it is far through the skin.
        let far = if into > ASLANT_MIN { onto } else { 0.0 };
        if far > 0.0 && wall.prop().is_some_and(|prop| self.space.moving_props.get(prop).is_some())
        {
            // A thin body may not be put as far aside as its skin is wide.
            let far = lesser(far, length + self.aside_left(self.way_of(wall.prop())));
            return Ok(self.step_onto(ahead * far)?.then_some(1.0));
        }
        let beyond = self.top_over(most, ahead * greater(far, length + STEP_FORWARD_MIN))?;
        if beyond.filter(is_step).is_none() {
            return Ok(None);
        }
        let time = self
            .space
            .sweep_level_core(Blocking::All(Part::Whole), self.place, rest)?
            .map_or(1.0, |hit| hit.time);
        if time < BARRED {
            return Ok(None); // something beside the step is in the way, along which it goes on
        }
        self.place = self.space.moved(self.place, rest * time);
        Ok(Some(1.0))
    }

    /// Takes a step by `along`, if there is one.
    fn step_onto(&mut self, along: DVec3) -> Result<bool, Missing> {
        if self.has_surely_no_step(along)? {
            return Ok(false);
        }
        let top = self.top_over(self.space.body.step_up(), along)?;
        let Some(top) = top.filter(is_step) else { return Ok(false) };
        let Some(footing) = self.walkable_at(top.place, self.space.hair)? else { return Ok(false) };
        self.place = top.place;
        self.stand_on(&footing);
        if top.rise > self.space.body.knee() && !self.is_on_slope(&footing, &top) {
            self.events.push(EventKind::Stepped { rise: top.rise });
        }
        Ok(true)
    }

    /// Whether a step would surely end on no prop, and what is in the way is higher than the ground that it would end on.
    fn has_surely_no_step(&mut self, along: DVec3) -> Result<bool, Missing> {
        let to = self.space.moved(self.place, along);
        let high = self.space.body.step_up() + self.space.hair;
        if !self.space.has_surely_no_floor(to, (LEVEL, high)) {
            return Ok(false);
        }
        let ground = self.space.ground_within(to, high)?;
        let rise = ground.map_or(0.0, |ground| ground.y - self.feet());
        let raised = self.space.at_height(self.place, self.feet() + rise + self.space.hair);
        Ok(rise <= LEVEL || rise > high || self.space.surely_meets(raised, along))
    }

    /// Where a body comes down that is lifted, moved by `along`, and dropped: on the highest support under
    /// its disc there, at most `most` metres above the feet, if that can be stood on and the way is free.
    pub(crate) fn top_over(&mut self, most: f32, along: DVec3) -> Result<Option<Top>, Missing> {
        self.top_at(most, along, false)
    }

    /// The same for who climbs: on its way over the edge no ground below its feet is too steep.
    pub(crate) fn top_climbed(&mut self, most: f32, along: DVec3) -> Result<Option<Top>, Missing> {
        self.top_at(most, along, true)
    }

    fn top_at(&mut self, most: f32, along: DVec3, climbs: bool) -> Result<Option<Top>, Missing> {
        let feet = self.feet();
        let to = self.space.moved(self.place, along);
        let band = Band { low: -self.space.body.step_down(), high: most + self.space.hair };
        let footing = self.space.footing(to, band)?;
        let Some(footing) = footing.filter(|at| at.kind == FootingKind::Walkable) else {
            return Ok(None);
        };
        let rise = footing.y - feet;
        if rise > band.high {
            return Ok(None);
        }
        let high = f64::from(if rise > 0.0 { footing.y } else { feet });
        let line = if climbs {
            self.first_line((along, None), high + 2.0 * BELOW_FEET, true)?
        } else if footing.prop.is_some() && rise > 0.0 {
            self.first_line((along, None), high, true)?
        } else {
            self.line_before_at(along, to, high)?
        };
        if line.is_some() {
            return Ok(None);
        }
        let lift = if rise > 0.0 { rise + self.space.hair } else { self.space.hair };
        if self.space.free_lift(self.place, lift)? < lift {
            return Ok(None);
        }
        let raised = self.space.at_height(self.place, feet + lift);
        // A surface that can be stood on and is only under the skin is no wall: the top may rise, along the way or aside.
        if self.space.sweep_level_core(Blocking::All(Part::Whole), raised, along)?.is_some()
            || self.space.sweep_level_core(Blocking::LowWalls, raised, along)?.is_some()
        {
            return Ok(None);
        }
        // A sweep is not stopped by what is already within the skin.
        let place = self.space.at_height(to, footing.y);
        let is_free = self.space.is_free_below(place, SKIN)?
            && (!self.space.has_steep || self.space.is_clear_of_ground(place)?);
        Ok(is_free.then_some(Top { place, rise, along, prop: footing.prop }))
    }

    /// Whether a step in the direction of the walk ends on something that can be stood on; what is steep in
    /// between is then no wall. The distance is the same at every tick rate.
    pub(crate) fn can_step_over(&mut self) -> Result<bool, Missing> {
        let far = f64::from(self.space.body.radius()) + STEP_FORWARD_MIN;
        let most = self.space.body.step_up();
        let ahead = self.heading;
        Ok(ahead != DVec3::ZERO && self.top_over(most, ahead * far)?.is_some())
    }

    /// Whether a step from a place would lead over what is steep there.
    pub(crate) fn steps_from(&mut self, at: WorldPos) -> Result<bool, Missing> {
        let here = std::mem::replace(&mut self.place, at);
        let steps = self.can_step_over();
        self.place = here;
        steps
    }

    pub(crate) fn walkable_at(
        &mut self,
        at: WorldPos,
        near: f32,
    ) -> Result<Option<Footing>, Missing> {
        // Ground is found however low it is.
        let lowest = at.local().y - near;
        let footing = self.space.footing(at, Band { low: -near, high: near })?;
        Ok(footing.filter(|at| at.kind == FootingKind::Walkable && at.y >= lowest))
    }
}
