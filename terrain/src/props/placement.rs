//! Where a prop stands, and where its vertices lie.
//!
//! Every vertex is placed on a lattice: props stand at multiples of 2⁻¹⁶ m, and a vertex lies a multiple of
//! 2⁻²⁰ m from its prop's origin. Differences between a vertex and any sector's centre are then exact in
//! `f64`. A prop is therefore the same, to the bit, from whichever sector it is seen, and the corners of
//! props that are meant to be flush mostly are.

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::math::{Aabb, Rotation, greater};

/// Props stand at multiples of this. Metres.
pub(crate) const ORIGIN_STEP: f64 = 1.0 / 65_536.0;
/// Vertices lie at multiples of this from their prop's origin. Metres.
pub(crate) const VERTEX_STEP: f64 = 1.0 / 1_048_576.0;
/// Farthest that a placed vertex may lie from its prop's origin, along an axis. Metres.
pub const PROP_EXTENT_MAX: f32 = 65_536.0;
/// Least and greatest scale of a prop.
pub const SCALE_MIN: f32 = 1.0 / 1024.0;
/// See [`SCALE_MIN`].
pub const SCALE_MAX: f32 = 1024.0;

/// A prop's rotation and uniform scale about its origin. The position of the origin is stored beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    rotation: Rotation,
    scale: f32,
}

/// Why a placement is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PlacementError {
    /// The scale is beyond its limits, or not a number.
    #[error("scale is {found}, expected {SCALE_MIN} to {SCALE_MAX}")]
    Scale {
        /// The scale that was passed.
        found: f32,
    },
}

impl Placement {
    /// Neither turned nor scaled.
    pub const IDENTITY: Self = Self { rotation: Rotation::IDENTITY, scale: 1.0 };

    /// A rotation, then a uniform scale of 1/1024 to 1024.
    ///
    /// # Errors
    /// If the scale is beyond its limits.
    pub fn new(rotation: Rotation, scale: f32) -> Result<Self, PlacementError> {
        if (SCALE_MIN..=SCALE_MAX).contains(&scale) {
            Ok(Self { rotation, scale })
        } else {
            Err(PlacementError::Scale { found: scale })
        }
    }

    /// From a scale that was checked.
    pub(crate) const fn from_checked(rotation: Rotation, scale: f32) -> Self {
        Self { rotation, scale }
    }

    /// Its rotation.
    #[must_use]
    pub const fn rotation(self) -> Rotation {
        self.rotation
    }

    /// Its scale.
    #[must_use]
    pub const fn scale(self) -> f32 {
        self.scale
    }

    /// The placer of vertices, made once for a prop.
    #[must_use]
    #[inline]
    pub fn placer(self) -> Placer {
        let scale = f64::from(self.scale);
        Placer { columns: self.rotation.columns().map(|column| column * scale) }
    }

    /// A box around the placed vertices of a mesh that lies within `bounds`, from the prop's origin.
    #[must_use]
    pub fn placed_bounds(self, bounds: &Aabb) -> Aabb {
        let placer = self.placer();
        // A corner of the box and a vertex inside it may round apart by a lattice step and an ulp.
        let placed = Aabb::around(bounds.corners().map(|corner| placer.place(corner)));
        let most = farthest(&placed);
        placed.grown(4.0 * VERTEX_STEP as f32 + most * f32::EPSILON)
    }

    /// Whether [`placed_bounds`](Self::placed_bounds) may touch a box, from the prop's origin: a quick false for most that
    /// are far away. Uses the ball around `bounds`.
    #[inline]
    pub(crate) fn may_touch(self, bounds: &Aabb, low: DVec3, high: DVec3) -> bool {
        let [x, y, z] = self.rotation.columns();
        let (min, max, scale) =
            (bounds.min.as_dvec3(), bounds.max.as_dvec3(), f64::from(self.scale));
        let middle = (min + max) * 0.5;
        let middle = (x * middle.x + y * middle.y + z * middle.z) * scale;
        let radius = (max - min).length() * 0.5 * scale;
        // Far more than the rounding of the lattice, of `f32`, and of a rotation that is not exact.
        let far = middle.abs().max_element() + radius;
        let radius = radius + 1e-3 + far * 1e-4;
        let (begin, end) = (middle - DVec3::splat(radius), middle + DVec3::splat(radius));
        begin.cmple(high).all() && end.cmpge(low).all()
    }

    /// How far, along each axis of the mesh's own frame, a vertex placed in `region`, a box from the prop's
    /// origin, may lie from its exact place: half a step of the lattice, plus the precision of `f32` for
    /// numbers of that size. Twice that is more than rotating the three axes back adds.
    #[must_use]
    #[inline]
    pub(crate) fn rounding(self, region: &Aabb) -> f64 {
        let metres = f64::from(farthest(region));
        (VERTEX_STEP + metres * f64::from(f32::EPSILON)) / f64::from(self.scale)
    }

