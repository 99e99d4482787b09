//! The manifest: every byte counts, and opening reads no more of it than its root.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use marchland_terrain::layout::manifest::{BLOCK_BYTES, MESH_RECORD_BYTES};
use marchland_terrain::store::{
    BakeRecord, Manifest, ManifestError, MeshRecord, SectorRecord, Storage, StoreError, StoredFile,
    World, WorldProps, encode_manifest,
};
use marchland_terrain::{MeshHash, SectorCoord};

use super::counting::Counting;
use super::memory::MemoryStorage;
use super::worlds::{facts, record};

/// Records at places that are no rectangle, in an order that is not the index's.
fn records(count: u64) -> Vec<SectorRecord> {
    (0..count)
        .rev()
        .map(|index| {
            let (x, z) = ((index % 317) as i32 - 100, (index / 317) as i32 - 3);
            SectorRecord {
                coord: SectorCoord::new(x, z),
                content_hash: u128::from(index).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced),
                file_bytes: 1000 + index,
                height_range: (index % 5 != 0).then_some((-(index as i32), 7)),
            }
        })
        .collect()
}

/// Seven meshes in an order that is not the table's.
fn world_props() -> WorldProps {
    let mesh = |number: u64| MeshRecord {
        hash: MeshHash(u128::from(number * 5 % 7) << 120 | 3),
        file_bytes: 500 + number,
    };
    let meshes = (0..7).map(mesh).collect();
    WorldProps { meshes, props: 4711, unique_triangles: 99, placed_triangles: 1 << 40 }
}

fn open(bytes: Vec<u8>) -> Result<Manifest, StoreError> {
    Manifest::open(PathBuf::from("memory"), Box::new(bytes))
}

fn bytes(count: u64) -> Vec<u8> {
    encode_manifest(&facts(), records(count), world_props(), &record(1.0)).unwrap()
}

#[test]
fn what_is_written_is_found() {
    // None, one, a leaf just full, one more, and three levels.
    for count in [0, 1, 102, 103, 52_021, 60_000] {
        let manifest = open(bytes(count)).unwrap();
        assert_eq!(manifest.info().sectors, count);
        for record in records(count) {
            assert_eq!(manifest.find(record.coord).unwrap(), Some(record));
        }
        for (x, z) in [(-101, 0), (1000, 1000), (i32::MIN, i32::MAX), (216, 5000)] {
            assert_eq!(manifest.find(SectorCoord::new(x, z)).unwrap(), None);
        }
        let mut all = manifest.records().collect::<Result<Vec<_>, _>>().unwrap();
        all.sort_by_key(|record| (record.coord.z, record.coord.x));
        let expected: Vec<_> = records(count).into_iter().rev().collect();
        assert_eq!(all, expected);
    }
}

#[test]
fn the_order_of_the_records_does_not_matter() {
    let mut turned = records(500);
    turned.rotate_left(123);
    assert_eq!(encode_manifest(&facts(), turned, world_props(), &record(1.0)).unwrap(), bytes(500));
}

#[test]
fn the_ends_of_the_sector_numbers_are_found() {
    let far = [(i32::MIN, i32::MAX), (i32::MAX, i32::MIN), (0, -1), (-1, 0), (i32::MAX, i32::MAX)];
    let records: Vec<_> = far
        .iter()
        .map(|&(x, z)| SectorRecord { coord: SectorCoord::new(x, z), ..records(1)[0] })
        .collect();
    let manifest = open(
        encode_manifest(&facts(), records.clone(), world_props(), &BakeRecord::default()).unwrap(),
    )
    .unwrap();
    for record in records {
        assert_eq!(manifest.find(record.coord).unwrap(), Some(record));
    }
    assert!(!manifest.info().is_dense());
}

/// Everything that a manifest says, or its first error.
fn everything(bytes: Vec<u8>) -> Result<(String, Vec<SectorRecord>), StoreError> {
    let manifest = open(bytes)?;
    let all = manifest.records().collect::<Result<Vec<_>, _>>()?;
    for record in &records(150) {
        manifest.find(record.coord)?;
    }
    assert_eq!(manifest.meshes()?.len(), 7);
    Ok((format!("{:?}", manifest.info()), all))
}

