//! TIFF and GeoTIFF: strips or tiles, read one band of them at a time. Values are metres.
//!
//! ```text
//!            chunks across (1 for strips)
//!          ┌──────┬──────┬────┐
//! band 0   │ 0    │ 1    │ 2  │   a band is decoded whole, its rows are then handed out;
//!          ├──────┼──────┼────┤   a band too large for that is read row by row, if it is
//! band 1   │ 3    │ 4    │ 5  │   not compressed
//! ```

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ::tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use ::tiff::tags::{ByteOrder, Tag};
use ::tiff::{ColorType, TiffError};

use super::error::{ImportError, Problem};
use super::options::{Channel, ImportOptions};
use super::raster::{Raster, Row, RowReader, Samples, WHOLE_SAMPLES_MAX, check_size};
use super::raw::{open_file, refuse_infinite};
use super::tiff_tags;

/// Most bytes of a band that is decoded whole although its rows could be read one by one.
const BAND_BYTES_MAX: u64 = 16 << 20;

/// A compressed chunk expands at most so many times: LZW's longest string from 12 bits, rounded up.
const EXPANSION_MAX: u64 = 4096;

const UNCOMPRESSED: u16 = 1;

/// Opens a TIFF.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let (file, file_bytes) = open_file(path)?;
    let mut decoder = Decoder::new(BufReader::new(file)).map_err(|e| damaged(path, e))?;
    let layout = Layout::read(path, &mut decoder, file_bytes, options.channel)?;
    let samples = layout.kind.samples();
    let nodata = options.nodata.or_else(|| tiff_tags::nodata(&mut decoder));
    let geo = tiff_tags::georeference(&mut decoder, layout.rows);
    let mut warnings = Vec::new();
    let orientation = decoder.find_tag_unsigned::<u16>(Tag::Orientation).ok().flatten();
    if let Some(turned @ 2..) = orientation {
        warnings.push(format!("orientation {turned} is not applied: the first row is north"));
    }
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(WHOLE_SAMPLES_MAX * 8).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let (columns, rows) = (layout.columns, layout.rows);
    let reader = TiffRows {
        path: path.to_owned(),
        decoder: decoder.with_limits(limits),
        layout,
        nodata,
        row: 0,
        band: Vec::new(),
        bytes: Vec::new(),
        codes: Vec::new(),
        values: Vec::new(),
    };
    Ok(Raster {
        columns,
        rows,
        samples,
        reader: Box::new(reader),
        nodata,
        spacing: geo.spacing,
        channel: options.channel,
        notes: geo.notes,
        warnings,
    })
}

/// What one sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    F64,
}

