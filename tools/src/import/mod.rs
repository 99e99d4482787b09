//! Reads elevation files as rows of heights, and image masks as rows of cell values.
//!
//! [`open`] takes a file or a folder of tiles and returns a [`Source`], whose heights a bake reads row by
//! row; [`open_mask`] does the same for holes and surfaces. A source that can be read in bands is never held
//! whole, and others have at most 2²⁶ samples. Nothing is allocated from a header's size unless the file's
//! length can support it.
//!
//! ```text
//! file ── formats ─┬─> raw hgt tiff exr ──────────────────────────┬─> Raster (values as stored)
//!                  └─> png_rows picture: pixels ─> pixels/heights ┘     │
//!                                              └─> Mask               scale ──> Heights (metres)
//! folder ── tiles/names ──> tiles/survey ──> tiles/rows: one Raster ────┘
//! ```
//!
//! A *Raster* uses the file's own units and row order. `scale` converts values to metres and voids
//! to NaN, and determines which row comes first.

mod error;
mod exr;
mod formats;
mod geo;
mod hash;
mod hgt;
mod mask;
pub mod mesh;
mod options;
mod picture;
mod pixels;
mod png_rows;
pub mod props;
mod raster;
mod raw;
mod scale;
mod source;
mod tiff;
mod tiles;

use std::path::Path;

pub use self::error::{ImportError, Problem};
pub use self::geo::{SourceSpacing, degrees_to_metres};
pub use self::hash::hash_file;
pub use self::mask::{Mask, MaskKind, open_mask};
pub use self::options::{Channel, Encoding, Endian, Format, HeightRange, ImportOptions};
pub use self::source::{Border, BorderSide, CellRect, Source, TileReport};

/// Opens a file, or a folder of tiles, and reads as much as is needed to identify it.
///
/// # Errors
/// If the source is missing, in an unknown format, damaged, or needs a setting that was not given.
pub fn open(path: &Path, options: &ImportOptions) -> Result<Source, ImportError> {
    options.check(path)?;
    let about = std::fs::metadata(path).map_err(|e| ImportError::io(path, "open", e))?;
    if about.is_dir() {
        return tiles::open(path, options);
    }
    if options.tiles.is_some() {
        return Err(ImportError::setting(path, "--tiles with a single file", "a folder of tiles"));
    }
    let raster = formats::open(path, options)?;
    let scaling = scale::Scaling::of(path, &raster, options)?;
    let mut warnings = raster.warnings.clone();
    warnings.extend(formats::idle_tile_settings(options));
    warnings.extend(scale::terracing(&raster.samples, options));
    Ok(Source {
        samples: raster.samples.name(),
        spacing: raster.spacing,
        notes: raster.notes.clone(),
        warnings,
        files: vec![path.to_owned()],
        tiles: None,
        outside: Vec::new(),
        heights: Box::new(scale::Heights::new(raster, scaling, options.flip_y)),
    })
}
