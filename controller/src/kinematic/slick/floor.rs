//! What a gliding unit stands on, and its velocity along that.

use marchland_terrain::glam::DVec3;
use marchland_terrain::{PropId, SurfaceId};

/// What a walking unit stood on when its tick began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    pub(crate) prop: Option<PropId>,
    pub(crate) surface: SurfaceId,
    /// The plane along which the feet move.
    pub(crate) normal: DVec3,
    /// The height of the feet on it. Metres.
    pub(crate) feet: f64,
    pub(crate) friction: f64,
    /// The velocity with which it carries units. Metres per second.
    pub(crate) carries: DVec3,
}

/// A velocity along a face, which is laid on what the unit stands on when its tick ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceVelocity {
    pub(crate) velocity: DVec3,
    pub(crate) normal: DVec3,
    /// The height of the feet with which the velocity agrees, where nothing takes energy.
    pub(crate) feet: Option<f64>,
    /// Whether it leads along the crease between two faces.
    pub(crate) in_crease: bool,
}

/// A level velocity laid on a face: as fast as seen from above.
pub(crate) fn laid(level: DVec3, normal: DVec3) -> DVec3 {
    if normal.y < 1e-6 {
        return level;
    }
    level.with_y(-normal.dot(level) / normal.y)
}
