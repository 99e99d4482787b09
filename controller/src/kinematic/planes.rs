//! Planes in a body's way, solved together.
//!
//! The allowed motions form a convex cone, cut out by all planes at once: `x · n ≥ depth` for each. The
//! motion nearest to the wanted one is a projection, and unique, so it does not depend on any order. At most
//! three planes hold it: all sets of up to three are tried, and the nearest motion that no plane forbids
//! wins. (The solve for one, two and three planes at once that *analytic player offset* describes for
//! positions, used for motions as well.)

use marchland_terrain::PropId;
use marchland_terrain::glam::DVec3;
use marchland_terrain::math::greater;
use marchland_terrain::query::TriangleId;

/// Most planes that are kept; further ones are dropped. A body is never held by more than these at once.
pub const PLANES_MAX: usize = 24;

/// Planes are the same if the dot product of their normals is above this.
const SAME: f64 = 1.0 - 1e-7;

/// The squared sine of the angle below which two planes are parallel: a motion along one goes into the other
/// by less than the slack.
const PARALLEL: f64 = 1e-15;

/// How far a motion along a plane is turned away from it, as a part of its length: normals are exact to a
/// ten-millionth.
const EASE: f64 = 1e-6;

/// Something in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The way out. A unit vector.
    pub normal: DVec3,
    /// How far the body must at least move along the normal; 0 if the plane only must not be crossed. Metres.
    pub depth: f64,
    /// The triangle that it comes from, the first of several. `None` for the lines of the terrain.
    pub triangle: Option<TriangleId>,
    /// The surface of the triangle; 0 without one.
    pub surface: u8,
}

impl Plane {
    /// A plane with this normal, of any length, that pushes a body out by `depth` metres.
    #[must_use]
    pub const fn new(normal: DVec3, depth: f64) -> Self {
        Self { normal, depth, ..NO_PLANE }
    }

    pub(crate) fn prop(&self) -> Option<PropId> {
        self.triangle.and_then(TriangleId::prop)
    }
}

/// The planes in a body's way, solved together: the motion [nearest](Self::nearest) to a wanted one. All motions
/// of the full controller through the air, down slopes, and out of overlaps are solved by it.
///
/// ```
/// use marchland_controller::{Plane, Planes};
/// use marchland_terrain::glam::DVec3;
///
/// // Into a corner of two walls, and a floor that it has sunk into by a centimetre.
/// let mut planes = Planes::new();
/// planes.push(Plane::new(DVec3::X, 0.0));
/// planes.push(Plane::new(DVec3::new(1.0, 0.0, 1.0), 0.0));
/// planes.push(Plane::new(DVec3::Y, 0.01));
/// let motion = planes.nearest(DVec3::new(-1.0, -0.5, 0.25)).unwrap();
/// assert!((motion - DVec3::new(0.0, 0.01, 0.25)).length() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct Planes {
    list: [Plane; PLANES_MAX],
    len: usize,
}

const NO_PLANE: Plane = Plane { normal: DVec3::Y, depth: 0.0, triangle: None, surface: 0 };

impl Default for Planes {
    fn default() -> Self {
        Self::new()
    }
}

impl Planes {
    /// No planes.
    #[must_use]
    pub const fn new() -> Self {
        Self { list: [NO_PLANE; PLANES_MAX], len: 0 }
    }

