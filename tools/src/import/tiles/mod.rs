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

pub(super) mod edges;
pub(super) mod grid;
pub(super) mod names;
pub(super) mod pattern;
pub(super) mod rows;
pub(super) mod survey;

use std::path::Path;

use self::grid::Grid;
use self::names::Scheme;
use self::rows::TileRows;
use self::survey::Survey;
use super::error::{ImportError, Problem};
use super::options::ImportOptions;
use super::raster::{Raster, Samples};
use super::scale::{self, Heights, Scaling};
use super::source::{Border, Source, TileReport};

/// Opens a folder of tiles.
pub(crate) fn open(folder: &Path, options: &ImportOptions) -> Result<Source, ImportError> {
    let named = names::find(folder, options)?;
    let mut grid = Grid::lay_out(folder, &named)?;
    let missing = grid.missing(&named.scheme);
    if !missing.is_empty() && !options.allow_missing {
        let (count, places) = (missing.len(), grid.tiles.len());
        let problem = Problem::MissingTiles { count, places, names: missing };
        return Err(ImportError::new(folder, problem));
    }
    let survey = Survey::of(folder, &mut grid, options)?;
    let overlap = decide_overlap(folder, &survey, &named.scheme, options)?;
    let size = grid.size(folder, (survey.columns, survey.rows), overlap)?;

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
    let outside = grid.outside((survey.columns, survey.rows), overlap, size, options.flip_y);
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
    let reader = TileRows::new(grid, &survey, overlap, size.0, coded, options);
    let raster = Raster::new(size, survey.samples, reader);
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
