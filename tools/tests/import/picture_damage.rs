//! Pictures that are cut off, damaged, or claim to be far larger than they are.

use std::path::Path;

use marchland_tools::import::{Format, ImportOptions, MaskKind, Problem, open, open_mask};

use crate::fixtures::{Folder, grid};
use crate::pictures::{
    ALL, COLUMNS, ROWS, holes, in_colours, lossy_webp, name, range, smooth, written,
};

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
