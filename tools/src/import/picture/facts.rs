//! What a picture is apart from its pixels, which the crate `image` does not tell: whether values are those
//! that were painted, whether the file is whole, and how many pixels its bytes can hold.

use std::path::Path;

use crate::import::error::ImportError;
use crate::import::options::Format;

/// What the values of a picture stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Shades of gray: heights, or what is dark and what is light.
    Shades,
    /// Numbers: what is read must be what was stored.
    Numbers,
}

/// What is known of a file.
pub(crate) struct Facts {
    /// The name of the format, if its compression changes values.
    pub(crate) lossy: Option<&'static str>,
    /// Whether to read numbers in the palette in place of colours.
    pub(crate) indexed: bool,
    /// Most pixels that one byte of the file can hold.
    pub(crate) pixels_per_byte_max: u64,
}

impl Facts {
    /// Looks at a file, and rejects what the decoder would read as other values.
    pub(crate) fn of(
        path: &Path,
        format: Format,
        file: &[u8],
        values: Values,
    ) -> Result<Self, ImportError> {
        let mut facts = Self { lossy: None, indexed: false, pixels_per_byte_max: u64::MAX };
        match format {
            Format::Jpeg => {
                if !is_whole_jpeg(file) {
                    return Err(ImportError::corrupt(path, "JPEG", "unexpected end of file"));
                }
                facts.lossy = Some("JPEG");
                // A block of 8 × 8 takes at least a bit.
                facts.pixels_per_byte_max = 512;
            }
            Format::Webp => {
                if has_chunk(file, *b"ANMF") || has_chunk(file, *b"ANIM") {
                    let (found, expected) = ("an animated WebP", "a single image");
                    return Err(ImportError::unsupported(path, found, expected));
                }
                facts.lossy = has_chunk(file, *b"VP8 ").then_some("lossy WebP");
            }
            Format::Bmp => {
                let (bits, compression) = bmp_layout(file);
                if bits == 16 {
                    return Err(fewer_bits(path, "a BMP"));
                }
                let is_plain = bits >= 8 && !matches!(compression, 1 | 2);
                if values == Values::Numbers && !is_plain {
                    let found = "a BMP whose palette numbers are packed or compressed";
                    return Err(ImportError::unsupported(path, found, "a BMP of 8 or 24 bits"));
                }
                facts.indexed = values == Values::Numbers && bits == 8;
                // A run of up to 255 pixels takes two bytes.
                facts.pixels_per_byte_max = 128;
            }
            _ => {
                let byte = |at: usize| file.get(at).copied().unwrap_or(0);
                let (kind, bits) = (byte(2), byte(16));
                if !matches!(kind, 1..=3 | 9..=11) {
                    let what = format!("image type {kind}, expected 1 to 3 or 9 to 11");
                    return Err(ImportError::corrupt(path, "TGA", what));
                }
                if matches!(kind, 2 | 10) && bits <= 16 {
                    return Err(fewer_bits(path, "a TGA"));
                }
                if matches!(kind, 1 | 9) && values == Values::Numbers {
                    let found = "a TGA with a palette, of which only colours are read";
                    return Err(ImportError::unsupported(path, found, "gray, or a palette PNG"));
                }
                // A run of up to 128 pixels takes two bytes.
                facts.pixels_per_byte_max = 64;
            }
        }
        Ok(facts)
    }
}

fn fewer_bits(path: &Path, found: &str) -> ImportError {
    ImportError::unsupported(path, format!("{found} of 16 bits a pixel"), "8 bits a channel")
}

/// Whether the segments of a JPEG lead to the marker of its end: the decoder paints gray what is missing.
fn is_whole_jpeg(file: &[u8]) -> bool {
    let mut rest = file.get(2..).unwrap_or_default();
    loop {
        rest = match rest {
            [0xff, 0xd9, ..] => return true,
            // Pixels: 0xff is followed by 0 or by the number of a restart.
            [0xff, 0x00 | 0x01 | 0xd0..=0xd8, after @ ..] => after,
            [0xff, 0xff, ..] => &rest[1..],
            [0xff, _, high, low, ..] => {
                let len = usize::from(u16::from_be_bytes([*high, *low]));
                match rest.get(2 + len..) {
                    Some(after) => after,
                    None => return false,
                }
            }
            [0xff, ..] | [] => return false,
            [_, after @ ..] => after,
        }
    }
}

/// Whether a WebP has a chunk of this name.
fn has_chunk(file: &[u8], wanted: [u8; 4]) -> bool {
    let mut rest = file.get(12..).unwrap_or_default();
    while let Some((name, after)) = rest.split_first_chunk()
        && let Some((len, after)) = after.split_first_chunk()
    {
        if *name == wanted {
            return true;
        }
        let len = u32::from_le_bytes(*len);
        let padded = usize::try_from(u64::from(len) + u64::from(len % 2)).unwrap_or(usize::MAX);
        rest = after.get(padded..).unwrap_or_default();
    }
    false
}

/// Bits of a pixel, and the number of the compression.
fn bmp_layout(file: &[u8]) -> (u16, u16) {
    let word = |at: usize| match file.get(at..at + 2) {
        Some([low, high]) => u16::from_le_bytes([*low, *high]),
        _ => 0,
    };
    // The oldest header has 12 bytes.
    if word(14) == 12 { (word(24), 0) } else { (word(28), word(30)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_jpeg_is_not_found_in_the_preview_within_it() {
        let preview = [0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9];
        let scan = [0xff, 0xda, 0, 3, 7, 1, 2, 0xff, 0, 3, 0xff, 0xd3, 0xff, 0xff, 0xd9];
        let file = [&[0xff, 0xd8][..], &preview, &scan].concat();
        assert!(is_whole_jpeg(&file));
        for len in 0..file.len() {
            assert!(!is_whole_jpeg(&file[..len]), "{len} bytes");
        }
    }
}
