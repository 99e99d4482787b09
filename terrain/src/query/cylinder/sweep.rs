//! The first touch of a moving body, and the last touch of a body that leaves.

use glam::DVec3;

use super::apart::{is_beside_way, is_off_plane};
use super::meeting::{Body, Meeting, exit_meeting, first_meeting, meetings};
use super::overlapping::overlaps;
use super::{Corners, Feature, touch, unit, unit_clamp};
use crate::math::{greater, lesser};

/// The first touch of a moving body and a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impact {
    /// Part of the motion, 0 to 1.
    pub(crate) time: f64,
    /// A point on the triangle, relative to the centre of the foot disc at the start.
    pub(crate) point: DVec3,
    /// A unit vector from the triangle to the body, against the motion.
    pub(crate) normal: DVec3,
    /// The part of the triangle on which `point` is.
    pub(crate) feature: Feature,
}

/// The first time at which a body that moves by `motion` touches the triangle, if it then continues into it
/// by more than a touch ([`super::TOUCH`]). So a body that starts in contact is stopped at 0 where it moves
/// in, and otherwise slides along or leaves freely. `normal` is the unit normal of the triangle, `None` if it
/// has none.
///
/// `None` if the body overlaps the triangle when it starts.
pub(crate) fn sweep(
    corners: &Corners,
    normal: Option<DVec3>,
    radius: f64,
    height: f64,
    motion: DVec3,
) -> Option<Impact> {
    if is_off_the_way(corners, radius, height, motion) {
        return None;
    }
    let touch = touch(radius, height);
    let length = motion.length();
    if length.is_nan() || length <= touch {
        return None; // it stays where it is
    }
    // The body shrunk by a touch, twice, is met only where the body truly moves in. There the direction is
    // clear, however long the two were side by side before.
    let direction = motion / length;
    let core = Body::shrunk(radius, height, 2.0 * touch);
    let deep = first_meeting(corners, core, direction, length, 0.5 * touch)?;
    // Behind the body there is nothing: what is met there is overlapped or left behind.
    if deep.at > length || deep.at < 0.0 || overlaps(corners, radius, height) {
        return None;
    }
    let facing = facing(corners, normal, core, direction, &deep)?;
    let body = Body::shrunk(radius, height, 0.0);
    let met = meetings(corners, body, direction, length, 0.5 * touch);
    let first = met.first().filter(|first| first.at < deep.at).unwrap_or(deep);
    // Where the body reaches the plane that stops it. Something within the slack may be met earlier: a body
    // that comes down on a floor is stopped by the floor, not by the edge at its feet.
    let into = depth_along(corners, body, direction * deep.at, facing);
    let plane = deep.at + into / facing.dot(direction);
    let at = greater(0.0, greater(plane, first.at));
    let at = lesser(deep.at, at);
    let met = met.all().find(|met| (met.at - at).abs() <= touch);
    let (point, feature) = match met {
        Some(met) => (met.point, met.feature),
        None => between(&first, &deep, at),
    };
    let time = unit_clamp(at / length);
    Some(Impact { time, point, normal: facing, feature })
}

/// Where the two touch between two meetings. The points and the places on the way where they touch form a
/// convex set: it contains the straight line between any two of its members.
fn between(first: &Meeting, deep: &Meeting, at: f64) -> (DVec3, Feature) {
    let t = unit_clamp((at - first.at) / (deep.at - first.at));
    let feature = if first.feature == deep.feature { first.feature } else { Feature::Face };
    (first.point + (deep.point - first.point) * t, feature)
}

/// How far a body moves along a unit vector until it is free of the triangle. Metres; 0 if it does not meet
/// the triangle in that direction.
pub(crate) fn exit(corners: &Corners, radius: f64, height: f64, direction: DVec3) -> f64 {
    exit_meeting(corners, radius, height, direction)
        .map_or(0.0, |meeting| greater(0.0, -meeting.at))
}

