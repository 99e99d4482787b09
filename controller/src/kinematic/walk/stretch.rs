//! A stretch of a walk: level until something is met, and support at its end.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::LevelImpact;
use marchland_terrain::math::greater;

use super::stand::{LEVEL, Stand};
use crate::kinematic::mover::Mover;
use crate::kinematic::space::level::{Blocking, plane_met};
use crate::kinematic::space::{Missing, Part};

/// Least cosine between the normals of two contacts of a prop that belong to the same wall.
const SAME_FACE: f64 = 0.99;

/// The result of a stretch.
pub(crate) enum StretchResult {
    /// It was free.
    Whole,
    /// Something was met after this part of it.
    Part(f64),
    /// Ground that was met after this part of it has lifted the unit.
    Lifted(f64),
    /// What was in the way after this part of it is now underfoot, or a step down was taken there.
    Over(f64),
}

impl Mover<'_, '_, '_, '_> {
    /// Goes on along a motion until something is met, and stands there.
    pub(crate) fn advance(
        &mut self,
        motion: DVec3,
        to: WorldPos,
    ) -> Result<StretchResult, Missing> {
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
            let at = Vec3::new(stop.at[0], self.feet(), stop.at[1]);
            (time, place) = (stop.part, self.space.placed(self.place, at));
        }
        let (feet, way) = (self.feet(), motion * time);
        let from = self.long_stretch_from(way);
        if let Stand::Wall(footing) = self.stand_at(place)?
            && !self.rises_beside(place, &footing, way)?
        {
            if self.meet_leaning(&footing, way)? {
                return Ok(StretchResult::Part(0.0));
            }
            // It may be free aslant.
            if low.is_none()
                && hit.as_ref().is_some_and(|hit| hit.is_ground)
                && let Some(up) = self.walk_up(motion)?
            {
                return Ok(StretchResult::Over(up));
            }
            // Beside the face that has come into the foot there may be another, which is still met.
            if let Some((_, plane)) = low {
                self.meet(plane);
            }
            let part = self.meet_low_wall(way, &footing)?;
            return Ok(StretchResult::Part(part * time));
        }
        if let Some(from) = from.filter(|_| self.is_suspended)
            && let Some(part) = self.step_down_before(way, from)?
        {
            return Ok(StretchResult::Over(part * time));
        }
        let is_lifted = self.feet() > feet + LEVEL;
        match (line, hit) {
            (Some(stop), _) if stop.part <= time => {
                // From there the ground may be below the feet again.
                if is_lifted && stop.part > 0.0 && !stop.is_edge && self.is_over_ground()? {
                    return Ok(StretchResult::Over(time));
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
                    return Ok(StretchResult::Over(time));
                }
                // By less than the hair, too: that is all the knee that some have.
                let body = self.space.body;
                let takes_no_rise = greater(body.knee(), body.step_up()) <= self.space.hair;
                if hit.is_ground && (self.feet() > feet || takes_no_rise) {
                    return Ok(StretchResult::Lifted(time));
                }
                self.meet(plane_met(&hit));
            }
            _ => return Ok(StretchResult::Whole),
        }
        Ok(StretchResult::Part(time))
    }

    /// Goes aside by so much. Returns whether nothing was in the way.
    pub(crate) fn goes_aside(&mut self, by: DVec3) -> Result<bool, Missing> {
        self.met.clear();
        let to = self.space.moved(self.place, by);
        Ok(matches!(self.advance(by, to)?, StretchResult::Whole))
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

    /// The part that blocks: the upper part of a standing unit, the whole of a falling one.
    pub(crate) fn blocking(&self) -> Part {
        if self.is_suspended { Part::Whole } else { Part::Upper }
    }
}
