//! PNG sources: which kinds are taken, how values become metres, what is refused.

use marchland_terrain::bake::RowOrder;
use marchland_tools::import::{Channel, Encoding, HeightRange, ImportOptions, Problem, open};

use crate::fixtures::*;

// Not square, and no multiple of 8: a row of bits ends inside a byte.
const COLUMNS: u32 = 13;
const ROWS: u32 = 5;
const PIXELS: usize = 65;

fn gray_samples(channels: usize, bits: u8, opaque_at: Option<usize>) -> Vec<u16> {
    let mask = ((1_u32 << bits) - 1) as u16;
    let mut samples = Vec::new();
    for pixel in 0..PIXELS {
        for channel in 0..channels {
            samples.push(if opaque_at == Some(channel) { mask } else { scatter(pixel) & mask });
        }
    }
    samples
}

#[test]
fn every_colour_and_depth_is_read_right_or_refused() {
    let folder = Folder::new();
    let palette = [0x55; 3 * 256];
    let kinds: [(u8, &[u8], bool); 5] = [
        (GRAY, &[1, 2, 4, 8, 16], true),
        (RGB, &[8, 16], true),
        (PALETTE, &[1, 2, 4, 8], false),
        (GRAY_ALPHA, &[8, 16], true),
        (RGBA, &[8, 16], true),
    ];
    let mut combinations = 0;
    for (colour, depths, is_taken) in kinds {
        for &bits in depths {
            for interlaced in [false, true] {
                let alpha_at = match colour {
                    GRAY_ALPHA => Some(1),
                    RGBA => Some(3),
                    _ => None,
                };
                let colours = &palette[..3 << bits.min(8)];
                let extra: &[(&[u8; 4], &[u8])] =
                    if colour == PALETTE { &[(b"PLTE", colours)] } else { &[] };
                let mut png = Png {
                    columns: COLUMNS,
                    rows: ROWS,
                    colour,
                    bits,
                    interlaced,
                    extra,
                    samples: &[],
                };
                let samples = gray_samples(png.channels(), bits, alpha_at);
                let channels = png.channels();
                png.samples = &samples;
                let path = folder.file("picture.png", &png.bytes());
                let name = format!("colour {colour}, {bits} bits, interlaced {interlaced}");
                if !is_taken {
                    let refused = problem(&path, &as_stored());
                    assert!(matches!(refused, Problem::Unsupported { .. }), "{name}: {refused}");
                    continue;
                }
                let (source, grid) = opened(&path, &as_stored());
                assert_eq!((grid.columns, grid.rows), (13, 5), "{name}");
                for (pixel, metres) in grid.metres.iter().enumerate() {
                    assert_eq!(*metres, f64::from(samples[pixel * channels]), "{name}: {pixel}");
                }
                assert_eq!(source.notes.is_empty(), colour == GRAY, "{name}: {:?}", source.notes);
                let terraces =
                    source.warnings.iter().any(|w| w.contains("terraces: one step is 1.000 m"));
                assert_eq!(terraces, bits <= 8, "{name}: {:?}", source.warnings);
            }
            combinations += 1;
        }
    }
    assert_eq!(combinations, 15);
}

#[test]
fn gamma_and_profiles_change_no_height() {
    let folder = Folder::new();
    let samples: Vec<u16> = (0..PIXELS).map(scatter).collect();
    let gamma = 45_455_u32.to_be_bytes();
    let extra: &[(&[u8; 4], &[u8])] = &[(b"gAMA", &gamma), (b"sRGB", &[0])];
    let png = Png {
        columns: COLUMNS,
        rows: ROWS,
        colour: GRAY,
        bits: 16,
        interlaced: false,
        extra,
        samples: &samples,
    };
    let path = folder.file("gamma.png", &png.bytes());
    let expected: Vec<f64> = samples.iter().map(|&s| s.into()).collect();
    assert_eq!(grid(&path, &as_stored()).unwrap().metres, expected);
}

#[test]
fn a_range_maps_zero_to_the_minimum_and_full_scale_to_the_maximum() {
    let folder = Folder::new();
    let range = Some(HeightRange::MinMax { min: -10.1, max: 700.3 });
    let options = ImportOptions { range, ..ImportOptions::default() };
    for (bits, full_scale) in [(1, 1), (2, 3), (4, 15), (8, 255), (16, 65535_u16)] {
        let samples = [0, full_scale, full_scale / 3, 0];
        let png = Png {
            columns: 2,
            rows: 2,
            colour: GRAY,
            bits,
            interlaced: false,
            extra: &[],
            samples: &samples,
        };
        let grid = grid(&folder.file("ends.png", &png.bytes()), &options).unwrap();
        assert_eq!(grid.at(0, 0), -10.1, "{bits} bits");
        assert_eq!(grid.at(1, 0), 700.3, "{bits} bits");
        let third = f64::from(full_scale / 3) / f64::from(full_scale);
        assert!((grid.at(0, 1) - (-10.1 + 710.4 * third)).abs() < 1e-9, "{bits} bits");
    }
}

