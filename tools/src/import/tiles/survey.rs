//! A first reading of all tiles of a set: whether they are alike, and how their edges match.

use std::path::Path;

use marchland_terrain::math::{greater, lesser};

use super::edges::{self, Edges};
use super::grid::Grid;
use crate::import::error::{ImportError, Problem};
use crate::import::formats;
use crate::import::geo::SourceSpacing;
use crate::import::options::ImportOptions;
use crate::import::raster::{Raster, Samples};
use crate::import::scale::Scaling;
use crate::import::source::{Border, BorderSide};

/// The results of a first reading of all tiles.
pub(crate) struct Survey {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) samples: Samples,
    pub(crate) scaling: Scaling,
    pub(crate) borders: Vec<Border>,
    pub(crate) spacings: Vec<Option<SourceSpacing>>,
    pub(crate) remarks: Remarks,
    pub(crate) alarms: Remarks,
}

impl Survey {
    /// Reads every tile once: all must be alike, and their edges are compared.
    pub(crate) fn of(
        folder: &Path,
        grid: &mut Grid,
        options: &ImportOptions,
    ) -> Result<Self, ImportError> {
        let Some(first) = grid.tiles.iter().flatten().next().cloned() else {
            let problem = Problem::NoTiles { files: 0, known: "other places".to_owned() };
            return Err(ImportError::new(folder, problem));
        };
        let raster = formats::open(&first.path, options)?;
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
        // The last tile read in each column: the northern neighbour at first, then the current tile.
        let mut last: Vec<Option<(String, Edges)>> = Vec::new();
        last.resize_with(tile_columns, || None);
        for (index, place) in grid.tiles.iter_mut().enumerate() {
            let column = index % tile_columns;
            let Some(tile) = place else {
                last[column] = None;
                continue;
            };
            let raster = formats::open(&tile.path, options)?;
            survey.check_alike(&tile.path, &raster, nodata, &first.name)?;
            tile.channel = raster.channel;
            survey.remarks.add(&raster.notes);
            survey.alarms.add(&raster.warnings);
            survey.spacings.push(raster.spacing);
            if is_alone {
                break;
            }
            let edges = edges::scan(raster, &survey.scaling)?;
            let this = (tile.name.as_str(), &edges);
            let west = column.checked_sub(1).and_then(|west| last[west].as_ref());
            if let Some((name, west)) = west {
                survey.borders.push(edges::border((name, west), this, BorderSide::East));
            }
            if let Some((name, north)) = &last[column] {
                survey.borders.push(edges::border((name, north), this, BorderSide::South));
            }
            last[column] = Some((tile.name.clone(), edges));
        }
        Ok(survey)
    }

    /// A tile must have the size of the first one, and samples of the same type and meaning.
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
                None => "no value for voids".to_owned(),
            };
            return mixed(value(raster.nodata), value(nodata));
        }
        Ok(())
    }

    /// Spacing of the whole set, if all tiles agree.
    pub(crate) fn spacing(&self, warnings: &mut Vec<String>) -> Option<SourceSpacing> {
        let spacings: Vec<_> = self.spacings.iter().flatten().copied().collect();
        let first = *spacings.first()?;
        if spacings.len() != self.spacings.len() {
            warnings.push("some tiles give a spacing and others do not: it is ignored".to_owned());
            return None;
        }
        if spacings.iter().any(|other| !is_near(*other, first)) {
            warnings.push("tiles give different spacings: they are ignored".to_owned());
            return None;
        }
        let SourceSpacing::Degrees { lon_step, lat_step, .. } = first else { return Some(first) };
        let (mut south, mut north) = (f64::INFINITY, f64::NEG_INFINITY);
        for spacing in spacings {
            if let SourceSpacing::Degrees { centre_latitude, .. } = spacing {
                south = lesser(centre_latitude, south);
                north = greater(centre_latitude, north);
            }
        }
        Some(SourceSpacing::Degrees { lon_step, lat_step, centre_latitude: (south + north) * 0.5 })
    }
}

/// Whether two tiles have the same spacing, within the error of decimal output.
fn is_near(one: SourceSpacing, other: SourceSpacing) -> bool {
    let metres = |spacing| match spacing {
        SourceSpacing::Degrees { lon_step, lat_step, .. } => (0, lon_step, lat_step),
        SourceSpacing::Metres { x, z } => (1, x, z),
    };
    let ((kind, x, z), (other_kind, other_x, other_z)) = (metres(one), metres(other));
    // A millionth moves the far edge of a 16 384-sample tile by less than a fiftieth of a sample.
    let near = |a: f64, b: f64| (a - b).abs() <= b.abs() * 1e-6;
    kind == other_kind && near(x, other_x) && near(z, other_z)
}

/// Remarks about tiles, each once, with the number of tiles concerned.
#[derive(Default)]
pub(crate) struct Remarks(Vec<(String, u32)>);

impl Remarks {
    fn add(&mut self, texts: &[String]) {
        for text in texts {
            match self.0.iter_mut().find(|(known, _)| known == text) {
                Some((_, tiles)) => *tiles += 1,
                None => self.0.push((text.clone(), 1)),
            }
        }
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let plural =
            |tiles: u32| if tiles == 1 { "1 tile".to_owned() } else { format!("{tiles} tiles") };
        self.0.iter().map(|(text, tiles)| format!("{}: {text}", plural(*tiles))).collect()
    }
}
