//! `marchland info`: describes a world, a sector file or an elevation file.

use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

use marchland_terrain::bake::{HeightRow, HeightSource};
use marchland_terrain::error::{Section, SectorError};
use marchland_terrain::format::SectorLayout;
use marchland_terrain::heightfield::CellKind;
use marchland_terrain::layout::sector as layout;
use marchland_terrain::store::{SectorBounds, StoreError, World, folder_names};
use marchland_terrain::{SectorCoord, SectorState};
use serde_json::{Value, json};

use super::bake;
use super::bake::BakeArgs;
use crate::command::failure::{Failure, chain};
use crate::command::verbs::bake::settings_text;
use crate::command::{output, world};
use crate::import::{self, Channel, HeightRange, ImportError, Source, SourceSpacing};

/// `marchland info`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland info hills.world --json")]
pub struct InfoArgs {
    /// A world, a sector file, or an elevation file.
    pub path: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The description: for programs, and for people.
struct About {
    json: Value,
    lines: Vec<String>,
}

/// Describes the file or folder.
///
/// # Errors
/// If its type is unknown.
pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let path = &args.path;
    let metadata = std::fs::metadata(path)
        .map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
    let about = if metadata.is_dir() {
        match world::open_mapped(path) {
            Ok(mut world) => world_info(path, &mut world)?,
            // A folder without a manifest may be a folder of tiles.
            Err(StoreError::NoManifest { .. }) if holds_files(path) => source_info(path)?,
            Err(error) => return Err(world::store_failure(&error)),
        }
    } else {
        match first_bytes(path)?.as_slice() {
            magic if magic == layout::MAGIC => sector_info(path)?,
            MANIFEST_MAGIC => {
                return Err(Failure::input(format!("{}: the manifest of a world", path.display()))
                    .hint("give the folder that contains it"));
            }
            _ => source_info(path)?,
        }
    };
    if args.json {
        return output::json(&about.json);
    }
    about.lines.iter().try_for_each(|line| output::line(line))
}

/// Whether a folder holds anything except other folders and the remains of an interrupted bake.
fn holds_files(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| entry.path().is_file() && entry.file_name() != folder_names::LOCK)
}

/// The magic number of manifests.
const MANIFEST_MAGIC: &[u8] = b"MARCHMAN";

fn first_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
    let mut first = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(layout::MAGIC.len() as u64).read_to_end(&mut first).map_err(failed)?;
    Ok(first)
}

