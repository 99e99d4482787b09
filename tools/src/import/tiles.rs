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
//! With `--flip-y` the whole set is turned over, its tiles with it.

use std::path::{Path, PathBuf};

use super::Source;
use super::error::{ImportError, Problem};
use super::geo::SourceSpacing;
use super::options::{Channel, ImportOptions};
use super::raster::{self, Raster, Row, RowReader, Samples};
use super::scale::{self, Heights, Scaling};
use super::tile_edges::{self, Border, BorderSide, Edges};
use super::tile_names::{self, NamedTiles, Scheme};

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
    /// Every border between two tiles, row by row: the step over it beside the steps inside.
    pub borders: Vec<Border>,
}

/// Cells from `column` up to `column_end`, from `row` up to `row_end`, the ends not included.
/// Row 0 is north.
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

/// Most tiles a set may span, so that one stray name does not make a list of millions.
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
        notes.push(format!("not tiles, ignored: {}", named.ignored.join(", ")));
    }
    let mut warnings = survey.alarms.texts();
    warnings.extend(scale::terracing(&survey.samples, options));
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
        borders: survey.borders,
    };

    // Codes leave no room for a void, so a set with gaps is delivered in metres.
    let coded = report.missing.is_empty() && survey.samples != Samples::Real;
    let raster_scaling = if coded { survey.scaling.clone() } else { Scaling::Metres };
    let reader = TileRows {
        tiles: grid.tiles,
        tile_columns: grid.tile_columns as usize,
        columns: report.columns as usize,
        rows: report.rows,
        overlap,
        options: options.clone(),
        scaling: survey.scaling,
        coded,
        is_real: survey.samples == Samples::Real,
        open: Vec::new(),
        tile_row: 0,
        row_in_tile: 0,
        codes: if coded { vec![0; size.0 as usize] } else { Vec::new() },
        values: if coded { Vec::new() } else { vec![f64::NAN; size.0 as usize] },
        metres: Vec::new(),
    };
    let raster = Raster {
        columns: size.0,
        rows: size.1,
        samples: survey.samples,
        reader: Box::new(reader),
        nodata: None,
        spacing: None,
        channel: None,
        notes: Vec::new(),
        warnings: Vec::new(),
    };
    Ok(Source {
        heights: Box::new(Heights::new(raster, raster_scaling, options.flip_y)),
        spacing,
        notes,
        warnings,
        files,
        tiles: Some(report),
        outside,
    })
}

/// A tile that is there.
#[derive(Clone)]
struct Tile {
    name: String,
    path: PathBuf,
    /// Decided when the tile was first read, so that later readings need not judge its colours.
    channel: Option<Channel>,
}

/// Every place of the set, row by row from the north-west.
struct Grid {
    tiles: Vec<Option<Tile>>,
    tile_columns: u32,
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
            let expected = "at most 65536 places for tiles: a file may have a stray name";
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

