//! Boxes of triangles, tested eight at a time.

use crate::math::{Aabb, greater, lesser};

/// Boxes that are tested at a time.
pub(super) const BOXES_AT_ONCE: usize = 8;

/// The boxes of eight triangles. If there are fewer, the others touch nothing. Three cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Boxes {
    min: [[f32; BOXES_AT_ONCE]; 3],
    max: [[f32; BOXES_AT_ONCE]; 3],
}

impl Boxes {
    pub(super) const NONE: Self = Self {
        min: [[f32::INFINITY; BOXES_AT_ONCE]; 3],
        max: [[f32::NEG_INFINITY; BOXES_AT_ONCE]; 3],
    };

    #[inline]
    pub(super) fn put(&mut self, lane: usize, of: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = of.min[axis];
            self.max[axis][lane] = of.max[axis];
        }
    }

    /// Enlarges one of them to hold another box too.
    #[inline]
    pub(super) fn widen(&mut self, lane: usize, by: &Aabb) {
        for axis in 0..3 {
            let (min, max) = (&mut self.min[axis][lane], &mut self.max[axis][lane]);
            *min = lesser(by.min[axis], *min);
            *max = greater(by.max[axis], *max);
        }
    }

    /// Which of them touch a box, one bit each, as [`Aabb::touches`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn touching(&self, near: &Aabb) -> u32 {
        // SAFETY: `with_sse` requires a processor with SSE: every one with x86-64 has it.
        unsafe { self.with_sse(near) }
    }

    /// The same: two comparisons of four give eight bits, where plain code picks each lane by itself.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "sse")]
    #[allow(unsafe_code)]
    fn with_sse(&self, near: &Aabb) -> u32 {
        use std::arch::x86_64::{
            _mm_and_ps, _mm_cmple_ps, _mm_loadu_ps, _mm_movemask_ps, _mm_set1_ps,
        };
        let half = |first: usize| {
            let four = |row: &[f32; BOXES_AT_ONCE]| {
                let row: &[f32] = &row[first..first + 4];
                // SAFETY: four numbers are read, those of the slice; they may lie anywhere.
                unsafe { _mm_loadu_ps(row.as_ptr()) }
            };
            let is_in = |axis: usize| {
                let (low, high) = (_mm_set1_ps(near.min[axis]), _mm_set1_ps(near.max[axis]));
                let begins = _mm_cmple_ps(four(&self.min[axis]), high);
                _mm_and_ps(begins, _mm_cmple_ps(low, four(&self.max[axis])))
            };
            let is_in = _mm_and_ps(_mm_and_ps(is_in(0), is_in(1)), is_in(2));
            _mm_movemask_ps(is_in) as u32
        };
        half(0) | half(4) << 4
    }

    /// The same.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    pub(super) fn touching(&self, near: &Aabb) -> u32 {
        self.touching_plainly(near)
    }

    /// The plain form of [`touching`](Self::touching).
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn touching_plainly(&self, near: &Aabb) -> u32 {
        // Summed rather than shifted into place: the compiler does that for four at a time.
        let mut bits = [1, 2, 4, 8, 16, 32, 64, 128];
        for axis in 0..3 {
            let (low, high) = (near.min[axis], near.max[axis]);
            for (lane, bit) in bits.iter_mut().enumerate() {
                let touches = (self.min[axis][lane] <= high) & (low <= self.max[axis][lane]);
                *bit = if touches { *bit } else { 0 };
            }
        }
        bits.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use marchland_random::Random;

    use super::*;

    #[test]
    fn eight_boxes_at_a_time_are_told_as_one_by_one() {
        let mut random = Random::new(11);
        // Coarse numbers, so that some are equal; none at times.
        let mut coarse = || match random.below(256) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            part => (part % 17) as f32 / 8.0 - 1.0,
        };
        let mut told = [0; 2];
        for round in 0..50_000 {
            let mut boxes = Boxes::NONE;
            let mut around = || {
                let mut point = || Vec3::new(coarse(), coarse(), coarse());
                Aabb::around([point(), point()])
            };
            let each = [(); BOXES_AT_ONCE].map(|()| around());
            let count = 1 + round % BOXES_AT_ONCE;
            for (lane, one) in each[..count].iter().enumerate() {
                boxes.put(lane, one);
            }
            let near = around();
            let touching = boxes.touching(&near);
            assert_eq!(touching, boxes.touching_plainly(&near));
            assert_eq!(touching >> count, 0);
            for (lane, one) in each[..count].iter().enumerate() {
                assert_eq!(touching >> lane & 1 == 1, one.touches(&near), "{one:?} {near:?}");
                told[usize::from(one.touches(&near))] += 1;
            }
        }
        assert!(told.iter().all(|&count| count > 10_000), "{told:?}");
    }
}
