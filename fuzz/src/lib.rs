//! Functions shared by the targets: they write damage over valid bytes, and update checksums, so that the
//! checks after those run; they write files, and check meshes that were read.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use marchland_terrain::props::{LoadedMesh, MeshSource, PreparedMesh};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

thread_local! {
    static FOLDER: TempDir = TempDir::new().expect("a folder");
}

/// Writes a file in a folder of this thread.
pub fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.with(|folder| folder.path().join(name));
    fs::write(&path, bytes).expect("written");
    path
}

/// Checks that every index and coordinate of a mesh is valid, and that it can be prepared, written and read.
pub fn sound(mesh: &MeshSource) {
    assert!(!mesh.triangles.is_empty());
    assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()));
    assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.vertices.len()));
    if let Ok((prepared, _)) = PreparedMesh::new(mesh) {
        let loaded = LoadedMesh::new(prepared.encode()).expect("what is written can be read");
        assert_eq!(loaded.view().triangles() as usize, prepared.triangles());
    }
}

/// Writes damage over valid bytes, from an offset at or behind `first` that its first two bytes choose.
pub fn overlay(mut bytes: Vec<u8>, first: usize, data: &[u8]) -> Vec<u8> {
    let Some((place, data)) = data.split_at_checked(2) else { return bytes };
    let place = usize::from(u16::from_le_bytes([place[0], place[1]]));
    let begin = first + place % (bytes.len() - first);
    for (byte, over) in bytes[begin..].iter_mut().zip(data) {
        *byte ^= over;
    }
    bytes
}

/// Writes a field.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..][..value.len()].copy_from_slice(value);
}

/// A field of 32 bits.
pub fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("a field")) as usize
}

/// A field of 64 bits; the greatest number if it is too large for this machine.
pub fn u64_at(bytes: &[u8], at: usize) -> usize {
    let number = u64::from_le_bytes(*bytes[at..].first_chunk().expect("a field"));
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Updates a checksum that is stored outside the part it covers, if that part exists.
pub fn seal_part(bytes: &mut [u8], checksum: usize, part: Range<usize>) {
    if let Some(stored) = bytes.get(part) {
        let computed = xxh3_64(stored).to_le_bytes();
        put(bytes, checksum, &computed);
    }
}

/// Updates a checksum that is stored in the part it covers, the first `end` bytes, and counts there as zeros,
/// if that part exists.
pub fn seal_start(bytes: &mut [u8], checksum: usize, end: usize) {
    if let Some(part) = bytes.get_mut(..end) {
        part[checksum..][..8].fill(0);
        let computed = xxh3_64(part).to_le_bytes();
        put(part, checksum, &computed);
    }
}
