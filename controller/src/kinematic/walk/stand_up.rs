//! Standing up out of what a foot is in: onto what the knee absorbs, a step, or the slope at its edge.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::DVec3;
use marchland_terrain::math::lesser;

use super::stand::LEVEL;
use crate::kinematic::depenetrate::overlaps::UPRIGHT;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::Band;
use crate::units::unit::Motion;

impl Mover<'_, '_, '_, '_> {
    /// Stands where a body in the air, or on a slope, that has its foot alone in something began the tick: on what its
    /// knee absorbs, or what is no lower than a step. Returns whether it does.
    pub(crate) fn stands_in_air(&mut self, start: WorldPos) -> Result<bool, Missing> {
        let led = self.place;
        self.place = start;
        let high = self.space.body.knee() + self.space.hair;
        let band = Band { low: -self.space.body.step_down(), high };
        if self.is_free()?
            && let Some(below) = self.space.walkable_footing(start, band)?
        {
            // Under what is in the way of that its knees stay bent.
            let rise = below.y - self.feet();
            let up = DVec3::Y * f64::from(rise);
            if rise <= 0.0 || self.space.sweep_upper(start, up)?.is_none() {
                self.place = self.space.at_height(start, below.y);
            }
            // Steep ground above what it could stand on holds nobody up, and lets nobody below it.
            if self.is_free()? && !self.is_below_ground() {
                self.begin_walk();
                self.stand_on(&below);
                return Ok(true);
            }
        }
        self.place = led;
        Ok(false)
    }

    /// Rises onto the slope that a standing body is in: one with a low knee has been put into it with its edge. Returns
    /// whether it did.
    #[cold]
    pub(crate) fn rises_onto_slope(&mut self) -> Result<bool, Missing> {
        let low = self.place;
        let band =
            Band { low: LEVEL, high: lesser(self.space.body.step_up(), self.space.body.radius()) };
        if self.motion == Motion::Walking
            && let Some(slope) = self.space.walkable_footing(low, band)?
            && f64::from(slope.normal.y) < UPRIGHT
        {
            self.place = self.space.at_height(low, slope.y);
            if self.is_free()? {
                self.stand_on(&slope);
                return Ok(true);
            }
        }
        self.place = low;
        Ok(false)
    }
}
