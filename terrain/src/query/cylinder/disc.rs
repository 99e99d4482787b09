//! The lowest point of a convex polygon over a disc around the Y axis.
//!
//! A linear height over a disc is least at the disc's point farthest downhill. Over a polygon it is least at
//! that point too, or on one of the edges.

use glam::DVec3;

use super::overlapping::chord;
use super::polygon::Place;
use super::unit;
use crate::math::{clamp, greater, lesser};

/// How far beside the disc an edge still touches it. Metres. The disc's point farthest downhill may be on an
/// edge that only touches the disc there: if rounding rejected both, the lowest point would be lost. More
/// than the rounding at 10 km (2e-12 m), less than any caller needs.
const TANGENT: f64 = 1e-10;

/// How far a point of the inside may be from the requested place. Metres. Weights of corners that are 100 km
/// away place it within 1e-10 m.
const NOISE: f64 = 1e-8;

/// The lowest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowestPoint {
    /// In the coordinates of the given polygon.
    pub(super) at: DVec3,
    pub(super) place: Place,
}

/// The point with the least y of a convex polygon within `radius` of the Y axis. Of equally low points, the
/// nearest to the axis, then the first by edges, then the one inside; of a level polygon that the axis meets, the one
/// inside.
pub(super) fn lowest_over_disc(points: &[DVec3], radius: f64) -> Option<LowestPoint> {
    let mut best: Option<LowestPoint> = None;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        (low, high) = (lesser(point.y, low), greater(point.y, high));
    }
    // Of a level polygon nothing is nearer to the axis than where that meets it.
    if low == high
        && let Some(found) = lowest_inside(points, 0.0)
    {
        return Some(found);
    }
    for (index, from) in points.iter().enumerate() {
        let to = points.get(index + 1).or(points.first()).unwrap_or(from);
        if let Some(t) = lowest_of_edge(*from, *to, radius) {
            let at = if t >= 1.0 { *to } else { *from + (*to - *from) * t };
            keep(&mut best, LowestPoint { at, place: Place::Edge(index, t) });
        }
    }
    if let Some(found) = lowest_inside(points, radius) {
        keep(&mut best, found);
    }
    // Rounding must not leave the levels that cut the polygon.
    let mut best = best?;
    best.at.y = clamp(best.at.y, low, high);
    Some(best)
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

fn lowest_inside(points: &[DVec3], radius: f64) -> Option<LowestPoint> {
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
    // The weights of a sliver may be noise: the point is on the sliver, but perhaps elsewhere.
    let near = (at.x * at.x + at.z * at.z).sqrt() <= radius + NOISE;
    near.then_some(LowestPoint { at, place })
}

/// The place of a polygon over or under `(x, z)`, by its projection. `None` outside, and if the projection is
/// a line.
#[inline]
pub(super) fn place_over(points: &[DVec3], x: f64, z: f64) -> Option<Place> {
    let cross = |a: DVec3, b: DVec3| (a.x - x) * (b.z - z) - (a.z - z) * (b.x - x);
    let (first, rest) = points.split_first()?;
    for (index, pair) in rest.windows(2).enumerate() {
        let &[second, third] = pair else { continue };
        let weights = [cross(second, third), cross(third, *first), cross(*first, second)];
        let sum = weights[0] + weights[1] + weights[2];
        let within = weights.iter().all(|weight| weight * sum >= 0.0);
        if within && sum != 0.0 && (1.0 / sum).is_finite() {
            return Some(Place::Inside(index + 1, weights.map(|weight| weight / sum)));
        }
    }
    None
}

fn keep(best: &mut Option<LowestPoint>, found: LowestPoint) {
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
