//! The manifest: which sectors a world has, and what was baked from what. Opening reads the root;
//! the index behind it is read on first use, block by block.
//!
//! ```text
//! 0         128       128 + names   …                 index_offset, a multiple of 4096
//! ┌─────────┬─────────┬─────────────┬────────────────┬─────────┬─────────┬───
//! │ header  │ names   │ bake record │ zeros          │ block 0 │ block 1 │ …
//! └─────────┴─────────┴─────────────┴────────────────┴─────────┴─────────┴───
//! ```

use std::path::PathBuf;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::{ManifestError, ManifestPart, StoreError};
use super::manifest_index::{
    self, BLOCK_BYTES, Geometry, Index, IndexError, SectorBounds, SectorRecord, key,
};
use super::record::{self, BakeRecord, RECORD_BYTES_MAX, Reader, check_limit};
use super::storage::StoredFile;
use crate::grid::Grid;
use crate::math::SectorCoord;

/// The first eight bytes of a manifest.
pub const MAGIC: [u8; 8] = *b"MARCHMAN";
/// The format's version.
pub const VERSION: u32 = 1;
/// Bytes of the fixed fields at the start.
pub const HEADER_BYTES: usize = 128;
/// Most surfaces a world may name.
pub const SURFACES_MAX: usize = 256;
/// Most bytes of all surface names, their lengths included.
const NAMES_BYTES_MAX: u64 = 64 << 10;
/// Most bytes of one surface name.
const NAME_BYTES_MAX: u64 = 254;

/// Offsets of the header's fields.
pub mod field {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// Version, u32.
    pub const VERSION: usize = 8;
    /// Zeros; a later version may give bits a meaning. u32.
    pub const FLAGS: usize = 12;
    /// Length of the file, u64.
    pub const FILE_BYTES: usize = 16;
    /// XXH3-64 of the header with this field as zeros, u64.
    pub const CHECKSUM: usize = 24;
    /// log2 of the cell's side in metres, i8.
    pub const CELL_LOG2: usize = 32;
    /// log2 of the cells along a side of a sector, u8.
    pub const CELLS_LOG2: usize = 33;
    /// log2 of the quantum in metres, i8.
    pub const QUANTUM_LOG2: usize = 34;
    /// Levels of the index, 0 where there are no sectors, u8.
    pub const LEVELS: usize = 35;
    /// Lowest ground of the world in quanta, i32; `i32::MAX` where there is none.
    pub const HEIGHT_MIN: usize = 36;
    /// Highest ground of the world in quanta, i32; `i32::MIN` where there is none.
    pub const HEIGHT_MAX: usize = 40;
    /// Number of surface names, u32.
    pub const NAMES: usize = 44;
    /// Bounding box: least x, least z, greatest x, greatest z, i32 each; 0, 0, −1, −1 where there
    /// are no sectors.
    pub const BOUNDS: usize = 48;
    /// Number of sectors, u64.
    pub const SECTORS: usize = 64;
    /// Bytes of the surface names, u32.
    pub const NAMES_BYTES: usize = 72;
    /// Bytes of the bake record, without the zeros behind it, u32.
    pub const RECORD_BYTES: usize = 76;
    /// XXH3-64 of the surface names, u64.
    pub const NAMES_CHECKSUM: usize = 80;
    /// XXH3-64 of the bake record and the zeros behind it, u64.
    pub const RECORD_CHECKSUM: usize = 88;
    /// Where the index begins, u64.
    pub const INDEX_OFFSET: usize = 96;
    /// Blocks of the index, u64.
    pub const INDEX_BLOCKS: usize = 104;
    /// Bytes of all sector files together, u64.
    pub const SECTOR_BYTES: usize = 112;
    /// Zeros up to [`HEADER_BYTES`](super::HEADER_BYTES).
    pub const RESERVED: usize = 120;
}

