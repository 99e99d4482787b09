//! Triangles near the way of an upright column, seen from above, tested eight at a time.
//!
//! What a body meets comes near its axis. A box around the body holds a quarter more, and of a wall that the
//! body only just touches, nearly everything that the box touches is too far away. Triangles are sorted
//! out here that certainly are: by far more than the rounding here and in the exact tests, which
//! agree.
//!
//! A triangle is near a line where one of its edges is, or where it contains the beginning of the line. Two
//! edges are near each other where they cross, or where an end of one is near the other.

#[cfg(any(test, not(target_arch = "x86_64")))]
use std::cmp::Ordering;

use glam::DVec3;

use super::cylinder::APART_MARGIN;
use super::packet::{TRIANGLES_AT_ONCE, TrianglePacket};
use crate::math::{Aabb, greater};

/// The effect of rounding to `f32` on everything computed here, as a part of the largest coordinate: at most
/// twenty times 2⁻²⁴, with a margin.
const F32_ROUNDING: f64 = 64.0 / 16_777_216.0;

/// An endless upright column that moves along a line: only what comes near it is of interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Where its axis begins: metres from the centre of a region's sector.
    pub(crate) at: DVec3,
    pub(crate) radius: f64,
    pub(crate) motion: DVec3,
}

/// A column seen from a source's origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnView {
    x: f32,
    z: f32,
    /// Its motion.
    along: [f32; 2],
    /// Square of the distance from its axis within which something counts as near.
    near_squared: f32,
}

impl Column {
    /// Seen from the origin of a prop within a box.
    #[inline]
    pub(super) fn seen_from(&self, origin: DVec3, within: &Aabb) -> ColumnView {
        let at = self.at - origin;
        let motion = self.motion;
        let side = |low: f32, high: f32| greater(f64::from(high).abs(), f64::from(low).abs());
        let far = side(within.min.x, within.max.x) + side(within.min.z, within.max.z);
        let far = far + at.x.abs() + at.z.abs() + motion.x.abs() + motion.z.abs();
        let near = (self.radius + APART_MARGIN + far * F32_ROUNDING) * (1.0 + F32_ROUNDING);
        ColumnView {
            x: at.x as f32,
            z: at.z as f32,
            along: [motion.x as f32, motion.z as f32],
            near_squared: (near * near) as f32,
        }
    }
}

