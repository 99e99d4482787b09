//! Which reader a file is for: by its first bytes, its name, or as requested.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{ImportError, Problem};
use super::options::{Format, ImportOptions};
use super::picture::PictureRows;
use super::picture::facts::Values;
use super::pixels::PixelRows;
use super::pixels::heights;
use super::png_rows::PngRows;
use super::raster::Raster;
use super::{exr, hgt, raw, tiff};

/// Opens a file of heights with the reader for its format.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let format = detect(path, options.format)?;
    let mut raster = match format {
        Format::Png | Format::Jpeg | Format::Webp | Format::Bmp | Format::Tga => {
            let rows = open_pixels(path, format, Values::Shades)?;
            heights::open(path, rows, options)
        }
        _ if options.encoding.is_some() => {
            let found = format!("--encoding with a file of format {}", format.name());
            let expected = "a PNG, WebP, BMP or TGA with heights packed into colours";
            Err(ImportError::setting(path, found, expected))
        }
        Format::R16 | Format::R32 => raw::open(path, format, options),
        Format::Hgt => hgt::open(path, options),
        Format::Tiff => tiff::open(path, options),
        Format::Exr => exr::open(path, options),
        Format::Auto => Err(unknown(path, &[])),
    }?;
    if options.format == Format::Auto {
        raster.notes.extend(misnamed(path, format));
    }
    raster.warnings.extend(idle_settings(format, options));
    Ok(raster)
}

/// Opens a picture as rows of pixels.
pub(crate) fn open_pixels(
    path: &Path,
    format: Format,
    values: Values,
) -> Result<Box<dyn PixelRows>, ImportError> {
    match format {
        Format::Png => Ok(Box::new(PngRows::open(path)?)),
        Format::Jpeg | Format::Webp | Format::Bmp | Format::Tga => {
            Ok(Box::new(PictureRows::open(path, format, values)?))
        }
        _ => {
            let found = format!("a file of format {}", format.name());
            Err(ImportError::unsupported(path, found, PICTURES_EXPECTED))
        }
    }
}

/// The formats of pictures, in messages.
pub(crate) const PICTURES_EXPECTED: &str = "a PNG, JPEG, WebP, BMP or TGA image";

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
    let text = |flag: &&str| format!("{flag} {} no effect on {}", verb(flag), format.name());
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

/// First bytes of files and their format.
const MAGICS: [(&[u8], Format); 9] = [
    (b"\x89PNG\r\n\x1a\n", Format::Png),
    (b"II*\0", Format::Tiff),
    (b"MM\0*", Format::Tiff),
    (b"II+\0", Format::Tiff),
    (b"MM\0+", Format::Tiff),
    (&[0x76, 0x2f, 0x31, 0x01], Format::Exr),
    (b"\xff\xd8\xff", Format::Jpeg),
    (b"RIFF", Format::Webp),
    (b"BM", Format::Bmp),
];

/// Magic numbers of common files that hold no heights in that form.
const WRONG_MAGICS: [(&[u8], &str); 5] = [
    (b"PK\x03\x04", "a zip archive, which must be unpacked first"),
    (b"\x1f\x8b", "a gzip archive, which must be unpacked first"),
    (b"GIF8", "a GIF image"),
    (b"glTF", "a glTF mesh"),
    (b"\x93NUMPY", "a NumPy array"),
];

/// The format of a file: the requested one, or the one detected by its first bytes and its name.
///
/// The names of raw formats take precedence over the short signatures, since raw samples may begin with
/// any bytes. PNG's eight bytes take precedence over all. TGA has no signature, and is known by its name.
pub(crate) fn detect(path: &Path, requested: Format) -> Result<Format, ImportError> {
    if requested != Format::Auto {
        return Ok(requested);
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(16).read_to_end(&mut start))
        .map_err(|e| ImportError::io(path, "open", e))?;
    let signed = MAGICS.iter().find(|(magic, format)| {
        start.starts_with(magic)
            && (*format != Format::Webp
                || start.get(8..).is_some_and(|kind| kind.starts_with(b"WEBP")))
    });
    match (signed, named(path)) {
        (Some((_, Format::Png)), _) => Ok(Format::Png),
        (_, Some(raw @ (Format::R16 | Format::R32 | Format::Hgt))) => Ok(raw),
        (Some((_, format)), _) => Ok(*format),
        (None, Some(Format::Tga)) => Ok(Format::Tga),
        _ => Err(unknown(path, &start)),
    }
}

/// The format that a file's name claims.
fn named(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    match extension.as_str() {
        "png" => Some(Format::Png),
        "r16" | "raw" => Some(Format::R16),
        "r32" => Some(Format::R32),
        "hgt" => Some(Format::Hgt),
        "tif" | "tiff" => Some(Format::Tiff),
        "exr" => Some(Format::Exr),
        "jpg" | "jpeg" => Some(Format::Jpeg),
        "webp" => Some(Format::Webp),
        "bmp" => Some(Format::Bmp),
        "tga" => Some(Format::Tga),
        _ => None,
    }
}

/// Whether a file may be a tile by its name. A JPEG beside other tiles is a preview of them; a pattern may
/// still name it.
pub(crate) fn is_named_as_tile(path: &Path) -> bool {
    named(path).is_some_and(|format| format != Format::Jpeg)
}

/// A note if a file's name claims another format than it has.
pub(crate) fn misnamed(path: &Path, format: Format) -> Option<String> {
    let claimed = named(path).filter(|claimed| *claimed != format)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Some(format!("{file} is named as {} and read as {}", claimed.name(), format.name()))
}

fn unknown(path: &Path, start: &[u8]) -> ImportError {
    let wrong = WRONG_MAGICS.iter().find(|(magic, _)| start.starts_with(magic));
    let found = match (wrong, named(path)) {
        (Some((_, kind)), _) => (*kind).to_owned(),
        (None, Some(claimed)) => {
            let claimed = claimed.name();
            format!("a file named as {claimed} without the signature of {claimed}")
        }
        (None, None) if start.is_empty() => "an empty file".to_owned(),
        (None, None) => "a file of unknown format".to_owned(),
    };
    ImportError::new(path, Problem::UnknownFormat { found })
}
