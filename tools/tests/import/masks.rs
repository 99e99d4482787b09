//! Masks of holes and of surfaces.

use marchland_terrain::bake::RowOrder;
use marchland_tools::import::{Mask, MaskKind, Problem, open_mask};

use crate::fixtures::*;

fn cells(mut mask: Mask) -> Vec<u8> {
    let mut cells = Vec::new();
    for _ in 0..mask.cells.rows() {
        let row = mask.cells.next_row().unwrap();
        assert_eq!(row.len(), 5);
        cells.extend_from_slice(row);
    }
    cells
}

fn mask_file(folder: &Folder, colour: u8, bits: u8, samples: &[u16]) -> std::path::PathBuf {
    let palette = [9; 3 * 256];
    let colours = &palette[..3 << bits.min(8)];
    let extra: &[(&[u8; 4], &[u8])] = if colour == PALETTE { &[(b"PLTE", colours)] } else { &[] };
    let png = Png { columns: 5, rows: 2, colour, bits, interlaced: false, extra, samples };
    folder.file("mask.png", &png.bytes())
}

#[test]
fn the_lighter_half_is_a_hole() {
    let folder = Folder::new();
    for (bits, samples, holes) in [
        (1, [0, 1, 1, 0, 1, 0, 0, 0, 1, 1], [0, 1, 1, 0, 1, 0, 0, 0, 1, 1]),
        (2, [0, 1, 2, 3, 0, 0, 1, 2, 3, 0], [0, 0, 1, 1, 0, 0, 0, 1, 1, 0]),
        (4, [0, 7, 8, 15, 0, 0, 7, 8, 15, 0], [0, 0, 1, 1, 0, 0, 0, 1, 1, 0]),
        (8, [0, 127, 128, 255, 0, 1, 127, 128, 255, 2], [0, 0, 1, 1, 0, 0, 0, 1, 1, 0]),
    ] {
        let path = mask_file(&folder, GRAY, bits, &samples);
        assert_eq!(cells(open_mask(&path, MaskKind::Holes, false).unwrap()), holes, "{bits} bits");
    }
}

#[test]
fn a_surface_is_the_value_or_its_number_in_the_palette() {
    let folder = Folder::new();
    for (colour, notes) in [(GRAY, 0), (PALETTE, 1)] {
        for bits in [1, 2, 4, 8] {
            let samples: Vec<u16> = (0..10).map(|i| scatter(i) & ((1 << bits) - 1)).collect();
            let path = mask_file(&folder, colour, bits, &samples);
            let mask = open_mask(&path, MaskKind::Surfaces, false).unwrap();
            assert_eq!(mask.notes.len(), notes);
            let expected: Vec<u8> = samples.iter().map(|&s| s as u8).collect();
            assert_eq!(cells(mask), expected, "colour {colour}, {bits} bits");
        }
    }
}

#[test]
fn a_mask_that_could_be_misread_is_refused() {
    let folder = Folder::new();
    for (colour, bits, channels, kind) in [
        (GRAY, 16, 1, MaskKind::Holes),
        (GRAY, 16, 1, MaskKind::Surfaces),
        (RGB, 8, 3, MaskKind::Holes),
        (RGBA, 8, 4, MaskKind::Surfaces),
        (GRAY_ALPHA, 8, 2, MaskKind::Holes),
        (PALETTE, 8, 1, MaskKind::Holes),
    ] {
        let samples: Vec<u16> = (0..10 * channels as u16).collect();
        let path = mask_file(&folder, colour, bits, &samples);
        let Err(refused) = open_mask(&path, kind, false) else { panic!("{colour} {bits}") };
        assert!(matches!(refused.problem, Problem::Unsupported { .. }), "{refused}");
    }
    let absent = open_mask(&folder.path().join("absent.png"), MaskKind::Holes, false);
    assert!(absent.is_err_and(|e| e.is_io()));
}

#[test]
fn a_mask_is_turned_over_with_its_heights() {
    let folder = Folder::new();
    let path = mask_file(&folder, GRAY, 8, &[1; 10]);
    let mask = open_mask(&path, MaskKind::Surfaces, true).unwrap();
    assert_eq!(mask.cells.order(), RowOrder::SouthFirst);
}
