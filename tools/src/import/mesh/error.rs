//! Errors of mesh files: what was found, what was expected, and where.

use std::io;
use std::path::{Path, PathBuf};

use super::limits::{DEPTH_MAX, FILE_BYTES_MAX};

/// Why a mesh file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct MeshFileError {
    /// The file at fault.
    pub path: PathBuf,
    /// What is wrong with it; contained in the message, and therefore not also given as a source.
    pub problem: MeshProblem,
}

/// What is wrong with a mesh file. Indices of accessors, views, nodes and the like count from 0, as
/// in the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshProblem {
    /// The file system reported an error, independent of the file's contents.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A name that does not refer to a file inside the folder.
    #[error("file name `{name}` {why}, expected a plain relative name inside the folder")]
    Outside {
        /// The name, as written.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The name does not refer to a plain file.
    #[error("not a regular file")]
    NotAFile,
    /// The format is not recognised.
    #[error("unknown mesh format, expected .glb, .gltf or .obj")]
    UnknownFormat,
    /// Longer than the limit.
    #[error("{what} of {bytes} bytes, expected at most {limit}")]
    TooLarge {
        /// What is too long.
        what: &'static str,
        /// Its length.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// More than the limit.
    #[error("{place}: {found} {what}, expected at most {limit}")]
    TooMany {
        /// The place in the file.
        place: String,
        /// What there is too much of.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The container of a GLB is damaged.
    #[error("invalid GLB file: {0}")]
    Glb(String),
    /// The JSON is invalid, or not a glTF.
    #[error("not a valid glTF file: {0}")]
    Json(String),
    /// A version of glTF other than 2.0.
    #[error("glTF version {found}, expected 2.0")]
    Version {
        /// The version in the file.
        found: String,
    },
    /// The file needs an extension that is not supported.
    #[error("requires the extension {name}, which is not supported")]
    Extension {
        /// Its name.
        name: String,
    },
    /// A reference to something that does not exist.
    #[error("{from} refers to {what} {index}, but the file has {count}")]
    Reference {
        /// What refers to it.
        from: String,
        /// The kind of the missing item.
        what: &'static str,
        /// Its index.
        index: usize,
        /// How many items exist.
        count: usize,
    },
    /// A buffer without its bytes.
    #[error("buffer {buffer}: {fault}")]
    Buffer {
        /// Which buffer.
        buffer: usize,
        /// What is wrong.
        fault: BufferFault,
    },
    /// A view beyond the end of its buffer.
    #[error(
        "buffer view {view}: {len_bytes} bytes from byte {offset}, but buffer {buffer} has {have} bytes"
    )]
    View {
        /// Which view.
        view: usize,
        /// Its first byte.
        offset: u64,
        /// Its length.
        len_bytes: u64,
        /// Its buffer.
        buffer: usize,
        /// Bytes in the buffer.
        have: u64,
    },
    /// An accessor that cannot be read.
    #[error("accessor {accessor}: {fault}")]
    Accessor {
        /// Which accessor.
        accessor: usize,
        /// What is wrong.
        fault: AccessorFault,
    },
    /// A primitive without triangles.
    #[error("mesh {mesh}, primitive {primitive}: {what}")]
    Primitive {
        /// Which mesh.
        mesh: usize,
        /// Which of its primitives.
        primitive: usize,
        /// What is wrong.
        what: String,
    },
    /// A node in a wrong place.
    #[error("node {node}: {fault}")]
    Node {
        /// Which node.
        node: usize,
        /// What is wrong.
        fault: NodeFault,
    },
    /// An invalid line of an OBJ.
    #[error("line {line}: {what}")]
    Line {
        /// Which line, from 1.
        line: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// The file has no triangle.
    #[error("no triangles")]
    Empty,
}

/// What is wrong with a buffer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BufferFault {
    /// Fewer bytes than it should have.
    #[error("{have} bytes, expected {need}")]
    Short {
        /// Bytes present.
        have: u64,
        /// Bytes specified by the file.
        need: u64,
    },
    /// No bytes are specified.
    #[error("neither a uri nor a binary chunk, expected one of them")]
    NoBytes,
    /// The bytes exist only in a compressed form.
    #[error("compressed with {0}, which is not supported")]
    Compressed(&'static str),
    /// An invalid data URI.
    #[error("invalid data uri: {0}")]
    DataUri(String),
    /// An invalid file name.
    #[error("{0}")]
    Name(Box<MeshProblem>),
    /// Its file cannot be read.
    #[error("file `{name}`: {problem}")]
    File {
        /// The name as written.
        name: String,
        /// What is wrong with it.
        problem: Box<MeshProblem>,
    },
}

/// What is wrong with an accessor.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessorFault {
    /// A wrong element type.
    #[error("type {found}, expected {expected}")]
    Type {
        /// The type found.
        found: String,
        /// The type expected.
        expected: &'static str,
    },
    /// A wrong component type.
    #[error("component type {found}, expected {expected}")]
    Component {
        /// The type found.
        found: String,
        /// The type expected.
        expected: &'static str,
    },
    /// More elements than the limit.
    #[error("{found} elements, expected at most {limit}")]
    Count {
        /// The number found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A distance between elements that glTF does not allow.
    #[error("stride {found} of buffer view {view}, expected {expected}")]
    Stride {
        /// Bytes between elements.
        found: u64,
        /// Which view.
        view: usize,
        /// Accepted strides.
        expected: String,
    },
    /// The elements end beyond the view.
    #[error("{count} elements need {need} bytes, but buffer view {view} has {have}")]
    Overruns {
        /// Elements.
        count: u64,
        /// Bytes needed, offset included.
        need: u64,
        /// Which view.
        view: usize,
        /// Bytes of the view.
        have: u64,
    },
    /// More sparse elements than elements.
    #[error("{found} sparse elements, expected at most the {count} of the accessor")]
    SparseCount {
        /// Sparse elements.
        found: u64,
        /// All elements.
        count: u64,
    },
    /// Sparse indices that are out of range or out of order.
    #[error("sparse index {at} is {found}, expected ascending indices below {count}")]
    SparseIndex {
        /// The index.
        found: u32,
        /// Its place among them.
        at: usize,
        /// All elements.
        count: u64,
    },
    /// A coordinate that is not finite.
    #[error("element {element} is ({found}), expected finite coordinates")]
    NotFinite {
        /// Which element.
        element: usize,
        /// Its coordinates.
        found: String,
    },
}

/// What is wrong with a node.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeFault {
    /// It is its own ancestor.
    #[error("is its own ancestor")]
    Cycle,
    /// It is a child of two nodes, or twice a child of one.
    #[error("is a child of node {first} and of node {second}, expected one parent")]
    Shared {
        /// One parent.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A scene names it, but it has a parent.
    #[error("is a root of scene {scene} and a child of node {parent}")]
    RootWithParent {
        /// Which scene.
        scene: usize,
        /// Its parent.
        parent: usize,
    },
    /// A scene names it twice.
    #[error("is listed twice by scene {scene}")]
    RootTwice {
        /// Which scene.
        scene: usize,
    },
    /// Too far below its root.
    #[error("is more than {DEPTH_MAX} levels below its root")]
    TooDeep,
    /// Both forms of a transform.
    #[error(
        "has a matrix and also a translation, rotation or scale, expected only one of the two forms"
    )]
    BothTransforms,
    /// A matrix that is not affine.
    #[error("has a matrix with the last row {found}, expected 0, 0, 0, 1")]
    Projective {
        /// The row.
        found: String,
    },
    /// A rotation that is not normalised.
    #[error("has a rotation of length {found}, expected 1")]
    Rotation {
        /// Length of the quaternion.
        found: f64,
    },
    /// Placed vertices are not finite.
    #[error("puts vertex {vertex} of its mesh at ({found}), expected finite coordinates")]
    NotFinite {
        /// Which vertex.
        vertex: usize,
        /// Where the vertex would lie.
        found: String,
    },
}

