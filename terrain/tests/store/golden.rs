//! Files of every version that was ever released, and what they say. Those of version 1 may be
//! replaced until the first release: run this test with `MARCHLAND_WRITE_GOLDEN=1` set.

use std::fs;
use std::path::PathBuf;

use marchland_terrain::format::{EncodedSector, MeshUse, SectorLayout, decode, encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::Placement;
use marchland_terrain::store::{
    Manifest, MeshRecord, SectorBounds, SectorRecord, WorldProps, encode_manifest,
};
use marchland_terrain::{
    CellKind, Collision, Grid, Ground, MeshHash, PropRecord, SectorCoord, SectorData, SurfaceId,
    SurfaceLayer,
};

use super::worlds::{facts, record};

/// Everything that a sector may hold: holes, cells outside that are no rectangle, surfaces, heights
/// far below zero, a negative coordinate.
fn narrow_sector() -> EncodedSector {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let kinds = (0..100)
        .map(|index| match (index % 10, index / 10) {
            (3, 4) | (4, 4) | (9, 9) => CellKind::Hole,
            (0, _) | (1, 1) => CellKind::Outside,
            _ => CellKind::Solid,
        })
        .collect();
    let data = SectorData::from_fn(grid, |x, z| -300.0 + 0.75 * x - 0.5 * z + 0.125 * x * z)
        .unwrap()
        .with_kinds(kinds)
        .unwrap()
        .with_surfaces(SurfaceLayer::PerCell((0..64).map(|cell| cell % 3).collect()))
        .unwrap();
    encode(SectorCoord::new(-3, 70_000), &data)
}

/// A relief that does not fit 16 bits, and a pyramid of two levels.
fn wide_sector() -> EncodedSector {
    let grid = Grid::new(2.0, 32.0, 1.0 / 128.0).unwrap();
    let data = SectorData::from_fn(grid, |x, z| 4.0 * x * z + 3.0).unwrap();
    encode(SectorCoord::new(i32::MAX, i32::MIN), &data)
}

/// The narrow sector with nine props, so that their tree has a node: three of other sectors, two
/// meshes.
fn crowded_sector() -> EncodedSector {
    let meshes = [0x0123_u128 << 112, 0xfedc_u128 << 112 | 7].map(MeshHash);
    let bounds = Aabb { min: Vec3::new(-0.5, 0.0, -1.0), max: Vec3::new(1.5, 2.25, 1.0) };
    let uses = meshes.map(|hash| MeshUse { hash, bounds });
    let props: Vec<_> = (0..9_u8)
        .map(|number| PropRecord {
            sector: SectorCoord::new(-3 + i32::from(number > 6), 70_000 - i32::from(number == 1)),
            index: u32::from(number) + 3,
            mesh: u32::from(number % 2),
            position: Vec3::new(
                (f32::from(number) - 4.0) * 0.875,
                -300.5,
                3.0 - f32::from(number) / 4.0,
            ),
            placement: Placement::new(
                Rotation::from_degrees([0.0, 90.0 * f64::from(number), 0.0]),
                1.0 + f32::from(number) / 8.0,
            )
            .unwrap(),
            surface: SurfaceId(number % 3),
            collision: if number == 4 { Collision::Solid } else { Collision::Soup },
            layers: 1 << number | 1 << 31,
        })
        .collect();
    with_props(&narrow_sector().bytes, &props, &uses).unwrap()
}

fn manifest_records() -> Vec<SectorRecord> {
    (0..110)
        .map(|index: i32| SectorRecord {
            coord: SectorCoord::new(index % 11 - 4, index / 11 - 60),
            content_hash: 0x0123_4567_89ab_cdef_u128 << 64 | index as u128,
            file_bytes: 2000 + index as u64,
            height_range: (index != 7).then_some((-index, 3 * index)),
        })
        .collect()
}

fn manifest_props() -> WorldProps {
    let mesh = |number: u64| MeshRecord {
        hash: MeshHash(u128::from(9 - number) << 121 | u128::from(number)),
        file_bytes: 1000 * number,
    };
    let meshes = (0..5).map(mesh).collect();
    WorldProps { meshes, props: 1234, unique_triangles: 500, placed_triangles: 123_400 }
}

fn manifest_bytes() -> Vec<u8> {
    encode_manifest(&facts(), manifest_records(), manifest_props(), &record(0.5)).unwrap()
}

/// The file as it was released.
fn golden(name: &str, now: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MARCHLAND_WRITE_GOLDEN").is_some() {
        fs::write(&path, now).unwrap();
    }
    fs::read(&path).unwrap()
}

#[test]
fn the_same_data_gives_the_bytes_of_version_1() {
    for (name, now) in [
        ("narrow-1.sector", narrow_sector().bytes),
        ("wide-1.sector", wide_sector().bytes),
        ("props-1.sector", crowded_sector().bytes),
        ("manifest-1", manifest_bytes()),
    ] {
        let golden = golden(name, &now);
        let first = golden.iter().zip(&now).position(|(a, b)| a != b);
        assert!(golden == now, "{name}: {} bytes, now {}, {first:?}", golden.len(), now.len());
    }
}

