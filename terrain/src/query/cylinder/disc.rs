//! The lowest point of a convex polygon over a disc around the Y axis.
//!
//! A linear height over a disc is least at the disc's point farthest downhill. Over a polygon it is least at
//! that point too, or on one of the edges.

use glam::DVec3;

use super::polygon::Place;
use super::{greatest, least, unit, unit_clamp};

/// How far beside the disc an edge still touches it. Metres. The disc's point farthest downhill may be on an
/// edge that only touches the disc there: if rounding rejected both, the lowest point would be lost. More
/// than the rounding at 10 km (2e-12 m), less than any caller needs.
const TANGENT: f64 = 1e-10;

/// How far a point of the inside may be from the requested place. Metres. Weights of corners that are 100 km
/// away place it within 1e-10 m.
const NOISE: f64 = 1e-8;

/// The lowest point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    /// In the coordinates of the given polygon.
    pub(super) at: DVec3,
    pub(super) place: Place,
}

/// The point with the least y of a convex polygon within `radius` of the Y axis. Of equally low points, the
/// nearest to the axis, then the first by edges, then the one inside; of a level polygon that the axis meets, the one
/// inside.
pub(super) fn lowest_over_disc(points: &[DVec3], radius: f64) -> Option<Lowest> {
    let mut best: Option<Lowest> = None;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        (low, high) = (least(low, point.y), greatest(high, point.y));
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
            keep(&mut best, Lowest { at, place: Place::Edge(index, t) });
        }
    }
    if let Some(found) = lowest_inside(points, radius) {
        keep(&mut best, found);
    }
    // Rounding must not leave the levels that cut the polygon.
    let mut best = best?;
    best.at.y = least(greatest(best.at.y, low), high);
    Some(best)
}

/// The part of an edge over the disc, as its begin and its end, and its place nearest to the axis. Each 0 to
/// 1. An edge beside the disc by at most `slack` touches it.
#[inline]
pub(super) fn chord(from: DVec3, to: DVec3, radius: f64, slack: f64) -> Option<(f64, f64, f64)> {
    let (dx, dz) = (to.x - from.x, to.z - from.z);
    let length = (dx * dx + dz * dz).sqrt();
    if length == 0.0 {
        let inside = (from.x * from.x + from.z * from.z).sqrt() <= radius + slack;
        return inside.then_some((0.0, 1.0, 0.0));
    }
    // From the distance of the line, not from the discriminant, which would lose half the digits if the edge
    // begins kilometres away.
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

/// Whether an edge is over the disc, that is, has a [`chord`] without slack. Decided without roots and
/// quotients unless it is close.
#[inline]
pub(super) fn is_over_disc(from: DVec3, to: DVec3, radius: f64) -> bool {
    let (dx, dz) = (to.x - from.x, to.z - from.z);
    let (square, across) = (dx * dx + dz * dz, from.x * dz - from.z * dx);
    let clearly = clearly(from, dx, dz, radius);
    let (less, more) = (radius - clearly, radius + clearly);
    if square > TINY && less > clearly {
        if across * across > more * more * square {
            return false;
        }
        if across * across < less * less * square {
            // How far along the edge it is nearest to the axis, and if that is an end, the distance of that
            // end.
            let along = -(from.x * dx + from.z * dz);
            if along >= 0.0 && along <= square {
                return true;
            }
            let end = if along < 0.0 { from } else { to };
            let off_axis = end.x * end.x + end.z * end.z;
            if off_axis < less * less {
                return true;
            }
            if off_axis > more * more {
                return false;
            }
        }
    }
    chord(from, to, radius, 0.0).is_some()
}

/// By how much an edge must be in the disc, or off it, to certainly be so. Metres. If it is in the disc by
/// only this much, the chord is the root of what remains of a difference, and is known to this part of it.
#[inline]
fn clearly(from: DVec3, dx: f64, dz: f64, radius: f64) -> f64 {
    (1.0 + radius) * 1e-6 + (from.x.abs() + from.z.abs() + dx.abs() + dz.abs()) * 1e-11
}

/// Squares below this have lost digits to underflow.
const TINY: f64 = 1e-200;

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
    // The weights of a sliver may be noise: the point is on the sliver, but perhaps elsewhere.
    let near = (at.x * at.x + at.z * at.z).sqrt() <= radius + NOISE;
    near.then_some(Lowest { at, place })
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

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    #[test]
    fn edges_are_over_a_disc_as_roots_and_quotients_say() {
        let mut random = Random::new(3);
        let mut part = || random.part();
        let mut told = [0; 2];
        for round in 0..1_000_000 {
            let radius = [0.3, 1e-3, 0.5, 900.0, 1e-9, 2.0][round % 6];
            // A line that is off the axis by nearly the radius, or an end that is; or anything.
            let by = [1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-3, 1.0][round / 6 % 8];
            let off = radius * (1.0 + (part() * 2.0 - 1.0) * by);
            let (angle, turn) = (part() * 6.3, part() * 6.3);
            let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let along = DVec3::new(-out.z, 0.0, out.x);
            let any = DVec3::new(libm::cos(turn), 0.0, libm::sin(turn));
            let mut far =
                || (part() * 2.0 - 1.0) * [1e-3, 1.0, 100.0, 1e5][(part() * 4.0) as usize];
            let (from, to) = match round % 4 {
                0 => (out * off, out * off + any * far()),
                1 => (out * off + any * far(), out * off),
                2 => (out * off, out * off),
                _ => (out * off + along * far(), out * off + along * far()),
            };
            let is_over = is_over_disc(from, to, radius);
            assert_eq!(is_over, chord(from, to, radius, 0.0).is_some(), "{from} {to} {radius}");
            told[usize::from(is_over)] += 1;
        }
        assert!(told.iter().all(|&count| count > 200_000), "{told:?}");
    }
}
