//! Standing between steep walls: a ravine counts as ground, and is walked along its crease.

pub(super) mod between;
pub(super) mod ravine;
pub(super) mod sink;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::greater;
use marchland_terrain::{Ground, WorldPos};

use self::ravine::{LITTLE, USUAL};
use self::sink::SINKS;
use super::air::air_move::FlightResult;
use super::air::sliding::slope_of;
use super::mover::Mover;
use super::planes::Planes;
use super::space::footing::{Band, Footing, FootingKind};
use super::space::level::Blocking;
use super::space::{Missing, Part};
use super::walk::stand::LEVEL;
use crate::units::event::{EventKind, LeftGround};
use crate::units::unit::Motion;

/// How far a unit between walls sinks to touch both. Metres.
const SETTLE: f64 = 0.02;

impl Mover<'_, '_, '_, '_> {
    /// Walks between the walls, as far as the request leads; where it leads into nothing but walls, it steers the unit
    /// as in a slide, or slowly along them.
    pub(crate) fn walk_wedged(&mut self, wish: [f32; 2]) -> Result<(), Missing> {
        self.met.clear();
        // What its knee absorbs supports it, whatever holds it.
        let high = self.space.body.knee() + self.space.hair;
        if let Some(footing) = self.space.footing(self.place, Band { low: -LEVEL, high })?
            && footing.kind == FootingKind::Walkable
            && footing.y >= self.feet() - LEVEL
            && self.space.has_head_room(self.place, footing.y - self.feet())?
        {
            if footing.y > self.feet() + LEVEL {
                self.place = self.space.at_height(self.place, footing.y);
            }
            self.stand_on(&footing);
            return self.walk_for_tick(wish, wish);
        }
        let asked = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
        self.rise_off_edges()?;
        if !self.is_held_between()? {
            // What holds it may be slightly outside the skin, or lower.
            let before = self.standing();
            let drop = greater(f64::from(self.space.body.step_down()), SINKS);
            self.settle_between(DVec3::ZERO, drop, asked != DVec3::ZERO)?;
            if self.motion != Motion::Walking {
                let falls = self.standing();
                self.set_standing(&before);
                if !self.is_wedged_here()? {
                    self.set_standing(&falls);
                    return Ok(());
                }
            }
        }
        self.velocity = Vec3::ZERO;
        if asked == DVec3::ZERO {
            return Ok(());
        }
        let seconds = f64::from(self.space.tick.dt);
        if !self.go_between(asked * seconds, seconds, USUAL)? && !self.slips(wish)? {
            self.go_between(asked * seconds, seconds, LITTLE)?;
        }
        Ok(())
    }

    /// Rises by some hairs off an edge under its middle that it has come to be in by less than that, and that would bar its
    /// way to all sides.
    fn rise_off_edges(&mut self) -> Result<(), Missing> {
        let raised = self.space.raised(self.place, 4.0 * self.space.hair);
        if self.is_entered_at(self.place)? && !self.is_entered_at(raised)? {
            self.place = raised;
        }
        Ok(())
    }

    fn is_entered_at(&mut self, at: WorldPos) -> Result<bool, Missing> {
        let radius = f64::from(self.space.body.radius());
        let walls = self.space.walls(Blocking::All(Part::Upper), at)?;
        Ok(walls.as_slice().iter().any(|wall| wall.distance < 0.5 * radius))
    }

    /// Slides where the request leads; if that is nowhere, the unit stands as before. Returns whether it slid.
    fn slips(&mut self, wish: [f32; 2]) -> Result<bool, Missing> {
        let (place, state, events) = (self.place, self.state, self.events);
        let Some(slope) = slope_of(&self.holding()?) else { return Ok(false) };
        self.begin_slide(&slope, 0.0);
        self.state.is_wedged = false;
        self.slide(wish)?;
        let is_held = self.motion == Motion::Walking && self.state.is_wedged;
        if is_held {
            (self.place, self.state, self.events) = (place, state, events);
            (self.velocity, self.glided) = (Vec3::ZERO, None);
        }
        Ok(!is_held)
    }

    pub(crate) fn leave_wedge(&mut self) -> Result<(), Missing> {
        self.state.is_wedged = false;
        self.state.normal = Vec3::ZERO;
        self.motion = Motion::Falling;
        self.velocity.y = 0.0;
        self.events.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        Ok(())
    }

    /// Stands between steep walls from here on.
    pub(crate) fn stand_wedged(&mut self, speed: f32) {
        self.motion = Motion::Walking;
        self.velocity = Vec3::ZERO;
        self.state.is_wedged = true;
        self.state.support = None;
        self.state.normal = Vec3::Y;
        self.events.push(EventKind::Landed { speed });
    }

    /// Whether a body that came down on something has nothing to stand on there and still goes no deeper: the
    /// tip of a steep hill is under its knees.
    pub(crate) fn hangs(&mut self) -> Result<bool, Missing> {
        Ok(!self.has_stand()? && self.is_wedged_here()?)
    }

    pub(crate) fn has_stand(&mut self) -> Result<bool, Missing> {
        let high = self.space.body.knee() + self.space.hair;
        let band = Band { low: -self.space.body.step_down(), high };
        let footing = self.space.footing(self.place, band)?;
        Ok(footing.is_some_and(|footing| {
            footing.kind == FootingKind::Walkable && footing.y - self.feet() >= band.low
        }))
    }

