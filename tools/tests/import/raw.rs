//! Raw and SRTM sources, and files of no known kind.

use marchland_tools::import::{
    Endian, Format, HeightRange, ImportOptions, Problem, SourceSpacing, open,
};

use crate::fixtures::*;

#[test]
fn raw_words_are_little_endian_unless_said_otherwise() {
    let folder = Folder::new();
    let samples = [1, 256, 513, 65535, 40000, 7, 8, 9, 10];
    let expected = samples.map(f64::from);
    for (name, endian) in [("h.r16", None), ("h.raw", None), ("h.R16", Some(Endian::Big))] {
        let bytes = words(endian.unwrap_or(Endian::Little), &samples);
        let path = folder.file(name, &bytes);
        let found = grid(&path, &ImportOptions { endian, ..as_stored() }).unwrap();
        assert_eq!((found.columns, found.rows), (3, 3));
        assert_eq!(found.metres, expected, "{name}");
    }
}

#[test]
fn raw_floats_are_metres_and_not_a_number_is_a_void() {
    let folder = Folder::new();
    let path = folder.file("h.r32", &floats(&[1.5, f32::NAN, -0.1, -9999.0, 4.0, 5.0]));
    let options =
        ImportOptions { columns: Some(3), nodata: Some(-9999.0), ..ImportOptions::default() };
    let found = grid(&path, &options).unwrap();
    assert_eq!((found.columns, found.rows), (3, 2));
    assert_eq!((found.at(0, 0), found.at(2, 0), found.at(1, 1)), (1.5, f64::from(-0.1_f32), 4.0));
    assert!(found.at(1, 0).is_nan() && found.at(0, 1).is_nan());
    let scaled = ImportOptions {
        range: Some(HeightRange::ScaleOffset { scale: 2.0, offset: -1.0 }),
        ..options.clone()
    };
    assert_eq!(grid(&path, &scaled).unwrap().at(0, 0), 2.0);
    let ranged =
        ImportOptions { range: Some(HeightRange::MinMax { min: 0.0, max: 1.0 }), ..options };
    assert!(matches!(problem(&path, &ranged), Problem::RangeOnMetres { .. }));
    let path = folder.file("inf.r32", &floats(&[1.0, 2.0, f32::NEG_INFINITY, 3.0]));
    let refused = problem(&path, &ImportOptions::default());
    assert!(matches!(refused, Problem::Infinite { column: 0, row: 1 }));
}

#[test]
fn a_size_that_does_not_fit_shows_the_sizes_that_would() {
    let folder = Folder::new();
    // 24 samples of 16 bits, 12 of 32.
    let path = folder.file("h.raw", &[0; 48]);
    for (columns, rows) in [(None, None), (Some(5), None), (None, Some(5)), (Some(3), Some(9))] {
        let refused = problem(&path, &ImportOptions { columns, rows, ..as_stored() });
        let Problem::RawSize { candidates, .. } = &refused else { panic!("{refused}") };
        for size in ["as r16: 6 × 4, 8 × 3, 12 × 2", "as r32: 4 × 3, 6 × 2"] {
            assert!(candidates.contains(size), "{candidates}");
        }
    }
    for (columns, rows) in [(Some(8), None), (None, Some(3)), (Some(8), Some(3))] {
        let found = grid(&path, &ImportOptions { columns, rows, ..as_stored() }).unwrap();
        assert_eq!((found.columns, found.rows), (8, 3));
    }
    for bytes in [&[0; 0][..], &[0; 1], &[0; 7]] {
        let refused = problem(&folder.file("odd.raw", bytes), &as_stored());
        assert!(matches!(refused, Problem::RawSize { .. }), "{refused}");
    }
    let huge = ImportOptions { columns: Some(u32::MAX), rows: Some(u32::MAX), ..as_stored() };
    assert!(matches!(problem(&path, &huge), Problem::RawSize { .. }));
}