#[test]
fn whole_numbers_without_a_range_are_refused_with_both_forms() {
    let folder = Folder::new();
    let path = folder.file("bare.png", &gray16(2, 2, &[1, 2, 3, 4]));
    let error = open(&path, &ImportOptions::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NeedsRange { bits: 16 }));
    let hint = error.hint().unwrap();
    for flag in ["--min-height", "--max-height", "--height-scale", "--height-offset"] {
        assert!(hint.contains(flag), "{hint}");
    }
    assert!(!error.is_io());
}

#[test]
fn a_range_that_means_nothing_is_refused() {
    let folder = Folder::new();
    let path = folder.file("flat.png", &gray16(2, 2, &[1, 2, 3, 4]));
    for range in [
        HeightRange::MinMax { min: 5.0, max: 5.0 },
        HeightRange::MinMax { min: 5.0, max: f64::NAN },
        HeightRange::ScaleOffset { scale: 0.0, offset: 1.0 },
        HeightRange::ScaleOffset { scale: 1.0, offset: f64::INFINITY },
    ] {
        let options = ImportOptions { range: Some(range), ..ImportOptions::default() };
        assert!(matches!(problem(&path, &options), Problem::Setting { .. }), "{range:?}");
    }
}

#[test]
fn colours_are_gray_up_to_one_in_255() {
    let folder = Folder::new();
    for (bits, allowed) in [(8, 1), (16, 257)] {
        for (difference, is_taken) in [(allowed, true), (allowed + 1, false)] {
            let mut samples = vec![100; 3 * 4];
            samples[7] = 100 + difference; // green of the third pixel
            let png = Png {
                columns: 2,
                rows: 2,
                colour: RGB,
                bits,
                interlaced: false,
                extra: &[],
                samples: &samples,
            };
            let path = folder.file("colours.png", &png.bytes());
            if is_taken {
                let (source, grid) = opened(&path, &as_stored());
                assert_eq!(grid.metres, [100.0; 4]);
                assert!(
                    source.notes[0].contains(&format!("at most {allowed} ")),
                    "{:?}",
                    source.notes
                );
                continue;
            }
            let Problem::ColoursDiffer { greatest, .. } = problem(&path, &as_stored()) else {
                panic!("{bits} bits: a difference of {difference} is no gray");
            };
            assert_eq!(greatest, f64::from(difference));
            let options = ImportOptions { channel: Some(Channel::Green), ..as_stored() };
            let green = f64::from(100 + difference);
            assert_eq!(grid(&path, &options).unwrap().metres, [100.0, 100.0, green, 100.0]);
        }
    }
}

#[test]
fn alpha_that_says_something_is_refused_unless_a_channel_is_named() {
    let folder = Folder::new();
    let mut samples = vec![255; 2 * 4];
    (samples[0], samples[5]) = (7, 254);
    let png = Png {
        columns: 2,
        rows: 2,
        colour: GRAY_ALPHA,
        bits: 8,
        interlaced: false,
        extra: &[],
        samples: &samples,
    };
    let path = folder.file("alpha.png", &png.bytes());
    assert!(matches!(problem(&path, &as_stored()), Problem::AlphaUsed { .. }));
    let with = |channel| ImportOptions { channel: Some(channel), ..as_stored() };
    assert_eq!(grid(&path, &with(Channel::Red)).unwrap().metres, [7.0, 255.0, 255.0, 255.0]);
    assert_eq!(grid(&path, &with(Channel::Alpha)).unwrap().metres, [255.0, 255.0, 254.0, 255.0]);
    let gray = folder.file("gray.png", &gray16(2, 2, &[1, 2, 3, 4]));
    assert!(matches!(problem(&gray, &with(Channel::Alpha)), Problem::NoSuchChannel { .. }));
}

#[test]
fn a_transparent_gray_is_a_question() {
    let folder = Folder::new();
    let png = Png {
        columns: 2,
        rows: 2,
        colour: GRAY,
        bits: 8,
        interlaced: false,
        extra: &[(b"tRNS", &[0, 9])],
        samples: &[9, 8, 7, 6],
    };
    let path = folder.file("key.png", &png.bytes());
    assert!(matches!(problem(&path, &as_stored()), Problem::Transparent { value: 9 }));
    let void = grid(&path, &ImportOptions { nodata: Some(9.0), ..as_stored() }).unwrap();
    assert!(void.at(0, 0).is_nan());
    assert_eq!(void.metres[1..], [8.0, 7.0, 6.0]);
    let height = grid(&path, &ImportOptions { channel: Some(Channel::Red), ..as_stored() });
    assert_eq!(height.unwrap().metres, [9.0, 8.0, 7.0, 6.0]);
}