    /// Whether only its knees keep it up, or would soon: the ground under the centre is too steep, and nothing that it
    /// could stand on is under its feet.
    pub(crate) fn is_on_knees(&mut self) -> Result<bool, Missing> {
        let ground = self.space.ground_footing(self.place)?;
        let low = self.feet() - self.space.body.step_down();
        let is_steep =
            ground.is_some_and(|ground| ground.kind == FootingKind::Steep && ground.y >= low);
        Ok(is_steep && !self.has_stand()?)
    }

    /// Slides by a motion. A unit with its knees on a rim that can be stood on first goes off it
    /// horizontally, because the way along the face leads through the rim.
    pub(crate) fn slide_by(&mut self, by: DVec3, to: WorldPos) -> Result<FlightResult, Missing> {
        let start = self.place;
        let is_on_rim = self.is_on_rim()?;
        let flown = self.collide_and_slide(by, to)?;
        if !is_on_rim {
            return Ok(flown);
        }
        let ends = match flown {
            FlightResult::On | FlightResult::Bounces { .. } => self.is_free()?,
            FlightResult::Stood { .. } => self.has_stand()?,
        };
        if ends {
            return Ok(flown);
        }
        let (end, met) = (self.place, self.met.clone());
        self.place = start;
        let off = DVec3::new(by.x, 0.0, by.z);
        let to = self.space.moved(start, off);
        let again = self.collide_and_slide(off, to)?;
        if again == FlightResult::On && self.place != start && self.is_free()? {
            return Ok(again);
        }
        (self.place, *self.met) = (end, met);
        Ok(flown)
    }

    /// Whether ground that can be stood on keeps the knees up, where the ground under the centre is
    /// too steep.
    pub(crate) fn is_on_rim(&mut self) -> Result<bool, Missing> {
        let footing = self.space.ground_footing(self.place)?;
        Ok(footing.is_some_and(|footing| self.is_rim(&footing)))
    }

    /// The same of the ground that was found under its feet.
    pub(crate) fn is_rim(&self, ground: &Footing) -> bool {
        let under = self.space.view.ground(self.place);
        ground.kind == FootingKind::Steep
            && matches!(under, Ground::Height(y) if ground.y > y)
            && self.feet() < ground.y + LEVEL
    }

    /// Whether ground under the centre that is too steep is above the feet.
    pub(crate) fn is_in_steep_ground(&mut self) -> Result<bool, Missing> {
        if !self.is_below_ground() {
            return Ok(false);
        }
        let footing = self.space.ground_footing(self.place)?;
        Ok(footing.is_some_and(|footing| footing.kind == FootingKind::Steep))
    }

    /// Everything that may hold a body from below: what it touches, and the ground under its feet.
    fn holding(&mut self) -> Result<Planes, Missing> {
        let mut planes = self.around()?;
        self.keep_above_ground(&mut planes)?;
        Ok(planes)
    }

    /// Whether a body's surroundings hold it up: no way between what it touches leads down more steeply than
    /// what can be walked, or the way that seems to is barred before it leads anywhere. Depends only on the
    /// place, so that a wedged unit stays wedged.
    pub(crate) fn is_wedged_here(&mut self) -> Result<bool, Missing> {
        if self.is_held_between()? {
            return Ok(true);
        }
        let was = self.standing();
        let (met, props_met) = (self.met.clone(), self.props_met);
        let (met_edge, met_slope) = (self.met_edge, self.met_slope);
        self.met.clear();
        (self.motion, self.is_suspended, self.state.is_wedged) = (Motion::Sliding, false, false);
        let mut is_wedged = self.sinks_nowhere(SETTLE);
        if let Ok(false) = is_wedged {
            // A unit at rest begins with less than that.
            (self.place, self.motion) = (was.place, Motion::Sliding);
            self.met.clear();
            is_wedged = self.sinks_nowhere(SETTLE / 8.0);
        }
        self.set_standing(&was);
        (*self.met, self.props_met) = (met, props_met);
        (self.met_edge, self.met_slope) = (met_edge, met_slope);
        is_wedged
    }

    /// Whether the body sinks nowhere if it tries to by `by` metres, following what bends away below as a
    /// slide does.
    fn sinks_nowhere(&mut self, by: f64) -> Result<bool, Missing> {
        let planes = self.holding()?;
        if planes.hold(self.space.body.resume_slope_cos()) {
            return Ok(true);
        }
        let way = planes.still().nearest(DVec3::NEG_Y * by).unwrap_or(DVec3::ZERO);
        let (start, is_on_rim) = (self.place, self.is_on_rim()?);
        let to = self.space.moved(start, way);
        let _ = self.slide_by(way, to)?;
        self.rise_to_ground()?;
        let mut beside = self.holding()?;
        if slope_of(&beside).is_none() {
            self.follow_slope_down(&mut beside)?;
        }
        let cosine = self.space.body.resume_slope_cos();
        let moved = self.place.relative_to(start, self.space.size).as_dvec3();
        let sinks = -moved.y >= 0.5 * by * (1.0 - cosine * cosine);
        // A rim under the knees may keep it up all the way off it.
        let gets_off = is_on_rim && level(moved) > 0.5 * level(way) + f64::from(LEVEL);
        Ok(!(sinks || gets_off) || !self.is_free()?)
    }
}

/// The horizontal length of a way. Metres.
fn level(way: DVec3) -> f64 {
    (way.x * way.x + way.z * way.z).sqrt()
}
