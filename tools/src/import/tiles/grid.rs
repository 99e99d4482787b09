//! The places of a set of tiles, and what of the set is missing.

use std::path::Path;

use super::names::{NamedTiles, Scheme, Tile};
use crate::import::error::ImportError;
use crate::import::source::CellRect;

/// Most tiles that a set may span, so that one stray name does not create a list of millions.
const PLACES_MAX: u64 = 1 << 16;

/// Most samples along one side of a set.
const SIDE_SAMPLES_MAX: u64 = 1 << 20;

/// Every place of the set, row by row from the north-west.
pub(crate) struct Grid {
    pub(crate) tiles: Vec<Option<Tile>>,
    pub(crate) tile_columns: u32,
    pub(crate) tile_rows: u32,
    first_x: i64,
    first_y: i64,
}

impl Grid {
    pub(crate) fn lay_out(folder: &Path, named: &NamedTiles) -> Result<Self, ImportError> {
        let bounds = |of: fn(&(i64, i64)) -> i64| {
            let places = named.tiles.keys().map(of);
            let least = places.clone().min().unwrap_or(0);
            (least, places.max().unwrap_or(0))
        };
        let (mut first_x, mut last_x) = bounds(|&(_, x)| x);
        let (mut first_y, last_y) = bounds(|&(y, _)| y);
        if let Some(tile_columns) = named.scheme.tile_columns() {
            (first_x, last_x, first_y) = (0, i64::from(tile_columns) - 1, 0);
        }
        let (tile_columns, tile_rows) =
            (last_x.abs_diff(first_x) + 1, last_y.abs_diff(first_y) + 1);
        let places = tile_columns.saturating_mul(tile_rows);
        let (Ok(columns), Ok(rows), true) =
            (u32::try_from(tile_columns), u32::try_from(tile_rows), places <= PLACES_MAX)
        else {
            let found = format!("tiles from x {first_x} to {last_x} and y {first_y} to {last_y}");
            let expected = "at most 65536 tile positions; is a file misnamed?";
            return Err(ImportError::unsupported(folder, found, expected));
        };
        let mut tiles = vec![None; columns as usize * rows as usize];
        for ((y, x), tile) in &named.tiles {
            let (x, y) = (x.abs_diff(first_x), y.abs_diff(first_y));
            let index = usize::try_from(y * tile_columns + x).unwrap_or(usize::MAX);
            if let Some(place) = tiles.get_mut(index) {
                *place = Some(tile.clone());
            }
        }
        Ok(Self { tiles, tile_columns: columns, tile_rows: rows, first_x, first_y })
    }

    /// Column and row of each place, with its tile if it has one.
    fn places(&self) -> impl Iterator<Item = (u32, u32, &Option<Tile>)> {
        let columns = self.tile_columns;
        (0..).zip(&self.tiles).map(move |(index, tile)| (index % columns, index / columns, tile))
    }

    pub(crate) fn missing(&self, scheme: &Scheme) -> Vec<String> {
        let absent = self.places().filter(|(_, _, tile)| tile.is_none());
        let name =
            |(x, y, _)| scheme.name_of(self.first_x + i64::from(x), self.first_y + i64::from(y));
        absent.map(name).collect()
    }

    /// Samples of the whole set, of tiles of these columns and rows.
    pub(crate) fn size(
        &self,
        folder: &Path,
        (tile_columns, tile_rows): (u32, u32),
        overlap: u32,
    ) -> Result<(u32, u32), ImportError> {
        let side = |tiles: u32, samples: u32| {
            u64::from(tiles) * u64::from(samples - overlap) + u64::from(overlap)
        };
        let columns = side(self.tile_columns, tile_columns);
        let rows = side(self.tile_rows, tile_rows);
        match (u32::try_from(columns), u32::try_from(rows)) {
            (Ok(c), Ok(r)) if columns <= SIDE_SAMPLES_MAX && rows <= SIDE_SAMPLES_MAX => Ok((c, r)),
            _ => {
                let expected = "at most 1048576 samples along a side";
                let found = format!("{columns} × {rows} samples in all");
                Err(ImportError::unsupported(folder, found, expected))
            }
        }
    }

    /// The cells of missing tiles: every cell with a corner that is in no other tile.
    pub(crate) fn outside(
        &self,
        (tile_columns, tile_rows): (u32, u32),
        overlap: u32,
        (columns, rows): (u32, u32),
        flip_y: bool,
    ) -> Vec<CellRect> {
        let range = |tile: u32, samples: u32, cells: u32| {
            let first = tile * (samples - overlap);
            // Without shared samples the cells before and after touch the tile as well.
            let (start, end) = match overlap {
                0 => (first.saturating_sub(1), first + samples),
                _ => (first, first + samples - 1),
            };
            (start, end.min(cells))
        };
        let rect = |(x, y, _)| {
            let (column, column_end) = range(x, tile_columns, columns - 1);
            let (mut row, mut row_end) = range(y, tile_rows, rows - 1);
            if flip_y {
                (row, row_end) = (rows - 1 - row_end, rows - 1 - row);
            }
            CellRect { column, row, column_end, row_end }
        };
        self.places().filter(|(_, _, tile)| tile.is_none()).map(rect).collect()
    }
}
