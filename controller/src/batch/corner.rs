//! Units that stroll past a corner where four tiles of the open maps meet, or over the border of a
//! sector: few enough to move one by one, and too many for the long way.

use marchland_terrain::glam::Vec3;
use marchland_terrain::heightfield::height_in_cell;
use marchland_terrain::math::canonical;

use super::context::{Chunk, TickContext, WriteColumns};
use crate::following::follow::{differs, stroll_velocity};
use crate::units::cells::Corners;
use crate::units::tick::Outcome;
use crate::units::unit::Unit;

/// Where a unit arrives.
struct Arrival {
    outcome: Outcome,
    /// The number of the open map there.
    number: u32,
    corners: Corners,
}

impl TickContext<'_> {
    /// Moves a unit that remembers its cell and walks onto open ground past a corner or over one
    /// border, as [`follow`](crate::following::follow::follow) does, by looking only at the cell that it enters.
    /// Returns whether the result is certain; if not, nothing has changed.
    pub(super) fn pass_corner(
        &self,
        stretch: &mut WriteColumns<'_>,
        index: usize,
        chunk: &mut Chunk,
    ) -> bool {
        let Some(Arrival { outcome, number, corners }) = self.past_corner(stretch, index) else {
            return false;
        };
        stretch.corners[index] = corners;
        stretch.map_ids[index] = number;
        chunk.strolled -= 1;
        chunk.outcomes.push(((stretch.first + index) as u32, outcome));
        true
    }

    fn past_corner(&self, stretch: &WriteColumns<'_>, index: usize) -> Option<Arrival> {
        let Self { tick, open_maps, .. } = *self;
        if stretch.corners[index][0].is_nan() {
            return None;
        }
        let slot = stretch.first + index;
        let body = self.columns.body_ids[slot];
        let gait = &self.gaits[body.index()];
        let velocity = stroll_velocity(tick, gait, self.wishes[slot])?;
        let (from, sector) = (stretch.locals[index], self.columns.sectors[slot]);
        let to = from + Vec3::new(velocity[0] * tick.dt, 0.0, velocity[1] * tick.dt);
        let (there, local) = canonical(sector, to, self.view.grid().sector_size()).ok()?;
        let borders = sector.x.abs_diff(there.x) + sector.z.abs_diff(there.z);
        let number = match borders {
            0 => stretch.map_ids[index],
            1 => open_maps.number(there, body)?,
            _ => return None,
        };
        let ground = self.grounds[number as usize]?;
        let start = tick.frame.place([from.x, from.z]);
        let end = tick.frame.place([local.x, local.z]);
        // The box of the move is within the tiles where it begins and ends, and the two beside both.
        let beside = if borders == 0 {
            [[start.column, end.row], [end.column, start.row]]
        } else {
            let along =
                if sector.x == there.x { [start.column, end.column] } else { [start.row, end.row] };
            if along[0] >> open_maps.tile_log2() != along[1] >> open_maps.tile_log2() {
                return None; // one of the tiles belongs to another sector
            }
            [[end.column, end.row]; 2]
        };
        let is_open = |cell| ground.is_open || open_maps.is_open(number, cell);
        if !(is_open([end.column, end.row]) && beside.into_iter().all(is_open)) {
            return None;
        }
        let corners = ground.corners.at(end.column, end.row);
        let height = height_in_cell(corners, end.u, end.v);
        if from.y - height > gait.step_down {
            return None;
        }
        let velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
        let outcome = Outcome {
            unit: Unit {
                sector: there,
                local: Vec3::new(local.x, height + 0.0, local.z),
                velocity,
                motion: self.columns.motions[slot],
            },
            new_velocity: differs(velocity, stretch.velocities[index]),
            borders,
            follows: true,
            ..Outcome::NOTHING
        };
        Some(Arrival { outcome, number, corners })
    }
}
