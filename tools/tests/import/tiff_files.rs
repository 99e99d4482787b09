//! TIFF files of every layout, made by hand.

use crate::fixtures::{scatter, zlib_stored};

/// What a TIFF is made of.
pub(crate) struct Tiff<'a> {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    /// Bits of a sample and its format: 1 unsigned, 2 signed, 3 float.
    pub(crate) bits: u16,
    pub(crate) format: u16,
    pub(crate) samples_per_pixel: u16,
    pub(crate) is_planar: bool,
    pub(crate) is_big_endian: bool,
    pub(crate) is_deflated: bool,
    pub(crate) chunk: Chunks,
    /// Tag, type and values of further tags.
    pub(crate) extra: &'a [(u16, Value<'a>)],
    pub(crate) value: &'a dyn Fn(u32, u32, u16) -> f64,
}

#[derive(Clone, Copy)]
pub(crate) enum Chunks {
    Strips { rows: u32 },
    Tiles { columns: u32, rows: u32 },
}

#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Shorts(&'a [u16]),
    Longs(&'a [u32]),
    Doubles(&'a [f64]),
}

impl Default for Tiff<'_> {
    fn default() -> Self {
        Self {
            columns: 7,
            rows: 5,
            bits: 32,
            format: 3,
            samples_per_pixel: 1,
            is_planar: false,
            is_big_endian: false,
            is_deflated: false,
            chunk: Chunks::Strips { rows: 2 },
            extra: &[],
            value: &|column, row, channel| {
                f64::from(scatter((row * 7 + column) as usize) % 100) + 1000.0 * f64::from(channel)
            },
        }
    }
}