impl Kind {
    fn samples(self) -> Samples {
        match self {
            Self::U8 => Samples::Unsigned { bits: 8, metres: true },
            Self::U16 => Samples::Unsigned { bits: 16, metres: true },
            Self::I16 => Samples::Signed16,
            _ => Samples::Real,
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// How samples lie in the file.
struct Layout {
    columns: u32,
    rows: u32,
    kind: Kind,
    /// Samples of a pixel that lie side by side, and which of them is read.
    stride: usize,
    channel: usize,
    chunk_columns: u32,
    chunk_rows: u32,
    chunks_across: u32,
    /// Index of the first chunk: channels may lie in planes one after the other.
    first_chunk: u32,
    /// Where each chunk begins, if rows are to be read one by one.
    direct: Option<(ByteOrder, Vec<u64>)>,
}

impl Layout {
    fn read<R: Read + Seek>(
        path: &Path,
        decoder: &mut Decoder<R>,
        file_bytes: u64,
        channel: Option<Channel>,
    ) -> Result<Self, ImportError> {
        let fault = |e| damaged(path, e);
        let (columns, rows) = decoder.dimensions().map_err(fault)?;
        let (columns, rows) = check_size(path, columns.into(), rows.into())?;
        let tag = |decoder: &mut Decoder<R>, tag, default: u16| {
            decoder.find_tag_unsigned(tag).map(|v| v.unwrap_or(default)).map_err(fault)
        };
        let photometric = tag(decoder, Tag::PhotometricInterpretation, 1)?;
        if photometric == 0 || photometric == 3 {
            let found = if photometric == 0 { "white for 0" } else { "a palette" };
            let found = format!("a TIFF with {found}");
            return Err(ImportError::unsupported(path, found, "plain values, black for 0"));
        }
        let colour = decoder.colortype().map_err(fault)?;
        let kind = kind(path, decoder, colour)?;
        let (sample_count, channel) = choose_channel(path, colour, channel)?;
        let is_planar = tag(decoder, Tag::PlanarConfiguration, 1)? == 2;
        let compression = tag(decoder, Tag::Compression, UNCOMPRESSED)?;

        let tiled = decoder.get_chunk_type() == ChunkType::Tile;
        if !tiled && decoder.strip_count().map_err(fault)? == 0 {
            return Err(ImportError::corrupt(path, "TIFF", "it has no strips"));
        }
        let (chunk_columns, chunk_rows) = decoder.chunk_dimensions();
        if chunk_columns == 0 || chunk_rows == 0 {
            return Err(ImportError::corrupt(path, "TIFF", "its tiles have no size"));
        }
        let chunk_rows = if tiled { chunk_rows } else { chunk_rows.min(rows) };
        let (offsets_tag, lengths_tag) = match tiled {
            true => (Tag::TileOffsets, Tag::TileByteCounts),
            false => (Tag::StripOffsets, Tag::StripByteCounts),
        };
        let offsets: Vec<u64> = decoder.get_tag_u64_vec(offsets_tag).map_err(fault)?;
        let lengths: Vec<u64> = decoder.get_tag_u64_vec(lengths_tag).map_err(fault)?;
        let chunks_across = columns.div_ceil(chunk_columns);
        let chunks_per_plane = u64::from(chunks_across) * u64::from(rows.div_ceil(chunk_rows));
        let planes = if is_planar { u64::try_from(sample_count).unwrap_or(u64::MAX) } else { 1 };
        let chunks = chunks_per_plane.saturating_mul(planes);
        if offsets.len() as u64 != chunks || lengths.len() as u64 != chunks {
            let what = format!("{} chunks listed, {chunks} expected", offsets.len());
            return Err(ImportError::corrupt(path, "TIFF", what));
        }
        if offsets.contains(&0) || lengths.contains(&0) {
            let found = "a sparse TIFF, with chunks left out";
            return Err(ImportError::unsupported(path, found, "a TIFF with all its chunks"));
        }

        let stride = if is_planar { 1 } else { sample_count };
        let pixel_bytes = kind.bytes() * stride as u64;
        let expansion = if compression == UNCOMPRESSED { 1 } else { EXPANSION_MAX };
        let image_bytes = u64::from(columns) * u64::from(rows) * pixel_bytes;
        if image_bytes > file_bytes.saturating_mul(expansion) {
            let (columns, rows) = (columns.into(), rows.into());
            let problem = Problem::Implausible { columns, rows, file_bytes };
            return Err(ImportError::new(path, problem));
        }
        let band_columns = u64::from(chunks_across) * u64::from(chunk_columns);
        let band_samples =
            band_columns.saturating_mul(chunk_rows.into()).saturating_mul(stride as u64);
        let is_large = band_samples.saturating_mul(kind.bytes()) > BAND_BYTES_MAX;
        let is_plain = compression == UNCOMPRESSED && tag(decoder, Tag::Predictor, 1)? == 1;
        if band_samples > WHOLE_SAMPLES_MAX && !is_plain {
            let limit = format!("compressed strips or tiles of at most {WHOLE_SAMPLES_MAX}");
            let (columns, rows) = (columns.into(), rows.into());
            return Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }));
        }
        let plane = if is_planar { channel as u64 } else { 0 };
        Ok(Self {
            columns,
            rows,
            kind,
            stride,
            channel: if is_planar { 0 } else { channel },
            chunk_columns,
            chunk_rows,
            chunks_across,
            first_chunk: u32::try_from(chunks_per_plane * plane).unwrap_or(u32::MAX),
            direct: (is_large && is_plain).then(|| (decoder.byte_order(), offsets)),
        })
    }

    /// Columns of the picture in a chunk of a band; the last one may be narrower.
    fn columns_in(&self, across: u32) -> usize {
        let left = across * self.chunk_columns;
        self.chunk_columns.min(self.columns - left) as usize
    }
}

