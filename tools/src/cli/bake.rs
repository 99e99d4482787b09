//! The words of `marchland bake`.

use std::path::PathBuf;

use clap::Args;

use super::values::{parse_pair, parse_spacing};
use crate::import::{Channel, Encoding, Endian, Format};

/// `marchland bake`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  A 16-bit heightmap, 2 m between samples, black at 0 m and white at 600 m:
    marchland bake hills.png --out hills.world --spacing 2 --min-height 0 --max-height 600
  Two SRTM tiles as one world:
    marchland bake srtm/ --out srtm.world
  Raw 16-bit samples, one step being a centimetre:
    marchland bake hills.r16 --columns 2049 --rows 1025 --spacing 1 --height-scale 0.01 \\
        --out hills.world
  With trees and houses, glTF or OBJ:
    marchland bake hills.png --out hills.world --spacing 2 --min-height 0 --max-height 600 \\
        --props town.toml --props woods.toml

Every key of a file of props, with an example: tools/PROPS.md in the sources.")]
pub struct BakeArgs {
    /// An elevation file (PNG, raw, HGT, TIFF, EXR) or a folder of tiles.
    pub source: PathBuf,
    /// Folder of the world.
    #[arg(long, value_name = "DIR.world")]
    pub out: PathBuf,
    /// Metres between samples along X, and along Z where it differs.
    #[arg(long, value_name = "X[,Z]", value_parser = parse_spacing, allow_hyphen_values = true)]
    pub spacing: Option<[f64; 2]>,
    /// Side of a cell in metres, a power of two; the largest not above the spacing unless told.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub cell: Option<f64>,
    /// Side of a sector in metres, a power of two; 256 cells within 256 and 16384 m unless told.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub sector_size: Option<f64>,
    /// Metres at value 0 of an integer image.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub min_height: Option<f64>,
    /// Metres at the greatest value (255 or 65535) of an integer image.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub max_height: Option<f64>,
    /// Metres for each step of a value: metres = value x scale + offset.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub height_scale: Option<f64>,
    /// Metres at value 0.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub height_offset: Option<f64>,
    /// Where the north-west sample lies; the low corner of sector (0, 0) unless told.
    #[arg(long, value_name = "X,Z", value_parser = parse_pair, allow_hyphen_values = true)]
    pub origin: Option<[f64; 2]>,
    /// Row 0 is south instead of north.
    #[arg(long)]
    pub flip_y: bool,
    /// The value that stands for "no height", before scaling.
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub nodata: Option<f64>,
    /// What becomes of samples without a height: hole, error, or a height in metres.
    #[arg(
        long,
        value_name = "hole|error|HEIGHT",
        default_value = "hole",
        allow_hyphen_values = true
    )]
    pub void: String,
    /// A PNG that is white where cells are holes.
    #[arg(long, value_name = "MASK.png")]
    pub holes: Option<PathBuf>,
    /// A PNG whose values are the surfaces of cells.
    #[arg(long, value_name = "MASK.png", requires = "surface_names")]
    pub surfaces: Option<PathBuf>,
    /// The names of surfaces 0, 1, 2, ...
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub surface_names: Option<Vec<String>>,
    /// A file that says which props stand where; may be given several times.
    #[arg(long, value_name = "FILE.toml")]
    pub props: Vec<PathBuf>,
    /// Height of one step in metres, a power of two.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub quantum: Option<f64>,
    /// What the source is; looked up from its bytes and its name unless told.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub format: Format,
    /// Byte order of raw samples.
    #[arg(long, value_enum)]
    pub endian: Option<Endian>,
    /// The channel that holds heights.
    #[arg(long, value_enum)]
    pub channel: Option<Channel>,
    /// Heights packed into the three channels of a PNG.
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// Samples along a row of a raw source.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub columns: Option<u32>,
    /// Rows of a raw source.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub rows: Option<u32>,
    /// Names of tiles with {x} and {y}, or {i}; known patterns are recognised.
    #[arg(long, value_name = "PATTERN")]
    pub tiles: Option<String>,
    /// Tiles along a row, for {i}.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub tile_columns: Option<u32>,
    /// Samples that touching tiles share: 0 or 1; seen from their edges unless told.
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u32).range(0..=1), allow_hyphen_values = true)]
    pub tile_overlap: Option<u32>,
    /// Missing tiles are outside the world instead of an error.
    #[arg(long)]
    pub allow_missing: bool,
    /// Threads that encode sectors; as many as there are cores unless told.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub jobs: Option<u16>,
    /// Bake everything again, compare each file on disk byte for byte, and write what differs.
    #[arg(long)]
    pub force: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl BakeArgs {
    /// What `marchland bake SOURCE --out DIR` with nothing else means.
    #[must_use]
    pub fn new(source: PathBuf, out: PathBuf) -> Self {
        Self {
            source,
            out,
            spacing: None,
            cell: None,
            sector_size: None,
            min_height: None,
            max_height: None,
            height_scale: None,
            height_offset: None,
            origin: None,
            flip_y: false,
            nodata: None,
            void: "hole".into(),
            holes: None,
            surfaces: None,
            surface_names: None,
            props: Vec::new(),
            quantum: None,
            format: Format::Auto,
            endian: None,
            channel: None,
            encoding: None,
            columns: None,
            rows: None,
            tiles: None,
            tile_columns: None,
            tile_overlap: None,
            allow_missing: false,
            jobs: None,
            force: false,
            json: false,
        }
    }
}