const _: () = assert!(field::RESERVED + 8 == HEADER_BYTES);
const _: () = assert!(field::BOUNDS + 16 == field::SECTORS);

/// What all sectors of a world share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldFacts {
    /// Cells, sectors and quantum.
    pub grid: Grid,
    /// Names of the surfaces; a surface's id is its place in this list.
    pub surface_names: Vec<String>,
}

/// What a manifest's root says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldInfo {
    /// What all sectors share.
    pub facts: WorldFacts,
    /// Number of sectors.
    pub sectors: u64,
    /// Bytes of all sector files together.
    pub sector_bytes: u64,
    /// The rectangle around all sectors; nothing where there are none.
    pub bounds: Option<SectorBounds>,
    /// Lowest and highest ground, in quanta; nothing where there is none.
    pub height_range: Option<(i32, i32)>,
    /// What the world was baked from.
    pub record: BakeRecord,
}

impl WorldInfo {
    /// Whether every sector of the bounding box is there.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.bounds.is_none_or(|bounds| bounds.area() == u128::from(self.sectors))
    }
}

/// The bytes of a manifest. The order of the records does not matter: the same ones give the same
/// bytes.
///
/// # Errors
/// If two records are for one sector, or names or the bake record are too long.
pub fn encode_manifest(
    facts: &WorldFacts,
    mut records: Vec<SectorRecord>,
    record: &BakeRecord,
) -> Result<Vec<u8>, ManifestError> {
    records.sort_unstable_by_key(|record| key(record.coord));
    if let Some(pair) = records.windows(2).find(|pair| pair[0].coord == pair[1].coord) {
        return Err(ManifestError::Duplicate { coord: pair[0].coord });
    }
    let names = encode_names(&facts.surface_names)?;
    let mut record = record::encode(record)?;
    let record_bytes = record.len() as u32;
    let index_offset = (HEADER_BYTES + names.len() + record.len()).next_multiple_of(BLOCK_BYTES);
    record.resize(index_offset - HEADER_BYTES - names.len(), 0);
    let index = manifest_index::encode(&records);
    let geometry = Geometry::new(records.len() as u64);

    let mut header = [0; HEADER_BYTES];
    let mut put = |at: usize, bytes: &[u8]| header[at..][..bytes.len()].copy_from_slice(bytes);
    put(field::MAGIC, &MAGIC);
    put(field::VERSION, &VERSION.to_le_bytes());
    put(field::FILE_BYTES, &((index_offset + index.len()) as u64).to_le_bytes());
    put(field::CELL_LOG2, &[facts.grid.cell_log2() as u8]);
    put(field::CELLS_LOG2, &[facts.grid.cells_log2() as u8]);
    put(field::QUANTUM_LOG2, &[facts.grid.quantum_log2() as u8]);
    put(field::LEVELS, &[geometry.levels() as u8]);
    let ranges = records.iter().filter_map(|record| record.height_range);
    let (low, high) =
        ranges.fold((i32::MAX, i32::MIN), |all, range| (all.0.min(range.0), all.1.max(range.1)));
    put(field::HEIGHT_MIN, &low.to_le_bytes());
    put(field::HEIGHT_MAX, &high.to_le_bytes());
    put(field::NAMES, &(facts.surface_names.len() as u32).to_le_bytes());
    let bounds = SectorBounds::around(records.iter().map(|record| record.coord))
        .unwrap_or(SectorBounds { min: SectorCoord::new(0, 0), max: SectorCoord::new(-1, -1) });
    let corners = [bounds.min.x, bounds.min.z, bounds.max.x, bounds.max.z];
    put(field::BOUNDS, corners.map(i32::to_le_bytes).as_flattened());
    put(field::SECTORS, &(records.len() as u64).to_le_bytes());
    put(field::NAMES_BYTES, &(names.len() as u32).to_le_bytes());
    put(field::RECORD_BYTES, &record_bytes.to_le_bytes());
    put(field::NAMES_CHECKSUM, &xxh3_64(&names).to_le_bytes());
    put(field::RECORD_CHECKSUM, &xxh3_64(&record).to_le_bytes());
    put(field::INDEX_OFFSET, &(index_offset as u64).to_le_bytes());
    put(field::INDEX_BLOCKS, &geometry.blocks().to_le_bytes());
    let sector_bytes = records.iter().fold(0, |sum: u64, r| sum.saturating_add(r.file_bytes));
    put(field::SECTOR_BYTES, &sector_bytes.to_le_bytes());
    let checksum = header_checksum(&header);
    header[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    Ok([&header, names.as_slice(), &record, &index].concat())
}

/// For each name its length, u16, and its bytes.
fn encode_names(names: &[String]) -> Result<Vec<u8>, ManifestError> {
    check_limit("surface names", names.len() as u64, SURFACES_MAX as u64)?;
    let mut bytes = Vec::new();
    for name in names {
        check_limit("bytes of a surface name", name.len() as u64, NAME_BYTES_MAX)?;
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    Ok(bytes)
}

/// An open manifest: the root in memory, the index in its file.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    file: Box<dyn StoredFile>,
    info: WorldInfo,
    index: Index,
}

impl Manifest {
    /// Reads and checks the root. The path is only for messages.
    ///
    /// # Errors
    /// If the file cannot be read, or is no undamaged manifest of this version. Never panics,
    /// whatever the bytes.
    pub fn open(path: PathBuf, file: Box<dyn StoredFile>) -> Result<Self, StoreError> {
        match open_root(&*file) {
            Ok((info, index)) => Ok(Self { path, file, info, index }),
            Err(error) => Err(located(path, error)),
        }
    }

    /// What the root says.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        &self.info
    }

    /// What is said of a sector; nothing if it is not part of the world.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged there.
    pub fn find(&self, coord: SectorCoord) -> Result<Option<SectorRecord>, StoreError> {
        if !self.info.bounds.is_some_and(|bounds| bounds.contains(coord)) {
            return Ok(None);
        }
        let found = self.index.find(&*self.file, coord);
        found.map_err(|error| located(self.path.clone(), error))
    }

    /// All records, those of neighbouring sectors near each other. After an error the records of
    /// the next sound block follow.
    pub fn records(&self) -> impl Iterator<Item = Result<SectorRecord, StoreError>> + '_ {
        let leaves = (0..).map_while(|leaf| self.index.leaf(&*self.file, leaf));
        leaves.flat_map(|leaf| match leaf {
            Ok(records) => records.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(located(self.path.clone(), error))],
        })
    }

    pub(super) fn file(&self) -> &dyn StoredFile {
        &*self.file
    }
}