    /// The planes, with normals of length 1; none twice.
    #[must_use]
    pub fn as_slice(&self) -> &[Plane] {
        &self.list[..self.len]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Copies another list, without the entries that it does not use.
    pub(crate) fn take_over(&mut self, from: &Self) {
        self.list[..from.len].copy_from_slice(from.as_slice());
        self.len = from.len;
    }

    /// Whether the list already has a plane.
    pub(crate) fn has(&self, plane: &Plane) -> bool {
        self.as_slice().iter().any(|known| known.normal.dot(plane.normal) > SAME)
    }

    /// Adds a plane. If the list already has it, it keeps the greater depth. A plane beyond [`PLANES_MAX`] is
    /// dropped.
    pub fn push(&mut self, plane: Plane) {
        // To the last bit: two copies of a normal, each slightly short, would count as two planes.
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

    /// Turns the plane that counts as the same to one that was met: a motion along it went slightly into that.
    pub(crate) fn turn_to(&mut self, met: &Plane) {
        let known = self.list[..self.len].iter_mut();
        for known in known.filter(|known| known.normal.dot(met.normal) > SAME) {
            known.normal = met.normal;
        }
    }

    /// After a way: planes push by so much less as it has led out of them.
    pub(crate) fn go(&mut self, way: DVec3) {
        for plane in &mut self.list[..self.len] {
            if plane.depth > 0.0 {
                let left = plane.depth - way.dot(plane.normal);
                plane.depth = greater(left, 0.0);
            }
        }
    }

    /// The same planes without any push.
    pub(crate) fn still(&self) -> Self {
        let mut still = self.clone();
        still.list[..still.len].iter_mut().for_each(|plane| plane.depth = 0.0);
        still
    }

    /// A motion turned slightly away from the planes that it goes along, by more than rounding would turn it
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

    /// The motion nearest to `wanted` that goes along each normal by at least its plane's depth; `None` if no
    /// motion does. Metres. `wanted` itself, to the bit, if no plane forbids it.
    ///
    /// # Why it is right
    ///
    /// Allowed motions `x`, with `x · nᵢ ≥ dᵢ` for all planes, form a closed convex set. If it has any, exactly
    /// one of them, `p`, is nearest to `wanted`; no order of planes can matter. At `p` the difference `p − wanted`
    /// is a sum of normals of planes that `p` touches (`p · nᵢ = dᵢ`), none with a negative factor: otherwise a
    /// small step would be allowed and nearer (Karush, Kuhn and Tucker). Such a sum never needs more than three
    /// normals, linearly independent ones (Carathéodory). The place where just these planes meet is a plane, a
    /// line or a point; `p` lies in it, and `p − wanted` is at right angles to it: `p` is the projection of
    /// `wanted` to it. All sets of up to three independent planes are tried, so `p` is among the projections;
    /// whatever is allowed and not `p` is farther. The nearest one that is allowed is therefore `p`.
    ///
    /// In floating point, four limits stand beside that:
    ///
    /// - A motion may go into a plane by 10⁻⁹ m and a ten-millionth of the length of `wanted`. The answer is then
    ///   nearer by at most as much times the sum of the factors above.
    /// - Two normals whose sine is below 3 · 10⁻⁸ count as parallel, three that span less than 10⁻⁹ as dependent.
    ///   Tests hold the answer against a bound on the distance from below, there too.
    /// - Planes that nearly face each other may meet far away: motions longer than `wanted` and four times the
    ///   greatest depth are refused, as if there were none.
    /// - Time grows with the fourth power of the number of planes, which is at most [`PLANES_MAX`].
    #[must_use]
    pub fn nearest(&self, wanted: DVec3) -> Option<DVec3> {
        let planes = self.as_slice();
        let slack = 1e-9 + 1e-7 * wanted.length();
        if allows(planes, wanted, slack) {
            return Some(wanted);
        }
        // Planes that nearly face each other meet far away: no way out is that long.
        let deepest = planes.iter().map(|plane| plane.depth).fold(0.0, |a, b| greater(b, a));
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
        take(DVec3::ZERO); // where nothing pushes it is always allowed
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

/// `None` where the planes are nearly parallel: one of them is then as good as both. Computed by way of the
/// line in which they meet: between planes that nearly face each other, the way to it from `wanted` is the
/// difference of two long ones.
fn on_two(a: &Plane, b: &Plane, wanted: DVec3) -> Option<DVec3> {
    let across = a.normal.cross(b.normal);
    let squared = across.length_squared();
    if squared < PARALLEL {
        return None;
    }
    let apart = b.normal.cross(across) * a.depth + across.cross(a.normal) * b.depth;
    Some((across * across.dot(wanted) + apart) / squared)
}

/// `None` where two of the planes are nearly parallel, or all three meet in a line.
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
#[allow(clippy::disallowed_methods, reason = "tests")]
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

    /// Normals that are awkward on purpose: anywhere, on a coarse grid, so that three lie in a plane
    /// and two face each other, and nearly the same as the first one or nearly against it.
    fn normals() -> impl Strategy<Value = Vec<DVec3>> {
        let on_a_grid = (-2_i32..=2, -2_i32..=2, -2_i32..=2)
            .prop_map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)))
            .prop_filter("a direction", |v| *v != DVec3::ZERO);
        let aside = (direction(), -9_i32..0, any::<bool>());
        let near = aside.prop_map(|(by, power, is_against)| (by * 10_f64.powi(power), is_against));
        let one = prop_oneof![
            direction().prop_map(Ok),
            on_a_grid.prop_map(|v| Ok(v.normalize())),
            near.prop_map(Err),
        ];
        (direction(), prop::collection::vec(one, 0..6)).prop_map(|(first, others)| {
            let resolved = others.into_iter().map(|other| match other {
                Ok(normal) => normal,
                Err((by, true)) => (by - first).normalize(),
                Err((by, false)) => (by + first).normalize(),
            });
            std::iter::once(first).chain(resolved).collect()
        })
    }

    /// The least motion that reaches a set of planes from `wanted`, and the multiples of the normals that it
    /// is made of. `None` where the planes have no point in common.
    fn combined(set: &[&Plane], wanted: DVec3) -> Option<(DVec3, Vec<f64>)> {
        // For each normal the vector that is 1 along it and 0 along the others, in their span.
        let duals = match set {
            [a] => vec![a.normal],
            [a, b] => {
                let across = a.normal.cross(b.normal);
                let duals = [b.normal.cross(across), across.cross(a.normal)];
                duals.map(|dual| dual / across.length_squared()).to_vec()
            }
            [a, b, c] => {
                let volume = a.normal.dot(b.normal.cross(c.normal));
                let pairs = [(b, c), (c, a), (a, b)];
                pairs.map(|(one, other)| one.normal.cross(other.normal) / volume).to_vec()
            }
            _ => return None,
        };
        let short = |plane: &Plane| plane.depth - plane.normal.dot(wanted);
        let way: DVec3 = set.iter().zip(&duals).map(|(plane, dual)| *dual * short(plane)).sum();
        way.is_finite().then(|| (way, duals.iter().map(|dual| way.dot(*dual)).collect()))
    }