#[test]
fn a_tile_of_a_degree_knows_its_place_and_its_voids() {
    let folder = Folder::new();
    let heights: [i16; 9] = [-3, 5, -32768, 1005, 0, 7, 8, 9, 32767];
    let bytes = words(Endian::Big, &heights.map(i16::cast_unsigned));
    let (source, found) = opened(&folder.file("S46W070.hgt", &bytes), &ImportOptions::default());
    assert!(found.at(2, 0).is_nan());
    for (at, height) in heights.iter().enumerate().filter(|(at, _)| *at != 2) {
        assert_eq!(found.metres[at], f64::from(*height));
    }
    let (lon_step, lat_step, centre_latitude) = (0.5, 0.5, -45.5);
    let degrees = SourceSpacing::Degrees { lon_step, lat_step, centre_latitude };
    assert_eq!(source.spacing, Some(degrees));

    let (source, _) = opened(&folder.file("island.hgt", &bytes), &ImportOptions::default());
    assert_eq!(source.spacing, None);
    assert_eq!(source.notes.len(), 1);
    let refused = problem(&folder.file("odd.hgt", &[0; 12]), &ImportOptions::default());
    assert!(refused.to_string().contains("12 bytes"), "{refused}");
    let ranged = ImportOptions {
        range: Some(HeightRange::MinMax { min: 0.0, max: 1.0 }),
        ..ImportOptions::default()
    };
    let refused = problem(&folder.file("N00E000.hgt", &bytes), &ranged);
    assert!(matches!(refused, Problem::RangeOnMetres { .. }), "{refused}");
}

#[test]
fn a_file_of_no_known_kind_says_what_is_known() {
    let folder = Folder::new();
    for (name, bytes, word) in [
        ("photo.png", &b"GIF89a and so on"[..], "GIF"),
        ("photo.tif", b"RIFF", "named as TIFF"),
        ("heights.zip", b"PK\x03\x04....", "zip"),
        ("heights.txt", b"1 2 3 4", "unknown"),
        ("heights.tif", b"1 2 3 4", "named as TIFF"),
        ("heights", b"", "empty"),
    ] {
        let error = open(&folder.file(name, bytes), &as_stored()).unwrap_err();
        assert!(matches!(error.problem, Problem::UnknownFormat { .. }));
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.to_string().contains("expected PNG, TIFF, EXR"), "{error}");
        assert!(error.hint().unwrap().contains("--format"));
    }
}

#[test]
fn content_counts_before_the_name_and_the_flag_before_both() {
    let folder = Folder::new();
    let png = gray16(2, 2, &[1, 2, 3, 4]);
    let path = folder.file("really.raw", &png);
    assert_eq!(grid(&path, &as_stored()).unwrap().metres, [1.0, 2.0, 3.0, 4.0]);
    // Raw samples may begin like a TIFF.
    let path = folder.file("chance.r16", b"II*\0\x05\0\x06\0");
    assert_eq!(grid(&path, &as_stored()).unwrap().metres, [18761.0, 42.0, 5.0, 6.0]);
    let path = folder.file("no_name", &words(Endian::Little, &[1, 2, 3, 4]));
    let options = ImportOptions { format: Format::R16, ..as_stored() };
    assert_eq!(grid(&path, &options).unwrap().metres, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_missing_file_is_the_fault_of_no_setting() {
    let folder = Folder::new();
    let error = open(&folder.path().join("absent.png"), &as_stored()).unwrap_err();
    assert!(error.is_io());
    assert!(error.to_string().contains("absent.png: cannot open"), "{error}");
}

#[test]
fn settings_without_effect_are_warned_of() {
    let folder = Folder::new();
    let path = folder.file("h.png", &gray16(2, 2, &[1, 2, 3, 4]));
    let options = ImportOptions { endian: Some(Endian::Big), columns: Some(2), ..as_stored() };
    let source = open(&path, &options).unwrap();
    assert_eq!(source.warnings.len(), 2, "{:?}", source.warnings);
}
