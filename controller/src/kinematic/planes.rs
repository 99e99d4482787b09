//! Planes in a body's way, solved together.
//!
//! What may be moved is a convex cone, cut out by all planes at once: `x · n ≥ depth` for each. The
//! motion nearest to the one that is wanted is a projection, and there is only one: so it depends on
//! no order. At most three planes hold it; all sets of up to three are tried, and the nearest motion
//! that no plane forbids wins. (The solve for one, two and three planes at once that *analytic player
//! offset* describes for positions, used for motions as well.)

use marchland_terrain::PropId;
use marchland_terrain::glam::DVec3;
use marchland_terrain::query::TriangleId;

/// Planes that are kept. More than these never hold a body at once; what opposes the motion least goes.
pub(crate) const PLANES_MAX: usize = 24;

/// Normals whose dot product is above this are one plane.
const SAME: f64 = 1.0 - 1e-7;

/// How far a motion along a plane is turned from it, as a part of its length: normals are told to a
/// ten-millionth.
const EASE: f64 = 1e-6;

/// Something in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// The way out. A unit vector.
    pub(crate) normal: DVec3,
    /// How far the body has to go along it at least: 0 for what only must not be entered. Metres.
    pub(crate) depth: f64,
    /// What it belongs to, and which triangle came first. Nothing for the lines of the terrain.
    pub(crate) triangle: Option<TriangleId>,
    pub(crate) surface: u8,
}

impl Plane {
    pub(crate) fn prop(&self) -> Option<PropId> {
        self.triangle.and_then(TriangleId::prop)
    }
}

/// The planes in a body's way.
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    list: [Plane; PLANES_MAX],
    len: usize,
}

const NO_PLANE: Plane = Plane { normal: DVec3::Y, depth: 0.0, triangle: None, surface: 0 };

impl Planes {
    pub(crate) fn new() -> Self {
        Self { list: [NO_PLANE; PLANES_MAX], len: 0 }
    }

