//! Who comes into another cell: a list in columns, and what is worked out for sixteen of them at a time.
#![allow(clippy::needless_range_loop, reason = "lanes of several arrays side by side")]

use std::ops::Range;

use super::lanes::{Lanewise, Pace};
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
    /// What those find that have looked: the corners of the cells to which they come, how high they were,
    /// and how far down they follow.
    pub(crate) corners: Vec<Corners>,
    pub(crate) y: Vec<f32>,
    pub(crate) step_down: Vec<f32>,
    /// The ground's height there, and whether it supports them: all bits, or none.
    pub(crate) height: Vec<f32>,
    pub(crate) supported: Vec<u32>,
}

/// In place of a home's number: nobody strolls on this ground.
pub(crate) const CLOSED: u32 = u32::MAX;

impl Crossers {
    /// Room for so many, and for a block to be written behind the last one.
    pub(crate) fn make_room(&mut self, units: usize) {
        let room = units.next_multiple_of(LANES) + LANES;
        if self.index.len() < room {
            let [cell, home] =
                [[&mut self.column, &mut self.row], [&mut self.index, &mut self.number]];
            for whole in cell.into_iter().chain(home).chain([&mut self.supported]) {
                whole.resize(room, 0);
            }
            let to = [&mut self.x, &mut self.z, &mut self.u, &mut self.v];
            for part in to.into_iter().chain([&mut self.y, &mut self.step_down, &mut self.height]) {
                part.resize(room, 0.0);
            }
            self.corners.resize(room, NO_CORNERS);
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
    #[cfg(target_arch = "x86_64")]
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
    pub(crate) fn locate(&mut self, pace: &Pace<'_>) -> Range<usize> {
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

    /// The ground's height where those come to that have looked, as
    /// [`height_in_cell`](marchland_terrain::heightfield::height_in_cell) has it, and who is supported by
    /// it: nobody where nothing was found.
    #[inline(always)]
    fn support(&mut self, which: Range<usize>) {
        for first in which.step_by(LANES) {
            let lanes = first..first + LANES;
            let corners = &self.corners[lanes.clone()];
            let [u, v] = [&self.u[lanes.clone()], &self.v[lanes.clone()]];
            let [y, step_down] = [&self.y[lanes.clone()], &self.step_down[lanes.clone()]];
            let heights = &mut self.height[lanes.clone()];
            let supported = &mut self.supported[lanes];
            for lane in 0..LANES {
                let [a, b, c, e] = corners[lane];
                let is_north_east = u[lane] >= v[lane];
                let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
                let (along_first, along_second) =
                    if is_north_east { (u[lane], v[lane]) } else { (v[lane], u[lane]) };
                let height = (a + first * along_first) + second * along_second;
                heights[lane] = height;
                supported[lane] = if y[lane] - height <= step_down[lane] { u32::MAX } else { 0 };
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

/// Finds heights, see [`Crossers::support`].
pub(crate) struct Support<'a> {
    pub(crate) crossers: &'a mut Crossers,
    pub(crate) which: Range<usize>,
}

impl Lanewise for Support<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.crossers.support(self.which);
    }
}