fn located(path: PathBuf, error: IndexError) -> StoreError {
    match error {
        IndexError::Io(source) => StoreError::Io { op: "read", path, source },
        IndexError::Damaged(source) => StoreError::Manifest { path, source },
    }
}

/// Reads and checks in the order magic, version, length, checksum, contents.
fn open_root(file: &dyn StoredFile) -> Result<(WorldInfo, Index), IndexError> {
    let have_bytes = file.len_bytes().map_err(IndexError::Io)?;
    let header = read_bytes(file, 0, have_bytes.min(HEADER_BYTES as u64))?;
    let header = Header::check(&header, have_bytes).map_err(IndexError::Damaged)?;
    let names = read_bytes(file, HEADER_BYTES as u64, header.names_bytes)?;
    let record_begin = HEADER_BYTES as u64 + header.names_bytes;
    let record = read_bytes(file, record_begin, header.index_offset - record_begin)?;
    header.root(&names, &record).map_err(IndexError::Damaged)
}

/// Lengths were checked against limits and against the file's.
fn read_bytes(file: &dyn StoredFile, offset: u64, bytes: u64) -> Result<Vec<u8>, IndexError> {
    let mut out = vec![0; bytes as usize];
    file.read_exact_at(offset, &mut out).map_err(IndexError::Io)?;
    Ok(out)
}

