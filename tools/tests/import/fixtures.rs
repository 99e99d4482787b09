//! Files for the tests, and sources read to their end.

use std::fs;
use std::path::{Path, PathBuf};

use marchland_terrain::bake::{HeightRow, HeightSource, RowOrder, SourceError};
use marchland_tools::import::{
    Endian, HeightRange, ImportError, ImportOptions, Problem, Source, open,
};

/// Metres = value: for files whose values are compared as they are stored.
pub(crate) fn as_stored() -> ImportOptions {
    ImportOptions {
        range: Some(HeightRange::ScaleOffset { scale: 1.0, offset: 0.0 }),
        ..ImportOptions::default()
    }
}

/// A source read to its end, row 0 first as delivered.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) metres: Vec<f64>,
    pub(crate) order: RowOrder,
}

impl Grid {
    pub(crate) fn at(&self, column: usize, row: usize) -> f64 {
        self.metres[row * self.columns + column]
    }

    /// To compare voids as well.
    pub(crate) fn bits(&self) -> Vec<u64> {
        self.metres.iter().map(|m| m.to_bits()).collect()
    }
}

pub(crate) fn read(source: &mut dyn HeightSource) -> Result<Grid, SourceError> {
    let (columns, rows) = (source.columns() as usize, source.rows() as usize);
    let table = source.code_metres().map(<[f64]>::to_vec);
    let mut metres = Vec::new();
    for _ in 0..rows {
        match source.next_row()? {
            HeightRow::Codes(codes) => {
                let table = table.as_ref().expect("codes come with a table");
                metres.extend(codes.iter().map(|&code| table[usize::from(code)]));
            }
            HeightRow::Metres(row) => metres.extend_from_slice(row),
        }
        assert_eq!(metres.len() % columns, 0, "a row of another length");
    }
    Ok(Grid { columns, rows, metres, order: source.order() })
}

/// Opens and reads to the end; a failure on the way is the same as one at the door.
pub(crate) fn grid(path: &Path, options: &ImportOptions) -> Result<Grid, ImportError> {
    let mut source = open(path, options)?;
    read(source.heights.as_mut()).map_err(|e| {
        *e.into_inner().downcast::<ImportError>().expect("rows fail with an import error")
    })
}

pub(crate) fn opened(path: &Path, options: &ImportOptions) -> (Source, Grid) {
    let mut source = open(path, options).expect("opens");
    let grid = read(source.heights.as_mut()).expect("reads");
    (source, grid)
}

pub(crate) fn problem(path: &Path, options: &ImportOptions) -> Problem {
    grid(path, options).expect_err("is refused").problem
}

/// A folder that is removed when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    }
}

/// PNG colour types by their numbers in the header.
pub(crate) const GRAY: u8 = 0;
pub(crate) const RGB: u8 = 2;
pub(crate) const PALETTE: u8 = 3;
pub(crate) const GRAY_ALPHA: u8 = 4;
pub(crate) const RGBA: u8 = 6;

/// What a PNG is made of. Samples lie pixel by pixel, row by row.
pub(crate) struct Png<'a> {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) colour: u8,
    pub(crate) bits: u8,
    pub(crate) interlaced: bool,
    /// Chunks between header and picture.
    pub(crate) extra: &'a [(&'a [u8; 4], &'a [u8])],
    pub(crate) samples: &'a [u16],
}

