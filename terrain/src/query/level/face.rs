//! A triangle as a body meets it that moves level.

use glam::{DVec2, DVec3};

use super::outline::{Nearest, Outline};
use super::types::Slab;
use crate::heightfield::SurfaceId;
use crate::query::nearest::unit_normal;
use crate::query::solids::Solids;
use crate::query::types::{Moving, TriangleId};
use crate::query::visit::{Facet, Source};

/// A triangle near a body, seen from a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub(super) corners: [DVec3; 3],
    normal: Option<DVec3>,
    lowest: f64,
    highest: f64,
    is_solid: bool,
    /// Whether it is a line seen from above.
    is_upright: bool,
    /// Whether it has no upper end: ground is solid downwards.
    is_endless: bool,
    pub(super) is_moving: bool,
    pub(super) triangle: TriangleId,
    pub(super) surface: SurfaceId,
}

/// What a face is to a body that moves level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Wall,
    /// It can be stood on, and the body is above it.
    Ground,
    /// It can be stood on, of a solid whose sides are in the way of who is not above it.
    Top,
}

/// More than what is computed here is rounded by. Metres.
const ROUNDING: f64 = 1e-6;

/// Whether two of three corners are above each other. Turning a prop about an upright axis keeps that.
fn is_upright([a, b, c]: &[DVec3; 3]) -> bool {
    let is_above = |a: &DVec3, b: &DVec3| a.x == b.x && a.z == b.z;
    is_above(a, b) || is_above(b, c) || is_above(c, a)
}

impl Face {
    /// A triangle, with its corners seen from a place.
    #[inline]
    pub(super) fn of(source: &Source, facet: &Facet, corners: [DVec3; 3]) -> Self {
        let lesser = |a: f64, b: f64| if b < a { b } else { a };
        let greater = |a: f64, b: f64| if b > a { b } else { a };
        let [a, b, c] = corners.map(|corner| corner.y);
        Self {
            corners,
            normal: unit_normal(corners),
            lowest: lesser(lesser(a, b), c),
            highest: greater(greater(a, b), c),
            is_solid: source.solid,
            is_upright: is_upright(&corners),
            is_endless: source.is_terrain(),
            is_moving: source.moving != Moving::default(),
            triangle: source.triangle(facet.triangle),
            surface: facet.surface,
        }
    }

    /// Whether any of it is between two heights, or below the lower one and endless.
    #[inline]
    pub(super) fn is_between(&self, low: f64, high: f64) -> bool {
        self.highest >= low && (self.is_endless || self.lowest <= high)
    }

    /// What it is to a body with its feet `by` metres beside where it is seen from. `None` if it cannot be in
    /// the way, or surely is farther than `reach` from the axis.
    ///
    /// A face of a solid that looks away from the whole axis is behind others. What can be stood on is no wall
    /// to who is above it; to who is not, the sides below it are, if it is a solid's.
    #[inline]
    pub(super) fn side(
        &self,
        solids: &Solids<'_>,
        slab: &Slab,
        by: DVec3,
        reach: f64,
    ) -> Option<Side> {
        if !self.is_between(slab.low + by.y, slab.high + by.y)
            || !solids.meets_face(self.is_endless, self.is_solid, self.normal, self.surface)
        {
            return None;
        }
        let Some(normal) = self.normal else { return Some(Side::Wall) };
        let from = DVec3::new(0.0, slab.low, 0.0) - (self.corners[0] - by);
        let below = normal.dot(from);
        let above = below + normal.y * (slab.high - slab.low);
        if self.is_solid && below <= 0.0 && above <= 0.0 {
            return None;
        }
        // All of it within the slab is on one side of the axis, and so is its plane there.
        let far = reach + ROUNDING;
        if !self.is_endless && ((below > far && above > far) || (below < -far && above < -far)) {
            return None;
        }
        let up = if self.is_solid { normal.y } else { normal.y.abs() };
        if up < slab.upright {
            return Some(Side::Wall);
        }
        // Of a sheet, the side on which the body is.
        let over = if normal.y < 0.0 { -below } else { below };
        Some(if over >= 0.0 {
            Side::Ground
        } else if self.is_solid {
            Side::Top
        } else {
            Side::Wall
        })
    }

    /// Whether it is surely beside, above or below a cylinder around an upright axis between two heights, wherever
    /// on a line that axis begins.
    #[inline]
    pub(super) fn is_beside(&self, ends: [DVec3; 2], radius: f64, (low, high): (f64, f64)) -> bool {
        let [from, to] = ends;
        let (lower, upper) = if to.y < from.y { (to.y, from.y) } else { (from.y, to.y) };
        if !self.is_between(lower + low, upper + high) {
            return true;
        }
        let Some(normal) = self.normal.filter(|_| !self.is_endless) else { return false };
        // A plane has the whole of the axis on one side, farther away than the radius.
        let below = [from, to].map(|end| normal.dot(end + DVec3::Y * low - self.corners[0]));
        let taller = normal.y * (high - low);
        let far = radius + ROUNDING;
        let is_all =
            |side: f64| below.iter().all(|at| at * side > far && (at + taller) * side > far);
        is_all(1.0) || is_all(-1.0)
    }

    /// Its outline in the slab of a body with its feet `by` metres beside where it is seen from, and where that
    /// is nearest to the body's axis.
    #[inline]
    pub(super) fn outline(&self, slab: &Slab, by: DVec3) -> Option<(Outline, Nearest)> {
        let high = if self.is_endless { f64::INFINITY } else { slab.high };
        let corners = self.corners.map(|corner| corner - by);
        let outline = if self.is_upright {
            Outline::of_upright(&corners, slab.low, high)
        } else {
            Outline::of(&corners, slab.low, high)
        }?;
        Some((outline, outline.nearest(DVec2::ZERO)))
    }

    /// Whether the body is in it only with the skin above its head.
    pub(super) fn is_overhead(&self, slab: &Slab, by: DVec3) -> bool {
        if self.is_endless || slab.top == slab.high {
            return false;
        }
        let bare = Slab { high: slab.top, ..*slab };
        !self.outline(&bare, by).is_some_and(|(_, nearest)| bare.overlaps(&nearest))
    }
}