/// The header's fields, checked against each other and the file's length.
struct Header {
    bytes: [u8; HEADER_BYTES],
    grid: Grid,
    sectors: u64,
    bounds: Option<SectorBounds>,
    names_bytes: u64,
    record_bytes: u64,
    index_offset: u64,
    geometry: Geometry,
}

impl Header {
    fn check(found: &[u8], have_bytes: u64) -> Result<Self, ManifestError> {
        check_magic_and_version(found)?;
        let Ok(bytes) = <[u8; HEADER_BYTES]>::try_from(found) else {
            let (part, need_bytes) = (ManifestPart::Header, HEADER_BYTES as u64);
            return Err(ManifestError::Truncated { part, need_bytes, have_bytes });
        };
        let need_bytes = u64_at(&bytes, field::FILE_BYTES);
        if need_bytes != have_bytes {
            return Err(ManifestError::Length { need_bytes, have_bytes });
        }
        let (found, computed) = (u64_at(&bytes, field::CHECKSUM), header_checksum(&bytes));
        check_checksum(ManifestPart::Header, found, computed)?;
        let spare = [u64::from(u32_at(&bytes, field::FLAGS)), u64_at(&bytes, field::RESERVED)];
        if let Some(bad) = spare.into_iter().find(|&bits| bits != 0) {
            return Err(wrong("flags or reserved bytes", i128::from(bad), "0"));
        }
        let sectors = u64_at(&bytes, field::SECTORS);
        let names_bytes = u64::from(u32_at(&bytes, field::NAMES_BYTES));
        let record_bytes = u64::from(u32_at(&bytes, field::RECORD_BYTES));
        check_limit("bytes of surface names", names_bytes, NAMES_BYTES_MAX)?;
        check_limit("bytes of the bake record", record_bytes, RECORD_BYTES_MAX)?;
        let geometry = Geometry::new(sectors);
        let root_bytes = HEADER_BYTES as u64 + names_bytes + record_bytes;
        let index_offset = root_bytes.next_multiple_of(BLOCK_BYTES as u64);
        let end = u128::from(index_offset) + u128::from(geometry.blocks()) * BLOCK_BYTES as u128;
        for (field, found, expected) in [
            ("index offset", u64_at(&bytes, field::INDEX_OFFSET).into(), index_offset.into()),
            ("index blocks", u64_at(&bytes, field::INDEX_BLOCKS).into(), geometry.blocks().into()),
            ("index levels", bytes[field::LEVELS].into(), geometry.levels() as u128),
            ("end of the index", end, u128::from(have_bytes)),
        ] {
            if found != expected {
                return Err(wrong(field, found as i128, "what the number of sectors gives"));
            }
        }
        Ok(Self {
            grid: grid(&bytes)?,
            bounds: bounds(&bytes, sectors)?,
            bytes,
            sectors,
            names_bytes,
            record_bytes,
            index_offset,
            geometry,
        })
    }

    /// The root, from the header and the two parts behind it.
    fn root(self, names: &[u8], record: &[u8]) -> Result<(WorldInfo, Index), ManifestError> {
        let stored = |at| u64_at(&self.bytes, at);
        check_checksum(ManifestPart::Names, stored(field::NAMES_CHECKSUM), xxh3_64(names))?;
        check_checksum(ManifestPart::Record, stored(field::RECORD_CHECKSUM), xxh3_64(record))?;
        let (record, padding) = record.split_at((self.record_bytes as usize).min(record.len()));
        if let Some(&bad) = padding.iter().find(|&&byte| byte != 0) {
            let (part, field) = (ManifestPart::Record, "byte behind the record");
            let (found, expected) = (i128::from(bad), "0");
            return Err(ManifestError::Value { part, field, found, expected });
        }
        let i32_at = |at| u32_at(&self.bytes, at) as i32;
        let (low, high) = (i32_at(field::HEIGHT_MIN), i32_at(field::HEIGHT_MAX));
        let count = u32_at(&self.bytes, field::NAMES);
        let info = WorldInfo {
            facts: WorldFacts { grid: self.grid, surface_names: decode_names(names, count)? },
            sectors: self.sectors,
            sector_bytes: stored(field::SECTOR_BYTES),
            bounds: self.bounds,
            height_range: (low <= high).then_some((low, high)),
            record: record::decode(record)?,
        };
        Ok((info, Index::new(self.index_offset, self.geometry, self.bounds)))
    }
}

