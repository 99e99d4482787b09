//! One triangle against one upright cylinder. Corners are metres from the centre of the cylinder's
//! lower end.

use marchland_reference::{least, most};
use marchland_terrain::glam::{DVec2, DVec3};

/// Corners of a triangle.
pub(super) type Triangle = [DVec3; 3];

/// An upright cylinder. Metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct UprightCylinder {
    pub(super) radius: f64,
    pub(super) height: f64,
}

/// What is solid: the triangle alone, or everything below it as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fill {
    Sheet,
    Column,
}

/// Most corners of a triangle that is cut twice.
const CORNERS_MAX: usize = 5;

/// A convex polygon seen from above; one or two corners, or several in a line, are allowed.
struct Polygon {
    corners: [DVec2; CORNERS_MAX],
    count: usize,
}

/// The depth of the cylinder in the triangle: the least push that frees it, 0 if they do not overlap.
/// If it is no more than `enough`, any number up to `enough` may be returned.
pub(super) fn depth(corners: &Triangle, fill: Fill, upper: UprightCylinder, enough: f64) -> f64 {
    let mut found = sideways(corners, fill, upper);
    let mut try_push = |direction: DVec3, surely: f64| {
        if found > enough {
            found = least(found, exit(corners, fill, upper, direction, surely));
        }
    };
    let [a, b, c] = *corners;
    let (low, high) = low_and_high(corners);
    try_push(DVec3::Y, high);
    if fill == Fill::Sheet {
        try_push(DVec3::NEG_Y, upper.height - low);
    }
    // A triangle without a normal cannot be pushed along it; the other pushes free a body from any triangle.
    let Some(normal) = (b - a).cross(c - a).try_normalize() else { return found };
    for normal in [normal, -normal] {
        if fill == Fill::Column && normal.y <= 0.0 {
            continue; // down into the ground
        }
        try_push(normal, normal.dot(a) - lowest_along(upper, normal));
    }
    found
}

/// The least sideways push that frees the cylinder; 0 or less if it is free.
fn sideways(corners: &Triangle, fill: Fill, upper: UprightCylinder) -> f64 {
    let polygon = cut(corners, fill, upper);
    if polygon.count == 0 {
        return 0.0;
    }
    let away = distance_from_axis(&polygon);
    most(upper.radius - away, 0.0)
}

/// How far the cylinder must move along a unit vector to be free, if it is not, given that it is free after
/// `surely` metres. Two convex bodies overlap over a single interval of the way, so bisection works.
fn exit(
    corners: &Triangle,
    fill: Fill,
    upper: UprightCylinder,
    direction: DVec3,
    surely: f64,
) -> f64 {
    let (mut inside, mut free) = (0.0, surely);
    for _ in 0..52 {
        let middle = 0.5 * (inside + free);
        let moved = corners.map(|corner| corner - direction * middle);
        if sideways(&moved, fill, upper) > 0.0 {
            inside = middle;
        } else {
            free = middle;
        }
    }
    free
}

/// The least coordinate of a point of the cylinder along a unit vector.
fn lowest_along(upper: UprightCylinder, direction: DVec3) -> f64 {
    let ends = if direction.y < 0.0 { direction.y * upper.height } else { 0.0 };
    ends - upper.radius * (direction.x * direction.x + direction.z * direction.z).sqrt()
}

pub(super) fn low_and_high(corners: &Triangle) -> (f64, f64) {
    let [a, b, c] = corners.map(|corner| corner.y);
    (least(a, least(b, c)), most(a, most(b, c)))
}

/// The part of the triangle between the planes of the cylinder's ends (for ground, above the lower
/// one), seen from above. Empty if it only touches a plane.
fn cut(corners: &Triangle, fill: Fill, upper: UprightCylinder) -> Polygon {
    let mut polygon = Polygon { corners: [DVec2::ZERO; CORNERS_MAX], count: 0 };
    let (low, high) = low_and_high(corners);
    let top = if fill == Fill::Column { f64::INFINITY } else { upper.height };
    if !(high > 0.0 && low < top) {
        return polygon;
    }
    // Along each side of the triangle: the part within both planes. Duplicate ends do no harm, and
    // each side adds at most its two ends.
    let mut put = |point: DVec3| {
        let flat = DVec2::new(point.x, point.z);
        let is_known = polygon.corners[..polygon.count].contains(&flat);
        if !is_known && polygon.count < CORNERS_MAX {
            polygon.corners[polygon.count] = flat;
            polygon.count += 1;
        }
    };
    for (from, to) in sides(corners) {
        let rise = to.y - from.y;
        let at = |height: f64| (height - from.y) / rise;
        let (mut first, mut last) = (0.0, 1.0);
        for (plane, keep_above) in [(0.0, true), (top, false)] {
            let (from_in, to_in) = if keep_above {
                (from.y >= plane, to.y >= plane)
            } else {
                (from.y <= plane, to.y <= plane)
            };
            match (from_in, to_in) {
                (true, true) => {}
                (true, false) => last = least(last, at(plane)),
                (false, true) => first = most(first, at(plane)),
                (false, false) => last = -1.0,
            }
        }
        if first <= last {
            put(if first == 0.0 { from } else { from.lerp(to, first) });
            put(if last == 1.0 { to } else { from.lerp(to, last) });
        }
    }
    polygon
}

pub(super) fn sides(corners: &Triangle) -> [(DVec3, DVec3); 3] {
    let [a, b, c] = *corners;
    [(a, b), (b, c), (c, a)]
}

/// The distance of the polygon from the axis; if the axis is inside, the negative depth.
fn distance_from_axis(polygon: &Polygon) -> f64 {
    let corners = &polygon.corners[..polygon.count];
    let (mut nearest, mut left, mut right) = (f64::INFINITY, false, false);
    for (index, &from) in corners.iter().enumerate() {
        let to = corners[(index + 1) % corners.len()];
        nearest = least(nearest, distance_to_stretch(from, to));
        let turn = (to - from).perp_dot(-from);
        left |= turn >= 0.0;
        right |= turn <= 0.0;
    }
    // If the axis is inside, it lies on the same side of every edge.
    if corners.len() > 2 && left != right { -nearest } else { nearest }
}

/// The distance of the origin from a line segment.
pub(super) fn distance_to_stretch(from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let square = along.length_squared();
    let part = if square > 0.0 { within(-from.dot(along) / square, 0.0, 1.0) } else { 0.0 };
    (from + along * part).length()
}

/// The number from `low` to `high` nearest to `value`.
pub(super) fn within(value: f64, low: f64, high: f64) -> f64 {
    least(most(value, low), high)
}
