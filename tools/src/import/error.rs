//! Errors of sources: what was found, what was expected, where, and which flag fixes it.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::source::Border;

/// Why a source could not be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ImportError {
    /// The file or folder at fault.
    pub path: PathBuf,
    /// What is wrong with it; contained in the message, and therefore not also given as a source.
    pub problem: Problem,
}

/// What is wrong with a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file system reported an error, independent of the file's contents.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The format is not recognised, by content or by name.
    #[error(
        "{found}, expected PNG, TIFF, EXR, JPEG, WebP, BMP, TGA, SRTM .hgt, or raw .r16, .raw or .r32"
    )]
    UnknownFormat {
        /// What the file seems to be.
        found: String,
    },
    /// The file violates its format: truncated, damaged or malicious.
    #[error("invalid {format} file: {what}")]
    Corrupt {
        /// The format that was expected.
        format: &'static str,
        /// The decoder's error.
        what: String,
    },
    /// The file is valid, but of a kind that is not supported.
    #[error("{found}, expected {expected}")]
    Unsupported {
        /// What was found.
        found: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// The header specifies a size beyond the limit.
    #[error("{columns} × {rows} samples, expected {limit}")]
    TooLarge {
        /// Columns in the header.
        columns: u64,
        /// Rows in the header.
        rows: u64,
        /// The limit.
        limit: String,
    },
    /// The header specifies more samples than the file's bytes can hold.
    #[error(
        "the header specifies {columns} × {rows} samples, too many for a file of {file_bytes} bytes"
    )]
    Implausible {
        /// Columns in the header.
        columns: u64,
        /// Rows in the header.
        rows: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// Fewer than two samples along a side enclose no ground.
    #[error("{columns} × {rows} samples, expected at least 2 × 2")]
    TooSmall {
        /// Columns found.
        columns: u64,
        /// Rows found.
        rows: u64,
    },
    /// Whole numbers without a scale in metres.
    #[error("{bits}-bit whole numbers are not metres: a height range or a scale is needed")]
    NeedsRange {
        /// Bits of a sample.
        bits: u8,
    },
    /// A least and greatest height for values that are already metres.
    #[error("{samples} are metres already: --min-height and --max-height do not apply")]
    RangeOnMetres {
        /// What the samples are.
        samples: &'static str,
    },
    /// Several colour channels that differ.
    #[error(
        "colour channels differ by up to {greatest} of {full_scale}, expected gray (a difference of at most {allowed})"
    )]
    ColoursDiffer {
        /// Greatest difference between channels of one sample.
        greatest: f64,
        /// The greatest value a sample can have.
        full_scale: f64,
        /// Greatest difference taken as gray.
        allowed: f64,
    },
    /// An alpha channel that is not opaque.
    #[error("the least alpha is {least} of {full_scale}, expected an opaque image")]
    AlphaUsed {
        /// Least alpha found.
        least: f64,
        /// The value of full opacity.
        full_scale: f64,
    },
    /// One gray value is marked as transparent.
    #[error("value {value} is marked as transparent (tRNS), expected plain gray")]
    Transparent {
        /// The value.
        value: u16,
    },
    /// Several channels, without information about which one holds the heights.
    #[error("{count} channels, expected one")]
    ManyChannels {
        /// Number of channels.
        count: usize,
    },
    /// The requested channel does not exist.
    #[error("no channel {wanted}; the file has {has}")]
    NoSuchChannel {
        /// The requested channel.
        wanted: &'static str,
        /// The channels of the file.
        has: String,
    },
    /// The length of a raw file matches no size.
    #[error("{file_bytes} bytes do not fit {wanted}; {candidates}")]
    RawSize {
        /// Length of the file.
        file_bytes: u64,
        /// The requested size.
        wanted: String,
        /// Sizes that would match.
        candidates: String,
    },
    /// A height that is not finite.
    #[error(
        "infinite height at column {column}, row {row}, expected a finite number, or NaN for a void"
    )]
    Infinite {
        /// Column of the sample.
        column: u32,
        /// Row of the sample, as stored.
        row: u32,
    },
    /// A contradictory setting.
    #[error("{found}, expected {expected}")]
    Setting {
        /// The given value.
        found: String,
        /// Accepted values.
        expected: &'static str,
    },
    /// A folder without tiles.
    #[error("no tiles among {files} files, expected names like {known}")]
    NoTiles {
        /// Files examined.
        files: usize,
        /// The known patterns.
        known: String,
    },
    /// Two files for one place.
    #[error("{first} and {second} are both the tile at x {x}, y {y}")]
    TwiceThere {
        /// One of the files.
        first: String,
        /// The other file.
        second: String,
        /// Tile column.
        x: i64,
        /// Tile row, growing to the south.
        y: i64,
    },
    /// Places in the set without a file.
    #[error("{count} of {places} tiles are missing: {}", list(names))]
    MissingTiles {
        /// Number of missing tiles.
        count: usize,
        /// Tiles that the set should have.
        places: usize,
        /// The first of them by name or place.
        names: Vec<String>,
    },
    /// A tile that differs from the first one.
    #[error("{found}, expected {expected}, as in {first}")]
    MixedTiles {
        /// What this tile is.
        found: String,
        /// What the first tile is.
        expected: String,
        /// Name of the first tile.
        first: String,
    },
    /// Lossy compression where a value that is off by one means something else.
    #[error("the compression of {format} changes values, expected {wanted} as they were painted")]
    Lossy {
        /// The format.
        format: &'static str,
        /// What the values are.
        wanted: &'static str,
    },
    /// Tiles that should share their edge samples do not.
    #[error("{} of {borders} shared edges differ between the tiles:{}", edges.len(), edge_list(edges))]
    EdgesDisagree {
        /// Borders between tiles.
        borders: usize,
        /// Those that disagree, the worst first.
        edges: Vec<Border>,
    },
}

