//! The rows of a PNG as bytes, with every check that the format offers.
//!
//! Rows are decoded one at a time into one buffer. An interlaced picture has no complete rows until
//! the end, and is decoded whole, within a limit. The header is checked before anything is
//! allocated.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ::png::{ColorType, DecodeOptions, Decoder, DecodingError, Limits, Reader};

use super::error::ImportError;
use super::pixels::{PixelHeader, PixelRows};
use super::raster::{check_plausible, check_size, check_whole, open_file};

/// Delivers rows of packed big-endian samples, as PNG stores them.
pub(crate) struct PngRows {
    path: PathBuf,
    header: PixelHeader,
    reader: Reader<BufReader<File>>,
    rows_read: u32,
    row_bytes: usize,
    /// One row, or all of them if the picture is interlaced.
    bytes: Vec<u8>,
    interlaced: bool,
}

/// What the decoder may allocate in addition to the rows: its own row and the chunks it keeps.
const DECODER_BYTES_MAX: usize = 16 << 20;

/// Bytes read from the file at a time.
const READ_BYTES: usize = 128 << 10;

/// A deflate stream expands at most 1032 times (zlib's technical notes: 258 bytes from 2 bits).
const DEFLATE_EXPANSION_MAX: u64 = 1032;

impl PngRows {
    /// Opens a picture, and rejects headers that the file's length cannot support.
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        let (file, file_bytes) = open_file(path)?;

        let mut checks = DecodeOptions::default();
        checks.set_ignore_checksums(false);
        checks.set_skip_ancillary_crc_failures(false);
        checks.set_ignore_text_chunk(true);
        checks.set_ignore_iccp_chunk(true);
        let input = BufReader::with_capacity(READ_BYTES, file);
        let mut decoder = Decoder::new_with_options(input, checks);
        decoder.set_limits(Limits { bytes: DECODER_BYTES_MAX });

        let info = decoder.read_header_info().map_err(|e| damaged(path, e))?;
        let (columns, rows) = check_size(path, info.width.into(), info.height.into())?;
        let row_bits = u64::from(columns)
            * u64::from(info.bit_depth as u8)
            * u64::from(u8::try_from(info.color_type.samples()).unwrap_or(u8::MAX));
        let row_bytes = row_bits.div_ceil(8);
        // Filter bytes are not counted, because the passes of an interlaced picture have different
        // rows.
        let need = row_bytes * u64::from(rows);
        check_plausible(path, (columns, rows), file_bytes, need, DEFLATE_EXPANSION_MAX)?;
        let interlaced = info.interlaced;
        if interlaced {
            check_whole(path, columns, rows, "an interlaced PNG")?;
        }

        let reader = decoder.read_info().map_err(|e| damaged(path, e))?;
        let info = reader.info();
        if info.animation_control.is_some() || info.frame_control.is_some() {
            return Err(ImportError::unsupported(path, "an animated PNG", "a single image"));
        }
        let transparent_gray = match (info.color_type, info.trns.as_deref()) {
            (ColorType::Grayscale, Some([high, low])) => Some(u16::from_be_bytes([*high, *low])),
            // The decoder keeps only the low byte if samples have no more bits.
            (ColorType::Grayscale, Some([low])) => Some((*low).into()),
            (ColorType::Grayscale, Some(other)) => {
                let what = format!("tRNS holds {} bytes, expected 2", other.len());
                return Err(ImportError::corrupt(path, "PNG", what));
            }
            _ => None,
        };
        let header = PixelHeader {
            columns,
            rows,
            colour: info.color_type,
            bits: info.bit_depth as u8,
            transparent_gray,
            transparent_colour: info.trns.is_some() && transparent_gray.is_none(),
            lossy: None,
            turned: false,
        };
        let row_bytes = usize::try_from(row_bytes).unwrap_or(usize::MAX);
        let bytes = if interlaced { Vec::new() } else { vec![0; row_bytes] };
        let path = path.to_owned();
        Ok(Self { path, header, reader, rows_read: 0, row_bytes, bytes, interlaced })
    }

    fn read_whole(&mut self) -> Result<(), ImportError> {
        self.bytes = vec![0; self.row_bytes * self.header.rows as usize];
        self.reader.next_frame(&mut self.bytes).map_err(|e| damaged(&self.path, e))?;
        self.reader.finish().map_err(|e| damaged(&self.path, e))
    }
}

impl PixelRows for PngRows {
    fn header(&self) -> &PixelHeader {
        &self.header
    }

    fn next_row(&mut self) -> Result<&[u8], ImportError> {
        if self.rows_read >= self.header.rows {
            return Err(ImportError::corrupt(&self.path, "PNG", "no more rows"));
        }
        let row = self.rows_read as usize;
        self.rows_read += 1;
        if self.interlaced {
            if row == 0 {
                self.read_whole()?;
            }
            return Ok(&self.bytes[row * self.row_bytes..][..self.row_bytes]);
        }
        match self.reader.read_row(&mut self.bytes) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(ImportError::corrupt(&self.path, "PNG", "rows are missing")),
            Err(e) => return Err(damaged(&self.path, e)),
        }
        if self.rows_read == self.header.rows {
            self.reader.finish().map_err(|e| damaged(&self.path, e))?;
        }
        Ok(&self.bytes)
    }

    fn restart(&mut self) -> Result<(), ImportError> {
        *self = Self::open(&self.path)?;
        Ok(())
    }
}

fn damaged(path: &Path, error: DecodingError) -> ImportError {
    match error {
        DecodingError::IoError(e) => ImportError::read(path, "PNG", e),
        other => ImportError::corrupt(path, "PNG", other.to_string()),
    }
}