/// The kind of sample, where it is one that holds heights.
fn kind<R: Read + Seek>(
    path: &Path,
    decoder: &mut Decoder<R>,
    colour: ColorType,
) -> Result<Kind, ImportError> {
    let formats = decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat);
    let format = formats.ok().flatten().and_then(|f| f.first().copied()).unwrap_or(1);
    match (format, colour.bit_depth()) {
        (1, 8) => Ok(Kind::U8),
        (2, 8) => Ok(Kind::I8),
        (1, 16) => Ok(Kind::U16),
        (2, 16) => Ok(Kind::I16),
        (1, 32) => Ok(Kind::U32),
        (2, 32) => Ok(Kind::I32),
        (3, 32) => Ok(Kind::F32),
        (3, 64) => Ok(Kind::F64),
        (format, bits) => {
            let found = format!("TIFF samples of {bits} bits (sample format {format})");
            let expected = "whole numbers of 8, 16 or 32 bits, or floats of 32 or 64";
            Err(ImportError::unsupported(path, found, expected))
        }
    }
}

/// How many samples a pixel has, and which of them holds the heights.
fn choose_channel(
    path: &Path,
    colour: ColorType,
    channel: Option<Channel>,
) -> Result<(usize, usize), ImportError> {
    let count = usize::from(colour.num_samples());
    let wanted = match (channel, count) {
        (None | Some(Channel::Red), 1) => return Ok((1, 0)),
        (None, _) => return Err(ImportError::new(path, Problem::ManyChannels { count })),
        (Some(Channel::Red), _) => 0,
        (Some(Channel::Green), _) => 1,
        (Some(Channel::Blue), _) => 2,
        (Some(Channel::Alpha), 2) => 1,
        (Some(Channel::Alpha), _) => 3,
    };
    if wanted < count {
        return Ok((count, wanted));
    }
    let wanted = channel.map_or("r", Channel::letter);
    Err(ImportError::new(path, Problem::NoSuchChannel { wanted, has: format!("{count}") }))
}

/// Rows of a TIFF.
struct TiffRows {
    path: PathBuf,
    decoder: Decoder<BufReader<File>>,
    layout: Layout,
    nodata: Option<f64>,
    row: u32,
    /// The chunks of the current band, west to east.
    band: Vec<DecodingResult>,
    bytes: Vec<u8>,
    codes: Vec<u16>,
    values: Vec<f64>,
}

impl RowReader for TiffRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        let row = self.row;
        if row >= self.layout.rows {
            return Err(ImportError::corrupt(&self.path, "TIFF", "it has no more rows"));
        }
        self.row += 1;
        self.codes.clear();
        self.values.clear();
        let (band, row_in_band) = (row / self.layout.chunk_rows, row % self.layout.chunk_rows);
        if self.layout.direct.is_some() {
            self.read_row(band, row_in_band)?;
        } else {
            if row_in_band == 0 {
                self.decode_band(band)?;
            }
            self.take_row(row_in_band as usize);
        }
        if self.codes.len().max(self.values.len()) != self.layout.columns as usize {
            return Err(ImportError::corrupt(&self.path, "TIFF", "a row is too short"));
        }
        if self.layout.kind.samples() != Samples::Real {
            return Ok(Row::Codes(&self.codes));
        }
        refuse_infinite(&self.path, &self.values, row)?;
        Ok(Row::Values(&self.values))
    }
}

impl TiffRows {
    fn decode_band(&mut self, band: u32) -> Result<(), ImportError> {
        self.band.clear();
        let first = self.layout.first_chunk + band * self.layout.chunks_across;
        for across in 0..self.layout.chunks_across {
            let chunk = self.decoder.read_chunk(first + across);
            self.band.push(chunk.map_err(|e| damaged(&self.path, e))?);
        }
        Ok(())
    }

    /// Takes one row out of the chunks of a band.
    fn take_row(&mut self, row_in_band: usize) {
        for (across, chunk) in (0..).zip(&self.band) {
            let width = self.layout.columns_in(across) * self.layout.stride;
            let range = row_in_band * width..(row_in_band + 1) * width;
            let (stride, channel) = (self.layout.stride, self.layout.channel);
            let nodata = self.nodata;
            let out = &mut self.values;
            match chunk {
                DecodingResult::U8(all) => {
                    let row = all.get(range).unwrap_or_default();
                    self.codes
                        .extend(row.iter().skip(channel).step_by(stride).map(|&v| u16::from(v)));
                }
                DecodingResult::U16(all) => {
                    let row = all.get(range).unwrap_or_default();
                    self.codes.extend(row.iter().skip(channel).step_by(stride));
                }
                DecodingResult::I16(all) => {
                    let row = all.get(range).unwrap_or_default();
                    let row = row.iter().skip(channel).step_by(stride);
                    self.codes.extend(row.map(|v| v.cast_unsigned()));
                }
                DecodingResult::I8(all) => {
                    take(all.get(range), stride, channel, out, |v| void_or(f64::from(v), nodata));
                }
                DecodingResult::U32(all) => {
                    take(all.get(range), stride, channel, out, |v| void_or(f64::from(v), nodata));
                }
                DecodingResult::I32(all) => {
                    take(all.get(range), stride, channel, out, |v| void_or(f64::from(v), nodata));
                }
                DecodingResult::F32(all) => {
                    take(all.get(range), stride, channel, out, |v| float_or_void(v, nodata));
                }
                DecodingResult::F64(all) => {
                    take(all.get(range), stride, channel, out, |v| void_or(v, nodata));
                }
                _ => {}
            }
        }
    }

