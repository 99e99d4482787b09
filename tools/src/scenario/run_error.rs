//! Why a scenario that could be read does not run.

use marchland_controller::{BodyError, CommandError, SpawnError, SurfaceError, TickError};
use marchland_terrain::props::LivePropError;

use super::error::ScenarioError;
use super::stage::StageError;

/// Why a run does not begin, or does not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It cannot be had at that rate, or so far from the origin.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Its world cannot be built.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A body cannot be.
    #[error("body {name:?}: {fault}")]
    Body {
        /// Its name; empty for the one with every default.
        name: String,
        /// What is wrong with it.
        fault: BodyError,
    },
    /// A surface cannot respond so.
    #[error("surface {name:?}: {fault}")]
    Surface {
        /// Its name.
        name: String,
        /// What is wrong with it.
        fault: SurfaceError,
    },
    /// A unit cannot start so.
    #[error("line {line}: unit {name:?}: {fault}")]
    Unit {
        /// Its name.
        name: String,
        /// Its line.
        line: u32,
        /// What is wrong.
        fault: SpawnError,
    },
    /// A unit cannot do what it is told.
    #[error("unit {name:?} in tick {tick}: {fault}")]
    Command {
        /// Its name.
        name: String,
        /// When.
        tick: u32,
        /// What is wrong.
        fault: CommandError,
    },
    /// The props cannot move for as long as a tick.
    #[error("the props in tick {tick}: {fault}")]
    Props {
        /// When.
        tick: u32,
        /// What is wrong.
        fault: LivePropError,
    },
    /// A tick refuses to run.
    #[error("tick {tick}: {fault}")]
    Tick {
        /// Which.
        tick: u32,
        /// Why.
        fault: TickError,
    },
}

impl RunError {
    /// Whether the file system is at fault, and not what the files hold.
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

    /// What to do about it.
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
