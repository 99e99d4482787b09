//! The layout of a sector file. Little-endian throughout.
//!
//! ```text
//! 0       64              64 + 32·n     header_end            …
//! ┌────────┬───────────────┬────────────┬─────────┬──────────┬─────────┬──────────┬───
//! │ header │ n table rows  │ zeros      │ section │ 64 zeros │ section │ 64 zeros │ …
//! └────────┴───────────────┴────────────┴─────────┴──────────┴─────────┴──────────┴───
//!                                       every section begins at a multiple of 64
//! ```

use super::error::Section;
use crate::heightfield::{blocks_along, cell_bits_stride, pyramid_blocks};

pub use crate::props::layout::{
    MESH_HASH_BYTES, PROP_BYTES, PROP_TREE_HEADER_BYTES, PROP_TREE_NODE_BYTES, prop, prop_tree,
};

/// The first eight bytes of a sector file.
pub const MAGIC: [u8; 8] = *b"MARCHSEC";
/// The format's version.
pub const VERSION: u32 = 1;
/// Bytes of the header before the section table.
pub const HEADER_BYTES: usize = 64;
/// Bytes of one row of the section table.
pub const TABLE_ROW_BYTES: usize = 32;
/// Sections begin at multiples of this number of bytes.
pub const SECTION_ALIGN_BYTES: usize = 64;
/// Zero bytes after each section, so that a wide load at its last byte stays inside the file.
pub const SECTION_TAIL_BYTES: usize = 64;
/// Maximum number of sections in a file.
pub const SECTIONS_MAX: u32 = 64;

/// Offsets of the header's fields.
pub mod field {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// Version, u32.
    pub const VERSION: usize = 8;
    /// Number of sections, u32.
    pub const SECTIONS: usize = 12;
    /// Length of the file, u64.
    pub const FILE_BYTES: usize = 16;
    /// XXH3-64 of everything before the first section, with this field as zeros, u64.
    pub const CHECKSUM: usize = 24;
    /// Sector x, i32.
    pub const SECTOR_X: usize = 32;
    /// Sector z, i32.
    pub const SECTOR_Z: usize = 36;
    /// log2 of the cell's side in metres, i8.
    pub const CELL_LOG2: usize = 40;
    /// log2 of the cells along a side, u8.
    pub const CELLS_LOG2: usize = 41;
    /// log2 of the quantum in metres, i8.
    pub const QUANTUM_LOG2: usize = 42;
    /// Width of the samples: 0 for 16 bits, 1 for 32, u8.
    pub const ENCODING: usize = 43;
    /// The height that samples are stored relative to, in quanta, i32.
    pub const BASE: usize = 44;
    /// Covered rectangle: first column, first row, one past the last column, one past the last row; u16 each.
    pub const COVERED: usize = 48;
    /// The surface of every cell where there is no surface section, u8.
    pub const SURFACE: usize = 56;
    /// Zeros up to [`HEADER_BYTES`](super::HEADER_BYTES).
    pub const RESERVED: usize = 57;
}

/// Offsets of a table row's fields.
pub mod row {
    /// The section's number, u32.
    pub const ID: usize = 0;
    /// Bit 0: a reader that does not know the section must refuse the file. u32.
    pub const FLAGS: usize = 4;
    /// Offset of the section in bytes, u64.
    pub const OFFSET: usize = 8;
    /// Length of the section in bytes, without the zeros after it, u64.
    pub const LENGTH: usize = 16;
    /// XXH3-64 of everything from its first byte to the next section or the end of the file, u64.
    pub const CHECKSUM: usize = 24;
}

/// Flag bit of a table row: a reader that does not know the section must refuse the file.
pub const FLAG_REQUIRED: u32 = 1;

/// Numbers of the sections. Those of props, 16 to 18, are all present or all absent.
pub const SECTIONS: [(Section, u32); 9] = [
    (Section::Heights, 1),
    (Section::Holes, 2),
    (Section::Outside, 3),
    (Section::Surfaces, 4),
    (Section::Pyramid, 5),
    (Section::Steepness, 6),
    (Section::Props, 16),
    (Section::PropTree, 17),
    (Section::Meshes, 18),
];

const _: () = assert!(field::RESERVED < HEADER_BYTES);
const _: () = assert!(HEADER_BYTES.is_multiple_of(SECTION_ALIGN_BYTES));
const _: () = assert!(row::CHECKSUM + 8 == TABLE_ROW_BYTES);
// Nodes begin, like their section, at a multiple of a cache line.
const _: () = assert!(PROP_TREE_HEADER_BYTES.is_multiple_of(SECTION_ALIGN_BYTES));

/// The section with a given number.
#[must_use]
pub fn section_of(id: u32) -> Section {
    SECTIONS.iter().find(|(_, known)| *known == id).map_or(Section::Unknown(id), |(s, _)| *s)
}

/// The number of a section.
#[must_use]
pub fn id_of(section: Section) -> u32 {
    match section {
        Section::Unknown(id) => id,
        known => SECTIONS.iter().find(|(s, _)| *s == known).map_or(0, |(_, id)| *id),
    }
}

/// Number of bytes that a section must have in a sector of `cells` cells along a side; 0 for sections whose
/// size does not follow from that.
#[must_use]
pub fn section_bytes(section: Section, cells: u32, wide: bool) -> usize {
    let width = if wide { 4 } else { 2 };
    let samples = (cells as usize + 3) * (cells as usize + 3);
    let along = blocks_along(cells) as usize;
    match section {
        Section::Heights => samples * width,
        Section::Holes | Section::Outside => cell_bits_stride(cells) * (cells as usize + 2),
        Section::Surfaces => cells as usize * cells as usize,
        Section::Pyramid => pyramid_blocks(cells) * 2 * width,
        Section::Steepness => along * along,
        Section::Header
        | Section::Props
        | Section::PropTree
        | Section::Meshes
        | Section::Unknown(_) => 0,
    }
}

/// The next multiple of the section alignment.
#[must_use]
pub const fn aligned(bytes: usize) -> usize {
    bytes.div_ceil(SECTION_ALIGN_BYTES) * SECTION_ALIGN_BYTES
}
