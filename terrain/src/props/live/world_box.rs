//! Boxes anywhere in the world, in one frame, without rounding errors.
//!
//! A box is stored in `f64` metres from the centre of sector (0, 0), rounded outward to multiples of 2⁻⁷ m.
//! The world is at most 2³² sectors of 2¹⁴ m wide, so a coordinate is below 2⁴⁵ m and takes 53 bits at most:
//! moving a box by whole sectors, or expressing it relative to a sector, is exact. So which boxes touch is
//! the same in every part of the world. Boxes are supersets, for finding candidates; they never decide a
//! result.

use glam::DVec3;

use crate::math::{SectorCoord, SectorSize, greater, lesser, pairs};

/// Corners are multiples of this. Metres. A smaller step would not fit 53 bits at the end of the world; a
/// larger one would find more props that are not there.
const STEP: f64 = 1.0 / 128.0;

/// Farther than any place in the world is from any other. Metres.
const BEYOND: f64 = (1_u64 << 46) as f64;

/// A box in metres from the centre of sector (0, 0), corners included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WorldBox {
    min: DVec3,
    max: DVec3,
}

impl WorldBox {
    /// The box around the one from `min` to `max`, metres from the centre of `sector`. A bound that is NaN
    /// does not limit it.
    #[inline]
    pub(crate) fn around(sector: SectorCoord, min: DVec3, max: DVec3, size: SectorSize) -> Self {
        let centre = centre(sector, size);
        Self { min: min.map(low) + centre, max: max.map(high) + centre }
    }

    /// The least box that contains both.
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self { min: pairs(self.min, other.min, lesser), max: pairs(self.max, other.max, greater) }
    }

    /// The box grown by `by` metres on every side, rounded outward.
    pub(crate) fn grown(&self, by: f64) -> Self {
        let by = DVec3::splat((by / STEP).ceil() * STEP);
        Self { min: self.min - by, max: self.max + by }
    }

    /// Its corners, metres from the centre of `sector`.
    pub(crate) fn seen_from(&self, sector: SectorCoord, size: SectorSize) -> (DVec3, DVec3) {
        let centre = centre(sector, size);
        (self.min - centre, self.max - centre)
    }

    /// Whether they have a point in common, including points on faces.
    #[inline]
    pub(crate) fn touches(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether all of `other` is within the box.
    #[inline]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && self.max.cmpge(other.max).all()
    }

    /// Half its surface area. Square metres.
    #[inline]
    pub(crate) fn half_surface(&self) -> f64 {
        let extent = self.max - self.min;
        extent.x * extent.y + extent.y * extent.z + extent.z * extent.x
    }
}

/// A box that moves along a line, for tests against boxes that do not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    centre: DVec3,
    low: DVec3,
    high: DVec3,
    motion: DVec3,
}

impl Sweep {
    /// A box of half sizes `half` whose centre moves from `from`, metres from the centre of `sector`, by
    /// `motion`. `None` if a number is not finite or a half size is negative.
    pub(crate) fn new(
        sector: SectorCoord,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        size: SectorSize,
    ) -> Option<Self> {
        let known = from.is_finite() && motion.is_finite() && half.is_finite();
        if !known || half.cmplt(DVec3::ZERO).any() {
            return None;
        }
        // The operations below round by less: `from ± half` and a difference from it by an ulp of their size
        // each, and a box at the far end of the world by half a step.
        let slack = (from.abs() + half) * 4.0 * f64::EPSILON + DVec3::splat(STEP);
        let half = half + slack;
        Some(Self { centre: centre(sector, size), low: from - half, high: from + half, motion })
    }

