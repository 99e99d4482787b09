//! `marchland info`: what a world, a sector file or an elevation file is.

use std::io::Read;
use std::path::Path;

use marchland_terrain::format::{decode, layout};
use marchland_terrain::heightfield::CellKind;
use marchland_terrain::store::{SectorBounds, World};
use serde_json::{Value, json};

use crate::cli::{BakeArgs, InfoArgs};
use crate::failure::Failure;
use crate::import::{self, HeightRange, SourceSpacing};
use crate::{baking, output, world};

/// Says what it is.
///
/// # Errors
/// If it is nothing that is known.
pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let path = &args.path;
    let about = std::fs::metadata(path)
        .map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
    let answer = if about.is_dir() {
        match world::open(path) {
            Ok(world) => world_info(&world),
            // A folder that is no world may be a folder of tiles.
            Err(no_world) => source_info(path).map_err(|_| no_world)?,
        }
    } else if begins_with_magic(path)? {
        sector_info(path)?
    } else {
        source_info(path)?
    };
    if args.json { output::json(&answer) } else { print(&answer) }
}

fn begins_with_magic(path: &Path) -> Result<bool, Failure> {
    let failed = |error: std::io::Error| Failure::io(format!("{}: {error}", path.display()));
    let mut first = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(layout::MAGIC.len() as u64).read_to_end(&mut first).map_err(failed)?;
    Ok(first == layout::MAGIC)
}

fn world_info(world: &World) -> Value {
    let info = world.info();
    let grid = info.facts.grid;
    let quantum = f64::from(grid.quantum());
    let sources: Vec<Value> = info
        .record
        .sources
        .iter()
        .map(|source| json!({ "name": source.name, "hash": format!("{:032x}", source.hash) }))
        .collect();
    let settings: Vec<&str> = info.record.settings.lines().collect();
    json!({
        "kind": "world",
        "generation": world.generation(),
        "sectors": info.sectors,
        "sector_bytes": info.sector_bytes,
        "bounds": info.bounds.map(|SectorBounds { min, max }| [[min.x, min.z], [max.x, max.z]]),
        "cell": f64::from(grid.cell()),
        "cells": grid.cells(),
        "sector_size": f64::from(grid.sector_size().metres()),
        "quantum": quantum,
        "height_range": info.height_range.map(|(low, high)| {
            [f64::from(low) * quantum, f64::from(high) * quantum]
        }),
        "surfaces": info.facts.surface_names,
        "bake_version": info.record.bake_version,
        "sources": sources,
        "settings": settings,
    })
}

fn sector_info(path: &Path) -> Result<Value, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
    let sector =
        decode(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let (coord, field) = (sector.coord(), sector.field());
    let (grid, cells) = (field.grid(), field.cells() as i32);
    let quantum = f64::from(grid.quantum());
    let count = |kind| {
        let all = (0..cells).flat_map(|row| (0..cells).map(move |column| (column, row)));
        all.filter(|&(column, row)| field.cell_kind(column, row) == kind).count()
    };
    Ok(json!({
        "kind": "sector",
        "sector": [coord.x, coord.z],
        "bytes": bytes.len(),
        "cell": f64::from(grid.cell()),
        "cells": cells,
        "sector_size": f64::from(grid.sector_size().metres()),
        "quantum": quantum,
        "sample_bits": if field.is_wide() { 32 } else { 16 },
        "height_range": field.pyramid().whole().map(|range| {
            [f64::from(range.min) * quantum, f64::from(range.max) * quantum]
        }),
        "holes": count(CellKind::Hole),
        "outside": count(CellKind::Outside),
        "uniform_surface": field.uniform_surface().map(|surface| surface.0),
    }))
}

fn source_info(path: &Path) -> Result<Value, Failure> {
    let mut options = baking::import_options(&BakeArgs::new(path.to_owned(), path.to_owned()))?;
    let opened = import::open(path, &options).or_else(|error| {
        // Integer samples want a range only to become metres: look at them as they are.
        options.range = Some(HeightRange::ScaleOffset { scale: 1.0, offset: 0.0 });
        import::open(path, &options).map_err(|_| error)
    });
    let source = opened.map_err(|error| baking::import_failure(&error))?;
    let spacing = source.spacing.map(|spacing| match spacing {
        SourceSpacing::Degrees { lon_step, lat_step, centre_latitude } => {
            json!({ "degrees": [lon_step, lat_step], "centre_latitude": centre_latitude })
        }
        SourceSpacing::Metres { x, z } => json!({ "metres": [x, z] }),
    });
    Ok(json!({
        "kind": "elevation",
        "files": source.files.len(),
        "columns": source.heights.columns(),
        "rows": source.heights.rows(),
        "spacing": spacing,
        "tile_overlap": source.tiles.as_ref().map(|tiles| tiles.overlap),
        "notes": source.notes,
        "warnings": source.warnings,
    }))
}

/// One line for each key.
fn print(answer: &Value) -> Result<(), Failure> {
    let Value::Object(keys) = answer else { return Ok(()) };
    for (key, value) in keys {
        let name = key.replace('_', " ");
        match value {
            Value::Null => {}
            Value::String(text) => output::line(&format!("{name}: {text}"))?,
            Value::Array(items)
                if items.iter().any(|item| item.is_object() || item.is_string()) =>
            {
                if !items.is_empty() {
                    output::line(&format!("{name}:"))?;
                }
                for item in items {
                    output::line(&format!("  {}", in_words(item)))?;
                }
            }
            other => output::line(&format!("{name}: {}", in_words(other)))?,
        }
    }
    Ok(())
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(" to "),
        Value::Object(keys) => {
            let parts = keys.iter().map(|(key, value)| format!("{key} {}", in_words(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
