//! Falling for some time. The time left after a landing is walked, the time left after a bounce is fallen.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use super::air_move::FlightResult;
use super::sliding::slope_of;
use crate::following::follow::sub_steps;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::FootingKind;
use crate::units::event::{EventKind, LeftGround};
use crate::units::tick::without_creep;
use crate::units::unit::Motion;

/// Upward speed above which a unit does not come to rest on what it touches. Metres per second.
const RISING: f32 = 1e-3;

/// Most times that a unit bounces in a tick.
const BOUNCES_MAX: usize = 4;

impl Mover<'_, '_, '_, '_> {
    /// Falls for the whole tick; walks for what is left of it after a landing.
    pub(crate) fn fall(&mut self) -> Result<(), Missing> {
        let dt = self.space.tick.dt;
        let level = [self.velocity.x, self.velocity.z].map(without_creep);
        [self.velocity.x, self.velocity.z] = level;
        let mut delta = level.map(|speed| speed * dt);
        let count = sub_steps(self.space.tick, self.space.body, delta);
        let parts = count as f32;
        let dt = dt / parts;
        delta = delta.map(|metres| metres / parts);
        let from = self.place;
        for part in 1..=count {
            self.flight_left = dt * (count - part) as f32;
            match self.motion {
                Motion::Falling if !self.is_suspended => {
                    let velocity = self.velocity;
                    self.fall_for(dt, delta)?;
                    if (self.velocity.x, self.velocity.z) != (velocity.x, velocity.z) {
                        delta = [self.velocity.x * dt, self.velocity.z * dt];
                    }
                }
                Motion::Walking | Motion::Falling => self.walk_by(delta, dt)?,
                Motion::Sliding | Motion::Climbing => break,
            }
        }
        self.flight_left = 0.0;
        if self.motion == Motion::Falling && self.is_suspended && !self.catch_behind(from)? {
            // It came down, and walked off what it came down on.
            self.events.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        }
        Ok(())
    }

    /// Falls for `dt` seconds, and by `delta` metres along X and Z; walks for what is left after a landing.
    pub(crate) fn fall_for(&mut self, dt: f32, delta: [f32; 2]) -> Result<(), Missing> {
        let (mut left, mut delta) = (dt, delta);
        for bounce in 0..=BOUNCES_MAX {
            let back = self.fall_until(left, delta, bounce == BOUNCES_MAX)?;
            if back <= 0.0 {
                break;
            }
            left = back;
            delta = [self.velocity.x * back, self.velocity.z * back];
        }
        Ok(())
    }

