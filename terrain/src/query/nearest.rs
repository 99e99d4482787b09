//! The point of a triangle that is nearest to the origin.

use crate::math::greater;
use glam::{DVec3, Vec3};

/// The nearest point to the origin, by the regions of corners, edges and face (Ericson, *Real-Time
/// Collision Detection*, 2005, 5.1.5). Of a triangle without area, a point of one of its edges.
#[inline]
pub(crate) fn nearest_to_origin([a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(-a), ac.dot(-a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(-b), ac.dot(-b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let (d5, d6) = (ab.dot(-c), ac.dot(-c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let beyond_ab = d1 * d4 - d3 * d2;
    if beyond_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * part(d1, d1 - d3);
    }
    let beyond_ac = d5 * d2 - d1 * d6;
    if beyond_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * part(d2, d2 - d6);
    }
    let beyond_bc = d3 * d6 - d5 * d4;
    if beyond_bc <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * part(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let sum = beyond_ab + beyond_ac + beyond_bc;
    a + ab * part(beyond_ac, sum) + ac * part(beyond_ab, sum)
}

/// `a / b`, or 0 where an edge has no length.
fn part(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// The unit normal of a triangle, counter-clockwise seen from where it points; `None` where it has no area.
#[inline]
pub(crate) fn unit_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let square = normal.length_squared();
    // Corners lie on a lattice of a millionth of a metre: what is thinner than a hundredth of that has no
    // meaningful direction.
    let longest =
        greater((c - b).length_squared(), greater(ac.length_squared(), ab.length_squared()));
    (square > longest * 1e-16).then(|| normal / square.sqrt())
}

/// A unit vector in `f32`, without negative zeros.
pub(crate) fn towards(unit: DVec3) -> Vec3 {
    unit.as_vec3() + Vec3::ZERO
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    #[test]
    fn the_nearest_point_is_nearer_than_any_other_and_on_the_triangle() {
        let mut random = Random::new(7);
        let mut part = || random.part();
        for _ in 0..20_000 {
            let mut corner =
                || DVec3::new(part() * 4.0 - 2.0, part() * 4.0 - 2.0, part() * 4.0 - 2.0);
            let corners = [corner(), corner(), corner()];
            let nearest = nearest_to_origin(corners);
            let [a, b, c] = corners;
            let normal = unit_normal(corners).unwrap();
            assert!((nearest - a).dot(normal).abs() < 1e-9);
            for _ in 0..20 {
                let (mut u, mut v) = (part(), part());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let other = a + (b - a) * u + (c - a) * v;
                assert!(other.length() >= nearest.length() - 1e-12, "{corners:?}");
                let inwards = (other - nearest).dot(nearest);
                assert!(inwards >= -1e-9, "the way to another point leads nearer: {corners:?}");
            }
        }
    }

    #[test]
    fn triangles_without_area_have_a_nearest_point_and_no_normal() {
        let flat =
            [DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 4.0), DVec3::new(1.0, 0.0, -4.0)];
        assert!((nearest_to_origin(flat) - DVec3::X).length() < 1e-12);
        assert_eq!(unit_normal(flat), None);
        assert_eq!(nearest_to_origin([DVec3::Z; 3]), DVec3::Z);
        assert_eq!(unit_normal([DVec3::Z; 3]), None);
    }
}
