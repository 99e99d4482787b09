//! Files that are cut, changed or lack something are refused, and props that a sector cannot hold.

use std::sync::Arc;

use marchland_terrain::error::{Section, SectorError};
use marchland_terrain::format::{decode, with_props};
use marchland_terrain::{LoadedSector, PropRecord};
use xxhash_rust::xxh3::xxh3_64;

use crate::{base, file, load, meshes, props, uses};

#[test]
fn a_sector_without_its_meshes_is_refused_and_says_which_are_missing() {
    let bytes = file().bytes;
    let expected = load(bytes.clone()).unwrap().layout().mesh_hashes(&bytes);
    let missing = SectorError::Meshes { missing: expected.clone() };
    assert_eq!(decode(&bytes).unwrap_err(), missing);
    assert_eq!(LoadedSector::new(bytes.clone()).unwrap_err(), missing);
    assert!(
        missing
            .to_string()
            .starts_with(&format!("2 meshes are missing, the first is {}", expected[0]))
    );
    let meshes = meshes();
    let mut wrong = |hash| (hash == expected[0]).then(|| Arc::clone(&meshes[1]));
    assert_eq!(LoadedSector::with_meshes(bytes, &mut wrong).unwrap_err(), missing);
}

#[test]
fn every_truncation_is_refused() {
    let bytes = file().bytes;
    for length in 0..bytes.len() {
        let error = load(bytes[..length].to_vec()).unwrap_err();
        assert!(!matches!(error, SectorError::Meshes { .. }), "{length} bytes");
    }
    assert!(load([bytes, vec![0]].concat()).is_err());
}

#[test]
fn every_flipped_bit_is_refused() {
    let mut bytes = file().bytes;
    load(bytes.clone()).unwrap();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(load(bytes.clone()).is_err(), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn three_sections_are_all_there_or_none() {
    let bytes = file().bytes;
    let rows = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    for (row, section) in
        [(rows - 3, Section::Props), (rows - 2, Section::PropTree), (rows - 1, Section::Meshes)]
    {
        // Renumbered to one between, or behind, that may be skipped.
        let mut bytes = bytes.clone();
        let row = 64 + 32 * row;
        bytes[row] = if section == Section::Props { 15 } else { 99 };
        bytes[row + 4] = 0;
        let end = (64 + 32 * rows).next_multiple_of(64);
        bytes[24..32].fill(0);
        let checksum = xxh3_64(&bytes[..end]);
        bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
        let error = load(bytes).unwrap_err();
        if section == Section::PropTree {
            assert_eq!(error, SectorError::Order { section: Section::Meshes });
        } else {
            assert_eq!(error, SectorError::Missing { section });
        }
    }
}

#[test]
fn what_a_sector_cannot_hold_is_refused_before_it_is_written() {
    let refused = |change: &dyn Fn(&mut PropRecord)| {
        let mut props = props();
        change(&mut props[7]);
        match with_props(&base(), &props, &uses()).unwrap_err() {
            SectorError::Prop { at, field, .. } => (at, field),
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(&|r| r.mesh = 3), (7, "mesh"));
    assert_eq!(refused(&|r| r.position.y = f32::NAN), (7, "y"));
    assert_eq!(refused(&|r| r.position.x = 4.0), (7, "x"));
    assert_eq!(refused(&|r| r.position.z = 0.3), (7, "z"));
    assert_eq!(refused(&|r| r.sector.x += 40_000), (7, "owner x"));
    assert_eq!(refused(&|r| r.sector.z -= 40_000), (7, "owner z"));
    // The later of two with one name.
    assert_eq!(
        refused(&|r| (r.sector, r.index) = (props()[2].sector, props()[2].index)),
        (7, "index")
    );
    let mut wide = uses();
    wide[2].bounds.max.x = 70_000.0;
    let error = with_props(&base(), &props(), &wide).unwrap_err();
    assert!(
        matches!(error, SectorError::Prop { at: 0, field: "reach from its origin", .. }),
        "{error}"
    );
    let error = with_props(&file().bytes, &props(), &uses()).unwrap_err();
    assert_eq!(error, SectorError::Order { section: Section::Props });
    assert!(with_props(&base()[..300], &props(), &uses()).is_err());
}

#[test]
fn a_prop_at_the_greatest_height_of_ground_is_held_and_one_above_it_is_not() {
    let most = marchland_terrain::limits::PROP_HEIGHT_MAX as f32;
    let at = |y: f32| {
        let mut one = props()[0];
        one.position.y = y;
        let file = with_props(&base(), &[one], &uses())?;
        Ok(load(file.bytes)?.view().props().record(0).position.y)
    };
    assert_eq!([at(most), at(-most)], [Ok(most), Ok(-most)]);
    for beyond in [most.next_up(), -most.next_up(), f32::INFINITY] {
        let refused: Result<f32, SectorError> = at(beyond);
        assert!(matches!(refused, Err(SectorError::Prop { field: "y", .. })), "{beyond}");
    }
}
