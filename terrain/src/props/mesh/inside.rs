//! Whether a point lies within a closed mesh: how often the surface winds around it.
//!
//! A ray goes from the point straight up. Faces that it leaves through count +1, those that it enters
//! through −1. Which triangles it crosses is decided by their edges, each seen from above: on which
//! side of the ray an edge passes is computed from its two ends in a fixed order. The two triangles
//! at an edge therefore cannot disagree, and a ray through an edge or a vertex is counted exactly
//! once. After Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection" (2013), and the half-open
//! crossing rule for polygons of Shimrat (1962).

use glam::{DVec3, Vec3};

use crate::math::Aabb;

/// How often the surface of a closed mesh winds around a point: 0 outside, 1 inside, more where
/// solids overlap. Each triangle is given by its corners' differences from the point,
/// counter-clockwise seen from outside. Give those of the whole mesh, or at least all that reach
/// above the point. On the surface, either result is possible.
#[must_use]
pub fn winding_number(triangles: impl IntoIterator<Item = [DVec3; 3]>) -> i32 {
    triangles.into_iter().map(crossing).sum()
}

/// A quotient of more than `TINY` by less than `HUGE` is above 0, whatever the rounding.
const TINY: f64 = 1e-200;
const HUGE: f64 = 1e50;

/// 1 if the ray from the origin straight up leaves through the triangle from back to front, −1 if
/// it enters, 0 if it misses.
#[inline]
pub(crate) fn crossing(corners: [DVec3; 3]) -> i32 {
    let [a, b, c] = corners;
    // Where edges cross the plane x = 0: on the side z > 0 of the ray, and on the other.
    let (mut sense, mut front, mut back) = (0, None, None);
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let (low, high, step) = match (from.x > 0.0, to.x > 0.0) {
            (false, true) => (from, to, 1),
            (true, false) => (to, from, -1),
            _ => continue,
        };
        let width = high.x - low.x;
        let across = low.z * high.x - high.z * low.x;
        // Usually the sign is clear without the quotient.
        let is_front = across > 0.0 && ((across > TINY && width < HUGE) || across / width > 0.0);
        if is_front {
            sense += step;
            front = Some((low, high, across, width));
        } else {
            back = Some((low, high, across, width));
        }
    }
    // With both crossings on one side, the ray passes beside the triangle.
    let (Some(front), Some(back)) = (front, back) else { return 0 };
    let place = |(low, high, across, width): (DVec3, DVec3, f64, f64)| {
        (across / width, (low.y * high.x - high.y * low.x) / width)
    };
    let ((front_z, front_y), (back_z, back_y)) = (place(front), place(back));
    let above = back_y * front_z - front_y * back_z > 0.0;
    if above { sense } else { 0 }
}

/// The box of a ray straight up from a point.
pub(super) fn column(from: DVec3) -> Aabb {
    let near = from.as_vec3();
    let down = Vec3::new(near.x.next_down(), near.y.next_down(), near.z.next_down());
    Aabb { min: down, max: Vec3::new(near.x.next_up(), f32::INFINITY, near.z.next_up()) }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    /// As [`crossing`], with every quotient computed.
    fn plain([a, b, c]: [DVec3; 3]) -> i32 {
        let (mut sense, mut front, mut back) = (0, None, None);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let (low, high, step) = match (from.x > 0.0, to.x > 0.0) {
                (false, true) => (from, to, 1),
                (true, false) => (to, from, -1),
                _ => continue,
            };
            let width = high.x - low.x;
            let z = (low.z * high.x - high.z * low.x) / width;
            let y = (low.y * high.x - high.y * low.x) / width;
            if z > 0.0 {
                sense += step;
                front = Some((z, y));
            } else {
                back = Some((z, y));
            }
        }
        let (Some((front_z, front_y)), Some((back_z, back_y))) = (front, back) else { return 0 };
        if back_y * front_z - front_y * back_z > 0.0 { sense } else { 0 }
    }

    #[test]
    fn a_ray_crosses_as_quotients_say() {
        let mut random = Random::new(9);
        // Coarse, so that much lies on the planes of the ray; some of it far too small.
        let mut part = || f64::from(random.whole(-8, 7)) * random.pick(&[1.0, 0.3, 1e-162, 1e-310]);
        let mut told = [0; 3];
        for _ in 0..300_000 {
            let mut corner = || DVec3::new(part(), part(), part());
            let corners = [corner(), corner(), corner()];
            let found = crossing(corners);
            assert_eq!(found, plain(corners), "{corners:?}");
            told[(found + 1) as usize] += 1;
        }
        assert!(told.iter().all(|&count| count > 5000), "{told:?}");
    }
}
