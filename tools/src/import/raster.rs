//! One file as rows of values, in its own units and row order, and the choice of its reader.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{ImportError, Problem};
use super::geo::SourceSpacing;
use super::options::{Channel, Format, ImportOptions};
use super::{exr, hgt, png, raw, tiff};

/// Most samples along one side of a file: 2¹⁷, eight times the largest map that was ever requested.
pub(crate) const SIDE_SAMPLES_MAX: u64 = 1 << 17;

/// Most samples of a file whose format must be decoded whole.
pub(crate) const WHOLE_SAMPLES_MAX: u64 = 1 << 26;

/// One row as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'a> {
    /// 8- and 16-bit whole numbers; signed ones by their bit pattern.
    Codes(&'a [u16]),
    /// All other values; NaN marks a void.
    Values(&'a [f64]),
}

/// Delivers the rows of a file, first row of the file first.
pub(crate) trait RowReader: Send {
    /// The next row; called once for each row. The last call also checks the end of the file.
    fn next_row(&mut self) -> Result<Row<'_>, ImportError>;
}

/// The meaning of the values of a raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Samples {
    /// Unsigned whole numbers of at most 16 bits.
    Unsigned {
        /// Bits of a sample: 1, 2, 4, 8 or 16.
        bits: u8,
        /// Whether the values are metres without a given range.
        metres: bool,
    },
    /// Signed 16-bit metres.
    Signed16,
    /// Metres of any other kind.
    Real,
}

impl Samples {
    /// The name in messages.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Unsigned { bits, .. } => format!("{bits}-bit whole numbers"),
            Self::Signed16 => "signed 16-bit whole numbers".to_owned(),
            Self::Real => "numbers with fractions".to_owned(),
        }
    }
}

/// An open file.
pub(crate) struct Raster {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) samples: Samples,
    pub(crate) reader: Box<dyn RowReader>,
    /// The value of a void among codes; readers of values convert voids themselves.
    pub(crate) nodata: Option<f64>,
    pub(crate) spacing: Option<SourceSpacing>,
    /// The chosen channel, so that the file need not be scanned again.
    pub(crate) channel: Option<Channel>,
    pub(crate) notes: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Opens a file with the reader for its format.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let format = detect(path, options)?;
    if options.encoding.is_some() && format != Format::Png {
        let found = format!("--encoding with a file of format {}", name(format));
        return Err(ImportError::setting(path, found, "a PNG with heights packed into colours"));
    }
    let mut raster = match format {
        Format::Png => png::open(path, options),
        Format::R16 | Format::R32 => raw::open(path, format, options),
        Format::Hgt => hgt::open(path, options),
        Format::Tiff => tiff::open(path, options),
        Format::Exr => exr::open(path, options),
        Format::Auto => Err(unknown(path, &[])),
    }?;
    raster.warnings.extend(idle_settings(format, options));
    Ok(raster)
}

/// Settings that have no effect on this format.
fn idle_settings(format: Format, options: &ImportOptions) -> Vec<String> {
    let raw = matches!(format, Format::R16 | Format::R32);
    let mut idle = Vec::new();
    if options.endian.is_some() && !raw {
        idle.push("--endian");
    }
    if (options.columns.is_some() || options.rows.is_some()) && !raw && format != Format::Hgt {
        idle.push("--columns and --rows");
    }
    if options.channel.is_some() && (raw || format == Format::Hgt) {
        idle.push("--channel");
    }
    let verb = |flag: &str| if flag.contains(" and ") { "have" } else { "has" };
    let text = |flag: &&str| format!("{flag} {} no effect on {}", verb(flag), name(format));
    idle.iter().map(text).collect()
}

/// Settings that have no effect on a single file of any format.
pub(crate) fn idle_tile_settings(options: &ImportOptions) -> Vec<String> {
    let given = [
        (options.tile_columns.is_some(), "--tile-columns"),
        (options.tile_overlap.is_some(), "--tile-overlap"),
        (options.allow_missing, "--allow-missing"),
    ];
    let idle = given.iter().filter(|(is_given, _)| *is_given);
    idle.map(|(_, flag)| format!("{flag} has no effect on a single file")).collect()
}

/// A note if a channel was requested by colour and the picture has only one gray channel.
pub(crate) fn idle_channel(channel: Option<Channel>) -> Option<String> {
    let channel = channel.filter(|channel| matches!(channel, Channel::Green | Channel::Blue))?;
    Some(format!("--channel {} has no effect on a gray image", channel.letter()))
}

