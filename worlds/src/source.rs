//! Grids in memory as sources of a bake.

use marchland_terrain::bake::{CellSource, HeightRow, HeightSource, SourceError};

use crate::grid::Grid;

/// Values in memory, row by row from the north.
pub struct Rows<T> {
    grid: Grid<T>,
    next_row: usize,
}

/// Heights in metres, row by row from the north.
pub type Heights = Rows<f64>;

/// Holes or surfaces, one value for each cell, row by row from the north.
pub type Cells = Rows<u8>;

impl<T> Rows<T> {
    /// A source of these values.
    #[must_use]
    pub fn new(grid: Grid<T>) -> Self {
        Self { grid, next_row: 0 }
    }
}

impl HeightSource for Heights {
    fn columns(&self) -> u32 {
        self.grid.columns as u32
    }

    fn rows(&self) -> u32 {
        self.grid.rows as u32
    }

    fn next_row(&mut self) -> Result<HeightRow<'_>, SourceError> {
        row(&self.grid, &mut self.next_row).map(HeightRow::Metres)
    }
}

/// Heights as codes, as in 16-bit images, row by row from the north.
pub struct Codes {
    grid: Grid<u16>,
    code_metres: Vec<f64>,
    next_row: usize,
}

impl Codes {
    /// A source whose codes 0 and 65535 mean `min_height` and `max_height` metres.
    #[must_use]
    pub fn new(grid: Grid<u16>, min_height: f64, max_height: f64) -> Self {
        let metres_per_code = (max_height - min_height) / 65535.0;
        let code_metres =
            (0..=u16::MAX).map(|code| min_height + f64::from(code) * metres_per_code).collect();
        Self { grid, code_metres, next_row: 0 }
    }
}

impl HeightSource for Codes {
    fn columns(&self) -> u32 {
        self.grid.columns as u32
    }

    fn rows(&self) -> u32 {
        self.grid.rows as u32
    }

    fn code_metres(&self) -> Option<&[f64]> {
        Some(&self.code_metres)
    }

    fn next_row(&mut self) -> Result<HeightRow<'_>, SourceError> {
        row(&self.grid, &mut self.next_row).map(HeightRow::Codes)
    }
}

impl CellSource for Cells {
    fn columns(&self) -> u32 {
        self.grid.columns as u32
    }

    fn rows(&self) -> u32 {
        self.grid.rows as u32
    }

    fn next_row(&mut self) -> Result<&[u8], SourceError> {
        row(&self.grid, &mut self.next_row)
    }
}

fn row<'a, T>(grid: &'a Grid<T>, next_row: &mut usize) -> Result<&'a [T], SourceError> {
    let begin = *next_row * grid.columns;
    *next_row += 1;
    let row = grid.values.get(begin..begin + grid.columns);
    row.ok_or_else(|| SourceError::new("asked for more rows than there are"))
}
