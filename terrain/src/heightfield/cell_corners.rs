//! The corners of cells, for random access to many cells.

use super::{HeightfieldView, Samples};
use crate::grid::Grid;
use crate::lanes::prefetch_ahead;

/// The minimum needed to read the heights at the corners of a sector's cells: less than a cache line, whereas
/// the whole [`HeightfieldView`] takes several.
#[derive(Clone, Copy, Debug)]
pub struct CellCorners<'a> {
    samples: Samples<'a>,
    stride: u32,
    base: i32,
    quantum: f32,
}

impl<'a> HeightfieldView<'a> {
    /// The corners of this sector's cells.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn cell_corners(&self) -> CellCorners<'a> {
        CellCorners::new(self.samples, self.grid, self.base)
    }
}

impl<'a> CellCorners<'a> {
    #[inline(always)]
    pub(crate) fn new(samples: Samples<'a>, grid: Grid, base: i32) -> Self {
        Self { samples, stride: grid.cells() + 3, base, quantum: grid.quantum() }
    }

    /// The heights at the corners of a cell, as [`HeightfieldView::corners`] returns them.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, column: u32, row: u32) -> [f32; 4] {
        self.quanta(self.cell(column, row)).map(|quanta| quanta as f32 * self.quantum)
    }

    /// The number of a cell in the sectors of a grid.
    #[must_use]
    #[inline(always)]
    pub fn cell(&self, column: u32, row: u32) -> u32 {
        (row + 1) * self.stride + column + 1
    }

    /// The heights at the corners of the cell of a [number](Self::cell), in quanta of the [grid](Grid::quantum), for
    /// callers that convert many to metres at once.
    #[must_use]
    #[inline(always)]
    pub fn quanta(&self, cell: u32) -> [i32; 4] {
        let (north, south) = (cell as usize, cell as usize + self.stride as usize);
        let samples = match self.samples {
            Samples::Narrow(samples) => {
                let [nw, ne, sw, se] = pairs(samples, north, south);
                [nw, ne, sw, se].map(|sample| i32::from(u16::from_le_bytes(sample)))
            }
            Samples::Wide(samples) => pairs(samples, north, south).map(i32::from_le_bytes),
        };
        samples.map(|sample| self.base + sample)
    }

    /// Prefetches the corners of a cell: call it for many cells before the first is read. Affects only
    /// speed. Cells that do not exist are ignored.
    #[inline(always)]
    pub fn prefetch(&self, cell: u32) {
        for at in [cell as usize, cell as usize + self.stride as usize] {
            match self.samples {
                Samples::Narrow(samples) => {
                    prefetch_ahead(samples.get(at..=at).unwrap_or_default(), 0);
                }
                Samples::Wide(samples) => {
                    prefetch_ahead(samples.get(at..=at).unwrap_or_default(), 0);
                }
            }
        }
    }
}

/// Two samples of one row and the two below them: looked at first, as then there are those above too.
#[inline(always)]
fn pairs<T: Copy>(samples: &[T], north: usize, south: usize) -> [T; 4] {
    let below = &samples[south..south + 2];
    let above = &samples[north..north + 2];
    [above[0], above[1], below[0], below[1]]
}
