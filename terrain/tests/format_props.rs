//! Props in a sector's file: whole or refused, the same for any order, and found from any place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use marchland_random::Random;
use marchland_terrain::error::{Section, SectorError};
use marchland_terrain::format::{EncodedSector, MeshUse, decode, encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::layout::sector as layout;
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh};
use marchland_terrain::{
    Collision, Grid, LoadedMesh, LoadedSector, PropRecord, ResidentSectors, SectorCoord,
    SectorData, SectorState, SurfaceId,
};
use xxhash_rust::xxh3::xxh3_64;

const HOME: SectorCoord = SectorCoord::new(-3, 70_000);

/// A tent: two slopes, open below. Not around its origin.
fn tent(height: f32) -> Arc<LoadedMesh> {
    let vertices =
        [[0.5, 0.0], [2.5, 0.0], [2.5, 3.0], [0.5, 3.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let ridge = [Vec3::new(1.5, height, 0.0), Vec3::new(1.5, height, 3.0)];
    let source = MeshSource {
        vertices: vertices.into_iter().chain(ridge).collect(),
        triangles: vec![[0, 3, 5], [0, 5, 4], [1, 4, 5], [1, 5, 2]],
    };
    let (mesh, _) = PreparedMesh::new(&source).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

/// A closed box of one metre around its origin.
fn crate_mesh() -> Arc<LoadedMesh> {
    let vertices = (0..8)
        .map(|corner| {
            Vec3::new((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32) - 0.5
        })
        .collect();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

fn use_of(mesh: &LoadedMesh) -> MeshUse {
    MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() }
}

fn meshes() -> Vec<Arc<LoadedMesh>> {
    vec![tent(1.0), crate_mesh(), tent(2.25)]
}

fn uses() -> Vec<MeshUse> {
    meshes().iter().map(|mesh| use_of(mesh)).collect()
}

fn grid() -> Grid {
    Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap()
}

fn base() -> Vec<u8> {
    encode(HOME, &SectorData::from_fn(grid(), |x, z| 0.1 * x - 0.2 * z).unwrap()).bytes
}

/// Props of this sector and of others, none with the number of another of its sector.
fn props() -> Vec<PropRecord> {
    let record = |number: u32| PropRecord {
        sector: HOME.offset(i32::from(number % 4 == 3), -i32::from(number % 5 == 4)).unwrap(),
        index: 1000 - number,
        mesh: if number.is_multiple_of(3) { 2 } else { 0 },
        position: Vec3::new(number as f32 * 0.5 - 4.0, 3.25, 1.0 / 65_536.0 - number as f32 * 0.25),
        placement: Placement::new(
            Rotation::from_degrees([0.0, f64::from(number) * 31.0, 4.0]),
            1.0 + number as f32 * 0.125,
        )
        .unwrap(),
        surface: SurfaceId(number as u8),
        collision: Collision::Soup,
        layers: 1 << number,
    };
    (0..13).map(record).collect()
}

fn file() -> EncodedSector {
    with_props(&base(), &props(), &uses()).unwrap()
}

fn load(bytes: Vec<u8>) -> Result<LoadedSector, SectorError> {
    let meshes = meshes();
    let find = |hash| meshes.iter().find(|mesh| mesh.hash() == hash).cloned();
    LoadedSector::with_meshes(bytes, &mut { find })
}

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

/// The file with a section's payload changed, its length too, and all checksums made to fit: what no
/// accident makes, but somebody might.
fn forged(section: u32, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let bytes = file().bytes;
    let count = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let mut change = Some(change);
    let mut out = bytes[..number(64 + layout::row::OFFSET)].to_vec();
    for row in (0..count).map(|row| 64 + 32 * row) {
        let (begin, length) =
            (number(row + layout::row::OFFSET), number(row + layout::row::LENGTH));
        let mut payload = bytes[begin..begin + length].to_vec();
        if u32::from(bytes[row]) == section {
            change.take().unwrap()(&mut payload);
        }
        let begin = out.len();
        let length = payload.len();
        out.extend(payload);
        out.resize((begin + length + 64).next_multiple_of(64), 0);
        let checksum = xxh3_64(&out[begin..]);
        out[row + 8..][..8].copy_from_slice(&(begin as u64).to_le_bytes());
        out[row + 16..][..8].copy_from_slice(&(length as u64).to_le_bytes());
        out[row + 24..][..8].copy_from_slice(&checksum.to_le_bytes());
    }
    let length = out.len() as u64;
    out[16..24].copy_from_slice(&length.to_le_bytes());
    out[24..32].fill(0);
    let checksum = xxh3_64(&out[..number(64 + layout::row::OFFSET)]);
    out[24..32].copy_from_slice(&checksum.to_le_bytes());
    out
}

#[test]
fn a_forged_record_is_refused_by_what_is_wrong_with_it() {
    use layout::prop;
    load(forged(16, |_| {})).unwrap();
    let float = |value: f32| value.to_le_bytes().to_vec();
    let far = i16::MAX.to_le_bytes().to_vec();
    for (at, bytes, says) in [
        (prop::MESH, 2_u32.to_le_bytes().to_vec(), "prop 2: mesh is 2"),
        (prop::MESH, u32::MAX.to_le_bytes().to_vec(), "mesh is 4294967295"),
        (prop::POSITION, float(4.0), "x is 4,"),
        (prop::POSITION, float(-4.5), "x is -4.5"),
        (prop::POSITION, float(f32::NAN), "x is NaN"),
        (prop::POSITION, float(1.0 / 131_072.0), "x is 0.00000762939453125, expected a multiple"),
        (prop::POSITION + 4, float(f32::INFINITY), "y is inf"),
        (prop::POSITION + 4, float(-134_217_744.0), "y is -134217744"),
        (prop::POSITION + 4, float(0.1), "y is 0.1"),
        (prop::POSITION + 8, float(4.0), "z is 4,"),
        (prop::POSITION + 8, float(f32::NEG_INFINITY), "z is -inf"),
        (prop::ROTATION, float(f32::NAN), "rotation"),
        (prop::ROTATION, float(0.999), "rotation"),
        (prop::ROTATION, vec![0; 16], "rotation's squared length less 1, or w is -1"),
        (prop::ROTATION + 12, float(-0.9), "rotation"),
        (prop::SCALE, float(0.0), "scale is 0"),
        (prop::SCALE, float(-1.0), "scale is -1"),
        (prop::SCALE, float(1024.5), "scale is 1024.5"),
        (prop::SCALE, float(f32::NAN), "scale is NaN"),
        (prop::COLLISION, vec![2], "collision is 2"),
        (prop::COLLISION, vec![1], "collision is 1, expected 0 (triangles only)"),
        (prop::RESERVED, vec![1], "reserved byte is 1"),
        (prop::RESERVED + 1, vec![255], "reserved byte is 255"),
    ] {
        let error = load(forged(16, |records| {
            records[2 * 52 + at..][..bytes.len()].copy_from_slice(&bytes);
        }));
        let text = error.unwrap_err().to_string();
        assert!(
            text.starts_with("prop 2: ") && text.contains(says),
            "byte {at}: {text}, not {says}"
        );
    }
    // Two props of one name, and an owner beyond the last sector.
    let twice = load(forged(16, |records| records.copy_within(0..12, 52))).unwrap_err();
    assert!(matches!(twice, SectorError::Prop { field: "index", .. }), "{twice}");
    let data = SectorData::from_fn(grid(), |_, _| 0.0).unwrap();
    let edge = encode(SectorCoord::new(i32::MAX - 5, 0), &data).bytes;
    let mut record = props()[0];
    record.sector = SectorCoord::new(i32::MAX, 0);
    let bytes = with_props(&edge, &[record], &uses()).unwrap().bytes;
    let beyond = forge_record(bytes, &far);
    assert!(
        matches!(beyond, SectorError::Prop { field: "owner x", found: 32767.0, .. }),
        "{beyond}"
    );
    let south = encode(SectorCoord::new(0, i32::MAX - 5), &data).bytes;
    record.sector = SectorCoord::new(0, i32::MAX);
    let bytes = with_props(&south, &[record], &uses()).unwrap().bytes;
    let beyond = forge_record(bytes, &[0, 0, 7, 0]);
    assert!(matches!(beyond, SectorError::Prop { field: "owner z", found: 7.0, .. }), "{beyond}");
}

/// The error of a file of one prop whose record begins with other bytes.
fn forge_record(mut bytes: Vec<u8>, over: &[u8]) -> SectorError {
    let row = (64..).step_by(32).find(|&row| bytes[row] == 16).unwrap();
    let number = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    let begin = number(&bytes, row + layout::row::OFFSET);
    bytes[begin..][..over.len()].copy_from_slice(over);
    let checksum = xxh3_64(&bytes[begin..begin + (52_usize + 64).next_multiple_of(64)]);
    bytes[row + layout::row::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    let end = number(&bytes, 64 + layout::row::OFFSET);
    bytes[24..32].fill(0);
    let checksum = xxh3_64(&bytes[..end]);
    bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
    load(bytes).unwrap_err()
}

#[test]
fn forged_trees_and_lists_of_meshes_are_refused() {
    let refused = |section, change: fn(&mut Vec<u8>)| load(forged(section, change)).unwrap_err();
    let says = |error: SectorError, says: &str| {
        let text = error.to_string();
        assert!(text.contains(says), "{text}, expected {says}");
    };
    says(refused(16, Vec::clear), "props: bytes is 0, expected one or more whole entries");
    says(refused(16, |records| _ = records.pop()), "props: bytes is 675");
    says(refused(16, |records| records.truncate(52 * 12)), "prop tree: nodes");
    says(refused(17, |tree| tree.truncate(63)), "prop tree: bytes is 63");
    says(refused(17, |tree| tree.push(0)), "prop tree: bytes is");
    says(refused(17, |tree| tree[63] = 1), "prop tree: reserved byte is 1");
    says(refused(17, |tree| tree[12..16].fill(0xff)), "prop tree: box is 0, expected finite");
    says(refused(17, |tree| tree.copy_within(0..12, 12)), "prop tree");
    says(refused(17, |tree| tree.extend([0; 64])), "prop tree: nodes");
    says(refused(18, Vec::clear), "meshes: bytes is 0");
    says(refused(18, |hashes| hashes.truncate(16)), "mesh is 1");
    says(refused(18, |hashes| hashes.rotate_left(16)), "meshes: hash number is 0, expected less");
    says(refused(18, |hashes| hashes.extend([0xff; 16])), "meshes: hash number is 2, expected one");
}

#[test]
fn a_prop_that_reaches_more_sectors_than_are_looked_through_is_refused() {
    // The box of the tent is 2 m by 3 m at a scale of 1, and the sectors are 8 m wide.
    let upright = Placement::new(Rotation::IDENTITY, 1024.0).unwrap();
    let one = PropRecord { placement: upright, mesh: 0, ..props()[0] };
    let error = with_props(&base(), &[one], &uses()).unwrap_err();
    let is_it = |error: &SectorError, at| {
        let SectorError::Prop { at: prop, field, found, .. } = error else { return false };
        (*prop, *field) == (at, "number of sectors that it reaches") && *found > 4096.0
    };
    assert!(is_it(&error, 0), "{error}");
    // Somebody else may write it, with boxes that fit.
    let error = load(forged(16, |records| {
        records[2 * 52 + layout::prop::SCALE..][..4].copy_from_slice(&1024_f32.to_le_bytes());
    }));
    let error = error.unwrap_err();
    assert!(is_it(&error, 2), "{error}");
    // As many as there may be: 64 along each side.
    let square = Aabb { min: Vec3::splat(0.0), max: Vec3::new(503.9, 1.0, 503.9) };
    let reach = |metres: f32| {
        let mut uses = uses();
        uses[0].bounds = Aabb { max: square.max + Vec3::X * metres, ..square };
        let placement = Placement::new(Rotation::IDENTITY, 1.0).unwrap();
        let position = Vec3::new(-3.75, 0.0, -3.75);
        let one = PropRecord { placement, position, mesh: 0, ..props()[0] };
        with_props(&base(), &[one], &uses)
    };
    reach(0.0).unwrap();
    let error = reach(8.0).unwrap_err();
    assert!(matches!(error, SectorError::Prop { found: 4160.0, .. }), "{error}");
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
