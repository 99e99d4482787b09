//! One sector's heights, as a view over bytes: stored quanta become metres when they are read.
//!
//! ```text
//!   column →  +X                    nw ────── ne        Samples sit on corners, a cell is the
//! row   a0 ─── a1 ─── a2 …           │ ╲       │        square between four of them. The diagonal
//!  ↓    │      │      │              │   ╲ u≥v │        runs from nw (column, row) to se (column +
//! +Z    b0 ─── b1 ─── b2 …           │ u<v ╲   │        1, row + 1); u is along +X, v along +Z.
//!       …      …      …             sw ────── se        A point on the diagonal has u ≥ v.
//! ```
//!
//! A sector of `n × n` cells stores `(n + 3) × (n + 3)` samples: its own `n + 1` along each side, and an
//! apron of one around them, so that smooth normals need no other sector. Cells are counted with the apron
//! where their kind is stored (`n + 2` along a side), without it everywhere else.

pub(crate) mod cell_corners;
pub(crate) mod disc_tops;
mod ground;
pub(crate) mod height_rule;
pub(crate) mod pyramid;
mod ray;
mod raycast;
mod sample_slices;

pub(crate) use cell_corners::CellCorners;
pub use ground::Ground;
pub(crate) use height_rule::{CellPlace, height_in_cell};
pub(crate) use pyramid::Ranges;
pub use pyramid::{HeightRange, Pyramid};
#[doc(hidden)]
pub use pyramid::{blocks_along, pyramid_blocks};
pub(crate) use ray::{Axis, Entry, Ray};
pub(crate) use raycast::{Strike, strike};

use crate::grid::Grid;
use crate::limits::BLOCK_CELLS;
use crate::math::greater;

/// The kind of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CellKind {
    /// Two triangles of ground.
    Solid = 0,
    /// A hole in the ground.
    Hole = 1,
    /// Not part of this world.
    Outside = 2,
}

/// The number of a surface: its index in the world's list of surface names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SurfaceId(pub u8);

/// A set of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceSet([u64; 4]);

impl SurfaceSet {
    /// Whether the set contains a surface.
    #[must_use]
    #[inline]
    pub fn contains(&self, SurfaceId(surface): SurfaceId) -> bool {
        self.0[usize::from(surface / 64)] >> (surface % 64) & 1 == 1
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl FromIterator<SurfaceId> for SurfaceSet {
    fn from_iter<I: IntoIterator<Item = SurfaceId>>(surfaces: I) -> Self {
        let mut set = Self::default();
        for SurfaceId(surface) in surfaces {
            set.0[usize::from(surface / 64)] |= 1 << (surface % 64);
        }
        set
    }
}

/// A rectangle of cells, half-open, counted with the apron: index 0 is the cell of the apron.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRect {
    /// First column.
    pub column0: u16,
    /// First row.
    pub row0: u16,
    /// One past the last column.
    pub column1: u16,
    /// One past the last row.
    pub row1: u16,
}

impl CellRect {
    /// Whether the cell lies inside.
    #[must_use]
    pub fn contains(self, column: u32, row: u32) -> bool {
        u32::from(self.column0) <= column
            && column < u32::from(self.column1)
            && u32::from(self.row0) <= row
            && row < u32::from(self.row1)
    }
}

/// Heights as they are stored: unsigned quanta above the sector's base, little-endian.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Samples<'a> {
    /// 16 bits each.
    Narrow(&'a [[u8; 2]]),
    /// 32 bits each, where the relief does not fit in 16.
    Wide(&'a [[u8; 4]]),
}

/// The heights, holes and surfaces of one sector, borrowed from checked bytes. Coordinates are
/// metres from the sector's centre.
#[derive(Clone, Copy, Debug)]
pub struct HeightfieldView<'a> {
    pub(crate) grid: Grid,
    /// Metres to cells: the inverse of the cell's side.
    pub(crate) cells_per_metre: f32,
    /// Half the cells along a side: added to a coordinate in cells to get a column.
    pub(crate) half_cells: f32,
    /// Height of one quantum. Metres.
    pub(crate) quantum: f32,
    pub(crate) base: i32,
    pub(crate) samples: Samples<'a>,
    pub(crate) covered: CellRect,
    pub(crate) holes: Option<&'a [u8]>,
    pub(crate) outside: Option<&'a [u8]>,
    pub(crate) surfaces: Surfaces<'a>,
    pub(crate) pyramid: Pyramid<'a>,
    pub(crate) steepness: &'a [u8],
}

/// Surface ids: one for all cells, or one each.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surfaces<'a> {
    /// One for all.
    Uniform(SurfaceId),
    /// One for each cell, row by row, without the apron.
    PerCell(&'a [u8]),
}

impl<'a> HeightfieldView<'a> {
    /// The grid that this sector shares with its world.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Cells along a side, without the apron.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.grid.cells()
    }

    /// The cells, apron included, that belong to the world: all of them unless the sector lies on
    /// the world's edge.
    #[must_use]
    pub fn covered(&self) -> CellRect {
        self.covered
    }

