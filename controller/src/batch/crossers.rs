//! Who comes into another cell: a list in columns, and what is worked out for sixteen of them at a time.
#![allow(clippy::needless_range_loop, reason = "lanes of several arrays side by side")]

use super::lanes::Pace;
use crate::cells::{Corners, LANES, NO_CORNERS};
use crate::frame::{floor, whole};

/// Units that remember a cell and come into another one, where they may stroll too.
#[derive(Debug, Default)]
pub(crate) struct Crossers {
    count: usize,
    /// How many are located.
    located: usize,
    /// Their places among those of the stretch.
    pub(crate) index: Vec<u32>,
    /// Where they come to.
    pub(crate) x: Vec<f32>,
    pub(crate) z: Vec<f32>,
    /// The cells there and the places in them, of those that are located.
    pub(crate) column: Vec<u32>,
    pub(crate) row: Vec<u32>,
    pub(crate) u: Vec<f32>,
    pub(crate) v: Vec<f32>,
    /// The numbers of their homes, or [`CLOSED`], of those whose ground has been asked for.
    pub(crate) number: Vec<u32>,
}

/// In place of a home's number: nobody strolls on this ground.
pub(crate) const CLOSED: u32 = u32::MAX;

impl Crossers {
    /// Room for so many, and for a block to be written behind the last one.
    pub(crate) fn make_room(&mut self, units: usize) {
        let room = units.next_multiple_of(LANES) + LANES;
        if self.index.len() < room {
            for whole in [&mut self.index, &mut self.column, &mut self.row, &mut self.number] {
                whole.resize(room, 0);
            }
            for part in [&mut self.x, &mut self.z, &mut self.u, &mut self.v] {
                part.resize(room, 0.0);
            }
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

    /// How many have been written behind the last one.
    #[inline(always)]
    pub(crate) fn add(&mut self, count: usize) {
        self.count += count;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, index: u32, [x, z]: [f32; 2]) {
        let at = self.count;
        (self.index[at], self.x[at], self.z[at]) = (index, x, z);
        self.count += 1;
    }

    /// Finds the cells to which those come that are not located yet, and tells which these are.
    #[inline(always)]
    pub(crate) fn locate(&mut self, pace: &Pace<'_>) -> std::ops::Range<usize> {
        let new = self.located..self.count;
        for (metres, cells, parts) in
            [(&self.x, &mut self.column, &mut self.u), (&self.z, &mut self.row, &mut self.v)]
        {
            // Whole blocks: what stands behind the last one means nothing.
            let blocks = self.located..self.located + new.len().next_multiple_of(LANES);
            let metres = metres[blocks.clone()].as_chunks::<LANES>().0;
            let cells = cells[blocks.clone()].as_chunks_mut::<LANES>().0;
            let parts = parts[blocks].as_chunks_mut::<LANES>().0;
            for ((metres, cells), parts) in metres.iter().zip(cells).zip(parts) {
                for lane in 0..LANES {
                    let in_cells = metres[lane] * pace.cells_per_metre;
                    let cell = floor(in_cells);
                    cells[lane] = whole(cell + pace.half_cells);
                    parts[lane] = in_cells - cell;
                }
            }
        }
        self.located = self.count;
        new
    }

    /// The places in the cells to which sixteen come, `u` and `v`.
    #[inline(always)]
    pub(crate) fn in_cells(&self, first: usize) -> [[f32; LANES]; 2] {
        [&self.u, &self.v].map(|part| {
            let mut lanes = [0.0; LANES];
            lanes.copy_from_slice(&part[first..first + LANES]);
            lanes
        })
    }
}

/// What sixteen crossers find.
pub(crate) struct Found {
    /// The corners of the cells to which they come.
    pub(crate) corners: [Corners; LANES],
    /// How high they were, and how far down they follow.
    pub(crate) y: [f32; LANES],
    pub(crate) step_down: [f32; LANES],
}

impl Found {
    pub(crate) const NOTHING: Self =
        Self { corners: [NO_CORNERS; LANES], y: [0.0; LANES], step_down: [0.0; LANES] };

    /// The ground's height at places in the cells, as
    /// [`height_in_cell`](marchland_terrain::heightfield::height_in_cell) has it, and who is supported
    /// by it: nobody where nothing was found.
    #[inline(always)]
    pub(crate) fn support(&self, [u, v]: &[[f32; LANES]; 2]) -> ([f32; LANES], u32) {
        let mut heights = [0.0_f32; LANES];
        let mut supported = [0_u32; LANES];
        for lane in 0..LANES {
            let [a, b, c, e] = self.corners[lane];
            let is_north_east = u[lane] >= v[lane];
            let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
            let (along_first, along_second) =
                if is_north_east { (u[lane], v[lane]) } else { (v[lane], u[lane]) };
            heights[lane] = (a + first * along_first) + second * along_second;
            supported[lane] = u32::from(self.y[lane] - heights[lane] <= self.step_down[lane]);
        }
        let supported = (0..LANES).fold(0, |bits, lane| bits | supported[lane] << lane);
        (heights, supported)
    }
}
