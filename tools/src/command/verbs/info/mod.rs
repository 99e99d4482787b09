//! `marchland info`: describes a world, a sector file or an elevation file.

mod about;
mod source;

use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

use marchland_terrain::SectorState;
use marchland_terrain::error::{Section, SectorError};
use marchland_terrain::format::SectorLayout;
use marchland_terrain::heightfield::CellKind;
use marchland_terrain::layout::sector as layout;
use marchland_terrain::store::{SectorBounds, StoreError, World, folder_names};
use serde_json::{Value, json};

use self::about::{About, bytes_in_words, heights_line};
use self::source::source_info;
use crate::command::failure::Failure;
use crate::command::verbs::bake::settings_text;
use crate::command::{output, world};

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

/// Describes the file or folder.
///
/// # Errors
/// If its type is unknown.
pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let path = &args.path;
    let metadata = std::fs::metadata(path).map_err(|error| Failure::file(path, &error))?;
    let about = if metadata.is_dir() {
        match world::open_mapped(path) {
            Ok(mut world) => world_info(path, &mut world)?,
            // A folder without a manifest may be a folder of tiles.
            Err(StoreError::NoManifest { .. }) if holds_files(path) => source_info(path)?,
            Err(error) => return Err(error.into()),
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
    let failed = |error: std::io::Error| Failure::file(path, &error);
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
    let records = world.records().take(SECTORS_LOOKED_INTO);
    let records = records.collect::<Result<Vec<_>, _>>()?;
    let (mut bytes, mut props) = (0, 0);
    for coord in records.into_iter().map(|record| record.coord) {
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
    let bytes = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
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