impl ImportError {
    /// A problem with the file or folder at a path.
    pub(crate) fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    /// A file system error.
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        Self::new(path, Problem::Io { doing, source })
    }

    /// A read error: a file that ends early is damaged, any other error is the file system's.
    pub(crate) fn read(path: &Path, format: &'static str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::corrupt(path, format, "unexpected end of file"),
            _ => Self::io(path, "read", source),
        }
    }

    /// The file violates its format.
    pub(crate) fn corrupt(path: &Path, format: &'static str, what: impl Into<String>) -> Self {
        Self::new(path, Problem::Corrupt { format, what: what.into() })
    }

    /// The file is of a kind that is not supported.
    pub(crate) fn unsupported(
        path: &Path,
        found: impl Into<String>,
        expected: &'static str,
    ) -> Self {
        Self::new(path, Problem::Unsupported { found: found.into(), expected })
    }

    /// A setting is contradictory.
    pub(crate) fn setting(path: &Path, found: impl Into<String>, expected: &'static str) -> Self {
        Self::new(path, Problem::Setting { found: found.into(), expected })
    }

    /// Whether the error comes from the file system, not from the file's contents.
    pub fn is_io(&self) -> bool {
        matches!(self.problem, Problem::Io { .. })
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match &self.problem {
            Problem::UnknownFormat { .. } => {
                "give the format with `--format png|r16|r32|hgt|tiff|exr|jpeg|webp|bmp|tga`"
            }
            Problem::NeedsRange { bits } => {
                let full_scale = (1_u32 << bits) - 1;
                return Some(format!(
                    "give `--min-height M --max-height M` (value 0 and value {full_scale}), or \
                     `--height-scale S --height-offset O` (metres = value × S + O)"
                ));
            }
            Problem::RangeOnMetres { .. } => {
                "use `--height-scale S --height-offset O` (metres = value × S + O)"
            }
            Problem::ColoursDiffer { .. } => {
                "choose the channel that holds the heights with `--channel r|g|b|a`; if heights \
                 are packed into colours, give `--encoding terrarium|terrain-rgb`"
            }
            Problem::AlphaUsed { .. } | Problem::ManyChannels { .. } => {
                "choose the channel that holds the heights with `--channel r|g|b|a`"
            }
            Problem::Transparent { value } => {
                return Some(format!(
                    "`--nodata {value}` makes these samples voids, `--channel r` takes the value as a height"
                ));
            }
            Problem::NoSuchChannel { .. } => "`--channel` takes r, g, b or a",
            Problem::RawSize { .. } => "give the size with `--columns N --rows N`",
            Problem::TooLarge { .. } => "split the source into tiles and bake the folder of tiles",
            Problem::Lossy { .. } => {
                "export the image again as PNG, BMP, TGA or lossless WebP; converting this file does \
                 not bring its values back"
            }
            Problem::NoTiles { .. } => {
                "give a pattern of file names with `--tiles PATTERN`, such as \
                 `--tiles 'height_{x}_{y}.png'` or `--tiles '{i}.png' --tile-columns N`"
            }
            Problem::TwiceThere { .. } => "choose one kind of tile names with `--tiles PATTERN`",
            Problem::MissingTiles { .. } => {
                "`--allow-missing` leaves missing tiles outside the world"
            }
            Problem::EdgesDisagree { .. } => {
                "if the tiles share no edge samples, give `--tile-overlap 0`"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Names separated by commas, ending in dots if there are more than fit a screen.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > LISTED_MAX { shown + ", …" } else { shown }
}

fn edge_list(edges: &[Border]) -> String {
    let mut text = String::new();
    for edge in edges.iter().take(LISTED_MAX) {
        let _ = write!(text, "\n  {edge}");
    }
    if edges.len() > LISTED_MAX {
        text.push_str("\n  …");
    }
    text
}

/// Tiles or edges named in one error.
const LISTED_MAX: usize = 12;
