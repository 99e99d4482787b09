//! Reads elevation files as rows of heights, and image masks as rows of cell values.
//!
//! [`open`] takes a file or a folder of tiles and returns a [`Source`], whose heights a bake reads row by
//! row; [`open_mask`] does the same for holes and surfaces. A source that can be read in bands is never held
//! whole. Nothing is allocated from a header's size unless the file's length can support it.
//!
//! ```text
//! file ── png raw hgt tiff exr ──> Raster (values as stored) ── scale ──> Heights (metres)
//! folder ── tile_names ──> tile_survey ──> tile_rows: one Raster ─┘
//! ```
//!
//! A *Raster* uses the file's own units and row order. `scale` converts values to metres and voids
//! to NaN, and determines which row comes first.

mod error;
mod exr;
mod geo;
mod hash;
mod hgt;
mod mask;
pub mod mesh;
mod options;
mod png;
mod png_rows;
pub mod props;
mod raster;
mod raw;
mod scale;
mod tiff;
mod tiff_layout;
mod tiff_tags;
mod tile_edges;
mod tile_names;
mod tile_pattern;
mod tile_rows;
mod tile_survey;
mod tiles;

use std::path::{Path, PathBuf};

use marchland_terrain::bake::HeightSource;

pub use self::error::{ImportError, Problem};
pub use self::geo::{SourceSpacing, degrees_to_metres};
pub use self::hash::hash_file;
pub use self::mask::{Mask, MaskKind, open_mask};
pub use self::options::{Channel, Encoding, Endian, Format, HeightRange, ImportOptions};
pub use self::tile_edges::{Border, BorderSide};
pub use self::tiles::{CellRect, TileReport};

/// An open source: its heights, and what is known about it.
pub struct Source {
    /// The heights, row by row.
    pub heights: Box<dyn HeightSource>,
    /// A description of its values.
    pub samples: String,
    /// The distance between samples, if the source specifies it.
    pub spacing: Option<SourceSpacing>,
    /// Decisions made on the way, worth a line of output.
    pub notes: Vec<String>,
    /// Problems that the user probably did not expect.
    pub warnings: Vec<String>,
    /// The files that are read, in a fixed order: tiles row by row from the north-west.
    pub files: Vec<PathBuf>,
    /// How the tiles fit together, if the source is a folder.
    pub tiles: Option<TileReport>,
    /// Cells without ground because their tile is missing; rectangles may overlap.
    pub outside: Vec<CellRect>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("columns", &self.heights.columns())
            .field("rows", &self.heights.rows())
            .field("samples", &self.samples)
            .field("spacing", &self.spacing)
            .field("notes", &self.notes)
            .field("warnings", &self.warnings)
            .field("files", &self.files)
            .field("tiles", &self.tiles)
            .field("outside", &self.outside)
            .finish()
    }
}

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
    let raster = raster::open(path, options)?;
    let scaling = scale::Scaling::of(path, &raster, options)?;
    let mut warnings = raster.warnings.clone();
    warnings.extend(raster::idle_tile_settings(options));
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
