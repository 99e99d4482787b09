//! Standing between steep walls: a ravine is ground. It is walked along its crease.

use marchland_terrain::glam::{DVec3, Vec3};

use super::footing::{Band, FootingKind};
use super::mover::Mover;
use super::planes::Planes;
use super::space::{Missing, Part};
use super::walk::{LEVEL, STILL};
use crate::event::{EventKind, LeftGround};
use crate::units::Motion;

/// How far a unit between walls sinks to touch both. Metres.
const SETTLE: f64 = 0.02;

impl Mover<'_, '_, '_, '_> {
    /// Walks along the crease between the walls, as far as the request points along it.
    pub(crate) fn walk_wedged(&mut self, wish: [f32; 2]) -> Result<(), Missing> {
        self.met.clear();
        let planes = self.around()?;
        if let Some(footing) = self.space.footing(self.place, Band { low: -LEVEL, high: LEVEL })?
            && footing.kind == FootingKind::Walkable
            && footing.y >= self.feet() - LEVEL
        {
            self.stand_on(&footing);
            return self.walk(wish);
        }
        let planes = if self.is_wedge(&planes) {
            planes
        } else {
            // What holds it may be a hair outside of the skin.
            self.settle()?;
            if self.motion != Motion::Walking {
                return Ok(());
            }
            self.around()?
        };
        let asked = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
        let Some(crease) = self.crease(&planes, asked) else {
            self.velocity = Vec3::ZERO;
            return Ok(());
        };
        // Seen from above it is as fast as the request's part along the crease.
        let level = crease.x * crease.x + crease.z * crease.z;
        let velocity = crease * (asked.dot(crease) / level);
        let by = velocity * f64::from(self.space.tick.dt);
        if by.length() <= STILL {
            self.velocity = Vec3::ZERO;
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
        let blocked = self.line_before(by, to)?.is_some();
        let time = if blocked { 0.0 } else { time };
        self.place = if time == 1.0 { to } else { self.space.moved(self.place, by * time) };
        let speed = if time < 1.0 { 0.0 } else { 1.0 };
        self.velocity = Vec3::new((velocity.x * speed) as f32, 0.0, (velocity.z * speed) as f32);
        self.settle()
    }

    /// Down to where the walls hold it again; falls if they do not.
    fn settle(&mut self) -> Result<(), Missing> {
        let start = self.place;
        self.met.clear();
        let planes = self.around()?;
        if self.is_wedge(&planes) {
            return Ok(());
        }
        // Straight down, and then a little along what is met there.
        let down = DVec3::NEG_Y * f64::from(self.space.body.step_down());
        let (time, _) = self.first_in_air(down, self.place)?;
        if time < 1.0 {
            self.place = self.space.moved(self.place, down * time);
        }
        let little = DVec3::NEG_Y * SETTLE;
        let to = self.space.moved(self.place, little);
        let _ = self.fly_by(little, to)?;
        let planes = self.around()?;
        if self.is_wedge(&planes) {
            if (start.local().y - self.feet()).abs() < LEVEL {
                self.place = start; // at rest no bit changes
            }
            return Ok(());
        }
        self.place = start;
        self.leave_wedge()
    }

    fn leave_wedge(&mut self) -> Result<(), Missing> {
        self.extra.is_wedged = false;
        self.extra.normal = Vec3::ZERO;
        self.motion = Motion::Falling;
        self.velocity.y = 0.0;
        self.news.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        Ok(())
    }

    fn is_wedge(&mut self, planes: &Planes) -> bool {
        self.is_held_up(planes)
    }

    /// The direction of the way between two walls that a request points along most; no steeper than
    /// what can be walked.
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