impl TrianglePacket {
    /// Which of the triangles in `of`, one bit each, may come near a column.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn near(&self, of: u32, column: &ColumnView) -> u32 {
        let half = |first: usize| {
            let of = of >> first & 15;
            if of == 0 {
                return 0;
            }
            // SAFETY: `four_near` requires a processor with SSE: every one with x86-64 has it.
            let near = unsafe {
                if column.along == [0.0; 2] {
                    self.four_near::<false>(first, of, column)
                } else {
                    self.four_near::<true>(first, of, column)
                }
            };
            (near & of) << first
        };
        half(0) | half(4)
    }

    /// The same.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    pub(super) fn near(&self, of: u32, column: &ColumnView) -> u32 {
        of & self.near_plainly(column)
    }

    /// Tests four triangles from `first` on, with the same operations as [`is_near`], lane by lane.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse")]
    #[inline(never)]
    #[allow(unsafe_code)]
    fn four_near<const MOVES: bool>(&self, first: usize, of: u32, column: &ColumnView) -> u32 {
        use std::arch::x86_64::{
            __m128, _mm_add_ps, _mm_and_ps, _mm_cmpge_ps, _mm_cmple_ps, _mm_cmpngt_ps,
            _mm_cmpnle_ps, _mm_loadu_ps, _mm_movemask_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps,
            _mm_setzero_ps, _mm_sub_ps,
        };
        type Place = (__m128, __m128);
        let zero = _mm_setzero_ps();
        let near_squared = _mm_set1_ps(column.near_squared);
        let four = |row: &[f32; TRIANGLES_AT_ONCE]| {
            let row: &[f32] = &row[first..first + 4];
            // SAFETY: four numbers are read, those of the slice; they may lie anywhere.
            unsafe { _mm_loadu_ps(row.as_ptr()) }
        };
        let minus = |a: Place, b: Place| (_mm_sub_ps(a.0, b.0), _mm_sub_ps(a.1, b.1));
        let dot = |a: Place, b: Place| _mm_add_ps(_mm_mul_ps(a.0, b.0), _mm_mul_ps(a.1, b.1));
        let cross = |a: Place, b: Place| _mm_sub_ps(_mm_mul_ps(a.1, b.0), _mm_mul_ps(a.0, b.1));
        // Beside a line of this length, closer than what counts as near.
        let in_line = |across: __m128, along: __m128, length: __m128, within: __m128| {
            let between = _mm_and_ps(_mm_cmpnle_ps(along, zero), _mm_cmpnle_ps(length, along));
            _mm_and_ps(between, _mm_cmpngt_ps(_mm_mul_ps(across, across), within))
        };
        let axis: Place = (_mm_set1_ps(column.x), _mm_set1_ps(column.z));
        let corners =
            [0, 1, 2].map(|corner| minus((four(&self.x[corner]), four(&self.z[corner])), axis));
        let edges = [0, 1, 2].map(|edge| minus(corners[(edge + 1) % 3], corners[edge]));
        let mut near = zero;
        let mut sides = [zero; 3];
        let mut alongs = [zero; 3];
        let mut lengths = [zero; 3];
        for edge in 0..3 {
            let (from, way) = (corners[edge], edges[edge]);
            let length = dot(way, way);
            let side = cross(way, from);
            let along = _mm_sub_ps(zero, dot(from, way));
            let within = _mm_mul_ps(near_squared, length);
            near = _mm_or_ps(near, _mm_cmpngt_ps(dot(from, from), near_squared));
            near = _mm_or_ps(near, in_line(side, along, length, within));
            (sides[edge], alongs[edge], lengths[edge]) = (side, along, length);
        }
        let [a, b, c] = sides;
        let left = _mm_and_ps(
            _mm_cmpge_ps(a, zero),
            _mm_and_ps(_mm_cmpge_ps(b, zero), _mm_cmpge_ps(c, zero)),
        );
        let right = _mm_and_ps(
            _mm_cmple_ps(a, zero),
            _mm_and_ps(_mm_cmple_ps(b, zero), _mm_cmple_ps(c, zero)),
        );
        near = _mm_or_ps(near, _mm_or_ps(left, right));
        if MOVES && of & !(_mm_movemask_ps(near) as u32) != 0 {
            let motion: Place = (_mm_set1_ps(column.along[0]), _mm_set1_ps(column.along[1]));
            let length = dot(motion, motion);
            let within = _mm_mul_ps(near_squared, length);
            let across = corners.map(|corner| cross(motion, corner));
            for edge in 0..3 {
                let (from, way) = (minus(corners[edge], motion), edges[edge]);
                let side = _mm_sub_ps(sides[edge], cross(way, motion));
                let along = _mm_add_ps(alongs[edge], dot(way, motion));
                near = _mm_or_ps(near, _mm_cmpngt_ps(dot(from, from), near_squared));
                near = _mm_or_ps(
                    near,
                    in_line(side, along, lengths[edge], _mm_mul_ps(near_squared, lengths[edge])),
                );
                let along = dot(corners[edge], motion);
                near = _mm_or_ps(near, in_line(across[edge], along, length, within));
                // The edge and the way cross.
                let parts_way = _mm_cmpngt_ps(_mm_mul_ps(sides[edge], side), zero);
                let next = across[(edge + 1) % 3];
                let parts_edge = _mm_cmpngt_ps(_mm_mul_ps(across[edge], next), zero);
                near = _mm_or_ps(near, _mm_and_ps(parts_way, parts_edge));
            }
        }
        _mm_movemask_ps(near) as u32
    }

    /// The plain form of [`near`](Self::near).
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn near_plainly(&self, column: &ColumnView) -> u32 {
        let mut near = 0;
        for lane in 0..TRIANGLES_AT_ONCE {
            let corners = [0, 1, 2].map(|corner| [self.x[corner][lane], self.z[corner][lane]]);
            near |= u32::from(is_near(corners, column)) << lane;
        }
        near
    }
}

