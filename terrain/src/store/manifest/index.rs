//! The manifest's index: a static B+-tree of 4096-byte blocks, read on first use.
//!
//! ```text
//! level 2                 [ first keys of level 1 ]
//! level 1      [ first keys of 510 leaves ][ … ]
//! level 0   [ 102 records ][ 102 records ][ 102 records ] …          leaves, in key order
//! ```
//!
//! Every block is full except the last of its level, so a child's number follows from its parent's
//! and no pointers are stored. Keys are Morton codes (Morton, 1966) of the coordinates: nearby
//! sectors are stored together, and a walking unit needs few blocks.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::bytes::array;
use crate::math::{SectorBounds, SectorCoord};
use crate::mutex::lock;
use crate::store::error::{ManifestError, ManifestPart};
use crate::store::storage::StoredFile;

/// Bytes of a block of the index.
pub const BLOCK_BYTES: usize = 4096;
/// Bytes before a block's entries: its checksum, and zeros.
pub const BLOCK_HEADER_BYTES: usize = 16;
/// Bytes of a record in a leaf.
pub const RECORD_BYTES: usize = 40;
/// Records in a full leaf.
pub const LEAF_RECORDS: usize = (BLOCK_BYTES - BLOCK_HEADER_BYTES) / RECORD_BYTES;
/// Keys in a full inner block.
pub const INNER_KEYS: usize = (BLOCK_BYTES - BLOCK_HEADER_BYTES) / 8;

/// Blocks kept in memory: 4 MiB as stored, a hundred thousand sectors. When there are more, all are
/// dropped and read again on use.
const CACHED_BLOCKS_MAX: usize = 1024;

/// Offsets of a record's fields.
pub mod entry {
    /// Sector x, i32.
    pub const SECTOR_X: usize = 0;
    /// Sector z, i32.
    pub const SECTOR_Z: usize = 4;
    /// Content hash, u128.
    pub const CONTENT_HASH: usize = 8;
    /// Length of the sector's file, u64.
    pub const FILE_BYTES: usize = 24;
    /// Lowest ground in quanta, i32; `i32::MAX` where there is none.
    pub const HEIGHT_MIN: usize = 32;
    /// Highest ground in quanta, i32; `i32::MIN` where there is none.
    pub const HEIGHT_MAX: usize = 36;
}

const _: () = assert!(entry::HEIGHT_MAX + 4 == RECORD_BYTES);

/// A manifest's record of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorRecord {
    /// Coordinates of the sector.
    pub coord: SectorCoord,
    /// The hash of its content; part of its file's name.
    pub content_hash: u128,
    /// Length of its file in bytes.
    pub file_bytes: u64,
    /// Lowest and highest ground, in quanta; `None` where there is none.
    pub height_range: Option<(i32, i32)>,
}

/// The key of a sector in the index: bits of x and z alternate, x in the lower of each pair, both
/// shifted so that the least coordinate is 0.
pub(crate) fn key(coord: SectorCoord) -> u64 {
    let spread = |value: i32| {
        let mut bits = u64::from(value as u32 ^ 0x8000_0000);
        bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
        bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
        bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
        (bits | bits << 1) & 0x5555_5555_5555_5555
    };
    spread(coord.x) | spread(coord.z) << 1
}

/// The sector with a given key.
pub(crate) fn coord_of_key(key: u64) -> SectorCoord {
    let gather = |key: u64| {
        let mut bits = key & 0x5555_5555_5555_5555;
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
        bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
        bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
        bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
        (bits | bits >> 16) as u32 as i32 ^ i32::MIN
    };
    SectorCoord::new(gather(key), gather(key >> 1))
}

/// A level of the tree. Level 0 is the leaves.
#[derive(Clone, Copy, Debug)]
struct Level {
    first_block: u64,
    blocks: u64,
    entries: u64,
}

/// The positions of blocks, which follow from the number of records alone.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    levels: Vec<Level>,
}

impl Geometry {
    pub(crate) fn new(records: u64) -> Self {
        let mut levels = Vec::new();
        let (mut entries, mut first_block, mut per_block) = (records, 0, LEAF_RECORDS as u64);
        while entries > 0 {
            let blocks = entries.div_ceil(per_block);
            levels.push(Level { first_block, blocks, entries });
            if blocks == 1 {
                break;
            }
            (entries, first_block, per_block) = (blocks, first_block + blocks, INNER_KEYS as u64);
        }
        Self { levels }
    }

    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.levels.last().map_or(0, |top| top.first_block + top.blocks)
    }
}

