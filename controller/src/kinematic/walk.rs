//! Walking: along walls, over what the knee absorbs, down the ground that is followed.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::LevelImpact;
use marchland_terrain::{SurfaceId, WorldPos};

use super::aside::longest_aside;
use super::beside::SUMMED;
use super::footing::{Band, Footing, FootingKind};
use super::level::{Blocking, plane_beside, plane_met};
use super::mover::Mover;
use super::planes::{Plane, Planes};
use super::space::{Missing, Part};
use super::stand::{LEVEL, Stand};
use crate::limits::SLIDES_MAX;
use crate::terrain_walls::{Stop, first_stop};
use crate::triangle_walk::{BELOW_FEET, Walker};
use crate::units::Motion;

/// Shorter moves are ignored. Metres: less than a coordinate can represent.
pub(crate) const STILL: f64 = 1e-7;

/// Least `y` of the normal of a face that a unit slides on: half a degree off upright. Steeper faces are
/// walls that it falls along.
pub(crate) const SLIDE_UP_MIN: f64 = 0.0087;

/// Most steps in a sub-step. A sub-step is at most a radius or a cell long, and 64 usual treads are 18 m. A
/// unit that goes farther over stairs in one tick, on wider cells, loses the rest of its way.
const STEPS_MAX: u32 = 64;

/// Most times in a sub-step that a unit steps out of walls.
const ASIDE_MAX: u32 = 4;

/// The greatest part of a step out of a wall by which the wall comes nearer again that is allowed for.
const BACK_MAX: f64 = 0.9;

/// Most stretches that a sub-step is cut into, so that support is taken about every radius.
const STRETCHES_MAX: f64 = 64.0;

/// Who gets on by less than this part of a walk is barred.
pub(super) const BARRED: f64 = 0.1;

/// Least cosine between the normals of two contacts of a prop that belong to the same wall.
const SAME_FACE: f64 = 0.99;