fn check_magic_and_version(bytes: &[u8]) -> Result<(), ManifestError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(ManifestError::Magic { found: bytes[..bytes.len().min(8)].to_vec() });
    }
    let Some(version) = bytes.get(field::VERSION..field::VERSION + 4) else {
        let (part, have_bytes) = (ManifestPart::Header, bytes.len() as u64);
        return Err(ManifestError::Truncated { part, need_bytes: 12, have_bytes });
    };
    match u32_at(version, 0) {
        VERSION => Ok(()),
        found => Err(ManifestError::Version { found, supported: VERSION }),
    }
}

fn check_checksum(part: ManifestPart, found: u64, computed: u64) -> Result<(), ManifestError> {
    let same = found == computed;
    if same { Ok(()) } else { Err(ManifestError::Checksum { part, found, computed }) }
}

fn header_checksum(header: &[u8; HEADER_BYTES]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&header[..field::CHECKSUM]);
    hash.update(&[0; 8]);
    hash.update(&header[field::CHECKSUM + 8..]);
    hash.digest()
}

fn grid(bytes: &[u8]) -> Result<Grid, ManifestError> {
    let cell = i32::from(bytes[field::CELL_LOG2] as i8);
    let cells = i32::from(bytes[field::CELLS_LOG2]);
    let quantum = i32::from(bytes[field::QUANTUM_LOG2] as i8);
    Grid::from_log2(cell, cells, quantum).map_err(|_| {
        let packed = i128::from(cell) * 1_000_000 + i128::from(cells) * 1000 + i128::from(quantum);
        wrong("cell, cells and quantum", packed, "a grid within the limits")
    })
}

fn bounds(bytes: &[u8], sectors: u64) -> Result<Option<SectorBounds>, ManifestError> {
    let [x0, z0, x1, z1] = [0, 4, 8, 12].map(|offset| u32_at(bytes, field::BOUNDS + offset) as i32);
    let bounds = SectorBounds { min: SectorCoord::new(x0, z0), max: SectorCoord::new(x1, z1) };
    if sectors == 0 {
        let none = [x0, z0, x1, z1] == [0, 0, -1, -1];
        return if none { Ok(None) } else { Err(wrong("bounding box", x0.into(), "0, 0, -1, -1")) };
    }
    if x0 > x1 || z0 > z1 || bounds.area() < u128::from(sectors) {
        return Err(wrong("bounding box", x0.into(), "a box that holds all sectors"));
    }
    Ok(Some(bounds))
}

fn decode_names(bytes: &[u8], count: u32) -> Result<Vec<String>, ManifestError> {
    check_limit("surface names", u64::from(count), SURFACES_MAX as u64)?;
    let mut reader = Reader { part: ManifestPart::Names, bytes, at: 0 };
    let mut names = Vec::new();
    for _ in 0..count {
        let name_bytes = u16::from_le_bytes(reader.array()?);
        names.push(reader.text(usize::from(name_bytes))?);
    }
    reader.end()?;
    Ok(names)
}

fn wrong(field: &'static str, found: i128, expected: &'static str) -> ManifestError {
    ManifestError::Value { part: ManifestPart::Header, field, found, expected }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut array = [0; 4];
    array.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(array)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut array = [0; 8];
    array.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(array)
}
