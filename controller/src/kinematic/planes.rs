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

/// Planes are parts of one wall, which bends a little, if the dot product of their normals is above this.
const ALIKE: f64 = 0.99;

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

    /// The same without those that a normal is one of, or almost.
    pub(crate) fn without(&self, normal: DVec3) -> Self {
        let mut others = Self::new();
        let list = self.as_slice().iter().filter(|plane| plane.normal.dot(normal) < ALIKE);
        for plane in list {
            others.push(Plane { depth: 0.0, ..*plane });
        }
        others
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

    /// Whether they support a body against falling: the way down between them is no steeper than what has a normal with
    /// this `y`.
    pub(crate) fn hold(&self, cosine: f64) -> bool {
        if self.as_slice().len() < 2 {
            return false;
        }
        let down = self.still().nearest(DVec3::NEG_Y).unwrap_or(DVec3::ZERO);
        down.length_squared() <= 1.0 - cosine * cosine
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
            take(wanted + a.normal * (a.depth - wanted.dot(a.normal)));
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
mod tests;
