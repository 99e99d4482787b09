//! What can be wrong with the bytes of a sector.

use std::fmt;

use thiserror::Error;

use crate::grid::Grid;
use crate::math::{GridError, SectorCoord};
use crate::props::MeshHash;

/// A part of a sector file, by the number it has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The header and the section table.
    Header,
    /// Height samples.
    Heights,
    /// Hole bits.
    Holes,
    /// Bits of the cells that belong to no world.
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
    /// A section this version does not know.
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

/// Why bytes are not a sector.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SectorError {
    /// The first eight bytes are not those of a sector file.
    #[error("not a sector file: it begins with {found:02x?}, expected \"MARCHSEC\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// Another version of the format.
    #[error("sector format version {found}, supported is {supported}")]
    Version {
        /// The file's version.
        found: u32,
        /// This library's version.
        supported: u32,
    },
    /// Fewer bytes than a part needs.
    #[error("{section}: needs {need_bytes} bytes, the file has {have_bytes}")]
    Truncated {
        /// The part that does not fit.
        section: Section,
        /// Bytes from the start of the file that it needs.
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
    #[error("{section}: checksum is {found:016x}, its bytes give {computed:016x}")]
    Checksum {
        /// The damaged part.
        section: Section,
        /// What is stored.
        found: u64,
        /// What the bytes give.
        computed: u64,
    },
    /// A section begins or ends where it may not.
    #[error(
        "{section}: at byte {offset} with {length} bytes, expected byte {expected_offset} and {expected_length} bytes"
    )]
    Place {
        /// The misplaced part.
        section: Section,
        /// Where the table says it begins.
        offset: u64,
        /// How long the table says it is.
        length: u64,
        /// Where it must begin.
        expected_offset: u64,
        /// How long it must be.
        expected_length: u64,
    },
    /// A section that is needed is not there.
    #[error("{section}: missing")]
    Missing {
        /// The part that is needed.
        section: Section,
    },
    /// A section is not known and must not be skipped.
    #[error("section {id} is required and not known to this version")]
    UnknownRequired {
        /// Its number.
        id: u32,
    },
    /// Sections are out of order or there twice.
    #[error("{section}: out of order, sections ascend and stand once each")]
    Order {
        /// The part that is out of order.
        section: Section,
    },
    /// A field holds a value it may not hold.
    #[error("{section}: {field} is {found}, expected {expected}")]
    Value {
        /// The part that holds the field.
        section: Section,
        /// The field.
        field: &'static str,
        /// What was found.
        found: i64,
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
        /// Cells along a side of the sector, as a power of two.
        cells_log2: u8,
        /// Step of heights in metres, as a power of two.
        quantum_log2: i8,
        /// Which of them cannot be, and what can.
        why: GridError,
    },
    /// A prop's record holds a value it may not hold.
    #[error("prop {at}: {field} is {found}, expected {expected}")]
    Prop {
        /// The record's place in the sector, or among those given to a sector that is made.
        at: u32,
        /// The field.
        field: &'static str,
        /// What was found.
        found: f64,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// The sector holds props whose meshes were not given.
    #[error("meshes missing: {} of them, first {}", missing.len(), FirstMesh(missing))]
    Meshes {
        /// The hashes of those that were not given.
        missing: Vec<MeshHash>,
    },
    /// The sector is sound but not the one asked for.
    #[error("the file holds sector {found}, expected {expected}")]
    WrongSector {
        /// The coordinates in its header.
        found: SectorCoord,
        /// The coordinates asked for.
        expected: SectorCoord,
    },
    /// The sector is sound but lies on another grid than the world that it is put into.
    #[error("the sector lies on another grid, {found:?}, expected {expected:?}")]
    OtherGrid {
        /// Its grid.
        found: Grid,
        /// The world's.
        expected: Grid,
    },
    /// The sector is sound but not of this world, or of another bake of it.
    #[error("{what} is {found}, the manifest says {expected}")]
    Mismatch {
        /// What differs: `content hash`, `cell`, `cells`, `quantum` or `length`.
        what: &'static str,
        /// What the file has.
        found: String,
        /// What the manifest names.
        expected: String,
    },
}

/// The first of some meshes, as text.
struct FirstMesh<'a>(&'a [MeshHash]);

impl fmt::Display for FirstMesh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.first().map_or(Ok(()), |mesh| mesh.fmt(f))
    }
}
