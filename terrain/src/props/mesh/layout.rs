//! The layout of a mesh file. Little-endian throughout.
//!
//! ```text
//! 0        64      64 + 64·n
//! ┌────────┬───────┬──────────┬───────────┬───────┬───────┬───────────────────┬──────────────────┐
//! │ header │ nodes │ vertices │ triangles │ edges │ faces │ face of triangles │ zeros, 64 to 127 │
//! └────────┴───────┴──────────┴───────────┴───────┴───────┴───────────────────┴──────────────────┘
//!            every part begins at a multiple of 64, with zeros before it
//! ```

/// The first eight bytes of a mesh file.
pub const MAGIC: [u8; 8] = *b"MARCHMSH";
/// The format's version.
pub const VERSION: u32 = 2;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Parts begin at multiples of this.
pub const PART_ALIGN_BYTES: usize = 64;
/// Least number of zero bytes at the end, so that a wide load at the last edge stays inside the
/// file.
pub const TAIL_BYTES: usize = 64;
/// Bytes of a node of the tree.
pub const NODE_BYTES: usize = crate::props::tree::NODE_BYTES;
/// Bytes of a vertex.
pub const VERTEX_BYTES: usize = 12;
/// Bytes of a triangle with 16-bit vertex indices.
pub const TRIANGLE_NARROW_BYTES: usize = 6;
/// Bytes of a triangle with 32-bit vertex indices.
pub const TRIANGLE_WIDE_BYTES: usize = 12;
/// Bytes of a face: its first triangle, u32, and its corners.
pub const FACE_NARROW_BYTES: usize = 4 + 2 * FACE_CORNERS_MAX;
/// The same with 32-bit vertex indices.
pub const FACE_WIDE_BYTES: usize = 4 + 4 * FACE_CORNERS_MAX;
/// Most corners of a face. A face that has fewer repeats its last one.
pub const FACE_CORNERS_MAX: usize = super::face::CORNERS_MAX;
/// Most faces.
pub const FACES_MAX: u32 = super::merge::FACES_MAX as u32;
/// Most triangles.
pub const TRIANGLES_MAX: u32 = crate::props::tree::ITEMS_MAX;
/// Most vertices for 16-bit indices; with more, indices have 32 bits.
pub const VERTICES_NARROW_MAX: u32 = 1 << 16;
/// Most triangles of a leaf of the tree; a mesh with no more has no node.
pub const LEAF_TRIANGLES_MAX: u32 = crate::props::tree::LEAF_ITEMS_MAX;
/// Most nodes from the root of the tree down to a leaf.
pub const LEVELS_MAX: usize = crate::props::tree::LEVELS_MAX;

/// Offsets of the header's fields.
pub mod field {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// Version, u32.
    pub const VERSION: usize = 8;
    /// [`FLAG_CLOSED`](super::FLAG_CLOSED), [`FLAG_WIDE`](super::FLAG_WIDE), u32.
    pub const FLAGS: usize = 12;
    /// XXH3-64 of the whole file, with this field as zeros, u64.
    pub const CHECKSUM: usize = 16;
    /// Number of vertices, u32.
    pub const VERTICES: usize = 24;
    /// Number of triangles, u32.
    pub const TRIANGLES: usize = 28;
    /// Number of nodes of the tree, u32.
    pub const NODES: usize = 32;
    /// Least and greatest x, y, z of the vertices, f32 each.
    pub const BOUNDS: usize = 36;
    /// Number of faces that consist of several triangles, u32.
    pub const FACES: usize = 60;
}

/// Offsets of a tree node's fields.
pub mod node {
    /// Least x of each of the four children, u16 each, then y, then z.
    pub const LOW: usize = 0;
    /// Greatest, in the same order.
    pub const HIGH: usize = 24;
    /// Reference of each child, u32 each.
    pub const CHILDREN: usize = 48;
}

/// Flag bit: the mesh is a closed solid.
pub const FLAG_CLOSED: u32 = 1;
/// Flag bit: vertex indices have 32 bits.
pub const FLAG_WIDE: u32 = 2;

const _: () = assert!(field::BOUNDS + 6 * 4 == field::FACES);
const _: () = assert!(field::FACES + 4 == HEADER_BYTES);
const _: () = assert!(HEADER_BYTES.is_multiple_of(PART_ALIGN_BYTES));
const _: () = assert!(NODE_BYTES.is_multiple_of(PART_ALIGN_BYTES));
