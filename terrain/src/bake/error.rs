//! Why a bake fails.

use std::error::Error;

use thiserror::Error;

use super::place::error::PlaceError;
use super::source::SourceError;
use crate::limits::BAKE_SAMPLES_MAX;

/// Why a bake failed. Samples are counted from the source's first column and its northernmost row.
#[derive(Debug, Error)]
pub enum BakeError {
    /// The source could not deliver a row.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The sink did not accept a finished sector.
    #[error(transparent)]
    Sink(Box<dyn Error + Send + Sync>),
    /// A prop or rule cannot be placed.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Fewer than two samples along an axis, and therefore no cell.
    #[error("the source is {columns} x {rows} samples, expected at least 2 x 2")]
    TooFewSamples {
        /// Samples along a row.
        columns: u32,
        /// Rows.
        rows: u32,
    },
    /// The source covers no whole cell of the world's grid.
    #[error(
        "the source covers {width} x {depth} m, less than one cell of {cell} m on the world's grid"
    )]
    NoWholeCell {
        /// Metres along X.
        width: f64,
        /// Metres along Z.
        depth: f64,
        /// Side of a cell. Metres.
        cell: f64,
    },
    /// A length or position is not finite, or is not positive where it must be.
    #[error("{what} is {found}, expected {expected}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// The value given.
        found: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// The world would need sectors whose coordinates do not fit in 32 bits.
    #[error("the world would reach from {first} to {last} m along {axis}, beyond the last sector")]
    BeyondSectors {
        /// `x` or `z`.
        axis: char,
        /// First sample.
        first: f64,
        /// Last sample.
        last: f64,
    },
    /// The world would have more samples than a bake accepts.
    #[error(
        "the world would have {samples} samples along {axis}, from source samples {spacing} m apart and \
         cells of {cell} m, expected at most {BAKE_SAMPLES_MAX}"
    )]
    Samples {
        /// `x` or `z`.
        axis: char,
        /// Samples of the world that the source covers.
        samples: u64,
        /// Metres from one sample of the source to the next.
        spacing: f64,
        /// Side of a cell. Metres.
        cell: f64,
    },
    /// A height exceeds what the quantum can represent.
    #[error(
        "height {metres} m at column {column}, row {row} is beyond {limit} m, the greatest height with a \
         quantum of {quantum} m; {}",
        would_do(*quantum_needed)
    )]
    Height {
        /// The height.
        metres: f64,
        /// The sample's column.
        column: u32,
        /// The sample's row.
        row: u32,
        /// 2²³ quanta.
        limit: f64,
        /// The quantum given in the settings.
        quantum: f64,
        /// The smallest power of two that can represent this height; `None` if no allowed quantum can.
        quantum_needed: Option<f64>,
    },
    /// A sample has no height, and the settings forbid that.
    #[error("no height at column {column}, row {row}, and voids are set to be errors")]
    Void {
        /// The sample's column.
        column: u32,
        /// The sample's row.
        row: u32,
    },
    /// A mask does not fit the heights.
    #[error(
        "the {what} mask is {columns} x {rows}, expected one value per cell ({cell_columns} x \
         {cell_rows}) or per sample ({sample_columns} x {sample_rows})"
    )]
    MaskSize {
        /// `hole` or `surface`.
        what: &'static str,
        /// Values along a row.
        columns: u32,
        /// Rows.
        rows: u32,
        /// Cells along a row of the heights.
        cell_columns: u32,
        /// Rows of cells of the heights.
        cell_rows: u32,
        /// Samples along a row of the heights.
        sample_columns: u32,
        /// Rows of the heights.
        sample_rows: u32,
    },
    /// A surface id has no name.
    #[error("surface {id} at column {column}, row {row}, but there are {names} surface names")]
    SurfaceId {
        /// The id.
        id: u8,
        /// The cell's column.
        column: u32,
        /// The cell's row.
        row: u32,
        /// How many names there are.
        names: usize,
    },
    /// A source broke its contract: a row of the wrong length, or codes without a table.
    #[error("the source delivered {found}, expected {expected}")]
    SourceContract {
        /// What the source delivered.
        found: String,
        /// What the contract requires.
        expected: String,
    },
}

/// The quantum that a height beyond the limit needs, as text.
fn would_do(quantum_needed: Option<f64>) -> String {
    match quantum_needed {
        Some(quantum) => format!("a quantum of {quantum} m would be enough"),
        None => "it is too great for any quantum".into(),
    }
}
