//! Walking: along walls, over what the knee absorbs, down the ground that is followed.
//!
//! `walk_along` goes stretch by stretch (`stretch`), each of which ends with support (`stand`, `step_down`). At what is in
//! the way `get_over` decides: a ladder, a step (`step_up`), a ledge, or along it. Walls below the knee are in `low_wall`,
//! lines of the terrain in `line`. Who is barred looks for a way in `corner`, `beside` and `ramp`; who goes to and fro, or
//! round and round, is stopped in `led_back` and `recurrence`.

pub(super) mod beside;
pub(super) mod corner;
pub(super) mod get_over;
pub(super) mod led_back;
pub(super) mod line;
pub(super) mod low_wall;
pub(super) mod ramp;
pub(super) mod recurrence;
pub(super) mod stand;
pub(super) mod stand_up;
pub(super) mod step_down;
pub(super) mod step_up;
pub(super) mod stretch;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::{SurfaceId, WorldPos};

use self::stretch::StretchResult;
use super::depenetrate::aside::longest_aside;
use super::mover::{Mover, ShortWalk};
use super::planes::Planes;
use super::space::Missing;
use super::space::level::{Blocking, plane_beside};
use crate::following::follow::sub_steps;
use crate::limits::SLIDES_MAX;
use crate::units::event::{EventKind, LeftGround};
use crate::units::unit::Motion;

/// Shorter moves are ignored. Metres: less than a coordinate can represent.
pub(crate) const STILL: f64 = 1e-7;

/// Least `y` of the normal of a face that a unit slides on: half a degree off upright. Steeper faces are
/// walls that it falls along.
pub(crate) const SLIDE_UP_MIN: f64 = 0.0087;

/// Most steps in a sub-step. A sub-step is at most a radius or a cell long, and 64 usual treads are 18 m. A
/// unit that goes farther over stairs in one tick, on wider cells, loses the rest of its way.
const STEPS_MAX: u32 = 64;

/// Most stretches that a sub-step is cut into, so that support is taken about every radius.
const STRETCHES_MAX: f64 = 64.0;

/// Who gets on by less than this part of a walk is barred.
pub(crate) const BARRED: f64 = 0.1;

/// How far a walk has come.
struct Progress {
    /// The part of the wanted motion that is left.
    left: f64,
    /// Whether nothing has been in the way so far.
    is_straight: bool,
    /// Walls met since the last step.
    bumps: u32,
    /// Steps taken.
    steps: u32,
}

impl Progress {
    /// A part of what is left has led over a step. Returns whether it may go on.
    fn steps(&mut self, part: f64) -> bool {
        self.left *= 1.0 - part;
        self.is_straight = false;
        (self.steps, self.bumps) = (self.steps + 1, 0);
        self.steps <= STEPS_MAX
    }

    /// A part of what is left has led to something in the way. Returns whether it may go on.
    fn bumps(&mut self, part: f64) -> bool {
        self.left *= 1.0 - part;
        self.is_straight = false;
        self.bumps += 1;
        self.bumps <= SLIDES_MAX
    }
}

/// The result of an obstacle.
enum Obstacle {
    /// The way leads along it.
    Aside,
    /// The unit got over it.
    Behind,
    /// The walk ends at it, or after getting over it.
    Ends,
}

impl Mover<'_, '_, '_, '_> {
    /// Walks at a velocity for the tick, with the wish `asked`. A short way is in one piece; where it is barred, nothing
    /// is left over.
    pub(super) fn walk_for_tick(
        &mut self,
        asked: [f32; 2],
        velocity: [f32; 2],
    ) -> Result<(), Missing> {
        let tick = self.space.tick;
        if tick.is_short(asked) {
            let Vec3 { x, y, z } = self.place.local();
            let (to, residue) = tick.walk([x, z], (asked, velocity), self.residue);
            let goal = self.space.placed(self.place, Vec3::new(to[0], y, to[1]));
            self.short = Some(ShortWalk { goal, to, residue });
        }
        self.walk_for(velocity, tick.dt)?;
        if let Some(short) = &mut self.short
            && [self.velocity.x, self.velocity.z] != velocity
        {
            short.residue = [0.0; 2];
        }
        Ok(())
    }

    /// Walks at a velocity for `dt` seconds.
    pub(super) fn walk_for(&mut self, velocity: [f32; 2], dt: f32) -> Result<(), Missing> {
        self.velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
        let delta = velocity.map(|speed| speed * dt);
        let count = sub_steps(self.space.tick, self.space.body, delta);
        let parts = count as f32;
        let (delta, dt) = (delta.map(|metres| metres / parts), dt / parts);
        let from = self.place;
        for _ in 0..count {
            self.walk_by(delta, dt)?;
            if self.motion != Motion::Walking && !self.is_suspended {
                break;
            }
        }
        if self.motion == Motion::Falling && !self.catch_behind(from)? {
            self.events.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        }
        Ok(())
    }

