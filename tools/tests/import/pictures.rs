//! JPEG, WebP, BMP and TGA: the same heights and masks as a PNG of the same picture, or refused.

use std::path::Path;

use image::codecs::bmp::BmpEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::tga::TgaEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};
use marchland_tools::import::{
    Encoding, Format, HeightRange, ImportError, ImportOptions, Mask, MaskKind, Problem, open,
    open_mask,
};

use crate::fixtures::*;

const COLUMNS: usize = 37;
const ROWS: usize = 19;

/// A picture in one of the formats, of this many channels.
fn written(format: Format, channels: usize, samples: &[u8]) -> Vec<u8> {
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

fn png(samples: &[u8]) -> Vec<u8> {
    let samples: Vec<u16> = samples.iter().map(|&sample| sample.into()).collect();
    gray8(COLUMNS as u32, ROWS as u32, &samples)
}

fn in_colours(channels: usize, gray: &[u8]) -> Vec<u8> {
    let pixel = |&value: &u8| {
        [value, value, value, 255].into_iter().take(if channels == 1 { 1 } else { channels })
    };
    gray.iter().flat_map(pixel).collect()
}

fn name(format: Format) -> &'static str {
    match format {
        Format::Jpeg => "a.jpg",
        Format::Webp => "a.webp",
        Format::Bmp => "a.bmp",
        _ => "a.tga",
    }
}

const LOSSLESS: [Format; 3] = [Format::Webp, Format::Bmp, Format::Tga];
const ALL: [Format; 4] = [Format::Jpeg, Format::Webp, Format::Bmp, Format::Tga];

/// Without a pattern, or smooth as what a JPEG is made for.
fn rough() -> Vec<u8> {
    (0..COLUMNS * ROWS).map(|index| scatter(index) as u8).collect()
}

fn smooth() -> Vec<u8> {
    let place = |index: usize| (index % COLUMNS, index / COLUMNS);
    (0..COLUMNS * ROWS).map(place).map(|(x, z)| (40 + 3 * x + 2 * z) as u8).collect()
}

