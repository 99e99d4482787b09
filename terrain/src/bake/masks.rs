//! Masks of cells, read in step with the heights: holes, surfaces, and what is outside the world. What they make of a
//! cell is decided in `rows`; holes around samples without a height are added in `bands`.

use super::error::BakeError;
use super::source::{CellSource, RowOrder};

/// A half-open rectangle of the source's cells: columns and rows counted from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRect {
    /// First column.
    pub column0: u32,
    /// First row.
    pub row0: u32,
    /// One past the last column.
    pub column1: u32,
    /// One past the last row.
    pub row1: u32,
}

impl SourceRect {
    /// Whether a cell lies inside.
    #[must_use]
    pub fn contains(&self, column: u32, row: u32) -> bool {
        self.has_row(row) && self.column0 <= column && column < self.column1
    }

    pub(crate) fn has_row(&self, row: u32) -> bool {
        self.row0 <= row && row < self.row1
    }
}

/// A mask, advanced row by row to the requested row.
pub(crate) struct MaskRows {
    source: Box<dyn CellSource>,
    order: RowOrder,
    /// Rows delivered so far.
    delivered: u32,
    row: Vec<u8>,
    cell_columns: usize,
}

impl MaskRows {
    pub(crate) fn new(
        what: &'static str,
        source: Box<dyn CellSource>,
        order: RowOrder,
        sample_columns: u32,
        sample_rows: u32,
    ) -> Result<Self, BakeError> {
        let (columns, rows) = (source.columns(), source.rows());
        let (cell_columns, cell_rows) = (sample_columns - 1, sample_rows - 1);
        let fits = [(cell_columns, cell_rows), (sample_columns, sample_rows)];
        if !fits.contains(&(columns, rows)) {
            return Err(BakeError::MaskSize {
                what,
                columns,
                rows,
                cell_columns,
                cell_rows,
                sample_columns,
                sample_rows,
            });
        }
        if source.order() != order {
            return Err(BakeError::SourceContract {
                found: format!("the {what} mask in the opposite row order"),
                expected: "masks in the same row order as the heights".into(),
            });
        }
        let cell_columns = cell_columns as usize;
        Ok(Self { source, order, delivered: 0, row: Vec::new(), cell_columns })
    }

    /// The values of a row of cells, counted from the north. Rows must be requested in the order of
    /// delivery; the same row may be requested again.
    pub(crate) fn row(&mut self, row: u32) -> Result<&[u8], BakeError> {
        let turn = match self.order {
            RowOrder::NorthFirst => row,
            RowOrder::SouthFirst => self.source.rows() - 1 - row,
        };
        while self.delivered <= turn {
            let values = self.source.next_row()?;
            if values.len() < self.cell_columns {
                return Err(BakeError::SourceContract {
                    found: format!("a mask row of {} values", values.len()),
                    expected: format!("at least {}", self.cell_columns),
                });
            }
            self.row.clear();
            self.row.extend_from_slice(&values[..self.cell_columns]);
            self.delivered += 1;
        }
        Ok(&self.row)
    }
}