impl Tiff<'_> {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.is_big_endian { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
        bytes.extend([0; 4]);
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        let (chunk_columns, chunk_rows, is_padded) = match self.chunk {
            Chunks::Strips { rows } => (self.columns, rows, false),
            Chunks::Tiles { columns, rows } => (columns, rows, true),
        };
        let (planes, per_pixel) = match self.is_planar {
            true => (self.samples_per_pixel, 1),
            false => (1, self.samples_per_pixel),
        };
        for plane in 0..planes {
            for top in (0..self.rows).step_by(chunk_rows as usize) {
                for left in (0..self.columns).step_by(chunk_columns as usize) {
                    let mut data = Vec::new();
                    for row in top..top + chunk_rows {
                        if row >= self.rows && !is_padded {
                            break;
                        }
                        for column in left..left + chunk_columns {
                            for channel in plane..plane + per_pixel {
                                let inside = column < self.columns && row < self.rows;
                                let value =
                                    if inside { (self.value)(column, row, channel) } else { 77.0 };
                                self.sample(value, &mut data);
                            }
                        }
                    }
                    let data = if self.is_deflated { zlib_stored(&data) } else { data };
                    offsets.push(bytes.len() as u32);
                    lengths.push(data.len() as u32);
                    bytes.extend(data);
                }
            }
        }
        self.directory(&mut bytes, &offsets, &lengths);
        bytes
    }

    fn sample(&self, value: f64, out: &mut Vec<u8>) {
        let mut little = match (self.format, self.bits) {
            (1, 8) => vec![value as u8],
            (2, 8) => (value as i8).to_le_bytes().to_vec(),
            (1, 16) => (value as u16).to_le_bytes().to_vec(),
            (2, 16) => (value as i16).to_le_bytes().to_vec(),
            (1, 32) => (value as u32).to_le_bytes().to_vec(),
            (2, 32) => (value as i32).to_le_bytes().to_vec(),
            (3, 32) => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        if self.is_big_endian {
            little.reverse();
        }
        out.extend(little);
    }

    fn directory(&self, bytes: &mut Vec<u8>, offsets: &[u32], lengths: &[u32]) {
        let bits = vec![self.bits; self.samples_per_pixel.into()];
        let formats = vec![self.format; self.samples_per_pixel.into()];
        let compression = [if self.is_deflated { 8 } else { 1 }];
        let photometric = [if self.samples_per_pixel >= 3 { 2 } else { 1 }];
        let (columns, rows) = ([self.columns], [self.rows]);
        let mut tags = vec![
            (256, Value::Longs(&columns)),
            (257, Value::Longs(&rows)),
            (258, Value::Shorts(&bits)),
            (259, Value::Shorts(&compression)),
            (262, Value::Shorts(&photometric)),
            (339, Value::Shorts(&formats)),
        ];
        let per_pixel = [self.samples_per_pixel];
        let planar = [if self.is_planar { 2 } else { 1 }];
        tags.push((277, Value::Shorts(&per_pixel)));
        tags.push((284, Value::Shorts(&planar)));
        let chunk_size = match self.chunk {
            Chunks::Strips { rows } => ([rows], [0]),
            Chunks::Tiles { columns, rows } => ([columns], [rows]),
        };
        match self.chunk {
            Chunks::Strips { .. } => {
                tags.push((278, Value::Longs(&chunk_size.0)));
                tags.extend([(273, Value::Longs(offsets)), (279, Value::Longs(lengths))]);
            }
            Chunks::Tiles { .. } => {
                tags.push((322, Value::Longs(&chunk_size.0)));
                tags.push((323, Value::Longs(&chunk_size.1)));
                tags.extend([(324, Value::Longs(offsets)), (325, Value::Longs(lengths))]);
            }
        }
        tags.extend(self.extra);
        tags.sort_by_key(|(tag, _)| *tag);

        let mut directory = Vec::new();
        directory.extend(self.short(tags.len() as u16));
        for (tag, value) in tags {
            let (kind, count, data) = self.encode(value);
            directory.extend(self.short(tag));
            directory.extend(self.short(kind));
            directory.extend(self.long(count));
            if data.len() <= 4 {
                directory.extend(data.iter().copied().chain([0; 4]).take(4));
            } else {
                bytes.resize(bytes.len().next_multiple_of(2), 0);
                directory.extend(self.long(bytes.len() as u32));
                bytes.extend(data);
            }
        }
        directory.extend([0; 4]);
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let start = self.long(bytes.len() as u32);
        bytes[4..8].copy_from_slice(&start);
        bytes.extend(directory);
    }

    fn encode(&self, value: Value<'_>) -> (u16, u32, Vec<u8>) {
        match value {
            Value::Text(text) => (2, text.len() as u32 + 1, text.bytes().chain([0]).collect()),
            Value::Shorts(all) => {
                (3, all.len() as u32, all.iter().flat_map(|&v| self.short(v)).collect())
            }
            Value::Longs(all) => {
                (4, all.len() as u32, all.iter().flat_map(|&v| self.long(v)).collect())
            }
            Value::Doubles(all) => {
                let double = |v: &f64| {
                    if self.is_big_endian { v.to_be_bytes() } else { v.to_le_bytes() }
                };
                (12, all.len() as u32, all.iter().flat_map(double).collect())
            }
        }
    }

    fn short(&self, value: u16) -> [u8; 2] {
        if self.is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn long(&self, value: u32) -> [u8; 4] {
        if self.is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }
}

pub(crate) fn deflated_strips() -> Vec<u8> {
    Tiff { is_deflated: true, bits: 16, format: 2, ..Tiff::default() }.bytes()
}

pub(crate) fn plain_strips() -> Vec<u8> {
    Tiff { bits: 16, format: 1, is_big_endian: true, ..Tiff::default() }.bytes()
}

pub(crate) fn tiled_floats() -> Vec<u8> {
    let scale = Value::Doubles(&[30.0, 20.0, 0.0]);
    let keys = Value::Shorts(&[1, 1, 0, 1, 1024, 0, 1, 1]);
    let extra = &[(33550, scale), (34735, keys), (42113, Value::Text("-9999"))];
    let chunk = Chunks::Tiles { columns: 16, rows: 16 };
    Tiff { columns: 19, rows: 7, chunk, extra, ..Tiff::default() }.bytes()
}
