//! All pushes, and the least of them without computing most of the others.
//!
//! A point of the triangle within the body gives a lower bound for every push: the distance until the body is
//! free of that point. A push that is certainly longer than a known one is not computed. So the result is, to
//! the bit, the least of [`pushes`].

use glam::DVec3;

use super::apart::is_apart;
use super::intersection::{CERTAIN_MARGIN, Intersection};
use super::meeting::{Meeting, exit_meeting};
use super::overlapping::overlapping;
use super::polygon::Polygon;
use super::push::{Push, is_allowed, level_unit, push_down, push_sideways, push_up, rounding};
use super::{BlockingSides, Corners};
use crate::math::{greater, lesser};

/// The least moves of each kind that free the body of the triangle. If only the front blocks, those that move
/// to its front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pushes {
    /// Straight up.
    pub(crate) up: Option<Push>,
    /// Straight down.
    pub(crate) down: Option<Push>,
    /// The least horizontal push.
    pub(crate) side: Push,
    /// Along the normal; along or against it if the triangle blocks from both sides. `None` for a degenerate
    /// triangle.
    pub(crate) face: Option<Push>,
}

/// How to free the body of the triangle; `None` if they do not overlap. `normal` is the unit normal of the
/// triangle, `None` if it has none.
pub(crate) fn pushes(
    corners: &Corners,
    normal: Option<DVec3>,
    sided: BlockingSides,
    radius: f64,
    height: f64,
) -> Option<Pushes> {
    if is_apart(corners, radius, height) {
        return None;
    }
    let polygon = overlapping(corners, radius, height);
    if polygon.is_empty() {
        return None;
    }
    let near = Intersection::of(&polygon, radius, height);
    let front = if sided == BlockingSides::Front { normal } else { None };
    let allowed = |direction| is_allowed(front, direction);
    let side = push_sideways(corners, &polygon, &near, front, radius, height)?;
    let up = if allowed(DVec3::Y) { push_up(corners, radius, height) } else { None };
    let down = if allowed(DVec3::NEG_Y) { push_down(corners, radius, height) } else { None };
    let face = normal.and_then(|normal| {
        let ahead = push_along(corners, normal, radius, height);
        match sided {
            BlockingSides::Front => ahead,
            BlockingSides::Both => lesser_push(ahead, push_along(corners, -normal, radius, height)),
        }
    });
    let face = face.map(|face| {
        let Push { point, feature, .. } = if face.is_held(radius, height) { face } else { side };
        Push { point, feature, ..face }
    });
    Some(Pushes { up, down, side, face })
}

/// The least of the [`pushes`] that free the body of the triangle. Of equals, the first of side, up,
/// down and face. `None` if they do not overlap.
pub(crate) fn least_push(
    corners: &Corners,
    normal: Option<DVec3>,
    sided: BlockingSides,
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
        sided: BlockingSides,
        radius: f64,
        height: f64,
    ) -> Option<Push> {
        if self.is_empty() {
            return None;
        }
        let near = Intersection::of(self, radius, height);
        let front = if sided == BlockingSides::Front { normal } else { None };
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
        most = lesser(face.map_or(f64::INFINITY, |face| face.depth), most);
        if side.is_none() && !is_side_longer(corners, &near, front, radius, most) {
            let second = sideways()?;
            (side, most) = (Some(second), lesser(second.depth, most));
        }
        let may_be_least = |shortest: f64| shortest - CERTAIN_MARGIN <= most;
        let up = is_allowed(front, DVec3::Y) && may_be_least(near.top);
        let up = up.then(|| push_up(corners, radius, height)).flatten();
        let down = is_allowed(front, DVec3::NEG_Y) && may_be_least(height - near.bottom);
        let down = down.then(|| push_down(corners, radius, height)).flatten();
        let others = lesser_push(lesser_push(side, up), down);
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
    sided: BlockingSides,
    near: &Intersection,
    radius: f64,
    height: f64,
) -> Option<Push> {
    let ahead = push_along(corners, normal, radius, height);
    let is_less = |ahead: Push| near.exit(-normal) > ahead.depth;
    if sided == BlockingSides::Front || ahead.is_some_and(is_less) {
        return ahead;
    }
    lesser_push(ahead, push_along(corners, -normal, radius, height))
}

/// The push along a unit vector. Its point is where it loses contact, which the body may not contain.
pub(super) fn push_along(
    corners: &Corners,
    direction: DVec3,
    radius: f64,
    height: f64,
) -> Option<Push> {
    let Meeting { at, point, feature } = exit_meeting(corners, radius, height, direction)?;
    Some(Push { depth: greater(0.0, -at), direction, point, feature })
}

fn lesser_push(first: Option<Push>, second: Option<Push>) -> Option<Push> {
    match (first, second) {
        (Some(first), Some(second)) if second.depth < first.depth => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}

impl Push {
    /// Whether the body contains the push's point.
    fn is_held(&self, radius: f64, height: f64) -> bool {
        let DVec3 { x, y, z } = self.point;
        x * x + z * z <= radius * radius && y >= 0.0 && y <= height
    }
}

/// Whether the push along the normal is certainly longer than `depth`.
fn is_off_longer(near: &Intersection, normal: DVec3, sided: BlockingSides, depth: f64) -> bool {
    near.exit(normal) > depth && (sided == BlockingSides::Front || near.exit(-normal) > depth)
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
