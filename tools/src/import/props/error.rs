//! Errors of prop files: what was found, what is accepted, and on which line.

use marchland_terrain::props::MeshError;

use crate::import::mesh::MeshFileError;
use crate::toml_tree::{FileError, TomlError, TomlProblem};

/// Why a file of props could not be read.
pub type PropFileError = FileError<PropProblem>;

impl From<TomlError> for PropFileError {
    fn from(error: TomlError) -> Self {
        error.widened()
    }
}

/// What is wrong with a file of props.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PropProblem {
    /// The file itself, its TOML, or a value in it.
    #[error("{0}")]
    Toml(#[from] TomlProblem),
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
    /// A mesh that should be solid but is not closed.
    #[error("`collision` is \"solid\", but {mesh} is not closed: {}", open_text(*open_edges))]
    NotClosed {
        /// The mesh.
        mesh: String,
        /// Sides of triangles that meet no other triangle, or more than one. If 0, neighbours
        /// disagree on which side is outside.
        open_edges: u64,
    },
    /// All meshes together are too large.
    #[error("{found} {what} in all meshes together, expected at most {limit}")]
    TooMuch {
        /// Vertices or triangles.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A node at a place that is invalid for props.
    #[error("{node} is placed at {found}, expected {expected}")]
    Place {
        /// The node.
        node: String,
        /// Its place or scale.
        found: String,
        /// What is accepted.
        expected: String,
    },
}

fn open_text(open_edges: u64) -> String {
    match open_edges {
        0 => "its triangles disagree about which side is outside".to_owned(),
        1 => "1 edge is open".to_owned(),
        count => format!("{count} edges are open"),
    }
}

impl PropFileError {
    /// Whether the error comes from the file system, not from the files' contents.
    #[must_use]
    pub fn is_io(&self) -> bool {
        match &self.problem {
            PropProblem::Toml(problem) => problem.is_io(),
            PropProblem::Mesh(error) => error.is_io(),
            _ => false,
        }
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            PropProblem::Mesh(error) => error.hint(),
            PropProblem::NotClosed { .. } => {
                Some("close the mesh, or set `collision = \"auto\"` or \"soup\"")
            }
            PropProblem::Toml(TomlProblem::Value { key, .. }) if is_surface(key) => {
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
