//! JPEG, WebP, BMP and TGA: pictures of 8 bits a channel, decoded whole by the crate `image`.
//!
//! A picture has at most 2²⁶ pixels. They take up to 4 bytes each, and a decoder about 8 more while it
//! works; the file is held until then. Headers are checked before pixels are decoded, and against the length
//! of the file where the format has a greatest expansion (all but WebP, which holds one colour in no bits).
//!
//! PNG is not read here: `image` widens samples of 1 to 4 bits and replaces the numbers of a palette by
//! colours, which would change surfaces, ignores the checksum of the picture, and holds it whole.

pub(super) mod facts;

use std::error::Error;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use ::image::codecs::bmp::BmpDecoder;
use ::image::codecs::jpeg::JpegDecoder;
use ::image::codecs::tga::TgaDecoder;
use ::image::codecs::webp::WebPDecoder;
use ::image::metadata::Orientation;
use ::image::{ImageDecoder, ImageError, ImageResult, Limits};
use ::png::ColorType;

use self::facts::{Facts, Values};
use super::error::ImportError;
use super::options::Format;
use super::pixels::{PixelHeader, PixelRows};
use super::raster::{
    SIDE_SAMPLES_MAX, WHOLE_SAMPLES_MAX, check_plausible, check_size, check_whole,
};

/// Most bytes of a file: 4 for each pixel that a picture may have, and room for metadata.
const FILE_BYTES_MAX: u64 = 5 * WHOLE_SAMPLES_MAX;

/// Most bytes that a decoder may take.
const DECODER_BYTES_MAX: u64 = 12 * WHOLE_SAMPLES_MAX;

/// Delivers the rows of a picture, which is decoded with the first of them.
pub(crate) struct PictureRows {
    path: PathBuf,
    format: Format,
    header: PixelHeader,
    /// Whether values are numbers in the palette.
    indexed: bool,
    /// The file, until the picture is decoded.
    file: Vec<u8>,
    pixels: Vec<u8>,
    row: usize,
}

impl PictureRows {
    /// Opens a picture, and rejects what its values could not be read from.
    pub(crate) fn open(path: &Path, format: Format, values: Values) -> Result<Self, ImportError> {
        let file = read(path)?;
        let facts = Facts::of(path, format, &file, values)?;
        let damaged = |error| damaged(path, format, &error);
        let mut decoder = decoder(format, &file, facts.indexed).map_err(damaged)?;
        let (columns, rows) = decoder.dimensions();
        let (columns, rows) = check_size(path, columns.into(), rows.into())?;
        check_whole(path, columns, rows, &format!("a {}", format.name()))?;
        let file_bytes = file.len() as u64;
        let pixels = u64::from(columns) * u64::from(rows);
        check_plausible(path, (columns, rows), file_bytes, pixels, facts.pixels_per_byte_max)?;
        let colour = match decoder.color_type() {
            ::image::ColorType::L8 if facts.indexed => ColorType::Indexed,
            ::image::ColorType::L8 => ColorType::Grayscale,
            ::image::ColorType::La8 => ColorType::GrayscaleAlpha,
            ::image::ColorType::Rgb8 => ColorType::Rgb,
            ::image::ColorType::Rgba8 => ColorType::Rgba,
            other => {
                let found = format!("a {} of {other:?} pixels", format.name());
                return Err(ImportError::unsupported(path, found, "8 bits a channel"));
            }
        };
        let turned = decoder.orientation().map_err(damaged)? != Orientation::NoTransforms;
        drop(decoder);
        let header = PixelHeader {
            columns,
            rows,
            colour,
            bits: 8,
            transparent_gray: None,
            transparent_colour: false,
            lossy: facts.lossy,
            turned,
        };
        let path = path.to_owned();
        Ok(Self { path, format, header, indexed: facts.indexed, file, pixels: Vec::new(), row: 0 })
    }

    fn row_bytes(&self) -> usize {
        self.header.columns as usize * self.header.channels()
    }

    fn decode(&mut self) -> Result<(), ImportError> {
        let mut pixels = vec![0; self.row_bytes() * self.header.rows as usize];
        let decoder = decoder(self.format, &self.file, self.indexed);
        decoder
            .and_then(|decoder| decoder.read_image_boxed(&mut pixels))
            .map_err(|error| damaged(&self.path, self.format, &error))?;
        self.pixels = pixels;
        self.file = Vec::new();
        Ok(())
    }
}

impl PixelRows for PictureRows {
    fn header(&self) -> &PixelHeader {
        &self.header
    }

    fn next_row(&mut self) -> Result<&[u8], ImportError> {
        if self.pixels.is_empty() {
            self.decode()?;
        }
        let row_bytes = self.row_bytes();
        let row = self.pixels.chunks_exact(row_bytes).nth(self.row);
        self.row += 1;
        row.ok_or_else(|| ImportError::corrupt(&self.path, self.format.name(), "no more rows"))
    }

    fn restart(&mut self) -> Result<(), ImportError> {
        self.row = 0;
        Ok(())
    }
}

/// The bytes of a file, within the limit.
fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let mut file = Vec::new();
    File::open(path)
        .and_then(|input| input.take(FILE_BYTES_MAX + 1).read_to_end(&mut file))
        .map_err(|e| ImportError::io(path, "open", e))?;
    if file.len() as u64 > FILE_BYTES_MAX {
        let found = format!("a file of more than {FILE_BYTES_MAX} bytes");
        return Err(ImportError::unsupported(path, found, "a smaller image, or a PNG"));
    }
    Ok(file)
}

/// A decoder that has read the header.
fn decoder(format: Format, file: &[u8], indexed: bool) -> ImageResult<Box<dyn ImageDecoder + '_>> {
    let input = Cursor::new(file);
    let mut decoder: Box<dyn ImageDecoder + '_> = match format {
        Format::Jpeg => Box::new(JpegDecoder::new(input)?),
        Format::Webp => Box::new(WebPDecoder::new(input)?),
        Format::Bmp => {
            let mut decoder = BmpDecoder::new(input)?;
            decoder.set_indexed_color(indexed);
            Box::new(decoder)
        }
        _ => Box::new(TgaDecoder::new(input)?),
    };
    let side = u32::try_from(SIDE_SAMPLES_MAX).ok();
    let mut limits = Limits::no_limits();
    (limits.max_image_width, limits.max_image_height) = (side, side);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    decoder.set_limits(limits)?;
    Ok(decoder)
}

fn damaged(path: &Path, format: Format, error: &ImageError) -> ImportError {
    let what = match error {
        ImageError::IoError(e) if e.kind() == ErrorKind::UnexpectedEof => {
            "unexpected end of file".to_owned()
        }
        ImageError::Unsupported(e) => {
            return ImportError::unsupported(path, e.to_string(), "a plain image");
        }
        other => other.source().map_or_else(|| other.to_string(), ToString::to_string),
    };
    ImportError::corrupt(path, format.name(), what)
}
