//! Registers of sixteen: what the AVX-512 kernels of separation share.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use super::grid::WHOLE;

/// Units in a register.
pub(super) const BLOCK: usize = 16;

/// Numbers that a register is written to and that are read one by one: within one line of the cache, or
/// they could not be read before the line is written, and that may wait for others.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Line<T>(pub(super) T);

/// Whether this processor has what the kernels need.
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("popcnt")
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn ints(from: &[i32], at: usize) -> __m512i {
    let from = &from[at..at + BLOCK];
    // SAFETY: sixteen integers.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn words(from: &[u32], at: usize) -> __m512i {
    let from = &from[at..at + BLOCK];
    // SAFETY: sixteen integers.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn floats(from: &[f32], at: usize) -> __m512 {
    let from = &from[at..at + BLOCK];
    // SAFETY: sixteen floats.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn store_words(to: &mut [u32], at: usize, value: __m512i) {
    let to = &mut to[at..at + BLOCK];
    // SAFETY: sixteen integers.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn store(to: &mut [f32], at: usize, value: __m512) {
    let to = &mut to[at..at + BLOCK];
    // SAFETY: sixteen floats.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn bits(of: __m512) -> __m512i {
    _mm512_castps_si512(of)
}

/// 0 to 15.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn order() -> __m512i {
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/// Columns or rows of cells, as [`Level::cell`](super::grid::Level::cell). Cells in a quantum for the
/// first eight lanes and for the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn cells(scale: [__m512d; 2], quanta: __m512i) -> __m512i {
    let half = |half: __m256i, scale: __m512d| {
        let cells = _mm512_mul_pd(_mm512_cvtepi32_pd(half), scale);
        let whole = _mm512_add_pd(cells, _mm512_set1_pd(WHOLE));
        _mm512_cvtepi64_epi32(_mm512_castpd_si512(whole))
    };
    let low = half(_mm512_castsi512_si256(quanta), scale[0]);
    let high = half(_mm512_extracti64x4_epi64::<1>(quanta), scale[1]);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// Where the parts of sixteen triples stand in three registers: part `axis` of triple `lane` is number
/// `3·lane + axis`. Of two registers the second one's numbers follow; of one alone they count from it.
const fn apart(axis: i32, numbers: i32) -> [i32; BLOCK] {
    let mut places = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        places[lane] = (3 * lane as i32 + axis) & (numbers - 1);
        lane += 1;
    }
    places
}

/// Which of sixteen triples have a part in the third register.
const fn is_last(axis: i32) -> u16 {
    let mut mask = 0;
    let mut lane = 0;
    while lane < BLOCK {
        if 3 * lane as i32 + axis >= 32 {
            mask |= 1 << lane;
        }
        lane += 1;
    }
    mask
}

const FIRST: [[i32; BLOCK]; 3] = [apart(0, 32), apart(1, 32), apart(2, 32)];
const LAST: [[i32; BLOCK]; 3] = [apart(0, 16), apart(1, 16), apart(2, 16)];
const IS_LAST: [u16; 3] = [is_last(0), is_last(1), is_last(2)];

/// One part of sixteen triples.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn part(triples: [__m512; 3], axis: usize) -> __m512 {
    let first = _mm512_permutex2var_ps(triples[0], ints(&FIRST[axis], 0), triples[1]);
    _mm512_mask_permutexvar_ps(first, IS_LAST[axis], ints(&LAST[axis], 0), triples[2])
}

/// Sixteen places, as triples.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn places(from: &[Vec3], at: usize) -> [__m512; 3] {
    const { assert!(size_of::<Vec3>() == 12) }
    let from = from[at..at + BLOCK].as_ptr().cast::<f32>();
    // SAFETY: three registers are sixteen triples of floats, all that there is.
    [0, 1, 2].map(|register| unsafe { _mm512_loadu_ps(from.add(register * BLOCK)) })
}

/// Places of the first numbers of sixteen pairs in two registers, and of the second ones.
const EVEN: [i32; BLOCK] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const ODD: [i32; BLOCK] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

/// Sixteen sectors: along X and along Z.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn sectors(from: &[SectorCoord], at: usize) -> [__m512i; 2] {
    const { assert!(size_of::<SectorCoord>() == 8) }
    const { assert!(std::mem::offset_of!(SectorCoord, x) == 0) }
    const { assert!(std::mem::offset_of!(SectorCoord, z) == 4) }
    let from = from[at..at + BLOCK].as_ptr().cast::<i32>();
    // SAFETY: two registers are sixteen pairs of integers, all that there is.
    let both = [0, 1].map(|half| unsafe { _mm512_loadu_si512(from.add(half * BLOCK).cast()) });
    [EVEN, ODD].map(|order| _mm512_permutex2var_epi32(both[0], ints(&order, 0), both[1]))
}

/// Where the parts of eight pairs come from: the first ones below 16, the second ones above.
const TOGETHER: [[i32; BLOCK]; 2] = [
    [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23],
    [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31],
];

/// Writes sixteen pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn store_pairs(to: &mut [[f32; 2]; BLOCK], [first, second]: [__m512; 2]) {
    for (half, order) in TOGETHER.iter().enumerate() {
        let pairs = _mm512_permutex2var_ps(first, ints(order, 0), second);
        store(to.as_flattened_mut(), half * BLOCK, pairs);
    }
}

/// The parts of sixteen pairs in two registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn pairs_apart(both: [__m512; 2]) -> [__m512; 2] {
    [EVEN, ODD].map(|order| _mm512_permutex2var_ps(both[0], ints(&order, 0), both[1]))
}
