//! What is below the feet of a unit.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{PropId, SurfaceId};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Footing {
    /// Absolute height. Metres.
    pub(crate) y: f32,
    /// Upwards. A unit vector.
    pub(crate) normal: Vec3,
    pub(crate) surface: SurfaceId,
    /// The prop; `None` for ground.
    pub(crate) prop: Option<PropId>,
    pub(crate) kind: FootingKind,
}

/// Whether it can be stood on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FootingKind {
    /// It can.
    Walkable,
    /// It is too steep.
    Steep,
}
