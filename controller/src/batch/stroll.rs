//! Over open ground, part by part of a stretch: who stays in the cell that it remembers moves at once; the
//! ground of who comes into another one is asked for, and read when the next part has moved.

use std::ops::Range;

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use super::chunk::{Chunk, Crew, Stretch};
use super::crossers::{CLOSED, Crossers, Locate, Support};
use super::lanes::{Columns, Left, Pace, stroll, with_widest};
use crate::cells::{Corners, LANES, NO_CORNERS};
use crate::follow::without_creep;

/// Units that stroll before the ground is asked for that some of them come to: it is on its way while the
/// next ones do, and no more is than a processor waits for at a time. Whole blocks.
const PART: usize = 32 * LANES;

impl Crew<'_> {
    /// Those that stay in their cells, and those that come into others: the ground of these is on its way
    /// while the next ones stroll.
    pub(super) fn stroll(
        &self,
        stretch: &mut Stretch<'_>,
        left: &mut Left,
        chunk: &mut Chunk,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        let pace = Pace {
            dt: self.tick.dt,
            cells_per_metre: 1.0 / self.tick.cell,
            half_cells: self.tick.half / self.tick.cell,
            tile_log2: self.homes.tile_log2(),
            gaits: self.gaits,
        };
        let count = stretch.locals.len();
        let mut crossed = 0;
        for from in (0..count).step_by(PART) {
            let part = from..if count - from < PART { count } else { from + PART };
            let slots = stretch.first + part.start..stretch.first + part.end;
            let columns = Columns {
                locals: &mut stretch.locals[part.clone()],
                velocities: &mut stretch.velocities[part.clone()],
                wishes: &self.wishes[slots.clone()],
                bodies: &self.others.body_ids[slots],
                corners: &stretch.corners[part.clone()],
                homes: &stretch.homes[part],
            };
            stroll(&pace, columns, left);
            let asked = self.prefetch(&pace, stretch.homes, &mut left.crossers);
            self.cross(stretch, &mut left.crossers, crossed..asked, chunk, long);
            crossed = asked;
        }
        let all = left.crossers.len();
        self.cross(stretch, &mut left.crossers, crossed..all, chunk, long);
    }

    /// Asks for the ground that the newest crossers come to where it is open, and tells how many came before them.
    fn prefetch(&self, pace: &Pace<'_>, homes: &[u32], crossers: &mut Crossers) -> usize {
        let newest = with_widest(Locate { crossers, pace });
        for at in newest.clone() {
            let number = homes[crossers.index[at] as usize];
            let cell @ [column, row] = [crossers.column[at], crossers.row[at]];
            crossers.number[at] = if let Some(ground) = &self.grounds[number as usize]
                && (ground.is_open || self.homes.is_open(number, cell))
            {
                ground.corners.prefetch(column, row);
                number
            } else {
                CLOSED
            };
        }
        newest.start
    }

    /// Those that come into another cell: onto its ground if that is open too, or the long way. One step of
    /// all after the other, so that what one writes has long been written when the next reads it in lanes.
    fn cross(
        &self,
        stretch: &mut Stretch<'_>,
        crossers: &mut Crossers,
        which: Range<usize>,
        chunk: &mut Chunk,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        self.look(stretch, crossers, which.clone());
        with_widest(Support { crossers, which: which.clone() });
        for at in which {
            let index = crossers.index[at] as usize;
            if crossers.supported[at] != 0 {
                let to = [crossers.x[at], crossers.height[at], crossers.z[at]];
                self.arrive(stretch, index, to, crossers.corners[at]);
            } else {
                self.take_long(stretch, index, chunk, long);
            }
        }
    }

    /// The ground to which crossers come, where it is open.
    fn look(&self, stretch: &Stretch<'_>, crossers: &mut Crossers, which: Range<usize>) {
        for at in which {
            let index = crossers.index[at] as usize;
            let ground = self.grounds.get(crossers.number[at] as usize);
            crossers.corners[at] = match ground {
                Some(Some(ground)) => ground.corners.at(crossers.column[at], crossers.row[at]),
                _ => NO_CORNERS,
            };
            crossers.y[at] = stretch.locals[index].y;
            crossers.step_down[at] = match self.gaits {
                [only] => only.step_down,
                gaits => gaits[self.others.body_ids[stretch.first + index].index()].step_down,
            };
        }
    }

    /// One that strolls on in another cell.
    #[inline(always)]
    fn arrive(&self, stretch: &mut Stretch<'_>, index: usize, to: [f32; 3], corners: Corners) {
        let [x, z] = self.wishes[stretch.first + index].velocity.map(without_creep);
        stretch.locals[index] = Vec3::from_array(to.map(|part| part + 0.0));
        let velocity = Vec3::new(x, 0.0, z);
        if velocity.to_array().map(f32::to_bits)
            != stretch.velocities[index].to_array().map(f32::to_bits)
        {
            stretch.velocities[index] = velocity;
        }
        stretch.corners[index] = corners;
    }
}