/// Checks the size given by a header: at least 2 × 2, and within the limit.
pub(crate) fn check_size(path: &Path, columns: u64, rows: u64) -> Result<(u32, u32), ImportError> {
    if columns < 2 || rows < 2 {
        return Err(ImportError::new(path, Problem::TooSmall { columns, rows }));
    }
    match (u32::try_from(columns), u32::try_from(rows)) {
        (Ok(c), Ok(r)) if columns <= SIDE_SAMPLES_MAX && rows <= SIDE_SAMPLES_MAX => Ok((c, r)),
        _ => {
            let limit = format!("at most {SIDE_SAMPLES_MAX} along a side");
            Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }))
        }
    }
}

/// Checks that a format which is decoded whole does not need too much memory.
pub(crate) fn check_whole(
    path: &Path,
    columns: u32,
    rows: u32,
    kind: &str,
) -> Result<(), ImportError> {
    let (columns, rows) = (u64::from(columns), u64::from(rows));
    if columns * rows > WHOLE_SAMPLES_MAX {
        let limit =
            format!("at most {WHOLE_SAMPLES_MAX} samples in {kind}, which is decoded at once");
        return Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }));
    }
    Ok(())
}

const PNG_MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";
const TIFF_MAGICS: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];
const EXR_MAGIC: &[u8] = &[0x76, 0x2f, 0x31, 0x01];

/// Magic numbers of common files that hold no heights in that form.
const WRONG_MAGICS: [(&[u8], &str); 7] = [
    (b"\xff\xd8\xff", "a JPEG image, which does not preserve heights"),
    (b"PK\x03\x04", "a zip archive, which must be unpacked first"),
    (b"\x1f\x8b", "a gzip archive, which must be unpacked first"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"glTF", "a glTF mesh"),
    (b"\x93NUMPY", "a NumPy array"),
];

/// The format of a file: the requested one, or the one detected by its first bytes and its name.
///
/// The names of raw formats take precedence over the short signatures of TIFF and EXR, since raw
/// samples may begin with any bytes. PNG's eight bytes take precedence over all.
pub(crate) fn detect(path: &Path, options: &ImportOptions) -> Result<Format, ImportError> {
    if options.format != Format::Auto {
        return Ok(options.format);
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(16).read_to_end(&mut start))
        .map_err(|e| ImportError::io(path, "open", e))?;
    if start.starts_with(PNG_MAGIC) {
        return Ok(Format::Png);
    }
    match extension(path).as_str() {
        "r16" | "raw" => return Ok(Format::R16),
        "r32" => return Ok(Format::R32),
        "hgt" => return Ok(Format::Hgt),
        _ => {}
    }
    if TIFF_MAGICS.iter().any(|magic| start.starts_with(magic)) {
        return Ok(Format::Tiff);
    }
    if start.starts_with(EXR_MAGIC) {
        return Ok(Format::Exr);
    }
    Err(unknown(path, &start))
}

/// Extensions of files that can be tiles.
pub(crate) fn has_known_extension(path: &Path) -> bool {
    let known = ["png", "r16", "raw", "r32", "hgt", "tif", "tiff", "exr"];
    known.contains(&extension(path).as_str())
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn unknown(path: &Path, start: &[u8]) -> ImportError {
    let wrong = WRONG_MAGICS.iter().find(|(magic, _)| start.starts_with(magic));
    let claimed = match extension(path).as_str() {
        "png" => Some("a file named as PNG without the signature of PNG"),
        "tif" | "tiff" => Some("a file named as TIFF without the signature of TIFF"),
        "exr" => Some("a file named as EXR without the signature of EXR"),
        _ => None,
    };
    let found = match (wrong, claimed) {
        (Some((_, kind)), _) => (*kind).to_owned(),
        (None, Some(claimed)) => claimed.to_owned(),
        (None, None) if start.is_empty() => "an empty file".to_owned(),
        (None, None) => "a file of unknown format".to_owned(),
    };
    ImportError::new(path, Problem::UnknownFormat { found })
}

fn name(format: Format) -> &'static str {
    match format {
        Format::Auto => "unknown",
        Format::Png => "PNG",
        Format::R16 | Format::R32 => "raw",
        Format::Hgt => "HGT",
        Format::Tiff => "TIFF",
        Format::Exr => "EXR",
    }
}
