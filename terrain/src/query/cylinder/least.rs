//! The least of all pushes, without computing most of the others.
//!
//! A point of the triangle within the body gives a lower bound for every push: the distance until the body is
//! free of that point. A push that is certainly longer than a known one is not computed. So the result is, to
//! the bit, the least of [`super::pushes`].

use glam::DVec3;

use super::apart::is_apart;
use super::intersection::{CERTAIN_MARGIN, Intersection};
use super::overlapping::overlapping;
use super::polygon::Polygon;
use super::push::{
    Push, is_allowed, lesser, level_unit, push_along, push_down, push_sideways, push_up, rounding,
};
use super::{Corners, Sided, least};

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
    overlapping(corners, radius, height).least_push(corners, normal, sided, radius, height)
}

impl Polygon {
    /// See [`least_push`]: for the part of the same triangle that [overlaps](overlapping) the same body.
    pub(crate) fn least_push(
        &self,
        corners: &Corners,
        normal: Option<DVec3>,
        sided: Sided,
        radius: f64,
        height: f64,
    ) -> Option<Push> {
        if self.is_empty() {
            return None;
        }
        let near = Intersection::of(self, radius, height);
        let front = if sided == Sided::Front { normal } else { None };
        let sideways = || push_sideways(corners, self, &near, front, radius, height);
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
    near: &Intersection,
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
fn is_off_longer(near: &Intersection, normal: DVec3, sided: Sided, depth: f64) -> bool {
    near.exit(normal) > depth && (sided == Sided::Front || near.exit(-normal) > depth)
}

/// Whether every push to the side is certainly longer than `depth`. None is shorter than the push straight
/// away from the nearest point, and those along a front move the body past that point.
fn is_side_longer(
    corners: &Corners,
    near: &Intersection,
    front: Option<DVec3>,
    radius: f64,
    depth: f64,
) -> bool {
    let is_past = |along: DVec3| near.exit(along) > depth && near.exit(-along) > depth;
    near.straight_off(radius) - rounding(corners) > depth
        && front.and_then(|front| level_unit(front.z, -front.x)).is_none_or(is_past)
}
