//! Errors of worlds on disk.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::disk::NotAFile;
use super::pack::error::{DamagedPack, PackError};
use crate::format::SectorError;
use crate::grid::Grid;
use crate::math::{GridError, SectorCoord};
use crate::props::{MeshError, MeshHash};

/// A part of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestPart {
    /// The fixed fields at the start.
    Header,
    /// The names of the surfaces.
    Names,
    /// The bake record.
    Record,
    /// A block of the index, by its number.
    Block(u64),
    /// The mesh table.
    Meshes,
}

impl fmt::Display for ManifestPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Names => f.write_str("surface names"),
            Self::Record => f.write_str("bake record"),
            Self::Block(number) => write!(f, "index block {number}"),
            Self::Meshes => f.write_str("mesh table"),
        }
    }
}

/// Why bytes are not a valid manifest, or why values cannot be encoded as one.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ManifestError {
    /// The first eight bytes are not those of a manifest.
    #[error("not a manifest: it starts with {found:02x?}, expected \"MARCHMAN\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// The format version is not supported.
    #[error("manifest format version {found}, expected version {supported}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version of this library.
        supported: u32,
    },
    /// Fewer bytes than a part needs.
    #[error("{part}: needs {need_bytes} bytes, but there are {have_bytes}")]
    Truncated {
        /// The part that does not fit.
        part: ManifestPart,
        /// Bytes that it needs.
        need_bytes: u64,
        /// Bytes present.
        have_bytes: u64,
    },
    /// The file's length differs from the length in its header.
    #[error("the file has {have_bytes} bytes, but its header specifies {need_bytes}")]
    Length {
        /// The length in the header.
        need_bytes: u64,
        /// Bytes in the file.
        have_bytes: u64,
    },
    /// The stored checksum differs from the computed one.
    #[error("{part}: the stored checksum is {found:016x}, but its bytes give {computed:016x}")]
    Checksum {
        /// The damaged part.
        part: ManifestPart,
        /// The stored checksum.
        found: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// A field holds an invalid value.
    #[error("{part}: {field} is {found}, expected {expected}")]
    Value {
        /// The part that holds the field.
        part: ManifestPart,
        /// The field.
        field: &'static str,
        /// The value found.
        found: i128,
        /// What is accepted, in words.
        expected: &'static str,
    },
    /// The cell, cells and quantum in the header do not form a valid grid.
    #[error(
        "header: cell, cells and quantum are 2^{cell_log2} m, 2^{cells_log2} and 2^{quantum_log2} m: {why}"
    )]
    Grid {
        /// Side of a cell in metres, as a power of two.
        cell_log2: i8,
        /// Cells along a side of a sector, as a power of two.
        cells_log2: u8,
        /// Step of heights in metres, as a power of two.
        quantum_log2: i8,
        /// Which of them is invalid, and what is accepted.
        why: GridError,
    },
    /// Two records for one sector.
    #[error("sector {coord} is listed twice")]
    Duplicate {
        /// Coordinates of the sector.
        coord: SectorCoord,
    },
    /// Two records for one mesh.
    #[error("mesh {hash} is listed twice")]
    DuplicateMesh {
        /// Hash of the mesh.
        hash: MeshHash,
    },
    /// A sector uses a mesh that was not put into the world.
    #[error("mesh {hash} is used by a sector, but was not put into the world")]
    MeshNotPut {
        /// Hash of the mesh.
        hash: MeshHash,
    },
    /// More than a manifest can hold.
    #[error("{what}: {found}, expected at most {max}")]
    Limit {
        /// What exceeds its limit.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The greatest number accepted.
        max: u64,
    },
}

