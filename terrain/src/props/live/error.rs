//! What can be wrong with a prop that is added or moved.

use glam::Vec3;
use thiserror::Error;

use super::{LIVE_DT_MAX, LIVE_HEIGHT_MAX, LIVE_PROPS_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX};
use crate::math::PositionError;
use crate::props::{MeshHash, PROP_REACH_MAX, PropId};

/// Why a live prop is refused. What was there before is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LivePropError {
    /// No such place.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Too high or too low for its vertices to be told apart.
    #[error("height is {found} m, expected within {LIVE_HEIGHT_MAX} m of 0")]
    Height {
        /// What was asked for.
        found: f32,
    },
    /// Part of it would lie too far from its origin, turned in some way.
    #[error("reaches {found} m from its origin, expected at most {PROP_REACH_MAX} m")]
    Reach {
        /// Metres from the origin to the farthest corner of the mesh's box, scaled.
        found: f64,
    },
    /// A mesh with holes has no inside.
    #[error("mesh {mesh} is not closed, so it cannot be solid")]
    NotClosed {
        /// Which mesh.
        mesh: MeshHash,
    },
    /// Too fast, or not a number.
    #[error("velocity is {found} m/s, expected finite components and at most {LIVE_SPEED_MAX} m/s")]
    LinearVelocity {
        /// What was asked for.
        found: Vec3,
    },
    /// It turns too fast, or not by a number.
    #[error(
        "angular velocity is {found} rad/s, expected finite components and at most {LIVE_TURN_MAX} rad/s"
    )]
    AngularVelocity {
        /// What was asked for.
        found: Vec3,
    },
    /// It turns so fast that its farthest part would move too fast.
    #[error("the farthest part moves at {found} m/s, expected at most {LIVE_SPEED_MAX} m/s")]
    RimSpeed {
        /// How fast that would be.
        found: f64,
    },
    /// There are as many as there may be.
    #[error("there are {LIVE_PROPS_MAX} live props already, the most possible")]
    Full,
    /// Removed already, or never added.
    #[error("no live prop {id:?}")]
    Unknown {
        /// Which prop was meant.
        id: PropId,
    },
    /// A move of no usable length.
    #[error("move takes {found} s, expected above 0 and at most {LIVE_DT_MAX} s")]
    MoveTime {
        /// What was asked for.
        found: f32,
    },
    /// A prop moves as it is scaled; another scale takes `set_pose`.
    #[error("scale is {found}, expected that of the prop, {expected}")]
    Scale {
        /// What was asked for.
        found: f32,
        /// The prop's scale.
        expected: f32,
    },
    /// A tick of no usable length.
    #[error("tick is {found} s, expected 0 to {LIVE_DT_MAX} s")]
    Dt {
        /// What was asked for.
        found: f32,
    },
}
