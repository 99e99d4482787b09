//! Units that enter another cell: a list in columns, and the work on sixteen of them at a time.
#![allow(clippy::needless_range_loop, reason = "lanes of several arrays side by side")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m512, __m512i};
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::crossers_avx512;
use super::lanes::Pace;
use crate::ground::frame::{floor, to_whole};
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512::{self, store, store_words};
use crate::lanes::simd::{Lanewise, with_widest};
use crate::units::cells::{Corners, LANES, NO_CORNERS};

/// Units that remember a cell and enter another one, where they may stroll too.
#[derive(Debug, Default)]
pub(crate) struct Crossers {
    count: usize,
    /// How many are located.
    located: usize,
    /// Their indices in the stretch, with [`NEW_VELOCITY`] or without.
    pub(crate) index: Vec<u32>,
    /// Where they arrive.
    pub(crate) x: Vec<f32>,
    pub(crate) z: Vec<f32>,
    /// For located units, the cells there and the places in them. A unit that crosses the border of
    /// the sector has [`BEYOND`] for a column or a row.
    pub(crate) column: Vec<u32>,
    pub(crate) row: Vec<u32>,
    pub(crate) u: Vec<f32>,
    pub(crate) v: Vec<f32>,
    /// For units whose ground has been prefetched, the numbers of their open maps, or [`CLOSED`].
    pub(crate) number: Vec<u32>,
    /// For units whose ground has been read, the corners of the cells that they enter, in quanta. Meaningless
    /// for units whose ground is [`CLOSED`].
    pub(crate) quanta: Vec<[i32; 4]>,
    /// The same in metres, and the height of the ground there.
    pub(crate) corners: Vec<Corners>,
    pub(crate) height: Vec<f32>,
    /// Of the units that arrived last, those that may not stroll there.
    pub(crate) refused: Vec<u32>,
}

/// In place of a column or row: not in this sector.
pub(crate) const BEYOND: u32 = u32::MAX;

/// In place of an open map's number: no unit strolls on this ground.
pub(crate) const CLOSED: u32 = u32::MAX;

/// Flag in an index: the velocity may be new.
pub(crate) const NEW_VELOCITY: u32 = 1 << 31;

/// The list of units that enter another cell, appended by a kernel.
pub(crate) struct List<'a> {
    index: &'a mut [u32],
    x: &'a mut [f32],
    z: &'a mut [f32],
    count: usize,
}

impl List<'_> {
    /// The number of units on the list.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Appends a unit, with its index in the stretch, and where it arrives.
    #[inline(always)]
    pub(crate) fn push(&mut self, index: u32, [x, z]: [f32; 2]) {
        let at = self.count;
        (self.index[at], self.x[at], self.z[at]) = (index, x, z);
        self.count += 1;
    }

    /// Appends the first `count` of sixteen units. They are compressed in the register and written whole:
    /// compressing into memory is slow on some processors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(crate) fn push_block(&mut self, index: __m512i, [x, z]: [__m512; 2], count: u32) {
        store_words(self.index, self.count, index);
        store(self.x, self.count, x);
        store(self.z, self.count, z);
        self.count += count as usize;
    }
}

impl Crossers {
    /// Room for `units` units, and for a block to be written behind the last one.
    pub(crate) fn make_room(&mut self, units: usize) {
        let room = units.next_multiple_of(LANES) + LANES;
        if self.index.len() < room {
            let [cells, ids] =
                [[&mut self.column, &mut self.row], [&mut self.index, &mut self.number]];
            for column in cells.into_iter().chain(ids) {
                column.resize(room, 0);
            }
            let to = [&mut self.x, &mut self.z, &mut self.u, &mut self.v];
            for part in to.into_iter().chain([&mut self.height]) {
                part.resize(room, 0.0);
            }
            self.quanta.resize(room, [0; 4]);
            self.corners.resize(room, NO_CORNERS);
            self.refused.reserve(room);
        }
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.located = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The list, to append to.
    #[inline(always)]
    pub(crate) fn list(&mut self) -> List<'_> {
        List { index: &mut self.index, x: &mut self.x, z: &mut self.z, count: self.count }
    }

