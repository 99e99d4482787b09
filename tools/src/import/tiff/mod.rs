//! TIFF and GeoTIFF: strips or tiles, read one band of them at a time. Values are metres.
//!
//! ```text
//!            chunks across (1 for strips)
//!          ┌──────┬──────┬────┐
//! band 0   │ 0    │ 1    │ 2  │   a band is decoded whole, its rows are then handed out;
//!          ├──────┼──────┼────┤   a band too large for that is read row by row, if it is
//! band 1   │ 3    │ 4    │ 5  │   not compressed
//! ```

pub(super) mod layout;
pub(super) mod tags;

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ::tiff::decoder::{Decoder, DecodingResult, Limits};
use ::tiff::tags::{ByteOrder, Tag};

use self::layout::{Kind, Layout, TiffDecoder, damaged};
use super::error::ImportError;
use super::options::ImportOptions;
use super::raster::{
    Raster, Row, RowReader, Samples, WHOLE_SAMPLES_MAX, open_file, refuse_infinite,
};

/// Opens a TIFF.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let (file, file_bytes) = open_file(path)?;
    let mut decoder = Decoder::new(BufReader::new(file)).map_err(|e| damaged(path, e))?;
    let layout = Layout::read(path, &mut decoder, file_bytes, options.channel)?;
    let samples = layout.kind.samples();
    let nodata = options.nodata.or_else(|| tags::nodata(&mut decoder));
    let (spacing, notes) = match tags::spacing(&mut decoder, layout.rows) {
        Ok(spacing) => (spacing, Vec::new()),
        Err(note) => (None, vec![note]),
    };
    let mut warnings = Vec::new();
    let orientation = decoder.find_tag_unsigned::<u16>(Tag::Orientation).ok().flatten();
    if let Some(turned @ 2..) = orientation {
        warnings.push(format!("orientation {turned} is ignored: the first row is taken as north"));
    }
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(WHOLE_SAMPLES_MAX * 8).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let size = (layout.columns, layout.rows);
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
    let raster = Raster::new(size, samples, reader);
    Ok(Raster { nodata, spacing, channel: options.channel, notes, warnings, ..raster })
}

/// Rows of a TIFF.
struct TiffRows {
    path: PathBuf,
    decoder: TiffDecoder,
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
            return Err(ImportError::corrupt(&self.path, "TIFF", "no more rows"));
        }
        self.row += 1;
        self.codes.clear();
        self.values.clear();
        let (band, row_in_band) = (row / self.layout.chunks.rows, row % self.layout.chunks.rows);
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
        let first = self.layout.first_chunk + band * self.layout.chunks.across;
        for across in 0..self.layout.chunks.across {
            let chunk = self.decoder.read_chunk(first + across);
            self.band.push(chunk.map_err(|e| damaged(&self.path, e))?);
        }
        Ok(())
    }

    /// Extracts one row from the chunks of a band.
    fn take_row(&mut self, row_in_band: usize) {
        for (across, chunk) in (0..).zip(&self.band) {
            let width = self.layout.columns_in(across) * self.layout.stride;
            let range = row_in_band * width..(row_in_band + 1) * width;
            let (stride, channel) = (self.layout.stride, self.layout.channel);
            let place = (range, channel, stride);
            let (codes, values, nodata) = (&mut self.codes, &mut self.values, self.nodata);
            match chunk {
                DecodingResult::U8(all) => take(all, place, codes, u16::from),
                DecodingResult::U16(all) => take(all, place, codes, |v| v),
                DecodingResult::I16(all) => take(all, place, codes, i16::cast_unsigned),
                DecodingResult::I8(all) => take(all, place, values, |v| void_or(v.into(), nodata)),
                DecodingResult::U32(all) => take(all, place, values, |v| void_or(v.into(), nodata)),
                DecodingResult::I32(all) => take(all, place, values, |v| void_or(v.into(), nodata)),
                DecodingResult::F32(all) => take(all, place, values, |v| float_or_void(v, nodata)),
                DecodingResult::F64(all) => take(all, place, values, |v| void_or(v, nodata)),
                _ => {}
            }
        }
    }

    /// Reads one row directly from the file.
    fn read_row(&mut self, band: u32, row_in_band: u32) -> Result<(), ImportError> {
        let layout = &self.layout;
        let Some((order, offsets)) = &layout.direct else { return Ok(()) };
        let pixel_bytes = layout.kind.bytes() * layout.stride as u64;
        let row_bytes = u64::from(layout.chunks.columns) * pixel_bytes;
        for across in 0..layout.chunks.across {
            let chunk = layout.first_chunk + band * layout.chunks.across + across;
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

/// Takes one channel of a row; the row is a range of a chunk.
fn take<T: Copy, V>(
    chunk: &[T],
    (row, channel, stride): (Range<usize>, usize, usize),
    out: &mut Vec<V>,
    value: impl Fn(T) -> V,
) {
    let row = chunk.get(row).unwrap_or_default();
    out.extend(row.iter().skip(channel).step_by(stride).map(|&v| value(v)));
}

fn void_or(value: f64, nodata: Option<f64>) -> f64 {
    if nodata == Some(value) { f64::NAN } else { value }
}

/// Compared as 32-bit floats: a decimal like −3.4028234663852886e+38 equals no `f32` until it is rounded.
fn float_or_void(value: f32, nodata: Option<f64>) -> f64 {
    if nodata.is_some_and(|v| v as f32 == value) { f64::NAN } else { value.into() }
}
