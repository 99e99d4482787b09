//! What is read is what was written, and is found where it lies.

use std::sync::Arc;

use marchland_random::Random;
use marchland_terrain::error::SectorError;
use marchland_terrain::format::{encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Aabb;
use marchland_terrain::{
    Collision, LoadedMesh, LoadedSector, PropRecord, ResidentSectors, SectorCoord, SectorData,
    SectorState,
};

use crate::{HOME, base, file, grid, load, meshes, props, tent, uses};

#[test]
fn what_is_written_is_what_is_read() {
    let file = file();
    assert_eq!(file.coord, HOME);
    let sector = load(file.bytes.clone()).unwrap();
    assert_eq!(sector.layout().content_hash(), file.content_hash);
    let props_read = sector.view().props();
    assert_eq!(props_read.len(), 13);
    let uses = uses();
    for record in props() {
        let at = (0..13).find(|&at| props_read.record(at).id() == record.id()).unwrap();
        let read = props_read.record(at);
        assert_eq!(PropRecord { mesh: record.mesh, ..read }, record);
        assert_eq!(props_read.mesh_hash(&read), uses[record.mesh as usize].hash);
    }
    // The mesh that nobody uses is not named; owned props are counted, those that reach in are not.
    let hashes = sector.layout().mesh_hashes(&file.bytes);
    assert_eq!(hashes.len(), 2);
    assert!(!hashes.contains(&uses[1].hash));
    let owned = |mesh| props().iter().filter(|r| r.mesh == mesh && r.sector == HOME).count() as u64;
    let counts: Vec<_> = file.meshes.iter().map(|count| (count.hash, count.props)).collect();
    let mut expected = vec![(uses[0].hash, owned(0)), (uses[2].hash, owned(2))];
    expected.sort_unstable();
    assert_eq!(counts, expected);
    assert!(owned(0) + owned(2) < 13);
    // Nothing else has changed.
    let (with, without) = (sector.view().field(), LoadedSector::new(base()).unwrap());
    assert_eq!(with.quanta(3, 4), without.view().field().quanta(3, 4));
    assert_eq!(with.steepness(), without.view().field().steepness());
}

#[test]
fn a_solid_needs_a_closed_mesh() {
    for (mesh, is_closed) in [(1, true), (0, false)] {
        let solid = PropRecord { mesh, collision: Collision::Solid, ..props()[0] };
        match load(with_props(&base(), &[solid], &uses()).unwrap().bytes) {
            Ok(sector) => {
                assert!(is_closed);
                assert_eq!(sector.view().props().record(0).collision, Collision::Solid);
            }
            Err(error) => {
                assert!(!is_closed);
                assert!(matches!(error, SectorError::Prop { field: "collision", .. }), "{error}");
            }
        }
    }
}

#[test]
fn the_order_of_props_and_meshes_does_not_matter() {
    let (mut turned, mut swapped) = (props(), uses());
    turned.rotate_left(5);
    turned.swap(0, 11);
    swapped.swap(0, 2);
    swapped.push(swapped[0]);
    for record in &mut turned {
        record.mesh = if record.mesh == 0 { 2 } else { 3 };
    }
    assert_eq!(with_props(&base(), &turned, &swapped).unwrap().bytes, file().bytes);
}

#[test]
fn no_props_are_no_bytes() {
    let none = with_props(&base(), &[], &uses()).unwrap();
    assert_eq!(none.bytes, base());
    let plain = encode(HOME, &SectorData::from_fn(grid(), |x, z| 0.1 * x - 0.2 * z).unwrap());
    assert_eq!((none.content_hash, none.height_range), (plain.content_hash, plain.height_range));
    assert_eq!(file().height_range, plain.height_range);
}

#[test]
fn a_reader_that_does_not_know_props_must_refuse_them() {
    let bytes = file().bytes;
    let rows = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let rows: Vec<_> =
        bytes[64..].chunks_exact(32).take(rows).map(|row| (row[0], row[4])).collect();
    assert_eq!(rows[rows.len() - 3..], [(16, 1), (17, 1), (18, 1)]);
}

#[test]
fn a_sector_at_another_place_has_its_props_there() {
    let sector = Arc::new(load(file().bytes).unwrap());
    let mut few = ResidentSectors::new(grid());
    let places = [SectorCoord::new(5, -7), HOME, SectorCoord::new(i32::MIN, i32::MAX)];
    for place in places {
        few.insert(place, Arc::clone(&sector)).unwrap();
    }
    let endless = ResidentSectors::endless(Arc::clone(&sector));
    for (sectors, place) in [(&few, places[0]), (&few, HOME), (&endless, SectorCoord::new(9, 9))] {
        let SectorState::Resident(view) = sectors.view().sector(place) else { panic!("{place}") };
        assert_eq!((view.coord(), view.place()), (HOME, place));
        for at in 0..13 {
            let (here, home) = (view.props().record(at), sector.view().props().record(at));
            assert_eq!(here.sector.x - place.x, home.sector.x - HOME.x);
            assert_eq!(here.sector.z - place.z, home.sector.z - HOME.z);
            assert_eq!(PropRecord { sector: home.sector, ..here }, home);
        }
    }
}

/// A prop's corners, metres from the centre of a sector, in `f64`.
fn corners(record: &PropRecord, mesh: &LoadedMesh, sector: SectorCoord) -> Vec<[f64; 3]> {
    let placer = record.placement.placer();
    let steps = [record.sector.x - sector.x, 0, record.sector.z - sector.z];
    let view = mesh.view();
    let triangles = (0..view.triangles()).flat_map(|triangle| view.triangle(triangle));
    triangles
        .map(|vertex| {
            let (origin, placed) = (record.position.to_array(), placer.place(vertex).to_array());
            [0, 1, 2].map(|axis| {
                8.0 * f64::from(steps[axis]) + f64::from(origin[axis]) + f64::from(placed[axis])
            })
        })
        .collect()
}

#[test]
fn a_prop_is_found_wherever_a_corner_of_it_lies() {
    let sector = load(file().bytes).unwrap();
    let props = sector.view().props();
    let meshes = meshes();
    for at in 0..props.len() {
        let record = props.record(at);
        let mesh = meshes.iter().find(|mesh| mesh.hash() == props.mesh_hash(&record)).unwrap();
        for [x, y, z] in corners(&record, mesh, HOME) {
            let near = Aabb::at(Vec3::new(x as f32, y as f32, z as f32));
            let mut found = false;
            props.in_box(&near, |range| found |= range.contains(&at));
            assert!(found, "prop {at} at {x}, {y}, {z}");
        }
        let (low, high) = record.sectors_reached(grid().sector_size(), &mesh.view().bounds());
        for [x, _, z] in corners(&record, mesh, SectorCoord::default()) {
            let holds = |metres: f64, low: i32, high: i32| {
                let sector = (metres / 8.0 + 0.5).floor() as i32;
                (low..=high).contains(&sector)
            };
            assert!(holds(x, low.x, high.x) && holds(z, low.z, high.z), "prop {at} at {x}, {z}");
        }
        assert!(high.x - low.x <= 2 && high.z - low.z <= 2, "{low} to {high}");
    }
    let far = Aabb::at(Vec3::new(0.0, 1000.0, 0.0));
    props.in_box(&far, |range| panic!("{range:?} at a height of 1000 m"));
}

#[test]
fn boxes_are_rounded_outward_far_from_the_sector() {
    let (record, mesh) = (props()[3], tent(2.25));
    let bounds = mesh.view().bounds();
    for step in [1, -1, 999, -20_000, 30_001] {
        let from = SectorCoord::new(record.sector.x + step, record.sector.z - step);
        let found = record.box_in(from, grid().sector_size(), &bounds);
        for corner in corners(&record, &mesh, from) {
            let bounds = found.min.to_array().into_iter().zip(found.max.to_array());
            for ((low, high), metres) in bounds.zip(corner) {
                assert!(f64::from(low) <= metres && metres <= f64::from(high));
            }
        }
    }
}

#[test]
fn a_prop_takes_tens_of_bytes_in_a_sector() {
    let mut random = Random::new(7);
    let mut part = |most: u64| random.below(most);
    let many: Vec<_> = (0..2000)
        .map(|index| {
            let position = [part(32_000), part(800), part(32_000)].map(|n| n as f32 / 4096.0 - 4.0);
            let position = Vec3::from_array(position);
            PropRecord { sector: HOME, index, position, ..props()[0] }
        })
        .collect();
    let grown = with_props(&base(), &many, &uses()).unwrap().bytes.len() - base().len();
    assert!(grown <= 2000 * 64, "{} bytes for each", grown as f64 / 2000.0);
}
