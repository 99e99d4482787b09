//! Errors of scenario files: what was found, what is accepted, and on which line.

use std::io::{self, ErrorKind};

use marchland_terrain::props::{LivePropError, MeshError};
use marchland_terrain::store::StoreError;

use crate::command::failure::chain;
use crate::import::mesh::{MeshFileError, MeshProblem};
use crate::import::{ImportError, Problem};
use crate::toml_tree::{FileError, TomlError, TomlProblem, quoted};

/// Why a scenario cannot be run.
pub type ScenarioError = FileError<ScenarioProblem>;

/// What is wrong with a scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioProblem {
    /// The file itself, its TOML, or a value in it.
    #[error("{0}")]
    Toml(#[from] TomlProblem),
    /// Two names that must be unique are equal.
    #[error("`{key}` is {}, as on line {first_line}, expected a different name", quoted(name))]
    Twice {
        /// The key of the name.
        key: String,
        /// The name.
        name: String,
        /// Line of the first entry with the name.
        first_line: u32,
    },
    /// An entry whose tick is not greater than that of the entry before.
    #[error("`{key}` is {found}, after {before} on line {before_line}, expected ascending ticks")]
    Order {
        /// The key of the tick.
        key: String,
        /// The tick.
        found: u32,
        /// The tick of the entry before.
        before: u32,
        /// Its line.
        before_line: u32,
    },
    /// A body shape that is not supported yet.
    #[error("`{key}` is {found:?}, which is not supported yet, expected \"cylinder\"")]
    Shape {
        /// The key.
        key: String,
        /// The shape.
        found: String,
    },
    /// An image of heights that cannot be read.
    #[error("`png.file`: {0}")]
    Png(Box<ImportError>),
    /// A world that cannot be opened.
    #[error("`world`: {}", chain(.0))]
    World(Box<StoreError>),
    /// A mesh file that cannot be read.
    #[error("`{key}`: {fault}")]
    MeshFile {
        /// The key of its name.
        key: String,
        /// What is wrong with it.
        fault: Box<MeshFileError>,
    },
    /// A mesh that cannot be prepared.
    #[error("mesh {mesh:?}: {fault}")]
    Mesh {
        /// The name of the mesh.
        mesh: String,
        /// What is wrong with it.
        fault: Box<MeshError>,
    },
    /// A mesh that should be solid but is not closed.
    #[error("`collision` is \"solid\", but mesh {mesh:?} is not closed: {why}")]
    NotClosed {
        /// The name of the mesh.
        mesh: String,
        /// A description.
        why: String,
    },
    /// A prop that cannot stand or move in the given way.
    #[error("invalid prop: {fault}")]
    Prop {
        /// What is wrong with it.
        fault: LivePropError,
    },
    /// A tick that is not whole at a different rate.
    #[error(
        "`{key}` is {found} at {from} Hz, which is {scaled} at {to} Hz, expected a whole number of ticks"
    )]
    Rate {
        /// The key of the tick.
        key: String,
        /// The tick in the file.
        found: u32,
        /// The file's rate. Hz.
        from: f64,
        /// The tick at the new rate.
        scaled: f64,
        /// The new rate. Hz.
        to: f64,
    },
    /// An invalid rate.
    #[error("a rate of {found} Hz, expected {expected}")]
    NoRate {
        /// The rate. Hz.
        found: f64,
        /// What is accepted.
        expected: &'static str,
    },
}

impl From<TomlError> for ScenarioError {
    fn from(error: TomlError) -> Self {
        error.widened()
    }
}

impl ScenarioError {
    /// Whether the error comes from the file system, not from the files' contents. A missing file
    /// that a scenario names is an error of the scenario.
    #[must_use]
    pub fn is_io(&self) -> bool {
        match &self.problem {
            ScenarioProblem::Toml(problem) => problem.is_io(),
            ScenarioProblem::Png(error) => {
                matches!(&error.problem, Problem::Io { source, .. } if !is_missing(source))
            }
            ScenarioProblem::World(error) => {
                matches!(&**error, StoreError::Io { source, .. } if !is_missing(source))
            }
            ScenarioProblem::MeshFile { fault, .. } => match &fault.problem {
                MeshProblem::Io { source, .. } => !is_missing(source),
                _ => fault.is_io(),
            },
            _ => false,
        }
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match &self.problem {
            ScenarioProblem::MeshFile { fault, .. } => fault.hint(),
            ScenarioProblem::NotClosed { .. } => {
                Some("close the mesh, or set `collision = \"auto\"` or \"soup\"")
            }
            ScenarioProblem::Rate { .. } => {
                Some("run it at the file's own rate, or at a multiple of it")
            }
            _ => None,
        }
    }
}

/// Whether the error is a missing file.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
