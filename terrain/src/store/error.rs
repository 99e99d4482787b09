//! What can be wrong with a world on disk.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::pack_error::PackError;
use crate::format::SectorError;
use crate::grid::Grid;
use crate::math::GridError;
use crate::math::SectorCoord;
use crate::props::{MeshError, MeshHash};

/// A part of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestPart {
    /// The fixed fields at the start.
    Header,
    /// The names of the surfaces.
    Names,
    /// What the world was baked from.
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

/// Why bytes are not a manifest, or why values cannot be made into one.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ManifestError {
    /// The first eight bytes are not those of a manifest.
    #[error("not a manifest: it begins with {found:02x?}, expected \"MARCHMAN\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// Another version of the format.
    #[error("manifest format version {found}, supported is {supported}")]
    Version {
        /// The file's version.
        found: u32,
        /// This library's version.
        supported: u32,
    },
    /// Fewer bytes than a part needs.
    #[error("{part}: needs {need_bytes} bytes, there are {have_bytes}")]
    Truncated {
        /// The part that does not fit.
        part: ManifestPart,
        /// Bytes that it needs.
        need_bytes: u64,
        /// Bytes there are.
        have_bytes: u64,
    },
    /// The file's length is not the one its header tells.
    #[error("the file has {have_bytes} bytes, its header says {need_bytes}")]
    Length {
        /// What the header says.
        need_bytes: u64,
        /// Bytes there are.
        have_bytes: u64,
    },
    /// Stored and computed checksum differ.
    #[error("{part}: checksum is {found:016x}, its bytes give {computed:016x}")]
    Checksum {
        /// The damaged part.
        part: ManifestPart,
        /// What is stored.
        found: u64,
        /// What the bytes give.
        computed: u64,
    },
    /// A field holds a value it may not hold.
    #[error("{part}: {field} is {found}, expected {expected}")]
    Value {
        /// The part that holds the field.
        part: ManifestPart,
        /// The field.
        field: &'static str,
        /// What was found.
        found: i128,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// Cell, cells and quantum of the header are no grid.
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
        /// Which of them cannot be, and what can.
        why: GridError,
    },
    /// Two records for one sector.
    #[error("sector {coord} is there twice")]
    Duplicate {
        /// Its place.
        coord: SectorCoord,
    },
    /// Two records for one mesh.
    #[error("mesh {hash} is there twice")]
    DuplicateMesh {
        /// Its hash.
        hash: MeshHash,
    },
    /// A mesh that a sector uses and that nobody put into the world.
    #[error("mesh {hash} is used by a sector and was not put")]
    MeshNotPut {
        /// Its hash.
        hash: MeshHash,
    },
    /// More than a manifest holds.
    #[error("{what}: {found}, expected at most {max}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: u64,
        /// The most there may be.
        max: u64,
    },
}

/// What went wrong with a world on disk, and where.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("{op} {}: {source}", path.display())]
    Io {
        /// What was tried, a verb: `read`, `write`, `rename`, `sync`, …
        op: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else is baking this world.
    #[error("{}: locked, somebody else is baking this world", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A folder, a pipe or a device where a file of a world should be.
    #[error("{}: {found}, expected a file", path.display())]
    NotAFile {
        /// Where it stands.
        path: PathBuf,
        /// What it is, in words.
        found: &'static str,
    },
    /// A folder with other things in it.
    #[error("{}: no world, it holds {found}; expected a manifest, or an empty folder", path.display())]
    NotAWorld {
        /// The folder.
        path: PathBuf,
        /// Some of what it holds.
        found: String,
    },
    /// A folder without a manifest: nothing was published there yet.
    #[error("{}: no world, expected a file named like manifest-0000000001", path.display())]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest that is damaged, or of another version.
    #[error("{}: {source}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        source: ManifestError,
    },
    /// A sector that the manifest names and that has no file.
    #[error("{}: missing, the manifest names it for sector {coord}", path.display())]
    Missing {
        /// Its place.
        coord: SectorCoord,
        /// The file that should be there.
        path: PathBuf,
    },
    /// A sector file that is damaged, or not the one that the manifest names.
    #[error("{}: {source}", path.display())]
    Sector {
        /// The sector file.
        path: PathBuf,
        /// What is wrong with it.
        source: SectorError,
    },
    /// A mesh that the manifest names and that has no file.
    #[error("{}: missing, the manifest names it", path.display())]
    MissingMesh {
        /// The file that should be there.
        path: PathBuf,
    },
    /// A mesh that a sector uses and the manifest does not name.
    #[error("mesh {hash}: not named by the manifest, its props need it")]
    UnnamedMesh {
        /// The mesh.
        hash: MeshHash,
    },
    /// A mesh file that is damaged.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The mesh file.
        path: PathBuf,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A mesh file that holds another mesh than its name says.
    #[error("{}: its hash is {found}, its name says {expected}", path.display())]
    OtherMesh {
        /// The mesh file.
        path: PathBuf,
        /// The hash of what it holds.
        found: MeshHash,
        /// The hash that it should have.
        expected: MeshHash,
    },
    /// Who reads the files of the world for a streamer panicked: a bug, of the storage or of this library.
    #[error("reading the world panicked: {message}")]
    Panicked {
        /// What it said.
        message: String,
    },
    /// A newer generation on another grid, which cannot take the place of the one that is open.
    #[error(
        "the newest generation has another grid: {found:?}, expected {expected:?}; open it anew"
    )]
    OtherGrid {
        /// Its grid.
        found: Grid,
        /// The grid of the generation that is open.
        expected: Grid,
    },
    /// A pack whose header or directory is damaged, or of another version.
    #[error("{}: {source}", path.display())]
    Pack {
        /// The pack.
        path: PathBuf,
        /// What is wrong with it.
        source: PackError,
    },
    /// A packed world, or the beginning of one, where a bake was to write.
    #[error("{}: a pack, expected no packs: nothing is baked into a packed world", path.display())]
    Packed {
        /// One of its packs.
        path: PathBuf,
    },
    /// A world, or the bake of one, where another world or fetched files were to be written.
    #[error("{}: a world is there already, expected an empty folder", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest with the last generation that there is: nothing can be published after it.
    #[error("{}: the last generation that there is; bake into another folder", path.display())]
    LastGeneration {
        /// The manifest.
        path: PathBuf,
    },
    /// A radius that is not a number or negative.
    #[error("radius is {found} m, expected 0 or more")]
    Radius {
        /// What was found.
        found: f64,
    },
}

impl StoreError {
    /// Whether the file system failed, rather than what it holds being wrong.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
