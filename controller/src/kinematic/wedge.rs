//! Standing between steep walls: a ravine counts as ground, and is walked along its crease.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::{Ground, WorldPos};

use super::air_move::Flown;
use super::footing::{Band, FootingKind};
use super::mover::Mover;
use super::planes::{Plane, Planes};
use super::sliding::slope_of;
use super::space::{Missing, Part, upright};
use super::stand::LEVEL;
use super::walk::STILL;
use crate::event::{EventKind, LeftGround};
use crate::units::Motion;

/// A way along a crease that is free for less than this part of it is barred.
const BARRED: f64 = 0.1;

/// How far a unit between walls sinks to touch both. Metres.
const SETTLE: f64 = 0.02;

impl Mover<'_, '_, '_, '_> {
    /// Walks along the crease between the walls, as far as the request points along it. A request for another
    /// way steers the unit as in a slide.
    pub(crate) fn walk_wedged(&mut self, wish: [f32; 2]) -> Result<(), Missing> {
        self.met.clear();
        if let Some(footing) = self.space.footing(self.place, Band { low: -LEVEL, high: LEVEL })?
            && footing.kind == FootingKind::Walkable
            && footing.y >= self.feet() - LEVEL
        {
            self.stand_on(&footing);
            return self.walk_for(wish, self.space.tick.dt);
        }
        if !self.is_wedged_here()? {
            // What holds it may be slightly outside the skin.
            self.settle(false)?;
            if self.motion != Motion::Walking {
                return Ok(());
            }
        }
        self.velocity = Vec3::ZERO;
        let asked = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
        if asked == DVec3::ZERO {
            return Ok(());
        }
        let (planes, seconds) = (self.holding()?, f64::from(self.space.tick.dt));
        // Along a crease the speed, seen from above, is that of the request's part along it.
        let along = self.crease(&planes, asked).map(|crease| {
            let level = crease.x * crease.x + crease.z * crease.z;
            crease * (asked.dot(crease) / level)
        });
        let is_off = along.is_none();
        let velocity = match along {
            Some(along) => along,
            None if self.go_between(asked * seconds, seconds)? || self.slips(wish)? => return Ok(()),
            // Nothing leans on it: off the end of a crease.
            None => off_walls(&planes, asked),
        };
        let by = velocity * seconds;
        if by.length() <= STILL {
            return Ok(());
        }
        let to = self.space.moved(self.place, by);
        let hit = self.space.sweep(Part::Whole, self.place, by)?;
        let upper = self.space.sweep(Part::Upper, self.place, by)?;
        let time = hit
            .iter()
            .chain(&upper)
            .map(|hit| hit.time)
            .fold(1.0, |a, b| if b < a { b } else { a });
        // Off a crease steep ground is what it is to all who walk.
        self.extra.is_wedged = !is_off;
        let blocked = self.line_before(by, to)?.is_some();
        self.extra.is_wedged = true;
        let time = if blocked { 0.0 } else { time };
        if time < BARRED && self.go_between(asked * seconds, seconds)? {
            return Ok(());
        }
        self.place = if time == 1.0 { to } else { self.space.moved(self.place, by * time) };
        let speed = if time < 1.0 { 0.0 } else { 1.0 };
        self.velocity = Vec3::new((velocity.x * speed) as f32, 0.0, (velocity.z * speed) as f32);
        self.settle(true)
    }

    /// Slides where the request leads; if that is nowhere, the unit stands as before. Returns false where there is
    /// nothing to slide on.
    fn slips(&mut self, wish: [f32; 2]) -> Result<bool, Missing> {
        let (place, extra, news) = (self.place, self.extra, self.news);
        let Some(slope) = slope_of(&self.holding()?) else { return Ok(false) };
        self.begin_slide(&slope, 0.0);
        self.extra.is_wedged = false;
        self.slide(wish)?;
        let is_held = self.motion == Motion::Walking && self.extra.is_wedged;
        if is_held {
            (self.place, self.extra, self.news) = (place, extra, news);
            self.velocity = Vec3::ZERO;
        }
        Ok(true)
    }

    /// Moves down to where the walls hold it again; falls if they do not. One at rest moves only if it must.
    pub(super) fn settle(&mut self, has_moved: bool) -> Result<(), Missing> {
        let start = self.place;
        if !has_moved && self.is_wedged_here()? {
            return Ok(());
        }
        self.met.clear();
        // Straight down, and then a little along what is met there.
        let down = DVec3::NEG_Y * f64::from(self.space.body.step_down());
        let (time, _) = self.first_in_air(down, self.place)?;
        if time < 1.0 {
            self.place = self.space.moved(self.place, down * time);
        }
        let little = DVec3::NEG_Y * SETTLE;
        let to = self.space.moved(self.place, little);
        let _ = self.collide_and_slide(little, to)?;
        self.rise_to_ground()?;
        self.met.clear();
        if !self.is_free()? {
            self.place = start; // the way down is barred
            return Ok(());
        }
        if self.is_wedged_here()? {
            if !has_moved && (start.local().y - self.feet()).abs() < LEVEL {
                self.place = start; // at rest no bit changes
            }
            return Ok(());
        }
        self.place = start;
        self.leave_wedge()
    }

    pub(super) fn leave_wedge(&mut self) -> Result<(), Missing> {
        self.extra.is_wedged = false;
        self.extra.normal = Vec3::ZERO;
        self.motion = Motion::Falling;
        self.velocity.y = 0.0;
        self.news.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        Ok(())
    }