#[test]
fn every_truncation_is_refused() {
    let whole = bytes(150);
    for length in 0..whole.len() {
        let error = open(whole[..length].to_vec()).unwrap_err();
        assert!(matches!(error, StoreError::Manifest { .. }), "{length} bytes: {error}");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(open(longer).is_err());
}

#[test]
fn every_flipped_bit_is_refused() {
    let whole = bytes(150);
    let said = everything(whole.clone()).unwrap();
    assert_eq!(said.1.len(), 150);
    let mut refused = 0;
    for bit in 0..whole.len() * 8 {
        // One bit of each byte of the index and every bit of the rest: all is quick enough, but not
        // by much.
        if (4097..3 * 4096 + 4096).contains(&(bit / 8)) && bit % 8 != bit / 8 % 8 {
            continue;
        }
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        match everything(damaged) {
            Err(StoreError::Manifest { .. }) => refused += 1,
            Err(error) => panic!("bit {bit}: {error}"),
            Ok(_) => panic!("bit {bit} was accepted"),
        }
    }
    assert_eq!(refused, 4096 * 8 + 8 + 3 * 4096 - 1 + 7 * 24 * 8);
}

/// A root with a field changed and its checksum made to fit: what a flipped bit cannot do and an
/// enemy can.
fn forged(at: usize, value: &[u8]) -> Result<Manifest, StoreError> {
    let mut bytes = bytes(150);
    bytes[at..at + value.len()].copy_from_slice(value);
    let mut header = bytes[..192].to_vec();
    header[24..32].fill(0);
    let checksum = xxhash_rust::xxh3::xxh3_64(&header);
    bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
    open(bytes)
}

#[test]
fn a_forged_root_is_refused_without_believing_its_sizes() {
    use marchland_terrain::layout::manifest::field;
    forged(field::RESERVED, &[0]).unwrap();
    for (at, value) in [
        (field::SECTORS, u64::MAX),
        (field::SECTORS, 1 << 40),
        (field::SECTORS, 0),
        (field::INDEX_OFFSET, u64::MAX),
        (field::INDEX_BLOCKS, u64::MAX / 4096),
        (field::FILE_BYTES, u64::MAX),
        (field::NAMES_BYTES, u64::MAX),
        (field::MESHES, 0),
        (field::MESHES, u64::MAX),
        (field::MESHES, 1 << 60),
        (field::RESERVED, 1),
        (field::RESERVED + 16, 1 << 63),
    ] {
        let error = forged(at, &value.to_le_bytes()).unwrap_err();
        assert!(matches!(error, StoreError::Manifest { .. }), "{at}: {error}");
    }
    // A grid that cannot be is told by all that it is made of.
    for (at, value, says) in [
        (field::CELLS_LOG2, 16, "cell, cells and quantum are 2^0 m, 2^16 and 2^-8 m: a sector of"),
        (field::CELL_LOG2, 0xfd, "are 2^-3 m, 2^3 and 2^-8 m: sector size is 1 m"),
        (field::QUANTUM_LOG2, 5, "are 2^0 m, 2^3 and 2^5 m: quantum is 32 m"),
    ] {
        let error = forged(at, &[value]).unwrap_err().to_string();
        assert!(error.contains(says), "{error}, not {says}");
    }
    for at in (0..24).chain(32..56).chain(64..112).chain(120..128).chain(168..192) {
        // Not every value of every byte is wrong: a height may be another.
        if !(36..44).contains(&at) {
            let _ = forged(at, &[0x5a]);
            let error = forged(at, &[0xf7]);
            assert!(error.is_err() || (32..64).contains(&at), "byte {at}");
        }
    }
}

#[test]
fn another_version_is_named_even_if_nothing_else_is_known_of_it() {
    let mut later = bytes(3);
    later[8] = 9;
    later.truncate(40);
    let error = open(later).unwrap_err();
    let version = ManifestError::Version { found: 9, supported: 1 };
    assert!(matches!(&error, StoreError::Manifest { source, .. } if *source == version), "{error}");
    let error = open(b"{\"sectors\": []}".to_vec()).unwrap_err().to_string();
    assert!(error.contains("not a manifest"), "{error}");
}

#[test]
fn what_a_manifest_cannot_hold_is_refused() {
    let mut names = facts();
    names.surface_names = vec!["x".repeat(255)];
    assert!(encode_manifest(&names, vec![], world_props(), &record(1.0)).is_err());
    names.surface_names = vec![String::new(); 257];
    assert!(encode_manifest(&names, vec![], world_props(), &record(1.0)).is_err());
    names.surface_names = vec!["ü".repeat(127); 256];
    let full = encode_manifest(&names, vec![], world_props(), &record(1.0)).unwrap();
    assert_eq!(open(full).unwrap().info().facts, names);
    let mut long = record(1.0);
    long.settings = "s".repeat(17 << 20);
    assert!(encode_manifest(&facts(), vec![], world_props(), &long).is_err());
    let twice = [records(9), records(1)].concat();
    let error = encode_manifest(&facts(), twice, world_props(), &record(1.0)).unwrap_err();
    assert!(matches!(error, ManifestError::Duplicate { .. }), "{error}");
}

#[test]
fn opening_reads_the_root_however_many_sectors_there_are() {
    let read = [1, 100_000].map(|count| {
        let disk = MemoryStorage::default();
        disk.write_new("manifest-0000000001", &bytes(count)).unwrap();
        let counting = Counting::new(Arc::new(disk), None);
        let world = World::open_on(Arc::new(counting.clone())).unwrap();
        assert_eq!(world.info().sectors, count);
        (counting.calls(), counting.read_bytes())
    });
    assert_eq!(read[0], read[1]);
    assert!(read[0].1 <= 4096, "{} bytes", read[0].1);
}

/// A file of which a part is damaged until it is told so, as one whose answers are kept.
#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    damaged: Arc<Mutex<Option<usize>>>,
}

