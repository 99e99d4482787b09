//! What a ray hits, and why one cannot be cast.

use glam::Vec3;
use thiserror::Error;

use crate::heightfield::SurfaceId;
use crate::math::WorldPos;
use crate::props::PropId;

/// The result of a raycast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raycast {
    /// The ground or a prop.
    Hit(RayHit),
    /// No hit within the greatest distance.
    Miss,
    /// No hit before a sector that is not in memory; what lies beyond is unknown. Also the answer for a ray
    /// that has passed more sectors than the limit: 2¹⁶ in memory, 2²⁰ outside the world, or a mixture.
    Unknown {
        /// Where the ray enters that sector. Metres along the ray.
        from: f32,
    },
}

/// Where a ray hits the ground or a prop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The position of the hit. On the ground its height has exactly the bits that the height rule gives
    /// there.
    pub position: WorldPos,
    /// Metres along the ray.
    pub distance: f32,
    /// Unit normal of the triangle. On the ground it points up; on a prop it points to the side from
    /// which its corners run counter-clockwise, which is the outside of a closed mesh.
    pub normal: Vec3,
    /// The surface of the cell or the prop.
    pub surface: SurfaceId,
    /// Whether the ray came from below the ground, or from behind a prop's face: direction · normal is
    /// positive. Where the ray passes through a vertex of the ground or along an edge, the faces disagree and
    /// the normal is that of one of them; this value then depends on where the ray was.
    pub from_below: bool,
    /// The prop that was hit; `None` for the ground.
    pub prop: Option<PropHit>,
}

/// The prop and the triangle that a ray hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropHit {
    /// The prop.
    pub id: PropId,
    /// The number of the triangle in the prop's mesh.
    pub triangle: u32,
}

/// Why a ray cannot be cast.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RayError {
    /// The direction is zero, or one of its components is infinite or not a number.
    #[error("direction is {found}, expected finite components that are not all 0")]
    Direction {
        /// The direction given.
        found: Vec3,
    },
    /// The greatest distance is negative or not a number.
    #[error("greatest distance is {found} m, expected at least 0")]
    MaxDistance {
        /// The distance given. Metres.
        found: f32,
    },
}