    /// Stands between steep walls from here on.
    pub(crate) fn stand_wedged(&mut self, speed: f32) {
        self.motion = Motion::Walking;
        self.velocity = Vec3::ZERO;
        self.extra.is_wedged = true;
        self.extra.support = None;
        self.extra.normal = Vec3::Y;
        self.news.push(EventKind::Landed { speed });
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

    /// Slides by a motion. A unit with its knees on a rim that can be stood on first goes off it
    /// horizontally, because the way along the face leads through the rim.
    pub(crate) fn slide_by(&mut self, by: DVec3, to: WorldPos) -> Result<Flown, Missing> {
        let start = self.place;
        let is_on_rim = self.is_on_rim()?;
        let flown = self.collide_and_slide(by, to)?;
        let ends = match flown {
            Flown::On | Flown::Bounces { .. } => self.is_free()?,
            Flown::Stood { .. } => self.has_stand()?,
        };
        if ends || !is_on_rim {
            return Ok(flown);
        }
        let (end, met) = (self.place, self.met.clone());
        self.place = start;
        let off = DVec3::new(by.x, 0.0, by.z);
        let to = self.space.moved(start, off);
        let again = self.collide_and_slide(off, to)?;
        if again == Flown::On && self.place != start && self.is_free()? {
            return Ok(again);
        }
        (self.place, self.met) = (end, met);
        Ok(flown)
    }

    /// Whether ground that can be stood on keeps the knees up, where the ground under the centre is
    /// too steep.
    pub(crate) fn is_on_rim(&mut self) -> Result<bool, Missing> {
        let Ground::Height(y) = self.space.view.ground(self.place) else { return Ok(false) };
        let footing = self.space.ground_footing(self.place)?;
        Ok(footing.is_some_and(|footing| {
            footing.kind == FootingKind::Steep && footing.y > y && self.feet() < footing.y + LEVEL
        }))
    }

    /// Everything that may hold a body from below: what it touches, and the ground under its feet.
    fn holding(&mut self) -> Result<Planes, Missing> {
        let mut planes = self.around()?;
        if let Some(ground) = self.space.ground_footing(self.place)?
            && self.feet() - ground.y < LEVEL
        {
            let normal = ground.normal.as_dvec3();
            planes.push(Plane { normal, depth: 0.0, triangle: None, surface: ground.surface.0 });
        }
        Ok(planes)
    }

    /// Whether a body's surroundings hold it up: no way between what it touches leads down more steeply than
    /// what can be walked, or the way that seems to is barred before it leads anywhere. Depends only on the
    /// place, so that a wedged unit stays wedged.
    pub(crate) fn is_wedged_here(&mut self) -> Result<bool, Missing> {
        if self.is_held_between()? {
            return Ok(true);
        }
        let was = (self.place, self.met.clone(), self.motion, self.extra, self.props_met);
        let (velocity, news) = (self.velocity, self.news);
        let (is_suspended, met_edge, met_slope) =
            (self.is_suspended, self.met_edge, self.met_slope);
        self.met.clear();
        (self.motion, self.is_suspended, self.extra.is_wedged) = (Motion::Sliding, false, false);
        let mut is_wedged = self.sinks_nowhere(SETTLE);
        if let Ok(false) = is_wedged {
            // A unit at rest begins with less than that.
            (self.place, self.motion) = (was.0, Motion::Sliding);
            self.met.clear();
            is_wedged = self.sinks_nowhere(SETTLE / 8.0);
        }
        (self.place, self.met, self.motion, self.extra, self.props_met) = was;
        (self.is_suspended, self.met_edge, self.met_slope) = (is_suspended, met_edge, met_slope);
        (self.velocity, self.news) = (velocity, news);
        is_wedged
    }

    /// Whether the body sinks nowhere if it tries to by `by` metres, following what bends away below as a
    /// slide does.
    fn sinks_nowhere(&mut self, by: f64) -> Result<bool, Missing> {
        let planes = self.holding()?;
        if self.is_supported_by_planes(&planes) {
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

    /// The direction between two walls along which a request points most; no steeper than what can be walked.
    fn crease(&self, planes: &Planes, asked: DVec3) -> Option<DVec3> {
        let cosine = self.space.body.max_slope_cos();
        let mut best: Option<(f64, DVec3)> = None;
        for (first, a) in planes.as_slice().iter().enumerate() {
            for b in &planes.as_slice()[..first] {
                let along = a.normal.cross(b.normal);
                let length = along.length();
                if length < 1e-3 {
                    continue;
                }
                let along = along / length;
                let level = along.x * along.x + along.z * along.z;
                let points = asked.dot(along).abs();
                if level >= cosine * cosine && best.is_none_or(|(most, _)| points > most) {
                    best = Some((points, along));
                }
            }
        }
        let (_, along) = best?;
        // Never into a wall.
        let way = if asked.dot(along) < 0.0 { -along } else { along };
        let free = planes.as_slice().iter().all(|plane| way.dot(plane.normal) >= -1e-6);
        free.then_some(way)
    }
}

/// The level velocity nearest to what is asked that leads up no wall: off the end of a crease.
fn off_walls(planes: &Planes, asked: DVec3) -> DVec3 {
    let mut walls = Planes::new();
    for plane in planes.as_slice() {
        let plane = Plane { depth: 0.0, ..*plane };
        walls.push(upright(plane).unwrap_or(plane));
    }
    walls.nearest(asked).unwrap_or(DVec3::ZERO).with_y(0.0)
}

/// The horizontal length of a way. Metres.
fn level(way: DVec3) -> f64 {
    (way.x * way.x + way.z * way.z).sqrt()
}
