//! PNG heights: gray of 1 to 16 bits, colours that are all gray, one channel, or heights packed into
//! colours. Gamma and colour profiles are not applied, because heights are not brightness.

use std::path::Path;

use ::png::ColorType;

use super::error::{ImportError, Problem};
use super::options::{Channel, Encoding, ImportOptions};
use super::png_rows::{PngHeader, PngRows};
use super::raster::{Raster, Row, RowReader, Samples, idle_channel};

/// Opens a PNG and decides which of its channels holds the heights.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let rows = PngRows::open(path)?;
    let header = rows.header().clone();
    let (columns, row_count, bits) = (header.columns, header.rows, header.bits);
    let mut notes = Vec::new();

    if header.colour == ColorType::Indexed {
        let found = "a palette PNG, whose values are colour numbers and not heights";
        return Err(ImportError::unsupported(path, found, "gray, or heights packed into colours"));
    }
    if header.transparent_colour && options.channel.is_none() {
        let found = "a PNG with a transparent colour (tRNS)";
        let expected = "an opaque image, or a channel given with `--channel`";
        return Err(ImportError::unsupported(path, found, expected));
    }
    if let Some(encoding) = options.encoding {
        check_packed(path, &header)?;
        if header.channels() == 4 && options.channel.is_none() {
            judge(path)?.refuse_alpha(path)?;
            notes.push("the alpha channel is opaque and is ignored".to_owned());
        }
        return Ok(Raster {
            columns,
            rows: row_count,
            samples: Samples::Real,
            reader: Box::new(PackedRows { rows, encoding, nodata: options.nodata, values: vec![] }),
            nodata: None,
            spacing: None,
            channel: Some(Channel::Red),
            notes,
            warnings: Vec::new(),
        });
    }

    let channel = match options.channel {
        Some(channel) => channel,
        None => gray_channel(path, &header, options, &mut notes)?,
    };
    let offset = channel_offset(path, &header, channel)?;
    let is_gray = matches!(header.colour, ColorType::Grayscale | ColorType::GrayscaleAlpha);
    let idle = if is_gray { idle_channel(options.channel) } else { None };
    Ok(Raster {
        columns,
        rows: row_count,
        samples: Samples::Unsigned { bits, metres: false },
        reader: Box::new(GrayRows { rows, offset, codes: vec![0; columns as usize] }),
        nodata: options.nodata,
        spacing: None,
        channel: Some(channel),
        notes,
        warnings: idle.into_iter().collect(),
    })
}

/// Checks that the picture has the three or four channels of 8 bits that packed heights need.
fn check_packed(path: &Path, header: &PngHeader) -> Result<(), ImportError> {
    if header.channels() >= 3 && header.bits == 8 {
        return Ok(());
    }
    let found = format!("{} channels of {} bits", header.channels(), header.bits);
    Err(ImportError::unsupported(path, found, "8-bit RGB for heights packed into colours"))
}

/// The channel to use if none was requested: the only one, or red if all are the same.
fn gray_channel(
    path: &Path,
    header: &PngHeader,
    options: &ImportOptions,
    notes: &mut Vec<String>,
) -> Result<Channel, ImportError> {
    if header.colour == ColorType::Grayscale {
        return match header.transparent_gray {
            Some(value) if options.nodata.is_none() => {
                Err(ImportError::new(path, Problem::Transparent { value }))
            }
            _ => Ok(Channel::Red),
        };
    }
    let judged = judge(path)?;
    judged.refuse_alpha(path)?;
    if judged.difference > judged.full_scale / 255 {
        return Err(ImportError::new(
            path,
            Problem::ColoursDiffer {
                greatest: judged.difference.into(),
                full_scale: judged.full_scale.into(),
                allowed: (judged.full_scale / 255).into(),
            },
        ));
    }
    if header.channels() >= 3 {
        notes.push(match judged.difference {
            0 => "colours are equal: taken as gray".to_owned(),
            difference => format!(
                "colours differ by at most {difference} of {}: taken as gray from the red channel",
                judged.full_scale
            ),
        });
    }
    if judged.least_alpha.is_some() {
        notes.push("the alpha channel is opaque and is ignored".to_owned());
    }
    Ok(Channel::Red)
}

