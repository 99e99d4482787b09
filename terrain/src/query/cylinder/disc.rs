//! The lowest point of a convex polygon over a disc around the Y axis.
//!
//! A linear height over a disc is least at the disc's point farthest downhill; over a polygon as well,
//! at that point or on one of the edges.

use glam::DVec3;

use super::polygon::{Place, place_over};
use super::{greatest, least, unit, unit_clamp};

/// How far beside the disc an edge still touches it, metres. The disc's point farthest downhill may lie
/// on an edge that only touches the disc there: were rounding to say no to both, the lowest point
/// would be lost. More than rounding does at 10 km (2e-12 m), less than anything asks for.
const TANGENT: f64 = 1e-10;

/// How far from where it was asked for a point of the inside may come out, metres. Weights of corners
/// that are 100 km away put it within 1e-10 m.
const NOISE: f64 = 1e-8;

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    /// In the coordinates of the polygon that was asked.
    pub(super) at: DVec3,
    pub(super) place: Place,
}

/// The point with the least y of a convex polygon within `radius` of the Y axis; of equally low
/// points the nearest to the axis, then the first by edges, then the one inside.
pub(super) fn lowest_over_disc(points: &[DVec3], radius: f64) -> Option<Lowest> {
    let mut best: Option<Lowest> = None;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        (low, high) = (least(low, point.y), greatest(high, point.y));
    }
    for (index, from) in points.iter().enumerate() {
        let to = points.get(index + 1).or(points.first()).unwrap_or(from);
        if let Some(t) = lowest_of_edge(*from, *to, radius) {
            let at = if t >= 1.0 { *to } else { *from + (*to - *from) * t };
            keep(&mut best, Lowest { at, place: Place::Edge(index, t) });
        }
    }
    if let Some(found) = lowest_inside(points, radius) {
        keep(&mut best, found);
    }
    // No rounding may lead out of the levels that cut the polygon.
    let mut best = best?;
    best.at.y = least(greatest(best.at.y, low), high);
    Some(best)
}

/// The part of an edge over the disc, from and to, and its place nearest to the axis. Each 0 to 1. An
/// edge beside the disc by at most `slack` touches it.
#[inline]
pub(super) fn chord(from: DVec3, to: DVec3, radius: f64, slack: f64) -> Option<(f64, f64, f64)> {
    let (dx, dz) = (to.x - from.x, to.z - from.z);
    let length = (dx * dx + dz * dz).sqrt();
    if length == 0.0 {
        let inside = (from.x * from.x + from.z * from.z).sqrt() <= radius + slack;
        return inside.then_some((0.0, 1.0, 0.0));
    }
    // From the distance of the line, not from the discriminant: that would lose half the digits when
    // the edge begins kilometres away.
    let (ux, uz) = (dx / length, dz / length);
    let distance = (from.x * uz - from.z * ux).abs();
    if distance.is_nan() || distance > radius + slack {
        return None;
    }
    let near = -(from.x * ux + from.z * uz);
    let half = greatest((radius - distance) * (radius + distance), 0.0).sqrt();
    if near + half < -slack || near - half > length + slack {
        return None;
    }
    let part = |along: f64| unit_clamp(along / length);
    Some((part(near - half), part(near + half), part(near)))
}

fn lowest_of_edge(from: DVec3, to: DVec3, radius: f64) -> Option<f64> {
    let (first, last, near) = chord(from, to, radius, TANGENT)?;
    Some(if from.y < to.y {
        first
    } else if from.y > to.y {
        last
    } else {
        near
    })
}

fn lowest_inside(points: &[DVec3], radius: f64) -> Option<Lowest> {
    let (first, rest) = points.split_first()?;
    let mut normal = DVec3::ZERO;
    for pair in rest.windows(2) {
        if let &[second, third] = pair {
            normal += (second - *first).cross(third - *first);
        }
    }
    // The part of the normal that points up leans downhill.
    let out = if normal.y < 0.0 { -radius } else { radius };
    let (x, z) = unit(DVec3::new(normal.x, 0.0, normal.z))
        .map_or((0.0, 0.0), |downhill| (downhill.x * out, downhill.z * out));
    let place = place_over(points, x, z)?;
    let Place::Inside(index, weights) = place else { return None };
    let (second, third) = (points.get(index)?, points.get(index + 1)?);
    let at = *first + (*second - *first) * weights[1] + (*third - *first) * weights[2];
    // The weights of a sliver may be noise: the point is on it, but perhaps elsewhere.
    let near = (at.x * at.x + at.z * at.z).sqrt() <= radius + NOISE;
    near.then_some(Lowest { at, place })
}

fn keep(best: &mut Option<Lowest>, found: Lowest) {
    let off_axis = |at: DVec3| at.x * at.x + at.z * at.z;
    let better = match best {
        None => !found.at.y.is_nan(),
        Some(known) => {
            found.at.y < known.at.y
                || (found.at.y == known.at.y && off_axis(found.at) < off_axis(known.at))
        }
    };
    if better {
        *best = Some(found);
    }
}