impl StoredFile for Kept {
    fn len_bytes(&self) -> io::Result<u64> {
        self.bytes.len_bytes()
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.bytes.read_exact_at(offset, out)?;
        let damaged = self.damaged.lock().unwrap().and_then(|at| at.checked_sub(offset as usize));
        if let Some(byte) = damaged.and_then(|at| out.get_mut(at)) {
            *byte ^= 1;
        }
        Ok(())
    }

    fn distrust(&self) {
        *self.damaged.lock().unwrap() = None;
    }

    fn try_lock_exclusive(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        Ok(true)
    }
}

#[test]
fn what_fails_its_check_is_distrusted_and_read_anew() {
    // Three levels, and the mesh table behind them.
    let (count, whole) = (52_100, bytes(52_100));
    let records = records(count);
    let meshes_begin = whole.len() - 7 * MESH_RECORD_BYTES;
    let index_begin = meshes_begin - 514 * BLOCK_BYTES;
    let damaged = Arc::new(Mutex::new(None));
    let kept = || Box::new(Kept { bytes: whole.clone(), damaged: Arc::clone(&damaged) });
    let open = || Manifest::open(PathBuf::from("memory"), kept()).unwrap();
    let damage = |at| *damaged.lock().unwrap() = Some(at);
    // The last block is the tree's top, the first is a leaf.
    let [first_leaf, top] = [index_begin + 100, meshes_begin - BLOCK_BYTES + 20];
    for at in [first_leaf, top] {
        let manifest = open();
        damage(at);
        let refused: Vec<_> =
            records.iter().filter(|record| manifest.find(record.coord).is_err()).collect();
        // The first that needs the block is refused, the next asks for it anew.
        assert_eq!(refused.len(), 1, "byte {at}");
        assert_eq!(manifest.find(refused[0].coord).unwrap(), Some(*refused[0]));
    }
    let manifest = open();
    damage(first_leaf);
    assert_eq!(manifest.records().filter(Result::is_err).count(), 1);
    assert_eq!(manifest.records().filter(Result::is_err).count(), 0);
    damage(whole.len() - 1);
    assert!(matches!(manifest.meshes().unwrap_err(), StoreError::Manifest { .. }));
    assert_eq!(manifest.meshes().unwrap().len(), 7);
}
