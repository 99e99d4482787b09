//! Units on their way past a corner where four tiles of the open maps meet, over the border of a sector, or so slowly
//! that steps of position matter: few enough to move one by one, and too many for the long way.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::{canonical, height_in_cell};

use crate::batch::context::{TickContext, WriteColumns};
use crate::batch::notes::Notes;
use crate::following::follow::{differs, in_cell_velocity};
use crate::ground::frame::floor;
use crate::units::memory::cells::Corners;
use crate::units::tick::Outcome;
use crate::units::unit::Unit;

impl TickContext<'_> {
    /// Moves a unit that goes a short way within the cell that it remembers, as lanes do all others. Returns whether
    /// the result is certain; if not, nothing has changed.
    pub(crate) fn inch(&self, chunk: &mut WriteColumns<'_>, index: usize) -> bool {
        let tick = self.tick;
        let (slot, [nw, ne, sw, se]) = (chunk.first + index, chunk.corners[index]);
        let wish = self.wishes[slot];
        if nw.is_nan() || !tick.is_short(wish.velocity()) {
            return false;
        }
        let limits = &self.follow_limits[self.columns.body_ids[slot].index()];
        let Some(velocity) = in_cell_velocity(tick, limits, wish) else { return false };
        let local = &mut chunk.locals[index];
        let asked = (wish.velocity(), velocity);
        let (to, residue) = tick.walk([local.x, local.z], asked, chunk.residues[index]);
        let per_metre = 1.0 / tick.cell;
        let within = |from: f32, to: f32| to * per_metre - floor(from * per_metre);
        let (u, v) = (within(local.x, to[0]), within(local.z, to[1]));
        let height = height_in_cell([nw, ne, sw, se], u, v);
        let is_same = (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v);
        if !(is_same && local.y - height <= limits.step_down) {
            return false;
        }
        *local = Vec3::new(to[0] + 0.0, height + 0.0, to[1] + 0.0);
        chunk.residues[index] = residue;
        chunk.velocities[index] = Vec3::new(velocity[0], 0.0, velocity[1]);
        true
    }

    /// Moves a unit that remembers its cell and walks onto open ground, at most past a corner or over one
    /// border, as [`follow`](crate::following::follow::follow) does, by looking only at the cell that it enters.
    /// Returns whether the result is certain; if not, nothing has changed.
    pub(crate) fn cross_border(
        &self,
        chunk: &mut WriteColumns<'_>,
        index: usize,
        notes: &mut Notes,
    ) -> bool {
        let Some((outcome, number, corners)) = self.past_corner(chunk, index) else {
            return false;
        };
        chunk.corners[index] = corners;
        chunk.map_ids[index] = number;
        notes.in_cell -= 1;
        let from = notes.events.len();
        self.settle(chunk, notes, index, &outcome, from);
        true
    }

    /// Where a unit arrives, with the number of the open map and the corners of the cell there.
    fn past_corner(
        &self,
        chunk: &WriteColumns<'_>,
        index: usize,
    ) -> Option<(Outcome, u32, Corners)> {
        let Self { tick, open_maps, .. } = *self;
        if chunk.corners[index][0].is_nan() {
            return None;
        }
        let slot = chunk.first + index;
        let body = self.columns.body_ids[slot];
        let limits = &self.follow_limits[body.index()];
        let wish = self.wishes[slot];
        let velocity = in_cell_velocity(tick, limits, wish)?;
        let (from, sector) = (chunk.locals[index], chunk.sectors[index]);
        let asked = (wish.velocity(), velocity);
        let ([x, z], residue) = tick.walk([from.x, from.z], asked, chunk.residues[index]);
        let to = Vec3::new(x, from.y, z);
        let (there, local) = canonical(sector, to, self.view.grid().sector_size()).ok()?;
        let borders = sector.x.abs_diff(there.x) + sector.z.abs_diff(there.z);
        let number = match borders {
            0 => chunk.map_ids[index],
            1 => open_maps.number(there, body)?,
            _ => return None,
        };
        let ground = open_maps.place(number);
        let start = tick.frame.place([from.x, from.z]);
        let end = tick.frame.place([local.x, local.z]);
        // The box of the move is within the tiles where it begins and ends, and the two beside both.
        let beside = if borders == 0 {
            [[start.column, end.row], [end.column, start.row]]
        } else {
            let along =
                if sector.x == there.x { [start.column, end.column] } else { [start.row, end.row] };
            let log2 = open_maps.tiles.cells_log2;
            if along[0] >> log2 != along[1] >> log2 {
                return None; // one of the tiles belongs to another sector
            }
            [[end.column, end.row]; 2]
        };
        let is_open = |cell| ground.is_open || open_maps.is_open(number, cell);
        if !(is_open([end.column, end.row]) && beside.into_iter().all(is_open)) {
            return None;
        }
        let corners = self.view.cell_corners(ground.slot)?.at(end.column, end.row);
        let height = height_in_cell(corners, end.u, end.v);
        if from.y - height > limits.step_down {
            return None;
        }
        let velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
        let outcome = Outcome {
            unit: Unit {
                sector: there,
                local: Vec3::new(local.x, height + 0.0, local.z),
                velocity,
                motion: chunk.motions[index],
                residue,
            },
            new_velocity: differs(velocity, chunk.velocities[index]),
            borders,
            follows: true,
            ..Outcome::NOTHING
        };
        Some((outcome, number, corners))
    }
}
