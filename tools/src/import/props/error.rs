//! What can be wrong with a file of props: what was found, what is accepted, and on which line.

use std::io;
use std::path::PathBuf;

use marchland_terrain::props::MeshError;

use crate::import::mesh::MeshFileError;

/// Why a file of props could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), line.map(|n| format!(", line {n}")).unwrap_or_default())]
pub struct PropFileError {
    /// The file of props.
    pub path: PathBuf,
    /// The line at fault, from 1.
    pub line: Option<u32>,
    /// What is wrong with it; said in the message, so not given as a source once more.
    pub problem: PropProblem,
}

/// What is wrong with a file of props.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PropProblem {
    /// The file system refused; not a matter of what the file holds.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// More bytes than are taken, or no text.
    #[error("{found}, expected {expected}")]
    File {
        /// What was found.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// No TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A key that means nothing.
    #[error("unknown key `{key}` in {table}, expected one of {known}")]
    UnknownKey {
        /// The table that it is in.
        table: String,
        /// The key.
        key: String,
        /// Keys that mean something.
        known: String,
    },
    /// A key that must be there.
    #[error("{table} has no `{key}`, expected {expected}")]
    MissingKey {
        /// The table that it should be in.
        table: String,
        /// The key.
        key: &'static str,
        /// What it would hold.
        expected: String,
    },
    /// A value of the wrong kind, or out of range.
    #[error("`{key}` is {found}, expected {expected}")]
    Value {
        /// The key, with a place inside its value.
        key: String,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Two keys that exclude each other.
    #[error("`{key}` together with `{other}`, expected one of both")]
    Both {
        /// One.
        key: &'static str,
        /// The other.
        other: &'static str,
    },
    /// A mesh file that cannot be read.
    #[error("{0}")]
    Mesh(#[from] MeshFileError),
    /// A mesh that cannot be prepared.
    #[error("{mesh}: {fault}")]
    Unfit {
        /// The mesh.
        mesh: String,
        /// What is wrong with it.
        fault: MeshError,
    },
    /// A mesh that should be solid and is not closed.
    #[error("`collision` is \"solid\", but {mesh} is not closed: {}", open_text(*open_edges))]
    NotClosed {
        /// The mesh.
        mesh: String,
        /// Sides of triangles that meet no other, or more than one. If there is none, neighbours
        /// disagree which side is outside.
        open_edges: u64,
    },
    /// All meshes together are too large.
    #[error("{found} {what} in all meshes together, expected at most {limit}")]
    TooMuch {
        /// Vertices or triangles.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are taken.
        limit: u64,
    },
    /// A node that stands where no prop can.
    #[error("{node} comes to stand at {found}, expected {expected}")]
    Place {
        /// The node.
        node: String,
        /// Where, or how large.
        found: String,
        /// What is accepted.
        expected: String,
    },
}

fn open_text(open_edges: u64) -> String {
    match open_edges {
        0 => "its triangles disagree which side is outside".to_owned(),
        1 => "1 edge is open".to_owned(),
        count => format!("{count} edges are open"),
    }
}

impl PropFileError {
    /// Whether the file system is at fault, and not what the files hold.
    #[must_use]
    pub fn is_io(&self) -> bool {
        match &self.problem {
            PropProblem::Io { .. } => true,
            PropProblem::Mesh(error) => error.is_io(),
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            PropProblem::Mesh(error) => error.hint(),
            PropProblem::NotClosed { .. } => {
                Some("close the mesh, or say `collision = \"auto\"` or \"soup\"")
            }
            PropProblem::Value { key, .. } if is_surface(key) => {
                Some("name the surfaces of the world with `--surface-names`")
            }
            _ => None,
        }
    }
}

/// Whether a key names a surface.
fn is_surface(key: &str) -> bool {
    key == "surface" || key.starts_with("on[")
}
