//! Over the border of a sector: who strolls on open ground into the next sector, where it may stroll too.

use marchland_terrain::glam::Vec3;
use marchland_terrain::heightfield::height_in_cell;
use marchland_terrain::math::canonical;

use super::chunk::{Chunk, Crew, Stretch};
use crate::follow::{Outcome, differs, stroll_velocity};
use crate::units::Unit;

impl Crew<'_> {
    /// A unit that remembers its cell and comes over one border: the same as [`follow`](crate::follow::follow)
    /// makes of it, with nothing looked at but the cell to which it comes. Whether it was surely that; if
    /// not, nothing has changed.
    pub(super) fn cross_border(
        &self,
        stretch: &mut Stretch<'_>,
        index: usize,
        chunk: &mut Chunk,
    ) -> bool {
        let Some((outcome, number, corners)) = self.beyond_border(stretch, index) else {
            return false;
        };
        stretch.corners[index] = corners;
        stretch.homes[index] = number;
        chunk.strolled -= 1;
        chunk.outcomes.push(((stretch.first + index) as u32, outcome));
        true
    }

    fn beyond_border(
        &self,
        stretch: &Stretch<'_>,
        index: usize,
    ) -> Option<(Outcome, u32, [f32; 4])> {
        let Self { tick, homes, .. } = *self;
        if stretch.corners[index][0].is_nan() {
            return None;
        }
        let slot = stretch.first + index;
        let body = self.others.body_ids[slot];
        let gait = &self.gaits[body.index()];
        let velocity = stroll_velocity(tick, gait, self.wishes[slot])?;
        let (from, sector) = (stretch.locals[index], self.others.sectors[slot]);
        let to = from + Vec3::new(velocity[0] * tick.dt, 0.0, velocity[1] * tick.dt);
        let (there, local) = canonical(sector, to, self.view.grid().sector_size()).ok()?;
        if sector.x.abs_diff(there.x) + sector.z.abs_diff(there.z) != 1 {
            return None;
        }
        let number = homes.number(there, body)?;
        let ground = self.grounds[number as usize].filter(|_| !homes.home(number).has_live)?;
        let (start, end) =
            (tick.frame.place([from.x, from.z]), tick.frame.place([local.x, local.z]));
        let tile = |cell: u32| cell >> homes.tile_log2();
        // Like any other crosser: over one line between tiles, never a corner where four meet.
        let along =
            if sector.x == there.x { [start.column, end.column] } else { [start.row, end.row] };
        let is_open = ground.is_open || homes.is_open(number, [end.column, end.row]);
        if tile(along[0]) != tile(along[1]) || !is_open {
            return None;
        }
        let corners = ground.corners.at(end.column, end.row);
        let height = height_in_cell(corners, end.u, end.v);
        if from.y - height > gait.step_down {
            return None;
        }
        let motion = self.others.motions[slot];
        let velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
        let local = Vec3::new(local.x, height + 0.0, local.z);
        let outcome = Outcome {
            unit: Unit { sector: there, local, velocity, motion },
            new_velocity: differs(velocity, stretch.velocities[index]),
            borders: 1,
            follows: true,
            ..Outcome::NOTHING
        };
        Some((outcome, number, corners))
    }
}
