//! Moves within cells of open ground. First all units of a chunk move that stay in the cells that they remember. Then
//! the ground of those that enter other cells is prefetched, read, and moved onto: one step for all of them, then the
//! next.

pub(super) mod border;
pub(super) mod crossings;
pub(super) mod lanes;

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::lanes::Simd;
use marchland_terrain::{SectorCoord, SectorSlot};

use self::crossings::{BEYOND, CellFrame, Crossings, NEW_VELOCITY};
use self::lanes::{BeyondCell, Columns, Pace, follow_in_cell};
use super::context::{TickContext, WriteColumns};
use super::notes::Notes;
use crate::units::memory::cells::NO_CORNERS;
use crate::units::tick::without_creep;

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

    /// Moves units that stay in their cells, and units that enter others: onto their ground if that is open too, or the
    /// long way. Each step is done for all units before the next step, so that the ground has arrived when it is read,
    /// and the values one step writes have long been written when the next step reads them in lanes.
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
        let slots = chunk.first..chunk.first + chunk.locals.len();
        let columns = Columns {
            locals: chunk.locals,
            velocities: chunk.velocities,
            wishes: &self.wishes[slots.clone()],
            bodies: &self.columns.body_ids[slots],
            corners: chunk.corners,
            map_ids: chunk.map_ids,
        };
        follow_in_cell(&pace, columns, beyond_cell);
        let crossings = &mut beyond_cell.crossings;
        crossings.locate(pace.simd, &pace.cells);
        self.prefetch(chunk.map_ids, crossings);
        self.look(crossings);
        crossings.find_heights(pace.simd, self.view.grid().quantum());
        self.arrive(chunk, crossings);
        for &at in &crossings.refused {
            let index = crossings.index(at as usize);
            let is_beyond = crossings.is_beyond(at as usize);
            if !(is_beyond && self.cross_border(chunk, index, notes)) {
                self.take_long(chunk, index, notes, long);
            }
        }
    }

    /// Prefetches the ground that crossings enter, where it is open.
    fn prefetch(&self, map_ids: &[u32], crossings: &mut Crossings) {
        let Crossings { count, index, column, row, slot, cell, .. } = crossings;
        let cells = column.iter().zip(&*row).zip(slot.iter_mut().zip(cell));
        for (index, ((&column, &row), (slot, cell))) in index[..*count].iter().zip(cells) {
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
    }

    /// Reads the ground that crossings enter, where it is open.
    fn look(&self, crossings: &mut Crossings) {
        let Crossings { count, slot, cell, quanta, .. } = crossings;
        for ((&slot, &cell), quanta) in slot[..*count].iter().zip(&*cell).zip(quanta) {
            if let Some(corners) = self.view.cell_corners(slot) {
                *quanta = corners.quanta(cell);
            }
        }
    }

    /// Supported units move on over the ground that they enter; the others are refused.
    fn arrive(&self, chunk: &mut WriteColumns<'_>, crossings: &mut Crossings) {
        let Crossings { count, index, slot, x, z, height, corners, refused, .. } = crossings;
        refused.clear();
        let to = x.iter().zip(&*z).zip(&*height);
        let who = index[..*count].iter().zip(&*slot);
        let wishes = &self.wishes[chunk.first..];
        let bodies = &self.columns.body_ids[chunk.first..];
        let only = if let [only] = self.follow_limits { Some(only.step_down) } else { None };
        let WriteColumns { locals, velocities, corners: remembered, .. } = chunk;
        for ((at, ((&index, &slot), ((&x, &z), &height))), corners) in
            (0..).zip(who.zip(to)).zip(&*corners)
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
}
