//! Masks from JPEG, WebP, BMP and TGA, which are those of the same PNG, or refused.

use image::ExtendedColorType;
use image::codecs::bmp::BmpEncoder;
use marchland_tools::import::{Format, ImportError, Mask, MaskKind, Problem, open_mask};

use crate::fixtures::{Folder, Png, RGB, RGBA};
use crate::pictures::{
    COLUMNS, LOSSLESS, ROWS, holes, in_colours, lossy_webp, name, png, rough, written,
};

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
