//! The file: the same bytes back, everything else refused.

use marchland_terrain::glam::Vec3;
use marchland_terrain::layout::mesh::{
    FACE_NARROW_BYTES, FLAG_CLOSED, HEADER_BYTES, LEAF_TRIANGLES_MAX, NODE_BYTES, TAIL_BYTES,
    VERTICES_NARROW_MAX, field, node,
};
use marchland_terrain::math::Aabb;
use marchland_terrain::props::{MeshError, MeshFileError, MeshSource};
use marchland_terrain::{LoadedMesh, MeshHash};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::shapes::{ball, block, loaded, prepared, scattered, sheet};

fn small() -> MeshSource {
    block(Vec3::new(-0.5, 2.0, 0.25), Vec3::new(0.5, 5.0, 0.75))
}

/// The file of a mesh, changed, with a checksum that is right again.
fn forged(mesh: &MeshSource, change: impl FnOnce(&mut Vec<u8>)) -> MeshFileError {
    let mut bytes = prepared(mesh).0.encode();
    change(&mut bytes);
    bytes[field::CHECKSUM..][..8].fill(0);
    let checksum = xxh3_64(&bytes);
    bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    refused(bytes)
}

fn refused(bytes: Vec<u8>) -> MeshFileError {
    match LoadedMesh::new(bytes) {
        Err(MeshError::File(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..][..4].copy_from_slice(&word.to_le_bytes());
}

#[test]
fn a_mesh_comes_back_as_it_was() {
    for mesh in [small(), ball(30, 17), sheet(40, 23), scattered(333), ball(300, 230)] {
        let (prepared, report) = prepared(&mesh);
        let bytes = prepared.encode();
        assert_eq!(bytes, prepared.encode());
        let hash = MeshHash(xxh3_128(&bytes));
        let loaded = LoadedMesh::new(bytes.clone()).unwrap();
        assert_eq!((loaded.hash(), loaded.len_bytes()), (hash, bytes.len()));
        assert!(bytes[bytes.len() - TAIL_BYTES..].iter().all(|&byte| byte == 0));
        assert_eq!(bytes.len() % 64, 0);
        let view = loaded.view();
        assert_eq!(view.triangles() as usize, prepared.triangles());
        assert_eq!((view.is_closed(), view.bounds()), (report.closed, prepared.bounds()));
        // The same triangles, whatever their order.
        let key = |corners: [Vec3; 3]| {
            let mut corners = corners.map(|corner| corner.to_array().map(f32::to_bits));
            corners.sort_unstable();
            corners
        };
        let mut here: Vec<_> = (0..view.triangles()).map(|t| key(view.triangle(t))).collect();
        let corners = |t: &[u32; 3]| key(t.map(|c| mesh.vertices[c as usize] + Vec3::ZERO));
        let mut there: Vec<_> = mesh.triangles.iter().map(corners).collect();
        here.sort_unstable();
        there.sort_unstable();
        assert_eq!(here, there);
    }
}

#[test]
fn every_truncation_is_refused_and_so_is_more() {
    let bytes = prepared(&small()).0.encode();
    for length in 0..bytes.len() {
        match refused(bytes[..length].to_vec()) {
            MeshFileError::Magic { found } => assert!(length < 8 && found.len() == length),
            MeshFileError::Length { need_bytes, have_bytes } => {
                let need = if length < HEADER_BYTES { HEADER_BYTES } else { bytes.len() };
                assert_eq!((need_bytes, have_bytes), (need as u64, length as u64));
            }
            other => panic!("{length}: {other}"),
        }
    }
    for more in [1, 64, 4096] {
        let longer = [&bytes[..], &vec![0; more]].concat();
        assert!(matches!(refused(longer), MeshFileError::Length { .. }));
    }
}

#[test]
fn every_turned_bit_is_refused() {
    for mesh in [small(), sheet(5, 7)] {
        let bytes = prepared(&mesh).0.encode();
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = refused(bytes);
            let at = bit / 8;
            match error {
                MeshFileError::Magic { .. } => assert!(at < field::VERSION),
                MeshFileError::Version { found, supported: 2 } => {
                    assert!((field::VERSION..field::FLAGS).contains(&at) && found != 2);
                }
                MeshFileError::Value { .. } | MeshFileError::Length { .. } => {
                    assert!((field::FLAGS..HEADER_BYTES).contains(&at));
                }
                MeshFileError::Checksum { .. } => {}
                other => panic!("bit {bit}: {other}"),
            }
        }
    }
}

#[test]
fn forged_headers_are_refused_by_name() {
    for (at, word, name) in [
        (field::TRIANGLES, 0, "number of triangles"),
        (field::TRIANGLES, (1 << 28) + 1, "number of triangles"),
        (field::VERTICES, 2, "number of vertices"),
        (field::VERTICES, 37, "number of vertices"),
        (field::NODES, 12, "number of nodes"),
        (field::FLAGS, 3, "flags"),
        (field::FLAGS, 5, "flags"),
        (field::FACES, 13, "number of faces"),
        (field::FACES, 1 << 16, "number of faces"),
    ] {
        match forged(&small(), |bytes| put(bytes, at, word)) {
            MeshFileError::Value { field, .. } => assert_eq!(field, name),
            other => panic!("{name}: {other}"),
        }
    }
    let length = forged(&small(), |bytes| put(bytes, field::TRIANGLES, 1 << 28));
    assert!(matches!(length, MeshFileError::Length { need_bytes, .. } if need_bytes > 1 << 30));
}

#[test]
fn forged_contents_are_refused_by_name() {
    let mesh = small();
    let nodes = {
        let bytes = prepared(&mesh).0.encode();
        u32::from_le_bytes(*bytes[field::NODES..].first_chunk().unwrap()) as usize
    };
    assert!(mesh.triangles.len() > LEAF_TRIANGLES_MAX as usize && nodes > 0);
    let vertices = HEADER_BYTES + nodes * NODE_BYTES;
    let triangles = (vertices + 8 * 12).next_multiple_of(64);
    let edges = (triangles + 12 * 6).next_multiple_of(64);
    let float = |at: usize, metres: f32| forged(&mesh, |bytes| put(bytes, at, metres.to_bits()));
    for bad in [f32::NAN, f32::NEG_INFINITY, 1e9, 100.0] {
        let error = float(vertices + 3 * 12 + 4, bad);
        assert!(matches!(error, MeshFileError::Vertex { vertex: 3, .. }), "{error}");
    }
    // Larger bounds than need be, and ones that are none.
    assert!(matches!(float(field::BOUNDS + 12, 0.75), MeshFileError::Bounds { .. }));
    assert!(matches!(float(field::BOUNDS, f32::NAN), MeshFileError::Vertex { vertex: 0, .. }));
    let index = |at: usize, index: u16| {
        forged(&mesh, |bytes| bytes[at..][..2].copy_from_slice(&index.to_le_bytes()))
    };
    for bad in [8, 60_000] {
        let error = index(triangles + 5 * 6 + 2, bad);
        assert!(matches!(error, MeshFileError::Triangle { triangle: 5, .. }), "{error}");
    }
    // Vertex 0 stands in the first triangle first; there is none to take its place.
    assert!(matches!(index(triangles, 1), MeshFileError::Triangle { triangle: 0, .. }));
    for bad in [0b0100_0000, 0b11] {
        let error = forged(&mesh, |bytes| bytes[edges + 4] = bad);
        assert!(matches!(error, MeshFileError::Edges { triangle: 4, .. }), "{error}");
    }
    // Six faces of two triangles each.
    let faces = (edges + 12).next_multiple_of(64);
    let numbers = (faces + 6 * FACE_NARROW_BYTES).next_multiple_of(64);
    let face = |at: usize, number: u16| {
        let error = index(at, number);
        assert!(matches!(error, MeshFileError::Face { .. }), "{at}: {error}");
    };
    // Another first triangle; a corner that is none; one of another face; one that does not repeat the last;
    // a triangle of another face, of none, and of one that there is not.
    face(faces + FACE_NARROW_BYTES, 11);
    face(faces + 4, 8);
    for corner in 0..4 {
        for other in 0..8 {
            let at = faces + 4 + 2 * corner;
            let bytes = prepared(&mesh).0.encode();
            if u16::from_le_bytes(*bytes[at..].first_chunk().unwrap()) != other {
                face(at, other);
            }
        }
    }
    for corner in 4..8 {
        face(faces + 4 + 2 * corner, 0xffff);
    }
    let bytes = prepared(&mesh).0.encode();
    let first = u16::from_le_bytes(*bytes[numbers..].first_chunk().unwrap());
    for number in (0..8).filter(|&number| number != first) {
        face(numbers, number);
    }
    for at in [
        vertices + 96,
        triangles + 72,
        edges + 12,
        faces + 6 * FACE_NARROW_BYTES,
        numbers + 24,
        numbers + 24 + TAIL_BYTES,
    ] {
        let error = forged(&mesh, |bytes| bytes[at] = 1);
        assert!(matches!(error, MeshFileError::Value { field: "byte between parts", .. }), "{at}");
    }
    // A child whose box is too small; one that is another.
    let greatest_x_of_first = HEADER_BYTES + node::HIGH;
    let error = forged(&mesh, |bytes| bytes[greatest_x_of_first..][..2].fill(0));
    assert_eq!(error, MeshFileError::Tree);
    let second_child = HEADER_BYTES + node::CHILDREN + 4;
    let error = forged(&mesh, |bytes| put(bytes, second_child, 0));
    assert_eq!(error, MeshFileError::Tree);
}

#[test]
fn a_turned_bit_behind_a_right_checksum_is_refused_or_does_no_harm() {
    let sound = prepared(&sheet(3, 5)).0.encode();
    let mut accepted = 0;
    for bit in 0..sound.len() * 8 {
        let mut bytes = sound.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes[field::CHECKSUM..][..8].fill(0);
        let checksum = xxh3_64(&bytes);
        bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
        let Ok(mesh) = LoadedMesh::new(bytes) else { continue };
        accepted += 1;
        // Another mesh, but a whole one: each triangle is found where it is.
        let view = mesh.view();
        for triangle in 0..view.triangles() {
            let around = Aabb::around(view.triangle(triangle));
            let (mut met, mut last) = (0, 0);
            view.in_box(&around, |range| {
                assert!(last <= range.start && range.end <= view.triangles());
                met += u32::from(range.contains(&triangle));
                last = range.end;
            });
            assert_eq!(met, 1, "bit {bit}: triangle {triangle}");
            assert!(!view.inside(around.centre().as_dvec3()) || view.is_closed());
        }
    }
    // Low bits of coordinates, kinds of edges, boxes that are larger than they need be.
    assert!((200..sound.len() * 4).contains(&accepted), "{accepted} of {}", sound.len() * 8);
}

#[test]
fn a_triangle_takes_forty_bytes_at_most_and_fifty_with_wide_indices() {
    let bytes_per_triangle = |name: &str, mesh: &MeshSource| {
        let (prepared, report) = prepared(mesh);
        let bytes = prepared.encode();
        let per_triangle = bytes.len() as f64 / prepared.triangles() as f64;
        println!(
            "{name}: {} triangles, {} vertices, {per_triangle:.1} bytes a triangle, closed {}",
            prepared.triangles(),
            prepared.vertices(),
            report.closed
        );
        per_triangle
    };
    for (name, mesh) in [
        ("ball of 1 thousand", ball(25, 21)),
        ("ball of 60 thousand", ball(200, 151)),
        ("ball of 70 thousand", ball(200, 176)),
        ("ball of 139 thousand, 32-bit indices", ball(300, 233)),
        ("sheet of 60 thousand", sheet(150, 200)),
    ] {
        let per_triangle = bytes_per_triangle(name, &mesh);
        let most = if mesh.vertices.len() > VERTICES_NARROW_MAX as usize { 50.0 } else { 40.0 };
        assert!(per_triangle <= most, "{name}: {per_triangle}");
    }
    // Three corners of its own a triangle are 36 bytes alone; a box is mostly header and zeros.
    assert!(bytes_per_triangle("scattered", &scattered(20_000)) <= 55.0);
    assert!(bytes_per_triangle("box", &small()) <= 64.0);
}

#[test]
fn indices_are_wide_from_where_they_must_be() {
    // 65536 vertices, and one more.
    for (columns, rows, wide) in [(255, 255, 0), (16_384, 3, 2)] {
        let mesh = sheet(columns, rows);
        let most = VERTICES_NARROW_MAX as usize;
        assert_eq!(mesh.vertices.len() > most, wide == 2);
        let bytes = prepared(&mesh).0.encode();
        assert_eq!(u32::from(bytes[field::FLAGS]) & !FLAG_CLOSED, wide);
        assert_eq!(loaded(&mesh).view().vertices().len(), mesh.vertices.len());
    }
}