fn range() -> ImportOptions {
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

fn cells(mask: Result<Mask, ImportError>) -> Vec<u8> {
    let mut mask = mask.unwrap();
    let rows = 0..mask.cells.rows();
    rows.flat_map(|_| mask.cells.next_row().unwrap().to_vec()).collect()
}

#[test]
fn masks_are_those_of_the_same_png() {
    let folder = Folder::new();
    for kind in [MaskKind::Holes, MaskKind::Surfaces] {
        let truth = cells(open_mask(&folder.file("a.png", &png(&rough())), kind, false));
        for format in LOSSLESS {
            for channels in [1, 3, 4] {
                let file = written(format, channels, &in_colours(channels, &rough()));
                let mask = open_mask(&folder.file(name(format), &file), kind, false);
                assert!(cells(mask) == truth, "{kind:?}, {format:?}, {channels} channels");
            }
        }
    }
}

#[test]
fn a_png_mask_in_colours_that_are_gray_is_one() {
    let folder = Folder::new();
    for (colour, channels) in [(RGB, 3), (RGBA, 4)] {
        let samples: Vec<u16> = in_colours(channels, &rough()).iter().map(|&s| s.into()).collect();
        let (columns, rows) = (COLUMNS as u32, ROWS as u32);
        let png = Png {
            columns,
            rows,
            colour,
            bits: 8,
            interlaced: false,
            extra: &[],
            samples: &samples,
        };
        let path = folder.file("a.png", &png.bytes());
        assert_eq!(cells(open_mask(&path, MaskKind::Surfaces, false)), rough());
    }
}

/// Holes of blocks, as a brush leaves them.
fn holes() -> Vec<u8> {
    let is_white = |index: usize| (index % COLUMNS / 8 + index / COLUMNS / 8).is_multiple_of(2);
    (0..COLUMNS * ROWS).map(|index| if is_white(index) { 255 } else { 0 }).collect()
}

/// A WebP of the lossy kind, of these sides; its picture is whatever zeros decode to.
fn lossy_webp(columns: u16, rows: u16) -> Vec<u8> {
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
fn holes_may_be_lossy_and_surfaces_not() {
    let folder = Folder::new();
    let jpeg = folder.file("a.jpg", &written(Format::Jpeg, 3, &in_colours(3, &holes())));
    let webp = folder.file("a.webp", &lossy_webp(COLUMNS as u16, ROWS as u16));
    let expected: Vec<u8> = holes().iter().map(|&value| value >> 7).collect();
    assert_eq!(cells(open_mask(&jpeg, MaskKind::Holes, false)), expected);
    for path in [jpeg, webp] {
        let mask = open_mask(&path, MaskKind::Holes, false).unwrap();
        assert!(mask.notes.concat().contains("changes values"), "{:?}", mask.notes);
        let refused = open_mask(&path, MaskKind::Surfaces, false).err().unwrap();
        assert!(matches!(refused.problem, Problem::Lossy { .. }), "{refused}");
        assert!(refused.hint().unwrap().contains("PNG, BMP, TGA or lossless WebP"));
    }
}

#[test]
fn numbers_of_a_palette_are_surfaces_and_its_colours_holes() {
    let folder = Folder::new();
    let numbers: Vec<u8> = rough().iter().map(|&value| value % 3).collect();
    let mut file = Vec::new();
    let (columns, rows) = (COLUMNS as u32, ROWS as u32);
    let palette = [[255, 255, 255], [0, 0, 0], [200, 200, 200]];
    BmpEncoder::new(&mut file)
        .encode_with_palette(&numbers, columns, rows, ExtendedColorType::L8, Some(&palette))
        .unwrap();
    let path = folder.file("a.bmp", &file);
    let mask = open_mask(&path, MaskKind::Surfaces, false).unwrap();
    assert!(mask.notes.concat().contains("palette index"), "{:?}", mask.notes);
    assert_eq!(cells(Ok(mask)), numbers);
    let white: Vec<u8> = numbers.iter().map(|&number| u8::from(number != 1)).collect();
    assert_eq!(cells(open_mask(&path, MaskKind::Holes, false)), white);
}

#[test]
fn surfaces_that_would_be_read_as_others_are_refused() {
    let folder = Folder::new();
    let bmp = |bits: u8, compression: u8| {
        let mut file = written(Format::Bmp, 1, &rough());
        (file[28], file[30]) = (bits, compression);
        file
    };
    let tga = |kind: u8, bits: u8| {
        let mut file = written(Format::Tga, 3, &in_colours(3, &rough()));
        (file[1], file[2], file[16]) = (u8::from(kind == 9), kind, bits);
        (file[5], file[7]) = (16, 24);
        file
    };
    let one_off: Vec<u8> = rough().iter().flat_map(|&value| [value, value, value ^ 1]).collect();
    for (name, file) in [
        ("four_bits.bmp", bmp(4, 0)),
        ("one_bit.bmp", bmp(1, 0)),
        ("runs.bmp", bmp(8, 1)),
        ("five_bits.bmp", bmp(16, 0)),
        ("palette.tga", tga(9, 8)),
        ("five_bits.tga", tga(10, 16)),
        ("colours.webp", written(Format::Webp, 3, &one_off)),
    ] {
        let refused =
            open_mask(&folder.file(name, &file), MaskKind::Surfaces, false).err().unwrap();
        assert!(matches!(refused.problem, Problem::Unsupported { .. }), "{refused}");
    }
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

fn with_sides(format: Format, columns: u16, rows: u16) -> Vec<u8> {
    let mut file = written(format, 1, &smooth());
    let [[c0, c1], [r0, r1]] = [columns.to_le_bytes(), rows.to_le_bytes()];
    match format {
        Format::Jpeg => {
            let at = file.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
            file[at + 5..at + 9].copy_from_slice(&[r1, r0, c1, c0]);
        }
        Format::Webp => {
            // Fourteen bits each, less one, behind the signature.
            let bits = u32::from(columns - 1) | u32::from(rows - 1) << 14;
            file[21..25].copy_from_slice(&bits.to_le_bytes());
        }
        Format::Bmp => {
            file[18..26].copy_from_slice(&[c0, c1, 0, 0, r0, r1, 0, 0]);
        }
        _ => file[12..16].copy_from_slice(&[c0, c1, r0, r1]),
    }
    file
}

#[test]
fn header_bombs_are_refused_at_the_door() {
    let folder = Folder::new();
    for format in ALL {
        let opened = |columns, rows| -> Problem {
            let file = with_sides(format, columns, rows);
            open(&folder.file(name(format), &file), &range()).unwrap_err().problem
        };
        let refused = opened(16_000, 16_000);
        assert!(matches!(refused, Problem::TooLarge { .. }), "{format:?}: {refused}");
        let refused = opened(64, 1);
        assert!(matches!(refused, Problem::TooSmall { .. }), "{format:?}: {refused}");
        if format != Format::Webp {
            let refused = opened(8192, 8192);
            assert!(matches!(refused, Problem::Implausible { .. }), "{format:?}: {refused}");
            let refused = opened(65_535, 65_535);
            assert!(matches!(refused, Problem::TooLarge { .. }), "{format:?}: {refused}");
        }
    }
    let path = folder.file("large.webp", &lossy_webp(16_383, 16_383));
    let refused = open(&path, &range()).unwrap_err().problem;
    assert!(matches!(refused, Problem::TooLarge { .. }), "{refused}");
}

/// Opens a file as heights and as both masks and reads all to the end; whether any of them was read.
fn read_all(path: &Path, format: Format) -> bool {
    let options = ImportOptions { format, ..range() };
    let heights = grid(path, &options);
    if let Err(error) = &heights {
        assert!(!error.is_io(), "damage is no failure of the disk: {error}");
    }
    for kind in [MaskKind::Holes, MaskKind::Surfaces] {
        if let Ok(mut mask) = open_mask(path, kind, false) {
            for _ in 0..mask.cells.rows() {
                if mask.cells.next_row().is_err() {
                    break;
                }
            }
        }
    }
    heights.is_ok()
}

#[test]
fn every_truncated_picture_is_refused() {
    let folder = Folder::new();
    for format in ALL {
        for channels in [1, 3] {
            let file = written(format, channels, &in_colours(channels, &smooth()));
            let path = folder.file(name(format), &file);
            let truth = grid(&path, &range()).unwrap();
            for len in 0..file.len() {
                let path = folder.file(name(format), &file[..len]);
                match grid(&path, &ImportOptions { format, ..range() }) {
                    Err(error) => assert!(!error.is_io(), "{format:?}, {len} bytes: {error}"),
                    // What comes after the pixels may be missing.
                    Ok(grid) => {
                        assert!(len + 28 > file.len(), "{format:?}: {len} of {} bytes", file.len());
                        assert_eq!(grid.bits(), truth.bits(), "{format:?}, {len} bytes");
                    }
                }
            }
        }
    }
}

#[test]
fn no_damage_to_a_picture_makes_a_panic() {
    let folder = Folder::new();
    // Of BMP the header and a part of the palette; behind it all bytes are pixels.
    for (format, channels, bytes) in [
        (Format::Jpeg, 1, usize::MAX),
        (Format::Jpeg, 3, usize::MAX),
        (Format::Webp, 3, usize::MAX),
        (Format::Webp, 4, usize::MAX),
        (Format::Bmp, 1, 70),
        (Format::Bmp, 4, 130),
        (Format::Tga, 1, 200),
        (Format::Tga, 4, 200),
    ] {
        let file = written(format, channels, &in_colours(channels, &holes()));
        assert!(read_all(&folder.file(name(format), &file), format));
        for bit in 0..file.len().min(bytes) * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            read_all(&folder.file(name(format), &flipped), format);
        }
    }
    let file = lossy_webp(COLUMNS as u16, ROWS as u16);
    for bit in 0..60 * 8 {
        let mut flipped = file.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        read_all(&folder.file("a.webp", &flipped), Format::Webp);
    }
}