    /// Falls until it bounces, and returns the seconds left then.
    fn fall_until(&mut self, dt: f32, delta: [f32; 2], is_last: bool) -> Result<f32, Missing> {
        let gravity = self.space.tick.gravity;
        let (start, v) = (self.place, self.velocity);
        let from = start.local();
        // The same order of operations as in following.
        let y = from.y + (v.y * dt - 0.5 * gravity * dt * dt);
        let to = Vec3::new(from.x + delta[0], y, from.z + delta[1]);
        let fall = f64::from(y) - f64::from(from.y);
        let mut wanted = DVec3::new(f64::from(delta[0]), fall, f64::from(delta[1]));
        let mut end = self.space.placed(self.place, to);
        if self.ahead != DVec3::ZERO {
            wanted -= self.take_ahead(wanted);
            end = self.space.moved(self.place, wanted);
        }
        self.flight = dt;
        let mut flown = self.collide_and_slide(wanted, end)?;
        let is_held_up = flown == FlightResult::On && self.place == start && fall < 0.0;
        if is_held_up && (wanted.x, wanted.z) != (0.0, 0.0) {
            // A line that stops it on the level again and again does not hold it up.
            let aside = self.met.clone();
            let down = DVec3::NEG_Y * -fall;
            let end = self.space.moved(start, down);
            flown = self.collide_and_slide(down, end)?;
            aside.as_slice().iter().for_each(|plane| self.met.push(*plane));
        }
        if let FlightResult::Bounces { left, off } = flown {
            let at = self.velocity_in_flight(left);
            self.record_plane(&off);
            self.bounce(off.normal, off.surface, at);
        }
        self.flight = 0.0;
        if let FlightResult::Bounces { left, .. } = flown {
            return Ok(if is_last { 0.0 } else { dt * left as f32 });
        }
        if flown == FlightResult::On && self.catch_met() {
            return Ok(0.0);
        }
        let terminal = self.space.body.terminal_speed();
        let fallen = v.y - gravity * dt;
        let fallen = greater(-terminal, fallen);
        let after = Vec3::new(v.x, fallen, v.z);
        self.velocity =
            if self.met.is_empty() { after } else { self.along_met(after.as_dvec3()).as_vec3() };
        // Ground that is too steep was in its way before what is lower beside it.
        if let FlightResult::Stood { left, normal, surface } = flown
            && !self.is_in_steep_ground()?
        {
            let at = v.as_dvec3() - DVec3::Y * (f64::from(gravity * dt) * (1.0 - left));
            if self.hangs()? {
                self.stand_wedged(if at.y < 0.0 { -at.y as f32 } else { 0.0 });
                return Ok(0.0);
            }
            let rest = dt * left as f32;
            if !self.land(normal, surface, at) {
                return Ok(if is_last { 0.0 } else { rest });
            }
            let [x, z] = [self.velocity.x * rest, self.velocity.z * rest];
            self.walk_by([x, z], rest)?;
            if self.is_suspended && self.place == start {
                self.slip_off(normal)?;
            }
            return Ok(0.0);
        }
        let reached = self.feet();
        let Some(footing) = self.meet_ground(from.y)? else {
            self.rest_on_slope(after)?;
            return Ok(0.0);
        };
        // The part of the fall that was above the ground.
        let (fell, below) = (from.y - reached, footing.y - reached);
        let part = if fell > 0.0 && below < fell { 1.0 - below / fell } else { 0.0 };
        let at = v.as_dvec3() - DVec3::Y * f64::from(gravity * dt * part);
        let (normal, surface) = (footing.normal.as_dvec3(), footing.surface.0);
        if footing.kind == FootingKind::Steep {
            if !self.bounce(normal, surface, at) {
                self.velocity = self.along_met(after.as_dvec3()).as_vec3();
                self.rest_on_slope(after)?;
                return Ok(0.0);
            }
        } else if self.land(normal, surface, at) {
            self.stand_on(&footing);
            return Ok(0.0);
        }
        let rest = dt * (1.0 - part);
        let way = if self.met.is_empty() {
            Vec3::new(v.x * rest, 0.0, v.z * rest).as_dvec3()
        } else {
            let flown = self.place.relative_to(start, self.space.size).as_dvec3();
            flown.with_y(0.0) * f64::from(1.0 - part)
        };
        self.go_back(way)?;
        Ok(if is_last { 0.0 } else { rest })
    }

    /// Slips off what is under its skin alone and does not support it: otherwise it would come down on that in each tick.
    fn slip_off(&mut self, normal: DVec3) -> Result<(), Missing> {
        let by = normal.with_y(0.0).normalize_or_zero() * f64::from(SKIN);
        let time = self.space.sweep_core(self.place, by)?.map_or(1.0, |hit| hit.time);
        let to = self.space.moved(self.place, by * time);
        if !self.space.is_outside(to) {
            self.place = to;
        }
        Ok(())
    }

    /// What a flight has gone of its way already, pushed ahead of what moves: that has gone its way in this tick, the
    /// flight begins now.
    fn take_ahead(&mut self, wanted: DVec3) -> DVec3 {
        let length = self.ahead.length();
        let along = self.ahead / length;
        let gone = along * lesser(length, greater(wanted.dot(along), 0.0));
        self.ahead = if gone == DVec3::ZERO { DVec3::ZERO } else { self.ahead - gone };
        gone
    }

    /// Goes back to where a flight met the ground that it ended below. A bounce starts there, so that nothing
    /// is lost seen from above. `way` is the last part of the flight, seen from above. Metres.
    fn go_back(&mut self, way: DVec3) -> Result<(), Missing> {
        if way == DVec3::ZERO {
            return Ok(());
        }
        // Lower than the flight was: something may stand there.
        let time = self.space.sweep_core(self.place, -way)?.map_or(1.0, |hit| hit.time);
        self.place = self.space.moved(self.place, -way * time);
        self.rise_to_ground()
    }

    /// On a surface too steep to stand on it slides; between two such walls it stands.
    fn rest_on_slope(&mut self, velocity: Vec3) -> Result<(), Missing> {
        let Some(slope) = slope_of(self.met) else { return Ok(()) };
        if self.velocity.y > RISING {
            return Ok(());
        }
        let planes = self.around()?;
        let speed = if velocity.y < 0.0 { -velocity.y } else { 0.0 };
        if planes.hold(self.space.body.resume_slope_cos()) && self.is_wedged_here()? {
            self.stand_wedged(speed);
        } else {
            self.begin_slide(&slope, speed);
        }
        Ok(())
    }
}
