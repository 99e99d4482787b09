//! Limits. Each is checked before anything of that size is allocated.

/// Greatest length of a file: GLB, OBJ, or the buffers of one glTF together. Bytes: 1 GiB.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// Greatest length of the JSON of a glTF, embedded buffers included. Bytes: 256 MiB.
pub const JSON_BYTES_MAX: u64 = 1 << 28;
/// Most entries in an array of the JSON, including nodes.
pub const ENTRIES_MAX: usize = 1 << 20;
/// Most vertices in a mesh: 16 777 216.
pub const VERTICES_MAX: u64 = 1 << 24;
/// Most triangles in a mesh: 16 777 216.
pub const TRIANGLES_MAX: u64 = 1 << 24;
/// Most vertices, and most triangles, in all meshes of one file of props, before preparation.
pub const TOTAL_MAX: u64 = 1 << 26;
/// Greatest depth of a node below its root.
pub const DEPTH_MAX: u32 = 1000;
/// Greatest distance between two elements of a buffer view, as glTF specifies. Bytes.
pub const STRIDE_MAX: u64 = 252;
