//! Does a body overlap a triangle, and which pushes free it.

use glam::DVec3;

use super::column::{bottom_with_feature, is_beside, top_with_feature};
use super::disc::chord;
use super::polygon::{Place, Polygon, is_over_origin, place_over};
use super::sweep::exit_meeting;
use super::{Corners, Feature, Sided, greatest, touch};

/// A direction counts as not against a normal down to this cosine, so that the noise in the normal of
/// an upright wall does not decide.
const LEVEL: f64 = -1e-9;

/// A move that frees the body of the triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    /// How far, metres, above 0.
    pub(crate) depth: f64,
    /// Which way the body goes; a unit vector.
    pub(crate) direction: DVec3,
    /// On the triangle, in the body or on its surface: where this push lets go last, if the body
    /// holds that.
    pub(crate) point: DVec3,
    /// Where on the triangle `point` lies.
    pub(crate) feature: Feature,
}

/// The least moves of each kind that free the body of the triangle. Of a front alone, those that go
/// to its front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pushes {
    /// Straight up.
    pub(crate) up: Option<Push>,
    /// Straight down.
    pub(crate) down: Option<Push>,
    /// The least of the horizontal ones.
    pub(crate) side: Push,
    /// Along the normal; along or against it if the triangle blocks from both sides. Nothing for a
    /// degenerate triangle.
    pub(crate) face: Option<Push>,
}

/// True if the triangle reaches more than a touch ([`super::TOUCH`]) into the cylinder from every
/// face of it.
pub(crate) fn overlaps(corners: &Corners, radius: f64, height: f64) -> bool {
    if is_beside(corners, radius) || is_above_or_below(corners, height) {
        return false;
    }
    let touch = touch(radius, height);
    let polygon = Polygon::between(corners, touch, height - touch);
    reaches_axis(&polygon, radius - touch)
}

/// How to free the body of the triangle; nothing if they do not overlap. `normal` is the unit normal
/// of the triangle, nothing if it has none.
pub(crate) fn pushes(
    corners: &Corners,
    normal: Option<DVec3>,
    sided: Sided,
    radius: f64,
    height: f64,
) -> Option<Pushes> {
    if is_beside(corners, radius) || is_above_or_below(corners, height) {
        return None;
    }
    let touch = touch(radius, height);
    let polygon = Polygon::between(corners, touch, height - touch);
    if !reaches_axis(&polygon, radius - touch) {
        return None;
    }
    let front = if sided == Sided::Front { normal } else { None };
    let allowed = |direction: DVec3| front.is_none_or(|front| direction.dot(front) >= LEVEL);
    let side = push_sideways(corners, &polygon, front, radius)?;
    let up = if allowed(DVec3::Y) { push_up(corners, radius, height) } else { None };
    let down = if allowed(DVec3::NEG_Y) { push_down(corners, radius, height) } else { None };
    let face = normal.and_then(|normal| {
        let ahead = push_along(corners, normal, radius, height, side);
        match sided {
            Sided::Front => ahead,
            Sided::Both => lesser(ahead, push_along(corners, -normal, radius, height, side)),
        }
    });
    Some(Pushes { up, down, side, face })
}

fn is_above_or_below(corners: &Corners, height: f64) -> bool {
    corners.iter().all(|corner| corner.y <= 0.0) || corners.iter().all(|corner| corner.y >= height)
}

/// True if a polygon, seen from above, comes within `radius` of the axis.
fn reaches_axis(polygon: &Polygon, radius: f64) -> bool {
    polygon.edges().any(|(_, from, to)| chord(from, to, radius).is_some())
        || (!polygon.points().is_empty() && is_over_origin(polygon.points()))
}

fn push_up(corners: &Corners, radius: f64, height: f64) -> Option<Push> {
    let (top, on) = top_with_feature(corners, radius, f64::INFINITY)?;
    let (point, feature) =
        if top.y <= height { (top, on) } else { top_with_feature(corners, radius, height)? };
    Some(Push { depth: top.y, direction: DVec3::Y, point, feature })
}

fn push_down(corners: &Corners, radius: f64, height: f64) -> Option<Push> {
    let (bottom, on) = bottom_with_feature(corners, radius, f64::NEG_INFINITY)?;
    let (point, feature) =
        if bottom.y >= 0.0 { (bottom, on) } else { bottom_with_feature(corners, radius, 0.0)? };
    Some(Push { depth: height - bottom.y, direction: DVec3::NEG_Y, point, feature })
}

