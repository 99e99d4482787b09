//! Why a mesh cannot be prepared, or the bytes of one not be used.

use glam::Vec3;
use thiserror::Error;

use crate::props::placement::PROP_REACH_MAX;

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// A coordinate of a vertex is not a number or infinite.
    #[error("vertex {vertex} is {found}, expected finite numbers of metres")]
    NotFinite {
        /// Its index.
        vertex: u32,
        /// What was found.
        found: Vec3,
    },
    /// A vertex lies too far from the mesh's origin.
    #[error("vertex {vertex} is {found}, expected at most {PROP_REACH_MAX} m along each axis")]
    TooFar {
        /// Its index.
        vertex: u32,
        /// What was found. Metres.
        found: Vec3,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {found}, there are {vertices}")]
    Index {
        /// Its place in the source.
        triangle: u32,
        /// The index of the vertex.
        found: u32,
        /// How many vertices there are.
        vertices: u64,
    },
    /// More vertices or triangles than a mesh may have.
    #[error("{found} {what}, expected at most {most}")]
    TooMany {
        /// `vertices` or `triangles`.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
    /// No triangle is left.
    #[error("no triangle is left of {triangles}: {degenerate} have no area")]
    Empty {
        /// How many there were.
        triangles: u64,
        /// How many of them had no area.
        degenerate: u64,
    },
    /// The bytes are not a mesh file.
    #[error(transparent)]
    File(#[from] MeshFileError),
}

/// Why bytes are not a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshFileError {
    /// The first eight bytes are not those of a mesh file.
    #[error("not a mesh file: it begins with {found:02x?}, expected \"MARCHMSH\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// Another version of the format.
    #[error("mesh format version {found}, supported is {supported}")]
    Version {
        /// The file's version.
        found: u32,
        /// This library's version.
        supported: u32,
    },
    /// The file's length is not the one that its header asks for.
    #[error("the file has {have_bytes} bytes, its header asks for {need_bytes}")]
    Length {
        /// What the header asks for.
        need_bytes: u64,
        /// Bytes there are.
        have_bytes: u64,
    },
    /// Stored and computed checksum differ.
    #[error("checksum is {found:016x}, the bytes give {computed:016x}")]
    Checksum {
        /// What is stored.
        found: u64,
        /// What the bytes give.
        computed: u64,
    },
    /// A field holds a value it may not hold.
    #[error("{field} is {found}, expected {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// What was found.
        found: u64,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// A vertex lies where none may lie.
    #[error("vertex {vertex} is {found}, expected one within the bounds and the limits")]
    Vertex {
        /// Its index.
        vertex: u32,
        /// What was found.
        found: Vec3,
    },
    /// The bounds are not the least ones around the vertices.
    #[error("bounds are {min} to {max}, expected the least box around the vertices")]
    Bounds {
        /// The least corner found.
        min: Vec3,
        /// The greatest corner found.
        max: Vec3,
    },
    /// A triangle is not one, or names a vertex before its turn.
    #[error("triangle {triangle} is of vertices {found:?}, expected three, numbered by first use")]
    Triangle {
        /// Its index.
        triangle: u32,
        /// The vertices that it names.
        found: [u32; 3],
    },
    /// The edges of a triangle are marked as they cannot be.
    #[error("the edges of triangle {triangle} are {found:#04x}, expected {expected}")]
    Edges {
        /// Its index.
        triangle: u32,
        /// The byte found.
        found: u8,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// The nodes are not a tree over the triangles.
    #[error("the tree does not hold each triangle once")]
    Tree,
}
