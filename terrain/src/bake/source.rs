//! The sources that a bake reads: rows of heights and rows of cell values, delivered in order.
//!
//! Decoding files is up to the caller; a bake never opens one. A source delivers one row at a time, so baking
//! a heightmap of any size takes only the memory of a band of sectors.

use std::error::Error;

/// Which row a source delivers first. Row 0 of the grid is north, towards −Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// Row 0 (north, least z) first: the order in which images are stored.
    NorthFirst,
    /// The last row (south, greatest z) first: an image that is flipped while it is read.
    SouthFirst,
}

/// One row of height samples, west to east.
#[derive(Clone, Copy, Debug)]
pub enum HeightRow<'a> {
    /// Codes into the table of [`HeightSource::code_metres`].
    Codes(&'a [u16]),
    /// Heights in metres; not a number marks a void.
    Metres(&'a [f64]),
}

/// A grid of height samples, delivered row by row.
pub trait HeightSource: Send {
    /// Samples along a row, west to east; at least 2.
    fn columns(&self) -> u32;

    /// Number of rows; at least 2.
    fn rows(&self) -> u32;

    /// Which row comes first.
    fn order(&self) -> RowOrder {
        RowOrder::NorthFirst
    }

    /// Metres for each of the 65536 codes, for rows of [`HeightRow::Codes`]; not a number marks a
    /// void.
    fn code_metres(&self) -> Option<&[f64]> {
        None
    }

    /// The next row. Called exactly [`rows`](Self::rows) times.
    ///
    /// # Errors
    /// Whatever prevents reading the row; it ends the bake.
    fn next_row(&mut self) -> Result<HeightRow<'_>, SourceError>;
}

/// One value for each cell, delivered row by row: a hole mask (any value but 0 is a hole) or surface ids.
///
/// A grid of `n × m` height samples has `(n − 1) × (m − 1)` cells. A cell source has either as many columns
/// and rows as there are cells, or as many as there are samples. In the latter case the last column and the
/// southernmost row belong to no cell and are not used.
pub trait CellSource: Send {
    /// Values along a row, west to east.
    fn columns(&self) -> u32;

    /// Number of rows.
    fn rows(&self) -> u32;

    /// Which row comes first; must be the same as for the heights.
    fn order(&self) -> RowOrder {
        RowOrder::NorthFirst
    }

    /// The next row. Called at most [`rows`](Self::rows) times.
    ///
    /// # Errors
    /// Whatever prevents reading the row; it ends the bake.
    fn next_row(&mut self) -> Result<&[u8], SourceError>;
}

/// Why a source could not deliver a row. Carries the source's own error.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SourceError(Box<dyn Error + Send + Sync>);

impl SourceError {
    /// Wraps a source's own error, or a message.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }

    /// The wrapped error.
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}
