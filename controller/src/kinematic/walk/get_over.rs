//! Getting over what is in the way, decided: a ladder or a ledge to climb, a step up, or none of them.

use marchland_terrain::glam::DVec3;

use super::STILL;
use super::stand::LEVEL;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::Missing;
use crate::units::unit::Motion;

/// Least part of a way along something that leads into a step beside it.
const BESIDE_MIN: f64 = 0.05;

/// Least part of a request that must point into a wall to climb its ledge: within 60° of head-on.
const CLIMB_HEAD_ON: f64 = 0.5;

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
    pub(crate) fn step_up_beside(&mut self, rest: DVec3) -> Result<Option<f64>, Missing> {
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
}
