//! The layout of the samples in a TIFF, checked before any of them is read.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ::tiff::decoder::{ChunkType, Decoder};
use ::tiff::tags::{ByteOrder, Tag};
use ::tiff::{ColorType, TiffError};

use crate::import::error::{ImportError, Problem};
use crate::import::options::Channel;
use crate::import::raster::{Samples, WHOLE_SAMPLES_MAX, check_plausible, check_size};

/// Most bytes of a band that is decoded whole although its rows could be read one by one.
const BAND_BYTES_MAX: u64 = 16 << 20;

/// Greatest expansion of a compressed chunk: LZW's longest string from 12 bits, rounded up.
const EXPANSION_MAX: u64 = 4096;

const UNCOMPRESSED: u16 = 1;
const OLD_JPEG: u16 = 6;
const JPEG: u16 = 7;

/// What reads the file.
pub(crate) type TiffDecoder = Decoder<BufReader<File>>;

/// The type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    pub(crate) fn samples(self) -> Samples {
        match self {
            Self::U8 => Samples::Unsigned { bits: 8, metres: true },
            Self::U16 => Samples::Unsigned { bits: 16, metres: true },
            Self::I16 => Samples::Signed16,
            _ => Samples::Real,
        }
    }

    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// How samples lie in the file.
pub(crate) struct Layout {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) kind: Kind,
    /// Interleaved samples of a pixel, and which of them is read.
    pub(crate) stride: usize,
    pub(crate) channel: usize,
    pub(crate) chunks: ChunkGrid,
    /// Index of the first chunk: channels may lie in consecutive planes.
    pub(crate) first_chunk: u32,
    /// Offset of each chunk, if rows are read one by one.
    pub(crate) direct: Option<(ByteOrder, Vec<u64>)>,
}

/// How the picture is cut into strips or tiles.
pub(crate) struct ChunkGrid {
    tiled: bool,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) across: u32,
    /// Number of chunks that hold the whole picture once.
    per_plane: u64,
}

impl Layout {
    pub(crate) fn read(
        path: &Path,
        decoder: &mut TiffDecoder,
        file_bytes: u64,
        channel: Option<Channel>,
    ) -> Result<Self, ImportError> {
        let (columns, rows) = decoder.dimensions().map_err(|e| damaged(path, e))?;
        let (columns, rows) = check_size(path, columns.into(), rows.into())?;
        refuse_inverted(path, decoder)?;
        let colour = decoder.colortype().map_err(|e| damaged(path, e))?;
        let kind = kind(path, decoder, colour)?;
        let (sample_count, channel) = choose_channel(path, colour, channel)?;
        let is_planar = tag(path, decoder, Tag::PlanarConfiguration, 1)? == 2;
        let compression = tag(path, decoder, Tag::Compression, UNCOMPRESSED)?;
        refuse_lossy(path, compression)?;

        let chunks = ChunkGrid::read(path, decoder, columns, rows)?;
        let planes = if is_planar { u64::try_from(sample_count).unwrap_or(u64::MAX) } else { 1 };
        let offsets = check_tables(path, decoder, &chunks, planes)?;

        let plane = if is_planar { channel as u64 } else { 0 };
        let mut layout = Self {
            columns,
            rows,
            kind,
            stride: if is_planar { 1 } else { sample_count },
            channel: if is_planar { 0 } else { channel },
            first_chunk: u32::try_from(chunks.per_plane * plane).unwrap_or(u32::MAX),
            chunks,
            direct: None,
        };
        if layout.check_sizes(path, decoder, compression == UNCOMPRESSED, file_bytes)? {
            layout.direct = Some((decoder.byte_order(), offsets));
        }
        Ok(layout)
    }

    /// Columns of the picture in a chunk of a band; the last one may be narrower.
    pub(crate) fn columns_in(&self, across: u32) -> usize {
        let left = across * self.chunks.columns;
        self.chunks.columns.min(self.columns - left) as usize
    }

    /// Whether rows are read one by one, without the decoder. Rejects a file too small for its picture
    /// and a band too large for memory.
    fn check_sizes(
        &self,
        path: &Path,
        decoder: &mut TiffDecoder,
        is_uncompressed: bool,
        file_bytes: u64,
    ) -> Result<bool, ImportError> {
        let (columns, rows) = (u64::from(self.columns), u64::from(self.rows));
        let pixel_bytes = self.kind.bytes() * self.stride as u64;
        let expansion = if is_uncompressed { 1 } else { EXPANSION_MAX };
        let (size, need) = ((self.columns, self.rows), columns * rows * pixel_bytes);
        check_plausible(path, size, file_bytes, need, expansion)?;
        let chunks = &self.chunks;
        let band_columns = u64::from(chunks.across) * u64::from(chunks.columns);
        let band_pixels = band_columns.saturating_mul(chunks.rows.into());
        let band_samples = band_pixels.saturating_mul(self.stride as u64);
        let is_large = band_samples.saturating_mul(self.kind.bytes()) > BAND_BYTES_MAX;
        let is_plain = is_uncompressed && tag(path, decoder, Tag::Predictor, 1)? == 1;
        if band_samples > WHOLE_SAMPLES_MAX && !is_plain {
            let limit =
                format!("compressed strips or tiles of at most {WHOLE_SAMPLES_MAX} samples");
            return Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }));
        }
        Ok(is_large && is_plain)
    }
}

