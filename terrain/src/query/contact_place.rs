//! Where a contact is judged.
//!
//! A body touches an upright wall or an upright edge along a whole line, and a push names one point of it. An
//! end of that line may lie on what the wall rises from, and is not representative of the wall. The middle is
//! judged instead.

use glam::DVec3;

use super::cylinder::Feature;
use crate::math::{greater, lesser};

/// Sine of the slope up to which a push counts as level, and of the angle up to which a line counts as
/// square to it.
const LEVEL: f64 = 1e-3;
/// How near to a line a point is on it, and how long a line is one. Metres.
const ON: f64 = 1e-6;

/// The middle of the line through `point` along which a triangle is touched that pushes a body in a
/// direction; the point itself where the triangle is touched in a single point. The body reaches from `low`
/// to `high`.
pub(crate) fn middle(
    corners: &[DVec3; 3],
    normal: Option<DVec3>,
    (point, feature): (DVec3, Feature),
    direction: DVec3,
    (low, high): (f64, f64),
) -> (DVec3, Feature) {
    let Some(uphill) = normal.and_then(uphill) else { return (point, feature) };
    // Who is under a face that leans over it touches that with the rim of its top alone.
    if uphill.dot(direction).abs() > LEVEL || direction.y < -LEVEL {
        return (point, feature);
    }
    let Some((from, to)) = inside(corners, point, uphill) else { return (point, feature) };
    let along = |height: f64| (height - point.y) / uphill.y;
    let from = greater(along(low), from);
    let to = lesser(along(high), to);
    if to - from < ON {
        return (point, feature);
    }
    let middle = point + uphill * ((from + to) * 0.5);
    let edge = (0..3_u8).find(|&edge| {
        let (from, to) = (corners[usize::from(edge)], corners[usize::from((edge + 1) % 3)]);
        let (along, off) = (to - from, middle - from);
        off.cross(along).length_squared() < ON * ON * along.length_squared()
    });
    (middle, edge.map_or(Feature::Face, Feature::Edge))
}

/// The way up within a steep face; `None` for a face less steep than 30°.
fn uphill(normal: DVec3) -> Option<DVec3> {
    let level = (normal.x * normal.x + normal.z * normal.z).sqrt();
    (level > 0.5)
        .then(|| DVec3::new(-normal.x * normal.y / level, level, -normal.z * normal.y / level))
}

/// The part that lies within a triangle of the line through one of its points, along a direction in its
/// plane.
fn inside(corners: &[DVec3; 3], point: DVec3, along: DVec3) -> Option<(f64, f64)> {
    let [a, b, c] = *corners;
    let across = (b - a).cross(c - a);
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for (begin, end) in [(a, b), (b, c), (c, a)] {
        // Grows inwards, in metres.
        let inwards = across.cross(end - begin);
        let inwards = inwards / inwards.length();
        let (height, rate) = ((point - begin).dot(inwards), along.dot(inwards));
        if rate.abs() < 1e-9 {
            continue; // along the edge
        }
        let at = -height / rate;
        if rate > 0.0 {
            from = greater(at, from);
        } else {
            to = lesser(at, to);
        }
    }
    (from.is_finite() && to.is_finite() && from <= to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: [DVec3; 3] =
        [DVec3::new(0.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0), DVec3::new(0.0, 0.0, 3.0)];

    #[test]
    fn a_wall_is_judged_in_the_middle_of_what_the_body_touches() {
        let at = |z: f64, direction, high| {
            let foot = (DVec3::new(0.0, 0.0, z), Feature::Edge(2));
            middle(&WALL, Some(DVec3::X), foot, direction, (0.0, high))
        };
        let (point, feature) = at(0.75, DVec3::X, 1.0);
        assert!((point - DVec3::new(0.0, 0.5, 0.75)).length() < 1e-9, "{point}");
        assert_eq!(feature, Feature::Face);
        // Up to the slanted edge, where that comes first.
        let (point, _) = at(2.25, DVec3::X, 1.0);
        assert!((point - DVec3::new(0.0, 0.25, 2.25)).length() < 1e-9, "{point}");
        // The upright edge, met across the corner.
        let (point, feature) = at(0.0, DVec3::new(0.6, 0.0, -0.8), 1.0);
        assert!((point - DVec3::new(0.0, 0.5, 0.0)).length() < 1e-9, "{point}");
        assert_eq!(feature, Feature::Edge(0));
        // Straight up it is touched only at its top.
        let top = (DVec3::new(0.0, 0.2, 0.0), Feature::Corner(1));
        assert_eq!(middle(&WALL, Some(DVec3::X), top, DVec3::Y, (0.0, 1.0)), top);
    }
}
