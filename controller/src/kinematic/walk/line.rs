//! Lines of the terrain that the middle of a unit does not cross: edges, and where what is too steep begins.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::DVec3;

use super::stand::LEVEL;
use crate::following::terrain_walls::{Stop, first_stop};
use crate::following::triangle_walk::{BELOW_FEET, Walker};
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::Band;
use crate::units::unit::Motion;

impl Mover<'_, '_, '_, '_> {
    /// The first line of the terrain that a walking unit's centre may not cross.
    pub(crate) fn line_before(
        &mut self,
        motion: DVec3,
        to: WorldPos,
    ) -> Result<Option<Stop>, Missing> {
        self.line_before_at(motion, to, f64::from(self.feet()))
    }

    /// The same with the feet at another height.
    pub(crate) fn line_before_at(
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
        let to = self.short_end(to);
        let first = self.first_line((motion, to), feet, false)?;
        let is_slope = first.as_ref().is_some_and(|stop| !stop.is_edge);
        if !is_slope || is_in_air || !self.is_over_ground()? {
            return Ok(first);
        }
        self.first_line((motion, to), feet, true)
    }

    /// Where a way to a place ends, if it is a short walk: what was left over of earlier ones may lead it over a line, or
    /// keep it before one. Metres along X and Z.
    fn short_end(&self, to: WorldPos) -> Option<[f32; 2]> {
        let short = self.short.as_ref()?;
        let goal = self.space.at_height(short.goal, to.local().y);
        (goal == to && self.place.sector() == self.began_at.sector()).then_some(short.to)
    }

    /// The first line before a unit whose feet are at a height, on a prop there if `is_above`, otherwise as
    /// it stands. The motion ends where it leads, unless that is said.
    pub(crate) fn first_line(
        &mut self,
        (motion, to): (DVec3, Option<[f32; 2]>),
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
        let first = first_stop(self.space.sectors, sector, frame, &walker, (from, to), way);
        first.map_err(|sector| Missing::NotResident { sector })
    }

    /// Whether a prop, or walls between which it is, hold the unit above the ground.
    pub(crate) fn is_over_ground(&mut self) -> Result<bool, Missing> {
        let is_between = self.motion == Motion::Sliding || self.state.is_wedged;
        if !is_between && self.state.support.is_none() && !self.is_on_prop()? {
            return Ok(false);
        }
        let feet = f64::from(self.feet());
        let ground = self.space.ground_footing(self.place)?;
        Ok(ground.is_none_or(|ground| f64::from(ground.y) < feet - BELOW_FEET))
    }

    /// Whether a prop is at the feet.
    fn is_on_prop(&mut self) -> Result<bool, Missing> {
        let band = Band { low: -LEVEL, high: LEVEL };
        Ok(self.space.prop_footing(self.place, band)?.is_some())
    }

    pub(crate) fn meet_line(&mut self, stop: &Stop) {
        let [x, z] = stop.normal;
        self.meet(Plane::new(DVec3::new(x, 0.0, z), stop.away));
        if stop.is_edge {
            self.met_edge = true;
        } else {
            self.met_slope = true;
        }
    }
}
