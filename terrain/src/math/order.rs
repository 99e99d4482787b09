//! The lesser and the greater of two values, the same bits on every machine: a comparison and a choice.
//!
//! `f32::min` leaves open which zero it gives, and what it gives where one is not a number.

use glam::{DVec3, Vec3};

/// The lesser of two values; the second where neither is less, or one is not a number.
#[must_use]
#[inline(always)]
pub fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The greater of two values; the second where neither is greater, or one is not a number.
#[must_use]
#[inline(always)]
pub fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The value, or the nearer of two bounds where it is beyond them, `low` not above `high`. A value within keeps its
/// bits, and one that is not a number stays that.
#[must_use]
#[inline(always)]
pub fn clamp<T: PartialOrd>(value: T, low: T, high: T) -> T {
    greater(low, lesser(high, value))
}

/// The [lesser] of each component.
#[must_use]
#[inline]
pub fn lesser_each(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z))
}

/// The [greater] of each component.
#[must_use]
#[inline]
pub fn greater_each(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z))
}

/// What `of` gives for each component of both.
#[inline]
pub(crate) fn pairs(a: DVec3, b: DVec3, of: impl Fn(f64, f64) -> f64) -> DVec3 {
    DVec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}
