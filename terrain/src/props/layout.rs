//! The layout of the records of props and of the header of the tree over them, as they lie in a sector file.
//! Little-endian throughout.

/// Bytes of a prop's record.
pub const PROP_BYTES: usize = 52;
/// Bytes of the header before the nodes of the tree over props.
pub const PROP_TREE_HEADER_BYTES: usize = 64;
/// Bytes of a node of that tree.
pub const PROP_TREE_NODE_BYTES: usize = super::tree::NODE_BYTES;
/// Bytes of a mesh's hash.
pub const MESH_HASH_BYTES: usize = 16;

/// Offsets of a prop record's fields.
pub mod prop {
    /// The sector of the prop's origin less this sector: x, i16.
    pub const OWNER_X: usize = 0;
    /// The same for z, i16.
    pub const OWNER_Z: usize = 2;
    /// Its index among the props of that sector, u32.
    pub const INDEX: usize = 4;
    /// Its mesh, an index into this sector's list of meshes, u32.
    pub const MESH: usize = 8;
    /// Its origin, metres from the centre of the sector of its origin: x, y, z, f32 each.
    pub const POSITION: usize = 12;
    /// Its rotation, a unit quaternion: x, y, z, w, f32 each.
    pub const ROTATION: usize = 24;
    /// Its scale, f32.
    pub const SCALE: usize = 40;
    /// Its layers, u32.
    pub const LAYERS: usize = 44;
    /// Its surface, u8.
    pub const SURFACE: usize = 48;
    /// 0 for triangles without an inside, 1 for a closed solid, u8.
    pub const COLLISION: usize = 49;
    /// Zeros up to [`PROP_BYTES`](super::PROP_BYTES).
    pub const RESERVED: usize = 50;
}

/// Offsets of the fields in the header of the tree over props.
pub mod prop_tree {
    /// Least corner of a box around all props, metres from the sector's centre: x, y, z, f32 each.
    pub const MIN: usize = 0;
    /// Greatest corner of that box.
    pub const MAX: usize = 12;
    /// Zeros up to [`PROP_TREE_HEADER_BYTES`](super::PROP_TREE_HEADER_BYTES).
    pub const RESERVED: usize = 24;
}

const _: () = assert!(prop::RESERVED + 2 == PROP_BYTES);
const _: () = assert!(prop_tree::RESERVED < PROP_TREE_HEADER_BYTES);