    pub(crate) fn as_slice(&self) -> &[Plane] {
        &self.list[..self.len]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Whether a plane is there already.
    pub(crate) fn has(&self, plane: &Plane) -> bool {
        self.as_slice().iter().any(|known| known.normal.dot(plane.normal) > SAME)
    }

    /// Takes a plane in; one that is there already keeps the greater depth.
    pub(crate) fn push(&mut self, plane: Plane) {
        // To the last bit: the same normal twice, each a little short, would look like two.
        let plane = Plane { normal: plane.normal.normalize_or(DVec3::Y), ..plane };
        for known in &mut self.list[..self.len] {
            if known.normal.dot(plane.normal) > SAME {
                if plane.depth > known.depth {
                    known.depth = plane.depth;
                }
                return;
            }
        }
        if self.len < PLANES_MAX {
            self.list[self.len] = plane;
            self.len += 1;
        }
    }

    /// The same planes without any push.
    pub(crate) fn still(&self) -> Self {
        let mut still = self.clone();
        still.list[..still.len].iter_mut().for_each(|plane| plane.depth = 0.0);
        still
    }

    /// A motion turned away a hair from the planes that it goes along, more than rounding would turn it
    /// into them.
    pub(crate) fn eased(&self, motion: DVec3) -> DVec3 {
        let length = motion.length();
        let mut eased = motion;
        for plane in self.as_slice() {
            if motion.dot(plane.normal).abs() < EASE * length {
                eased += plane.normal * (EASE * length);
            }
        }
        eased
    }

    /// The motion nearest to `wanted` that goes along each normal by at least its plane's depth;
    /// nothing if no motion does.
    pub(crate) fn nearest(&self, wanted: DVec3) -> Option<DVec3> {
        let planes = self.as_slice();
        let slack = 1e-9 + 1e-7 * wanted.length();
        if allows(planes, wanted, slack) {
            return Some(wanted);
        }
        // Planes that nearly face each other meet far away: no way out is that long.
        let deepest =
            planes.iter().map(|plane| plane.depth).fold(0.0, |a, b| if b > a { b } else { a });
        let longest = wanted.length() + 4.0 * deepest + slack;
        let mut best: Option<(f64, DVec3)> = None;
        let mut take = |motion: DVec3| {
            let apart = (motion - wanted).length_squared();
            let nearer = best.is_none_or(|(least, _)| apart < least);
            let is_near = motion.length_squared() <= longest * longest;
            if nearer && is_near && allows(planes, motion, slack) {
                best = Some((apart, motion));
            }
        };
        for (first, a) in planes.iter().enumerate() {
            take(on_one(a, wanted));
            for (second, b) in planes.iter().enumerate().take(first) {
                if let Some(motion) = on_two(a, b, wanted) {
                    take(motion);
                }
                for c in &planes[..second] {
                    if let Some(motion) = on_three(a, b, c) {
                        take(motion);
                    }
                }
            }
        }
        best.map(|(_, motion)| motion)
    }
}

fn allows(planes: &[Plane], motion: DVec3, slack: f64) -> bool {
    planes.iter().all(|plane| motion.dot(plane.normal) >= plane.depth - slack)
}

fn on_one(a: &Plane, wanted: DVec3) -> DVec3 {
    wanted + a.normal * (a.depth - wanted.dot(a.normal))
}

/// Nothing where the planes are as good as parallel.
fn on_two(a: &Plane, b: &Plane, wanted: DVec3) -> Option<DVec3> {
    let k = a.normal.dot(b.normal);
    let left = 1.0 - k * k;
    if left < 1e-10 {
        return None;
    }
    let (off_a, off_b) = (a.depth - wanted.dot(a.normal), b.depth - wanted.dot(b.normal));
    let (along_a, along_b) = ((off_a - k * off_b) / left, (off_b - k * off_a) / left);
    Some(wanted + a.normal * along_a + b.normal * along_b)
}

/// Nothing where two of them are as good as parallel, or all three meet in a line.
fn on_three(a: &Plane, b: &Plane, c: &Plane) -> Option<DVec3> {
    let (bc, ca, ab) =
        (b.normal.cross(c.normal), c.normal.cross(a.normal), a.normal.cross(b.normal));
    let volume = a.normal.dot(bc);
    if volume.abs() < 1e-9 {
        return None;
    }
    Some((bc * a.depth + ca * b.depth + ab * c.depth) / volume)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn planes(normals: &[(DVec3, f64)]) -> Planes {
        let mut planes = Planes::new();
        for &(normal, depth) in normals {
            planes.push(Plane { normal: normal.normalize(), depth, ..NO_PLANE });
        }
        planes
    }

    #[test]
    fn a_corner_of_three_walls_is_dead_and_an_open_one_is_not() {
        let corner = planes(&[(DVec3::X, 0.0), (DVec3::Y, 0.0), (DVec3::Z, 0.0)]);
        let motion = corner.nearest(DVec3::new(-1.0, -2.0, -3.0)).unwrap();
        assert!(motion.length() < 1e-12, "{motion}");
        let along = corner.nearest(DVec3::new(1.0, -2.0, -3.0)).unwrap();
        assert!((along - DVec3::X).length() < 1e-12, "{along}");
    }

    #[test]
    fn between_walls_that_both_push_there_is_no_way() {
        assert_eq!(planes(&[(DVec3::X, 0.1), (DVec3::NEG_X, 0.1)]).nearest(DVec3::ZERO), None);
        let out = planes(&[(DVec3::X, 0.1), (DVec3::Y, 0.2)]).nearest(DVec3::ZERO).unwrap();
        assert!((out - DVec3::new(0.1, 0.2, 0.0)).length() < 1e-12, "{out}");
    }

    fn direction() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64)
            .prop_map(|(x, y, z)| DVec3::new(x, y, z))
            .prop_filter("a direction", |v| v.length() > 0.1)
            .prop_map(DVec3::normalize)
    }

    proptest! {
        /// Against projecting on one plane after the other, again and again, with what each took given
        /// back first (Dykstra): slow, and converges to the same.
        #[test]
        fn the_nearest_motion_is_what_dykstra_converges_to(
            normals in prop::collection::vec(direction(), 1..5),
            wanted in direction(),
        ) {
            let all: Vec<(DVec3, f64)> = normals.iter().map(|&normal| (normal, 0.0)).collect();
            let found = planes(&all).nearest(wanted).expect("standing still is always allowed");
            let mut x = wanted;
            let mut taken = vec![DVec3::ZERO; normals.len()];
            for _ in 0..20_000 {
                for (normal, taken) in normals.iter().zip(&mut taken) {
                    let y = x + *taken;
                    let into = y.dot(*normal);
                    x = if into < 0.0 { y - *normal * into } else { y };
                    *taken = y - x;
                }
            }
            // Between planes that almost close the way it has not converged yet.
            prop_assume!(normals.iter().all(|normal| x.dot(*normal) >= -1e-6));
            prop_assert!((found - x).length() < 1e-3, "{found} against {x}");
            prop_assert!(found.length() <= wanted.length() + 1e-9, "it gained");
        }

        #[test]
        fn the_order_of_planes_does_not_matter(
            normals in prop::collection::vec(direction(), 1..6),
            wanted in direction(),
        ) {
            let mut all: Vec<(DVec3, f64)> = normals.iter().map(|&normal| (normal, 0.0)).collect();
            let one = planes(&all).nearest(wanted).unwrap();
            all.reverse();
            let other = planes(&all).nearest(wanted).unwrap();
            prop_assert!((one - other).length() < 1e-7, "{one} against {other}");
        }
    }
}