/// Whether the triangle is certainly off the body's way.
fn is_off_the_way(corners: &Corners, radius: f64, height: f64, motion: DVec3) -> bool {
    let [a, b, c] = *corners;
    let apart = |a: f64, b: f64, c: f64, low: f64, high: f64, moved: f64| {
        lesser(lesser(c, b), a) > high + greater(0.0, moved)
            || greater(greater(c, b), a) < low + lesser(0.0, moved)
    };
    apart(a.x, b.x, c.x, -radius, radius, motion.x)
        || apart(a.z, b.z, c.z, -radius, radius, motion.z)
        || apart(a.y, b.y, c.y, 0.0, height, motion.y)
        || is_beside_way(corners, radius, motion)
        || is_off_plane(corners, radius, height, motion)
}

/// Rounding in how far the triangle reaches past a plane at 10 km, with a margin. Metres.
const NOISE: f64 = 1e-10;

/// The direction from the triangle to the body where they meet. Each kind of contact has its direction. On
/// its way the body reaches the planes square to them one after the other. It touches only when it has
/// reached the last plane, so that plane stops it. Of planes reached together, the one most against the
/// motion is taken, because noise matters more the more a plane lies along the way.
///
/// `None` if a plane separates the two there and the body does not move towards it: then the meeting is only
/// due to the slack, and the body passes.
fn facing(
    corners: &Corners,
    normal: Option<DVec3>,
    body: Body,
    direction: DVec3,
    meeting: &Meeting,
) -> Option<DVec3> {
    let mut best = (-direction, f64::NEG_INFINITY);
    let mut goes_by = false;
    let at = direction * meeting.at;
    let mut consider = |x: f64, y: f64, z: f64| {
        let Some(mut unit) = unit(DVec3::new(x, y, z)) else { return };
        if unit.dot(direction) > 0.0 {
            unit = -unit;
        }
        let (into, back) = depths_along(corners, body, at, unit);
        goes_by |= back <= 0.0;
        if unit.dot(direction) == 0.0 {
            goes_by |= into <= 0.0;
            return;
        }
        let reached = (into + NOISE) / unit.dot(direction);
        if reached > best.1 {
            best = (unit, reached);
        }
    };
    let off = meeting.point - at;
    consider(0.0, if direction.y < 0.0 { 1.0 } else { -1.0 }, 0.0);
    consider(-off.x, 0.0, -off.z);
    if let Some(normal) = normal {
        consider(normal.x, normal.y, normal.z);
    }
    let [a, b, c] = *corners;
    let tangent = DVec3::new(-off.z, 0.0, off.x);
    for edge in [b - a, c - b, a - c] {
        // The side against an edge: determined better from the edge than from the meeting point, which a
        // graze moves far.
        consider(edge.z, 0.0, -edge.x);
        let across = edge.cross(tangent);
        // Along the rim, the cross product of the two is only noise.
        if across.length() > 1e-9 * edge.length() * tangent.length() {
            consider(across.x, across.y, across.z);
        }
    }
    (!goes_by).then_some(best.0)
}

/// How far the triangle reaches beyond the body's farthest plane square to `unit`.
fn depth_along(corners: &Corners, body: Body, at: DVec3, unit: DVec3) -> f64 {
    depths_along(corners, body, at, unit).0
}

/// The same along `unit`, and along its opposite: all products are the same except for their sign.
#[inline]
pub(super) fn depths_along(corners: &Corners, body: Body, at: DVec3, unit: DVec3) -> (f64, f64) {
    let (mut last, mut first) = (f64::NEG_INFINITY, f64::INFINITY);
    for corner in corners {
        let along = (*corner - at).dot(unit);
        (last, first) = (greater(along, last), lesser(along, first));
    }
    let out = body.radius * (unit.x * unit.x + unit.z * unit.z).sqrt();
    let (foot, top) = (unit.y * body.foot, unit.y * body.top);
    let lowest = if unit.y > 0.0 { foot } else { top };
    let highest = if unit.y < 0.0 { foot } else { top };
    (last - (lowest - out), highest + out - first)
}
