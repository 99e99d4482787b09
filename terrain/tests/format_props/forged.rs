//! Files whose checksums fit and whose content does not.

use marchland_terrain::error::SectorError;
use marchland_terrain::format::{encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::layout::sector as layout;
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::Placement;
use marchland_terrain::{PropRecord, SectorCoord, SectorData};
use xxhash_rust::xxh3::xxh3_64;

use crate::{base, file, grid, load, props, uses};

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
