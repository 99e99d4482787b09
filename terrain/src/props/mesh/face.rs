//! A face: a convex polygon in a plane, made of triangles.

use glam::DVec3;

use crate::math::{Aabb, lesser};
use crate::props::placement::farthest;

/// Most corners of a face.
pub(crate) const CORNERS_MAX: usize = 8;

/// How far the corners of a face may lie beside its plane, and those of its triangles beyond its edges: this
/// part of the largest coordinate, twice what rounding moves them by, and at most this many metres.
const TOLERANCE_RELATIVE: f64 = 1.0 / 4_194_304.0;
/// See [`TOLERANCE_RELATIVE`].
const TOLERANCE_MAX: f64 = 1.0 / 1_048_576.0;

/// How exact the faces of a mesh are. Metres.
pub(super) fn tolerance(bounds: &Aabb) -> f64 {
    let tolerance = f64::from(farthest(bounds)) * TOLERANCE_RELATIVE;
    lesser(tolerance, TOLERANCE_MAX)
}

/// A polygon against which triangles are checked that it is to consist of.
pub(super) struct Plate {
    corners: [DVec3; CORNERS_MAX],
    len: usize,
    middle: DVec3,
    normal: DVec3,
    tolerance: f64,
    /// Twice the area that its triangles do not cover yet. Square metres.
    left: f64,
    around: f64,
    /// Whether it has taken no triangle.
    pub(super) is_bare: bool,
}

impl Plate {
    /// A polygon; `None` if it is not convex, plane and counter-clockwise around its own normal.
    pub(super) fn new(corners: impl Iterator<Item = DVec3>, tolerance: f64) -> Option<Self> {
        let (mut list, mut len) = ([DVec3::ZERO; CORNERS_MAX], 0);
        for corner in corners {
            *list.get_mut(len)? = corner;
            len += 1;
        }
        let mut plate = Self {
            corners: list,
            len,
            middle: DVec3::ZERO,
            normal: DVec3::ZERO,
            tolerance,
            left: 0.0,
            around: 0.0,
            is_bare: true,
        };
        if len < 3 {
            return None;
        }
        plate.middle = plate.corners().sum::<DVec3>() / len as f64;
        let cross: DVec3 =
            plate.edges().map(|(from, to)| (from - plate.middle).cross(to - plate.middle)).sum();
        plate.left = cross.length();
        plate.normal = cross.try_normalize()?;
        plate.around = plate.edges().map(|(from, to)| from.distance(to)).sum();
        let is_convex = plate.edges().all(|(from, to)| {
            let inwards = plate.normal.cross(to - from);
            from != to
                && plate.corners().all(|at| at == from || at == to || inwards.dot(at - from) > 0.0)
        });
        (is_convex && plate.corners().all(|at| plate.is_in_plane(at))).then_some(plate)
    }

    fn corners(&self) -> impl Iterator<Item = DVec3> + Clone {
        self.corners.iter().copied().take(self.len)
    }

    fn edges(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        self.corners().zip(self.corners().cycle().skip(1))
    }

    fn is_in_plane(&self, at: DVec3) -> bool {
        self.normal.dot(at - self.middle).abs() <= self.tolerance
    }

    /// Takes a triangle. Returns whether it lies in the polygon, and looks to the same side.
    pub(super) fn take(&mut self, triangle: [DVec3; 3]) -> bool {
        let [a, b, c] = triangle;
        let area = (b - a).cross(c - a).dot(self.normal);
        (self.left, self.is_bare) = (self.left - area, false);
        let is_within = |at: DVec3| {
            self.edges().all(|(from, to)| {
                let along = to - from;
                self.normal.cross(along).dot(at - from) >= -self.tolerance * along.length()
            })
        };
        area > 0.0 && triangle.into_iter().all(|at| self.is_in_plane(at) && is_within(at))
    }

    /// Whether the triangles cover it.
    pub(super) fn is_covered(&self) -> bool {
        self.left.abs() <= 4.0 * self.tolerance * self.around
    }
}
