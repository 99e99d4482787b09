//! Moves within cells of open ground, part by part of a chunk. A unit that stays in the cell that it
//! remembers moves at once. The ground of a unit that enters another cell is prefetched, and read when
//! the next part has moved.

pub(super) mod border;
pub(super) mod crossings;
pub(super) mod lanes;

use std::ops::Range;

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::lanes::Simd;
use marchland_terrain::{SectorCoord, SectorSlot};

use self::crossings::{BEYOND, CellFrame, Crossings, NEW_VELOCITY};
use self::lanes::{BeyondCell, Columns, Pace, follow_in_cell};
use super::context::{TickContext, WriteColumns};
use super::notes::Notes;
use crate::units::memory::cells::NO_CORNERS;
use crate::units::tick::without_creep;
use marchland_terrain::kernel::lanes::LANES;

/// Units that move before the ground that some of them enter is prefetched. It arrives while the next
/// units move, and the processor can handle that many outstanding reads. Whole blocks.
const PART: usize = 32 * LANES;

impl TickContext<'_> {
    /// Makes units forget the cells of open maps that are gone.
    pub(super) fn forget_gone(&self, chunk: &mut WriteColumns<'_>) {
        let WriteColumns { corners, map_ids, locals, .. } = chunk;
        for ((corners, &number), &local) in corners.iter_mut().zip(&**map_ids).zip(&**locals) {
            if !corners[0].is_nan() && self.open_maps.is_gone(&self.tick.frame, number, local) {
                *corners = NO_CORNERS;
            }
        }
    }

    /// Moves units that stay in their cells, and units that enter others. The ground of the latter is
    /// prefetched while the next units move.
    pub(super) fn follow_in_cell(
        &self,
        chunk: &mut WriteColumns<'_>,
        beyond_cell: &mut BeyondCell,
        notes: &mut Notes,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        let pace = Pace {
            simd: Simd::current(),
            dt: self.tick.dt,
            short_squared: self.tick.short_squared,
            cells: CellFrame {
                cells_per_metre: 1.0 / self.tick.cell,
                half: self.tick.half,
                half_cells: self.tick.half / self.tick.cell,
            },
            tile_log2: self.open_maps.tiles.cells_log2,
            follow_limits: self.follow_limits,
        };
        let count = chunk.locals.len();
        let mut crossed = 0;
        for from in (0..count).step_by(PART) {
            let part = from..if count - from < PART { count } else { from + PART };
            let slots = chunk.first + part.start..chunk.first + part.end;
            let columns = Columns {
                locals: &mut chunk.locals[part.clone()],
                velocities: &mut chunk.velocities[part.clone()],
                wishes: &self.wishes[slots.clone()],
                bodies: &self.columns.body_ids[slots],
                corners: &chunk.corners[part.clone()],
                map_ids: &chunk.map_ids[part],
            };
            follow_in_cell(&pace, columns, beyond_cell);
            let asked = self.prefetch(&pace, chunk.map_ids, &mut beyond_cell.crossings);
            self.cross(&pace, chunk, &mut beyond_cell.crossings, crossed..asked, notes, long);
            crossed = asked;
        }
        let all = beyond_cell.crossings.count;
        self.cross(&pace, chunk, &mut beyond_cell.crossings, crossed..all, notes, long);
    }

    /// Prefetches the ground that the newest crossings enter, where it is open. Returns how many crossings came
    /// before them.
    fn prefetch(&self, pace: &Pace<'_>, map_ids: &[u32], crossings: &mut Crossings) -> usize {
        let newest = crossings.locate(pace.simd, &pace.cells);
        let index = &crossings.index[newest.clone()];
        let cells = crossings.column[newest.clone()].iter().zip(&crossings.row[newest.clone()]);
        let entered =
            crossings.slot[newest.clone()].iter_mut().zip(&mut crossings.cell[newest.clone()]);
        for ((index, (&column, &row)), (slot, cell)) in index.iter().zip(cells).zip(entered) {
            let number = map_ids[(index & !NEW_VELOCITY) as usize];
            let place = self.open_maps.place(number);
            *slot = if column | row != BEYOND
                && (place.is_open || self.open_maps.is_open(number, [column, row]))
                && let Some(corners) = self.view.cell_corners(place.slot)
            {
                *cell = corners.cell(column, row);
                corners.prefetch(*cell);
                place.slot
            } else {
                SectorSlot::NONE
            };
        }
        newest.start
    }

    /// Moves units that enter another cell: onto its ground if that is open too, or the long way. Each step
    /// is done for all units before the next step, so that the values one step writes have long been written
    /// when the next step reads them in lanes.
    fn cross(
        &self,
        pace: &Pace<'_>,
        chunk: &mut WriteColumns<'_>,
        crossings: &mut Crossings,
        which: Range<usize>,
        notes: &mut Notes,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        self.look(crossings, which.clone());
        crossings.find_heights(pace.simd, which.clone(), self.view.grid().quantum());
        self.arrive(chunk, crossings, which);
        for &at in &crossings.refused {
            let index = crossings.index(at as usize);
            let is_beyond = crossings.is_beyond(at as usize);
            if !(is_beyond && self.cross_border(chunk, index, notes)) {
                self.take_long(chunk, index, notes, long);
            }
        }
    }

    /// Supported units move on over the ground that they enter; the others are refused.
    fn arrive(&self, chunk: &mut WriteColumns<'_>, crossings: &mut Crossings, which: Range<usize>) {
        let Crossings { index, slot, x, z, height, corners, refused, .. } = crossings;
        refused.clear();
        let to = x[which.clone()].iter().zip(&z[which.clone()]).zip(&height[which.clone()]);
        let corners = &corners[which.clone()];
        let who = index[which.clone()].iter().zip(&slot[which.clone()]);
        let wishes = &self.wishes[chunk.first..];
        let bodies = &self.columns.body_ids[chunk.first..];
        let only = if let [only] = self.follow_limits { Some(only.step_down) } else { None };
        let WriteColumns { locals, velocities, corners: remembered, .. } = chunk;
        for ((at, ((&index, &slot), ((&x, &z), &height))), corners) in
            (which.start as u32..).zip(who.zip(to)).zip(corners)
        {
            let unit = (index & !NEW_VELOCITY) as usize;
            let step_down =
                only.unwrap_or_else(|| self.follow_limits[bodies[unit].index()].step_down);
            let local = &mut locals[unit];
            let is_supported = local.y - height <= step_down;
            if slot == SectorSlot::NONE || !is_supported {
                refused.push(at);
                continue;
            }
            *local = Vec3::new(x + 0.0, height + 0.0, z + 0.0); // 0 is never negative
            remembered[unit] = *corners;
            if index & NEW_VELOCITY != 0 {
                let [x, z] = wishes[unit].velocity().map(without_creep);
                velocities[unit] = Vec3::new(x, 0.0, z);
            }
        }
    }

    /// Reads the ground that crossings enter, where it is open.
    fn look(&self, crossings: &mut Crossings, which: Range<usize>) {
        let entered = crossings.slot[which.clone()].iter().zip(&crossings.cell[which.clone()]);
        for ((&slot, &cell), quanta) in entered.zip(&mut crossings.quanta[which]) {
            if let Some(corners) = self.view.cell_corners(slot) {
                *quanta = corners.quanta(cell);
            }
        }
    }
}