impl ChunkGrid {
    fn read(
        path: &Path,
        decoder: &mut TiffDecoder,
        columns: u32,
        rows: u32,
    ) -> Result<Self, ImportError> {
        let tiled = decoder.get_chunk_type() == ChunkType::Tile;
        if !tiled && decoder.strip_count().map_err(|e| damaged(path, e))? == 0 {
            return Err(ImportError::corrupt(path, "TIFF", "no strips"));
        }
        // Read by tag: the decoder's own method panics if a side exceeds 32 bits.
        let side = |decoder: &mut TiffDecoder, tag, default| {
            let found = decoder.find_tag_unsigned::<u32>(tag).map_err(|e| damaged(path, e))?;
            Ok::<u32, ImportError>(found.unwrap_or(default))
        };
        let (chunk_columns, chunk_rows) = match tiled {
            true => (side(decoder, Tag::TileWidth, 0)?, side(decoder, Tag::TileLength, 0)?),
            false => (columns, side(decoder, Tag::RowsPerStrip, rows)?),
        };
        if chunk_columns == 0 || chunk_rows == 0 {
            return Err(ImportError::corrupt(path, "TIFF", "strips or tiles of size 0"));
        }
        let chunk_rows = if tiled { chunk_rows } else { chunk_rows.min(rows) };
        let across = columns.div_ceil(chunk_columns);
        let per_plane = u64::from(across) * u64::from(rows.div_ceil(chunk_rows));
        Ok(Self { tiled, columns: chunk_columns, rows: chunk_rows, across, per_plane })
    }
}

fn tag(path: &Path, decoder: &mut TiffDecoder, tag: Tag, default: u16) -> Result<u16, ImportError> {
    let found = decoder.find_tag_unsigned(tag).map_err(|e| damaged(path, e))?;
    Ok(found.unwrap_or(default))
}

fn refuse_inverted(path: &Path, decoder: &mut TiffDecoder) -> Result<(), ImportError> {
    let found = match tag(path, decoder, Tag::PhotometricInterpretation, 1)? {
        0 => "a TIFF in which 0 is white",
        3 => "a TIFF with a palette",
        _ => return Ok(()),
    };
    Err(ImportError::unsupported(path, found, "plain values, in which 0 is black"))
}

fn refuse_lossy(path: &Path, compression: u16) -> Result<(), ImportError> {
    if compression == JPEG || compression == OLD_JPEG {
        let found = "a TIFF with JPEG compression, which does not preserve heights";
        return Err(ImportError::unsupported(path, found, "no or lossless compression"));
    }
    Ok(())
}

/// Offset of each chunk, if the file lists all of them.
fn check_tables(
    path: &Path,
    decoder: &mut TiffDecoder,
    grid: &ChunkGrid,
    planes: u64,
) -> Result<Vec<u64>, ImportError> {
    let (offsets_tag, lengths_tag) = match grid.tiled {
        true => (Tag::TileOffsets, Tag::TileByteCounts),
        false => (Tag::StripOffsets, Tag::StripByteCounts),
    };
    let offsets: Vec<u64> = decoder.get_tag_u64_vec(offsets_tag).map_err(|e| damaged(path, e))?;
    let lengths: Vec<u64> = decoder.get_tag_u64_vec(lengths_tag).map_err(|e| damaged(path, e))?;
    let chunks = grid.per_plane.saturating_mul(planes);
    if offsets.len() as u64 != chunks || lengths.len() as u64 != chunks {
        let what = format!("{} chunks listed, expected {chunks}", offsets.len());
        return Err(ImportError::corrupt(path, "TIFF", what));
    }
    if offsets.contains(&0) || lengths.contains(&0) {
        let found = "a sparse TIFF, in which chunks are missing";
        return Err(ImportError::unsupported(path, found, "a TIFF with all its chunks"));
    }
    Ok(offsets)
}

/// The type of sample, if it can hold heights.
fn kind(path: &Path, decoder: &mut TiffDecoder, colour: ColorType) -> Result<Kind, ImportError> {
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
            let expected = "whole numbers of 8, 16 or 32 bits, or floats of 32 or 64 bits";
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
    Err(ImportError::new(path, Problem::NoSuchChannel { wanted, has: format!("{count} in all") }))
}

/// What an error of the decoder is to the user.
pub(crate) fn damaged(path: &Path, error: TiffError) -> ImportError {
    match error {
        TiffError::IoError(e) => match e.kind() {
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
                ImportError::corrupt(path, "TIFF", e.to_string())
            }
            _ => ImportError::read(path, "TIFF", e),
        },
        TiffError::UnsupportedError(e) => {
            let expected = "a TIFF with strips or tiles of whole numbers or floats";
            ImportError::unsupported(path, e.to_string(), expected)
        }
        other => ImportError::corrupt(path, "TIFF", other.to_string()),
    }
}
