//! JPEG, WebP, BMP and TGA: the same heights as a PNG of the same picture, or refused.

use image::codecs::bmp::BmpEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::tga::TgaEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};
use marchland_tools::import::{
    Encoding, Format, HeightRange, ImportOptions, MaskKind, Problem, open, open_mask,
};

use crate::fixtures::*;

pub(crate) const COLUMNS: usize = 37;
pub(crate) const ROWS: usize = 19;

/// A picture in one of the formats, of this many channels.
pub(crate) fn written(format: Format, channels: usize, samples: &[u8]) -> Vec<u8> {
    let colour = match channels {
        1 => ExtendedColorType::L8,
        3 => ExtendedColorType::Rgb8,
        _ => ExtendedColorType::Rgba8,
    };
    let (columns, rows) = (COLUMNS as u32, ROWS as u32);
    let mut file = Vec::new();
    match format {
        Format::Jpeg => {
            JpegEncoder::new_with_quality(&mut file, 95).write_image(samples, columns, rows, colour)
        }
        Format::Webp => {
            WebPEncoder::new_lossless(&mut file).write_image(samples, columns, rows, colour)
        }
        Format::Bmp => BmpEncoder::new(&mut file).write_image(samples, columns, rows, colour),
        _ => TgaEncoder::new(&mut file).write_image(samples, columns, rows, colour),
    }
    .unwrap();
    file
}

pub(crate) fn png(samples: &[u8]) -> Vec<u8> {
    let samples: Vec<u16> = samples.iter().map(|&sample| sample.into()).collect();
    gray8(COLUMNS as u32, ROWS as u32, &samples)
}

pub(crate) fn in_colours(channels: usize, gray: &[u8]) -> Vec<u8> {
    let pixel = |&value: &u8| {
        [value, value, value, 255].into_iter().take(if channels == 1 { 1 } else { channels })
    };
    gray.iter().flat_map(pixel).collect()
}

pub(crate) fn name(format: Format) -> &'static str {
    match format {
        Format::Jpeg => "a.jpg",
        Format::Webp => "a.webp",
        Format::Bmp => "a.bmp",
        _ => "a.tga",
    }
}

pub(crate) const LOSSLESS: [Format; 3] = [Format::Webp, Format::Bmp, Format::Tga];
pub(crate) const ALL: [Format; 4] = [Format::Jpeg, Format::Webp, Format::Bmp, Format::Tga];

/// Without a pattern, or smooth as what a JPEG is made for.
pub(crate) fn rough() -> Vec<u8> {
    (0..COLUMNS * ROWS).map(|index| scatter(index) as u8).collect()
}

pub(crate) fn smooth() -> Vec<u8> {
    let place = |index: usize| (index % COLUMNS, index / COLUMNS);
    (0..COLUMNS * ROWS).map(place).map(|(x, z)| (40 + 3 * x + 2 * z) as u8).collect()
}

pub(crate) fn range() -> ImportOptions {
    let range = Some(HeightRange::MinMax { min: -51.0, max: 459.0 });
    ImportOptions { range, ..ImportOptions::default() }
}

#[test]
fn heights_are_those_of_the_same_png() {
    let folder = Folder::new();
    let (source, truth) = opened(&folder.file("a.png", &png(&rough())), &range());
    for format in LOSSLESS {
        for channels in [1, 3, 4] {
            let file = written(format, channels, &in_colours(channels, &rough()));
            let (read, grid) = opened(&folder.file(name(format), &file), &range());
            assert_eq!((grid.columns, grid.rows), (COLUMNS, ROWS), "{format:?}");
            assert_eq!(grid.bits(), truth.bits(), "{format:?}, {channels} channels");
            assert_eq!(read.samples, source.samples);
            assert_eq!(read.warnings, ["8-bit heights form terraces: one step is 2.000 m"]);
        }
    }
}

#[test]
fn a_jpeg_is_near_the_same_png_and_says_so() {
    let folder = Folder::new();
    let (_, truth) = opened(&folder.file("a.png", &png(&smooth())), &range());
    for channels in [1, 3] {
        let file = written(Format::Jpeg, channels, &in_colours(channels, &smooth()));
        let (source, grid) = opened(&folder.file("a.jpg", &file), &range());
        let mut pairs = truth.metres.iter().zip(&grid.metres);
        assert!(pairs.all(|(a, b)| (a - b).abs() <= 6.0), "three steps of 2 m");
        let warnings = source.warnings.join("\n");
        assert!(warnings.contains("terraces"), "{warnings}");
        assert!(warnings.contains("compression of JPEG changes heights"), "{warnings}");
    }
}

#[test]
fn eight_bits_need_a_range_in_every_format() {
    let folder = Folder::new();
    for format in ALL {
        let path = folder.file(name(format), &written(format, 1, &smooth()));
        let refused = problem(&path, &ImportOptions::default());
        assert!(matches!(refused, Problem::NeedsRange { bits: 8 }), "{format:?}: {refused}");
    }
}

#[test]
fn colours_that_are_not_gray_are_refused_in_every_format() {
    let folder = Folder::new();
    let colours: Vec<u8> = rough().iter().flat_map(|&value| [value, 200, 30]).collect();
    for format in ALL {
        let path = folder.file(name(format), &written(format, 3, &colours));
        let refused = problem(&path, &range());
        assert!(matches!(refused, Problem::ColoursDiffer { .. }), "{format:?}: {refused}");
    }
    let clear: Vec<u8> = rough().iter().flat_map(|&value| [9, 9, 9, value]).collect();
    for format in LOSSLESS {
        let path = folder.file(name(format), &written(format, 4, &clear));
        let refused = problem(&path, &range());
        assert!(matches!(refused, Problem::AlphaUsed { .. }), "{format:?}: {refused}");
    }
}