    /// A vector as the mesh sees it, up to rounding.
    #[must_use]
    #[inline]
    pub(crate) fn unplaced_vector(self, vector: DVec3) -> DVec3 {
        let [x, y, z] = self.rotation.columns();
        DVec3::new(x.dot(vector), y.dot(vector), z.dot(vector)) * (1.0 / f64::from(self.scale))
    }

    /// The box in the mesh's own frame that holds every vertex whose placed position lies in `of`,
    /// a box from the prop's origin.
    #[must_use]
    #[inline]
    pub fn unplaced(self, of: &Aabb) -> Aabb {
        let [x, y, z] = self.rotation.columns();
        let scale = 1.0 / f64::from(self.scale);
        let centre = (of.min.as_dvec3() + of.max.as_dvec3()) * 0.5;
        let half = (of.max.as_dvec3() - of.min.as_dvec3()) * 0.5;
        // Back-rotation is by rows; a box's half sizes take the absolute matrix.
        let centre = DVec3::new(x.dot(centre), y.dot(centre), z.dot(centre)) * scale;
        let half = DVec3::new(x.abs().dot(half), y.abs().dot(half), z.abs().dot(half)) * scale;
        let placed = centre.abs() + half;
        let slack = (4.0 * VERTEX_STEP) * scale + (placed.x + placed.y + placed.z) * 1e-6;
        let half = half + DVec3::splat(slack);
        Aabb { min: (centre - half).as_vec3(), max: (centre + half).as_vec3() }
    }
}

/// The greatest distance from the origin, along an axis, of anything in a box.
pub(crate) fn farthest(region: &Aabb) -> f32 {
    let ends = [region.min, region.max].into_iter().flat_map(|end| end.abs().to_array());
    ends.fold(0.0, |most, part| greater(part, most))
}

/// Places vertices of one prop.
#[derive(Clone, Copy, Debug)]
pub struct Placer {
    columns: [DVec3; 3],
}

impl Placer {
    /// Where it turns each axis of a mesh, scaled.
    #[inline]
    pub(crate) fn columns(&self) -> [DVec3; 3] {
        self.columns
    }

    /// Where a vertex lies, metres from the prop's origin, on the lattice.
    #[must_use]
    #[inline]
    pub fn place(&self, vertex: Vec3) -> Vec3 {
        let [x, y, z] = self.columns;
        let exact = x * f64::from(vertex.x) + y * f64::from(vertex.y) + z * f64::from(vertex.z);
        exact.map(on_lattice).as_vec3()
    }
}

/// Rounds to a multiple of [`VERTEX_STEP`], ties to even. Adding a number so large that its last bit is worth
/// one step, and subtracting it again, does this in two operations on every machine.
#[inline]
fn on_lattice(metres: f64) -> f64 {
    const MAGIC: f64 = 1.5 * ((1_u64 << 52) as f64) * VERTEX_STEP;
    (metres + MAGIC) - MAGIC
}

/// The nearest place for a prop's origin, a multiple of 2⁻¹⁶ m.
#[must_use]
pub(crate) fn origin_on_lattice(local: Vec3) -> Vec3 {
    local.map(|metres| nearest_origin(f64::from(metres)))
}

/// The nearest multiple of [`ORIGIN_STEP`] that `f32` can represent.
pub(crate) fn nearest_origin(metres: f64) -> f32 {
    const MAGIC: f64 = 1.5 * ((1_u64 << 52) as f64) * ORIGIN_STEP;
    ((metres + MAGIC) - MAGIC) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_lie_on_the_lattice_and_boxes_hold_them() {
        let bounds = Aabb { min: Vec3::new(-3.0, 0.0, -0.37), max: Vec3::new(41.0, 2.5, 9.1) };
        for (degrees, scale) in [
            ([0.0; 3], 1.0),
            ([10.0, 20.0, 30.0], 0.37),
            ([0.0, 90.0, 0.0], 13.0),
            ([80.0, 181.0, -5.0], 1.1),
        ] {
            let placement = Placement::new(Rotation::from_degrees(degrees), scale).unwrap();
            let (placer, box_of_all) = (placement.placer(), placement.placed_bounds(&bounds));
            for i in 0..1000_u16 {
                let part = |n: u16| f32::from(i.wrapping_mul(n) % 1001) / 1000.0;
                let spread = bounds.max - bounds.min;
                let vertex = bounds.min
                    + Vec3::new(part(7) * spread.x, part(131) * spread.y, part(577) * spread.z);
                let placed = placer.place(vertex);
                for metres in placed.to_array() {
                    assert_eq!((f64::from(metres) / VERTEX_STEP).fract(), 0.0, "{metres}");
                }
                assert!(box_of_all.touches(&Aabb::at(placed)), "{placed} outside {box_of_all:?}");
                let near = Aabb::at(placed).grown(0.001);
                assert!(placement.unplaced(&near).touches(&Aabb::at(vertex)), "{vertex}");
            }
        }
    }
}
