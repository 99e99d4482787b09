//! The sector file: whole or refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use marchland_terrain::error::{Section, SectorError};
use marchland_terrain::format::{EncodedSector, decode, encode};
use marchland_terrain::math::greater;
use marchland_terrain::{
    CellKind, Grid, Ground, HeightfieldView, SectorCoord, SectorData, SurfaceLayer,
};

/// A small sector with everything in it: 8 cells, holes, outside cells that are no rectangle,
/// surfaces. Awkward on purpose: base far below zero, coordinates negative.
fn crowded_sector() -> SectorData {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let along = 10;
    let kinds = (0..along * along)
        .map(|index| match (index % along, index / along) {
            (3, 4) | (4, 4) | (9, 9) => CellKind::Hole,
            (0, 0) | (1, 1) => CellKind::Outside,
            _ => CellKind::Solid,
        })
        .collect();
    SectorData::from_fn(grid, |x, z| -300.0 + 0.75 * x - 0.3 * z + 0.01 * x * x * z)
        .unwrap()
        .with_kinds(kinds)
        .unwrap()
        .with_surfaces(SurfaceLayer::PerCell((0..64).map(|cell| cell % 3).collect()))
        .unwrap()
}

fn crowded_file() -> EncodedSector {
    encode(SectorCoord::new(-3, 70_000), &crowded_sector())
}

/// Everything that a field answers, as bits.
fn answers(field: HeightfieldView<'_>) -> Vec<u32> {
    let mut bits = Vec::new();
    for step_z in -16..16 {
        for step_x in -16..16 {
            let (x, z) = (step_x as f32 * 0.25, step_z as f32 * 0.25);
            bits.push(match field.ground(x, z) {
                Ground::Height(height) => height.to_bits(),
                Ground::Hole => 1,
                Ground::NotResident => 2,
                Ground::Outside => 3,
            });
            bits.push(field.smooth_normal(x, z).map_or(0, |normal| normal.x.to_bits()));
            bits.push(field.surface(x, z).map_or(0, |surface| u32::from(surface.0) + 1));
        }
    }
    bits.extend(field.steepness().iter().map(|&byte| u32::from(byte)));
    bits.extend(field.pyramid().whole().map(|range| range.max as u32));
    bits
}

#[test]
fn what_is_written_is_what_is_read() {
    let data = crowded_sector();
    let file = crowded_file();
    let sector = decode(&file.bytes).unwrap();
    assert_eq!(sector.coord(), SectorCoord::new(-3, 70_000));
    let field = sector.field();
    assert_eq!(field.grid(), data.grid());
    for row in -1..=9 {
        for column in -1..=9 {
            let stored = data.quanta()[((row + 1) * 11 + column + 1) as usize];
            // The corner where only outside cells meet bounds no ground and is not kept.
            if (column, row) != (-1, -1) {
                assert_eq!(field.quanta(column, row), stored, "sample {column}, {row}");
            }
        }
    }
    assert_eq!(field.ground(-1.5, -0.5), Ground::Hole);
    assert_eq!(field.ground(-3.5, -3.5), Ground::Outside);
    assert!(matches!(field.ground(-2.5, -3.5), Ground::Height(_)));
    assert_eq!(field.surface(3.5, 3.5).unwrap().0, 63 % 3);
}

#[test]
fn every_truncation_is_refused() {
    let file = crowded_file();
    for length in 0..file.bytes.len() {
        assert!(decode(&file.bytes[..length]).is_err(), "{length} bytes were accepted");
    }
    let mut longer = file.bytes.clone();
    longer.push(0);
    assert!(decode(&longer).is_err(), "a byte too many was accepted");
}

