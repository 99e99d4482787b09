//! Decides everything that a bake needs before anything is written.

use std::path::PathBuf;

use marchland_terrain::Grid;
use marchland_terrain::bake::{BakeSettings, VoidPolicy};
use marchland_terrain::limits::{CELL_LOG2_MAX, CELL_LOG2_MIN};
use marchland_terrain::math::lesser;

use super::args::BakeArgs;
use super::extent::Extent;
use super::props::{self, PropPlan};
use super::settings_text;
use crate::command::failure::{Failure, chain};
use crate::import::{
    self, HeightRange, ImportError, ImportOptions, Mask, MaskKind, Source, SourceSpacing,
};

/// A bake that is ready to run.
pub struct Plan {
    /// The heights, opened.
    pub source: Source,
    /// The hole mask, opened.
    pub holes: Option<Mask>,
    /// The surface mask, opened.
    pub surfaces: Option<Mask>,
    /// The props of the world.
    pub props: Option<PropPlan>,
    /// Names of the surfaces.
    pub surface_names: Vec<String>,
    /// Grid, place and void policy.
    pub settings: BakeSettings,
    /// Everything that the result depends on except the sources' bytes, as one canonical text.
    pub settings_text: String,
    /// Decisions made on the way.
    pub notes: Vec<String>,
    /// Problems that the user probably did not expect.
    pub warnings: Vec<String>,
    /// The world's folder.
    pub out: PathBuf,
    /// Threads that encode; default one for each core.
    pub jobs: Option<usize>,
    /// Write every sector again.
    pub force: bool,
}

/// Opens the sources and chooses the settings that were not given.
///
/// # Errors
/// If a source is missing, damaged, or needs a setting that was not given.
pub fn plan(args: &BakeArgs) -> Result<Plan, Failure> {
    let options = import_options(args)?;
    let void = void_policy(&args.void)?;
    let source = import::open(&args.source, &options).map_err(|error| import_failure(&error))?;
    let mut notes = source.notes.clone();
    let mut warnings = source.warnings.clone();

    let spacing = spacing(args, source.spacing, &mut notes)?;
    let finer = lesser(spacing[1], spacing[0]);
    let cell = args.cell.unwrap_or_else(|| default_cell(finer));
    if cell > spacing[0] || cell > spacing[1] {
        warnings.push(format!(
            "cells of {cell} m are coarser than the samples ({} x {} m): source samples between \
             those of the world are skipped (aliasing)",
            spacing[0], spacing[1]
        ));
    }
    let sector_size = args.sector_size.unwrap_or_else(|| Grid::default_sector_size(cell));
    let quantum = args.quantum.unwrap_or_else(|| Grid::default_quantum(cell));
    let grid = Grid::new(cell, sector_size, quantum).map_err(|error| {
        Failure::input(error.to_string()).hint("check --cell, --sector-size and --quantum")
    })?;
    let origin = args.origin.unwrap_or_else(|| BakeSettings::default_origin(grid));

    let open = |path: &Option<PathBuf>, kind| {
        let mask = path.as_ref().map(|path| import::open_mask(path, kind, args.flip_y));
        mask.transpose().map_err(|error| import_failure(&error))
    };
    let holes = open(&args.holes, MaskKind::Holes)?;
    let surfaces = open(&args.surfaces, MaskKind::Surfaces)?;
    for mask in [&holes, &surfaces].into_iter().flatten() {
        notes.extend(mask.notes.iter().cloned());
    }
    let surface_names = surface_names(args)?;
    let props = match args.props.as_slice() {
        [] => None,
        files => Some(props::read(files, &surface_names, &mut notes, &mut warnings)?),
    };
    let settings = BakeSettings { grid, spacing, origin, void, surface_names: surface_names.len() };
    let samples = [source.heights.columns(), source.heights.rows()];
    Extent::of(&settings, samples).check(args.cell.is_some())?;
    let overlap = source.tiles.as_ref().map(|tiles| tiles.overlap);
    let settings_text = settings_text::write(&settings, &options, args, overlap);
    Ok(Plan {
        source,
        holes,
        surfaces,
        props,
        surface_names,
        settings,
        settings_text,
        notes,
        warnings,
        out: args.out.clone(),
        jobs: args.jobs.map(usize::from),
        force: args.force,
    })
}

/// The message for a source that cannot be opened.
pub(crate) fn import_failure(error: &ImportError) -> Failure {
    Failure::of(chain(error), error.is_io()).or_hint(error.hint())
}

