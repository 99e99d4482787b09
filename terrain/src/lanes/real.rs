//! One number or sixteen, for rules that are written once for both.

use std::ops::{Add, Mul, Sub};

use super::backend::Lanes;
use super::vector::F32x16;

/// Numbers that the rule for heights works on: one, or sixteen.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// `[yes, u, v]` where `u` is at least `v`, else `[no, v, u]`.
    fn by_greater(u: Self, v: Self, yes: Self, no: Self) -> [Self; 3];
}

impl Real for f32 {
    #[inline(always)]
    fn by_greater(u: Self, v: Self, yes: Self, no: Self) -> [Self; 3] {
        if u >= v { [yes, u, v] } else { [no, v, u] }
    }
}

impl Real for f64 {
    #[inline(always)]
    fn by_greater(u: Self, v: Self, yes: Self, no: Self) -> [Self; 3] {
        if u >= v { [yes, u, v] } else { [no, v, u] }
    }
}

impl<L: Lanes> Real for F32x16<L> {
    #[inline(always)]
    fn by_greater(u: Self, v: Self, yes: Self, no: Self) -> [Self; 3] {
        let is_greater = u.ge(v);
        [is_greater.select(yes, no), is_greater.select(u, v), is_greater.select(v, u)]
    }
}
