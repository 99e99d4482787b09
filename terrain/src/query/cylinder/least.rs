//! The least of all pushes, without computing most of the others.
//!
//! A point of the triangle within the body gives a lower bound for every push: the distance until the body is
//! free of that point. A push that is certainly longer than a known one is not computed. So the result is, to
//! the bit, the least of [`super::pushes`].

use glam::DVec3;

use super::polygon::Polygon;
use super::push::{
    Push, is_allowed, is_apart, lesser, level_unit, overlapping, push_along, push_down,
    push_sideways, push_up, rounding,
};
use super::{Corners, Sided, greatest, least, touch, unit_clamp};

/// How much longer the way out of a point must be than a known push to be certainly longer once it is
/// computed. Metres: where a disc grazes an edge, the root of what rounding leaves is 1e-6.
const CERTAIN_MARGIN: f64 = 1e-4;

/// The same margin if the disc does not graze the point: half the chord through the point is longer than this
/// part of the radius.
const CERTAIN_MARGIN_HELD: f64 = 1e-6;
const HELD_PART: f64 = 0.01;

/// Points of a polygon within a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// The nearest known point to the axis.
    pub(super) x: f64,
    pub(super) z: f64,
    /// Its distance from the axis.
    pub(super) off_axis: f64,
    /// The range of its height.
    low: f64,
    high: f64,
    /// The highest point within the body is no lower than `top`, and the lowest no higher than `bottom`.
    top: f64,
    bottom: f64,
    /// The body's, less a touch.
    radius: f64,
    height: f64,
}

impl Near {
    /// For the polygon of a triangle and a body that overlap.
    pub(super) fn of(polygon: &Polygon, radius: f64, height: f64) -> Self {
        let touch = touch(radius, height);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in polygon.points() {
            (low, high) = (least(low, point.y), greatest(high, point.y));
        }
        // On the axis if no edge is in the body.
        let mut near = Self {
            x: 0.0,
            z: 0.0,
            off_axis: 0.0,
            low,
            high,
            top: low,
            bottom: high,
            radius: radius - touch,
            height,
        };
        // An edge that is only just in the body, or just outside, counts as in it, by less than a touch.
        let held = radius - 0.5 * touch;
        let mut nearest = held * held;
        for (_, from, to) in polygon.edges() {
            let way = to - from;
            let along = -(from.x * way.x + from.z * way.z);
            let at = from + way * unit_clamp(along / (way.x * way.x + way.z * way.z));
            let off_axis = at.x * at.x + at.z * at.z;
            if off_axis < nearest {
                nearest = off_axis;
                (near.x, near.z, near.low, near.high) = (at.x, at.z, at.y, at.y);
            }
            if off_axis < held * held {
                (near.top, near.bottom) = (greatest(near.top, at.y), least(near.bottom, at.y));
            }
        }
        near.off_axis = (near.x * near.x + near.z * near.z).sqrt();
        near
    }

    /// How far the body moves straight away from the nearest point until it is free of it.
    fn straight_off(&self, radius: f64) -> f64 {
        radius - self.off_axis
    }

    /// A lower bound for how far the body moves along a unit vector until it is free of the nearest point.
    pub(super) fn exit(&self, direction: DVec3) -> f64 {
        let level = direction.x * direction.x + direction.z * direction.z;
        let ahead = self.x * direction.x + self.z * direction.z;
        let inside = self.radius * self.radius - self.x * self.x - self.z * self.z;
        let chord = greatest(ahead * ahead + inside * level, 0.0).sqrt();
        let side = (ahead + chord) / level;
        let end = if direction.y > 0.0 {
            self.low / direction.y
        } else if direction.y < 0.0 {
            (self.high - self.height) / direction.y
        } else {
            f64::INFINITY
        };
        let surely =
            if chord > HELD_PART * self.radius { CERTAIN_MARGIN_HELD } else { CERTAIN_MARGIN };
        least(side, end) - surely
    }
}

/// The least of the [`super::pushes`] that free the body of the triangle. Of equals, the first of side, up,
/// down and face. `None` if they do not overlap.
pub(crate) fn least_push(
    corners: &Corners,
    normal: Option<DVec3>,
    sided: Sided,
    radius: f64,
    height: f64,
) -> Option<Push> {
    if is_apart(corners, radius, height) {
        return None;
    }
    overlapped(corners, radius, height).least_push(corners, normal, sided, radius, height)
}

