//! The words of `marchland bake`.

use std::path::PathBuf;

use clap::Args;

use crate::command::values::{parse_numbers, parse_spacing};
use crate::import::{Channel, Encoding, Endian, Format};

/// `marchland bake`
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  A 16-bit heightmap with 2 m between samples, black at 0 m and white at 600 m:
    marchland bake hills.png --out hills.world --spacing 2 --min-height 0 --max-height 600
  Two SRTM tiles as one world:
    marchland bake srtm/ --out srtm.world
  Raw 16-bit samples in centimetres:
    marchland bake hills.r16 --columns 2049 --rows 1025 --spacing 1 --height-scale 0.01 \\
        --out hills.world
  With props such as trees and houses, from glTF or OBJ meshes:
    marchland bake hills.png --out hills.world --spacing 2 --min-height 0 --max-height 600 \\
        --props town.toml --props woods.toml

tools/PROPS.md in the source tree describes every key of a file of props, with an example.")]
pub struct BakeArgs {
    /// An elevation file (PNG, raw, HGT, TIFF, EXR, or an 8-bit JPEG, WebP, BMP or TGA) or a folder of tiles.
    pub source: PathBuf,
    /// Folder of the world to write.
    #[arg(long, value_name = "DIR.world")]
    pub out: PathBuf,
    /// Distance between samples along X, and along Z if different, metres.
    #[arg(long, value_name = "X[,Z]", value_parser = parse_spacing, allow_hyphen_values = true)]
    pub spacing: Option<[f64; 2]>,
    /// Side of a cell, metres, a power of two [default: the largest not above the spacing].
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub cell: Option<f64>,
    /// Side of a sector, metres, a power of two [default: 256 cells, but at least 256 and at most 16384 m].
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub sector_size: Option<f64>,
    /// Height of value 0 of an integer image, metres.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub min_height: Option<f64>,
    /// Height of the greatest value (255 or 65535) of an integer image, metres. Eight bits form terraces of
    /// 1/255 of the range.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub max_height: Option<f64>,
    /// Metres per unit of value: metres = value x scale + offset.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub height_scale: Option<f64>,
    /// Height of value 0, metres; used with --height-scale.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub height_offset: Option<f64>,
    /// Position of the north-west sample, metres [default: the low corner of sector (0, 0)].
    #[arg(long, value_name = "X,Z", value_parser = parse_numbers::<2>, allow_hyphen_values = true)]
    pub origin: Option<[f64; 2]>,
    /// Take row 0 of the source as the south edge instead of the north edge.
    #[arg(long)]
    pub flip_y: bool,
    /// The value that means "no height", before scaling.
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub nodata: Option<f64>,
    /// What to do with samples without a height: hole (cut one), error (fail), or a height in metres to use.
    #[arg(
        long,
        value_name = "hole|error|HEIGHT",
        default_value = "hole",
        allow_hyphen_values = true
    )]
    pub void: String,
    /// An image that is white at cells that are holes: PNG, BMP, TGA, WebP or JPEG.
    #[arg(long, value_name = "MASK.png")]
    pub holes: Option<PathBuf>,
    /// An image whose values are the surface numbers of cells: PNG, BMP, TGA or lossless WebP.
    #[arg(long, value_name = "MASK.png", requires = "surface_names")]
    pub surfaces: Option<PathBuf>,
    /// Names of surfaces 0, 1, 2, ...
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub surface_names: Option<Vec<String>>,
    /// A file that lists props and their positions; may be given several times.
    #[arg(long, value_name = "FILE.toml")]
    pub props: Vec<PathBuf>,
    /// Height quantum, the step of stored heights, metres, a power of two.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub quantum: Option<f64>,
    /// Format of the source.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub format: Format,
    /// Byte order of raw samples.
    #[arg(long, value_enum)]
    pub endian: Option<Endian>,
    /// The channel that holds the heights.
    #[arg(long, value_enum)]
    pub channel: Option<Channel>,
    /// How heights are packed into the three channels of a PNG, WebP, BMP or TGA.
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// Samples per row of a raw source.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub columns: Option<u32>,
    /// Number of rows of a raw source.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub rows: Option<u32>,
    /// File name pattern of tiles, with {x} and {y}, or with {i}; common patterns are recognised without it.
    #[arg(long, value_name = "PATTERN")]
    pub tiles: Option<String>,
    /// Tiles per row, for a pattern with {i}.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub tile_columns: Option<u32>,
    /// Samples that adjacent tiles share, 0 or 1 [default: detected from their edges].
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u32).range(0..=1), allow_hyphen_values = true)]
    pub tile_overlap: Option<u32>,
    /// Treat missing tiles as outside the world instead of failing.
    #[arg(long)]
    pub allow_missing: bool,
    /// Threads that encode sectors [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub jobs: Option<u16>,
    /// Bake everything again, compare every file on disk byte for byte, and write those that differ.
    #[arg(long)]
    pub force: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl BakeArgs {
    /// The arguments of `marchland bake SOURCE --out DIR` without any other flag.
    #[must_use]
    pub fn new(source: PathBuf, out: PathBuf) -> Self {
        Self { source, out, void: "hole".into(), ..Self::default() }
    }
}
