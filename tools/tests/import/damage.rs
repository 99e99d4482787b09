//! Damaged files: refused, or read with the same content; never other heights, never a panic.

use marchland_tools::import::{ImportOptions, Problem};

use crate::fixtures::*;

/// A small picture, compressed and filtered as pictures are.
fn compressed_png() -> (Vec<u8>, Vec<u16>) {
    let (columns, rows) = (11, 9);
    let samples: Vec<u16> = (0..columns * rows).map(|i| 500 + scatter(i as usize) % 64).collect();
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(::png::ColorType::Grayscale);
    encoder.set_depth(::png::BitDepth::Sixteen);
    encoder.set_filter(::png::Filter::Paeth);
    let mut writer = encoder.write_header().unwrap();
    let words: Vec<u8> = samples.iter().flat_map(|s| s.to_be_bytes()).collect();
    writer.write_image_data(&words).unwrap();
    writer.finish().unwrap();
    (bytes, samples)
}

/// Reads every variant of a file, and says how many were refused and how many read alike.
fn tally(
    name: &str,
    options: &ImportOptions,
    variants: impl Iterator<Item = (String, Vec<u8>)>,
    truth: &Grid,
) -> (u32, u32) {
    let folder = Folder::new();
    let (mut refused, mut alike) = (0, 0);
    for (what, bytes) in variants {
        match grid(&folder.file(name, &bytes), options) {
            Err(error) => {
                assert!(!error.is_io(), "{what}: damage is no failure of the disk: {error}");
                refused += 1;
            }
            Ok(grid) => {
                assert_eq!((grid.columns, grid.rows), (truth.columns, truth.rows), "{what}");
                assert!(grid.bits() == truth.bits(), "{what}: other heights were taken");
                alike += 1;
            }
        }
    }
    (refused, alike)
}

fn flips(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len() * 8).map(move |bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (format!("bit {} of byte {}", bit % 8, bit / 8), flipped)
    })
}

fn truncations(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).map(move |len| (format!("{len} bytes"), bytes[..len].to_vec()))
}

#[test]
fn every_flipped_bit_of_a_png_is_refused_or_changes_nothing() {
    let (bytes, samples) = compressed_png();
    let folder = Folder::new();
    let truth = grid(&folder.file("whole.png", &bytes), &as_stored()).unwrap();
    assert_eq!(truth.metres, samples.iter().map(|&s| f64::from(s)).collect::<Vec<_>>());
    let (refused, alike) = tally("flipped.png", &as_stored(), flips(&bytes), &truth);
    assert_eq!(refused + alike, bytes.len() as u32 * 8);
    assert!(refused > alike, "{refused} refused, {alike} alike");
}

#[test]
fn every_truncated_png_is_refused() {
    let (bytes, _) = compressed_png();
    let folder = Folder::new();
    let truth = grid(&folder.file("whole.png", &bytes), &as_stored()).unwrap();
    let (refused, alike) = tally("cut.png", &as_stored(), truncations(&bytes), &truth);
    assert_eq!((refused, alike), (bytes.len() as u32, 0));
}

#[test]
fn a_png_with_too_few_rows_is_refused() {
    let folder = Folder::new();
    let lines = [0, 1, 2, 0, 3, 4]; // two rows of two, each with its filter byte
    let png = png_of(png_header(2, 3, 8, GRAY, false), &[], &zlib_stored(&lines));
    let refused = problem(&folder.file("short.png", &png), &as_stored());
    assert!(matches!(refused, Problem::Corrupt { .. }), "{refused}");
}

#[test]
fn a_png_whose_stream_has_a_wrong_sum_is_refused() {
    let folder = Folder::new();
    let png = Png {
        columns: 2,
        rows: 2,
        colour: GRAY,
        bits: 8,
        interlaced: false,
        extra: &[],
        samples: &[1, 2, 3, 4],
    };
    let (compressed, _) = compressed_png();
    let at = compressed.windows(4).position(|name| name == b"IDAT").unwrap();
    let len = u32::from_be_bytes(compressed[at - 4..at].try_into().unwrap()) as usize;
    let compressed_zlib = compressed[at + 4..][..len].to_vec();
    for (header, mut zlib) in [
        (png.header(), zlib_stored(&png.scan_lines())),
        (png_header(11, 9, 16, GRAY, false), compressed_zlib),
    ] {
        grid(&folder.file("whole.png", &png_of(header, &[], &zlib)), &as_stored()).unwrap();
        *zlib.last_mut().unwrap() ^= 1; // the sum of the chunk is right, that of the stream is not
        let path = folder.file("sum.png", &png_of(header, &[], &zlib));
        let refused = problem(&path, &as_stored());
        assert!(matches!(refused, Problem::Corrupt { .. }), "{refused}");
    }
}

#[test]
fn a_png_that_lost_a_chunk_of_its_picture_is_refused() {
    let folder = Folder::new();
    let samples: Vec<u16> = (0..64 * 64).map(scatter).collect();
    let png = Png {
        columns: 64,
        rows: 64,
        colour: GRAY,
        bits: 16,
        interlaced: false,
        extra: &[],
        samples: &samples,
    };
    let zlib = zlib_stored(&png.scan_lines());
    let pieces: Vec<&[u8]> = zlib.chunks(1000).collect();
    for lost in 0..pieces.len() {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut bytes, *b"IHDR", &png.header());
        for (index, piece) in pieces.iter().enumerate() {
            if index != lost {
                chunk(&mut bytes, *b"IDAT", piece);
            }
        }
        chunk(&mut bytes, *b"IEND", &[]);
        let refused = problem(&folder.file("lost.png", &bytes), &as_stored());
        assert!(matches!(refused, Problem::Corrupt { .. }), "chunk {lost}: {refused}");
    }
}

#[test]
fn no_damage_to_a_tiff_or_exr_makes_a_panic() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("strips.tif", crate::tiff_files::deflated_strips()),
        ("plain.tif", crate::tiff_files::plain_strips()),
        ("tiles.tif", crate::tiff_files::tiled_floats()),
        ("half.exr", crate::exr::half_gray()),
    ] {
        // TIFF has no checksums, so other heights may come out; but nothing else may happen.
        grid(&folder.file(name, &bytes), &as_stored()).unwrap();
        for (_, damaged) in flips(&bytes).chain(truncations(&bytes)) {
            let _ = grid(&folder.file(name, &damaged), &as_stored());
        }
    }
}