    /// Takes over the length of a [list](Self::list).
    #[inline(always)]
    pub(crate) fn take(&mut self, count: usize) {
        self.count = count;
    }

    /// The index of a crosser in the stretch.
    #[inline(always)]
    pub(crate) fn index(&self, at: usize) -> usize {
        (self.index[at] & !NEW_VELOCITY) as usize
    }

    /// Whether a unit crosses a border of the sector.
    #[inline(always)]
    pub(crate) fn is_beyond(&self, at: usize) -> bool {
        self.column[at] == BEYOND || self.row[at] == BEYOND
    }

    /// Finds the cells of the units that are not located yet, and returns the range of these units.
    #[inline(always)]
    pub(crate) fn locate(&mut self, pace: &Pace<'_>) -> Range<usize> {
        let new = self.located..self.count;
        for (metres, cells, parts) in
            [(&self.x, &mut self.column, &mut self.u), (&self.z, &mut self.row, &mut self.v)]
        {
            // Whole blocks: entries behind the last one are meaningless.
            let blocks = self.located..self.located + new.len().next_multiple_of(LANES);
            let metres = metres[blocks.clone()].as_chunks::<LANES>().0;
            let cells = cells[blocks.clone()].as_chunks_mut::<LANES>().0;
            let parts = parts[blocks].as_chunks_mut::<LANES>().0;
            for ((metres, cells), parts) in metres.iter().zip(cells).zip(parts) {
                for lane in 0..LANES {
                    let in_cells = metres[lane] * pace.cells_per_metre;
                    let cell = floor(in_cells);
                    let is_here = metres[lane].abs() < pace.half;
                    cells[lane] = if is_here { to_whole(cell + pace.half_cells) } else { BEYOND };
                    parts[lane] = in_cells - cell;
                }
            }
        }
        self.located = self.count;
        new
    }

    /// Finds the height of the ground that units enter, for units whose ground has been read, as
    /// [`height_in_cell`](marchland_terrain::heightfield::height_in_cell) does, and the corners there.
    pub(crate) fn find_heights(&mut self, which: Range<usize>, quantum: f32) {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::is_here() {
                #[allow(unsafe_code)]
                // SAFETY: the processor has just been checked for what the function needs.
                return unsafe { crossers_avx512::find_heights(self, which, quantum) };
            }
        }
        with_widest(Heights { crossers: self, which, quantum });
    }

    #[inline(always)]
    fn heights(&mut self, which: Range<usize>, quantum: f32) {
        for first in which.step_by(LANES) {
            let lanes = first..first + LANES;
            let [u, v] = [&self.u[lanes.clone()], &self.v[lanes.clone()]];
            let quanta = &self.quanta[lanes.clone()];
            let corners = &mut self.corners[lanes.clone()];
            let heights = &mut self.height[lanes];
            for lane in 0..LANES {
                corners[lane] = quanta[lane].map(|quanta| quanta as f32 * quantum);
                let [a, b, c, e] = corners[lane];
                let is_north_east = u[lane] >= v[lane];
                let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
                let (along_first, along_second) =
                    if is_north_east { (u[lane], v[lane]) } else { (v[lane], u[lane]) };
                heights[lane] = (a + first * along_first) + second * along_second;
            }
        }
    }
}

/// Finds cells, see [`Crossers::locate`].
pub(crate) struct Locate<'a> {
    pub(crate) crossers: &'a mut Crossers,
    pub(crate) pace: &'a Pace<'a>,
}

impl Lanewise for Locate<'_> {
    type Output = Range<usize>;

    #[inline(always)]
    fn run(self) -> Range<usize> {
        self.crossers.locate(self.pace)
    }
}

/// Finds heights, see [`Crossers::find_heights`].
pub(crate) struct Heights<'a> {
    pub(crate) crossers: &'a mut Crossers,
    pub(crate) which: Range<usize>,
    pub(crate) quantum: f32,
}

impl Lanewise for Heights<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.crossers.heights(self.which, self.quantum);
    }
}