/// The bytes of the index. Records must ascend by key.
pub(crate) fn encode(records: &[SectorRecord]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut keys = Vec::new();
    for leaf in records.chunks(LEAF_RECORDS) {
        keys.push(key(leaf[0].coord));
        push_block(&mut bytes, leaf.iter().map(encode_record));
    }
    while keys.len() > 1 {
        let mut above = Vec::new();
        for inner in keys.chunks(INNER_KEYS) {
            above.push(inner[0]);
            push_block(&mut bytes, inner.iter().map(|key| key.to_le_bytes()));
        }
        keys = above;
    }
    bytes
}

fn push_block<const N: usize>(bytes: &mut Vec<u8>, entries: impl Iterator<Item = [u8; N]>) {
    let begin = bytes.len();
    bytes.resize(begin + BLOCK_HEADER_BYTES, 0);
    bytes.extend(entries.flatten());
    bytes.resize(begin + BLOCK_BYTES, 0);
    let number = (begin / BLOCK_BYTES) as u64;
    let checksum = xxh3_64_with_seed(&bytes[begin + 8..], number);
    bytes[begin..][..8].copy_from_slice(&checksum.to_le_bytes());
}

fn encode_record(record: &SectorRecord) -> [u8; RECORD_BYTES] {
    let (min, max) = record.height_range.unwrap_or((i32::MAX, i32::MIN));
    let mut bytes = [0; RECORD_BYTES];
    bytes[entry::SECTOR_X..][..4].copy_from_slice(&record.coord.x.to_le_bytes());
    bytes[entry::SECTOR_Z..][..4].copy_from_slice(&record.coord.z.to_le_bytes());
    bytes[entry::CONTENT_HASH..][..16].copy_from_slice(&record.content_hash.to_le_bytes());
    bytes[entry::FILE_BYTES..][..8].copy_from_slice(&record.file_bytes.to_le_bytes());
    bytes[entry::HEIGHT_MIN..][..4].copy_from_slice(&min.to_le_bytes());
    bytes[entry::HEIGHT_MAX..][..4].copy_from_slice(&max.to_le_bytes());
    bytes
}

fn decode_record(bytes: &[u8; RECORD_BYTES]) -> SectorRecord {
    let i32_at = |at| i32::from_le_bytes(array(bytes, at));
    let (min, max) = (i32_at(entry::HEIGHT_MIN), i32_at(entry::HEIGHT_MAX));
    SectorRecord {
        coord: SectorCoord::new(i32_at(entry::SECTOR_X), i32_at(entry::SECTOR_Z)),
        content_hash: u128::from_le_bytes(array(bytes, entry::CONTENT_HASH)),
        file_bytes: u64::from_le_bytes(array(bytes, entry::FILE_BYTES)),
        height_range: (min <= max).then_some((min, max)),
    }
}

/// A block in the form in which it is searched.
#[derive(Debug)]
enum Block {
    Leaf(Vec<SectorRecord>),
    Inner(Vec<u64>),
}

/// Why a block could not be read.
#[derive(Debug)]
pub(crate) enum IndexError {
    Io(io::Error),
    Damaged(ManifestError),
}

/// The index of an open manifest.
#[derive(Debug)]
pub(crate) struct Index {
    /// Offset of block 0 in the file.
    pub(crate) offset: u64,
    pub(crate) geometry: Geometry,
    /// All records lie inside.
    pub(crate) bounds: Option<SectorBounds>,
    cache: Mutex<HashMap<u64, Arc<Block>>>,
}

impl Index {
    pub(crate) fn new(offset: u64, geometry: Geometry, bounds: Option<SectorBounds>) -> Self {
        Self { offset, geometry, bounds, cache: Mutex::default() }
    }

