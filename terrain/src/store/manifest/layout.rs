//! The layout of a manifest's root and mesh table, and their checksums.

use crate::store::error::{ManifestError, ManifestPart};

/// The first eight bytes of a manifest.
pub const MAGIC: [u8; 8] = *b"MARCHMAN";
/// The format's version.
pub const VERSION: u32 = 1;
/// Bytes of the fixed fields at the start.
pub const HEADER_BYTES: usize = 192;
/// Most surface names of a world.
pub const SURFACES_MAX: usize = 256;
/// Most bytes of all surface names, their lengths included.
pub(crate) const NAMES_BYTES_MAX: u64 = 64 << 10;

/// Offsets of the header's fields.
pub mod field {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// Version, u32.
    pub const VERSION: usize = 8;
    /// Zeros; a later version may assign meanings to bits. u32.
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
    /// Offset of the index, u64.
    pub const INDEX_OFFSET: usize = 96;
    /// Blocks of the index, u64.
    pub const INDEX_BLOCKS: usize = 104;
    /// Bytes of all sector files together, u64.
    pub const SECTOR_BYTES: usize = 112;
    /// Number of meshes, u64.
    pub const MESHES: usize = 120;
    /// Bytes of all mesh files together, u64.
    pub const MESH_BYTES: usize = 128;
    /// XXH3-64 of the mesh table, u64.
    pub const MESHES_CHECKSUM: usize = 136;
    /// Number of props, u64.
    pub const PROPS: usize = 144;
    /// Triangles of all meshes together, u64.
    pub const UNIQUE_TRIANGLES: usize = 152;
    /// Triangles of all props together, u64.
    pub const PLACED_TRIANGLES: usize = 160;
    /// Zeros up to [`HEADER_BYTES`](super::HEADER_BYTES).
    pub const RESERVED: usize = 168;
}

const _: () = assert!(field::RESERVED + 24 == HEADER_BYTES);
const _: () = assert!(field::BOUNDS + 16 == field::SECTORS);

/// Bytes of a mesh's record.
pub const MESH_RECORD_BYTES: usize = 24;

/// Offsets of a mesh record's fields.
pub mod mesh_entry {
    /// The mesh's hash, u128.
    pub const HASH: usize = 0;
    /// Length of its file, u64.
    pub const FILE_BYTES: usize = 16;
}

const _: () = assert!(mesh_entry::FILE_BYTES + 8 == MESH_RECORD_BYTES);

/// Fails where a part's stored checksum differs from the computed one.
pub(crate) fn check_checksum(
    part: ManifestPart,
    found: u64,
    computed: u64,
) -> Result<(), ManifestError> {
    let same = found == computed;
    if same { Ok(()) } else { Err(ManifestError::Checksum { part, found, computed }) }
}
