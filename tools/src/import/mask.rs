//! Masks: a picture of holes, or of surface ids, one value for each cell or sample.

use std::path::{Path, PathBuf};

use ::png::ColorType;
use marchland_terrain::bake::{CellSource, RowOrder, SourceError};

use super::error::ImportError;
use super::png::packed_value;
use super::png_rows::PngRows;

/// The meaning of a mask's values.
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

/// Opens a PNG as a mask.
///
/// # Errors
/// If the file is missing, damaged, not a PNG, or of a kind whose values could be misread.
pub fn open_mask(path: &Path, kind: MaskKind, flip_y: bool) -> Result<Mask, ImportError> {
    let rows = PngRows::open(path)?;
    let header = rows.header();
    let mut notes = Vec::new();
    match (header.colour, header.bits, kind) {
        (ColorType::Grayscale, 1..=8, _) => {}
        (ColorType::Indexed, _, MaskKind::Surfaces) => {
            notes.push("a palette image: the palette index is the surface number".to_owned());
        }
        (colour, bits, _) => {
            let found = format!("a mask of {bits}-bit {}", colour_name(colour));
            let expected = match kind {
                MaskKind::Holes => "gray of 1 to 8 bits, white at holes",
                MaskKind::Surfaces => {
                    "gray or palette of 1 to 8 bits, with surface numbers as values"
                }
            };
            return Err(ImportError::unsupported(path, found, expected));
        }
    }
    if header.transparent_gray.is_some() {
        notes.push("transparency (tRNS) is ignored".to_owned());
    }
    let values = vec![0; header.columns as usize];
    let cells = Box::new(MaskRows { rows, kind, flip_y, values });
    Ok(Mask { cells, notes, file: path.to_owned() })
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
    rows: PngRows,
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
        let bits = self.rows.header().bits;
        let bytes = self.rows.next_row().map_err(SourceError::new)?;
        for (column, value) in self.values.iter_mut().enumerate() {
            let stored = packed_value(bytes, column, bits);
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