    /// The record of a sector; `None` if it has none.
    pub(crate) fn find(
        &self,
        file: &dyn StoredFile,
        coord: SectorCoord,
    ) -> Result<Option<SectorRecord>, IndexError> {
        let key_wanted = key(coord);
        let mut block = 0;
        for level in (0..self.geometry.levels()).rev() {
            match &*self.cached_block(file, level, block)? {
                Block::Inner(keys) => {
                    let Some(child) = keys.partition_point(|&key| key <= key_wanted).checked_sub(1)
                    else {
                        return Ok(None);
                    };
                    block = block * INNER_KEYS as u64 + child as u64;
                }
                Block::Leaf(records) => {
                    let found = records.binary_search_by_key(&key_wanted, |r| key(r.coord));
                    return Ok(found.ok().and_then(|at| records.get(at).copied()));
                }
            }
        }
        Ok(None)
    }

    /// The records of a leaf; `None` behind the last leaf.
    pub(crate) fn leaf(
        &self,
        file: &dyn StoredFile,
        leaf: u64,
    ) -> Option<Result<Vec<SectorRecord>, IndexError>> {
        if leaf >= self.geometry.levels.first()?.blocks {
            return None;
        }
        match self.read_block(file, 0, leaf) {
            Ok(Block::Leaf(records)) => Some(Ok(records)),
            Ok(Block::Inner(_)) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// No lock is held while a block is read; two threads may therefore read the same one.
    fn cached_block(
        &self,
        file: &dyn StoredFile,
        level: usize,
        block: u64,
    ) -> Result<Arc<Block>, IndexError> {
        let number = self.geometry.levels[level].first_block + block;
        let cache = || lock(&self.cache);
        if let Some(block) = cache().get(&number) {
            return Ok(Arc::clone(block));
        }
        let read = Arc::new(self.read_block(file, level, block)?);
        let mut cache = cache();
        if cache.len() >= CACHED_BLOCKS_MAX {
            cache.clear();
        }
        cache.insert(number, Arc::clone(&read));
        Ok(read)
    }

    /// Reads a block, by its index in its level, and checks its contents.
    fn read_block(
        &self,
        file: &dyn StoredFile,
        level: usize,
        block: u64,
    ) -> Result<Block, IndexError> {
        let Level { first_block, entries, .. } = self.geometry.levels[level];
        let number = first_block + block;
        let mut bytes = vec![0; BLOCK_BYTES];
        file.read_exact_at(self.offset + number * BLOCK_BYTES as u64, &mut bytes)
            .map_err(IndexError::Io)?;
        let per_block = if level == 0 { LEAF_RECORDS } else { INNER_KEYS };
        let left = entries.saturating_sub(block.saturating_mul(per_block as u64));
        let entries = usize::try_from(left).map_or(per_block, |left| left.min(per_block));
        check_block(&bytes, number, level, entries, self.bounds).map_err(|error| {
            file.distrust();
            IndexError::Damaged(error)
        })
    }
}

fn check_block(
    bytes: &[u8],
    number: u64,
    level: usize,
    entries: usize,
    bounds: Option<SectorBounds>,
) -> Result<Block, ManifestError> {
    let part = ManifestPart::Block(number);
    let wrong = |field, found, expected| ManifestError::Value { part, field, found, expected };
    let found = u64::from_le_bytes(array(bytes, 0));
    // The block's number is the seed: a block stored at the place of another fails its checksum.
    let computed = xxh3_64_with_seed(&bytes[8..], number);
    if found != computed {
        return Err(ManifestError::Checksum { part, found, computed });
    }
    let entry_bytes = if level == 0 { RECORD_BYTES } else { 8 };
    let (taken, spare) = bytes[BLOCK_HEADER_BYTES..].split_at(entries * entry_bytes);
    if let Some(&bad) = bytes[8..BLOCK_HEADER_BYTES].iter().chain(spare).find(|&&byte| byte != 0) {
        return Err(wrong("unused byte", i128::from(bad), "0"));
    }
    let keys: Vec<u64>;
    let block = if level == 0 {
        let records: Vec<_> = taken.as_chunks().0.iter().map(decode_record).collect();
        let inside = |coord| bounds.is_some_and(|bounds| bounds.contains(coord));
        if let Some(bad) = records.iter().position(|record| !inside(record.coord)) {
            return Err(wrong("record", bad as i128, "a sector inside the bounding box"));
        }
        keys = records.iter().map(|record| key(record.coord)).collect();
        Block::Leaf(records)
    } else {
        keys = taken.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        Block::Inner(keys.clone())
    };
    match keys.is_sorted_by(|a, b| a < b) {
        true => Ok(block),
        false => Err(wrong("order of keys", 0, "ascending keys")),
    }
}