#[test]
fn every_flipped_bit_is_refused_or_changes_nothing() {
    let mut file = crowded_file();
    let whole = answers(decode(&file.bytes).unwrap().field());
    let mut refused = 0_usize;
    for bit in 0..file.bytes.len() * 8 {
        file.bytes[bit / 8] ^= 1 << (bit % 8);
        match decode(&file.bytes) {
            Ok(sector) => assert_eq!(answers(sector.field()), whole, "bit {bit}"),
            Err(_) => refused += 1,
        }
        file.bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(refused, file.bytes.len() * 8, "checksums cover every byte");
}

#[test]
fn a_relief_beyond_16_bits_is_stored_wide_and_read_alike() {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    let height = |x: f64, z: f64| 40.0 * x * z / 8.0 + 3.0;
    let wide = SectorData::from_fn(grid, height).unwrap();
    let file = encode(SectorCoord::default(), &wide);
    let sector = decode(&file.bytes).unwrap();
    assert!(sector.field().is_wide());
    for step in -8..8 {
        let x = step as f32;
        let expected = (height(f64::from(x), 7.0) * 256.0).round_ties_even() / 256.0;
        assert_eq!(sector.field().ground(x, 7.0), Ground::Height(expected as f32));
    }
    let range = sector.field().pyramid().whole().unwrap();
    // The apron is no part of the sector's range: corners lie at ±8 m.
    assert_eq!((range.min, range.max), ((3 - 320) * 256, (3 + 320) * 256));
}

#[test]
fn one_cell_makes_a_sector() {
    let grid = Grid::new(8.0, 8.0, 1.0 / 32.0).unwrap();
    let data = SectorData::from_fn(grid, |x, z| x + 10.0 * z).unwrap();
    let file = encode(SectorCoord::default(), &data);
    let field = decode(&file.bytes).unwrap().field();
    assert_eq!(field.ground(-4.0, -4.0), Ground::Height(-44.0));
    assert_eq!(field.ground(0.0, 0.0), Ground::Height(0.0));
    assert_eq!(field.ground(3.0, -1.0), Ground::Height(-7.0));
    assert_eq!(field.ground(-3.0, 2.0), Ground::Height(17.0));
}

#[test]
fn the_pyramid_and_the_steepness_bound_every_cell() {
    let data = crowded_sector();
    let file = crowded_file();
    let field = decode(&file.bytes).unwrap().field();
    let range = field.pyramid().range(0, 0, 0).unwrap();
    let mut seen = (i32::MAX, i32::MIN);
    let mut steepest = 0.0_f64;
    for row in 0..8_i32 {
        for column in 0..8_i32 {
            if field.cell_kind(column, row) != CellKind::Solid {
                continue;
            }
            let at = |c: i32, r: i32| f64::from(data.quanta()[((r + 1) * 11 + c + 1) as usize]);
            let [nw, ne] = [at(column, row), at(column + 1, row)];
            let [sw, se] = [at(column, row + 1), at(column + 1, row + 1)];
            for quanta in [nw, ne, sw, se] {
                seen = (seen.0.min(quanta as i32), seen.1.max(quanta as i32));
            }
            for (x, z) in [(ne - nw, se - ne), (se - sw, sw - nw)] {
                let slope = (x * x + z * z).sqrt() / 256.0;
                steepest = greater(slope, steepest);
            }
        }
    }
    assert_eq!((range.min, range.max), seen);
    let byte = f64::from(field.cell_steepness(0, 0));
    assert!(byte / 32.0 >= steepest && (byte - 1.0) / 32.0 < steepest * 1.001, "{byte} {steepest}");
}

#[test]
fn a_future_version_and_a_foreign_file_are_named() {
    let mut file = crowded_file();
    file.bytes[8] = 9;
    let error = decode(&file.bytes).unwrap_err().to_string();
    assert_eq!(error, "sector format version 9, expected version 1");
    let error = decode(b"\x89PNG\r\n\x1a\n....").unwrap_err().to_string();
    assert!(error.contains("not a sector file"), "{error}");
}

/// The file with other bytes in its header or table, and a checksum that fits them: what no accident
/// makes, but somebody might.
fn forged(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = crowded_file().bytes;
    file[offset..][..bytes.len()].copy_from_slice(bytes);
    let sections = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let end = (64 + 32 * sections).next_multiple_of(64).min(file.len());
    let mut region = file[..end].to_vec();
    region[24..32].fill(0);
    let checksum = xxhash_rust::xxh3::xxh3_64(&region);
    file[24..32].copy_from_slice(&checksum.to_le_bytes());
    file
}

#[test]
fn a_forged_header_is_refused_by_what_is_wrong_with_it() {
    let first_row = 64;
    let refused = |offset: usize, bytes: &[u8]| decode(&forged(offset, bytes)).unwrap_err();
    assert!(decode(&forged(32, &[])).is_ok(), "the forger's checksum is right");
    let length = crowded_file().bytes.len() as u64;
    for wrong in [length - 64, length + 64, 0, u64::MAX] {
        let error = refused(16, &wrong.to_le_bytes());
        let found = SectorError::Length { need_bytes: wrong, have_bytes: length };
        assert_eq!(error, found);
    }
    for (offset, bytes, says) in [
        (12, &65_u32.to_le_bytes()[..], "section count is 65"),
        // A shorter table ends sooner, so the first section is not where it must begin.
        (12, &2_u32.to_le_bytes()[..], "heights: at byte 256 with 242 bytes, expected byte 128"),
        (40, &[20][..], "cell, cells and quantum are 2^20 m, 2^3 and 2^-8 m: cell is 1048576 m"),
        (41, &[11][..], "cell, cells and quantum are 2^0 m, 2^11 and 2^-8 m: a sector of 2048 m"),
        // Each by itself may be, but no sector is 4 m wide, or 32 km.
        (41, &[2][..], "cell, cells and quantum are 2^0 m, 2^2 and 2^-8 m: sector size is 4 m"),
        (
            40,
            &[0xfe][..],
            "are 2^-2 m, 2^3 and 2^-8 m: sector size is 2 m, expected a power of two",
        ),
        (40, &[10, 5][..], "are 2^10 m, 2^5 and 2^-8 m: sector size is 32768 m"),
        (43, &[2][..], "encoding is 2"),
        (44, &(-(1 << 23) - 1_i32).to_le_bytes()[..], "base is -8388609"),
        // Of samples of 16 bits, too, the base included.
        (44, &(1_i32 << 23).to_le_bytes()[..], "heights: sample is"),
        (52, &11_u16.to_le_bytes()[..], "covered columns is 11"),
        (60, &[1][..], "reserved byte is 1"),
        (first_row, &99_u32.to_le_bytes()[..], "section 99 is required"),
        (first_row + 32, &1_u32.to_le_bytes()[..], "out of order"),
        (first_row + 4, &2_u32.to_le_bytes()[..], "flags is 2"),
        (first_row + 8, &64_u64.to_le_bytes()[..], "heights: at byte 64"),
        (first_row + 16, &u64::MAX.to_le_bytes()[..], "heights: needs"),
        (first_row + 16, &200_u64.to_le_bytes()[..], "byte after the section"),
        (first_row + 24, &[0xff; 8][..], "heights: the stored checksum is ffffffffffffffff"),
    ] {
        let text = refused(offset, bytes).to_string();
        assert!(text.contains(says), "byte {offset}: {text}, expected {says}");
    }
}

#[test]
fn a_section_that_may_be_skipped_is_and_one_that_is_needed_must_be_there() {
    // Sections ascend, so the last one, steepness, is renumbered to one that nobody knows: refused
    // while it is required, skipped where it is not; then steepness is what is missing.
    let sections = u32::from_le_bytes(crowded_file().bytes[12..16].try_into().unwrap()) as usize;
    let last_row = 64 + 32 * (sections - 1);
    let unknown = [99_u32.to_le_bytes(), 1_u32.to_le_bytes()].concat();
    let error = decode(&forged(last_row, &unknown)).unwrap_err();
    assert_eq!(error, SectorError::UnknownRequired { id: 99 });
    let optional = [99_u32.to_le_bytes(), 0_u32.to_le_bytes()].concat();
    let error = decode(&forged(last_row, &optional)).unwrap_err();
    assert_eq!(error, SectorError::Missing { section: Section::Steepness });
}

#[test]
fn an_optional_section_of_a_later_version_changes_no_answer() {
    let file = crowded_file().bytes;
    let sections = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let (table_end, new_table_end) = (64 + 32 * sections, 64 + 32 * (sections + 1));
    let (end, new_end) = (table_end.next_multiple_of(64), new_table_end.next_multiple_of(64));
    let grown = new_end - end;
    let mut later = file[..table_end].to_vec();
    for row in 0..sections {
        let offset = &mut later[64 + 32 * row + 8..][..8];
        let moved = u64::from_le_bytes(offset[..8].try_into().unwrap()) + grown as u64;
        offset.copy_from_slice(&moved.to_le_bytes());
    }
    let stored = [&[7_u8; 5][..], &[0; 123]].concat(); // five bytes, and zeros to a multiple of 64
    later.extend(99_u32.to_le_bytes());
    later.extend(0_u32.to_le_bytes());
    later.extend(((file.len() + grown) as u64).to_le_bytes());
    later.extend(5_u64.to_le_bytes());
    later.extend(xxhash_rust::xxh3::xxh3_64(&stored).to_le_bytes());
    later.resize(new_end, 0);
    later[12..16].copy_from_slice(&(sections as u32 + 1).to_le_bytes());
    let length = (file.len() + grown + stored.len()) as u64;
    later[16..24].copy_from_slice(&length.to_le_bytes());
    later[24..32].fill(0);
    let checksum = xxhash_rust::xxh3::xxh3_64(&later);
    later[24..32].copy_from_slice(&checksum.to_le_bytes());
    later.extend(&file[end..]);
    later.extend(&stored);
    let answered = answers(decode(&later).unwrap().field());
    assert_eq!(answered, answers(decode(&file).unwrap().field()));
}

#[test]
fn a_base_from_which_the_highest_sample_is_just_within_the_heights_is_taken() {
    let bytes = crowded_file().bytes;
    let field = decode(&bytes).unwrap().field();
    let square = (-1..=9).flat_map(|row| (-1..=9).map(move |column| (column, row)));
    let highest = square.map(|(column, row)| field.quanta(column, row)).max().unwrap();
    let most = (1 << 23) - (highest - field.base());
    let lifted = forged(44, &most.to_le_bytes());
    let lifted = decode(&lifted).unwrap().field();
    assert!(!lifted.is_wide());
    assert_eq!(lifted.quanta(2, 2) - lifted.base(), field.quanta(2, 2) - field.base());
    let error = decode(&forged(44, &(most + 1).to_le_bytes())).unwrap_err();
    let expected = "heights: sample is";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn a_height_that_cannot_be_is_told_of_the_first_sample_that_bounds_ground() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let solid = SurfaceLayer::Uniform(marchland_terrain::SurfaceId(0));
    // In the cells of the first three columns is no ground, and heights there mean nothing.
    let kinds: Vec<_> = (0..100)
        .map(|index| if index % 10 < 3 { CellKind::Hole } else { CellKind::Solid })
        .collect();
    let mut quanta = vec![0; 121];
    (quanta[0], quanta[2], quanta[11 * 10]) = (i32::MAX, i32::MIN, i32::MAX);
    let made =
        |quanta: &[i32]| SectorData::new(grid, quanta.to_vec(), Some(kinds.clone()), solid.clone());
    made(&quanta).unwrap();
    quanta[11 * 4 + 3] = -(1 << 23) - 1;
    quanta[11 * 4 + 7] = i32::MAX;
    let error = made(&quanta).unwrap_err().to_string();
    let expected = "height -32768.00390625 m at column 2, row 3: expected within 32768 m of 0";
    assert_eq!(error, expected);
    // The apron's corner, where all is ground.
    (quanta[11 * 4 + 3], quanta[11 * 4 + 7], quanta[120]) = (0, 0, 1 << 24);
    let error = made(&quanta).unwrap_err().to_string();
    assert!(error.contains("65536 m at column 9, row 9"), "{error}");
}
