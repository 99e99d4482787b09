//! The rows of a set of tiles, one row of tiles open at a time.
//!
//! A row shared by two tiles is taken from the southern one, or from the northern one if there is no
//! southern tile. A shared column is taken from the eastern one, or from the western one if there is
//! no eastern tile.

use super::grid::Grid;
use super::names::Tile;
use super::survey::Survey;
use crate::import::error::ImportError;
use crate::import::formats;
use crate::import::options::ImportOptions;
use crate::import::raster::{Row, RowReader, Samples};
use crate::import::scale::Scaling;

/// Rows of the whole set.
pub(crate) struct TileRows {
    tiles: Vec<Option<Tile>>,
    tile_columns: usize,
    /// Samples of one tile.
    columns: usize,
    rows: u32,
    overlap: u32,
    options: ImportOptions,
    scaling: Scaling,
    /// Whether rows are delivered as codes instead of metres.
    coded: bool,
    /// Whether the tiles hold no codes.
    is_real: bool,
    /// The tiles of the current row of tiles.
    open: Vec<Option<Box<dyn RowReader>>>,
    tile_row: usize,
    row_in_tile: u32,
    codes: Vec<u16>,
    values: Vec<f64>,
    metres: Vec<f64>,
}

impl RowReader for TileRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        let tile_rows = self.tiles.len() / self.tile_columns;
        if self.row_in_tile == 0 && self.tile_row == 0 {
            self.open_tiles()?;
        }
        let is_last = self.tile_row + 1 == tile_rows;
        let shared = if is_last { 0 } else { self.overlap };
        // Voids, where no tile is written over them.
        self.values.fill(f64::NAN);
        if self.row_in_tile == self.rows - shared && !is_last {
            // A shared row is taken from the north if there is no tile to the south.
            if shared == 1 {
                self.overlay_tiles()?;
            }
            self.tile_row += 1;
            self.row_in_tile = 0;
            self.open_tiles()?;
        }
        self.overlay_tiles()?;
        self.row_in_tile += 1;
        Ok(if self.coded { Row::Codes(&self.codes) } else { Row::Values(&self.values) })
    }
}

impl TileRows {
    /// The rows of a set `columns` wide, as codes or in metres.
    pub(crate) fn new(
        grid: Grid,
        survey: &Survey,
        overlap: u32,
        columns: u32,
        coded: bool,
        options: &ImportOptions,
    ) -> Self {
        let columns = columns as usize;
        Self {
            tile_columns: grid.tile_columns as usize,
            tiles: grid.tiles,
            columns: survey.columns as usize,
            rows: survey.rows,
            overlap,
            options: options.clone(),
            scaling: survey.scaling.clone(),
            coded,
            is_real: survey.samples == Samples::Real,
            open: Vec::new(),
            tile_row: 0,
            row_in_tile: 0,
            codes: if coded { vec![0; columns] } else { Vec::new() },
            values: if coded { Vec::new() } else { vec![f64::NAN; columns] },
            metres: Vec::new(),
        }
    }

    fn open_tiles(&mut self) -> Result<(), ImportError> {
        self.open.clear();
        let start = self.tile_row * self.tile_columns;
        for place in self.tiles.iter().skip(start).take(self.tile_columns) {
            let Some(tile) = place else {
                self.open.push(None);
                continue;
            };
            let options = self.options.with_channel(tile.channel);
            let raster = formats::open(&tile.path, &options)?;
            let is_real = raster.samples == Samples::Real;
            let size = (raster.columns as usize, raster.rows, is_real);
            if size != (self.columns, self.rows, self.is_real) {
                let what = "it changed while it was read";
                return Err(ImportError::corrupt(&tile.path, "tile", what));
            }
            self.open.push(Some(raster.reader));
        }
        Ok(())
    }

    /// The next row of all tiles, written over the current one.
    fn overlay_tiles(&mut self) -> Result<(), ImportError> {
        let stride = self.columns - self.overlap as usize;
        for (column, reader) in self.open.iter_mut().enumerate() {
            let Some(reader) = reader else { continue };
            let row = reader.next_row()?;
            let range = column * stride..column * stride + self.columns;
            match row {
                Row::Codes(codes) if self.coded => self.codes[range].copy_from_slice(codes),
                row => {
                    self.scaling.metres(row, &mut self.metres);
                    self.values[range].copy_from_slice(&self.metres);
                }
            }
        }
        Ok(())
    }
}