/// Offset of a channel within a pixel.
fn channel_offset(path: &Path, header: &PngHeader, channel: Channel) -> Result<usize, ImportError> {
    let offset = match (header.colour, channel) {
        (ColorType::Rgb | ColorType::Rgba, Channel::Red) => Some(0),
        (ColorType::Rgb | ColorType::Rgba, Channel::Green) => Some(1),
        (ColorType::Rgb | ColorType::Rgba, Channel::Blue) => Some(2),
        (ColorType::Rgba, Channel::Alpha) => Some(3),
        (ColorType::GrayscaleAlpha, Channel::Alpha) => Some(1),
        (ColorType::Rgb | ColorType::Grayscale, Channel::Alpha) => None,
        _ => Some(0),
    };
    offset.ok_or_else(|| {
        let has = match header.colour {
            ColorType::Rgb => "r, g and b",
            _ => "gray alone",
        };
        let has = has.to_owned();
        ImportError::new(path, Problem::NoSuchChannel { wanted: channel.letter(), has })
    })
}

/// The results of a scan over every pixel.
struct Judged {
    /// Greatest difference between the colours of one pixel.
    difference: u16,
    /// Least alpha, if there is alpha.
    least_alpha: Option<u16>,
    full_scale: u16,
}

impl Judged {
    fn refuse_alpha(&self, path: &Path) -> Result<(), ImportError> {
        match self.least_alpha {
            Some(least) if least < self.full_scale => Err(ImportError::new(
                path,
                Problem::AlphaUsed { least: least.into(), full_scale: self.full_scale.into() },
            )),
            _ => Ok(()),
        }
    }
}

/// Reads the picture once, without keeping it, to find out whether its colours are gray and opaque.
fn judge(path: &Path) -> Result<Judged, ImportError> {
    let mut rows = PngRows::open(path)?;
    let header = rows.header().clone();
    let full_scale = if header.bits == 16 { u16::MAX } else { 255 };
    let has_alpha = matches!(header.colour, ColorType::Rgba | ColorType::GrayscaleAlpha);
    let mut judged =
        Judged { difference: 0, least_alpha: has_alpha.then_some(full_scale), full_scale };
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

/// One channel as codes.
struct GrayRows {
    rows: PngRows,
    /// Channels before the one that is read.
    offset: usize,
    codes: Vec<u16>,
}

impl RowReader for GrayRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        let (bits, channels) = (self.rows.header().bits, self.rows.header().channels());
        let bytes = self.rows.next_row()?;
        match (bits, channels) {
            (16, 1) => codes_from_words(bytes, &mut self.codes),
            (16, _) => {
                let pixels = bytes.chunks_exact(channels * 2);
                for (code, pixel) in self.codes.iter_mut().zip(pixels) {
                    *code =
                        u16::from_be_bytes([pixel[self.offset * 2], pixel[self.offset * 2 + 1]]);
                }
            }
            (8, _) => {
                let pixels = bytes.chunks_exact(channels);
                for (code, pixel) in self.codes.iter_mut().zip(pixels) {
                    *code = pixel[self.offset].into();
                }
            }
            _ => {
                for (column, code) in self.codes.iter_mut().enumerate() {
                    *code = packed_value(bytes, column, bits).into();
                }
            }
        }
        Ok(Row::Codes(&self.codes))
    }
}

fn codes_from_words(bytes: &[u8], codes: &mut [u16]) {
    for (code, word) in codes.iter_mut().zip(bytes.chunks_exact(2)) {
        *code = u16::from_be_bytes([word[0], word[1]]);
    }
}

/// The value of one pixel among several in a byte; the first one is in the highest bits.
pub(crate) fn packed_value(bytes: &[u8], column: usize, bits: u8) -> u8 {
    let per_byte = usize::from(8 / bits);
    let shift = 8 - usize::from(bits) * (column % per_byte + 1);
    let mask = u8::MAX >> (8 - bits);
    (bytes[column / per_byte] >> shift) & mask
}

/// Heights packed into colours, as metres.
struct PackedRows {
    rows: PngRows,
    encoding: Encoding,
    nodata: Option<f64>,
    values: Vec<f64>,
}

impl RowReader for PackedRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        let channels = self.rows.header().channels();
        let bytes = self.rows.next_row()?;
        self.values.clear();
        let (encoding, nodata) = (self.encoding, self.nodata);
        self.values.extend(bytes.chunks_exact(channels).map(|pixel| {
            let metres = unpacked(encoding, pixel[0], pixel[1], pixel[2]);
            if nodata == Some(metres) { f64::NAN } else { metres }
        }));
        Ok(Row::Values(&self.values))
    }
}

/// Metres of one packed height.
fn unpacked(encoding: Encoding, red: u8, green: u8, blue: u8) -> f64 {
    let [red, green, blue] = [red, green, blue].map(f64::from);
    match encoding {
        Encoding::Terrarium => red * 256.0 + green + blue / 256.0 - 32_768.0,
        Encoding::TerrainRgb => -10_000.0 + (red * 65_536.0 + green * 256.0 + blue) * 0.1,
    }
}