    /// Walks by `delta` metres along X and Z in `dt` seconds, also where support was lost in this tick.
    pub(crate) fn walk_by(&mut self, delta: [f32; 2], dt: f32) -> Result<(), Missing> {
        if self.state.is_wedged {
            return Ok(()); // it goes on between walls from the next tick on
        }
        let start = self.space.has_steep.then(|| self.standing());
        let from = self.place;
        self.walk_along(delta, dt)?;
        if !self.space.went_free(from, self.place) {
            let walk = DVec3::new(f64::from(delta[0]), 0.0, f64::from(delta[1]));
            self.step_aside(from, walk.length())?;
        }
        match start {
            Some(before) if self.motion == Motion::Walking && before.motion == Motion::Walking => {
                self.leave_corner(&before, delta, dt)
            }
            None if self.is_low_wall => {
                let went = self.place.relative_to(from, self.space.size).as_dvec3();
                self.leave_low_corner(went, delta, dt)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn walk_along(&mut self, delta: [f32; 2], dt: f32) -> Result<(), Missing> {
        let from = self.place.local();
        let goal = match self.short {
            Some(short) => short.goal,
            None => self
                .space
                .placed(self.place, Vec3::new(from.x + delta[0], from.y, from.z + delta[1])),
        };
        let wanted = DVec3::new(f64::from(delta[0]), 0.0, f64::from(delta[1]));
        let length = wanted.length();
        if length <= STILL {
            self.heading = DVec3::ZERO;
            // In the open even the smallest move counts, as in following.
            let creeps = self.space.in_the_open && self.line_before(wanted, goal)?.is_none();
            return self.stay_at(if creeps { goal } else { self.place });
        }
        let longest = self.longest_stretch(length);
        let mut progress = Progress { left: 1.0, is_straight: true, bumps: 0, steps: 0 };
        self.met.clear();
        self.is_low_wall = false;
        self.heading = wanted / length;
        while progress.left * length > STILL {
            let rest = wanted * progress.left;
            let (motion, along) = self.along_walls(rest)?;
            // The way out of the skin may lead back.
            let is_blocked = along.dot(wanted) <= 0.0 || along.length() <= STILL;
            if is_blocked || motion != rest {
                match self.take_obstacle(rest, dt, is_blocked, &mut progress)? {
                    Obstacle::Aside => {}
                    Obstacle::Behind => continue,
                    Obstacle::Ends => return Ok(()),
                }
            }
            progress.is_straight &= motion == rest;
            let (part, to) = self.stretch_end(motion, longest, goal, progress.is_straight);
            self.keep_speed(along, progress.left * f64::from(dt), progress.is_straight);
            let before = self.place;
            let advanced = self.advance(motion * part, to)?;
            if !self.met.is_empty() {
                let went = self.place.relative_to(before, self.space.size).as_dvec3();
                self.met.go(went);
            }
            match advanced {
                StretchResult::Whole => progress.left *= 1.0 - part,
                StretchResult::Over(time) => {
                    if !progress.steps(part * time) {
                        return Ok(());
                    }
                    self.met.clear();
                }
                StretchResult::Lifted(time) => {
                    let up = self.walk_up(motion * (part * (1.0 - time)))?;
                    let goes_on = match up {
                        Some(up) => progress.steps(part * (1.0 - (1.0 - time) * (1.0 - up))),
                        None => progress.bumps(part * time),
                    };
                    if !goes_on {
                        return Ok(());
                    }
                }
                StretchResult::Part(time) => {
                    if !progress.bumps(part * time) {
                        return Ok(());
                    }
                }
            }
            if self.motion != Motion::Walking && !self.is_suspended {
                return Ok(()); // it slides or climbs from here on
            }
        }
        Ok(())
    }

    /// The longest way that is walked before support is taken. Metres.
    fn longest_stretch(&self, length: f64) -> f64 {
        let radius = f64::from(self.space.body.radius());
        if self.space.in_the_open {
            length // as following does: support at the end
        } else if length > radius * STRETCHES_MAX {
            length / STRETCHES_MAX
        } else {
            radius
        }
    }

    /// Gets over what is in the way of the rest of a walk, or stops at it if the way is blocked.
    fn take_obstacle(
        &mut self,
        rest: DVec3,
        dt: f32,
        is_blocked: bool,
        progress: &mut Progress,
    ) -> Result<Obstacle, Missing> {
        if let Some(part) = self.get_over(rest, dt)? {
            return Ok(self.goes_over(part, progress));
        }
        if is_blocked {
            if let Some(part) = self.step_up_beside(rest)? {
                return Ok(self.goes_over(part, progress));
            }
            (self.velocity.x, self.velocity.z) = (0.0, 0.0);
            // What it stands on may be too steep, or gone.
            self.stay_at(self.place)?;
            return Ok(Obstacle::Ends);
        }
        Ok(Obstacle::Aside)
    }

    /// A part of what is left has led over what was in the way.
    fn goes_over(&mut self, part: f64, progress: &mut Progress) -> Obstacle {
        if !progress.steps(part) || self.motion != Motion::Walking {
            return Obstacle::Ends;
        }
        // What was in the way is underfoot now.
        self.met.clear();
        self.is_low_wall = false;
        Obstacle::Behind
    }

    /// How much of a motion the next stretch takes, and where it ends if nothing is in the way.
    fn stretch_end(
        &self,
        motion: DVec3,
        longest: f64,
        goal: WorldPos,
        is_straight: bool,
    ) -> (f64, WorldPos) {
        let far = motion.length();
        // A slightly longer move is not cut: what is left of it would be negligible, and miss the goal.
        let part = if far > longest * 1.000_001 { longest / far } else { 1.0 };
        let to = if is_straight && part == 1.0 {
            // At the present height: earlier stretches may have gone up or down.
            self.space.at_height(goal, self.feet())
        } else {
            self.space.moved(self.place, motion * part)
        };
        (part, to)
    }

    /// What is left of a motion along everything in the way, within the skin and met before: with the way out of
    /// the skin, and without.
    fn along_walls(&mut self, rest: DVec3) -> Result<(DVec3, DVec3), Missing> {
        let blocking = Blocking::All(self.blocking());
        let radius = self.space.body.radius();
        // In place: a list is large, and mostly holds few planes.
        self.walls.take_over(self.met);
        for wall in self.space.walls(blocking, self.place)?.as_slice() {
            // What can be stood on acts only as support.
            if !wall.is_ground {
                self.walls.push(plane_beside(wall, radius));
            }
        }
        let mut at = 0;
        while let Some(plane) = self.walls.as_slice().get(at).copied() {
            at += 1;
            if plane.normal.dot(rest) < 0.0 {
                self.record_plane(&plane);
            }
        }
        if !self.is_suspended {
            self.take_low_walls(rest)?;
        }
        let planes = &*self.walls;
        let mut motion = solve(planes, rest);
        if motion != rest {
            motion = planes.eased(motion);
        }
        if self.keeps_speed(planes, rest) && motion.length() > STILL {
            motion *= rest.length() / motion.length();
        }
        let pushes = planes.as_slice().iter().any(|plane| plane.depth > 0.0);
        Ok(if pushes { out_along(planes, motion, rest) } else { (motion, motion) })
    }

    /// Whether a motion glances only off surfaces without friction, along which speed is kept.
    fn keeps_speed(&self, planes: &Planes, rest: DVec3) -> bool {
        let length = rest.length();
        let mut slick = false;
        for plane in planes.as_slice() {
            let into = plane.normal.dot(rest);
            if into < -1e-9 * length {
                let surface = SurfaceId(plane.surface);
                let is_slick = plane.triangle.is_some()
                    && self.space.surface(surface).friction == 0.0
                    && into > -0.5 * length;
                if !is_slick {
                    return false;
                }
                slick = true;
            }
        }
        slick
    }

    /// Sets the velocity to what is left of the request along what is in the way.
    fn keep_speed(&mut self, motion: DVec3, seconds: f64, is_straight: bool) {
        if is_straight {
            return;
        }
        let (x, z) = (f64::from(self.velocity.x), f64::from(self.velocity.z));
        let asked = (x * x + z * z).sqrt();
        let mut velocity = motion / seconds;
        let speed = velocity.length();
        if speed > asked {
            velocity *= asked / speed;
        }
        (self.velocity.x, self.velocity.z) = (velocity.x as f32 + 0.0, velocity.z as f32 + 0.0);
    }
}

/// The nearest motion that planes allow. Where they push against each other, the nearest without any push.
fn solve(planes: &Planes, rest: DVec3) -> DVec3 {
    planes.nearest(rest).unwrap_or_else(|| planes.still().nearest(rest).unwrap_or(DVec3::ZERO))
}

/// A motion that planes push out of themselves, no longer than a walk that leads aside may be, and what is left of the
/// walk without the push. It may be far inside of what it cannot step onto, or the way out may lead along a narrow
/// corner.
#[inline(never)]
fn out_along(planes: &Planes, motion: DVec3, rest: DVec3) -> (DVec3, DVec3) {
    let along = solve(&planes.still(), rest);
    let (far, most) = (motion.length(), longest_aside(rest.length()));
    (if far > most { motion * (most / far) } else { motion }, along)
}
