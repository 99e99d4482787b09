//! A folder of tiles as one grid, read a row of tiles at a time.
//!
//! ```text
//!            x 0      x 1      x 2
//!         ┌────────┬────────┬────────┐
//!   y 0   │  open  │  open  │  open  │  one decoder for each tile of the current row of tiles
//!         ├────────┼────────┼────────┤
//!   y 1   │        │ absent │        │  voids, and its cells listed as outside
//! ```
//!
//! With `--flip-y` the whole set is mirrored, including its tiles.

use std::path::{Path, PathBuf};

use super::Source;
use super::error::{ImportError, Problem};
use super::options::{Channel, ImportOptions};
use super::raster::{Raster, Samples};
use super::scale::{self, Heights, Scaling};
use super::tile_edges::Border;
use super::tile_names::{self, NamedTiles, Scheme};
use super::tile_rows::TileRows;
use super::tile_survey::Survey;

/// How the tiles of a set fit together.
#[derive(Clone, Debug, PartialEq)]
pub struct TileReport {
    /// Tiles along a row.
    pub tile_columns: u32,
    /// Rows of tiles.
    pub tile_rows: u32,
    /// Samples along a row of one tile.
    pub columns: u32,
    /// Rows of one tile.
    pub rows: u32,
    /// Samples that neighbours share: 0 or 1.
    pub overlap: u32,
    /// Names or places of missing tiles.
    pub missing: Vec<String>,
    /// Every border between two tiles, row by row: the step across it and the steps inside.
    pub borders: Vec<Border>,
}

/// A range of cells, from `column` up to `column_end`, from `row` up to `row_end`, the ends
/// excluded. Row 0 is north.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRect {
    /// First column.
    pub column: u32,
    /// First row.
    pub row: u32,
    /// Column after the last.
    pub column_end: u32,
    /// Row after the last.
    pub row_end: u32,
}

/// Most tiles that a set may span, so that one stray name does not create a list of millions.
const PLACES_MAX: u64 = 1 << 16;

/// Most samples along one side of a set.
const SIDE_SAMPLES_MAX: u64 = 1 << 20;

/// Opens a folder of tiles.
pub(crate) fn open(folder: &Path, options: &ImportOptions) -> Result<Source, ImportError> {
    let named = tile_names::find(folder, options)?;
    let mut grid = Grid::lay_out(folder, &named)?;
    let missing = grid.missing(&named.scheme);
    if !missing.is_empty() && !options.allow_missing {
        let (count, places) = (missing.len(), grid.tiles.len());
        return Err(ImportError::new(
            folder,
            Problem::MissingTiles { count, places, names: missing },
        ));
    }
    let survey = Survey::of(folder, &mut grid, options)?;
    let overlap = decide_overlap(folder, &survey, &named.scheme, options)?;
    let size = grid.size(folder, &survey, overlap)?;

    let mut notes = survey.remarks.texts();
    if !named.ignored.is_empty() {
        notes.push(format!("files that are not tiles are ignored: {}", named.ignored.join(", ")));
    }
    let mut warnings = survey.alarms.texts();
    warnings.extend(scale::terracing(&survey.samples, options));
    let is_any_unequal = survey.borders.iter().any(|border| !border.is_equal());
    if named.scheme == Scheme::Corner
        && overlap == 0
        && options.tile_overlap.is_none()
        && is_any_unequal
    {
        // Tiles named by whole degrees usually share their edges, so these tiles have been changed.
        warnings.push(
            "tiles named by degrees usually share their edge samples, but these edges differ, so \
             none are taken as shared; `--tile-overlap 1` lists the differences"
                .into(),
        );
    }
    let outside = grid.outside(&survey, overlap, size, options.flip_y);
    let spacing = survey.spacing(&mut warnings);
    let files = grid.tiles.iter().flatten().map(|tile| tile.path.clone()).collect();
    let report = TileReport {
        tile_columns: grid.tile_columns,
        tile_rows: grid.tile_rows,
        columns: survey.columns,
        rows: survey.rows,
        overlap,
        missing,
        borders: survey.borders.clone(),
    };

    // Codes leave no room for a void, so a set with gaps is delivered in metres.
    let coded = report.missing.is_empty() && survey.samples != Samples::Real;
    let raster_scaling = if coded { survey.scaling.clone() } else { Scaling::Metres };
    let samples = survey.samples;
    let reader = TileRows::new(grid, &survey, overlap, size.0, coded, options);
    let raster = Raster {
        columns: size.0,
        rows: size.1,
        samples,
        reader: Box::new(reader),
        nodata: None,
        spacing: None,
        channel: None,
        notes: Vec::new(),
        warnings: Vec::new(),
    };
    Ok(Source {
        samples: survey.samples.name(),
        heights: Box::new(Heights::new(raster, raster_scaling, options.flip_y)),
        spacing,
        notes,
        warnings,
        files,
        tiles: Some(report),
        outside,
    })
}