#[test]
fn heights_packed_into_colours_come_from_lossless_files_alone() {
    let folder = Folder::new();
    let packed: Vec<u8> = rough().iter().flat_map(|&value| [130, value, 64]).collect();
    let options = ImportOptions { encoding: Some(Encoding::Terrarium), ..ImportOptions::default() };
    for format in LOSSLESS {
        let path = folder.file(name(format), &written(format, 3, &packed));
        let metres = rough().iter().map(|&value| 512.25 + f64::from(value)).collect::<Vec<_>>();
        assert_eq!(grid(&path, &options).unwrap().metres, metres, "{format:?}");
    }
    let path = folder.file("a.jpg", &written(Format::Jpeg, 3, &packed));
    let refused = problem(&path, &options);
    assert!(matches!(refused, Problem::Lossy { .. }), "{refused}");
}

/// Holes of blocks, as a brush leaves them.
pub(crate) fn holes() -> Vec<u8> {
    let is_white = |index: usize| (index % COLUMNS / 8 + index / COLUMNS / 8).is_multiple_of(2);
    (0..COLUMNS * ROWS).map(|index| if is_white(index) { 255 } else { 0 }).collect()
}

/// A WebP of the lossy kind, of these sides; its picture is whatever zeros decode to.
pub(crate) fn lossy_webp(columns: u16, rows: u16) -> Vec<u8> {
    let mut frame = vec![0x10, 2, 0, 0x9d, 0x01, 0x2a]; // a key frame, 16 bytes of modes
    frame.extend([columns.to_le_bytes(), rows.to_le_bytes()].concat());
    frame.extend([0; 400]);
    let mut file = b"RIFF".to_vec();
    file.extend((frame.len() as u32 + 12).to_le_bytes());
    file.extend(b"WEBPVP8 ");
    file.extend((frame.len() as u32).to_le_bytes());
    file.extend(frame);
    file
}

#[test]
fn a_picture_that_others_show_turned_is_told() {
    let folder = Folder::new();
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
    let mut file = written(Format::Jpeg, 1, &smooth());
    let segment = [&[0xff, 0xe1, 0, exif.len() as u8 + 2][..], exif].concat();
    file.splice(2..2, segment);
    let path = folder.file("a.jpg", &file);
    let warnings = open(&path, &range()).unwrap().warnings.join("\n");
    assert!(warnings.contains("orientation"), "{warnings}");
}

#[test]
fn content_counts_before_the_name_and_is_told() {
    let folder = Folder::new();
    let files: [(&str, Vec<u8>, &str); 5] = [
        ("a.jpg", png(&smooth()), "a.jpg is named as JPEG and read as PNG"),
        ("a.png", written(Format::Jpeg, 1, &smooth()), "a.png is named as PNG and read as JPEG"),
        ("a.tga", written(Format::Bmp, 1, &smooth()), "a.tga is named as TGA and read as BMP"),
        ("a.bmp", written(Format::Webp, 1, &smooth()), "a.bmp is named as BMP and read as WebP"),
        ("a.tif", written(Format::Webp, 1, &smooth()), "a.tif is named as TIFF and read as WebP"),
    ];
    for (name, bytes, note) in files {
        let path = folder.file(name, &bytes);
        let source = open(&path, &range()).unwrap();
        assert!(source.notes.contains(&note.to_owned()), "{:?}", source.notes);
        let mask = open_mask(&path, MaskKind::Holes, false).unwrap();
        assert!(mask.notes.contains(&note.to_owned()), "{:?}", mask.notes);
    }
    // Of these, no content tells what they are.
    let tga = written(Format::Tga, 1, &smooth());
    for name in ["a.png", "a.webp", "a"] {
        let error = open(&folder.file(name, &tga), &range()).unwrap_err();
        assert!(matches!(error.problem, Problem::UnknownFormat { .. }), "{error}");
        let error = open_mask(&folder.file(name, &tga), MaskKind::Holes, false).err().unwrap();
        assert!(error.to_string().contains("PNG, JPEG, WebP, BMP or TGA"), "{error}");
    }
    let named = ImportOptions { format: Format::Tga, ..range() };
    opened(&folder.file("a", &tga), &named);
    for format in ALL {
        let other = ImportOptions { format, ..range() };
        let error = grid(&folder.file("a.png", &png(&smooth())), &other).unwrap_err();
        assert!(matches!(error.problem, Problem::Corrupt { .. }), "{format:?}: {error}");
    }
    let tiff = folder.file("a.tif", b"II*\0\x08\0\0\0");
    let error = open_mask(&tiff, MaskKind::Holes, false).err().unwrap();
    assert!(matches!(error.problem, Problem::Unsupported { .. }), "{error}");
}

#[test]
fn a_jpeg_beside_tiles_is_no_tile() {
    let folder = Folder::new();
    for x in 0..2 {
        folder.file(&format!("x{x}_y0.bmp"), &written(Format::Bmp, 1, &smooth()));
        folder.file(&format!("x{x}_y0.jpg"), &written(Format::Jpeg, 1, &smooth()));
    }
    let (source, grid) = opened(folder.path(), &range());
    assert_eq!((grid.columns, grid.rows), (2 * COLUMNS, ROWS));
    assert!(source.notes.concat().contains("x0_y0.jpg"), "{:?}", source.notes);
    let named = ImportOptions { tiles: Some("x{x}_y{y}.jpg".to_owned()), ..range() };
    assert_eq!(opened(folder.path(), &named).1.columns, 2 * COLUMNS);
}
