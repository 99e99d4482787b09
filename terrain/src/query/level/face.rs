//! A face as a body meets it that moves level: a triangle, or several in a plane.

use glam::{DVec2, DVec3, Vec3};

use super::outline::{Cut, along_x};
use super::types::{Slab, Wall};
use crate::heightfield::SurfaceId;
use crate::props::FACE_CORNERS_MAX;
use crate::query::nearest::unit_normal;
use crate::query::solids::Solids;
use crate::query::types::{PropMotion, TriangleId};
use crate::query::visit::{Facet, Polygon, Source};

/// A face near a body, seen from a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corners: [DVec3; FACE_CORNERS_MAX],
    len: usize,
    normal: Option<DVec3>,
    lowest: f64,
    highest: f64,
    is_solid: bool,
    /// As [`along_x`].
    along_x: Option<bool>,
    /// Of an upright rectangle, the line that it is at all of its heights.
    line: Option<[DVec2; 2]>,
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

/// The unit normal of a convex polygon.
fn normal_of(corners: &[DVec3]) -> Option<DVec3> {
    let [first, rest @ ..] = corners else { return None };
    let fan = rest.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first));
    fan.sum::<DVec3>().try_normalize()
}

/// The line that an upright face is at all of its heights, its lesser end first along the axis that it is nearer to.
/// `None` if it is no rectangle.
fn line_of(corners: &[DVec3], is_along_x: bool) -> Option<[DVec2; 2]> {
    let &[a, b, c, d] = corners else { return None };
    let is_above = |a: DVec3, b: DVec3| a.x == b.x && a.z == b.z;
    let is_rectangle = (is_above(a, b) && is_above(c, d) && a.y == d.y && b.y == c.y)
        || (is_above(b, c) && is_above(d, a) && a.y == b.y && c.y == d.y);
    let [from, to] = [a, c].map(|corner| DVec2::new(corner.x, corner.z));
    let is_turned = if is_along_x { to.x < from.x } else { to.y < from.y };
    is_rectangle.then_some(if is_turned { [to, from] } else { [from, to] })
}

/// What a face is found as.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Triangle(&'a Facet),
    /// Several triangles in a plane.
    Polygon(&'a Polygon<'a>),
}

impl Face {
    pub(super) const NONE: Self = Self {
        corners: [DVec3::ZERO; FACE_CORNERS_MAX],
        len: 0,
        normal: None,
        lowest: 0.0,
        highest: 0.0,
        is_solid: false,
        along_x: None,
        line: None,
        is_endless: false,
        is_moving: false,
        triangle: Wall::NONE.triangle,
        surface: SurfaceId(0),
    };

    /// A face with its corners seen from a place.
    #[inline]
    pub(super) fn of(source: &Source, part: Part<'_>, place: DVec3) -> Self {
        let mut face = Self::NONE;
        match part {
            Part::Triangle(facet) => {
                face.set_corners(&facet.corners, source.origin - place);
                face.set_triangle(source, facet);
            }
            Part::Polygon(polygon) => {
                face.set_corners(polygon.corners, source.origin - place);
                face.set_polygon(source, polygon);
            }
        }
        face
    }

    /// Takes other corners, each with a vector added: exact. Returns the corners of the box around them. The rest is
    /// that of another face then.
    #[inline]
    pub(super) fn set_corners(&mut self, corners: &[Vec3], shift: DVec3) -> (DVec3, DVec3) {
        self.len = corners.len();
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (to, corner) in self.corners.iter_mut().zip(corners) {
            let corner = corner.as_dvec3() + shift;
            min = DVec3::select(corner.cmplt(min), corner, min);
            max = DVec3::select(corner.cmpgt(max), corner, max);
            *to = corner;
        }
        (self.lowest, self.highest) = (min.y, max.y);
        (min, max)
    }

    /// Becomes a triangle whose corners were set.
    #[inline]
    pub(super) fn set_triangle(&mut self, source: &Source, facet: &Facet) {
        let [a, b, c, ..] = self.corners;
        self.set_rest(source, unit_normal([a, b, c]), (facet.triangle, facet.surface));
    }

    /// Becomes a polygon whose corners were set.
    #[inline]
    pub(super) fn set_polygon(&mut self, source: &Source, polygon: &Polygon<'_>) {
        self.set_rest(source, normal_of(self.corners()), (polygon.triangle, polygon.surface));
    }

