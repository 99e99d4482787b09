//! Whether a body overlaps a triangle.

use glam::DVec3;

use super::apart::is_apart;
use super::polygon::Polygon;
use super::{Corners, TINY, touch, unit_clamp};
use crate::math::{greater, lesser};

/// Whether the triangle reaches into the cylinder by more than a touch ([`super::TOUCH`]) from every face of
/// the cylinder.
pub(crate) fn overlaps(corners: &Corners, radius: f64, height: f64) -> bool {
    !is_apart(corners, radius, height) && !overlapping(corners, radius, height).is_empty()
}

/// The part of the triangle between the body's ends; empty if the two do not overlap. Not an `Option`, so that this
/// large value is not copied into one.
#[inline]
pub(crate) fn overlapping(corners: &Corners, radius: f64, height: f64) -> Polygon {
    let touch = touch(radius, height);
    let mut polygon = Polygon::between(corners, touch, height - touch);
    if !reaches_axis(&polygon, radius - touch) {
        polygon.clear();
    }
    polygon
}

/// Whether a polygon, seen from above, comes within `radius` of the axis.
#[inline]
pub(super) fn reaches_axis(polygon: &Polygon, radius: f64) -> bool {
    polygon.edges().any(|(_, from, to)| is_over_disc(from, to, radius))
        || (!polygon.points().is_empty() && is_over_origin(polygon.points()))
}

/// Whether the origin is in the projection of the polygon. The bounding box is tested too, because seen from
/// beyond the end of a sliver every sign is noise.
#[inline]
fn is_over_origin(points: &[DVec3]) -> bool {
    let mut low = (f64::INFINITY, f64::INFINITY);
    let mut high = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (mut left, mut right) = (false, false);
    let Some(mut from) = points.last() else { return false };
    for to in points {
        low = (lesser(from.x, low.0), lesser(from.z, low.1));
        high = (greater(from.x, high.0), greater(from.z, high.1));
        let side = from.x * to.z - from.z * to.x;
        left |= side > 0.0;
        right |= side < 0.0;
        from = to;
    }
    let boxed = low.0 <= 0.0 && low.1 <= 0.0 && high.0 >= 0.0 && high.1 >= 0.0;
    boxed && !(left && right)
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
    let half = greater(0.0, (radius - distance) * (radius + distance)).sqrt();
    if near + half < -slack || near - half > length + slack {
        return None;
    }
    let part = |along: f64| unit_clamp(along / length);
    Some((part(near - half), part(near + half), part(near)))
}

/// Whether an edge is over the disc, that is, has a [`chord`] without slack. Decided without roots and
/// quotients unless it is close.
#[inline]
fn is_over_disc(from: DVec3, to: DVec3, radius: f64) -> bool {
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