/// How values become metres, channels become heights, and tiles form a grid.
pub(crate) fn import_options(args: &BakeArgs) -> Result<ImportOptions, Failure> {
    let range = match (args.min_height, args.max_height, args.height_scale, args.height_offset) {
        (None, None, None, None) => None,
        (Some(min), Some(max), None, None) => Some(HeightRange::MinMax { min, max }),
        (None, None, Some(scale), offset) => {
            Some(HeightRange::ScaleOffset { scale, offset: offset.unwrap_or(0.0) })
        }
        _ => {
            let hint =
                "give `--min-height M --max-height M`, or `--height-scale M [--height-offset M]`";
            return Err(Failure::input("the height range is incomplete or given twice").hint(hint));
        }
    };
    Ok(ImportOptions {
        format: args.format,
        endian: args.endian,
        channel: args.channel,
        encoding: args.encoding,
        columns: args.columns,
        rows: args.rows,
        range,
        flip_y: args.flip_y,
        nodata: args.nodata,
        tiles: args.tiles.clone(),
        tile_columns: args.tile_columns,
        tile_overlap: args.tile_overlap,
        allow_missing: args.allow_missing,
    })
}

fn void_policy(text: &str) -> Result<VoidPolicy, Failure> {
    match text {
        "hole" => Ok(VoidPolicy::Hole),
        "error" => Ok(VoidPolicy::Error),
        number => match number.parse::<f64>() {
            Ok(height) if height.is_finite() => Ok(VoidPolicy::Height(height)),
            _ => Err(Failure::input(format!(
                "--void is `{text}`, expected `hole`, `error` or a height in metres"
            ))),
        },
    }
}

/// Metres between samples: as given, or as the source specifies.
fn spacing(
    args: &BakeArgs,
    source: Option<SourceSpacing>,
    notes: &mut Vec<String>,
) -> Result<[f64; 2], Failure> {
    if let Some(spacing) = args.spacing {
        if spacing.iter().all(|&metres| metres > 0.0) {
            return Ok(spacing);
        }
        let [x, z] = spacing;
        return Err(Failure::input(format!("--spacing is {x},{z}, expected metres above 0")));
    }
    match source {
        Some(said) => {
            let (x, z) = said.metres();
            notes.push(match said {
                SourceSpacing::Degrees { lon_step, lat_step, centre_latitude } => format!(
                    "samples are {lon_step:.8} x {lat_step:.8} degrees apart: {x:.4} x {z:.4} m at \
                     latitude {centre_latitude:.4}"
                ),
                SourceSpacing::Metres { .. } => {
                    format!("samples are {x} x {z} m apart, as the source specifies")
                }
            });
            Ok([x, z])
        }
        None => {
            let source = args.source.display();
            Err(Failure::input(format!("{source} does not specify the distance between samples"))
                .hint("give `--spacing METRES`, or `--spacing X,Z` if the two differ"))
        }
    }
}

/// The largest power of two not above the spacing, within the limits of a cell.
fn default_cell(spacing: f64) -> f64 {
    let mut cell = f64::from(1_u32 << CELL_LOG2_MAX);
    let least = 1.0 / f64::from(1_u32 << CELL_LOG2_MIN.unsigned_abs());
    while cell > spacing && cell > least {
        cell *= 0.5;
    }
    cell
}

fn surface_names(args: &BakeArgs) -> Result<Vec<String>, Failure> {
    let names = match &args.surface_names {
        None => vec!["ground".to_owned()],
        Some(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
    };
    if names.len() > 256 {
        return Err(Failure::input(format!("{} surface names, expected at most 256", names.len())));
    }
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Failure::input(format!("surface name {index} is empty")));
        }
        if names[..index].contains(name) {
            return Err(Failure::input(format!("surface name `{name}` is given twice")));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_cell_is_the_largest_power_of_two_not_above_the_spacing() {
        for (spacing, cell) in
            [(1.0, 1.0), (1.9, 1.0), (92.7, 64.0), (0.01, 0.0625), (5e6, 1024.0), (2.0, 2.0)]
        {
            assert_eq!(default_cell(spacing), cell, "{spacing}");
        }
    }

    #[test]
    fn heights_given_in_two_ways_are_refused() {
        let mut args = BakeArgs::new("a.png".into(), "a.world".into());
        args.min_height = Some(0.0);
        assert!(import_options(&args).is_err(), "a minimum without a maximum");
        args.max_height = Some(9.0);
        assert!(import_options(&args).is_ok());
        args.height_scale = Some(1.0);
        assert!(import_options(&args).is_err(), "both");
    }
}