/// Whether a triangle, seen from above, may come near a column.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn is_near(corners: [[f32; 2]; 3], column: &ColumnView) -> bool {
    type Place = [f32; 2];
    let minus = |a: Place, b: Place| [a[0] - b[0], a[1] - b[1]];
    let dot = |a: Place, b: Place| a[0] * b[0] + a[1] * b[1];
    let cross = |a: Place, b: Place| a[1] * b[0] - a[0] * b[1];
    // What is not a number counts as near.
    let is_within = |square: f32, most: f32| square.partial_cmp(&most) != Some(Ordering::Greater);
    let in_line = |across: f32, along: f32, length: f32| {
        !(along <= 0.0 || length <= along)
            && is_within(across * across, column.near_squared * length)
    };
    let corners = corners.map(|corner| minus(corner, [column.x, column.z]));
    let edges = [0, 1, 2].map(|edge| minus(corners[(edge + 1) % 3], corners[edge]));
    let sides = [0, 1, 2].map(|edge| cross(edges[edge], corners[edge]));
    let begins_near = (0..3).any(|edge| {
        let (from, way) = (corners[edge], edges[edge]);
        is_within(dot(from, from), column.near_squared)
            || in_line(sides[edge], 0.0 - dot(from, way), dot(way, way))
    });
    let is_around = sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0);
    let motion = column.along;
    if begins_near || is_around || motion == [0.0; 2] {
        return begins_near || is_around;
    }
    let across = corners.map(|corner| cross(motion, corner));
    (0..3).any(|edge| {
        let (from, way) = (minus(corners[edge], motion), edges[edge]);
        let side = sides[edge] - cross(way, motion);
        let along = (0.0 - dot(corners[edge], way)) + dot(way, motion);
        let parts = |a: f32, b: f32| !is_within(a * b, 0.0);
        is_within(dot(from, from), column.near_squared)
            || in_line(side, along, dot(way, way))
            || in_line(across[edge], dot(corners[edge], motion), dot(motion, motion))
            || !(parts(sides[edge], side) || parts(across[edge], across[(edge + 1) % 3]))
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use marchland_random::Random;

    use super::*;
    use crate::math::lesser;

    type Flat = [f64; 2];

    fn minus(a: Flat, b: Flat) -> Flat {
        [a[0] - b[0], a[1] - b[1]]
    }

    fn cross(a: Flat, b: Flat) -> f64 {
        a[1] * b[0] - a[0] * b[1]
    }

    /// How far a point is from a segment.
    fn off(point: Flat, from: Flat, to: Flat) -> f64 {
        let (way, there) = (minus(to, from), minus(point, from));
        let square = way[0] * way[0] + way[1] * way[1];
        let along = (there[0] * way[0] + there[1] * way[1]) / square;
        let along = lesser(greater(along, 0.0), 1.0);
        let [x, z] = [there[0] - way[0] * along, there[1] - way[1] * along];
        (x * x + z * z).sqrt()
    }

    /// How far a triangle is from a segment.
    fn apart(corners: [Flat; 3], begin: Flat, end: Flat) -> f64 {
        let mut least = f64::INFINITY;
        let mut sides = [0.0; 3];
        for edge in 0..3 {
            let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
            let side = |of: Flat| cross(minus(to, from), minus(from, of));
            let across = |of: Flat| cross(minus(end, begin), minus(of, begin));
            if side(begin) * side(end) < 0.0 && across(from) * across(to) < 0.0 {
                return 0.0;
            }
            sides[edge] = side(begin);
            let ends = [(begin, from, to), (end, from, to), (from, begin, end)];
            for (point, from, to) in ends {
                let off = off(point, from, to);
                least = lesser(off, least);
            }
        }
        let is_around = sides.iter().all(|&at| at > 0.0) || sides.iter().all(|&at| at < 0.0);
        if is_around { 0.0 } else { least }
    }

    #[test]
    fn nothing_is_told_beside_that_a_column_reaches_and_little_else_is_kept() {
        let mut random = Random::new(29);
        let mut part = || random.part();
        let (mut beside, mut kept, mut in_vain) = (0, 0, 0);
        for round in 0..150_000 {
            let size = [0.3, 1.0, 5.0, 40.0, 3000.0][round % 5];
            let radius = [0.41, 0.05, 2.0, 1e-6][round / 5 % 4];
            let center = DVec3::new(part() - 0.5, part(), part() - 0.5) * size * 3.0;
            // On lattices, so that walls lie along the way and edges along each other.
            let step = [1e-3, 0.25, 1.0][round / 20 % 3] * size;
            let mut coarse = |far: f64| ((part() - 0.5) * far / step).round() * step;
            let motion = if round % 3 == 0 {
                DVec3::ZERO
            } else {
                DVec3::new(coarse(0.6), coarse(1.0), coarse(0.6) * size)
            };
            let mut each = [[Vec3::ZERO; 3]; TRIANGLES_AT_ONCE];
            let mut packet = TrianglePacket::NONE;
            let mut within = Aabb::around([center.as_vec3(), center.as_vec3()]);
            for (lane, corners) in each.iter_mut().enumerate() {
                let upright = lane % 3 == 0;
                let mut corner = || DVec3::new(coarse(size), coarse(size), coarse(size));
                let [a, b, mut c] = [corner(), corner(), corner()];
                if upright {
                    (c.x, c.z) = (b.x, b.z);
                }
                // Often so far away that the column only just reaches it, or does not.
                let to = [a.x, a.z];
                let away = (to[0] * to[0] + to[1] * to[1]).sqrt();
                let near = radius + [0.0, 1e-4, -1e-4, 1e-2][lane % 4];
                let shift = if away > 0.0 && lane % 2 == 0 { near / away - 1.0 } else { 0.0 };
                let shift = center + DVec3::new(a.x, 0.0, a.z) * shift;
                *corners = [a, b, c].map(|at| (at + shift).as_vec3());
                packet.put(lane, corners);
                within = within.union(Aabb::around_three(*corners));
            }
            let column = Column { at: center, radius, motion };
            let seen = column.seen_from(DVec3::ZERO, &within);
            let told = packet.near(0xFF, &seen);
            assert_eq!(told, packet.near_plainly(&seen), "{each:?} {column:?}");
            assert_eq!(packet.near(0b0101_1010, &seen), told & 0b0101_1010);
            for (lane, corners) in each.iter().enumerate() {
                let flat = corners.map(|at| [f64::from(at.x), f64::from(at.z)]);
                let begin = [center.x, center.z];
                let apart = apart(flat, begin, [begin[0] + motion.x, begin[1] + motion.z]);
                let is_told = told >> lane & 1 == 1;
                assert!(is_told || apart > radius + APART_MARGIN, "{apart} {corners:?} {column:?}");
                beside += usize::from(!is_told);
                kept += usize::from(is_told);
                in_vain +=
                    usize::from(is_told && apart > radius + APART_MARGIN + 2e-4 * (1.0 + size));
            }
        }
        assert!(
            beside > 100_000 && kept > 100_000 && in_vain * 100 < kept,
            "{beside} {kept} {in_vain}"
        );
    }
}
