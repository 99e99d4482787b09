//! What is asked and what is answered about level motion.

use glam::{DVec2, DVec3, Vec3};

use super::outline::NearestPlace;
use crate::heightfield::SurfaceId;
use crate::math::SectorCoord;
use crate::query::cylinder::Cylinder;
use crate::query::region::{Region, SEAM, check_body, check_motion};
use crate::query::types::{QueryError, TriangleId};

/// A body that moves level, and how near things count. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelBody {
    /// The body itself.
    pub body: Cylinder,
    /// The distance that it keeps to its sides and above its head, where it can.
    pub skin: f32,
    /// How much farther than that walls count.
    pub margin: f32,
    /// What it is in only higher than this above its feet is in nobody's way: all of its height, or less by what
    /// rounding makes up.
    pub head: f32,
    /// Where it begins: so far above the feet.
    pub low: f32,
    /// Faces whose upward unit normal has a `y` of at least this can be stood on.
    pub upright: f64,
}

/// What a body keeps free while it moves level. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// Around its axis.
    pub radius: f64,
    /// Above its feet.
    pub height: f64,
}

impl LevelBody {
    /// How far above the feet things count if they counted up to a height and something is overhead: as far as the body
    /// goes or, if that is in it, as its head.
    pub(super) fn lower(&self, high: f64) -> f64 {
        let height = f64::from(self.body.height);
        if high > height { height } else { f64::from(self.head) }
    }

    /// The body and its skin.
    #[must_use]
    pub fn envelope(&self) -> Envelope {
        let skin = f64::from(self.skin);
        Envelope {
            radius: f64::from(self.body.radius) + skin,
            height: f64::from(self.body.height) + skin,
        }
    }
}

/// The heights between which things are in the way, from the feet on, and the radii.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub(super) low: f64,
    pub(super) high: f64,
    /// What is only above this is overhead.
    pub(super) head: f64,
    /// Of the body, with its skin, and as far as walls count.
    pub(super) radius: f64,
    pub(super) skin: f64,
    pub(super) far: f64,
    pub(super) upright: f64,
}

impl Slab {
    pub(super) fn of(body: &LevelBody, high: f64) -> Self {
        let skin = body.envelope().radius;
        Self {
            low: f64::from(body.low),
            high,
            head: f64::from(body.head),
            radius: f64::from(body.body.radius),
            skin,
            far: skin + f64::from(body.margin),
            upright: body.upright,
        }
    }

    /// Whether the body itself, without its skin, reaches a place on an outline.
    pub(super) fn overlaps(&self, nearest: &NearestPlace) -> bool {
        nearest.inside || nearest.distance_squared < self.radius * self.radius
    }
}

/// Something beside a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Its nearest place, along X and Z. Metres from the body's axis.
    pub point: DVec2,
    /// From there to the axis, along X and Z. A unit vector.
    pub normal: DVec2,
    /// From the axis. Metres.
    pub distance: f64,
    /// Whether it can be stood on, and the body is above it.
    pub is_ground: bool,
    /// The triangle.
    pub triangle: TriangleId,
    /// Its surface.
    pub surface: SurfaceId,
}

impl Wall {
    pub(super) const NONE: Self = Self {
        point: DVec2::ZERO,
        normal: DVec2::X,
        distance: 0.0,
        is_ground: false,
        triangle: TriangleId::Terrain { sector: SectorCoord::new(0, 0), triangle: 0 },
        surface: SurfaceId(0),
    };
}

/// Where a body that moves level comes to something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelImpact {
    /// The part of the motion that is free, 0 to 1.
    pub time: f64,
    /// From what is met to the axis, along X and Z. A unit vector.
    pub normal: DVec2,
    /// Whether it can be stood on, and the body is above it.
    pub is_ground: bool,
    /// The triangle.
    pub triangle: TriangleId,
    /// Its surface.
    pub surface: SurfaceId,
}

/// Whether that is a body and a motion.
pub(super) fn check_level(body: &LevelBody, motion: DVec2) -> Result<(), QueryError> {
    check_body(body.body)?;
    check_motion(Vec3::new(motion.x as f32, 0.0, motion.y as f32))
}

/// Everything within a radius of a place in a sector, metres from its centre, and between two heights above it.
pub(super) fn region_of(
    sector: SectorCoord,
    at: DVec3,
    radius: f64,
    (low, high): (f64, f64),
) -> Region {
    let (low, high) = (at.y + low, at.y + high);
    let (min, max) = (DVec3::new(at.x - radius, low, at.z - radius), at + DVec3::splat(radius));
    let max = DVec3 { y: high, ..max };
    Region { sector, min, max, motion: DVec3::ZERO }.grown_by(SEAM)
}