    /// Column and row of each place, with what is there.
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

/// What a first reading of all tiles shows.
struct Survey {
    columns: u32,
    rows: u32,
    samples: Samples,
    scaling: Scaling,
    borders: Vec<Border>,
    spacings: Vec<Option<SourceSpacing>>,
    remarks: Remarks,
    alarms: Remarks,
}

impl Survey {
    /// Reads every tile once: all must be alike, and their edges are compared.
    fn of(folder: &Path, grid: &mut Grid, options: &ImportOptions) -> Result<Self, ImportError> {
        let Some(first) = grid.tiles.iter().flatten().next().cloned() else {
            let problem = Problem::NoTiles { files: 0, known: "other places".to_owned() };
            return Err(ImportError::new(folder, problem));
        };
        let raster = raster::open(&first.path, options)?;
        let mut survey = Self {
            columns: raster.columns,
            rows: raster.rows,
            samples: raster.samples,
            scaling: Scaling::of(&first.path, &raster, options)?,
            borders: Vec::new(),
            spacings: Vec::new(),
            remarks: Remarks::default(),
            alarms: Remarks::default(),
        };
        let nodata = raster.nodata;
        let is_alone = grid.tiles.iter().flatten().count() == 1;
        let tile_columns = grid.tile_columns as usize;
        // The tile last met in each column: to the north at first, then the one just read.
        let mut last: Vec<Option<(String, Edges)>> = Vec::new();
        last.resize_with(tile_columns, || None);
        for (index, place) in grid.tiles.iter_mut().enumerate() {
            let column = index % tile_columns;
            let Some(tile) = place else {
                last[column] = None;
                continue;
            };
            let raster = raster::open(&tile.path, options)?;
            survey.check_alike(&tile.path, &raster, nodata, &first.name)?;
            tile.channel = raster.channel;
            survey.remarks.add(&raster.notes);
            survey.alarms.add(&raster.warnings);
            survey.spacings.push(raster.spacing);
            if is_alone {
                break;
            }
            let edges = tile_edges::scan(raster, &survey.scaling)?;
            let this = (tile.name.as_str(), &edges);
            let west = column.checked_sub(1).and_then(|west| last[west].as_ref());
            if let Some((name, west)) = west {
                survey.borders.push(tile_edges::border((name, west), this, BorderSide::East));
            }
            if let Some((name, north)) = &last[column] {
                survey.borders.push(tile_edges::border((name, north), this, BorderSide::South));
            }
            last[column] = Some((tile.name.clone(), edges));
        }
        Ok(survey)
    }

    /// A tile must have the size of the first one, and samples of the same kind and meaning.
    fn check_alike(
        &self,
        path: &Path,
        raster: &Raster,
        nodata: Option<f64>,
        first: &str,
    ) -> Result<(), ImportError> {
        let mixed = |found: String, expected: String| {
            let first = first.to_owned();
            Err(ImportError::new(path, Problem::MixedTiles { found, expected, first }))
        };
        if (raster.columns, raster.rows) != (self.columns, self.rows) {
            let size = |columns, rows| format!("{columns} × {rows} samples");
            return mixed(size(raster.columns, raster.rows), size(self.columns, self.rows));
        }
        if raster.samples != self.samples {
            return mixed(raster.samples.name(), self.samples.name());
        }
        if raster.nodata.map(f64::to_bits) != nodata.map(f64::to_bits) {
            let value = |nodata: Option<f64>| match nodata {
                Some(value) => format!("voids marked by {value}"),
                None => "no mark for voids".to_owned(),
            };
            return mixed(value(raster.nodata), value(nodata));
        }
        Ok(())
    }

