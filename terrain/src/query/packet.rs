//! The corners of eight triangles side by side: what is near is found for all of them at a time, as
//! [`columns`](super::columns) finds what is near a column.

use glam::Vec3;

use super::boxes::BOXES_AT_ONCE;
use crate::math::Aabb;

/// Triangles of a packet.
pub(super) const TRIANGLES_AT_ONCE: usize = BOXES_AT_ONCE;

/// A coordinate of eight corners.
type Row = [f32; TRIANGLES_AT_ONCE];

/// Where the corners of eight triangles lie: for each corner its row of each coordinate. If there are fewer, the others
/// are nowhere.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct TrianglePacket {
    pub(super) x: [Row; 3],
    y: [Row; 3],
    pub(super) z: [Row; 3],
}

impl TrianglePacket {
    pub(super) const NONE: Self = {
        let nowhere = [[f32::NAN; TRIANGLES_AT_ONCE]; 3];
        Self { x: nowhere, y: nowhere, z: nowhere }
    };

    #[inline]
    pub(super) fn put(&mut self, lane: usize, corners: &[Vec3; 3]) {
        for (corner, at) in corners.iter().enumerate() {
            self.x[corner][lane] = at.x;
            self.y[corner][lane] = at.y;
            self.z[corner][lane] = at.z;
        }
    }

    #[inline]
    pub(super) fn corners(&self, lane: usize) -> [Vec3; 3] {
        [0, 1, 2].map(|at| Vec3::new(self.x[at][lane], self.y[at][lane], self.z[at][lane]))
    }

    /// Which boxes around the triangles touch a box, one bit each, as [`Aabb::touches`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn touching(&self, near: &Aabb) -> u32 {
        // SAFETY: `with_sse` requires a processor with SSE: every one with x86-64 has it.
        unsafe { self.with_sse(near) }
    }

    /// The same, four at a time.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "sse")]
    #[allow(unsafe_code)]
    fn with_sse(&self, near: &Aabb) -> u32 {
        use std::arch::x86_64::{
            _mm_and_ps, _mm_cmple_ps, _mm_loadu_ps, _mm_max_ps, _mm_min_ps, _mm_movemask_ps,
            _mm_set1_ps,
        };
        let half = |first: usize| {
            let four = |row: &Row| {
                let row: &[f32] = &row[first..first + 4];
                // SAFETY: four numbers are read, those of the slice; they may lie anywhere.
                unsafe { _mm_loadu_ps(row.as_ptr()) }
            };
            let is_in = |rows: &[Row; 3], low: f32, high: f32| {
                let [a, b, c] = [four(&rows[0]), four(&rows[1]), four(&rows[2])];
                let least = _mm_min_ps(_mm_min_ps(a, b), c);
                let greatest = _mm_max_ps(_mm_max_ps(a, b), c);
                let begins = _mm_cmple_ps(least, _mm_set1_ps(high));
                _mm_and_ps(begins, _mm_cmple_ps(_mm_set1_ps(low), greatest))
            };
            let x = is_in(&self.x, near.min.x, near.max.x);
            if _mm_movemask_ps(x) == 0 {
                return 0;
            }
            let z = is_in(&self.z, near.min.z, near.max.z);
            let y = is_in(&self.y, near.min.y, near.max.y);
            _mm_movemask_ps(_mm_and_ps(_mm_and_ps(x, y), z)) as u32
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
        let touches = |lane| Aabb::around_three(self.corners(lane)).touches(near);
        (0..TRIANGLES_AT_ONCE).map(|lane| u32::from(touches(lane)) << lane).sum()
    }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    #[test]
    fn eight_triangles_at_a_time_are_told_as_one_by_one() {
        let mut random = Random::new(11);
        // Coarse numbers, so that some are equal.
        let mut coarse = || (random.below(17) as f32) / 8.0 - 1.0;
        let mut told = [0; 2];
        for round in 0..50_000 {
            let mut packet = TrianglePacket::NONE;
            let mut point = || Vec3::new(coarse(), coarse(), coarse());
            let each = [(); TRIANGLES_AT_ONCE].map(|()| [point(), point(), point()]);
            let near = Aabb::around([point(), point()]);
            let count = 1 + round % TRIANGLES_AT_ONCE;
            for (lane, one) in each[..count].iter().enumerate() {
                packet.put(lane, one);
                assert_eq!(packet.corners(lane), *one);
            }
            let touching = packet.touching(&near);
            assert_eq!(touching, packet.touching_plainly(&near));
            assert_eq!(touching >> count, 0);
            for (lane, one) in each[..count].iter().enumerate() {
                let touches = Aabb::around_three(*one).touches(&near);
                assert_eq!(touching >> lane & 1 == 1, touches, "{one:?} {near:?}");
                told[usize::from(touches)] += 1;
            }
        }
        assert!(told.iter().all(|&count| count > 10_000), "{told:?}");
    }
}
