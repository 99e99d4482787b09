//! Units that enter another cell: a list in columns, and the work on sixteen of them at a time.

use bytemuck::{cast_mut, cast_ref, cast_slice_mut};
use marchland_terrain::SectorSlot;
use marchland_terrain::kernel::height_in_cell;
use marchland_terrain::kernel::lanes::{F32x16, I32x16, Kernel, LANES, Lanes, Simd, each};

use crate::ground::lanes::cell_index;
use crate::units::memory::cells::{Corners, NO_CORNERS};

/// Units that remember a cell and enter another one, where they may follow too.
#[derive(Debug, Default)]
pub(crate) struct Crossings {
    pub(crate) count: usize,
    /// Their indices in the chunk, with [`NEW_VELOCITY`] or without.
    pub(crate) index: Vec<u32>,
    /// Where they arrive.
    pub(crate) x: Vec<f32>,
    pub(crate) z: Vec<f32>,
    /// The cells there and the places in them. A unit that crosses the border of the sector has [`BEYOND`] for a
    /// column or a row.
    pub(crate) column: Vec<u32>,
    pub(crate) row: Vec<u32>,
    pub(crate) u: Vec<f32>,
    pub(crate) v: Vec<f32>,
    /// The ground there: its sector, or none where it is not open, and the number of the cell in it.
    pub(crate) slot: Vec<SectorSlot>,
    pub(crate) cell: Vec<u32>,
    /// The corners of these cells, in quanta. Meaningless without a sector.
    pub(crate) quanta: Vec<[i32; 4]>,
    /// The same in metres, and the height of the ground there.
    pub(crate) corners: Vec<Corners>,
    pub(crate) height: Vec<f32>,
    /// The units that may not follow there.
    pub(crate) refused: Vec<u32>,
}

/// In place of a column or row: not in this sector.
pub(crate) const BEYOND: u32 = u32::MAX;

/// Flag in an index: the velocity may be new.
pub(crate) const NEW_VELOCITY: u32 = 1 << 31;

/// The list of units that enter another cell, appended by a kernel.
pub(crate) struct List<'a> {
    index: &'a mut [u32],
    x: &'a mut [f32],
    z: &'a mut [f32],
    pub(crate) count: usize,
}

impl List<'_> {
    /// Appends the units of some lanes, with their indices in the chunk, and where they arrive.
    #[inline(always)]
    pub(crate) fn push_block<L: Lanes>(
        &mut self,
        lanes: u16,
        index: I32x16<L>,
        [x, z]: [F32x16<L>; 2],
    ) {
        index.pack_at(lanes, cast_slice_mut(self.index), self.count);
        x.bits().pack_at(lanes, cast_slice_mut(self.x), self.count);
        z.bits().pack_at(lanes, cast_slice_mut(self.z), self.count);
        self.count += lanes.count_ones() as usize;
    }
}

impl Crossings {
    /// Room for `units` units, and for a block to be written behind the last one.
    pub(crate) fn reserve(&mut self, units: usize) {
        let room = units.next_multiple_of(LANES) + LANES;
        if self.index.len() < room {
            for column in [&mut self.index, &mut self.column, &mut self.row, &mut self.cell] {
                column.resize(room, 0);
            }
            self.slot.resize(room, SectorSlot::NONE);
            let to = [&mut self.x, &mut self.z, &mut self.u, &mut self.v];
            for part in to.into_iter().chain([&mut self.height]) {
                part.resize(room, 0.0);
            }
            self.quanta.resize(room, [0; 4]);
            self.corners.resize(room, NO_CORNERS);
            self.refused.reserve(room);
        }
    }

    /// The list, empty, to append to. Whoever has done so takes over its count.
    #[inline(always)]
    pub(crate) fn list(&mut self) -> List<'_> {
        List { index: &mut self.index, x: &mut self.x, z: &mut self.z, count: 0 }
    }

    /// The index of a crossing in the chunk.
    #[inline(always)]
    pub(crate) fn index(&self, at: usize) -> usize {
        (self.index[at] & !NEW_VELOCITY) as usize
    }

    /// Whether a unit crosses a border of the sector.
    #[inline(always)]
    pub(crate) fn is_beyond(&self, at: usize) -> bool {
        self.column[at] == BEYOND || self.row[at] == BEYOND
    }

    /// Finds the cells that units enter.
    pub(crate) fn locate(&mut self, simd: Simd, frame: &CellFrame) {
        // Whole blocks: entries behind the last one are meaningless.
        let blocks = ..self.count.next_multiple_of(LANES);
        for (metres, cells, parts) in
            [(&self.x, &mut self.column, &mut self.u), (&self.z, &mut self.row, &mut self.v)]
        {
            let (metres, cells) = (&metres[blocks], &mut cells[blocks]);
            simd.run(CellSearch { frame, metres, cells, parts: &mut parts[blocks] });
        }
    }

    /// Finds the height of the ground that units enter, which has been read, and the corners there.
    pub(crate) fn find_heights(&mut self, simd: Simd, quantum: f32) {
        simd.run(Heights { crossings: self, quantum });
    }
}

/// The cells of a sector, along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellFrame {
    pub(crate) cells_per_metre: f32,
    /// Half a sector, in metres and in cells.
    pub(crate) half: f32,
    pub(crate) half_cells: f32,
}

/// Finds columns or rows, and the places in them.
struct CellSearch<'a> {
    frame: &'a CellFrame,
    metres: &'a [f32],
    cells: &'a mut [u32],
    parts: &'a mut [f32],
}

impl Kernel for CellSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { frame, metres, cells, parts } = self;
        let (metres, cells) = (metres.as_chunks().0, cells.as_chunks_mut::<LANES>().0);
        let parts = parts.as_chunks_mut().0;
        for ((metres, cells), parts) in metres.iter().zip(cells).zip(parts) {
            let metres = F32x16::load(lanes, metres);
            let in_cells = metres * F32x16::splat(lanes, frame.cells_per_metre);
            let cell = in_cells.floor();
            let is_here = metres.abs().lt(F32x16::splat(lanes, frame.half));
            let index = cell_index(lanes, cell, frame.half_cells);
            is_here.select_int(index, I32x16::splat(lanes, BEYOND as i32)).store(cast_mut(cells));
            (in_cells - cell).store(parts);
        }
    }
}

/// Finds heights, see [`Crossings::find_heights`].
struct Heights<'a> {
    crossings: &'a mut Crossings,
    quantum: f32,
}

impl Kernel for Heights<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Crossings { count, u, v, quanta, corners, height, .. } = self.crossings;
        let quantum = F32x16::splat(lanes, self.quantum);
        for first in (0..*count).step_by(LANES) {
            let Some(quanta) = quanta[first..].first_chunk::<LANES>() else { return };
            let Some(corners) = corners[first..].first_chunk_mut::<LANES>() else { return };
            let quanta: &[[i32; LANES]; 4] = cast_ref(quanta);
            let corners: &mut [[f32; LANES]; 4] = cast_mut(corners);
            for (quanta, corners) in quanta.iter().zip(&mut *corners) {
                (I32x16::load(lanes, quanta).to_f32() * quantum).store(corners);
            }
            let [nw, ne, sw, se] = I32x16::unzip4(lanes, cast_ref(&*corners));
            let corners = each!([nw, ne, sw, se], |part| part.of_bits());
            let [u, v] = each!([&*u, &*v], |part| F32x16::load_at(lanes, part, first));
            height_in_cell(corners, u, v).store_at(height, first);
        }
    }
}