/// An existing tile.
#[derive(Clone)]
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Decided when the tile was first read, so that later readings need not scan its colours.
    pub(crate) channel: Option<Channel>,
}

/// Every place of the set, row by row from the north-west.
pub(crate) struct Grid {
    pub(crate) tiles: Vec<Option<Tile>>,
    pub(crate) tile_columns: u32,
    tile_rows: u32,
    first_x: i64,
    first_y: i64,
}

impl Grid {
    fn lay_out(folder: &Path, named: &NamedTiles) -> Result<Self, ImportError> {
        let bounds = |of: fn(&tile_names::NamedTile) -> i64| {
            let places = named.tiles.iter().map(of);
            let least = places.clone().min().unwrap_or(0);
            (least, places.max().unwrap_or(0))
        };
        let (mut first_x, mut last_x) = bounds(|tile| tile.x);
        let (mut first_y, last_y) = bounds(|tile| tile.y);
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
        for tile in &named.tiles {
            let (x, y) = (tile.x.abs_diff(first_x), tile.y.abs_diff(first_y));
            let index = usize::try_from(y * tile_columns + x).unwrap_or(usize::MAX);
            if let Some(place) = tiles.get_mut(index) {
                let (name, path) = (tile.name.clone(), tile.path.clone());
                *place = Some(Tile { name, path, channel: None });
            }
        }
        Ok(Self { tiles, tile_columns: columns, tile_rows: rows, first_x, first_y })
    }

    /// Column and row of each place, with its tile if it has one.
    fn places(&self) -> impl Iterator<Item = (u32, u32, &Option<Tile>)> {
        let columns = self.tile_columns;
        (0..).zip(&self.tiles).map(move |(index, tile)| (index % columns, index / columns, tile))
    }

    fn missing(&self, scheme: &Scheme) -> Vec<String> {
        let absent = self.places().filter(|(_, _, tile)| tile.is_none());
        let name =
            |(x, y, _)| scheme.name_of(self.first_x + i64::from(x), self.first_y + i64::from(y));
        absent.map(name).collect()
    }

    /// Samples of the whole set.
    fn size(
        &self,
        folder: &Path,
        survey: &Survey,
        overlap: u32,
    ) -> Result<(u32, u32), ImportError> {
        let side = |tiles: u32, samples: u32| {
            u64::from(tiles) * u64::from(samples - overlap) + u64::from(overlap)
        };
        let columns = side(self.tile_columns, survey.columns);
        let rows = side(self.tile_rows, survey.rows);
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
    fn outside(
        &self,
        survey: &Survey,
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
            (start, if end < cells { end } else { cells })
        };
        let rect = |(x, y, _)| {
            let (column, column_end) = range(x, survey.columns, columns - 1);
            let (mut row, mut row_end) = range(y, survey.rows, rows - 1);
            if flip_y {
                (row, row_end) = (rows - 1 - row_end, rows - 1 - row);
            }
            CellRect { column, row, column_end, row_end }
        };
        self.places().filter(|(_, _, tile)| tile.is_none()).map(rect).collect()
    }
}

/// Whether neighbours share samples: as given, or as edges and sizes indicate.
fn decide_overlap(
    folder: &Path,
    survey: &Survey,
    scheme: &Scheme,
    options: &ImportOptions,
) -> Result<u32, ImportError> {
    let one_more = |samples: u32| (samples - 1).is_power_of_two();
    // Tiles named by whole degrees without a neighbour here: with a whole, even number of samples per
    // degree, an odd number of samples shows that the edges are shared.
    let is_odd = survey.columns % 2 == 1 && survey.rows % 2 == 1;
    let are_known = (*scheme == Scheme::Corner && is_odd) || !survey.borders.is_empty();
    let all_equal = are_known && survey.borders.iter().all(Border::is_equal);
    let shares = all_equal || (one_more(survey.columns) && one_more(survey.rows));
    let overlap = options.tile_overlap.unwrap_or(shares.into());
    if overlap == 1 && !all_equal {
        let unequal = |border: &&Border| !border.is_equal();
        let mut edges: Vec<_> = survey.borders.iter().filter(unequal).cloned().collect();
        if !edges.is_empty() {
            edges.sort_by(|a, b| b.greatest.total_cmp(&a.greatest));
            let borders = survey.borders.len();
            return Err(ImportError::new(folder, Problem::EdgesDisagree { borders, edges }));
        }
    }
    Ok(overlap)
}
