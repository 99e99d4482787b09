//! Elevation files, described as a bake would read them.

use std::path::Path;

use marchland_terrain::bake::{HeightRow, HeightSource};
use marchland_terrain::math::{greater, lesser};
use serde_json::{Value, json};

use super::about::{About, heights_line};
use crate::command::failure::{Failure, chain};
use crate::command::verbs::bake::{self, BakeArgs};
use crate::import::{self, Channel, HeightRange, ImportError, Source, SourceSpacing};

/// Describes an elevation file, or a folder of tiles.
///
/// # Errors
/// If it cannot be read, or is none.
pub(super) fn source_info(path: &Path) -> Result<About, Failure> {
    let (mut source, missing) = open_source(path)?;
    if missing != MissingSetting::Nothing {
        // The warnings refer to metres as if a value of 1 were a metre.
        source.warnings.clear();
    }
    if let MissingSetting::Channel(message) = &missing {
        source.warnings.push(message.clone());
    }
    let needs_range = missing == MissingSetting::Range;
    let (range, voids) = match missing {
        MissingSetting::Channel(_) => (None, 0),
        _ => survey(&mut *source.heights)?,
    };

    let (columns, rows) = (source.heights.columns(), source.heights.rows());
    let mut lines = vec![format!(
        "{}: elevation, {columns} x {rows} samples, {}",
        path.display(),
        source.samples
    )];
    lines.push(match (range, needs_range) {
        (Some([low, high]), true) => {
            format!("values: {low} to {high}; a bake needs their scale in metres")
        }
        (Some(heights), false) => heights_line(Some(heights)),
        (None, _) => "heights: unknown".into(),
    });
    if voids > 0 {
        lines.push(format!("voids: {voids} samples without a height"));
    }
    lines.push(spacing_line(source.spacing));
    if let Some(tiles) = &source.tiles {
        let shared = if tiles.overlap == 0 { "sharing no samples" } else { "sharing edge samples" };
        lines.push(format!(
            "tiles: {} x {} of {} x {} samples, {} files, {shared}",
            tiles.tile_columns,
            tiles.tile_rows,
            tiles.columns,
            tiles.rows,
            source.files.len()
        ));
    }
    lines.extend(source.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(source.warnings.iter().map(|warning| format!("warning: {warning}")));
    let json = source_json(&source, range, voids, needs_range);
    Ok(About { json, lines })
}

/// The setting that a source lacks and a bake would need.
#[derive(PartialEq)]
enum MissingSetting {
    Nothing,
    /// The scale of its whole numbers in metres.
    Range,
    /// The channel to use; the error message of a bake.
    Channel(String),
}

/// Opens a source as far as possible without the settings that a bake needs.
fn open_source(path: &Path) -> Result<(Source, MissingSetting), Failure> {
    let mut options = bake::import_options(&BakeArgs::new(path.to_owned(), path.to_owned()))?;
    let error = match import::open(path, &options) {
        Ok(source) => return Ok((source, MissingSetting::Nothing)),
        Err(error) => error,
    };
    options.range = Some(HeightRange::ScaleOffset { scale: 1.0, offset: 0.0 });
    if let Ok(source) = import::open(path, &options) {
        return Ok((source, MissingSetting::Range));
    }
    options.channel = Some(Channel::Red);
    match import::open(path, &options) {
        Ok(source) => {
            let hint = error.hint().map(|hint| format!(": {hint}")).unwrap_or_default();
            Ok((source, MissingSetting::Channel(format!("{}{hint}", error.problem))))
        }
        Err(_) => Err(refused(&error)),
    }
}

/// The bake's error for the source; the bake's flags fix it.
fn refused(error: &ImportError) -> Failure {
    let hint = error.hint().map(|hint| format!("for `marchland bake`: {hint}"));
    bake::import_failure(error).or_hint(hint)
}

fn source_json(source: &Source, range: Option<[f64; 2]>, voids: u64, needs_range: bool) -> Value {
    let spacing = source.spacing.map(|spacing| match spacing {
        SourceSpacing::Degrees { lon_step, lat_step, centre_latitude } => {
            json!({ "degrees": [lon_step, lat_step], "centre_latitude": centre_latitude })
        }
        SourceSpacing::Metres { x, z } => json!({ "metres": [x, z] }),
    });
    json!({
        "kind": "elevation",
        "files": source.files.len(),
        "columns": source.heights.columns(),
        "rows": source.heights.rows(),
        "samples": source.samples,
        "needs_range": needs_range,
        "value_range": range,
        "voids": voids,
        "spacing": spacing,
        "tile_overlap": source.tiles.as_ref().map(|tiles| tiles.overlap),
        "notes": source.notes,
        "warnings": source.warnings,
    })
}

/// Least and greatest value, and the number of voids. Reads the whole source.
fn survey(heights: &mut dyn HeightSource) -> Result<(Option<[f64; 2]>, u64), Failure> {
    let table = heights.code_metres().map(<[f64]>::to_vec);
    let (mut low, mut high, mut voids) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    let mut add = |value: f64| {
        if value.is_nan() {
            voids += 1;
        }
        low = lesser(value, low);
        high = greater(value, high);
    };
    for _ in 0..heights.rows() {
        match heights.next_row().map_err(|error| source_failure(error.into_inner()))? {
            HeightRow::Codes(codes) => {
                let table = table.as_deref().unwrap_or_default();
                let metres = codes.iter().filter_map(|&code| table.get(usize::from(code)));
                metres.for_each(|&value| add(value));
            }
            HeightRow::Metres(row) => row.iter().for_each(|&value| add(value)),
        }
    }
    Ok(((low <= high).then_some([low, high]), voids))
}

fn source_failure(error: Box<dyn std::error::Error + Send + Sync>) -> Failure {
    match error.downcast::<ImportError>() {
        Ok(error) => refused(&error),
        Err(error) => Failure::input(chain(error.as_ref())),
    }
}

fn spacing_line(spacing: Option<SourceSpacing>) -> String {
    match spacing {
        Some(said @ SourceSpacing::Degrees { lon_step, lat_step, centre_latitude }) => {
            let (x, z) = said.metres();
            format!(
                "spacing: {lon_step:.8} x {lat_step:.8} degrees, {x:.4} x {z:.4} m at latitude \
                 {centre_latitude:.4}"
            )
        }
        Some(SourceSpacing::Metres { x, z }) => format!("spacing: {x} x {z} m"),
        None => "spacing: unknown; give it to a bake with `--spacing`".into(),
    }
}
