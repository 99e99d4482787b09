//! Why a mesh cannot be prepared, or its bytes are invalid.

use glam::Vec3;
use thiserror::Error;

use crate::props::placement::PROP_EXTENT_MAX;

/// Why a mesh is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// A coordinate of a vertex is not a number or infinite.
    #[error("vertex {vertex} is {found}, expected finite numbers of metres")]
    NotFinite {
        /// Its index.
        vertex: u32,
        /// The vertex found.
        found: Vec3,
    },
    /// A vertex lies too far from the mesh's origin.
    #[error("vertex {vertex} is {found}, expected at most {PROP_EXTENT_MAX} m along each axis")]
    TooFar {
        /// Its index.
        vertex: u32,
        /// The vertex found. Metres.
        found: Vec3,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {found}, but there are {vertices}")]
    Index {
        /// Its index in the source.
        triangle: u32,
        /// The index of the vertex.
        found: u32,
        /// How many vertices there are.
        vertices: u64,
    },
    /// The mesh has too many vertices or triangles.
    #[error("{found} {what}, expected at most {most}")]
    TooMany {
        /// `vertices` or `triangles`.
        what: &'static str,
        /// Number found.
        found: u64,
        /// Greatest number accepted.
        most: u64,
    },
    /// No triangle is left.
    #[error("no triangle is left of {triangles}: {degenerate} have no area")]
    Empty {
        /// Number of triangles before.
        triangles: u64,
        /// Number of them without area.
        degenerate: u64,
    },
    /// The bytes are not a mesh file.
    #[error(transparent)]
    File(#[from] MeshFileError),
}

/// Why bytes are not a valid mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshFileError {
    /// The first eight bytes are not those of a mesh file.
    #[error("not a mesh file: it starts with {found:02x?}, expected \"MARCHMSH\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// The format version is not supported.
    #[error("mesh format version {found}, expected version {supported}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version of this library.
        supported: u32,
    },
    /// The file's length differs from the length that its header requires.
    #[error("the file has {have_bytes} bytes, but its header specifies {need_bytes}")]
    Length {
        /// The length that the header requires.
        need_bytes: u64,
        /// Bytes in the file.
        have_bytes: u64,
    },
    /// The stored checksum differs from the computed one.
    #[error("the stored checksum is {found:016x}, but the bytes give {computed:016x}")]
    Checksum {
        /// The stored checksum.
        found: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// A field holds an invalid value.
    #[error("{field} is {found}, expected {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value found.
        found: u64,
        /// What is accepted, in words.
        expected: &'static str,
    },
    /// A vertex lies outside the bounds or the limits.
    #[error("vertex {vertex} is {found}, expected one within the bounds and the limits")]
    Vertex {
        /// Its index.
        vertex: u32,
        /// The vertex found.
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
    /// A triangle is degenerate, or refers to a vertex out of order.
    #[error(
        "triangle {triangle} has vertices {found:?}, expected three different ones, numbered by first use"
    )]
    Triangle {
        /// Its index.
        triangle: u32,
        /// The vertices that it refers to.
        found: [u32; 3],
    },
    /// The edge flags of a triangle are invalid.
    #[error("the edges of triangle {triangle} are {found:#04x}, expected {expected}")]
    Edges {
        /// Its index.
        triangle: u32,
        /// The byte found.
        found: u8,
        /// What is accepted, in words.
        expected: &'static str,
    },
    /// A face is not a convex polygon in a plane that its triangles cover.
    #[error("face {face} is not a convex polygon that its triangles cover")]
    Face {
        /// Its index.
        face: u32,
    },
    /// The nodes are not a tree over the triangles.
    #[error("the tree does not contain each triangle exactly once")]
    Tree,
}
