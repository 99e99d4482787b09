//! The inputs and results of queries.

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::cylinder::{Cylinder, Feature};
use crate::heightfield::SurfaceId;
use crate::math::SectorCoord;
use crate::props::PropId;

/// Greatest radius and height of a body in a query. Metres.
pub const BODY_MAX: f32 = 1024.0;

/// Longest motion of a sweep along an axis. Metres: four times what the fastest unit moves in a tick.
pub const MOTION_MAX: f32 = 8192.0;

/// A triangle of the world. Ordered: terrain, baked props, live props; then by their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriangleId {
    /// A triangle of the ground, or of the wall below the rim of a hole.
    Terrain {
        /// The sector.
        sector: SectorCoord,
        /// Sixteen to a cell, cells row by row: 0 is north-east of the diagonal, 1 south-west of it,
        /// from 2 on come the walls below the west, north, east and south edge, two each.
        triangle: u32,
    },
    /// A triangle of a prop.
    Prop {
        /// Which prop.
        prop: PropId,
        /// Which triangle of its mesh.
        triangle: u32,
    },
}

impl TriangleId {
    /// The prop; `None` for terrain.
    #[must_use]
    pub const fn prop(self) -> Option<PropId> {
        match self {
            Self::Terrain { .. } => None,
            Self::Prop { prop, .. } => Some(prop),
        }
    }
}

/// What a body stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The highest point under the foot disc. Metres from the disc's centre; its `y` is how much
    /// higher than the feet it lies.
    pub point: Vec3,
    /// The unit normal, upwards, of the most upright triangle that touches the point.
    pub normal: Vec3,
    /// That triangle.
    pub triangle: TriangleId,
    /// Its surface.
    pub surface: SurfaceId,
    /// The velocity of a moving prop there. Metres a second.
    pub velocity: Vec3,
}

/// Where a body overlaps something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// A place on the triangle. Metres from the centre of the foot disc.
    pub point: Vec3,
    /// The way out. A unit vector.
    pub normal: Vec3,
    /// How far the body must move to be free of the triangle; or of all triangles of its prop, where none has
    /// a way out of its own; or, where the body is inside a solid, of the nearest face that is not
    /// [refused](crate::query::Solids::without_ways_out). Metres.
    pub depth: f32,
    /// The triangle.
    pub triangle: TriangleId,
    /// The part of the triangle that the point lies on.
    pub feature: Feature,
    /// Its surface.
    pub surface: SurfaceId,
    /// The velocity of a moving prop there. Metres a second.
    pub velocity: Vec3,
    /// Whether the body does not leave where it touches the triangle, but is in the solid inside behind it:
    /// below the ground, or with its middle within a closed prop.
    pub inside: bool,
}

/// A way out of a closed prop that leads nowhere: into the ground, or against something else. It also stands
/// for faces whose normals are within 45° of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefusedWay {
    /// The prop.
    pub prop: PropId,
    /// A unit vector.
    pub normal: Vec3,
}

/// The cosine of 45°. A wider angle would exclude sides of a box that are free; a narrower one would leave a
/// round prop dozens of ways to query.
const ALONG: f64 = core::f64::consts::FRAC_1_SQRT_2;

impl RefusedWay {
    /// Whether a face of a prop leads the same way.
    #[must_use]
    pub fn is_along(&self, prop: Option<PropId>, normal: DVec3) -> bool {
        prop == Some(self.prop) && self.normal.as_dvec3().dot(normal) > ALONG
    }
}

/// Where a moving body first touches something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The part of the motion that is free, 0 to 1. In `f64`, so that a long motion loses nothing.
    pub time: f64,
    /// The place that is touched. Metres from where the centre of the foot disc began.
    pub point: Vec3,
    /// Against the motion: `normal · motion < 0`. A unit vector.
    pub normal: Vec3,
    /// The triangle.
    pub triangle: TriangleId,
    /// The part of the triangle that is touched.
    pub feature: Feature,
    /// The unit normal of the triangle itself, on the side that the body came from.
    pub face: Vec3,
    /// Its surface.
    pub surface: SurfaceId,
    /// The velocity of a moving prop there. Metres a second.
    pub velocity: Vec3,
}

/// The result of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// Nothing is in the way.
    Free,
    /// Something is in the way.
    Hit(Impact),
    /// The body overlaps something before it moves: its deepest contact.
    Overlapping(Contact),
}

/// What is above a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Free height above the foot disc. Metres.
    pub clearance: f32,
    /// The lowest point above. Metres from the centre of the foot disc.
    pub point: Vec3,
    /// The triangle.
    pub triangle: TriangleId,
}

/// A query that cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum QueryError {
    /// The body's radius or height is 0 or less, too large, or not a number.
    #[error("body of radius {} m and height {} m, expected each above 0 and up to {BODY_MAX}", found.radius, found.height)]
    Body {
        /// The body of the query.
        found: Cylinder,
    },
    /// A motion is too long or not finite.
    #[error("motion {found}, expected up to {MOTION_MAX} m along each axis")]
    Motion {
        /// The motion of the query.
        found: Vec3,
    },
    /// A margin around a body is negative, too large, or not a number.
    #[error("margin of {found} m, expected 0 to {MOTION_MAX}")]
    Margin {
        /// The margin of the query.
        found: f32,
    },
    /// The limit for how upright a triangle has to be is not a number.
    #[error("upright is {found}, expected a number, the cosine of a slope")]
    Upright {
        /// The limit of the query.
        found: f32,
    },
    /// A range of heights is not finite, or its end is below its beginning.
    #[error("heights from {low} to {high} m, expected two finite numbers in order")]
    Heights {
        /// Lower bound.
        low: f32,
        /// Upper bound.
        high: f32,
    },
    /// The query reaches a sector that is not in memory.
    #[error("sector {sector} is not in memory")]
    NotResident {
        /// One such sector: the first in order of rows, then columns.
        sector: SectorCoord,
    },
}

/// How a prop moves, for the velocity at a place on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PropMotion {
    /// Metres a second.
    pub(crate) linear: Vec3,
    /// Radians a second, about the prop's origin.
    pub(crate) angular: Vec3,
}

impl PropMotion {
    /// It does not.
    pub(crate) const NONE: Self = Self { linear: Vec3::ZERO, angular: Vec3::ZERO };

    /// The velocity of a place, metres from the prop's origin.
    pub(crate) fn at(self, place: Vec3) -> Vec3 {
        self.linear + self.angular.cross(place)
    }
}
