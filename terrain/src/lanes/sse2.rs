//! SSE2, which every x86-64 processor has: four registers of four.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::backend::{Kernel, LANES, Lanes};
use super::each::each;
use super::parts::{lanes_in_parts, registers};
use super::plain::WHOLE;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sse2;

type F = __m128;
type I = __m128i;

registers! { "sse2"
    fn splat(value: f32) -> F { _mm_set1_ps(value) }
    fn load(from: &[f32; 4]) -> F {
        // SAFETY: four numbers.
        unsafe { _mm_loadu_ps(from.as_ptr()) }
    }
    fn store(value: F, to: &mut [f32; 4]) {
        // SAFETY: four numbers.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), value) }
    }
    fn add(a: F, b: F) -> F { _mm_add_ps(a, b) }
    fn sub(a: F, b: F) -> F { _mm_sub_ps(a, b) }
    fn mul(a: F, b: F) -> F { _mm_mul_ps(a, b) }
    fn div(a: F, b: F) -> F { _mm_div_ps(a, b) }
    fn sqrt(a: F) -> F { _mm_sqrt_ps(a) }
    /// Below 2²³ a sum with 2²³ leaves the nearest whole number. Larger numbers are whole.
    fn floor(a: F) -> F {
        let sign = _mm_and_ps(a, _mm_set1_ps(-0.0));
        let size = _mm_andnot_ps(_mm_set1_ps(-0.0), a);
        let from_here_whole = _mm_set1_ps(8_388_608.0);
        let nearest = _mm_sub_ps(_mm_add_ps(size, from_here_whole), from_here_whole);
        let nearest = _mm_or_ps(nearest, sign);
        let less = _mm_and_ps(_mm_cmpgt_ps(nearest, a), _mm_set1_ps(1.0));
        // 0 − 0 would lose the sign.
        let below = _mm_or_ps(_mm_sub_ps(nearest, less), sign);
        select(_mm_castps_si128(_mm_cmplt_ps(size, from_here_whole)), below, a)
    }
    fn lt(a: F, b: F) -> I { _mm_castps_si128(_mm_cmplt_ps(a, b)) }
    fn le(a: F, b: F) -> I { _mm_castps_si128(_mm_cmple_ps(a, b)) }
    fn eq(a: F, b: F) -> I { _mm_castps_si128(_mm_cmpeq_ps(a, b)) }
    fn select(mask: I, yes: F, no: F) -> F {
        let mask = _mm_castsi128_ps(mask);
        _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no))
    }
    fn bits(a: F) -> I { _mm_castps_si128(a) }
    fn of_bits(a: I) -> F { _mm_castsi128_ps(a) }
    fn truncate(a: F) -> I { _mm_cvttps_epi32(a) }

    fn splat_int(value: i32) -> I { _mm_set1_epi32(value) }
    fn load_int(from: &[i32; 4]) -> I {
        // SAFETY: four numbers.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }
    fn store_int(value: I, to: &mut [i32; 4]) {
        // SAFETY: four numbers.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), value) }
    }
    fn add_int(a: I, b: I) -> I { _mm_add_epi32(a, b) }
    fn sub_int(a: I, b: I) -> I { _mm_sub_epi32(a, b) }
    /// Products of even and odd numbers, of which the low halves are put together.
    fn mul_int(a: I, b: I) -> I {
        let even = _mm_mul_epu32(a, b);
        let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        let [even, odd] = each!([even, odd], |all| _mm_shuffle_epi32::<0b00_00_10_00>(all));
        _mm_unpacklo_epi32(even, odd)
    }
    fn and(a: I, b: I) -> I { _mm_and_si128(a, b) }
    fn or(a: I, b: I) -> I { _mm_or_si128(a, b) }
    fn xor(a: I, b: I) -> I { _mm_xor_si128(a, b) }
    fn up(a: I, bits: u32) -> I { _mm_sll_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    fn down(a: I, bits: u32) -> I { _mm_srl_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    fn eq_int(a: I, b: I) -> I { _mm_cmpeq_epi32(a, b) }
    fn gt_int(a: I, b: I) -> I { _mm_cmpgt_epi32(a, b) }
    fn select_int(mask: I, yes: I, no: I) -> I {
        _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no))
    }
    fn to_f32(a: I) -> F { _mm_cvtepi32_ps(a) }
    fn scaled(a: I, scale: &[f64; 4]) -> I {
        // SAFETY: two numbers each.
        let scale = unsafe { [_mm_loadu_pd(scale.as_ptr()), _mm_loadu_pd(scale[2..].as_ptr())] };
        let whole = _mm_set1_pd(WHOLE);
        let low = _mm_add_pd(_mm_mul_pd(_mm_cvtepi32_pd(a), scale[0]), whole);
        let high = _mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a));
        let high = _mm_add_pd(_mm_mul_pd(high, scale[1]), whole);
        let low_halves = _mm_shuffle_ps::<0b10_00_10_00>(_mm_castpd_ps(low), _mm_castpd_ps(high));
        _mm_castps_si128(low_halves)
    }
    fn mask_bits(a: I) -> u16 { _mm_movemask_ps(_mm_castsi128_ps(a)) as u16 }
    fn negative(a: I) -> I { _mm_srai_epi32::<31>(a) }
    /// Four triples in three registers, taken apart.
    fn parts_of_triples([a, b, c]: [I; 3]) -> [I; 3] {
        // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3.
        let (a, b, c) = (_mm_castsi128_ps(a), _mm_castsi128_ps(b), _mm_castsi128_ps(c));
        let xy = _mm_shuffle_ps::<0b10_01_11_10>(b, c);
        let yz = _mm_shuffle_ps::<0b01_00_10_01>(a, b);
        let x = _mm_shuffle_ps::<0b10_00_11_00>(a, xy);
        let y = _mm_shuffle_ps::<0b11_01_10_00>(yz, xy);
        let z = _mm_shuffle_ps::<0b11_00_11_01>(yz, c);
        [_mm_castps_si128(x), _mm_castps_si128(y), _mm_castps_si128(z)]
    }
    /// The reverse of [`parts_of_triples`].
    fn triples_of_parts([x, y, z]: [I; 3]) -> [I; 3] {
        let (x, y, z) = (_mm_castsi128_ps(x), _mm_castsi128_ps(y), _mm_castsi128_ps(z));
        let xy = _mm_shuffle_ps::<0b10_00_10_00>(x, y);
        let yz = _mm_shuffle_ps::<0b11_01_11_01>(y, z);
        let zx = _mm_shuffle_ps::<0b11_01_10_00>(z, x);
        let a = _mm_shuffle_ps::<0b10_00_10_00>(xy, zx);
        let b = _mm_shuffle_ps::<0b11_01_10_00>(yz, xy);
        let c = _mm_shuffle_ps::<0b11_01_11_01>(zx, yz);
        [_mm_castps_si128(a), _mm_castps_si128(b), _mm_castps_si128(c)]
    }
    /// Four pairs in two registers, taken apart.
    fn parts_of_pairs([a, b]: [I; 2]) -> [I; 2] {
        let (a, b) = (_mm_castsi128_ps(a), _mm_castsi128_ps(b));
        let first = _mm_shuffle_ps::<0b10_00_10_00>(a, b);
        [_mm_castps_si128(first), _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(a, b))]
    }
    /// The reverse of [`parts_of_pairs`].
    fn pairs_of_parts([a, b]: [I; 2]) -> [I; 2] {
        [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)]
    }
    /// Four by four numbers, rows for columns.
    fn transposed([a, b, c, d]: [I; 4]) -> [I; 4] {
        let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
        [
            _mm_unpacklo_epi64(ab, cd),
            _mm_unpackhi_epi64(ab, cd),
            _mm_unpacklo_epi64(ab_high, cd_high),
            _mm_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

lanes_in_parts! { Sse2, "sse2", F, I, [i32; 2 * LANES], [0 1 2 3], {
    #[inline(always)]
    fn window(self, from: &[i32; 2 * LANES]) -> Self::Window {
        *from
    }
    #[inline(always)]
    fn look_up(self, window: Self::Window, at: Self::I32) -> Self::I32 {
        self.load_int(&self.array(at).map(|at| window[at as usize % (2 * LANES)]))
    }
    #[inline(always)]
    fn unzip2(self, together: &[[i32; LANES]; 2]) -> [Self::I32; 2] {
        let [a, b] = each!([&together[0], &together[1]], |some| self.load_int(some));
        let all = [[a[0], a[1]], [a[2], a[3]], [b[0], b[1]], [b[2], b[3]]];
        let all = each!([0, 1, 2, 3], |four| call!(parts_of_pairs(all[four])));
        each!([0, 1], |part| [all[0][part], all[1][part], all[2][part], all[3][part]])
    }
    #[inline(always)]
    fn unzip3(self, together: &[[i32; LANES]; 3]) -> [Self::I32; 3] {
        let [a, b, c] =
            each!([&together[0], &together[1], &together[2]], |some| self.load_int(some));
        let all = [[a[0], a[1], a[2]], [a[3], b[0], b[1]], [b[2], b[3], c[0]], [c[1], c[2], c[3]]];
        let all = each!([0, 1, 2, 3], |four| call!(parts_of_triples(all[four])));
        each!([0, 1, 2], |part| [all[0][part], all[1][part], all[2][part], all[3][part]])
    }
    #[inline(always)]
    fn zip2(self, [a, b]: [Self::I32; 2]) -> [Self::I32; 2] {
        let [p, q, r, s] = each!([0, 1, 2, 3], |four| call!(pairs_of_parts([a[four], b[four]])));
        [[p[0], p[1], q[0], q[1]], [r[0], r[1], s[0], s[1]]]
    }
    #[inline(always)]
    fn zip3(self, [x, y, z]: [Self::I32; 3]) -> [Self::I32; 3] {
        let [p, q, r, s] =
            each!([0, 1, 2, 3], |four| call!(triples_of_parts([x[four], y[four], z[four]])));
        [[p[0], p[1], p[2], q[0]], [q[1], q[2], r[0], r[1]], [r[2], s[0], s[1], s[2]]]
    }
    #[inline(always)]
    fn unzip4(self, together: &[[i32; LANES]; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = together;
        let [a, b, c, d] =
            each!([a, b, c, d], |some| call!(transposed(self.load_int(some))));
        each!([0, 1, 2, 3], |part| [a[part], b[part], c[part], d[part]])
    }
    #[inline(always)]
    fn zip4(self, parts: [Self::I32; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = parts;
        each!([0, 1, 2, 3], |four| call!(transposed([a[four], b[four], c[four], d[four]])))
    }
} }
