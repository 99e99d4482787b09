//! Any bytes as a manifest: rejected, or one for which every query has a result or a typed error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::{overlay, put, seal_part, seal_start, u32_at, u64_at};
use marchland_terrain::layout::manifest::{
    BLOCK_BYTES, HEADER_BYTES, MAGIC, MESH_RECORD_BYTES, VERSION, field,
};
use marchland_terrain::store::{
    BakeRecord, Manifest, MeshRecord, SectorRecord, WorldFacts, WorldProps, encode_manifest,
};
use marchland_terrain::{Grid, MeshHash, SectorCoord};
use xxhash_rust::xxh3::xxh3_64_with_seed;

fuzz_target!(|data: &[u8]| {
    ask(data.to_vec());
    ask(sealed(data.to_vec()));
    ask(sealed(overlaid(data)));
});

/// Opens the manifest and, if that succeeds, queries everything.
fn ask(bytes: Vec<u8>) {
    let Ok(manifest) = Manifest::open("memory".into(), Box::new(bytes)) else { return };
    let bounds = manifest.info().bounds;
    for record in manifest.records().take(2000).flatten() {
        assert!(bounds.is_some_and(|bounds| bounds.contains(record.coord)));
    }
    if let Ok(meshes) = manifest.meshes() {
        assert_eq!(meshes.len() as u64, manifest.info().meshes);
        for mesh in meshes.iter().take(2000) {
            assert!(matches!(manifest.find_mesh(mesh.hash), Ok(Some(found)) if found == *mesh));
        }
    }
    let corners = bounds.into_iter().flat_map(|bounds| [bounds.min, bounds.max]);
    for coord in corners.chain([SectorCoord::new(0, 0), SectorCoord::new(i32::MIN, i32::MAX)]) {
        if let Ok(Some(record)) = manifest.find(coord) {
            assert_eq!(record.coord, coord);
        }
    }
}

/// The bytes written over a valid manifest of two levels, from an offset that they choose themselves.
fn overlaid(data: &[u8]) -> Vec<u8> {
    let record = |index: i32| SectorRecord {
        coord: SectorCoord::new(index % 13, index / 13),
        content_hash: index as u128,
        file_bytes: 1000,
        height_range: Some((-index, index)),
    };
    let facts = WorldFacts {
        grid: Grid::new(1.0, 8.0, 1.0 / 256.0).expect("a grid"),
        surface_names: vec!["grass".into(), "rock".into()],
    };
    let records = (0..150).map(record).collect();
    let mesh = |number: u64| MeshRecord { hash: MeshHash(u128::from(number)), file_bytes: 900 };
    let meshes = (0..9).map(mesh).collect();
    let props = WorldProps { meshes, props: 70, unique_triangles: 90, placed_triangles: 700 };
    let bake = BakeRecord::default();
    let bytes = encode_manifest(&facts, records, props, &bake).expect("a manifest");
    overlay(bytes, 0, data)
}

/// The bytes with valid magic, version, length and checksums, as far as possible.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < HEADER_BYTES {
        return bytes;
    }
    let length = bytes.len() as u64;
    put(&mut bytes, field::MAGIC, &MAGIC);
    put(&mut bytes, field::VERSION, &VERSION.to_le_bytes());
    put(&mut bytes, field::FILE_BYTES, &length.to_le_bytes());
    let index = u64_at(&bytes, field::INDEX_OFFSET);
    let names_end = HEADER_BYTES.saturating_add(u32_at(&bytes, field::NAMES_BYTES));
    seal_part(&mut bytes, field::NAMES_CHECKSUM, HEADER_BYTES..names_end);
    seal_part(&mut bytes, field::RECORD_CHECKSUM, names_end..index);
    let meshes = u64_at(&bytes, field::MESHES).saturating_mul(MESH_RECORD_BYTES);
    let table = bytes.len().saturating_sub(meshes);
    let end = bytes.len();
    seal_part(&mut bytes, field::MESHES_CHECKSUM, table..end);
    for (number, block) in bytes
        .get_mut(index..table.max(index))
        .unwrap_or_default()
        .chunks_exact_mut(BLOCK_BYTES)
        .enumerate()
    {
        let computed = xxh3_64_with_seed(&block[8..], number as u64);
        block[..8].copy_from_slice(&computed.to_le_bytes());
    }
    seal_start(&mut bytes, field::CHECKSUM, HEADER_BYTES);
    bytes
}
