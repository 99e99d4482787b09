//! TIFF sources: kinds of samples, strips and tiles, voids, and what the tags say about the ground.

use marchland_tools::import::{Channel, HeightRange, ImportOptions, Problem, SourceSpacing};

use crate::fixtures::*;

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

#[test]
fn every_kind_of_sample_lies_where_it_was_written() {
    let folder = Folder::new();
    let signed = |column: u32, row: u32, _: u16| {
        f64::from(scatter((row * 31 + column) as usize) % 120) - 60.0
    };
    let unsigned =
        |column: u32, row: u32, _: u16| f64::from(scatter((row * 31 + column) as usize) % 250);
    for (format, bits) in [(1, 8), (2, 8), (1, 16), (2, 16), (1, 32), (2, 32), (3, 32), (3, 64)] {
        for chunk in [
            Chunks::Strips { rows: 1 },
            Chunks::Strips { rows: 4 },
            Chunks::Strips { rows: 1000 },
            Chunks::Tiles { columns: 16, rows: 32 },
        ] {
            for (is_big_endian, is_deflated) in [(false, false), (true, false), (false, true)] {
                // Neither side is a multiple of a tile or strip.
                let value: &dyn Fn(u32, u32, u16) -> f64 =
                    if format == 1 { &unsigned } else { &signed };
                let tiff = Tiff {
                    columns: 37,
                    rows: 34,
                    bits,
                    format,
                    chunk,
                    is_big_endian,
                    is_deflated,
                    value,
                    ..Tiff::default()
                };
                let path = folder.file("kinds.tif", &tiff.bytes());
                let grid = grid(&path, &ImportOptions::default()).unwrap();
                assert_eq!((grid.columns, grid.rows), (37, 34));
                for row in 0..34 {
                    for column in 0..37 {
                        let found = grid.at(column as usize, row as usize);
                        assert_eq!(found, value(column, row, 0), "{format} {bits} {column} {row}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_large_strip_is_read_row_by_row_with_the_same_heights() {
    let folder = Folder::new();
    let value = |column: u32, row: u32, _: u16| f64::from(scatter((row * 2100 + column) as usize));
    for is_big_endian in [false, true] {
        // 17 MB in one strip: more than is decoded at once.
        let (columns, rows, chunk) = (2100, 2050, Chunks::Strips { rows: 2050 });
        let tiff = Tiff { columns, rows, chunk, is_big_endian, value: &value, ..Tiff::default() };
        let path = folder.file("large.tif", &tiff.bytes());
        let grid = grid(&path, &ImportOptions::default()).unwrap();
        for (column, row) in [(0, 0), (2099, 0), (1234, 777), (0, 2049), (2099, 2049)] {
            assert_eq!(grid.at(column, row), value(column as u32, row as u32, 0));
        }
    }
}

#[test]
fn a_void_mark_is_compared_as_the_samples_are_stored() {
    let folder = Folder::new();
    let value = |column: u32, row: u32, _: u16| {
        if (column, row) == (3, 2) { f64::from(f32::MIN) } else { 5.0 }
    };
    // A decimal with more digits than a float has.
    let extra = &[(42113, Value::Text("-3.4028234663852886e+38 "))];
    let path = folder.file("voids.tif", &Tiff { value: &value, extra, ..Tiff::default() }.bytes());
    let found = grid(&path, &ImportOptions::default()).unwrap();
    for row in 0..5 {
        for column in 0..7 {
            assert_eq!(found.at(column, row).is_nan(), (column, row) == (3, 2));
        }
    }
    let extra = &[(42113, Value::Text("-32768"))];
    let value = |column: u32, _: u32, _: u16| if column == 1 { -32768.0 } else { -3.0 };
    let tiff = Tiff { value: &value, extra, bits: 16, format: 2, ..Tiff::default() };
    let found = grid(&folder.file("whole.tif", &tiff.bytes()), &ImportOptions::default()).unwrap();
    assert!(found.at(1, 4).is_nan());
    assert_eq!(found.at(2, 4), -3.0);
}

#[test]
fn infinite_heights_are_refused() {
    let folder = Folder::new();
    let value =
        |column: u32, row: u32, _: u16| if (column, row) == (6, 3) { f64::INFINITY } else { 1.0 };
    let path = folder.file("inf.tif", &Tiff { value: &value, ..Tiff::default() }.bytes());
    let refused = problem(&path, &ImportOptions::default());
    assert!(matches!(refused, Problem::Infinite { column: 6, row: 3 }), "{refused}");
}

#[test]
fn spacing_comes_from_the_tags() {
    let folder = Folder::new();
    let spacing = |extra: &[(u16, Value<'_>)]| {
        let path = folder.file("place.tif", &Tiff { extra, ..Tiff::default() }.bytes());
        opened(&path, &ImportOptions::default()).0
    };
    let scale = (33550, Value::Doubles(&[0.5, 0.25, 0.0]));
    let tie = (33922, Value::Doubles(&[0.0, 0.0, 0.0, 10.0, 48.0, 0.0]));
    let degrees = (34735, Value::Shorts(&[1, 1, 0, 1, 1024, 0, 1, 2]));
    let points = (34735, Value::Shorts(&[1, 1, 0, 2, 1024, 0, 1, 2, 1025, 0, 1, 2]));
    let metres = (34735, Value::Shorts(&[1, 1, 0, 1, 1024, 0, 1, 1]));
    let feet = (34735, Value::Shorts(&[1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9002]));

    // Five rows of a quarter degree from 48° on: the middle is two and a half rows to the south.
    let lon_lat = |centre_latitude| {
        Some(SourceSpacing::Degrees { lon_step: 0.5, lat_step: 0.25, centre_latitude })
    };
    assert_eq!(spacing(&[scale, tie, degrees]).spacing, lon_lat(47.375));
    assert_eq!(spacing(&[scale, tie, points]).spacing, lon_lat(47.5));
    let map = |x, z| Some(SourceSpacing::Metres { x, z });
    assert_eq!(spacing(&[scale, tie, metres]).spacing, map(0.5, 0.25));
    assert_eq!(spacing(&[scale, feet]).spacing, map(0.5 * 0.3048, 0.25 * 0.3048));

    let turned = [0.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    for extra in [
        &[(34264, Value::Doubles(&turned)), metres][..],
        &[scale, degrees],
        &[scale, tie],
        &[(33550, Value::Doubles(&[f64::NAN, 1.0, 0.0])), tie, metres],
    ] {
        let source = spacing(extra);
        assert_eq!(source.spacing, None);
        assert_eq!(source.notes.len(), 1, "{:?}", source.notes);
    }
    assert!(spacing(&[]).notes.is_empty());
}

#[test]
fn one_of_several_channels_is_taken_only_when_named() {
    let folder = Folder::new();
    for is_planar in [false, true] {
        for samples_per_pixel in [2, 3] {
            let chunk = Chunks::Strips { rows: 2 };
            let tiff = Tiff {
                samples_per_pixel,
                is_planar,
                chunk,
                bits: 16,
                format: 1,
                ..Tiff::default()
            };
            let path = folder.file("channels.tif", &tiff.bytes());
            let refused = problem(&path, &ImportOptions::default());
            assert!(matches!(refused, Problem::ManyChannels { .. }), "{refused}");
            let options =
                ImportOptions { channel: Some(Channel::Green), ..ImportOptions::default() };
            let green = grid(&path, &options).unwrap();
            for (column, row) in [(0, 0), (6, 0), (3, 4)] {
                let value = (tiff.value)(column, row, 1);
                assert_eq!(green.at(column as usize, row as usize), value, "planar {is_planar}");
            }
        }
    }
}

#[test]
fn whole_numbers_are_metres_unless_a_range_is_given() {
    let folder = Folder::new();
    let value = |column: u32, _: u32, _: u16| f64::from(column) * 10_922.5;
    let tiff = Tiff { bits: 16, format: 1, value: &value, ..Tiff::default() };
    let path = folder.file("whole.tif", &tiff.bytes());
    assert_eq!(grid(&path, &ImportOptions::default()).unwrap().at(6, 0), 65535.0);
    let range = Some(HeightRange::MinMax { min: 0.0, max: 500.0 });
    let options = ImportOptions { range, ..ImportOptions::default() };
    assert_eq!(grid(&path, &options).unwrap().at(6, 0), 500.0);
    let path = folder.file("float.tif", &Tiff::default().bytes());
    assert!(matches!(problem(&path, &options), Problem::RangeOnMetres { .. }));
}

#[test]
fn tiff_bombs_and_gaps_are_refused() {
    let folder = Folder::new();
    let find = |bytes: &[u8], entry: &[u8]| {
        bytes.windows(entry.len()).position(|w| w == entry).expect("the tag is there") + entry.len()
    };
    let patched = |entry: &[u8], value: u32| {
        let mut bytes = Tiff::default().bytes();
        let at = find(&bytes, entry);
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        problem(&folder.file("bomb.tif", &bytes), &ImportOptions::default())
    };
    let (columns, rows) = ([0, 1, 4, 0, 1, 0, 0, 0], [1, 1, 4, 0, 1, 0, 0, 0]);
    assert!(matches!(patched(&columns, 1_000_000), Problem::TooLarge { .. }));
    assert!(matches!(patched(&columns, 100_000), Problem::Implausible { .. }));
    assert!(matches!(patched(&columns, 1), Problem::TooSmall { .. }));
    let _ = patched(&rows, 100_000);
    let strip_rows = [22, 1, 4, 0, 1, 0, 0, 0];
    assert!(matches!(patched(&strip_rows, 0), Problem::Corrupt { .. }));
}
