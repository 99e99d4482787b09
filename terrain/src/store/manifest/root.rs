//! A manifest's root: what it holds, and how it is read. Nothing is used before it is checked.

use xxhash_rust::xxh3::xxh3_64;

use super::index::{BLOCK_BYTES, Geometry, Index, IndexError};
use super::layout::{
    HEADER_BYTES, MAGIC, MESH_RECORD_BYTES, NAMES_BYTES_MAX, SURFACES_MAX, VERSION, check_checksum,
    field,
};
use super::meshes::MeshTable;
use crate::bytes::{checksum_but, u32_at, u64_at};
use crate::grid::Grid;
use crate::math::{SectorBounds, SectorCoord};
use crate::store::error::{ManifestError, ManifestPart};
use crate::store::record::{self, BakeRecord, RECORD_BYTES_MAX, Reader, check_limit};
use crate::store::storage::StoredFile;

/// The properties that all sectors of a world share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldFacts {
    /// Sizes of cells and sectors, and the quantum.
    pub grid: Grid,
    /// Names of the surfaces; a surface's id is its index in this list.
    pub surface_names: Vec<String>,
}

/// The contents of a manifest's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldInfo {
    /// What all sectors share.
    pub facts: WorldFacts,
    /// Number of sectors.
    pub sectors: u64,
    /// Bytes of all sector files together.
    pub sector_bytes: u64,
    /// The rectangle around all sectors; `None` where there are no sectors.
    pub bounds: Option<SectorBounds>,
    /// Lowest and highest ground, in quanta; `None` where there is no ground.
    pub height_range: Option<(i32, i32)>,
    /// Number of meshes, however often they are placed.
    pub meshes: u64,
    /// Bytes of all mesh files together.
    pub mesh_bytes: u64,
    /// Number of props, each counted in the sector of its origin.
    pub props: u64,
    /// Triangles of all meshes together.
    pub unique_triangles: u64,
    /// Triangles of all props together.
    pub placed_triangles: u64,
    /// What the world was baked from.
    pub record: BakeRecord,
}

impl WorldInfo {
    /// Whether every sector of the bounding box exists.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.bounds.is_none_or(|bounds| bounds.area() == u128::from(self.sectors))
    }
}

/// Reads and checks in the order magic, version, length, checksum, contents.
pub(crate) fn open_root(
    file: &dyn StoredFile,
) -> Result<(WorldInfo, Index, MeshTable), IndexError> {
    let have_bytes = file.len_bytes().map_err(IndexError::Io)?;
    let header = read_bytes(file, 0, have_bytes.min(HEADER_BYTES as u64))?;
    let header = Header::check(&header, have_bytes).map_err(IndexError::Damaged)?;
    let names = read_bytes(file, HEADER_BYTES as u64, header.names_bytes)?;
    let record_begin = HEADER_BYTES as u64 + header.names_bytes;
    let record = read_bytes(file, record_begin, header.index_offset - record_begin)?;
    header.root(&names, &record).map_err(IndexError::Damaged)
}

/// The lengths must have been checked against limits and against the file's length.
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
    meshes: u64,
    meshes_offset: u64,
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
        let found = u64_at(&bytes, field::CHECKSUM);
        let computed = checksum_but(&bytes, field::CHECKSUM);
        check_checksum(ManifestPart::Header, found, computed)?;
        let reserved = bytes[field::RESERVED..].iter().map(|&byte| u64::from(byte));
        let mut spare = reserved.chain([u64::from(u32_at(&bytes, field::FLAGS))]);
        if let Some(bad) = spare.find(|&bits| bits != 0) {
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
        let meshes_offset =
            u128::from(index_offset) + u128::from(geometry.blocks()) * BLOCK_BYTES as u128;
        let meshes = u64_at(&bytes, field::MESHES);
        let end = meshes_offset + u128::from(meshes) * MESH_RECORD_BYTES as u128;
        for (field, found, expected) in [
            ("index offset", u64_at(&bytes, field::INDEX_OFFSET).into(), index_offset.into()),
            ("index blocks", u64_at(&bytes, field::INDEX_BLOCKS).into(), geometry.blocks().into()),
            ("index levels", bytes[field::LEVELS].into(), geometry.levels() as u128),
            ("end of the mesh table", end, u128::from(have_bytes)),
        ] {
            if found != expected {
                let expected = "the one that follows from the numbers of sectors and meshes";
                return Err(wrong(field, found as i128, expected));
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
            meshes,
            // Less than the file's length.
            meshes_offset: meshes_offset as u64,
        })
    }

    /// The root, from the header and the two parts behind it.
    fn root(
        self,
        names: &[u8],
        record: &[u8],
    ) -> Result<(WorldInfo, Index, MeshTable), ManifestError> {
        let stored = |at| u64_at(&self.bytes, at);
        check_checksum(ManifestPart::Names, stored(field::NAMES_CHECKSUM), xxh3_64(names))?;
        check_checksum(ManifestPart::Record, stored(field::RECORD_CHECKSUM), xxh3_64(record))?;
        let (record, padding) = record.split_at((self.record_bytes as usize).min(record.len()));
        if let Some(&bad) = padding.iter().find(|&&byte| byte != 0) {
            let (part, field) = (ManifestPart::Record, "byte after the record");
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
            meshes: self.meshes,
            mesh_bytes: stored(field::MESH_BYTES),
            props: stored(field::PROPS),
            unique_triangles: stored(field::UNIQUE_TRIANGLES),
            placed_triangles: stored(field::PLACED_TRIANGLES),
            record: record::decode(record)?,
        };
        let checksum = stored(field::MESHES_CHECKSUM);
        let meshes = MeshTable::new(self.meshes_offset, self.meshes, checksum, info.mesh_bytes);
        Ok((info, Index::new(self.index_offset, self.geometry, self.bounds), meshes))
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

fn grid(bytes: &[u8]) -> Result<Grid, ManifestError> {
    let [cell_log2, quantum_log2] =
        [field::CELL_LOG2, field::QUANTUM_LOG2].map(|at| bytes[at] as i8);
    let cells_log2 = bytes[field::CELLS_LOG2];
    Grid::from_log2(cell_log2.into(), cells_log2.into(), quantum_log2.into())
        .map_err(|why| ManifestError::Grid { cell_log2, cells_log2, quantum_log2, why })
}

fn bounds(bytes: &[u8], sectors: u64) -> Result<Option<SectorBounds>, ManifestError> {
    let [x0, z0, x1, z1] = [0, 4, 8, 12].map(|offset| u32_at(bytes, field::BOUNDS + offset) as i32);
    let bounds = SectorBounds { min: SectorCoord::new(x0, z0), max: SectorCoord::new(x1, z1) };
    if sectors == 0 {
        let none = [x0, z0, x1, z1] == [0, 0, -1, -1];
        return if none { Ok(None) } else { Err(wrong("bounding box", x0.into(), "0, 0, -1, -1")) };
    }
    if x0 > x1 || z0 > z1 || bounds.area() < u128::from(sectors) {
        return Err(wrong("bounding box", x0.into(), "a box that contains all sectors"));
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
