//! Any bytes as a mesh file: rejected, or a mesh whose every walk ends and finds what it should. Damaged
//! bytes are also given a matching checksum, so that the checks after it run.
#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::{overlay, put, seal_start};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::layout::mesh::{HEADER_BYTES, MAGIC, VERSION, field};
use marchland_terrain::math::Aabb;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{LoadedMesh, MeshView};

fuzz_target!(|data: &[u8]| {
    ask(data.to_vec());
    ask(sealed(data.to_vec()));
    ask(sealed(overlaid(data)));
    prepare(data);
});

/// Decodes and, if that succeeds, walks everything.
fn ask(bytes: Vec<u8>) {
    let Ok(mesh) = LoadedMesh::new(bytes) else { return };
    let view = mesh.view();
    let count = view.triangles();
    assert!(view.vertices().all(Vec3::is_finite));
    for triangle in (0..count).step_by(1 + count as usize / 50) {
        let around = Aabb::around(view.triangle(triangle));
        let _ = (0..3).map(|edge| view.edge(triangle, edge)).count();
        found(&view, triangle, |visit| view.in_box(&around, visit));
        let (from, to) = (around.min.as_dvec3(), around.max.as_dvec3());
        found(&view, triangle, |visit| view.along(from, to - from, DVec3::ZERO, visit));
        let mut met = false;
        view.nearest(from, to - from, DVec3::ZERO, 1.0, |range, reach| {
            met |= range.contains(&triangle);
            reach
        });
        assert!(met);
        let _ = view.inside(around.centre().as_dvec3());
    }
}

/// A walk ascends, stays in range, and finds a triangle.
fn found(view: &MeshView<'_>, triangle: u32, walk: impl FnOnce(&mut dyn FnMut(Range<u32>))) {
    let (mut last, mut met) = (0, false);
    walk(&mut |range: Range<u32>| {
        assert!(last <= range.start && range.start < range.end && range.end <= view.triangles());
        last = range.end;
        met |= range.contains(&triangle);
    });
    assert!(met);
}

/// The bytes as a mesh's corners: if it can be prepared, it must read back.
fn prepare(data: &[u8]) {
    let (data, _) = data.as_chunks::<3>();
    let vertices: Vec<Vec3> = data
        .iter()
        .map(|point| Vec3::from_array(point.map(|part| f32::from(part as i8) / 16.0)))
        .collect();
    let count = vertices.len() as u32;
    let index = |part: u8| u32::from(part) % count.max(1);
    let triangles = data.iter().rev().map(|corners| corners.map(index)).collect();
    if let Ok((mesh, report)) = PreparedMesh::new(&MeshSource { vertices, triangles }) {
        let loaded = LoadedMesh::new(mesh.encode()).expect("what was written is read");
        assert_eq!(loaded.view().is_closed(), report.closed);
    }
}

/// The bytes written over a valid mesh, from an offset that they choose themselves.
fn overlaid(data: &[u8]) -> Vec<u8> {
    let vertices = (0..64_u8).map(|i| {
        let (x, z) = (f32::from(i % 8), f32::from(i / 8));
        Vec3::new(x, 0.25 * x * z, z)
    });
    let corner = |i: u32| i / 7 * 8 + i % 7;
    let triangles = (0..49).flat_map(|i| {
        let a = corner(i);
        [[a, a + 9, a + 1], [a, a + 8, a + 9]]
    });
    let sound = MeshSource { vertices: vertices.collect(), triangles: triangles.collect() };
    let (sound, _) = PreparedMesh::new(&sound).expect("a mesh");
    overlay(sound.encode(), 0, data)
}

/// The bytes with valid magic, version and checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < HEADER_BYTES {
        return bytes;
    }
    put(&mut bytes, field::MAGIC, &MAGIC);
    put(&mut bytes, field::VERSION, &VERSION.to_le_bytes());
    let end = bytes.len();
    seal_start(&mut bytes, field::CHECKSUM, end);
    bytes
}