/// The part of a triangle between the ends of a body that overlaps it; empty if they do not overlap. Not an
/// `Option`, so that this large value is not copied into one.
pub(crate) struct Overlapped(Polygon);

/// The overlapped part of a triangle.
#[inline]
pub(crate) fn overlapped(corners: &Corners, radius: f64, height: f64) -> Overlapped {
    Overlapped(overlapping(corners, radius, height))
}

impl Overlapped {
    /// Whether the two do not overlap.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// See [`least_push`], for the same triangle and body.
    pub(crate) fn least_push(
        &self,
        corners: &Corners,
        normal: Option<DVec3>,
        sided: Sided,
        radius: f64,
        height: f64,
    ) -> Option<Push> {
        let Self(polygon) = self;
        if polygon.is_empty() {
            return None;
        }
        let near = Near::of(polygon, radius, height);
        let front = if sided == Sided::Front { normal } else { None };
        let sideways = || push_sideways(corners, polygon, &near, front, radius, height);
        let off = |normal| push_off(corners, normal, sided, &near, radius, height);
        // The push that is usually the least comes first: the other is compared with it.
        let mut side = None;
        let mut most = f64::INFINITY;
        if normal
            .is_none_or(|normal| is_off_longer(&near, normal, sided, near.straight_off(radius)))
        {
            let first = sideways()?;
            (side, most) = (Some(first), first.depth);
        }
        let face =
            normal.filter(|normal| !is_off_longer(&near, *normal, sided, most)).and_then(off);
        most = least(most, face.map_or(f64::INFINITY, |face| face.depth));
        if side.is_none() && !is_side_longer(corners, &near, front, radius, most) {
            let second = sideways()?;
            (side, most) = (Some(second), least(most, second.depth));
        }
        let may_be_least = |shortest: f64| shortest - CERTAIN_MARGIN <= most;
        let up = is_allowed(front, DVec3::Y) && may_be_least(near.top);
        let up = up.then(|| push_up(corners, radius, height)).flatten();
        let down = is_allowed(front, DVec3::NEG_Y) && may_be_least(height - near.bottom);
        let down = down.then(|| push_down(corners, radius, height)).flatten();
        let others = lesser(lesser(side, up), down);
        let is_face = |face: &Push| others.is_none_or(|other| face.depth < other.depth);
        let Some(face) = face.filter(is_face) else { return others };
        if face.is_held(radius, height) {
            return Some(face);
        }
        let side = match side {
            Some(side) => side,
            None => sideways()?,
        };
        Some(Push { point: side.point, feature: side.feature, ..face })
    }
}

/// The push along the normal. If the triangle blocks from both sides, along or against it.
fn push_off(
    corners: &Corners,
    normal: DVec3,
    sided: Sided,
    near: &Near,
    radius: f64,
    height: f64,
) -> Option<Push> {
    let ahead = push_along(corners, normal, radius, height);
    let is_less = |ahead: Push| near.exit(-normal) > ahead.depth;
    if sided == Sided::Front || ahead.is_some_and(is_less) {
        return ahead;
    }
    lesser(ahead, push_along(corners, -normal, radius, height))
}

/// Whether the push along the normal is certainly longer than `depth`.
fn is_off_longer(near: &Near, normal: DVec3, sided: Sided, depth: f64) -> bool {
    near.exit(normal) > depth && (sided == Sided::Front || near.exit(-normal) > depth)
}

/// Whether every push to the side is certainly longer than `depth`. None is shorter than the push straight
/// away from the nearest point, and those along a front move the body past that point.
fn is_side_longer(
    corners: &Corners,
    near: &Near,
    front: Option<DVec3>,
    radius: f64,
    depth: f64,
) -> bool {
    let is_past = |along: DVec3| near.exit(along) > depth && near.exit(-along) > depth;
    near.straight_off(radius) - rounding(corners) > depth
        && front.and_then(|front| level_unit(front.z, -front.x)).is_none_or(is_past)
}