    /// Least and greatest heights of blocks of cells.
    #[must_use]
    pub fn pyramid(&self) -> Pyramid<'a> {
        self.pyramid
    }

    /// The greatest slope of each block of 8 × 8 cells, rounded up: rise over run in 32nds, 255
    /// where it is 255/32 or more. Row by row.
    #[must_use]
    pub fn steepness(&self) -> &'a [u8] {
        self.steepness
    }

    /// The surface of all cells; `None` if it is not the same everywhere.
    #[must_use]
    pub fn uniform_surface(&self) -> Option<SurfaceId> {
        match self.surfaces {
            Surfaces::Uniform(surface) => Some(surface),
            Surfaces::PerCell(_) => None,
        }
    }

    /// Whether any cell, apron included, is a hole.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        self.holes.is_some()
    }

    /// Whether every cell, apron excluded, is known to be solid. A hole in the apron alone may make this
    /// false.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.holes.is_none()
            && self.outside.is_none()
            && self.covered.contains(1, 1)
            && self.covered.contains(self.cells(), self.cells())
    }

    /// Whether heights are stored in 32 bits instead of 16.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        matches!(self.samples, Samples::Wide(_))
    }

    /// The height that samples are stored relative to. Quanta.
    #[must_use]
    pub fn base(&self) -> i32 {
        self.base
    }

    /// The height of a sample in quanta. Columns and rows run from −1, the apron, to `cells + 1`.
    ///
    /// The value is meaningless where none of the four cells around a sample is ground.
    #[must_use]
    #[inline]
    pub fn quanta(&self, column: i32, row: i32) -> i32 {
        let stride = self.cells() as i32 + 3;
        debug_assert!(column >= -1 && row >= -1 && column < stride - 1 && row < stride - 1);
        let index = ((row + 1) * stride + (column + 1)) as usize;
        self.base
            + match self.samples {
                Samples::Narrow(samples) => i32::from(u16::from_le_bytes(samples[index])),
                Samples::Wide(samples) => i32::from_le_bytes(samples[index]),
            }
    }

    /// The height of a sample. Metres, exact. Columns and rows as for [`quanta`](Self::quanta).
    #[must_use]
    #[inline]
    pub fn sample(&self, column: i32, row: i32) -> f32 {
        self.quanta(column, row) as f32 * self.quantum
    }

    /// The heights at the corners of a cell: `[nw, ne, sw, se]` of the module's drawing.
    #[must_use]
    #[inline]
    pub fn corners(&self, column: u32, row: u32) -> [f32; 4] {
        self.cell_corners().at(column, row)
    }

    /// The kind of a cell. Columns and rows run from −1, the apron, to `cells`.
    #[must_use]
    #[inline]
    pub fn cell_kind(&self, column: i32, row: i32) -> CellKind {
        let (column, row) = ((column + 1) as u32, (row + 1) as u32);
        debug_assert!(column < self.cells() + 2 && row < self.cells() + 2);
        if !self.covered.contains(column, row) {
            return CellKind::Outside;
        }
        let bit = |bits: &[u8]| {
            let index = row as usize * cell_bits_stride(self.cells()) + (column / 8) as usize;
            bits[index] >> (column % 8) & 1 == 1
        };
        if self.outside.is_some_and(bit) {
            CellKind::Outside
        } else if self.holes.is_some_and(bit) {
            CellKind::Hole
        } else {
            CellKind::Solid
        }
    }

    /// The surface of a cell.
    #[must_use]
    #[inline]
    pub fn cell_surface(&self, column: u32, row: u32) -> SurfaceId {
        match self.surfaces {
            Surfaces::Uniform(surface) => surface,
            Surfaces::PerCell(ids) => SurfaceId(ids[(row * self.cells() + column) as usize]),
        }
    }

    /// The steepness byte of the block that holds a cell; see [`steepness`](Self::steepness).
    #[must_use]
    #[inline]
    pub fn cell_steepness(&self, column: u32, row: u32) -> u8 {
        let along = blocks_along(self.cells());
        self.steepness[(row / BLOCK_CELLS * along + column / BLOCK_CELLS) as usize]
    }

    /// The steepness byte of one cell: the greatest slope of its two triangles, rounded up; see
    /// [`steepness`](Self::steepness).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn own_steepness(&self, column: u32, row: u32) -> u8 {
        let corners = self.cell_corners();
        let [nw, ne, sw, se] = corners.quanta(corners.cell(column, row)).map(f64::from);
        let (north_east, south_west) = ([ne - nw, se - ne], [se - sw, sw - nw]);
        let [first, second] = [north_east, south_west].map(|[x, z]| x * x + z * z);
        let square = greater(first, second);
        // The last factor adds slightly more than rounding can lose.
        let per_cell = f64::from(self.quantum) / f64::from(self.grid.cell()) * (1.0 + 1e-6);
        slope_byte(square.sqrt() * per_cell)
    }
}

/// A slope in 32nds of rise over run, rounded up; 255 where it is 255/32 or more.
#[inline]
pub(crate) fn slope_byte(slope: f64) -> u8 {
    let steps = slope * 32.0;
    // Rounded up without `ceil`, which is a library call on most machines.
    let whole = steps as u32;
    let steps = whole.saturating_add(u32::from(f64::from(whole) < steps));
    if steps < 255 { steps as u8 } else { 255 }
}

/// Bytes of a row of cell bits: apron included, padded to whole bytes.
pub(crate) const fn cell_bits_stride(cells: u32) -> usize {
    (cells as usize + 2).div_ceil(8)
}
