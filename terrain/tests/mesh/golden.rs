//! Mesh files of every version that was ever released, and what they say. That of version 2 may be
//! replaced until the first release: run this test with `MARCHLAND_WRITE_GOLDEN=1` set.

use std::fs;
use std::path::PathBuf;

use marchland_terrain::LoadedMesh;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{EdgeKind, MeshSource};

use super::shapes::{block, loaded, prepared, source, together, unwelded};

/// A closed part and a sheet, every kind of edge, a tree of more than one node; no number in it
/// comes from a function that might round elsewhere.
fn mesh() -> MeshSource {
    let stair = |step: f32| {
        block(Vec3::new(step, 0.25 * step, -2.0), Vec3::new(step + 1.5, 0.25 * step + 0.5, 2.0))
    };
    let valley = source(
        &[[-9.0, 1.0, 0.0], [-8.0, 0.0, 0.0], [-8.0, 0.0, 3.0], [-7.0, 1.0, 0.5]],
        &[[0, 2, 1], [1, 2, 3]],
    );
    unwelded(&together(&[stair(0.0), stair(2.0), stair(4.0), valley]))
}

fn golden(name: &str, now: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MARCHLAND_WRITE_GOLDEN").is_some() {
        fs::write(&path, now).unwrap();
    }
    fs::read(&path).unwrap()
}

#[test]
fn the_same_mesh_gives_the_bytes_of_version_2() {
    let now = prepared(&mesh()).0.encode();
    let golden = golden("stairs-2.mesh", &now);
    let first = golden.iter().zip(&now).position(|(a, b)| a != b);
    assert!(golden == now, "{} bytes, now {}, {first:?}", golden.len(), now.len());
}

#[test]
fn a_mesh_of_version_2_says_what_it_said() {
    let mesh = LoadedMesh::new(golden("stairs-2.mesh", &prepared(&mesh()).0.encode())).unwrap();
    let view = mesh.view();
    assert_eq!((view.triangles(), view.vertices().len(), view.is_closed()), (38, 28, false));
    let bounds = view.bounds();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(-9.0, 0.0, -2.0), Vec3::new(5.5, 1.5, 3.0)));
    let mut kinds = [0; 4];
    for triangle in 0..view.triangles() {
        for edge in 0..3 {
            kinds[view.edge(triangle, edge) as usize] += 1;
        }
    }
    assert_eq!(kinds[EdgeKind::Concave as usize], 2);
    assert_eq!(kinds, [36, 2, 72, 4]);
    let corners: Vec<usize> = (0..view.faces()).map(|face| view.face(face).count()).collect();
    assert_eq!(corners, [4; 18]);
}

#[test]
fn preparing_gives_the_same_bits_on_every_machine() {
    // A thicket of triangles, its numbers from whole-number operations. Not those of `Random`: the hash was
    // recorded from these.
    let mut mesh = block(Vec3::splat(-1.0), Vec3::splat(1.0));
    let mut state = 12_345_u32;
    for index in 0..3000_u32 {
        let mut part = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 65_536.0 - 128.0
        };
        mesh.vertices.push(Vec3::new(part(), part(), part()));
        let place = 8 + index;
        mesh.triangles.push([place, state % (place + 1), (state / 7) % (place + 1)]);
    }
    let loaded = loaded(&mesh);
    assert_eq!(
        loaded.hash().0,
        HASH,
        "got {:#034x}; if preparing was meant to change, say so in CHANGELOG.md",
        loaded.hash().0
    );
    assert!(!loaded.view().inside(DVec3::ZERO));
}

const HASH: u128 = 0x7a09_f61d_c2ec_1621_1946_c079_4f89_2025;
