//! A ray against one triangle. No ray slips between two triangles that share an edge or a corner.
//!
//! After S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection", JCGT 2013. Each corner is
//! sheared into a frame whose third axis is the ray: triangles that share a corner see it in the same place.
//! The side on which the ray passes an edge is a difference of two products of these places. Rounding is
//! monotone, so its sign is right or 0, never wrong, and the triangle on the other side of the edge has the
//! same two products. The ray is in one or the other, and where the sign is 0, in both.

use glam::DVec3;

/// A ray from the origin of the frame in which corners are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleRay {
    /// The axes of the frame in another order: the last is the one along which the ray goes furthest.
    axes: [usize; 3],
    /// How far the ray goes along the first two for a metre along the last.
    shear: [f64; 2],
    /// Metres along the ray for a metre along the last axis.
    stretch: f64,
}

impl TriangleRay {
    /// A ray towards a unit vector.
    pub(crate) fn new(towards: DVec3) -> Self {
        let size = towards.abs();
        let last = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let axes = [(last + 1) % 3, (last + 2) % 3, last];
        let [x, y, z] = axes.map(|axis| towards[axis]);
        Self { axes, shear: [x / z, y / z], stretch: 1.0 / z }
    }

    /// Where the ray meets a triangle, from either side: metres along it, 0 or more. A ray in the triangle's
    /// plane does not meet the triangle; it meets the faces beside it.
    #[inline]
    pub(crate) fn meets(&self, corners: [DVec3; 3]) -> Option<f64> {
        let [a, b, c] = corners.map(|corner| self.sheared(corner));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let area = u + v + w;
        if area == 0.0 {
            return None;
        }
        let t = (u * a[2] + v * b[2] + w * c[2]) / area;
        (t >= 0.0).then_some(t + 0.0)
    }

    /// A corner: how far beside the ray, along two axes, and how far along it.
    #[inline]
    fn sheared(&self, corner: DVec3) -> [f64; 3] {
        let [x, y, z] = self.axes.map(|axis| corner[axis]);
        [x - self.shear[0] * z, y - self.shear[1] * z, z * self.stretch]
    }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    fn part(random: &mut Random) -> f64 {
        random.between(-1.0, 1.0)
    }

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(part(random), part(random), part(random))
    }

    #[test]
    fn both_faces_are_met_and_only_ahead() {
        let [a, b, c] = [[-1.0, -1.0, 5.0], [2.0, -1.0, 5.0], [-1.0, 2.0, 5.0]].map(DVec3::from);
        let ahead = TriangleRay::new(DVec3::Z);
        assert_eq!(ahead.meets([a, b, c]), Some(5.0));
        assert_eq!(ahead.meets([a, c, b]), Some(5.0));
        assert_eq!(TriangleRay::new(DVec3::NEG_Z).meets([a, b, c]), None);
        let aside = DVec3::X * 3.0;
        assert_eq!(ahead.meets([a + aside, b + aside, c + aside]), None);
        let here = DVec3::Z * -5.0;
        assert_eq!(ahead.meets([a + here, b + here, c + here]), Some(0.0));
        // In its plane, and without area.
        assert_eq!(TriangleRay::new(DVec3::X).meets([a + here, b + here, c + here]), None);
        assert_eq!(ahead.meets([a, a, c]), None);
        assert_eq!(ahead.meets([a, a, a]), None);
    }

    #[test]
    fn a_ray_through_a_fan_is_never_lost_whatever_edge_or_corner_it_takes() {
        let random = &mut Random::from_state(0x9e37_79b9_7f4a_7c15);
        let mut on_edges = 0;
        for fan in 0..40_000 {
            // A rim around the way, a hub in it, and the ray at or very near what they share.
            let towards = (vector(random) + DVec3::splat(1e-3)).normalize();
            let side = towards.cross(DVec3::new(0.31, 0.77, -0.2)).normalize();
            let up = side.cross(towards);
            let size = [1e-4, 1.0, 3000.0][fan % 3];
            let far = [0.0, 1e-3, 7.0, 1e6][fan % 4] + size;
            let turns = [(1.0, 0.0), (0.3, 0.9), (-0.8, 0.6), (-0.9, -0.4), (0.1, -1.0)];
            let rim = turns.map(|(x, y)| {
                (side * x + up * y + vector(random) * 0.1 + towards * part(random) * 0.5) * size
                    + towards * far
            });
            let hub = (side * part(random) + up * part(random)) * size * 0.2 + towards * far;
            // Aimed at the hub, at a rim's spoke, or anywhere within.
            let spoke = hub + (rim[fan % 5] - hub) * (0.5 + 0.4 * part(random));
            let aim = [hub, spoke, hub + vector(random) * size * 0.01][fan / 3 % 3];
            let ray = TriangleRay::new(aim.normalize());
            let met = (0..5)
                .filter_map(|n| ray.meets([hub, rim[n], rim[(n + 1) % 5]]))
                .inspect(|t| assert!((t - aim.length()).abs() < size, "{t} for {}", aim.length()))
                .count();
            assert!(met >= 1, "fan {fan}: lost");
            on_edges += usize::from(met > 1);
        }
        assert!(on_edges > 1000, "{on_edges}");
    }
}
