//! The manifest: which sectors a world has, and what it was baked from. Opening reads the root; the
//! index behind it is read on first use, block by block, and so is the mesh table behind that.
//!
//! ```text
//! 0         192       192 + names   …                 index_offset, a multiple of 4096
//! ┌─────────┬─────────┬─────────────┬────────────────┬─────────┬─────────┬───┬────────┐
//! │ header  │ names   │ bake record │ zeros          │ block 0 │ block 1 │ … │ meshes │
//! └─────────┴─────────┴─────────────┴────────────────┴─────────┴─────────┴───┴────────┘
//! ```

pub(crate) mod index;
pub(crate) mod layout;
pub(super) mod meshes;
pub(super) mod root;

use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use self::index::{BLOCK_BYTES, Geometry, Index, IndexError, SectorRecord, key};
use self::meshes::{MeshRecord, MeshTable};
use self::root::open_root;
use super::error::{ManifestError, StoreError};
use super::record::{self, BakeRecord, check_limit};
use super::storage::StoredFile;
use crate::bytes::checksum_but;
use crate::math::{SectorBounds, SectorCoord};
use crate::props::MeshHash;

pub(crate) use self::layout::{HEADER_BYTES, MAGIC, SURFACES_MAX, VERSION, field};
pub use self::meshes::WorldProps;
pub use self::root::{WorldFacts, WorldInfo};

/// Most bytes of one surface name.
const NAME_BYTES_MAX: u64 = 254;

/// The bytes of a manifest. The order of sectors and meshes does not matter: the same ones give the
/// same bytes.
///
/// # Errors
/// If a sector or a mesh occurs twice, or names or the bake record are too long.
pub fn encode_manifest(
    facts: &WorldFacts,
    mut records: Vec<SectorRecord>,
    mut props: WorldProps,
    record: &BakeRecord,
) -> Result<Vec<u8>, ManifestError> {
    records.sort_unstable_by_key(|record| key(record.coord));
    if let Some(pair) = records.windows(2).find(|pair| pair[0].coord == pair[1].coord) {
        return Err(ManifestError::Duplicate { coord: pair[0].coord });
    }
    props.meshes.sort_unstable_by_key(|mesh| mesh.hash);
    if let Some(pair) = props.meshes.windows(2).find(|pair| pair[0].hash == pair[1].hash) {
        return Err(ManifestError::DuplicateMesh { hash: pair[0].hash });
    }
    let meshes = meshes::encode(&props.meshes);
    let names = encode_names(&facts.surface_names)?;
    let mut record = record::encode(record)?;
    let record_bytes = record.len() as u32;
    let index_offset = (HEADER_BYTES + names.len() + record.len()).next_multiple_of(BLOCK_BYTES);
    record.resize(index_offset - HEADER_BYTES - names.len(), 0);
    let index = index::encode(&records);
    let geometry = Geometry::new(records.len() as u64);

    let mut header = [0; HEADER_BYTES];
    let mut put = |at: usize, bytes: &[u8]| header[at..][..bytes.len()].copy_from_slice(bytes);
    put(field::MAGIC, &MAGIC);
    put(field::VERSION, &VERSION.to_le_bytes());
    put(field::FILE_BYTES, &((index_offset + index.len() + meshes.len()) as u64).to_le_bytes());
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
    put(field::MESHES, &(props.meshes.len() as u64).to_le_bytes());
    let mesh_bytes = meshes::file_bytes(&props.meshes);
    put(field::MESH_BYTES, &mesh_bytes.to_le_bytes());
    put(field::MESHES_CHECKSUM, &xxh3_64(&meshes).to_le_bytes());
    put(field::PROPS, &props.props.to_le_bytes());
    put(field::UNIQUE_TRIANGLES, &props.unique_triangles.to_le_bytes());
    put(field::PLACED_TRIANGLES, &props.placed_triangles.to_le_bytes());
    let checksum = checksum_but(&header, field::CHECKSUM);
    header[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    Ok([&header, names.as_slice(), &record, &index, &meshes].concat())
}

/// For each name, its length, u16, and its bytes.
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

/// An open manifest: the root in memory, the index and the mesh table in its file.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    pub(super) file: Box<dyn StoredFile>,
    info: WorldInfo,
    index: Index,
    meshes: MeshTable,
}

impl Manifest {
    /// Reads and checks the root. The path is used only in messages.
    ///
    /// # Errors
    /// If the file cannot be read, or is not an undamaged manifest of this version. Never panics,
    /// whatever the bytes.
    pub fn open(path: PathBuf, file: Box<dyn StoredFile>) -> Result<Self, StoreError> {
        match open_root(&*file) {
            Ok((info, index, meshes)) => Ok(Self { path, file, info, index, meshes }),
            Err(error) => Err(located(path, error)),
        }
    }

    /// The contents of the root.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        &self.info
    }

    /// The record of a sector; `None` if it is not part of the world.
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

    /// All records, those of neighbouring sectors near each other. After an error, iteration
    /// continues with the next valid block.
    pub fn records(&self) -> impl Iterator<Item = Result<SectorRecord, StoreError>> + '_ {
        let leaves = (0..).map_while(|leaf| self.index.leaf(&*self.file, leaf));
        leaves.flat_map(|leaf| match leaf {
            Ok(records) => records.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(located(self.path.clone(), error))],
        })
    }

    /// The mesh files, ascending by hash.
    ///
    /// # Errors
    /// If the mesh table cannot be read or is damaged.
    pub fn meshes(&self) -> Result<&[MeshRecord], StoreError> {
        let table = self.meshes.records(&*self.file);
        table.map_err(|error| located(self.path.clone(), error))
    }

    /// The record of a mesh; `None` if it is not part of the world.
    ///
    /// # Errors
    /// As [`meshes`](Self::meshes).
    pub fn find_mesh(&self, hash: MeshHash) -> Result<Option<MeshRecord>, StoreError> {
        let meshes = self.meshes()?;
        let found = meshes.binary_search_by_key(&hash, |mesh| mesh.hash);
        Ok(found.ok().and_then(|at| meshes.get(at).copied()))
    }
}

fn located(path: PathBuf, error: IndexError) -> StoreError {
    match error {
        IndexError::Io(source) => StoreError::Io { op: "read", path, source },
        IndexError::Damaged(source) => StoreError::Manifest { path, source },
    }
}
