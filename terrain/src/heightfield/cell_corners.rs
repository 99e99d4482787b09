//! The corners of cells, for who looks at many cells at random.

use super::{HeightfieldView, Samples};
use crate::grid::Grid;

/// Of a sector no more than the heights at the corners of its cells take: less than a line of cache,
/// where the whole [`HeightfieldView`] is several.
#[derive(Clone, Copy, Debug)]
pub struct CellCorners<'a> {
    samples: Samples<'a>,
    stride: u32,
    base: i32,
    quantum: f32,
}

impl<'a> HeightfieldView<'a> {
    /// The corners of this sector's cells.
    #[must_use]
    #[inline]
    pub fn cell_corners(&self) -> CellCorners<'a> {
        CellCorners::new(self.samples, self.grid, self.base)
    }
}

impl<'a> CellCorners<'a> {
    #[inline]
    pub(crate) fn new(samples: Samples<'a>, grid: Grid, base: i32) -> Self {
        Self { samples, stride: grid.cells() + 3, base, quantum: grid.quantum() }
    }

    /// The heights at the corners of a cell, as [`HeightfieldView::corners`] has them.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, column: u32, row: u32) -> [f32; 4] {
        self.quanta(column, row).map(|quanta| quanta as f32 * self.quantum)
    }

    /// The same in quanta of the [grid](Grid::quantum), for who makes metres of many at a time.
    #[must_use]
    #[inline(always)]
    pub fn quanta(&self, column: u32, row: u32) -> [i32; 4] {
        let (north, south) = self.rows(column, row);
        let samples = match self.samples {
            Samples::Narrow(samples) => {
                let [a, b, c, e] = pairs(samples, north, south);
                [a, b, c, e].map(|sample| i32::from(u16::from_le_bytes(sample)))
            }
            Samples::Wide(samples) => pairs(samples, north, south).map(i32::from_le_bytes),
        };
        samples.map(|sample| self.base + sample)
    }

    /// Asks the processor to fetch the corners of a cell: before the first of many is looked at. Changes
    /// nothing but time. Cells that are not there are left out.
    #[inline]
    pub fn prefetch(&self, column: u32, row: u32) {
        let (north, south) = self.rows(column, row);
        for at in [north, south] {
            match self.samples {
                Samples::Narrow(samples) => hint(samples.get(at)),
                Samples::Wide(samples) => hint(samples.get(at)),
            }
        }
    }

    /// Where the first samples of a cell's two rows stand.
    #[inline(always)]
    fn rows(&self, column: u32, row: u32) -> (usize, usize) {
        let stride = self.stride as usize;
        let north = (row as usize + 1) * stride + column as usize + 1;
        (north, north + stride)
    }
}

/// Two samples of one row and the two below them.
#[inline(always)]
fn pairs<T: Copy>(samples: &[T], north: usize, south: usize) -> [T; 4] {
    let (above, below) = (&samples[north..north + 2], &samples[south..south + 2]);
    [above[0], above[1], below[0], below[1]]
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn hint<T>(at: Option<&T>) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    let Some(at) = at else { return };
    // Into the second level of cache, which has more lines on their way at a time than the first.
    #[allow(unsafe_code)]
    // SAFETY: a prefetch reads and writes nothing that a program can see, whatever the address; this one
    // is a reference's. SSE, of which it is, is part of every x86-64 processor.
    unsafe {
        _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(at).cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn hint<T>(_at: Option<&T>) {}
