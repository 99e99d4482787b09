//! The lowest point of a convex polygon over a disc around the Y axis.
//!
//! A linear height over a disc is least at the disc's point farthest downhill; over a polygon as well,
//! at that point or on one of the edges.

use glam::DVec3;

use super::polygon::{Place, place_over};
use super::unit_clamp;

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
    let next = points.iter().cycle().skip(1);
    for (index, (from, to)) in points.iter().zip(next).enumerate() {
        if let Some(t) = lowest_of_edge(*from, *to, radius) {
            let at = if t >= 1.0 { *to } else { *from + (*to - *from) * t };
            keep(&mut best, Lowest { at, place: Place::Edge(index, t) });
        }
    }
    if let Some(found) = lowest_inside(points, radius) {
        keep(&mut best, found);
    }
    best
}

/// The part of an edge over the disc, from and to, and its place nearest to the axis. Each 0 to 1.
pub(super) fn chord(from: DVec3, to: DVec3, radius: f64) -> Option<(f64, f64, f64)> {
    let (dx, dz) = (to.x - from.x, to.z - from.z);
    let length = (dx * dx + dz * dz).sqrt();
    if length == 0.0 {
        let inside = from.x * from.x + from.z * from.z <= radius * radius;
        return inside.then_some((0.0, 1.0, 0.0));
    }
    // From the distance of the line, not from the discriminant: that would lose half the digits when
    // the edge begins kilometres away.
    let (ux, uz) = (dx / length, dz / length);
    let distance = (from.x * uz - from.z * ux).abs();
    let square = (radius - distance) * (radius + distance);
    if square.is_nan() || square < 0.0 {
        return None;
    }
    let near = -(from.x * ux + from.z * uz);
    let half = square.sqrt();
    if near + half < 0.0 || near - half > length {
        return None;
    }
    let part = |along: f64| unit_clamp(along / length);
    Some((part(near - half), part(near + half), part(near)))
}

fn lowest_of_edge(from: DVec3, to: DVec3, radius: f64) -> Option<f64> {
    let (first, last, near) = chord(from, to, radius)?;
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
    let slope = (normal.x * normal.x + normal.z * normal.z).sqrt();
    // The part of the normal that points up leans downhill.
    let (x, z) = if slope > 0.0 {
        let out = if normal.y < 0.0 { -radius } else { radius };
        (normal.x / slope * out, normal.z / slope * out)
    } else {
        (0.0, 0.0)
    };
    let place = place_over(points, x, z)?;
    let Place::Inside(index, weights) = place else { return None };
    let (second, third) = (points.get(index)?, points.get(index + 1)?);
    let at = *first * weights[0] + *second * weights[1] + *third * weights[2];
    // The weights of a sliver may be noise: the point is on it, but perhaps elsewhere.
    let near = at.x * at.x + at.z * at.z <= radius * radius * (1.0 + 1e-9);
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