fn world_info(path: &Path, world: &mut World) -> Result<About, Failure> {
    let bytes_per_prop = bytes_per_prop(world)?;
    let info = world.info();
    let grid = info.facts.grid;
    let quantum = f64::from(grid.quantum());
    let heights =
        info.height_range.map(|(low, high)| [f64::from(low) * quantum, f64::from(high) * quantum]);
    let hashes: Vec<(&str, String)> = info
        .record
        .sources
        .iter()
        .map(|source| (source.name.as_str(), format!("{:032x}", source.hash)))
        .collect();
    let settings = settings_text::read(&info.record.settings);

    let mut lines = vec![format!("{}: a world, generation {}", path.display(), world.generation())];
    let mut sectors = format!(
        "sectors: {} of {} m, {}",
        info.sectors,
        grid.sector_size().metres(),
        bytes_in_words(info.sector_bytes)
    );
    if let Some(SectorBounds { min, max }) = info.bounds {
        sectors += &format!(", from ({}, {}) to ({}, {})", min.x, min.z, max.x, max.z);
    }
    lines.push(sectors);
    lines.push(format!(
        "grid: cells of {} m, {} along a sector side; heights in steps of {} m",
        grid.cell(),
        grid.cells(),
        grid.quantum()
    ));
    lines.push(heights_line(heights));
    lines.push(format!("surfaces: {}", info.facts.surface_names.join(", ")));
    let per_triangle = ratio(info.mesh_bytes, info.unique_triangles);
    if info.props > 0 {
        lines.push(format!(
            "props: {} of {} mesh{}; {} triangles stored, {} placed",
            info.props,
            info.meshes,
            if info.meshes == 1 { "" } else { "es" },
            info.unique_triangles,
            info.placed_triangles
        ));
        lines.push(format!(
            "meshes: {}, {:.1} bytes per triangle; each placed prop takes another {:.1} bytes",
            bytes_in_words(info.mesh_bytes),
            per_triangle.unwrap_or(0.0),
            bytes_per_prop.unwrap_or(0.0)
        ));
    }
    lines.push(format!("baked by version {} of the baker, from:", info.record.bake_version));
    lines.extend(hashes.iter().map(|(name, hash)| format!("  {name} ({hash})")));
    lines.push("with the settings:".into());
    lines.extend(settings.iter().map(|(name, value)| {
        format!("  {}: {}", name.replace('_', " "), settings_text::in_words(value))
    }));

    let sources: Vec<Value> =
        hashes.iter().map(|(name, hash)| json!({ "name": name, "hash": hash })).collect();
    let json = json!({
        "kind": "world",
        "generation": world.generation(),
        "sectors": info.sectors,
        "sector_bytes": info.sector_bytes,
        "bounds": info.bounds.map(|SectorBounds { min, max }| [[min.x, min.z], [max.x, max.z]]),
        "cell": f64::from(grid.cell()),
        "cells": grid.cells(),
        "sector_size": f64::from(grid.sector_size().metres()),
        "quantum": quantum,
        "height_range": heights,
        "surfaces": info.facts.surface_names,
        "props": info.props,
        "meshes": info.meshes,
        "mesh_bytes": info.mesh_bytes,
        "unique_triangles": info.unique_triangles,
        "placed_triangles": info.placed_triangles,
        "mesh_bytes_per_triangle": per_triangle,
        "bytes_per_prop": bytes_per_prop,
        "bake_version": info.record.bake_version,
        "sources": sources,
        "settings": settings,
    });
    Ok(About { json, lines })
}

fn ratio(bytes: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| bytes as f64 / of as f64)
}

/// Sectors sampled for the size of a prop: enough for an estimate, few enough for any world.
const SECTORS_LOOKED_INTO: usize = 1024;

/// Bytes of sector files for each prop, including what a sector stores of its neighbours' props.
fn bytes_per_prop(world: &mut World) -> Result<Option<f64>, Failure> {
    if world.info().props == 0 {
        return Ok(None);
    }
    let coords: Result<Vec<SectorCoord>, _> =
        world.records().take(SECTORS_LOOKED_INTO).map(|record| Ok(record?.coord)).collect();
    let coords = coords.map_err(|error: StoreError| world::store_failure(&error))?;
    let (mut bytes, mut props) = (0, 0);
    for coord in coords {
        // A sector that cannot be loaded is reported by `verify`.
        let _ = world.load(coord);
        if let SectorState::Resident(sector) = world.view().sector(coord) {
            let here = sector.props();
            let own = (0..here.len()).filter(|&at| here.record(at).sector == coord);
            bytes += here.len_bytes() as u64;
            props += own.count() as u64;
        }
    }
    Ok(ratio(bytes, props))
}

