//! How surfaces respond to the units that stand on them.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SurfaceId, SurfaceSet};

use crate::error::SurfaceError;
use crate::limits::SPEED_MAX;

/// How a surface responds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceResponse {
    /// 0 to 1; 1 is normal walking. Below 1, the horizontal velocity approaches the request by at most this
    /// many times 20 m/s² · dt. On surfaces without any friction a glancing hit keeps the speed.
    pub friction: f32,
    /// Never too steep to stand on, and never left by snapping off it.
    pub sticky: bool,
    /// A ladder, on a prop: climbed along its face, upright or leaning, at the speed of the part of the
    /// request that points into it. Ground is never a ladder.
    pub climbable: bool,
    /// Share of the normal velocity that is given back to a unit that lands on it, 0 to 1. Walls, ceilings
    /// and surfaces too steep to land on give nothing back.
    pub bounce: f32,
    /// Velocity carried over to a unit that stands on it, in the frame of the prop whose surface it is.
    /// Metres per second, at most [`SPEED_MAX`] long.
    pub conveyor: Vec3,
}

impl SurfaceResponse {
    /// Normal ground.
    pub const PLAIN: Self =
        Self { friction: 1.0, sticky: false, climbable: false, bounce: 0.0, conveyor: Vec3::ZERO };

    /// Whether it is normal ground.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    pub(crate) fn check(&self) -> Result<(), SurfaceError> {
        let check = |what, found: f32, max: f32| {
            if (0.0..=max).contains(&found) {
                return Ok(());
            }
            let (found, max) = (f64::from(found), f64::from(max));
            Err(SurfaceError { what, found, min: 0.0, max })
        };
        check("friction", self.friction, 1.0)?;
        check("bounce", self.bounce, 1.0)?;
        let v = self.conveyor;
        let length = (v.x * v.x + v.y * v.y + v.z * v.z).sqrt();
        check("conveyor speed in metres per second", length, SPEED_MAX)
    }
}

/// Whether a surface is normal ground. A surface that was never set is.
#[inline]
pub(crate) fn is_plain(surfaces: &[SurfaceResponse], surface: SurfaceId) -> bool {
    surfaces.get(usize::from(surface.0)).is_none_or(SurfaceResponse::is_plain)
}

/// The surfaces that are never too steep, if there are any.
pub(crate) fn sticky_of(surfaces: &[SurfaceResponse]) -> Option<SurfaceSet> {
    let ids = (0..=u8::MAX).map(SurfaceId).zip(surfaces);
    let sticky: SurfaceSet =
        ids.filter(|(_, response)| response.sticky).map(|(id, _)| id).collect();
    (!sticky.is_empty()).then_some(sticky)
}

impl Default for SurfaceResponse {
    fn default() -> Self {
        Self::PLAIN
    }
}
