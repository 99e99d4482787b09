//! Getting over what is in the way: a step, a ledge; a ladder begins here.

use marchland_terrain::glam::{BVec3, DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{PropId, WorldPos};

use super::footing::{Band, Footing, FootingKind};
use super::level::Blocking;
use super::mover::Mover;
use super::planes::Plane;
use super::space::{CONTACT_MARGIN, Missing, PARTING, Part};
use super::stand::LEVEL;
use super::walk::{BARRED, STILL};
use crate::following::triangle_walk::BELOW_FEET;
use crate::units::contact_state::Climb;
use crate::units::event::{EventKind, LeftGround};
use crate::units::unit::Motion;

/// The least distance that a step reaches beyond the skin, so that the foot is above the step at every tick
/// rate. Metres.
pub(super) const STEP_FORWARD_MIN: f64 = 0.012;

/// Who meets a step more aslant than this, as the part of its way that leads into it, does not look through all of its
/// skin for it: that would be farther than a unit is known to reach.
const ASLANT_MIN: f64 = 0.25;

/// Least part of a way along something that leads into a step beside it.
const BESIDE_MIN: f64 = 0.05;

/// Least part of a request that must point into a wall to climb its ledge: within 60° of head-on.
const CLIMB_HEAD_ON: f64 = 0.5;

/// How many ledges, one below the other, are looked at.
const LEDGES_MAX: usize = 4;

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
    /// Gets over what blocks the rest of a walk, if the body can. Returns the part of that rest which this
    /// took: all of it where a climb has begun. `None` where there is no way over.
    pub(crate) fn get_over(&mut self, rest: DVec3, dt: f32) -> Result<Option<f64>, Missing> {
        if self.motion != Motion::Walking || self.is_suspended {
            return Ok(None);
        }
        let Some(wall) = self.most_opposing(rest) else { return Ok(None) };
        let length = rest.length();
        let into = -rest.dot(wall.normal) / length;
        if into >= CLIMB_HEAD_ON
            && let Some(ladder) = self.ladder_of(&wall)?
        {
            self.begin_ladder(&ladder);
            return Ok(Some(1.0));
        }
        let body = self.space.body;
        let is_taller = body.step_up() > body.knee() + LEVEL;
        if (is_taller || self.is_low_wall)
            && let Some(part) = self.step_up(rest, &wall)?
        {
            return Ok(Some(part));
        }
        if body.climb() > body.step_up() && into >= CLIMB_HEAD_ON && dt > 0.0 {
            let top = self.ledge_before(-wall.normal)?;
            if let Some(top) = top {
                self.begin_climb(&top, &wall);
                return Ok(Some(1.0));
            }
        }
        Ok(None)
    }

    /// The wall that opposes a motion most.
    fn most_opposing(&self, rest: DVec3) -> Option<Plane> {
        let walls = self.walls.as_slice().iter().chain(self.met.as_slice());
        let against = walls.filter(|wall| wall.normal.dot(rest) < -1e-3 * rest.length());
        against.copied().reduce(|a, b| if b.normal.dot(rest) < a.normal.dot(rest) { b } else { a })
    }

    /// Takes a step where the rest of a walk leads into something else beside it: along that. Returns the part of that
    /// rest which this took.
    #[cold]
    pub(super) fn step_up_beside(&mut self, rest: DVec3) -> Result<Option<f64>, Missing> {
        let body = self.space.body;
        let is_taller = body.step_up() > body.knee() + LEVEL;
        let is_walking = self.motion == Motion::Walking && !self.is_suspended;
        let is_beside = self.walls.as_slice().len() > 1;
        if !is_beside || !is_walking || !(is_taller || self.is_low_wall) {
            return Ok(None);
        }
        let mut at = 0;
        while let Some(wall) = self.walls.as_slice().get(at).copied() {
            at += 1;
            let along = self.walls.without(wall.normal).nearest(rest).unwrap_or(DVec3::ZERO);
            let length = along.length();
            if length > STILL
                && wall.normal.dot(along) < -BESIDE_MIN * length
                && let Some(part) = self.step_up(along, &wall)?
            {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// Lift, move, drop: by the whole rest of a walk, or, where that leads too high or beyond the step, no
    /// further than onto the step. Returns the part of the rest that was walked if this ends higher than
    /// before on something that can be stood on, or is about to. A unit that has not come through the skin
    /// yet continues in it, so that a step neither costs nor gains time at any tick rate. What moves lets nobody
    /// stay in the skin: that is left in one step.
    fn step_up(&mut self, rest: DVec3, wall: &Plane) -> Result<Option<f64>, Missing> {
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
        if far > 0.0 && wall.prop().is_some_and(|prop| self.space.movers.get(prop).is_some()) {
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
            .sweep_level_bare(Blocking::All(Part::Whole), self.place, rest)?
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
    pub(super) fn top_over(&mut self, most: f32, along: DVec3) -> Result<Option<Top>, Missing> {
        self.top_at(most, along, false)
    }

    /// The same for who climbs: on its way over the edge no ground below its feet is too steep.
    pub(super) fn top_climbed(&mut self, most: f32, along: DVec3) -> Result<Option<Top>, Missing> {
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
        if self.space.sweep_level_bare(Blocking::All(Part::Whole), raised, along)?.is_some()
            || self.space.sweep_level_bare(Blocking::LowWalls, raised, along)?.is_some()
        {
            return Ok(None);
        }
        // A sweep is not stopped by what is already within the skin.
        let place = self.space.at_height(to, footing.y);
        let is_free = self.space.is_free_above(place)?
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

    pub(super) fn walkable_at(
        &mut self,
        at: WorldPos,
        near: f32,
    ) -> Result<Option<Footing>, Missing> {
        // Ground is found however low it is.
        let lowest = at.local().y - near;
        let footing = self.space.footing(at, Band { low: -near, high: near })?;
        Ok(footing.filter(|at| at.kind == FootingKind::Walkable && at.y >= lowest))
    }

    /// A ledge to climb in a direction: the highest with room above it, of a prop, or of ground that is farther behind
    /// its steep face by no more than a body.
    pub(crate) fn ledge_before(&mut self, ahead: DVec3) -> Result<Option<Top>, Missing> {
        let radius = f64::from(self.space.body.radius());
        let near = self.ledge_at(ahead * (radius + 2.0 * f64::from(SKIN)))?;
        if near.is_some() || !self.space.has_steep {
            return Ok(near);
        }
        let far = self.ledge_at(ahead * (2.0 * radius + 4.0 * f64::from(SKIN)))?;
        Ok(far.filter(|top| top.prop.is_none()))
    }

    fn ledge_at(&mut self, along: DVec3) -> Result<Option<Top>, Missing> {
        let hair = self.space.hair;
        let least = self.space.body.step_up() + hair;
        let to = self.space.moved(self.place, along);
        let mut band = Band { low: least, high: self.space.body.climb() + hair };
        for _ in 0..LEDGES_MAX {
            let Some(ledge) = self.space.walkable_footing(to, band)? else { break };
            let rise = ledge.y - self.feet();
            let top = self.top_climbed(rise, along)?.filter(|top| top.rise > least);
            if top.is_some() {
                return Ok(top);
            }
            band.high = rise - hair;
            if band.high < band.low {
                break; // by rounding: there is none between it and a step
            }
        }
        Ok(None)
    }

    /// Sets out for a top: first up, and down onto it at last.
    pub(super) fn go_over(&mut self, top: &Top) {
        let rise = greater(top.rise, 0.0);
        let left = Vec3::new(top.along.x as f32, rise, top.along.z as f32);
        let total = (f64::from(rise) + top.along.length()) as f32;
        self.state.climb = Climb { left, total };
    }

    fn begin_climb(&mut self, top: &Top, wall: &Plane) {
        self.go_over(top);
        self.motion = Motion::Climbing;
        self.velocity = Vec3::ZERO;
        // A ledge that moves takes along who climbs it, not who climbs a wall below it.
        let climbed = wall.prop().filter(|_| wall.prop() == top.prop);
        (self.state.support, self.state.normal) = (climbed, Vec3::ZERO);
        self.events.push(EventKind::ClimbBegan { rise: top.rise });
    }

    /// A tick of climbing: up a ledge, or a ladder.
    pub(crate) fn climb(&mut self, wish: [f32; 2], jump: bool) -> Result<(), Missing> {
        if self.state.climb.total > 0.0 {
            self.climb_ledge()
        } else {
            self.climb_ladder(wish, jump)
        }
    }

    fn climb_ledge(&mut self) -> Result<(), Missing> {
        let dt = self.space.tick.dt;
        let mut budget = self.space.body.climb_speed() * dt;
        let mut left = self.state.climb.left;
        // A ledge that turns may come down to lower than the climber is.
        let up = greater(-budget, lesser(left.y, budget));
        budget -= up.abs();
        let level = (left.x * left.x + left.z * left.z).sqrt();
        let part = if level <= budget { 1.0 } else { budget / level };
        let by = Vec3::new(left.x * part, up, left.z * part);
        let (start, is_last_up, is_last) = (self.place, up == left.y, part == 1.0);
        let (rise, along) = (DVec3::new(0.0, f64::from(up), 0.0), by.as_dvec3().with_y(0.0));
        for motion in [rise, along] {
            if motion == DVec3::ZERO {
                continue;
            }
            // Flush with its wall the skin is in what juts out of it by rounding; by that, too, it may be a little lower
            // than the edge.
            let hair = if motion.y == 0.0 { self.space.hair } else { 0.0 };
            let from = self.space.raised(self.place, hair);
            let hit = self.space.sweep_bare(from, motion)?;
            let blocked = hit.is_some_and(|hit| f64::from(hit.normal.y) < 0.7);
            if blocked {
                return self.fall_off(Vec3::ZERO);
            }
            self.place = self.space.moved(self.place, motion);
        }
        self.velocity = by / dt;
        // Rounding takes nothing off the way.
        left -= self.place.relative_to(start, self.space.size);
        left = Vec3::select(BVec3::new(is_last, is_last_up, is_last), Vec3::ZERO, left);
        self.state.climb.left = left;
        // A ledge that has gone on without its climber carries it no more.
        if let Some(prop) = self.state.support
            && !self.space.has_beside(self.place, prop, (false, PARTING))?
        {
            self.state.support = None;
        }
        if left == Vec3::ZERO {
            self.velocity = Vec3::ZERO;
            self.state.climb = Climb::NONE;
            match self.walkable_at(self.place, self.space.body.step_down())? {
                Some(footing) => {
                    self.place = self.space.at_height(self.place, footing.y);
                    self.stand_on(&footing);
                    self.events.push(EventKind::ClimbEnded);
                }
                None => return self.fall_off(Vec3::ZERO),
            }
        }
        Ok(())
    }

    pub(super) fn fall_off(&mut self, velocity: Vec3) -> Result<(), Missing> {
        let jumped = velocity != Vec3::ZERO;
        self.motion = Motion::Falling;
        self.velocity = velocity;
        self.state.climb = Climb::NONE;
        self.state.support = None;
        self.state.normal = Vec3::ZERO;
        let reason = if jumped { LeftGround::Jumped } else { LeftGround::LostSupport };
        self.events.push(EventKind::LeftGround { reason });
        Ok(())
    }
}