impl Png<'_> {
    pub(crate) fn channels(&self) -> usize {
        match self.colour {
            RGB => 3,
            GRAY_ALPHA => 2,
            RGBA => 4,
            _ => 1,
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        png_of(self.header(), self.extra, &zlib_stored(&self.scan_lines()))
    }

    pub(crate) fn header(&self) -> [u8; 13] {
        png_header(self.columns, self.rows, self.bits, self.colour, self.interlaced)
    }

    /// Rows with their filter bytes (none), pass by pass.
    pub(crate) fn scan_lines(&self) -> Vec<u8> {
        let passes: &[(usize, usize, usize, usize)] = if self.interlaced {
            &[
                (0, 0, 8, 8),
                (4, 0, 8, 8),
                (0, 4, 4, 8),
                (2, 0, 4, 4),
                (0, 2, 2, 4),
                (1, 0, 2, 2),
                (0, 1, 1, 2),
            ]
        } else {
            &[(0, 0, 1, 1)]
        };
        let (columns, rows) = (self.columns as usize, self.rows as usize);
        let mut lines = Vec::new();
        for &(x, y, across, down) in passes {
            if x >= columns {
                continue;
            }
            for row in (y..rows).step_by(down) {
                lines.push(0);
                let pixels = (x..columns).step_by(across).map(|column| row * columns + column);
                let channels = self.channels();
                let samples: Vec<u16> = pixels
                    .flat_map(|pixel| &self.samples[pixel * channels..][..channels])
                    .copied()
                    .collect();
                pack(&samples, self.bits, &mut lines);
            }
        }
        lines
    }
}

fn pack(samples: &[u16], bits: u8, out: &mut Vec<u8>) {
    match bits {
        16 => out.extend(samples.iter().flat_map(|s| s.to_be_bytes())),
        8 => out.extend(samples.iter().map(|&s| s as u8)),
        _ => {
            for group in samples.chunks(usize::from(8 / bits)) {
                let mut byte = 0;
                for (index, &sample) in group.iter().enumerate() {
                    byte |= (sample as u8) << (8 - bits as usize * (index + 1));
                }
                out.push(byte);
            }
        }
    }
}

pub(crate) fn gray16(columns: u32, rows: u32, samples: &[u16]) -> Vec<u8> {
    Png { columns, rows, colour: GRAY, bits: 16, interlaced: false, extra: &[], samples }.bytes()
}

pub(crate) fn gray8(columns: u32, rows: u32, samples: &[u16]) -> Vec<u8> {
    Png { columns, rows, colour: GRAY, bits: 8, interlaced: false, extra: &[], samples }.bytes()
}

pub(crate) fn png_header(
    columns: u32,
    rows: u32,
    bits: u8,
    colour: u8,
    interlaced: bool,
) -> [u8; 13] {
    let mut header = [0; 13];
    header[..4].copy_from_slice(&columns.to_be_bytes());
    header[4..8].copy_from_slice(&rows.to_be_bytes());
    header[8..].copy_from_slice(&[bits, colour, 0, 0, u8::from(interlaced)]);
    header
}

/// A PNG from its header, other chunks, and the compressed picture.
pub(crate) fn png_of(header: [u8; 13], extra: &[(&[u8; 4], &[u8])], zlib: &[u8]) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    for (name, data) in extra {
        chunk(&mut png, **name, data);
    }
    chunk(&mut png, *b"IDAT", zlib);
    chunk(&mut png, *b"IEND", &[]);
    png
}

pub(crate) fn chunk(png: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend(name);
    png.extend(data);
    let sum = crc32(&png[start..]);
    png.extend(sum.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

/// A zlib stream that is not compressed.
pub(crate) fn zlib_stored(bytes: &[u8]) -> Vec<u8> {
    let mut zlib = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        zlib.push(u8::from(blocks.peek().is_none()));
        let len = block.len() as u16;
        zlib.extend(len.to_le_bytes());
        zlib.extend((!len).to_le_bytes());
        zlib.extend(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in bytes {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    zlib.extend((high << 16 | low).to_be_bytes());
    zlib
}

pub(crate) fn words(endian: Endian, samples: &[u16]) -> Vec<u8> {
    let bytes = |sample: &u16| match endian {
        Endian::Little => sample.to_le_bytes(),
        Endian::Big => sample.to_be_bytes(),
    };
    samples.iter().flat_map(bytes).collect()
}

pub(crate) fn floats(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// Values without a pattern that a mistaken row or column would repeat.
pub(crate) fn scatter(index: usize) -> u16 {
    (index as u32).wrapping_mul(2_654_435_761).rotate_right(11) as u16
}