    /// Whether it touches a box while it moves through the part of its way from 0 to `until`, at most 1. May
    /// also be true for boxes that are not touched. If it is true for a box, it is true for every box that
    /// contains that box: every operation is monotone.
    #[inline]
    pub(crate) fn touches(&self, other: &WorldBox, until: f64) -> bool {
        let (min, max) = (other.min - self.centre, other.max - self.centre);
        let (mut enter, mut leave) = (0.0, until);
        for axis in 0..3 {
            let (near, far) = (min[axis] - self.high[axis], max[axis] - self.low[axis]);
            let motion = self.motion[axis];
            let (first, last) = if motion > 0.0 {
                (near / motion, far / motion)
            } else if motion < 0.0 {
                (far / motion, near / motion)
            } else if near <= 0.0 && far >= 0.0 {
                continue;
            } else {
                return false;
            };
            enter = greater(first, enter);
            leave = lesser(last, leave);
        }
        // T. Ize, "Robust BVH Ray Traversal", JCGT 2013: two roundings on either side.
        enter <= leave * (1.0 + 4.0 * f64::EPSILON)
    }
}

/// The centre of a sector, metres from the centre of sector (0, 0): exact.
fn centre(sector: SectorCoord, size: SectorSize) -> DVec3 {
    let side = f64::from(size.metres());
    DVec3::new(f64::from(sector.x) * side, 0.0, f64::from(sector.z) * side)
}

fn low(metres: f64) -> f64 {
    let metres = greater(metres, -BEYOND);
    let metres = lesser(metres, BEYOND);
    (metres / STEP).floor() * STEP
}

fn high(metres: f64) -> f64 {
    let metres = lesser(metres, BEYOND);
    let metres = greater(metres, -BEYOND);
    (metres / STEP).ceil() * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest sectors: their world has no bit to spare.
    fn size() -> SectorSize {
        SectorSize::new(16_384.0).unwrap()
    }

    fn ends() -> impl Iterator<Item = SectorCoord> {
        let ends = [i32::MIN, -1, 0, 77, i32::MAX];
        ends.into_iter().flat_map(move |x| ends.map(|z| SectorCoord::new(x, z)))
    }

    #[test]
    fn boxes_are_rounded_outward_and_touch_alike_in_every_part_of_the_world() {
        for sector in ends() {
            let cube = |low: f64, high: f64| {
                let [low, high] = [low, high].map(|steps| DVec3::splat(steps * STEP));
                WorldBox::around(sector, low, high, size())
            };
            // Both come as far as the step between them.
            assert!(cube(-3.0, 0.3).touches(&cube(1.2, 5.0)), "{sector}");
            assert!(cube(1.2, 5.0).touches(&cube(-3.0, 0.3)), "{sector}");
            assert!(!cube(-3.0, 0.3).touches(&cube(2.1, 5.0)), "{sector}");
            assert!(cube(0.4, 0.6).holds(&cube(0.1, 0.9)), "{sector}");
            assert!(!cube(0.4, 0.6).holds(&cube(0.1, 1.1)), "{sector}");
            assert_eq!(cube(0.4, 1.6).half_surface(), 12.0 * STEP * STEP);
            assert_eq!(cube(-0.4, 1.6).union(&cube(7.0, 7.0)), cube(-1.0, 7.0));
        }
    }

    #[test]
    fn what_a_sweep_touches_is_the_same_in_every_part_of_the_world() {
        for sector in ends() {
            let cube = |middle: DVec3, half: f64| {
                let half = DVec3::splat(half);
                WorldBox::around(sector, middle - half, middle + half, size())
            };
            let from = DVec3::new(-8192.0, 3.0, 100.0);
            let motion = DVec3::new(16_000.0, -1.0, 0.25);
            let sweep = |half: f64, length: f64| {
                Sweep::new(sector, from, motion * length, DVec3::splat(half), size()).unwrap()
            };
            let ahead = cube(from + motion * 0.75 + DVec3::Y * 0.5, 0.25);
            assert!(!sweep(0.1, 1.0).touches(&ahead, 1.0), "{sector}");
            assert!(sweep(0.25, 1.0).touches(&ahead, 1.0), "{sector}");
            assert!(!sweep(0.25, 0.5).touches(&ahead, 1.0), "{sector}");
            assert!(!sweep(0.25, 1.0).touches(&ahead, 0.5), "{sector}");
            assert!(sweep(0.25, -1.0).touches(&cube(from, 0.0), 0.0), "{sector}");
        }
    }
}