    /// All sets of up to three planes.
    fn sets(planes: &[Plane]) -> Vec<Vec<&Plane>> {
        let mut sets = Vec::new();
        for (first, a) in planes.iter().enumerate() {
            sets.push(vec![a]);
            for (second, b) in planes.iter().enumerate().take(first) {
                sets.push(vec![a, b]);
                sets.extend(planes[..second].iter().map(|c| vec![a, b, c]));
            }
        }
        sets
    }

    /// A lower bound on half the squared distance to what planes allow, whatever the multipliers (Lagrange):
    /// the greatest over all sets of up to three planes is the distance itself. Returns it, and the sum of
    /// the multipliers of that set.
    fn half_squared_distance(planes: &[Plane], wanted: DVec3) -> (f64, f64) {
        let (mut best, mut sum) = (0.0, 0.0);
        for set in sets(planes) {
            let Some((_, pushes)) = combined(&set, wanted) else { continue };
            let pushes: Vec<f64> = pushes.iter().map(|push| push.max(0.0)).collect();
            let pairs = || set.iter().zip(&pushes);
            let way: DVec3 = pairs().map(|(plane, push)| plane.normal * *push).sum();
            let gain: f64 =
                pairs().map(|(plane, push)| push * (plane.depth - plane.normal.dot(wanted))).sum();
            let bound = gain - 0.5 * way.length_squared();
            if bound > best {
                (best, sum) = (bound, pushes.iter().sum());
            }
        }
        (best, sum)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Against all sets of up to three planes, by what bounds the distance from below: what is
        /// allowed and no farther than any bound is the nearest. No case is left out.
        #[test]
        fn the_nearest_motion_is_allowed_and_as_near_as_any_can_be(
            normals in normals(),
            wanted in direction(),
            size in prop_oneof![Just(1.0), Just(1e-3), Just(20.0)],
        ) {
            let wanted = wanted * size;
            let all: Vec<(DVec3, f64)> = normals.iter().map(|&normal| (normal, 0.0)).collect();
            let planes = planes(&all);
            for normal in &normals {
                let is_kept = planes.as_slice().iter().any(|kept| kept.normal.dot(*normal) > SAME);
                prop_assert!(is_kept, "{normal} is forgotten");
            }
            let found = planes.nearest(wanted).expect("standing still is always allowed");
            let slack = 1e-9 + 1e-7 * size;
            for plane in planes.as_slice() {
                let into = found.dot(plane.normal);
                prop_assert!(into >= -slack, "{found} is {into} into {}", plane.normal);
            }
            let (least, sum) = half_squared_distance(planes.as_slice(), wanted);
            let half = 0.5 * (found - wanted).length_squared();
            // What the slack lets in is at most this much nearer, and nothing is farther.
            // Pushes between planes that nearly face each other are great, and cancel.
            let rounding = 1e-12 * size * size + 1e-15 * size * sum;
            let nearer = slack * sum;
            prop_assert!(half <= least + rounding, "{found} is {half} away, possible {least}");
            prop_assert!(half >= least - nearer - rounding, "{found} is too near: {half} of {least}");
            prop_assert!(found.length() <= wanted.length() * (1.0 + 1e-12), "it gained");
        }

        /// The same where planes push.
        #[test]
        fn the_way_out_is_the_shortest_there_is(
            planes in prop::collection::vec((direction(), 0.0..0.5_f64), 1..6),
            wanted in prop_oneof![Just(DVec3::ZERO), direction()],
        ) {
            let planes = self::planes(&planes);
            let (least, sum) = half_squared_distance(planes.as_slice(), wanted);
            let slack = 1e-9 + 1e-7 * wanted.length();
            let deepest = planes.as_slice().iter().fold(0.0, |most: f64, next| most.max(next.depth));
            let longest = wanted.length() + 4.0 * deepest + slack;
            match planes.nearest(wanted) {
                Some(found) => {
                    for plane in planes.as_slice() {
                        let out = found.dot(plane.normal);
                        prop_assert!(out >= plane.depth - slack, "{found} goes {out} out of {plane:?}");
                    }
                    let half = 0.5 * (found - wanted).length_squared();
                    prop_assert!(half >= least - slack * sum - 1e-12, "{found} is too near");
                    // Something nearer was left out only for being too long a way.
                    let is_near = least.sqrt() * 2_f64.sqrt() + wanted.length() <= longest;
                    prop_assert!(!is_near || half <= least + 1e-9, "{found} is {half}, possible {least}");
                }
                // Wherever up to three planes meet, it is too far, or another plane forbids it.
                None => {
                    for (way, _) in sets(planes.as_slice()).iter().filter_map(|set| combined(set, wanted)) {
                        let place = wanted + way;
                        prop_assert!(
                            place.length() > longest - 1e-12 || !allows(planes.as_slice(), place, 0.5 * slack),
                            "{place} is allowed"
                        );
                    }
                }
            }
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
