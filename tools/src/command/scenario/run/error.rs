//! Errors of running a valid scenario.

use marchland_controller::{
    BodyError, CommandError, SeparationError, SpawnError, SurfaceError, TickError,
};
use marchland_terrain::props::LivePropError;

use crate::command::scenario::error::ScenarioError;
use crate::command::scenario::stage::StageError;

/// Why a run does not start, or does not continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The rate is invalid for the scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario's world cannot be built.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A body is invalid.
    #[error("body {name:?}: {fault}")]
    Body {
        /// Its name; empty for the body with all defaults.
        name: String,
        /// What is wrong with it.
        fault: BodyError,
    },
    /// The response of a surface is invalid.
    #[error("surface {name:?}: {fault}")]
    Surface {
        /// Its name.
        name: String,
        /// What is wrong with it.
        fault: SurfaceError,
    },
    /// The settings of separation are invalid.
    #[error("separation: {0}")]
    Separation(#[from] SeparationError),
    /// A unit cannot start in the given way.
    #[error("line {line}: unit {name:?}: {fault}")]
    Unit {
        /// Its name.
        name: String,
        /// Its line.
        line: u32,
        /// What is wrong with it.
        fault: SpawnError,
    },
    /// A unit cannot do what the file requests.
    #[error("unit {name:?} in tick {tick}: {fault}")]
    Command {
        /// Its name.
        name: String,
        /// The tick.
        tick: u32,
        /// What is wrong.
        fault: CommandError,
    },
    /// The props cannot move during a tick.
    #[error("props in tick {tick}: {fault}")]
    Props {
        /// The tick.
        tick: u32,
        /// What is wrong.
        fault: LivePropError,
    },
    /// A tick does not run.
    #[error("tick {tick}: {fault}")]
    Tick {
        /// The tick.
        tick: u32,
        /// The reason.
        fault: TickError,
    },
}

impl RunError {
    /// Whether the error comes from the file system, not from the files' contents.
    #[must_use]
    pub fn is_io(&self) -> bool {
        match self {
            Self::Scenario(error) => error.is_io(),
            Self::Stage(StageError::World(error) | StageError::Load { source: error, .. }) => {
                error.is_io()
            }
            _ => false,
        }
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Scenario(error) => error.hint(),
            Self::Stage(StageError::World(_) | StageError::Load { .. }) if !self.is_io() => {
                Some("bake the world again from its source with --force")
            }
            _ => None,
        }
    }
}