#[test]
fn a_transparent_colour_is_refused_unless_a_channel_is_named() {
    let folder = Folder::new();
    let png = Png {
        columns: 2,
        rows: 2,
        colour: RGB,
        bits: 8,
        interlaced: false,
        extra: &[(b"tRNS", &[0, 5, 0, 5, 0, 5])],
        samples: &[5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8],
    };
    let path = folder.file("key.png", &png.bytes());
    assert!(matches!(problem(&path, &as_stored()), Problem::Unsupported { .. }));
    let green = ImportOptions { channel: Some(Channel::Green), ..as_stored() };
    assert_eq!(grid(&path, &green).unwrap().metres, [5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn nodata_counts_before_the_scale() {
    let folder = Folder::new();
    let path = folder.file("voids.png", &gray16(2, 2, &[0, 1000, 65535, 2000]));
    let range = Some(HeightRange::ScaleOffset { scale: 0.5, offset: 10.0 });
    let options = ImportOptions { range, nodata: Some(65535.0), ..ImportOptions::default() };
    let grid = grid(&path, &options).unwrap();
    assert_eq!((grid.at(0, 0), grid.at(1, 0), grid.at(1, 1)), (10.0, 510.0, 1010.0));
    assert!(grid.at(0, 1).is_nan());
}

#[test]
fn heights_in_colours_are_unpacked() {
    let folder = Folder::new();
    for alpha in [false, true] {
        let pixels = [[133_u16, 77, 201], [128, 0, 0], [0, 0, 0], [1, 134, 160]];
        let mut samples = Vec::new();
        for pixel in pixels {
            samples.extend(pixel);
            samples.extend(alpha.then_some(255));
        }
        let colour = if alpha { RGBA } else { RGB };
        let png = Png {
            columns: 2,
            rows: 2,
            colour,
            bits: 8,
            interlaced: false,
            extra: &[],
            samples: &samples,
        };
        let path = folder.file("packed.png", &png.bytes());
        let with =
            |encoding| ImportOptions { encoding: Some(encoding), ..ImportOptions::default() };
        let terrarium = grid(&path, &with(Encoding::Terrarium)).unwrap();
        assert_eq!(terrarium.metres[..3], [1_357.785_156_25, 0.0, -32768.0]);
        let terrain_rgb = grid(&path, &with(Encoding::TerrainRgb)).unwrap();
        assert_eq!(terrain_rgb.metres[2..], [-10000.0, 0.0]);
    }
    let gray = folder.file("gray.png", &gray8(2, 2, &[1, 2, 3, 4]));
    let options = ImportOptions { encoding: Some(Encoding::Terrarium), ..ImportOptions::default() };
    assert!(matches!(problem(&gray, &options), Problem::Unsupported { .. }));
}

#[test]
fn a_flipped_picture_comes_south_first() {
    let folder = Folder::new();
    let path = folder.file("flip.png", &gray16(2, 3, &[1, 2, 3, 4, 5, 6]));
    let straight = grid(&path, &as_stored()).unwrap();
    let flipped = grid(&path, &ImportOptions { flip_y: true, ..as_stored() }).unwrap();
    assert_eq!(straight.order, RowOrder::NorthFirst);
    assert_eq!(flipped.order, RowOrder::SouthFirst);
    assert_eq!(straight.metres, flipped.metres);
}

#[test]
fn header_bombs_are_refused_at_the_door() {
    let folder = Folder::new();
    let bomb = |columns, rows, interlaced| {
        let header = png_header(columns, rows, 16, RGBA, interlaced);
        png_of(header, &[], &zlib_stored(&[0; 100]))
    };
    for (name, bytes, is_expected) in [
        (
            "a million by a million",
            bomb(1_000_000, 1_000_000, false),
            (|p| matches!(p, Problem::TooLarge { .. })) as fn(&Problem) -> bool,
        ),
        ("beyond i32", bomb(i32::MAX as u32, 2, false), |p| matches!(p, Problem::TooLarge { .. })),
        ("more than deflate can", bomb(131_072, 131_072, false), |p| {
            matches!(p, Problem::Implausible { .. })
        }),
        ("interlaced", bomb(131_072, 131_072, true), |p| matches!(p, Problem::Implausible { .. })),
        ("one row", bomb(64, 1, false), |p| matches!(p, Problem::TooSmall { .. })),
        ("no columns", bomb(0, 64, false), |_| true),
    ] {
        let path = folder.file("bomb.png", &bytes);
        // By what the header says: whoever had begun to read would say that the rows end too soon.
        let refused = open(&path, &as_stored()).unwrap_err().problem;
        assert!(is_expected(&refused), "{name}: {refused}");
    }
}

#[test]
fn an_animated_picture_is_refused() {
    let folder = Folder::new();
    let mut control = [0; 26];
    control[7] = 1; // one column
    control[11] = 1; // one row
    let extra: &[(&[u8; 4], &[u8])] = &[(b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]), (b"fcTL", &control)];
    let png = Png {
        columns: 2,
        rows: 2,
        colour: GRAY,
        bits: 8,
        interlaced: false,
        extra,
        samples: &[1, 2, 3, 4],
    };
    let path = folder.file("film.png", &png.bytes());
    open(&path, &as_stored()).unwrap_err();
}
