//! Rows of pixels, of a PNG or of another picture, and what can be said of their colours.

pub(super) mod heights;

use ::png::ColorType;

use super::error::ImportError;

/// The header of a picture.
#[derive(Clone, Debug)]
pub(crate) struct PixelHeader {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) colour: ColorType,
    /// Bits of a sample: 1, 2, 4, 8 or 16.
    pub(crate) bits: u8,
    /// The gray value marked as transparent.
    pub(crate) transparent_gray: Option<u16>,
    /// Transparency of a palette or of an RGB colour.
    pub(crate) transparent_colour: bool,
    /// The name of the format, if its compression changes values.
    pub(crate) lossy: Option<&'static str>,
    /// Whether the file asks for the picture to be turned when it is shown.
    pub(crate) turned: bool,
}

impl PixelHeader {
    /// Channels of a pixel.
    pub(crate) fn channels(&self) -> usize {
        self.colour.samples()
    }

    /// A warning about a picture that others show turned.
    pub(crate) fn turned_warning(&self) -> Option<String> {
        let text =
            "the orientation that its metadata asks for is ignored: the first row stored is north";
        self.turned.then(|| text.to_owned())
    }
}

/// Delivers rows of packed big-endian samples, as PNG stores them.
pub(crate) trait PixelRows: Send {
    fn header(&self) -> &PixelHeader;

    /// The next row. With the last one, the file is checked to its end.
    fn next_row(&mut self) -> Result<&[u8], ImportError>;

    /// Begins again with the first row.
    fn restart(&mut self) -> Result<(), ImportError>;
}

/// The results of a scan over every pixel.
pub(crate) struct PixelVerdict {
    /// Greatest difference between the colours of one pixel.
    pub(crate) difference: u16,
    /// Least alpha, if there is alpha.
    pub(crate) least_alpha: Option<u16>,
    pub(crate) full_scale: u16,
}

/// Reads the picture once, without keeping it, to find out whether its colours are gray and opaque.
pub(crate) fn judge(rows: &mut dyn PixelRows) -> Result<PixelVerdict, ImportError> {
    let header = rows.header().clone();
    let full_scale = if header.bits == 16 { u16::MAX } else { 255 };
    let has_alpha = matches!(header.colour, ColorType::Rgba | ColorType::GrayscaleAlpha);
    let mut judged =
        PixelVerdict { difference: 0, least_alpha: has_alpha.then_some(full_scale), full_scale };
    let pixel_bytes = header.channels() * usize::from(header.bits / 8);
    for _ in 0..header.rows {
        let row = rows.next_row()?;
        for pixel in row.chunks_exact(pixel_bytes) {
            let (samples, len) = samples_of(pixel, header.bits);
            let colours = if has_alpha { len - 1 } else { len };
            let (mut least, mut greatest) = (u16::MAX, 0);
            for &sample in &samples[..colours] {
                least = least.min(sample);
                greatest = greatest.max(sample);
            }
            judged.difference = judged.difference.max(greatest - least);
            if let Some(alpha) = &mut judged.least_alpha {
                *alpha = (*alpha).min(samples[colours]);
            }
        }
    }
    rows.restart()?;
    Ok(judged)
}

/// The samples of a pixel, and how many there are.
fn samples_of(pixel: &[u8], bits: u8) -> ([u16; 4], usize) {
    let mut samples = [0; 4];
    if bits == 16 {
        for (sample, bytes) in samples.iter_mut().zip(pixel.chunks_exact(2)) {
            *sample = u16::from_be_bytes([bytes[0], bytes[1]]);
        }
        return (samples, pixel.len() / 2);
    }
    for (sample, &byte) in samples.iter_mut().zip(pixel) {
        *sample = byte.into();
    }
    (samples, pixel.len())
}

/// The value of one pixel among several in a byte; the first one is in the highest bits.
pub(crate) fn packed_value(bytes: &[u8], column: usize, bits: u8) -> u8 {
    let per_byte = usize::from(8 / bits);
    let shift = 8 - usize::from(bits) * (column % per_byte + 1);
    let mask = u8::MAX >> (8 - bits);
    (bytes[column / per_byte] >> shift) & mask
}
