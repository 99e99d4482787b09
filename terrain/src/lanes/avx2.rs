//! AVX2: two registers of eight.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::backend::{Kernel, LANES, Lanes};
use super::each::each;
use super::parts::{lanes_in_parts, registers};
use super::plain::WHOLE;

/// Exists only where the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// The backend, if it may run here.
    pub(super) fn detect() -> Option<Self> {
        let is_here = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
        is_here.then_some(Self(()))
    }
}

type F = __m256;
type I = __m256i;

registers! { "avx2,popcnt"
    fn splat(value: f32) -> F { _mm256_set1_ps(value) }
    fn load(from: &[f32; 8]) -> F {
        // SAFETY: eight numbers.
        unsafe { _mm256_loadu_ps(from.as_ptr()) }
    }
    fn store(value: F, to: &mut [f32; 8]) {
        // SAFETY: eight numbers.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), value) }
    }
    fn add(a: F, b: F) -> F { _mm256_add_ps(a, b) }
    fn sub(a: F, b: F) -> F { _mm256_sub_ps(a, b) }
    fn mul(a: F, b: F) -> F { _mm256_mul_ps(a, b) }
    fn div(a: F, b: F) -> F { _mm256_div_ps(a, b) }
    fn sqrt(a: F) -> F { _mm256_sqrt_ps(a) }
    fn floor(a: F) -> F { _mm256_floor_ps(a) }
    fn lt(a: F, b: F) -> I { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
    fn le(a: F, b: F) -> I { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) }
    fn eq(a: F, b: F) -> I { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) }
    fn select(mask: I, yes: F, no: F) -> F { _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(mask)) }
    fn bits(a: F) -> I { _mm256_castps_si256(a) }
    fn of_bits(a: I) -> F { _mm256_castsi256_ps(a) }
    fn truncate(a: F) -> I { _mm256_cvttps_epi32(a) }

    fn splat_int(value: i32) -> I { _mm256_set1_epi32(value) }
    fn load_int(from: &[i32; 8]) -> I {
        // SAFETY: eight numbers.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }
    fn store_int(value: I, to: &mut [i32; 8]) {
        // SAFETY: eight numbers.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
    }
    fn add_int(a: I, b: I) -> I { _mm256_add_epi32(a, b) }
    fn sub_int(a: I, b: I) -> I { _mm256_sub_epi32(a, b) }
    fn mul_int(a: I, b: I) -> I { _mm256_mullo_epi32(a, b) }
    fn and(a: I, b: I) -> I { _mm256_and_si256(a, b) }
    fn or(a: I, b: I) -> I { _mm256_or_si256(a, b) }
    fn xor(a: I, b: I) -> I { _mm256_xor_si256(a, b) }
    fn up(a: I, bits: u32) -> I { _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    fn down(a: I, bits: u32) -> I { _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    fn eq_int(a: I, b: I) -> I { _mm256_cmpeq_epi32(a, b) }
    fn gt_int(a: I, b: I) -> I { _mm256_cmpgt_epi32(a, b) }
    fn select_int(mask: I, yes: I, no: I) -> I { _mm256_blendv_epi8(no, yes, mask) }
    fn to_f32(a: I) -> F { _mm256_cvtepi32_ps(a) }
    fn scaled(a: I, scale: &[f64; 8]) -> I {
        let (low, high) = (_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
        let (low, high) = (_mm256_cvtepi32_pd(low), _mm256_cvtepi32_pd(high));
        // SAFETY: four numbers each.
        let [scale_low, scale_high] = unsafe {
            [_mm256_loadu_pd(scale.as_ptr()), _mm256_loadu_pd(scale[4..].as_ptr())]
        };
        let whole = _mm256_set1_pd(WHOLE);
        let low = _mm256_add_pd(_mm256_mul_pd(low, scale_low), whole);
        let high = _mm256_add_pd(_mm256_mul_pd(high, scale_high), whole);
        // The low halves of all: within each half of the registers first, then in order.
        let mixed = _mm256_shuffle_ps::<0b10_00_10_00>(_mm256_castpd_ps(low), _mm256_castpd_ps(high));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_castps_si256(mixed))
    }
    fn mask_bits(a: I) -> u16 { _mm256_movemask_ps(_mm256_castsi256_ps(a)) as u16 }
    fn negative(a: I) -> I { _mm256_srai_epi32::<31>(a) }

    /// The numbers of eight at places; the three lowest bits count.
    fn pick(from: I, at: I) -> I { _mm256_permutevar8x32_epi32(from, at) }
    fn look_up(window: [I; 4], at: I) -> I {
        // Bits 3 and 4 of a place select the register; a blend looks at the highest bit.
        let is_odd = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(at));
        let is_high = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(at));
        let [a, b, c, d] = window;
        let [a, b, c, d] = each!([a, b, c, d], |from| _mm256_castsi256_ps(pick(from, at)));
        let (low, high) = (_mm256_blendv_ps(a, b, is_odd), _mm256_blendv_ps(c, d, is_odd));
        _mm256_castps_si256(_mm256_blendv_ps(low, high, is_high))
    }
    fn gather(from: &[i32], at: I, lanes: I) -> I {
        // As signed numbers: no place is negative if it is below a length of at most `i32::MAX`.
        let len = _mm256_set1_epi32(from.len().min(i32::MAX as usize) as i32);
        let is_there = _mm256_andnot_si256(_mm256_srai_epi32::<31>(at), _mm256_cmpgt_epi32(len, at));
        let lanes = _mm256_and_si256(lanes, is_there);
        // SAFETY: lanes that are read are at places within the slice.
        unsafe {
            _mm256_mask_i32gather_epi32::<4>(_mm256_setzero_si256(), from.as_ptr(), at, lanes)
        }
    }
    /// Eight triples in three registers, taken apart.
    fn parts_of_triples([a, b, c]: [I; 3]) -> [I; 3] {
        // In each half: x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3.
        let first = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x30>(a, b));
        let second = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x21>(a, c));
        let third = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x30>(b, c));
        let xy = _mm256_shuffle_ps::<0b10_01_11_10>(second, third);
        let yz = _mm256_shuffle_ps::<0b01_00_10_01>(first, second);
        let x = _mm256_shuffle_ps::<0b10_00_11_00>(first, xy);
        let y = _mm256_shuffle_ps::<0b11_01_10_00>(yz, xy);
        let z = _mm256_shuffle_ps::<0b11_00_11_01>(yz, third);
        [_mm256_castps_si256(x), _mm256_castps_si256(y), _mm256_castps_si256(z)]
    }
    /// The reverse of [`parts_of_triples`].
    fn triples_of_parts([x, y, z]: [I; 3]) -> [I; 3] {
        let (x, y, z) = (_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), _mm256_castsi256_ps(z));
        let xy = _mm256_shuffle_ps::<0b10_00_10_00>(x, y);
        let yz = _mm256_shuffle_ps::<0b11_01_11_01>(y, z);
        let zx = _mm256_shuffle_ps::<0b11_01_10_00>(z, x);
        let first = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(xy, zx));
        let second = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_10_00>(yz, xy));
        let third = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(zx, yz));
        [
            _mm256_permute2x128_si256::<0x20>(first, second),
            _mm256_permute2x128_si256::<0x30>(third, first),
            _mm256_permute2x128_si256::<0x31>(second, third),
        ]
    }
    /// Eight pairs in two registers, taken apart.
    fn parts_of_pairs([a, b]: [I; 2]) -> [I; 2] {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        let first = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
        let second = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b));
        [
            _mm256_permute4x64_epi64::<0b11_01_10_00>(first),
            _mm256_permute4x64_epi64::<0b11_01_10_00>(second),
        ]
    }
    /// The reverse of [`parts_of_pairs`].
    fn pairs_of_parts([a, b]: [I; 2]) -> [I; 2] {
        let (low, high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        [
            _mm256_permute2x128_si256::<0x20>(low, high),
            _mm256_permute2x128_si256::<0x31>(low, high),
        ]
    }
    /// Eight rows of four in four registers, as four columns.
    fn columns(rows: [I; 4]) -> [I; 4] {
        // Rows 0 and 4, 1 and 5, 2 and 6, 3 and 7.
        let [a, b, c, d] = rows;
        transposed([
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ])
    }
    /// The reverse of [`columns`].
    fn rows(columns: [I; 4]) -> [I; 4] {
        let [a, b, c, d] = transposed(columns);
        [
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x20>(c, d),
            _mm256_permute2x128_si256::<0x31>(a, b),
            _mm256_permute2x128_si256::<0x31>(c, d),
        ]
    }
    /// Four by four numbers in each half of four registers, rows for columns.
    fn transposed([a, b, c, d]: [I; 4]) -> [I; 4] {
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

lanes_in_parts! { Avx2, "avx2,popcnt", F, I, [I; 4], [0 1], {
    #[inline(always)]
    fn window(self, from: &[i32; 2 * LANES]) -> Self::Window {
        let eight = from.as_chunks::<8>().0;
        each!([0, 1, 2, 3], |at| call!(load_int(&eight[at])))
    }
    #[inline(always)]
    fn look_up(self, window: Self::Window, at: Self::I32) -> Self::I32 {
        [call!(look_up(window, at[0])), call!(look_up(window, at[1]))]
    }
    #[inline(always)]
    fn pack(self, lanes: u16, a: Self::I32, to: &mut [i32; LANES]) {
        let [low, high] = [usize::from(lanes & 0xff), usize::from(lanes >> 8)];
        let first = low.count_ones() as usize;
        let [low, high] = each!([low, high], |lanes| call!(load_int(&PACKED[lanes])));
        let packed = [call!(pick(a[0], low)), call!(pick(a[1], high))];
        if let Some(to) = to.first_chunk_mut() {
            call!(store_int(packed[0], to));
        }
        if let Some(to) = to[first..].first_chunk_mut() {
            call!(store_int(packed[1], to));
        }
    }
    #[inline(always)]
    fn gather(self, from: &[i32], at: Self::I32, lanes: Self::Mask) -> Self::I32 {
        [call!(gather(from, at[0], lanes[0])), call!(gather(from, at[1], lanes[1]))]
    }
    #[inline(always)]
    fn unzip2(self, together: &[[i32; LANES]; 2]) -> [Self::I32; 2] {
        let [a, b] = each!([&together[0], &together[1]], |some| self.load_int(some));
        let (low, high) = (call!(parts_of_pairs(a)), call!(parts_of_pairs(b)));
        each!([0, 1], |part| [low[part], high[part]])
    }
    #[inline(always)]
    fn unzip3(self, together: &[[i32; LANES]; 3]) -> [Self::I32; 3] {
        let [a, b, c] =
            each!([&together[0], &together[1], &together[2]], |some| self.load_int(some));
        let low = call!(parts_of_triples([a[0], a[1], b[0]]));
        let high = call!(parts_of_triples([b[1], c[0], c[1]]));
        each!([0, 1, 2], |part| [low[part], high[part]])
    }
    #[inline(always)]
    fn zip2(self, [a, b]: [Self::I32; 2]) -> [Self::I32; 2] {
        each!([0, 1], |eight| call!(pairs_of_parts([a[eight], b[eight]])))
    }
    #[inline(always)]
    fn zip3(self, [x, y, z]: [Self::I32; 3]) -> [Self::I32; 3] {
        let [low, high] =
            each!([0, 1], |eight| call!(triples_of_parts([x[eight], y[eight], z[eight]])));
        [[low[0], low[1]], [low[2], high[0]], [high[1], high[2]]]
    }
    #[inline(always)]
    fn unzip4(self, together: &[[i32; LANES]; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = together;
        let all = each!([a, b, c, d], |some| self.load_int(some));
        let low = call!(columns([all[0][0], all[0][1], all[1][0], all[1][1]]));
        let high = call!(columns([all[2][0], all[2][1], all[3][0], all[3][1]]));
        each!([0, 1, 2, 3], |part| [low[part], high[part]])
    }
    #[inline(always)]
    fn zip4(self, parts: [Self::I32; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = parts;
        let low = call!(rows([a[0], b[0], c[0], d[0]]));
        let high = call!(rows([a[1], b[1], c[1], d[1]]));
        [[low[0], low[1]], [low[2], low[3]], [high[0], high[1]], [high[2], high[3]]]
    }
} }

/// For each mask of eight lanes, the lanes that it has, one after another.
static PACKED: [[i32; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                all[mask][next] = lane;
                next += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    all
};