    #[inline]
    fn set_rest(
        &mut self,
        source: &Source,
        normal: Option<DVec3>,
        (triangle, surface): (u32, SurfaceId),
    ) {
        self.normal = normal;
        self.is_solid = source.solid;
        self.along_x = along_x(self.corners());
        self.line = self.along_x.and_then(|is_along_x| line_of(self.corners(), is_along_x));
        self.is_endless = source.is_terrain();
        self.is_moving = source.moving != PropMotion::default();
        (self.triangle, self.surface) = (source.triangle(triangle), surface);
    }

    /// Its corners, counter-clockwise seen from outside.
    #[inline]
    pub(super) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.len]
    }

    /// Whether it is surely steeper than what can be stood on; ground counts as that.
    #[inline]
    pub(super) fn is_steeper(&self, upright: f64) -> bool {
        self.is_endless
            || self.normal.is_some_and(|normal| {
                let up = if self.is_solid { normal.y } else { normal.y.abs() };
                up < upright - ROUNDING
            })
    }

    /// Whether any of it is between two heights, or below the lower one and endless.
    #[inline]
    pub(super) fn is_between(&self, low: f64, high: f64) -> bool {
        self.highest >= low && (self.is_endless || self.lowest <= high)
    }

    /// What it is to a body with its feet `by` metres beside where it is seen from. `None` if it cannot be in
    /// the way, or surely is farther than `farthest` from the axis.
    ///
    /// A face of a solid that looks away from the whole axis is behind others. What can be stood on is no wall
    /// to who is above it; to who is not, the sides below it are, if it is a solid's.
    #[inline]
    pub(super) fn side(
        &self,
        solids: &Solids<'_>,
        slab: &Slab,
        by: DVec3,
        farthest: f64,
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
        let far = farthest + ROUNDING;
        if !self.is_endless && ((below > far && above > far) || (below < -far && above < -far)) {
            return None;
        }
        // Of ground, what is above the lower end of the slab is farther away than its plane there.
        if self.is_endless
            && below > 0.0
            && normal.y >= 0.0
            && below * below > far * far * (1.0 - normal.y * normal.y)
        {
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

    /// Whether it comes within the skin of a body with its feet `by` metres beside where it is seen from, and is not what
    /// the body stands on.
    pub(super) fn is_near(&self, solids: &Solids<'_>, slab: &Slab, by: DVec3) -> bool {
        let mut cut = Cut::NONE;
        self.side(solids, slab, by, slab.far).is_some_and(|side| side != Side::Ground)
            && self.cut(slab, by, &mut cut)
            && (cut.nearest.inside || cut.nearest.distance_squared < slab.far * slab.far)
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

    /// Whether it is no ground, or surely below a level disc, or surely less upright than a `y` of its unit normal.
    #[inline]
    pub(super) fn is_below(&self, centre: DVec3, radius: f64, upright: f64) -> bool {
        if !self.is_endless || self.highest < centre.y - ROUNDING {
            return true;
        }
        let Some(normal) = self.normal.filter(|normal| normal.y > 0.0) else { return false };
        let above = normal.dot(centre - self.corners[0]) - ROUNDING;
        normal.y < upright - ROUNDING
            || (above > 0.0 && above * above > radius * radius * (1.0 - normal.y * normal.y))
    }

    /// Cuts its outline in the slab of a body with its feet `by` metres beside where it is seen from. Returns
    /// whether it has one.
    #[inline]
    pub(super) fn cut(&self, slab: &Slab, by: DVec3, cut: &mut Cut) -> bool {
        let high = if self.is_endless { f64::INFINITY } else { slab.high };
        if let Some(line) = self.line {
            if self.highest - by.y < slab.low || high < self.lowest - by.y {
                return false;
            }
            let aside = DVec2::new(by.x, by.z);
            cut.outline.become_line(line.map(|end| end - aside));
        } else if self.is_endless
            && self.along_x.is_none()
            && let &[a, b, c] = self.corners()
        {
            if !cut.outline.cut_above([a - by, b - by, c - by], slab.low) {
                return false;
            }
        } else {
            let corners = self.corners().iter().map(|corner| *corner - by);
            if !cut.outline.cut(corners, self.along_x, (slab.low, high)) {
                return false;
            }
        }
        cut.nearest = cut.outline.nearest(DVec2::ZERO);
        true
    }

    /// Whether the body is in it only with the skin above its head, or with so little of that as rounding makes up.
    pub(super) fn is_overhead(&self, slab: &Slab, by: DVec3) -> bool {
        if self.is_endless || slab.head >= slab.high {
            return false;
        }
        let bare = Slab { high: slab.head, ..*slab };
        let mut cut = Cut::NONE;
        !(self.cut(&bare, by, &mut cut) && bare.overlaps(&cut.nearest))
    }
}
