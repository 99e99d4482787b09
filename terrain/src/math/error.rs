//! Why a position or a grid is invalid.

use thiserror::Error;

/// Why a position or distance is invalid in every world.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PositionError {
    /// A coordinate is infinite or not a number.
    #[error("{axis} is {value}, expected a finite number of metres")]
    NotFinite {
        /// Which coordinate: `x`, `y` or `z`.
        axis: char,
        /// The value found.
        value: f64,
    },
    /// A coordinate lies beyond the last sector that 32-bit sector numbers can address.
    #[error("{axis} is {value} m, beyond the last of the 2^32 sectors along an axis")]
    BeyondSectors {
        /// Which coordinate: `x` or `z`.
        axis: char,
        /// The value found, metres from the centre of sector 0 or of the position's own sector.
        value: f64,
    },
}

/// Why a grid is invalid. Every length is in metres.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum GridError {
    /// A length is not a power of two within its limits.
    #[error("{what} is {found} m, expected a power of two from {min} to {max}")]
    Length {
        /// Which length: `cell`, `sector size` or `quantum`.
        what: &'static str,
        /// The value given.
        found: f64,
        /// Minimum accepted value.
        min: f64,
        /// Maximum accepted value.
        max: f64,
    },
    /// A sector would not hold 1 to 1024 cells along a side.
    #[error("a sector of {size} m has {cells} cells of {cell} m along a side, expected 1 to {max}")]
    Cells {
        /// Side of the sector.
        size: f64,
        /// Side of a cell.
        cell: f64,
        /// Cells along a side; a fraction where a cell is longer than the sector.
        cells: f64,
        /// Maximum accepted number.
        max: u32,
    },
}