/// The result of a stretch.
enum Advanced {
    /// It was free.
    Whole,
    /// Something was met after this part of it.
    Part(f64),
    /// Ground that was met after this part of it has lifted the unit.
    Lifted(f64),
    /// What was in the way after this part of it is now underfoot, or a step down was taken there.
    Over(f64),
}

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
    /// Walks by `delta` metres along X and Z in `dt` seconds, also where support was lost in this tick.
    pub(crate) fn walk_by(&mut self, delta: [f32; 2], dt: f32) -> Result<(), Missing> {
        if self.extra.is_wedged {
            return Ok(()); // it goes on between walls from the next tick on
        }
        let start = self.space.has_steep.then(|| (self.standing(), self.news));
        let from = self.place;
        self.walk_along(delta, dt)?;
        if !self.space.went_free(from, self.place) {
            self.step_aside()?;
        }
        match start {
            Some((before, news))
                if self.motion == Motion::Walking && before.motion == Motion::Walking =>
            {
                self.leave_corner(&before, news, delta, dt)
            }
            None if self.is_low_wall => {
                let went = self.place.relative_to(from, self.space.size).as_dvec3();
                self.leave_low_corner(went, delta, dt)
            }
            _ => Ok(()),
        }
    }

    fn walk_along(&mut self, delta: [f32; 2], dt: f32) -> Result<(), Missing> {
        let from = self.place.local();
        let goal =
            self.space.placed(self.place, Vec3::new(from.x + delta[0], from.y, from.z + delta[1]));
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
                Advanced::Whole => progress.left *= 1.0 - part,
                Advanced::Over(time) => {
                    progress.left *= 1.0 - part * time;
                    progress.is_straight = false;
                    (progress.steps, progress.bumps) = (progress.steps + 1, 0);
                    if progress.steps > STEPS_MAX {
                        return Ok(());
                    }
                    self.met.clear();
                }
                Advanced::Lifted(time) if self.walk_up(motion * (part * (1.0 - time)))? => {
                    progress.left *= 1.0 - part;
                    progress.is_straight = false;
                    (progress.steps, progress.bumps) = (progress.steps + 1, 0);
                    if progress.steps > STEPS_MAX {
                        return Ok(());
                    }
                }
                Advanced::Part(time) | Advanced::Lifted(time) => {
                    progress.left *= 1.0 - part * time;
                    progress.is_straight = false;
                    progress.bumps += 1;
                    if progress.bumps > SLIDES_MAX {
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
            progress.left *= 1.0 - part;
            progress.is_straight = false;
            (progress.steps, progress.bumps) = (progress.steps + 1, 0);
            if self.motion != Motion::Walking || progress.steps > STEPS_MAX {
                return Ok(Obstacle::Ends);
            }
            // What was in the way is underfoot now.
            self.met.clear();
            self.is_low_wall = false;
            return Ok(Obstacle::Behind);
        }
        if is_blocked {
            self.stop_walking();
            // What it stands on may be too steep, or gone.
            self.stay_at(self.place)?;
            return Ok(Obstacle::Ends);
        }
        Ok(Obstacle::Aside)
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

    /// Steps out of walls that are in the body since it went down beside them: a slope is nearer farther down,
    /// and the way out of it may lead down again.
    fn step_aside(&mut self) -> Result<(), Missing> {
        let mut last: Option<f64> = None;
        for _ in 0..ASIDE_MAX {
            if self.space.in_the_open || self.motion != Motion::Walking {
                return Ok(());
            }
            let Some(out) = self.way_out_of_walls(self.place)? else { return Ok(()) };
            let length = out.length();
            // Each step brings a part of it back: the sum of all that would follow.
            let back = last.map_or(0.0, |last| length / last);
            last = Some(length);
            let out = out / (1.0 - if back < BACK_MAX { back } else { BACK_MAX });
            self.pushed += out.length();
            if self.pushed > f64::from(0.5 * self.space.body.radius() + SKIN) {
                return Ok(());
            }
            let is_sum = out.length() > SUMMED * length;
            let before = is_sum.then(|| (self.standing(), self.news));
            if !self.goes_aside(out)? {
                return Ok(());
            }
            if let Some((from, news)) = before {
                self.go_less_aside((&from, news), out)?;
            }
        }
        Ok(())
    }

    /// Goes aside by so much. Returns whether nothing was in the way.
    pub(super) fn goes_aside(&mut self, by: DVec3) -> Result<bool, Missing> {
        self.met.clear();
        let to = self.space.moved(self.place, by);
        Ok(matches!(self.advance(by, to)?, Advanced::Whole))
    }

    /// Stands beside a place where walls that lean over it leave no room for a rise: a little farther from them,
    /// as they are nearer higher up. Returns false, with nothing changed, where that leads not on.
    #[inline(never)]
    fn rises_beside(
        &mut self,
        at: WorldPos,
        footing: &Footing,
        way: DVec3,
    ) -> Result<bool, Missing> {
        if footing.kind != FootingKind::Walkable {
            return Ok(false);
        }
        let above = self.space.free_above(self.place)?;
        let mut to = at;
        for _ in 0..ASIDE_MAX {
            let raised = self.space.at_height(to, footing.y + above);
            let Some(out) = self.way_out_below_head(raised)? else { return Ok(false) };
            to = self.space.moved(to, out);
            let went = to.relative_to(self.place, self.space.size).as_dvec3();
            if went.dot(way) < BARRED * way.length_squared()
                || went.length() > longest_aside(way.length())
            {
                return Ok(false);
            }
            let (here, motion) = (self.place, went.with_y(0.0));
            if self.line_before(motion, to)?.is_some()
                || self.space.sweep_level_bare(here, motion)?.is_some()
            {
                return Ok(false);
            }
            if matches!(self.stand_at(to)?, Stand::There) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The part that blocks: the upper part of a standing unit, the whole of a falling one.
    fn blocking(&self) -> Part {
        if self.is_suspended { Part::Whole } else { Part::Upper }
    }

    /// Goes on along a motion until something is met, and stands there.
    fn advance(&mut self, motion: DVec3, to: WorldPos) -> Result<Advanced, Missing> {
        let blocking = Blocking::All(self.blocking());
        let hit = self.space.sweep_level(blocking, self.place, motion)?;
        let mut time = hit.as_ref().map_or(1.0, |hit| hit.time);
        // The last of many stretches ends at the goal, slightly beside its own end; not over the edge.
        let is_whole = hit.is_none() && !self.space.is_outside(to);
        let mut place = if is_whole { to } else { self.space.moved(self.place, motion * time) };
        let low = self.low_wall_before(motion, time)?;
        if let Some((at, _)) = low {
            (time, place) = (at, self.space.moved(self.place, motion * at));
        }
        let line = self.line_before(motion, to)?;
        if let Some(stop) = &line
            && stop.part < time
        {
            (time, place) = (stop.part, self.stop_place(stop));
        }
        let (feet, way) = (self.feet(), motion * time);
        let from = self.long_stretch_from(way);
        if let Stand::Wall(footing) = self.stand_at(place)?
            && !self.rises_beside(place, &footing, way)?
        {
            if self.meet_leaning(&footing, way)? {
                return Ok(Advanced::Part(0.0));
            }
            // Beside the face that has come into the foot there may be another, which is still met.
            if let Some((_, plane)) = low {
                self.meet(plane);
            }
            let part = self.meet_low_wall(way, &footing)?;
            return Ok(Advanced::Part(part * time));
        }
        if let Some(from) = from.filter(|_| self.is_suspended)
            && let Some(part) = self.step_down_before(way, from)?
        {
            return Ok(Advanced::Over(part * time));
        }
        let is_lifted = self.feet() > feet + LEVEL;
        match (line, hit) {
            (Some(stop), _) if stop.part <= time => {
                // From there the ground may be below the feet again.
                if is_lifted && stop.part > 0.0 && !stop.is_edge && self.is_over_ground()? {
                    return Ok(Advanced::Over(time));
                }
                self.meet_line(&stop);
            }
            _ if low.is_some() => {
                self.is_low_wall = true;
                low.into_iter().for_each(|(_, plane)| self.meet(plane));
            }
            (_, Some(hit)) => {
                // Ground that has lifted the unit is no wall.
                if is_lifted && !hit.is_ground && !self.is_still_met(&hit)? {
                    return Ok(Advanced::Over(time));
                }
                if hit.is_ground && is_lifted {
                    return Ok(Advanced::Lifted(time));
                }
                self.meet(plane_met(&hit));
            }
            _ => return Ok(Advanced::Whole),
        }
        Ok(Advanced::Part(time))
    }

    /// Whether a prop that was met is still in the way where the unit stands now: stairs lift it over the
    /// risers, of which its knee absorbs one at a time.
    fn is_still_met(&mut self, hit: &LevelImpact) -> Result<bool, Missing> {
        if hit.triangle.prop().is_none() {
            return Ok(true);
        }
        let walls = self.space.walls(Blocking::All(self.blocking()), self.place)?;
        Ok(walls.as_slice().iter().any(|wall| {
            wall.triangle.prop() == hit.triangle.prop() && wall.normal.dot(hit.normal) > SAME_FACE
        }))
    }

    /// The first line of the terrain that a walking unit's centre may not cross.
    pub(crate) fn line_before(
        &mut self,
        motion: DVec3,
        to: WorldPos,
    ) -> Result<Option<Stop>, Missing> {
        self.line_before_at(motion, to, f64::from(self.feet()))
    }

    /// The same with the feet at another height.
    pub(super) fn line_before_at(
        &mut self,
        motion: DVec3,
        to: WorldPos,
        feet: f64,
    ) -> Result<Option<Stop>, Missing> {
        let is_in_air = self.motion == Motion::Falling || self.is_suspended;
        let is_level = motion.x != 0.0 || motion.z != 0.0;
        // Where no sector can name the end, `to` is the start, which is no way over open ground.
        let half = f64::from(self.space.tick.half);
        let ends = |from: f32, by: f64| f64::from(from) + by;
        let local = self.place.local();
        let is_near = |metres: f64| -half <= metres && metres < half;
        let is_home = is_near(ends(local.x, motion.x)) && is_near(ends(local.z, motion.z));
        if !is_level || (is_home && self.space.is_open(self.place, to)) {
            return Ok(None);
        }
        let feet = if motion.y < 0.0 { feet + motion.y } else { feet };
        let first = self.first_line(motion, feet, false)?;
        let is_slope = first.as_ref().is_some_and(|stop| !stop.is_edge);
        if !is_slope || is_in_air || !self.is_over_ground()? {
            return Ok(first);
        }
        self.first_line(motion, feet, true)
    }

    /// The first line before a unit whose feet are at a height, on a prop there if `is_above`, otherwise as
    /// it stands.
    pub(crate) fn first_line(
        &mut self,
        motion: DVec3,
        feet: f64,
        is_above: bool,
    ) -> Result<Option<Stop>, Missing> {
        let is_in_air = self.motion == Motion::Falling || self.is_suspended;
        let walks = self.motion == Motion::Walking && !self.is_suspended;
        // Sticky ground is never steep, cell by cell, whatever the unit stands on.
        let tangent = self.space.body.max_slope_tan();
        let walker = Walker {
            motion: if is_in_air { Motion::Falling } else { Motion::Walking },
            is_above,
            feet,
            // Who walks over a gap is held up by the near side of it, and is lifted onto the far side.
            rim: if walks { feet + f64::from(self.space.rim_max()) } else { feet },
            slope_squared: tangent * tangent,
            never_steep: self.space.sticky.as_ref(),
            heading: if is_in_air { [0.0; 2] } else { [self.heading.x, self.heading.z] },
        };
        let from = [self.place.local().x, self.place.local().z];
        let frame = &self.space.tick.frame;
        let sector = self.place.sector();
        let way = [motion.x, motion.z];
        Ok(first_stop(self.space.sectors, sector, frame, &walker, from, way)?)
    }

    /// Whether a prop holds the unit above the ground.
    fn is_over_ground(&mut self) -> Result<bool, Missing> {
        if self.extra.support.is_none() && !self.is_on_prop()? {
            return Ok(false);
        }
        let feet = f64::from(self.feet());
        let ground = self.space.ground_footing(self.place)?;
        Ok(ground.is_none_or(|ground| f64::from(ground.y) < feet - BELOW_FEET))
    }

    /// Whether a prop is at the feet, or under a sliding body.
    fn is_on_prop(&mut self) -> Result<bool, Missing> {
        if self.motion != Motion::Sliding {
            let band = Band { low: -LEVEL, high: LEVEL };
            return Ok(self.space.prop_footing(self.place, band)?.is_some());
        }
        self.space.touching(Part::Whole, self.place)?;
        let mut contacts = self.space.contacts.as_slice().iter();
        Ok(contacts.any(|at| at.triangle.prop().is_some() && f64::from(at.normal.y) > SLIDE_UP_MIN))
    }

    pub(crate) fn stop_place(&self, stop: &Stop) -> WorldPos {
        let y = self.feet();
        self.space.placed(self.place, Vec3::new(stop.at[0], y, stop.at[1]))
    }

    pub(crate) fn meet_line(&mut self, stop: &Stop) {
        let [x, z] = stop.normal;
        let normal = DVec3::new(x, 0.0, z);
        self.meet(Plane { normal, depth: stop.away, triangle: None, surface: 0 });
        if stop.is_edge {
            self.met_edge = true;
        } else {
            self.met_slope = true;
        }
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

    fn stop_walking(&mut self) {
        (self.velocity.x, self.velocity.z) = (0.0, 0.0);
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
