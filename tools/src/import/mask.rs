//! Masks: a picture of holes, or of surface ids, one value for each cell or sample.

use std::path::{Path, PathBuf};

use ::png::ColorType;
use marchland_terrain::bake::{CellSource, RowOrder, SourceError};

use super::error::{ImportError, Problem};
use super::formats::{self, PICTURES_EXPECTED};
use super::options::Format;
use super::picture::facts::Values;
use super::pixels::{PixelRows, judge, packed_value};

/// The meaning of a mask's values. A value is a gray of 1 to 8 bits, or the red of 8-bit colours that are
/// all gray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskKind {
    /// White is a hole: 1 if the value stretched to 8 bits is at least 128, otherwise 0.
    Holes,
    /// The value itself, or the number in the palette, is the surface.
    Surfaces,
}

/// An open mask.
pub struct Mask {
    /// The values, row by row.
    pub cells: Box<dyn CellSource>,
    /// Decisions made on the way.
    pub notes: Vec<String>,
    /// The file that is read.
    pub file: PathBuf,
}

/// Opens a picture as a mask.
///
/// # Errors
/// If the file is missing, damaged, not a picture, or of a kind whose values could be misread.
pub fn open_mask(path: &Path, kind: MaskKind, flip_y: bool) -> Result<Mask, ImportError> {
    let format = formats::detect(path, Format::Auto).map_err(|error| match error.problem {
        Problem::UnknownFormat { found } => {
            ImportError::unsupported(path, found, PICTURES_EXPECTED)
        }
        _ => error,
    })?;
    let values = match kind {
        MaskKind::Holes => Values::Shades,
        MaskKind::Surfaces => Values::Numbers,
    };
    let mut rows = formats::open_pixels(path, format, values)?;
    let header = rows.header().clone();
    let mut notes: Vec<_> = formats::misnamed(path, format).into_iter().collect();
    match (header.lossy, kind) {
        (Some(format), MaskKind::Surfaces) => {
            let wanted = "surface numbers";
            return Err(ImportError::new(path, Problem::Lossy { format, wanted }));
        }
        (Some(format), MaskKind::Holes) => notes.push(format!(
            "the compression of {format} changes values: near the edge of a hole a cell may fall on the \
             other side"
        )),
        (None, _) => {}
    }
    match (header.colour, header.bits, kind) {
        (ColorType::Grayscale, 1..=8, _) => {}
        (ColorType::Indexed, _, MaskKind::Surfaces) => {
            notes.push("a palette image: the palette index is the surface number".to_owned());
        }
        (ColorType::GrayscaleAlpha | ColorType::Rgb | ColorType::Rgba, 8, _)
            if !header.transparent_colour =>
        {
            notes.push(check_gray(path, rows.as_mut(), kind)?);
        }
        (colour, bits, _) => {
            let found = format!("a mask of {bits}-bit {}", colour_name(colour));
            return Err(ImportError::unsupported(path, found, expected(kind)));
        }
    }
    if header.transparent_gray.is_some() {
        notes.push("transparency (tRNS) is ignored".to_owned());
    }
    notes.extend(header.turned_warning());
    let values = vec![0; header.columns as usize];
    let cells = Box::new(MaskRows { rows, kind, flip_y, values });
    Ok(Mask { cells, notes, file: path.to_owned() })
}

/// Checks that colours are gray and opaque: shades may differ by one, as where a decoder rounds, numbers not.
/// Returns a note.
fn check_gray(
    path: &Path,
    rows: &mut dyn PixelRows,
    kind: MaskKind,
) -> Result<String, ImportError> {
    let judged = judge(rows)?;
    let allowed = u16::from(kind == MaskKind::Holes);
    let found = match judged.least_alpha {
        _ if judged.difference > allowed => {
            format!("a mask whose colours differ by up to {} of 255", judged.difference)
        }
        Some(least @ 0..=254) => format!("a mask whose least alpha is {least} of 255"),
        _ => return Ok("colours are equal and opaque: taken as gray".to_owned()),
    };
    Err(ImportError::unsupported(path, found, expected(kind)))
}

fn expected(kind: MaskKind) -> &'static str {
    match kind {
        MaskKind::Holes => "opaque gray of 1 to 8 bits, white at holes",
        MaskKind::Surfaces => {
            "opaque gray or palette of 1 to 8 bits, with surface numbers as values"
        }
    }
}

fn colour_name(colour: ColorType) -> &'static str {
    match colour {
        ColorType::Grayscale => "gray",
        ColorType::GrayscaleAlpha => "gray with alpha",
        ColorType::Indexed => "palette",
        ColorType::Rgb => "RGB",
        ColorType::Rgba => "RGBA",
    }
}

struct MaskRows {
    rows: Box<dyn PixelRows>,
    kind: MaskKind,
    flip_y: bool,
    values: Vec<u8>,
}

impl CellSource for MaskRows {
    fn columns(&self) -> u32 {
        self.rows.header().columns
    }

    fn rows(&self) -> u32 {
        self.rows.header().rows
    }

    fn order(&self) -> RowOrder {
        if self.flip_y { RowOrder::SouthFirst } else { RowOrder::NorthFirst }
    }

    fn next_row(&mut self) -> Result<&[u8], SourceError> {
        let (bits, channels) = (self.rows.header().bits, self.rows.header().channels());
        let bytes = self.rows.next_row().map_err(SourceError::new)?;
        for (column, value) in self.values.iter_mut().enumerate() {
            let stored = packed_value(bytes, column * channels, bits);
            *value = match self.kind {
                MaskKind::Surfaces => stored,
                // The upper half of the values of any bit depth corresponds to 128 or more in 8
                // bits.
                MaskKind::Holes => stored >> (bits - 1),
            };
        }
        Ok(&self.values)
    }
}