fn sector_info(path: &Path) -> Result<About, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
    let failed = |error: SectorError| Failure::input(format!("{}: {error}", path.display()));
    let layout = SectorLayout::check(&bytes).map_err(failed)?;
    let missing = SectorError::Missing { section: Section::Heights };
    let field = layout.field(&bytes).ok_or(missing).map_err(failed)?;
    let coord = layout.coord();
    let (props, meshes) = (layout.props(), layout.mesh_hashes(&bytes).len());
    let (grid, cells) = (field.grid(), field.cells() as i32);
    let quantum = f64::from(grid.quantum());
    let count = |kind| {
        let all = (0..cells).flat_map(|row| (0..cells).map(move |column| (column, row)));
        all.filter(|&(column, row)| field.cell_kind(column, row) == kind).count()
    };
    let (holes, outside) = (count(CellKind::Hole), count(CellKind::Outside));
    let sample_bits = if field.is_wide() { 32 } else { 16 };
    let heights = field
        .pyramid()
        .whole()
        .map(|range| [f64::from(range.min) * quantum, f64::from(range.max) * quantum]);
    let surface = field.uniform_surface().map(|surface| surface.0);

    let lines = vec![
        format!("{}: sector {coord}, {}", path.display(), bytes_in_words(bytes.len() as u64)),
        format!(
            "grid: {} m, {cells} x {cells} cells of {} m; heights in steps of {quantum} m, \
             {sample_bits} bits each",
            grid.sector_size().metres(),
            grid.cell()
        ),
        heights_line(heights),
        format!("cells: {holes} holes, {outside} outside the world"),
        match surface {
            Some(surface) => format!("surfaces: number {surface} everywhere"),
            None => "surfaces: one for each cell".into(),
        },
        format!(
            "props: {props} that reach into it, of {meshes} mesh{}",
            if meshes == 1 { "" } else { "es" }
        ),
    ];
    let json = json!({
        "kind": "sector",
        "sector": [coord.x, coord.z],
        "bytes": bytes.len(),
        "cell": f64::from(grid.cell()),
        "cells": cells,
        "sector_size": f64::from(grid.sector_size().metres()),
        "quantum": quantum,
        "sample_bits": sample_bits,
        "height_range": heights,
        "holes": holes,
        "outside": outside,
        "uniform_surface": surface,
        "props": props,
        "meshes": meshes,
    });
    Ok(About { json, lines })
}

fn source_info(path: &Path) -> Result<About, Failure> {
    let (mut source, missing) = open_source(path)?;
    if missing != Missing::Nothing {
        // The warnings refer to metres as if a value of 1 were a metre.
        source.warnings.clear();
    }
    if let Missing::Channel(message) = &missing {
        source.warnings.push(message.clone());
    }
    let needs_range = missing == Missing::Range;
    let (range, voids) = match missing {
        Missing::Channel(_) => (None, 0),
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
enum Missing {
    Nothing,
    /// The scale of its whole numbers in metres.
    Range,
    /// The channel to use; the error message of a bake.
    Channel(String),
}

/// Opens a source as far as possible without the settings that a bake needs.
fn open_source(path: &Path) -> Result<(Source, Missing), Failure> {
    let mut options = bake::import_options(&BakeArgs::new(path.to_owned(), path.to_owned()))?;
    let error = match import::open(path, &options) {
        Ok(source) => return Ok((source, Missing::Nothing)),
        Err(error) => error,
    };
    options.range = Some(HeightRange::ScaleOffset { scale: 1.0, offset: 0.0 });
    if let Ok(source) = import::open(path, &options) {
        return Ok((source, Missing::Range));
    }
    options.channel = Some(Channel::Red);
    match import::open(path, &options) {
        Ok(source) => {
            let hint = error.hint().map(|hint| format!(": {hint}")).unwrap_or_default();
            Ok((source, Missing::Channel(format!("{}{hint}", error.problem))))
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
        if value < low {
            low = value;
        }
        if value > high {
            high = value;
        }
    };
    for _ in 0..heights.rows() {
        match heights.next_row().map_err(|error| source_failure(error.into_inner()))? {
            HeightRow::Codes(codes) => {
                let metres = table.as_deref().unwrap_or_default();
                codes
                    .iter()
                    .filter_map(|&code| metres.get(usize::from(code)))
                    .for_each(|&m| add(m));
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

fn heights_line(heights: Option<[f64; 2]>) -> String {
    match heights {
        Some([low, high]) => format!("heights: {low:.3} to {high:.3} m"),
        None => "heights: none".into(),
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

fn bytes_in_words(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
