//! TIFF sources: kinds of samples, strips and tiles, voids, and what the tags say about the ground.

use marchland_tools::import::{Channel, HeightRange, ImportOptions, Problem, SourceSpacing};

use crate::fixtures::*;
use crate::tiff_files::{Chunks, Tiff, Value};

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