    /// Reads one row straight from the file.
    fn read_row(&mut self, band: u32, row_in_band: u32) -> Result<(), ImportError> {
        let layout = &self.layout;
        let Some((order, offsets)) = &layout.direct else { return Ok(()) };
        let pixel_bytes = layout.kind.bytes() * layout.stride as u64;
        let row_bytes = u64::from(layout.chunk_columns) * pixel_bytes;
        for across in 0..layout.chunks_across {
            let chunk = layout.first_chunk + band * layout.chunks_across + across;
            let start = offsets.get(chunk as usize).copied().unwrap_or(u64::MAX);
            let start = start.saturating_add(u64::from(row_in_band) * row_bytes);
            let len = layout.columns_in(across) as u64 * pixel_bytes;
            self.bytes.resize(usize::try_from(len).unwrap_or(0), 0);
            let input = self.decoder.inner();
            let read =
                input.seek(SeekFrom::Start(start)).and_then(|_| input.read_exact(&mut self.bytes));
            read.map_err(|e| ImportError::read(&self.path, "TIFF", e))?;

            let sample_bytes = usize::try_from(layout.kind.bytes()).unwrap_or(1);
            let samples = self.bytes.chunks_exact(sample_bytes);
            for sample in samples.skip(layout.channel).step_by(layout.stride) {
                let mut little = [0; 8];
                little[..sample_bytes].copy_from_slice(sample);
                if *order == ByteOrder::BigEndian {
                    little[..sample_bytes].reverse();
                }
                let [a, b, c, d, ..] = little;
                let (word, long) = (u16::from_le_bytes([a, b]), [a, b, c, d]);
                let value = match layout.kind {
                    Kind::U8 | Kind::U16 | Kind::I16 => {
                        self.codes.push(word);
                        continue;
                    }
                    Kind::I8 => void_or(a.cast_signed().into(), self.nodata),
                    Kind::U32 => void_or(u32::from_le_bytes(long).into(), self.nodata),
                    Kind::I32 => void_or(i32::from_le_bytes(long).into(), self.nodata),
                    Kind::F32 => float_or_void(f32::from_le_bytes(long), self.nodata),
                    Kind::F64 => void_or(f64::from_le_bytes(little), self.nodata),
                };
                self.values.push(value);
            }
        }
        Ok(())
    }
}

fn take<T: Copy>(
    row: Option<&[T]>,
    stride: usize,
    channel: usize,
    out: &mut Vec<f64>,
    value: impl Fn(T) -> f64,
) {
    let row = row.unwrap_or_default();
    out.extend(row.iter().skip(channel).step_by(stride).map(|&v| value(v)));
}

fn void_or(value: f64, nodata: Option<f64>) -> f64 {
    if nodata == Some(value) { f64::NAN } else { value }
}

/// Compared as 32-bit floats: a decimal like −3.4028234663852886e+38 is none until it is rounded.
fn float_or_void(value: f32, nodata: Option<f64>) -> f64 {
    if nodata.is_some_and(|v| v as f32 == value) { f64::NAN } else { value.into() }
}

fn damaged(path: &Path, error: TiffError) -> ImportError {
    match error {
        TiffError::IoError(e) => match e.kind() {
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
                ImportError::corrupt(path, "TIFF", e.to_string())
            }
            _ => ImportError::read(path, "TIFF", e),
        },
        TiffError::UnsupportedError(e) => ImportError::unsupported(
            path,
            e.to_string(),
            "a plain or tiled TIFF of whole numbers or floats",
        ),
        other => ImportError::corrupt(path, "TIFF", other.to_string()),
    }
}
