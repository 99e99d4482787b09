//! How surfaces respond to the units that stand on them.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SurfaceId, SurfaceSet};

use crate::limits::SPEED_MAX;
use crate::units::error::SurfaceError;

/// How a surface responds. In files (feature `serde`) what is not named is [plain](Self::PLAIN);
/// [`Units::set_surface`](crate::Units::set_surface) checks the values.
///
/// ```
/// use marchland_controller::{SurfaceResponse, Units};
/// use marchland_terrain::{SectorSize, SurfaceId};
///
/// let mut units = Units::new(SectorSize::new(256.0)?);
/// let ice = SurfaceResponse { friction: 0.05, ..SurfaceResponse::PLAIN };
/// units.set_surface(SurfaceId(3), ice)?; // where ground is painted 3, and on props of surface 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SurfaceResponse {
    /// 0 to 1; 1 is normal walking. Below 1 the velocity is kept along the face: gravity pulls it down the
    /// slope, then it approaches the request, laid on the face, by at most this many times 20 m/s² · dt. Slope
    /// rules and the slide speed do not act. At 0, ½v² + g·y is kept over slopes however steep, and a hit or
    /// a turn of the face of less than 30° keeps the speed. On a change of support the velocity in the world
    /// is kept.
    pub friction: f32,
    /// Never too steep to stand on, and never left by snapping off it.
    pub sticky: bool,
    /// A ladder, on a prop: climbed along its face, upright or leaning, at the speed of the part of the
    /// request that points into it. A unit that walks over its top climbs down; one in the air catches it
    /// where its velocity or its request leads into it, but not in the 0.25 s after it has left a ladder by a
    /// jump or an impulse. Ground is never a ladder.
    pub climbable: bool,
    /// Share of the velocity into it that is given back to a unit in the air, 0 to 1: by floors, walls and
    /// ceilings alike. Less than 2 · gravity · dt is not given back. A walking unit does not bounce.
    pub bounce: f32,
    /// Share of the velocity along it that a bounce takes, 0 to 1.
    pub bounce_friction: f32,
    /// Velocity carried over to a unit that stands on it, as far as to the line where another conveyor leads
    /// back, in the frame of the prop whose surface it is.
    /// Metres per second, at most [`SPEED_MAX`] long.
    pub conveyor: Vec3,
}

impl SurfaceResponse {
    /// Normal ground.
    pub const PLAIN: Self = Self {
        friction: 1.0,
        sticky: false,
        climbable: false,
        bounce: 0.0,
        bounce_friction: 0.0,
        conveyor: Vec3::ZERO,
    };

    /// Whether it is normal ground.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// Whether it has less grip than a walk needs.
    pub(crate) fn is_slick(&self) -> bool {
        self.friction < 1.0
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
        check("bounce_friction", self.bounce_friction, 1.0)?;
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

/// The surfaces that are never too steep, if there are any: props of these can be stood on however steep
/// (`kinematic/space/too_steep.rs`), ground of these is no wall (`with_ground_never_steep`) but over a hole
/// (`sticky_under`), and who stands on a sticky one does not leave it downhill (`kinematic/walk/step_down.rs`).
pub(crate) fn sticky_of(surfaces: &[SurfaceResponse]) -> Option<SurfaceSet> {
    never_steep_of(surfaces, false)
}

/// The same for a unit that may glide over surfaces without friction.
pub(crate) fn never_steep_of(surfaces: &[SurfaceResponse], glides: bool) -> Option<SurfaceSet> {
    let ids = (0..=u8::MAX).map(SurfaceId).zip(surfaces);
    let counts =
        |response: &SurfaceResponse| response.sticky || (glides && response.friction == 0.0);
    let never: SurfaceSet =
        ids.filter(|(_, response)| counts(response)).map(|(id, _)| id).collect();
    (!never.is_empty()).then_some(never)
}

impl Default for SurfaceResponse {
    fn default() -> Self {
        Self::PLAIN
    }
}
