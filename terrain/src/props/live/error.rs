//! Why a prop cannot be added or moved.

use glam::Vec3;
use thiserror::Error;

use super::limits::{LIVE_DT_MAX, LIVE_HEIGHT_MAX, LIVE_PROPS_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX};
use crate::math::PositionError;
use crate::props::{MeshHash, PROP_EXTENT_MAX, PropId};

/// Why a live prop is refused. The props are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LivePropError {
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The prop is too high or too low for its vertices to be distinguished.
    #[error("height is {found} m, expected within {LIVE_HEIGHT_MAX} m of 0")]
    Height {
        /// The value found. Metres.
        found: f32,
    },
    /// Part of the prop would be too far from its origin in some rotation.
    #[error("reaches {found} m from its origin, expected at most {PROP_EXTENT_MAX} m")]
    Extent {
        /// Metres from the origin to the farthest corner of the mesh's box, scaled.
        found: f64,
    },
    /// The mesh has holes, so it has no inside.
    #[error("mesh {mesh} is not closed, so it cannot be solid")]
    NotClosed {
        /// The mesh.
        mesh: MeshHash,
    },
    /// The linear velocity is too fast or not a number.
    #[error("velocity is {found} m/s, expected finite components and at most {LIVE_SPEED_MAX} m/s")]
    LinearVelocity {
        /// The value found. Metres per second.
        found: Vec3,
    },
    /// The angular velocity is too fast or not a number.
    #[error(
        "angular velocity is {found} rad/s, expected finite components and at most {LIVE_TURN_MAX} rad/s"
    )]
    AngularVelocity {
        /// The value found. Radians per second.
        found: Vec3,
    },
    /// It turns so fast that its farthest part would be too fast.
    #[error("the farthest part moves at {found} m/s, expected at most {LIVE_SPEED_MAX} m/s")]
    RimSpeed {
        /// The speed of that part. Metres per second.
        found: f64,
    },
    /// There are already as many props as there may be.
    #[error("there are {LIVE_PROPS_MAX} live props already, the most possible")]
    Full,
    /// The prop was removed, or never added.
    #[error("no live prop {id:?}")]
    Unknown {
        /// The id that was given.
        id: PropId,
    },
    /// The length of the move is out of range.
    #[error("move takes {found} s, expected above 0 and at most {LIVE_DT_MAX} s")]
    MoveTime {
        /// The value found. Seconds.
        found: f32,
    },
    /// A move cannot change the scale of a prop; use `set_pose` for that.
    #[error("scale is {found}, expected that of the prop, {expected}")]
    Scale {
        /// The value found.
        found: f32,
        /// The prop's scale.
        expected: f32,
    },
    /// The length of the tick is out of range.
    #[error("tick is {found} s, expected 0 to {LIVE_DT_MAX} s")]
    Dt {
        /// The value found. Seconds.
        found: f32,
    },
}