/// The least horizontal push off the polygon that is the triangle at the body's height. Seen from
/// above, a push along u frees once it reaches past the polygon's farthest point that way, by the
/// radius; the least lies square to an edge, away from a corner, or (of a front alone) along the face.
/// Whatever the noise in a direction, its depth is right for it.
fn push_sideways(
    corners: &Corners,
    polygon: &Polygon,
    front: Option<DVec3>,
    radius: f64,
) -> Option<Push> {
    let mut best: Option<(f64, DVec3, f64)> = None;
    let mut consider = |x: f64, z: f64| {
        let length = (x * x + z * z).sqrt();
        if length.is_nan() || length <= 0.0 {
            return;
        }
        let direction = DVec3::new(x / length, 0.0, z / length);
        let ahead = front.map_or(0.0, |front| direction.dot(front));
        if ahead < LEVEL {
            return;
        }
        let depth = radius + farthest(polygon, direction);
        let better = match best {
            None => true,
            Some((known, _, known_ahead)) => {
                depth < known || (depth == known && ahead > known_ahead)
            }
        };
        if better {
            best = Some((depth, direction, ahead));
        }
    };
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    for edge in [b - a, c - b, a - c] {
        consider(edge.z, -edge.x);
        consider(-edge.z, edge.x);
    }
    // Square to where the body's ends cut the triangle, then along the face.
    consider(normal.x, normal.z);
    consider(-normal.x, -normal.z);
    for point in polygon.points() {
        consider(-point.x, -point.z);
    }
    if let Some(front) = front {
        consider(front.z, -front.x);
        consider(-front.z, front.x);
    }
    // A single point on the axis goes any way.
    consider(1.0, 0.0);
    consider(-1.0, 0.0);
    let (depth, direction, _) = best?;
    let (point, feature) = last_held(polygon, direction, radius)?;
    Some(Push { depth, direction, point, feature })
}

/// How far the polygon reaches along a direction.
fn farthest(polygon: &Polygon, direction: DVec3) -> f64 {
    let mut farthest = f64::NEG_INFINITY;
    for point in polygon.points() {
        farthest = greatest(farthest, point.x * direction.x + point.z * direction.z);
    }
    farthest
}

/// The polygon's point farthest along a direction, of several the nearest to the axis, brought to the
/// body's surface if it is outside.
fn last_held(polygon: &Polygon, direction: DVec3, radius: f64) -> Option<(DVec3, Feature)> {
    let along = |point: DVec3| point.x * direction.x + point.z * direction.z;
    // An edge square to the direction lets go all at once; its ends differ by rounding only.
    let limit = farthest(polygon, direction) - 1e-9;
    let mut best: Option<(f64, Place)> = None;
    for (index, from, to) in polygon.edges() {
        let t = match (along(from) >= limit, along(to) >= limit) {
            (true, true) => chord(from, to, f64::MAX).map_or(0.0, |(_, _, near)| near),
            (true, false) => 0.0,
            (false, true) => 1.0,
            (false, false) => continue,
        };
        let place = Place::Edge(index, t);
        let point = polygon.point(place);
        let off_axis = point.x * point.x + point.z * point.z;
        if best.is_none_or(|(known, _)| off_axis < known) {
            best = Some((off_axis, place));
        }
    }
    let (off_axis, mut place) = best?;
    if off_axis > radius * radius {
        let part = radius / off_axis.sqrt();
        let point = polygon.point(place);
        place = place_over(polygon.points(), point.x * part, point.z * part).unwrap_or(place);
    }
    Some((polygon.point(place), polygon.feature(place)))
}

/// The push along a unit vector. Its point is where it lets go; if the body does not hold that, the
/// one of the push to the side.
fn push_along(
    corners: &Corners,
    direction: DVec3,
    radius: f64,
    height: f64,
    side: Push,
) -> Option<Push> {
    let last = exit_meeting(corners, radius, height, direction)?;
    let (x, y, z) = (last.point.x, last.point.y, last.point.z);
    let held = x * x + z * z <= radius * radius && y >= 0.0 && y <= height;
    let (point, feature) =
        if held { (last.point, last.feature) } else { (side.point, side.feature) };
    Some(Push { depth: greatest(-last.at, 0.0), direction, point, feature })
}

fn lesser(first: Option<Push>, second: Option<Push>) -> Option<Push> {
    match (first, second) {
        (Some(first), Some(second)) if second.depth < first.depth => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}
