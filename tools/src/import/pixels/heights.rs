//! Heights of pictures: gray of 1 to 16 bits, colours that are all gray, one channel, or heights packed
//! into colours. Gamma and colour profiles are not applied, because heights are not brightness.

use std::path::Path;

use ::png::ColorType;

use super::{PixelHeader, PixelRows, PixelVerdict, judge, packed_value};
use crate::import::error::{ImportError, Problem};
use crate::import::options::{Channel, Encoding, ImportOptions};
use crate::import::raster::{Raster, Row, RowReader, Samples};

/// Decides which channel of an open picture holds the heights.
pub(crate) fn open(
    path: &Path,
    mut rows: Box<dyn PixelRows>,
    options: &ImportOptions,
) -> Result<Raster, ImportError> {
    let header = rows.header().clone();
    let (size, bits) = ((header.columns, header.rows), header.bits);
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
            refuse_alpha(path, &judge(rows.as_mut())?)?;
            notes.push("the alpha channel is opaque and is ignored".to_owned());
        }
        let reader = PackedRows { rows, encoding, nodata: options.nodata, values: vec![] };
        let raster = Raster::new(size, Samples::Real, reader);
        let warnings = header.turned_warning().into_iter().collect();
        return Ok(Raster { channel: Some(Channel::Red), notes, warnings, ..raster });
    }

    let channel = match options.channel {
        Some(channel) => channel,
        None => gray_channel(path, rows.as_mut(), options, &mut notes)?,
    };
    let offset = channel_offset(path, &header, channel)?;
    let is_gray = matches!(header.colour, ColorType::Grayscale | ColorType::GrayscaleAlpha);
    let idle = if is_gray { idle_channel(options.channel) } else { None };
    let lossy = header.lossy.map(|format| {
        format!("the compression of {format} changes heights by a few steps; PNG keeps them")
    });
    let reader = GrayRows { rows, offset, codes: vec![0; size.0 as usize] };
    let samples = Samples::Unsigned { bits, metres: false };
    let warnings = [idle, lossy, header.turned_warning()].into_iter().flatten().collect();
    let (nodata, channel) = (options.nodata, Some(channel));
    Ok(Raster { nodata, channel, notes, warnings, ..Raster::new(size, samples, reader) })
}

/// Checks that the picture has the three or four channels of 8 bits that packed heights need.
fn check_packed(path: &Path, header: &PixelHeader) -> Result<(), ImportError> {
    if let Some(format) = header.lossy {
        let wanted = "heights packed into colours";
        return Err(ImportError::new(path, Problem::Lossy { format, wanted }));
    }
    if header.channels() >= 3 && header.bits == 8 {
        return Ok(());
    }
    let found = format!("{} channels of {} bits", header.channels(), header.bits);
    Err(ImportError::unsupported(path, found, "8-bit RGB for heights packed into colours"))
}

/// The channel to use if none was requested: the only one, or red if all are the same.
fn gray_channel(
    path: &Path,
    rows: &mut dyn PixelRows,
    options: &ImportOptions,
    notes: &mut Vec<String>,
) -> Result<Channel, ImportError> {
    let header = rows.header().clone();
    if header.colour == ColorType::Grayscale {
        return match header.transparent_gray {
            Some(value) if options.nodata.is_none() => {
                Err(ImportError::new(path, Problem::Transparent { value }))
            }
            _ => Ok(Channel::Red),
        };
    }
    let judged = judge(rows)?;
    refuse_alpha(path, &judged)?;
    let allowed = judged.full_scale / 255;
    if judged.difference > allowed {
        let [greatest, full_scale, allowed] =
            [judged.difference, judged.full_scale, allowed].map(f64::from);
        let problem = Problem::ColoursDiffer { greatest, full_scale, allowed };
        return Err(ImportError::new(path, problem));
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
fn channel_offset(
    path: &Path,
    header: &PixelHeader,
    channel: Channel,
) -> Result<usize, ImportError> {
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
            ColorType::Rgb => "r, g and b".to_owned(),
            _ => "gray alone".to_owned(),
        };
        ImportError::new(path, Problem::NoSuchChannel { wanted: channel.letter(), has })
    })
}

/// A note if a channel was requested by colour and the picture has only one gray channel.
fn idle_channel(channel: Option<Channel>) -> Option<String> {
    let channel = channel.filter(|channel| matches!(channel, Channel::Green | Channel::Blue))?;
    Some(format!("--channel {} has no effect on a gray image", channel.letter()))
}

fn refuse_alpha(path: &Path, judged: &PixelVerdict) -> Result<(), ImportError> {
    match judged.least_alpha {
        Some(least) if least < judged.full_scale => {
            let [least, full_scale] = [least, judged.full_scale].map(f64::from);
            Err(ImportError::new(path, Problem::AlphaUsed { least, full_scale }))
        }
        _ => Ok(()),
    }
}

/// One channel as codes.
struct GrayRows {
    rows: Box<dyn PixelRows>,
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

/// Heights packed into colours, as metres.
struct PackedRows {
    rows: Box<dyn PixelRows>,
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