/// Why an operation on a world on disk failed, and where.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("{op} {}: {source}", path.display())]
    Io {
        /// The operation, a verb: `read`, `write`, `rename`, `sync`, …
        op: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another writer holds the lock of this world.
    #[error("{}: locked, another process is baking this world", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A folder, a pipe or a device where a file of a world should be.
    #[error("{}: {found}, expected a file", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
        /// What it is, in words.
        found: &'static str,
    },
    /// The folder holds other things and no world.
    #[error("{}: not a world, it contains {found}; expected a manifest or an empty folder", path.display())]
    NotAWorld {
        /// The folder.
        path: PathBuf,
        /// Some of its contents.
        found: String,
    },
    /// There is nothing at the path of a world.
    #[error("{}: does not exist, expected the folder of a world", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// A folder without a manifest: nothing has been published there yet.
    #[error("{}: not a world, expected a file with a name like manifest-0000000001", path.display())]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest is damaged or of another version.
    #[error("{}: {source}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// Why it is invalid.
        source: ManifestError,
    },
    /// A sector that the manifest names has no file.
    #[error("{}: missing, but the manifest lists it for sector {coord}", path.display())]
    Missing {
        /// Coordinates of the sector.
        coord: SectorCoord,
        /// The file that should be there.
        path: PathBuf,
    },
    /// A sector file is damaged, or not the one that the manifest names.
    #[error("{}: {source}", path.display())]
    Sector {
        /// The sector file.
        path: PathBuf,
        /// Why it is invalid.
        source: SectorError,
    },
    /// A mesh that the manifest names has no file.
    #[error("{}: missing, but the manifest lists it", path.display())]
    MissingMesh {
        /// The file that should be there.
        path: PathBuf,
    },
    /// A sector uses a mesh that the manifest does not name.
    #[error("mesh {hash}: not listed by the manifest, but needed by props")]
    UnnamedMesh {
        /// The mesh.
        hash: MeshHash,
    },
    /// A mesh file is damaged.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The mesh file.
        path: PathBuf,
        /// Why it is invalid.
        source: MeshError,
    },
    /// A mesh file holds a different mesh than its name states.
    #[error("{}: its hash is {found}, but its name specifies {expected}", path.display())]
    OtherMesh {
        /// The mesh file.
        path: PathBuf,
        /// The hash of its content.
        found: MeshHash,
        /// The hash in its name.
        expected: MeshHash,
    },
    /// The reading of the world's files for a streamer panicked: a bug of the storage or of this library.
    #[error("reading the world panicked: {message}")]
    Panicked {
        /// The panic message.
        message: String,
    },
    /// A newer generation has a different grid, so it cannot replace the open one.
    #[error(
        "the newest generation has a different grid: {found:?}, expected {expected:?}; open the world again"
    )]
    OtherGrid {
        /// The grid of the newer generation.
        found: Grid,
        /// The grid of the generation that is open.
        expected: Grid,
    },
    /// A pack's header or directory is damaged or of another version.
    #[error("{}: {source}", path.display())]
    Pack {
        /// The pack.
        path: PathBuf,
        /// Why it is invalid.
        source: PackError,
    },
    /// A bake was started in a folder that holds a packed world or an unfinished one.
    #[error("{}: a pack, expected none: a packed world cannot be baked into", path.display())]
    Packed {
        /// One of its packs.
        path: PathBuf,
    },
    /// A world or a bake of one exists where another world or fetched files were to be written.
    #[error("{}: already contains a world, expected an empty folder", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// The manifest has the last possible generation: nothing can be published after it.
    #[error("{}: the last possible generation; bake into a different folder", path.display())]
    LastGeneration {
        /// The manifest.
        path: PathBuf,
    },
    /// A radius is negative or not a number.
    #[error("radius is {found} m, expected at least 0")]
    Radius {
        /// The radius found.
        found: f64,
    },
}

/// A result; `None` if what was read is invalid. Only failures of the file system stay errors.
pub(super) fn if_sound<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Err(error) if error.is_io() => Err(error),
        found => Ok(found.ok()),
    }
}

impl StoreError {
    /// Whether the file system failed, as opposed to invalid contents.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }

    /// An error of storage, with the operation and the file. One that reports a damaged pack names
    /// the pack instead, and one that reports something other than a file names that.
    pub(super) fn from_io(op: &'static str, path: PathBuf, source: io::Error) -> Self {
        let source = match source.downcast::<DamagedPack>() {
            Ok(DamagedPack { path, source }) => return Self::Pack { path, source },
            Err(source) => source,
        };
        match source.downcast::<NotAFile>() {
            Ok(NotAFile { path, found }) => Self::NotAFile { path, found },
            Err(source) => Self::Io { op, path, source },
        }
    }
}