    /// Spacing of the whole set, where all tiles agree on it.
    fn spacing(&self, warnings: &mut Vec<String>) -> Option<SourceSpacing> {
        let spacings: Vec<_> = self.spacings.iter().flatten().copied().collect();
        let first = *spacings.first()?;
        if spacings.len() != self.spacings.len() {
            warnings.push("some tiles give a spacing, others none: not taken".to_owned());
            return None;
        }
        let SourceSpacing::Degrees { lon_step, lat_step, .. } = first else {
            if spacings.iter().any(|other| !is_near(*other, first)) {
                warnings.push("tiles give different spacings: none taken".to_owned());
                return None;
            }
            return Some(first);
        };
        let (mut south, mut north) = (f64::INFINITY, f64::NEG_INFINITY);
        for spacing in &spacings {
            match *spacing {
                SourceSpacing::Degrees { centre_latitude, .. } if is_near(*spacing, first) => {
                    south = if centre_latitude < south { centre_latitude } else { south };
                    north = if centre_latitude > north { centre_latitude } else { north };
                }
                _ => {
                    warnings.push("tiles give different spacings: none taken".to_owned());
                    return None;
                }
            }
        }
        Some(SourceSpacing::Degrees { lon_step, lat_step, centre_latitude: (south + north) * 0.5 })
    }
}

/// Whether two tiles have the same steps, up to what writing them down may lose.
fn is_near(one: SourceSpacing, other: SourceSpacing) -> bool {
    let steps = |spacing| match spacing {
        SourceSpacing::Degrees { lon_step, lat_step, .. } => (0, lon_step, lat_step),
        SourceSpacing::Metres { x, z } => (1, x, z),
    };
    let ((kind, x, z), (other_kind, other_x, other_z)) = (steps(one), steps(other));
    // A millionth moves the far edge of a 16 384-sample tile by less than a fiftieth of a sample.
    let near = |a: f64, b: f64| (a - b).abs() <= b.abs() * 1e-6;
    kind == other_kind && near(x, other_x) && near(z, other_z)
}

/// Whether neighbours share samples: as given, or as edges, sizes and names show.
fn decide_overlap(
    folder: &Path,
    survey: &Survey,
    scheme: &Scheme,
    options: &ImportOptions,
) -> Result<u32, ImportError> {
    let one_more = |samples: u32| (samples - 1).is_power_of_two();
    let all_equal = !survey.borders.is_empty() && survey.borders.iter().all(Border::is_equal);
    // Tiles named by whole degrees share their edges by definition, whatever is in them.
    let shares = all_equal
        || (one_more(survey.columns) && one_more(survey.rows))
        || *scheme == Scheme::Corner;
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

/// Remarks about tiles, each once, with how many tiles it is about.
#[derive(Default)]
struct Remarks(Vec<(String, u32)>);

impl Remarks {
    fn add(&mut self, texts: &[String]) {
        for text in texts {
            match self.0.iter_mut().find(|(known, _)| known == text) {
                Some((_, tiles)) => *tiles += 1,
                None => self.0.push((text.clone(), 1)),
            }
        }
    }

    fn texts(&self) -> Vec<String> {
        let plural =
            |tiles: u32| if tiles == 1 { "1 tile".to_owned() } else { format!("{tiles} tiles") };
        self.0.iter().map(|(text, tiles)| format!("{}: {text}", plural(*tiles))).collect()
    }
}

/// Rows of the whole set.
struct TileRows {
    tiles: Vec<Option<Tile>>,
    tile_columns: usize,
    /// Samples of one tile.
    columns: usize,
    rows: u32,
    overlap: u32,
    options: ImportOptions,
    scaling: Scaling,
    /// Rows are delivered as codes, not in metres.
    coded: bool,
    /// The tiles hold no codes.
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
        if self.row_in_tile == self.rows - shared && !is_last {
            // A shared row is taken from the north where there is no tile to the south.
            if shared == 1 {
                self.read_tiles()?;
            } else {
                self.values.fill(f64::NAN);
            }
            self.tile_row += 1;
            self.row_in_tile = 0;
            self.open_tiles()?;
        } else {
            self.values.fill(f64::NAN);
        }
        self.overlay_tiles()?;
        self.row_in_tile += 1;
        Ok(if self.coded { Row::Codes(&self.codes) } else { Row::Values(&self.values) })
    }
}

impl TileRows {
    fn open_tiles(&mut self) -> Result<(), ImportError> {
        self.open.clear();
        let start = self.tile_row * self.tile_columns;
        for place in self.tiles.iter().skip(start).take(self.tile_columns) {
            let reader = match place {
                None => None,
                Some(tile) => {
                    let options = self.options.with_channel(tile.channel);
                    let raster = raster::open(&tile.path, &options)?;
                    let is_real = raster.samples == Samples::Real;
                    let size = (raster.columns as usize, raster.rows, is_real);
                    if size != (self.columns, self.rows, self.is_real) {
                        let what = "it was exchanged while it was read";
                        return Err(ImportError::corrupt(&tile.path, "tile", what));
                    }
                    Some(raster.reader)
                }
            };
            self.open.push(reader);
        }
        Ok(())
    }

    /// The next row of all tiles, with voids where there are none.
    fn read_tiles(&mut self) -> Result<(), ImportError> {
        self.values.fill(f64::NAN);
        self.overlay_tiles()
    }

    /// The next row of all tiles, over what is there already.
    fn overlay_tiles(&mut self) -> Result<(), ImportError> {
        let step = self.columns - self.overlap as usize;
        for (column, reader) in self.open.iter_mut().enumerate() {
            let Some(reader) = reader else { continue };
            let row = reader.next_row()?;
            let range = column * step..column * step + self.columns;
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
