//! Axis-aligned boxes.

use glam::{BVec3, DVec3, Vec3};

use super::order::{greater_each, lesser_each};

/// An axis-aligned box, boundary included. Empty where a component of `min` is greater than that of
/// `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Minimum coordinates.
    pub min: Vec3,
    /// Maximum coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box: the start value of a union.
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// The box that contains one point.
    #[must_use]
    pub const fn at(point: Vec3) -> Self {
        Self { min: point, max: point }
    }

    /// The smallest box around points; empty if there are none.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |sum, point| sum.union(Self::at(point)))
    }

    /// The smallest box around the corners of a triangle, as [`around`](Self::around).
    #[inline]
    pub(crate) fn around_three([a, b, c]: [Vec3; 3]) -> Self {
        Self { min: lesser_each(lesser_each(a, b), c), max: greater_each(greater_each(a, b), c) }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: lesser_each(self.min, other.min), max: greater_each(self.max, other.max) }
    }

    /// The smallest box around this one at both ends of a way. Metres.
    #[must_use]
    pub fn swept(self, way: Vec3) -> Self {
        self.union(Self { min: self.min + way, max: self.max + way })
    }

    /// The box extended by `by` metres on every side.
    #[must_use]
    pub fn grown(self, by: f32) -> Self {
        Self { min: self.min - Vec3::splat(by), max: self.max + Vec3::splat(by) }
    }

    /// Its eight corners.
    #[inline]
    pub(crate) fn corners(self) -> impl Iterator<Item = Vec3> {
        (0..8_u32).map(move |at| {
            let is_high = BVec3::new(at & 1 != 0, at & 2 != 0, at & 4 != 0);
            Vec3::select(is_high, self.max, self.min)
        })
    }

    /// Whether two boxes share a point; touching faces count.
    #[must_use]
    #[inline]
    pub fn touches(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Whether the box is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// The centre.
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }
}

/// Maps the bits of a number so that neighbouring numbers differ by one, and back. The two zeros are then
/// neighbours: no number that was rounded to one zero steps to the other, because it has that zero's sign.
#[inline]
fn in_order(bits: u32) -> u32 {
    // As a signed number, which wraps only beyond infinity.
    bits ^ (((bits as i32) >> 31) as u32 >> 1)
}

/// A box in `f32` that contains a box in `f64`.
#[inline]
pub(crate) fn outward(low: DVec3, high: DVec3) -> Aabb {
    // The rounding direction of a number is unpredictable: both results are computed before one is selected.
    let down = |metres: f64| {
        let near = metres as f32;
        f32::from_bits(in_order(in_order(near.to_bits()) - u32::from(f64::from(near) > metres)))
    };
    let up = |metres: f64| {
        let near = metres as f32;
        f32::from_bits(in_order(in_order(near.to_bits()) + u32::from(f64::from(near) < metres)))
    };
    Aabb {
        min: Vec3::new(down(low.x), down(low.y), down(low.z)),
        max: Vec3::new(up(high.x), up(high.y), up(high.z)),
    }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    #[test]
    fn a_box_is_rounded_outward_to_the_next_number() {
        let plainly = |metres: f64| {
            let near = metres as f32;
            let down = if f64::from(near) > metres { near.next_down() } else { near };
            let up = if f64::from(near) < metres { near.next_up() } else { near };
            (down.to_bits(), up.to_bits())
        };
        let mut random = Random::new(5);
        let mut any = || {
            // Any number, including infinities and NaN, or one as large as world positions are.
            let all = f64::from_bits(random.bits());
            if random.below(4) == 0 { all } else { random.between(-4e3, 5e3) }
        };
        let special = [0.0, -0.0, 1e-50, -1e-50, 1e-40, -1e-40, 1e300, -1e300, 1.0, -1.0, f64::NAN];
        let edges = [f64::INFINITY, f64::NEG_INFINITY, f64::from(f32::MAX) * 1.000_000_1];
        let many = (0..300_000).map(|_| any()).collect::<Vec<_>>();
        for metres in special.into_iter().chain(edges).chain(many) {
            let at = DVec3::new(metres, -metres, 1.5);
            let Aabb { min, max } = outward(at, at);
            for (axis, metres) in [metres, -metres].into_iter().enumerate() {
                let found = (min[axis].to_bits(), max[axis].to_bits());
                assert_eq!(found, plainly(metres), "{metres:e}");
            }
        }
    }
}
