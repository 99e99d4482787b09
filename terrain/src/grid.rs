//! The grid of a world: side of a cell, cells along a sector, height quantum.

use crate::limits::{
    CELL_LOG2_MAX, CELL_LOG2_MIN, CELLS_MAX, QUANTUM_LOG2_ASKED_MAX, QUANTUM_LOG2_MAX,
    QUANTUM_LOG2_MIN, SECTOR_SIZE_MAX, SECTOR_SIZE_MIN,
};
use crate::math::{GridError, SectorSize, clamp, lesser};

/// The grid that all sectors of a world share. The cell, sector size and quantum are powers of two,
/// so scaling by any of them is exact.
///
/// ```
/// use marchland_terrain::Grid;
///
/// let grid = Grid::new(0.5, 128.0, 1.0 / 256.0)?;
/// assert_eq!((grid.cells(), grid.sector_size().half()), (256, 64.0));
/// assert!(Grid::new(0.3, 128.0, 1.0 / 256.0).is_err()); // no power of two
/// # Ok::<(), marchland_terrain::error::GridError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    cell_log2: i8,
    cells_log2: u8,
    quantum_log2: i8,
}

impl Grid {
    /// A grid of cells of `cell` metres, sectors of `sector_size` metres and a height quantum of
    /// `quantum` metres.
    ///
    /// # Errors
    /// If a length is not a power of two within its limits, or a sector would not hold 1 to 1024
    /// cells along a side.
    pub fn new(cell: f64, sector_size: f64, quantum: f64) -> Result<Self, GridError> {
        let cell_log2 = exact_log2("cell", cell, CELL_LOG2_MIN, CELL_LOG2_MAX)?;
        let size_log2 = exact_log2(
            "sector size",
            sector_size,
            (SECTOR_SIZE_MIN as u32).ilog2() as i32,
            (SECTOR_SIZE_MAX as u32).ilog2() as i32,
        )?;
        let quantum_log2 =
            exact_log2("quantum", quantum, QUANTUM_LOG2_MIN, QUANTUM_LOG2_ASKED_MAX)?;
        Self::from_log2(cell_log2, size_log2 - cell_log2, quantum_log2)
    }

    /// A grid from powers of two: the log2 of the cell in metres, of the cells along a sector's
    /// side, and of the quantum in metres.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_log2(
        cell_log2: i32,
        cells_log2: i32,
        quantum_log2: i32,
    ) -> Result<Self, GridError> {
        let cell = power_of_two(cell_log2);
        let cells = power_of_two(cells_log2);
        let quantum = power_of_two(quantum_log2);
        exact_log2("cell", cell, CELL_LOG2_MIN, CELL_LOG2_MAX)?;
        exact_log2("quantum", quantum, QUANTUM_LOG2_MIN, QUANTUM_LOG2_ASKED_MAX)?;
        if !(0..=CELLS_MAX.ilog2() as i32).contains(&cells_log2) {
            return Err(GridError::Cells { size: cell * cells, cell, cells, max: CELLS_MAX });
        }
        SectorSize::new((cell * cells) as f32)?;
        Ok(Self {
            cell_log2: cell_log2 as i8,
            cells_log2: cells_log2 as u8,
            quantum_log2: quantum_log2 as i8,
        })
    }

    /// The default sector size for a cell: 256 cells, kept between 256 m and 16 384 m, and never more than
    /// 1024 cells.
    #[must_use]
    pub fn default_sector_size(cell: f64) -> f64 {
        let size = cell * 256.0;
        let size = clamp(size, 256.0, f64::from(SECTOR_SIZE_MAX));
        let most = cell * f64::from(CELLS_MAX);
        lesser(most, size)
    }

    /// The default quantum for a cell: the largest power of two not above a 256th of it, kept between 2⁻¹⁰ m
    /// and 2⁻⁴ m. The heights of a sector of 256 cells then fit in 16 bits up to a relief equal to its width.
    #[must_use]
    pub fn default_quantum(cell: f64) -> f64 {
        let mut quantum = power_of_two(QUANTUM_LOG2_MAX);
        while quantum > cell / 256.0 && quantum > power_of_two(QUANTUM_LOG2_MIN) {
            quantum *= 0.5;
        }
        quantum
    }

    /// Side of a cell. Metres.
    #[must_use]
    pub fn cell(self) -> f32 {
        power_of_two(i32::from(self.cell_log2)) as f32
    }

    /// Cells along a side of a sector: 1 to 1024, a power of two.
    #[must_use]
    pub const fn cells(self) -> u32 {
        1 << self.cells_log2
    }

    /// Side of a sector.
    #[must_use]
    #[inline]
    pub fn sector_size(self) -> SectorSize {
        let metres = power_of_two(i32::from(self.cell_log2) + i32::from(self.cells_log2)) as f32;
        SectorSize::new(metres).unwrap_or_else(|_| unreachable!("checked when the grid was made"))
    }

    /// Height of one quantum. Metres.
    #[must_use]
    #[inline]
    pub fn quantum(self) -> f32 {
        power_of_two(i32::from(self.quantum_log2)) as f32
    }

    /// log2 of the height quantum in metres.
    #[must_use]
    pub const fn quantum_log2(self) -> i32 {
        self.quantum_log2 as i32
    }

    /// log2 of the side of a cell in metres.
    #[must_use]
    pub const fn cell_log2(self) -> i32 {
        self.cell_log2 as i32
    }

    /// log2 of the number of cells along a sector.
    #[must_use]
    pub const fn cells_log2(self) -> u32 {
        self.cells_log2 as u32
    }
}

