//! Boxes along the axes.

use glam::{DVec3, Vec3};

/// A box along the axes, corners included. Empty where a corner of `min` is greater than that of
/// `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub min: Vec3,
    /// Greatest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// Holds nothing; the start of a union.
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// Around one point.
    #[must_use]
    pub const fn at(point: Vec3) -> Self {
        Self { min: point, max: point }
    }

    /// Around points; empty where there are none.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |sum, point| sum.union(Self::at(point)))
    }

    /// Around the corners of a triangle, as [`around`](Self::around).
    #[inline]
    pub(crate) fn around_three([a, b, c]: [Vec3; 3]) -> Self {
        Self { min: lesser(lesser(a, b), c), max: greater(greater(a, b), c) }
    }

    /// The least box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: lesser(self.min, other.min), max: greater(self.max, other.max) }
    }

    /// Larger by `by` metres on every side.
    #[must_use]
    pub fn grown(self, by: f32) -> Self {
        Self { min: self.min - Vec3::splat(by), max: self.max + Vec3::splat(by) }
    }

    /// Whether they share a point; faces count.
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

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Its middle.
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }
}

/// A box in `f32` that holds one in `f64`.
#[inline]
pub(crate) fn outward(low: DVec3, high: DVec3) -> Aabb {
    // Which way a number was rounded cannot be guessed: both answers are there before one is picked.
    let down = |metres: f64| {
        let near = metres as f32;
        let lower = near.next_down();
        if f64::from(near) > metres { lower } else { near }
    };
    let up = |metres: f64| {
        let near = metres as f32;
        let higher = near.next_up();
        if f64::from(near) < metres { higher } else { near }
    };
    Aabb {
        min: Vec3::new(down(low.x), down(low.y), down(low.z)),
        max: Vec3::new(up(high.x), up(high.y), up(high.z)),
    }
}

/// The lesser of each component; the second where a component of the first is not a number.
#[must_use]
#[inline]
pub fn lesser(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if a < b { a } else { b };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}

/// The greater of each component; the second where a component of the first is not a number.
#[must_use]
#[inline]
pub fn greater(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if a > b { a } else { b };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}
