//! Why the bytes of a sector are invalid.

use std::fmt;

use thiserror::Error;

use crate::grid::Grid;
use crate::math::{GridError, SectorCoord};
use crate::props::MeshHash;

/// A part of a sector file, numbered as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The header and the section table.
    Header,
    /// Height samples.
    Heights,
    /// Hole bits.
    Holes,
    /// Bits of the cells that are not part of the world.
    Outside,
    /// Surface ids.
    Surfaces,
    /// Least and greatest heights of blocks.
    Pyramid,
    /// Greatest slopes of blocks.
    Steepness,
    /// Records of the props that reach into the sector.
    Props,
    /// The tree over their boxes.
    PropTree,
    /// Hashes of their meshes.
    Meshes,
    /// A section unknown to this version.
    Unknown(u32),
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Heights => f.write_str("heights"),
            Self::Holes => f.write_str("holes"),
            Self::Outside => f.write_str("outside"),
            Self::Surfaces => f.write_str("surfaces"),
            Self::Pyramid => f.write_str("pyramid"),
            Self::Steepness => f.write_str("steepness"),
            Self::Props => f.write_str("props"),
            Self::PropTree => f.write_str("prop tree"),
            Self::Meshes => f.write_str("meshes"),
            Self::Unknown(id) => write!(f, "section {id}"),
        }
    }
}

/// Why bytes are not a valid sector.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SectorError {
    /// The first eight bytes are not those of a sector file.
    #[error("not a sector file: it starts with {found:02x?}, expected \"MARCHSEC\"")]
    Magic {
        /// The first bytes, at most eight.
        found: Vec<u8>,
    },
    /// The format version is not supported.
    #[error("sector format version {found}, expected version {supported}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version that this library supports.
        supported: u32,
    },
    /// The file has fewer bytes than a part needs.
    #[error("{section}: needs {need_bytes} bytes, but the file has {have_bytes}")]
    Truncated {
        /// The part that does not fit.
        section: Section,
        /// Bytes from the start of the file that it needs.
        need_bytes: u64,
        /// Bytes in the file.
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
    #[error("{section}: the stored checksum is {found:016x}, but its bytes give {computed:016x}")]
    Checksum {
        /// The damaged part.
        section: Section,
        /// The stored checksum.
        found: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// A section has an invalid offset or length.
    #[error(
        "{section}: at byte {offset} with {length} bytes, expected byte {expected_offset} and {expected_length} bytes"
    )]
    Place {
        /// The misplaced part.
        section: Section,
        /// Its offset in the table.
        offset: u64,
        /// Its length in the table.
        length: u64,
        /// The expected offset.
        expected_offset: u64,
        /// The expected length.
        expected_length: u64,
    },
    /// A required section is missing.
    #[error("{section}: missing")]
    Missing {
        /// The missing part.
        section: Section,
    },
    /// A section is unknown and must not be skipped.
    #[error("section {id} is required, but unknown to this version")]
    UnknownRequired {
        /// Its number.
        id: u32,
    },
    /// Sections are out of order or occur twice.
    #[error("{section}: out of order, expected each section once, in ascending order")]
    Order {
        /// The part that is out of order.
        section: Section,
    },
    /// A field holds an invalid value.
    #[error("{section}: {field} is {found}, expected {expected}")]
    Value {
        /// The part that holds the field.
        section: Section,
        /// The field.
        field: &'static str,
        /// The value found.
        found: i64,
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
        /// Cells along a side of the sector, as a power of two.
        cells_log2: u8,
        /// Step of heights in metres, as a power of two.
        quantum_log2: i8,
        /// Which of them is invalid, and what is accepted.
        why: GridError,
    },
    /// A prop's record holds an invalid value.
    #[error("prop {at}: {field} is {found}, expected {expected}")]
    Prop {
        /// The record's index in the sector, or among those given to a sector that is being built.
        at: u32,
        /// The field.
        field: &'static str,
        /// The value found.
        found: f64,
        /// What is accepted, in words.
        expected: &'static str,
    },
    /// The sector holds props whose meshes were not given.
    #[error(
        "{} meshes are missing, the first is {}",
        missing.len(),
        missing.first().map_or_else(String::new, ToString::to_string)
    )]
    Meshes {
        /// The hashes of the missing meshes.
        missing: Vec<MeshHash>,
    },
    /// The sector is valid, but is not the one requested.
    #[error("the file holds sector {found}, expected {expected}")]
    WrongSector {
        /// The coordinates in its header.
        found: SectorCoord,
        /// The coordinates requested.
        expected: SectorCoord,
    },
    /// The sector is valid, but its grid differs from that of the world that it is added to.
    #[error("the sector is on a different grid, {found:?}, expected {expected:?}")]
    OtherGrid {
        /// Its grid.
        found: Grid,
        /// The world's.
        expected: Grid,
    },
    /// The sector is valid, but belongs to a different world or to a different bake of this world.
    #[error("{what} is {found}, but the manifest specifies {expected}")]
    Mismatch {
        /// What differs: `content hash`, `cell`, `cells`, `quantum` or `length`.
        what: &'static str,
        /// The value in the file.
        found: String,
        /// The value in the manifest.
        expected: String,
    },
}
