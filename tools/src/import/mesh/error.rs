//! What can be wrong with a mesh file: what was found, what was expected, and where.

use std::io;
use std::path::{Path, PathBuf};

use super::limits::{DEPTH_MAX, FILE_BYTES_MAX};

/// Why a mesh file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct MeshFileError {
    /// The file at fault.
    pub path: PathBuf,
    /// What is wrong with it; said in the message, so not given as a source once more.
    pub problem: MeshProblem,
}

/// What is wrong with a mesh file. Numbers of accessors, views, nodes and the like count from 0, as
/// in the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshProblem {
    /// The file system refused; not a matter of what the file holds.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A name that is not one of a file inside the folder.
    #[error("file name `{name}` {why}, expected a plain relative name inside the folder")]
    Outside {
        /// The name, as written.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The name belongs to something else than a file.
    #[error("not a plain file")]
    NotAFile,
    /// No format is recognised.
    #[error("unknown kind of mesh, expected .glb, .gltf or .obj")]
    UnknownFormat,
    /// More bytes than are taken.
    #[error("{what} of {bytes} bytes, expected at most {limit}")]
    TooLarge {
        /// What is that large.
        what: &'static str,
        /// Its length.
        bytes: u64,
        /// What is taken.
        limit: u64,
    },
    /// More than are taken.
    #[error("{place}: {found} {what}, expected at most {limit}")]
    TooMany {
        /// Where.
        place: String,
        /// Of what.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are taken.
        limit: u64,
    },
    /// The container of a GLB is damaged.
    #[error("not a whole GLB file: {0}")]
    Glb(String),
    /// The JSON is no JSON, or not of a glTF.
    #[error("not a glTF file: {0}")]
    Json(String),
    /// Another version of glTF.
    #[error("glTF version {found}, expected 2.0")]
    Version {
        /// The version in the file.
        found: String,
    },
    /// The file cannot be understood without an extension that is not known here.
    #[error("needs the extension {name}, which is not read")]
    Extension {
        /// Its name.
        name: String,
    },
    /// A number of something that is not there.
    #[error("{from} names {what} {index}, the file has {count}")]
    Reference {
        /// What names it.
        from: String,
        /// What is named.
        what: &'static str,
        /// Which one.
        index: usize,
        /// How many there are.
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
    /// A view that its buffer cannot hold.
    #[error("buffer view {view}: {len_bytes} bytes from byte {offset}, buffer {buffer} has {have}")]
    View {
        /// Which view.
        view: usize,
        /// Its first byte.
        offset: u64,
        /// Its length.
        len_bytes: u64,
        /// Its buffer.
        buffer: usize,
        /// The bytes that the buffer has.
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
    /// A primitive that makes no triangles.
    #[error("mesh {mesh}, primitive {primitive}: {what}")]
    Primitive {
        /// Which mesh.
        mesh: usize,
        /// Which of its primitives.
        primitive: usize,
        /// What is wrong.
        what: String,
    },
    /// A node that stands wrong.
    #[error("node {node}: {fault}")]
    Node {
        /// Which node.
        node: usize,
        /// What is wrong.
        fault: NodeFault,
    },
    /// A line of an OBJ that makes no sense.
    #[error("line {line}: {what}")]
    Line {
        /// Which line, from 1.
        line: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// Nothing to stand on or bump into.
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
        /// Bytes there are.
        have: u64,
        /// Bytes that the file promises.
        need: u64,
    },
    /// No bytes at all.
    #[error("no uri and no binary chunk, expected its bytes")]
    NoBytes,
    /// The bytes are only there in a compressed form.
    #[error("compressed with {0}, which is not read")]
    Compressed(&'static str),
    /// A data URI that is none.
    #[error("damaged data uri: {0}")]
    DataUri(String),
    /// The name of its file.
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
    /// Elements of another shape.
    #[error("type {found}, expected {expected}")]
    Type {
        /// What the file says.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
    /// Numbers of another kind.
    #[error("component type {found}, expected {expected}")]
    Component {
        /// What the file says.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
    /// More elements than are taken.
    #[error("{found} elements, expected at most {limit}")]
    Count {
        /// What the file says.
        found: u64,
        /// What is taken.
        limit: u64,
    },
    /// A distance between elements that glTF does not allow.
    #[error("stride {found} of buffer view {view}, expected {expected}")]
    Stride {
        /// Bytes between elements.
        found: u64,
        /// Which view.
        view: usize,
        /// What would be read.
        expected: String,
    },
    /// It ends beyond its view.
    #[error("{count} elements need {need} bytes of buffer view {view}, which has {have}")]
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
    #[error("{found} sparse elements of {count}")]
    SparseCount {
        /// Sparse elements.
        found: u64,
        /// All elements.
        count: u64,
    },
    /// Sparse indices that are out of range or out of order.
    #[error("sparse index {found} at {at}, expected ascending ones below {count}")]
    SparseIndex {
        /// The index.
        found: u32,
        /// Its place among them.
        at: usize,
        /// All elements.
        count: u64,
    },
    /// A coordinate that is no number.
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
    #[error("is below itself")]
    Cycle,
    /// It hangs on two nodes, or twice on one.
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
    #[error("is named twice by scene {scene}")]
    RootTwice {
        /// Which scene.
        scene: usize,
    },
    /// Too far below its root.
    #[error("is more than {DEPTH_MAX} nodes below its root")]
    TooDeep,
    /// Both ways of saying a transform.
    #[error("has a matrix as well as translation, rotation or scale, expected one of both")]
    BothTransforms,
    /// A matrix that is no placement.
    #[error("has {found} as the last row of its matrix, expected 0, 0, 0, 1")]
    Projective {
        /// The row.
        found: String,
    },
    /// A rotation that is none.
    #[error("has a rotation of length {found}, expected 1")]
    Rotation {
        /// Length of the quaternion.
        found: f64,
    },
    /// Placed vertices are beyond numbers.
    #[error("puts vertex {vertex} of its mesh at ({found}), expected finite coordinates")]
    NotFinite {
        /// Which vertex.
        vertex: usize,
        /// Where it would lie.
        found: String,
    },
}

impl MeshFileError {
    /// A problem with what is at a path.
    pub(crate) fn new(path: &Path, problem: MeshProblem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    /// Whether the file system is at fault, and not what the file holds.
    #[must_use]
    pub fn is_io(&self) -> bool {
        self.problem.is_io()
    }

    /// What to do about it.
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
            MeshProblem::Outside { .. } => {
                Some("put the file into the folder of the file that names it, or below")
            }
            MeshProblem::Buffer { fault: BufferFault::Name(_), .. } => {
                Some("put the file into the folder of the file that names it, or below")
            }
            MeshProblem::UnknownFormat => Some("export the mesh as .glb"),
            MeshProblem::Empty => Some("lines, points and curves alone do not block anything"),
            _ => None,
        }
    }
}

impl MeshProblem {
    pub(crate) fn io(doing: &'static str, source: io::Error) -> Self {
        Self::Io { doing, source }
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

    /// A length, if it is one that is taken.
    pub(crate) fn check_bytes(what: &'static str, bytes: u64, limit: u64) -> Result<(), Self> {
        debug_assert!(limit <= FILE_BYTES_MAX);
        if bytes > limit { Err(Self::TooLarge { what, bytes, limit }) } else { Ok(()) }
    }
}