impl MeshFileError {
    /// A problem with the file at a path.
    pub(crate) fn new(path: &Path, problem: MeshProblem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    /// Whether the error comes from the file system, not from the file's contents.
    #[must_use]
    pub fn is_io(&self) -> bool {
        self.problem.is_io()
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            MeshProblem::Extension { name }
                if name.contains("compression") || name.contains("quantization") =>
            {
                Some("export the mesh without compression")
            }
            MeshProblem::Buffer { fault: BufferFault::Compressed(_), .. } => {
                Some("export the mesh without compression")
            }
            MeshProblem::Outside { .. }
            | MeshProblem::Buffer { fault: BufferFault::Name(_), .. } => {
                Some("put the file into the folder of the file that refers to it, or below")
            }
            MeshProblem::UnknownFormat => Some("export the mesh as .glb"),
            MeshProblem::Empty => Some("lines, points and curves alone block nothing"),
            _ => None,
        }
    }
}

impl MeshProblem {
    pub(crate) fn io(doing: &'static str, source: io::Error) -> Self {
        Self::Io { doing, source }
    }

    /// The item of a list that something refers to.
    pub(crate) fn find<'a, T>(
        list: &'a [T],
        what: &'static str,
        index: usize,
        from: impl FnOnce() -> String,
    ) -> Result<&'a T, Self> {
        let count = list.len();
        list.get(index).ok_or_else(|| Self::Reference { from: from(), what, index, count })
    }

    /// Checks a count against its limit.
    pub(crate) fn check_many(
        place: impl FnOnce() -> String,
        what: &'static str,
        found: u64,
        limit: u64,
    ) -> Result<(), Self> {
        if found > limit {
            return Err(Self::TooMany { place: place(), what, found, limit });
        }
        Ok(())
    }

    pub(crate) fn is_io(&self) -> bool {
        match self {
            Self::Io { .. } => true,
            Self::Buffer { fault: BufferFault::File { problem, .. }, .. } => problem.is_io(),
            _ => false,
        }
    }

    pub(crate) fn accessor(accessor: usize, fault: AccessorFault) -> Self {
        Self::Accessor { accessor, fault }
    }

    pub(crate) fn node(node: usize, fault: NodeFault) -> Self {
        Self::Node { node, fault }
    }

    /// Checks a length against its limit.
    pub(crate) fn check_bytes(what: &'static str, bytes: u64, limit: u64) -> Result<(), Self> {
        debug_assert!(limit <= FILE_BYTES_MAX);
        if bytes > limit { Err(Self::TooLarge { what, bytes, limit }) } else { Ok(()) }
    }
}