#[test]
fn a_narrow_sector_of_version_1_says_what_it_said() {
    let bytes = golden("narrow-1.sector", &narrow_sector().bytes);
    let sector = decode(&bytes).unwrap();
    assert_eq!(sector.coord(), SectorCoord::new(-3, 70_000));
    let field = sector.field();
    assert_eq!((field.cells(), field.is_wide(), field.has_holes()), (8, false, true));
    assert_eq!(field.ground(2.0, -3.0), Ground::Height(-297.75));
    assert_eq!(field.ground(2.5, -3.5), Ground::Height(-297.4375));
    assert_eq!(field.ground(-1.5, -0.5), Ground::Hole);
    assert_eq!(field.ground(-3.5, -3.5), Ground::Outside);
    assert_eq!(field.surface(3.5, 3.5).map(|surface| surface.0), Some(63 % 3));
    let range = field.pyramid().whole().unwrap();
    assert_eq!((range.min, range.max), (-307 * 256, -297 * 256));
    assert_eq!(field.steepness(), [52]);
}

#[test]
fn a_wide_sector_of_version_1_says_what_it_said() {
    let bytes = golden("wide-1.sector", &wide_sector().bytes);
    let sector = decode(&bytes).unwrap();
    assert_eq!(sector.coord(), SectorCoord::new(i32::MAX, i32::MIN));
    let field = sector.field();
    assert_eq!((field.cells(), field.is_wide(), field.has_holes()), (16, true, false));
    assert_eq!(field.ground(-16.0, -16.0), Ground::Height(1027.0));
    assert_eq!(field.ground(14.0, -10.0), Ground::Height(-557.0));
    let range = field.pyramid().whole().unwrap();
    assert_eq!((range.min, range.max), (-1021 * 128, 1027 * 128));
}

#[test]
fn a_sector_with_props_of_version_1_says_what_it_said() {
    let bytes = golden("props-1.sector", &crowded_sector().bytes);
    let layout = SectorLayout::check(&bytes).unwrap();
    let meshes = [0x0123_u128 << 112, 0xfedc_u128 << 112 | 7].map(MeshHash);
    assert_eq!(layout.mesh_hashes(&bytes), meshes);
    // The records, by hand: nothing that reads them is of use without meshes.
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let row = (64..).step_by(32).find(|&row| u32_at(row) == 16).unwrap();
    let (begin, length) = (u32_at(row + 8) as usize, u32_at(row + 16) as usize);
    assert_eq!(length, 9 * 52);
    let records = bytes[begin..begin + length].chunks_exact(52);
    let found = records.clone().find(|record| record[4] == 4 + 3).unwrap();
    let mut expected = vec![0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
    // Turned by 360 degrees, which is not at all.
    for value in [0.0_f32, -300.5, 2.0, 0.0, 0.0, 0.0, 1.0, 1.5] {
        expected.extend(value.to_le_bytes());
    }
    expected.extend([16, 0, 0, 128, 1, 1, 0, 0]);
    assert_eq!(found, expected);
    let others = records.filter(|record| record[..4] != [0; 4]).map(|record| record[4]);
    let mut others: Vec<_> = others.collect();
    others.sort_unstable();
    assert_eq!(others, [4, 10, 11]);
}

#[test]
fn a_manifest_of_version_1_says_what_it_said() {
    let bytes = golden("manifest-1", &manifest_bytes());
    let manifest = Manifest::open(PathBuf::from("manifest-1"), Box::new(bytes)).unwrap();
    let info = manifest.info();
    assert_eq!(info.facts, facts());
    assert_eq!(info.record, record(0.5));
    assert_eq!((info.sectors, info.sector_bytes), (110, 225_995));
    assert_eq!((info.meshes, info.mesh_bytes, info.props), (5, 10_000, 1234));
    assert_eq!((info.unique_triangles, info.placed_triangles), (500, 123_400));
    let mut meshes = manifest_props().meshes;
    meshes.reverse();
    assert_eq!(manifest.meshes().unwrap(), meshes);
    assert_eq!(manifest.find_mesh(meshes[3].hash).unwrap(), Some(meshes[3]));
    assert_eq!(manifest.find_mesh(MeshHash(1)).unwrap(), None);
    let (min, max) = (SectorCoord::new(-4, -60), SectorCoord::new(6, -51));
    assert_eq!(info.bounds, Some(SectorBounds { min, max }));
    assert!(info.is_dense());
    assert_eq!(info.height_range, Some((-109, 327)));
    for record in manifest_records() {
        assert_eq!(manifest.find(record.coord).unwrap(), Some(record));
    }
    assert_eq!(manifest.find(SectorCoord::new(7, -55)).unwrap(), None);
}