/// 2ⁿ, exact for the small n that lengths use.
#[inline]
pub(crate) fn power_of_two(log2: i32) -> f64 {
    let magnitude = f64::from(1_u32 << log2.unsigned_abs().clamp(0, 31));
    if log2 < 0 { 1.0 / magnitude } else { magnitude }
}

fn exact_log2(what: &'static str, found: f64, min: i32, max: i32) -> Result<i32, GridError> {
    (min..=max).find(|&log2| power_of_two(log2) == found).ok_or(GridError::Length {
        what,
        found,
        min: power_of_two(min),
        max: power_of_two(max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_follow_the_cell() {
        // cell, sector size, quantum
        for (cell, size, quantum) in [
            (0.0625, 64.0, 1.0 / 1024.0), // 1024 cells is the most
            (0.25, 256.0, 1.0 / 1024.0),
            (0.5, 256.0, 1.0 / 512.0),
            (1.0, 256.0, 1.0 / 256.0),
            (2.0, 512.0, 1.0 / 128.0),
            (32.0, 8192.0, 1.0 / 16.0),
            (64.0, 16_384.0, 1.0 / 16.0),
            (1024.0, 16_384.0, 1.0 / 16.0),
        ] {
            assert_eq!(Grid::default_sector_size(cell), size, "size for {cell}");
            assert_eq!(Grid::default_quantum(cell), quantum, "quantum for {cell}");
            assert!(Grid::new(cell, size, quantum).is_ok());
        }
    }

    #[test]
    fn odd_lengths_and_crowded_sectors_are_refused() {
        assert!(matches!(Grid::new(3.0, 256.0, 0.5), Err(GridError::Length { what: "cell", .. })));
        assert!(matches!(
            Grid::new(1.0, 300.0, 0.5),
            Err(GridError::Length { what: "sector size", .. })
        ));
        assert!(matches!(
            Grid::new(1.0, 256.0, 0.3),
            Err(GridError::Length { what: "quantum", .. })
        ));
        assert!(matches!(Grid::new(1.0, 2048.0, 0.5), Err(GridError::Cells { .. })));
        assert!(matches!(Grid::new(1024.0, 512.0, 0.5), Err(GridError::Cells { .. })));
        assert!(Grid::new(1024.0, 1024.0, 0.5).is_ok());
        assert!(Grid::new(f64::NAN, 256.0, 0.5).is_err());
    }
}
