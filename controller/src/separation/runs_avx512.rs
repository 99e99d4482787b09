//! The stretches of the columns that hold the units which may touch others, with AVX-512: sixteen units
//! at a time.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::grid::Level;
use super::pairs::RUN_MAX;
use super::sort_avx512::cells;
use super::sorted::Sorted;
use crate::lanes::avx512::{ints, of_64, order, words};
use crate::units::cells::LANES;

/// Units whose sum is not found here, a bit for each lane of a block: units at exactly the same place as
/// another, in a heap, or at an end of the buckets.
pub(super) type LaneMask = u16;

/// Stretches of the columns, one in each lane.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) begin: __m512i,
    pub(super) len: __m512i,
}

/// The buckets of sixteen units from `at` on, not yet rolled up.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn homes(sorted: &Sorted, level: &Level, at: usize) -> __m512i {
    let (x, z) = (ints(&sorted.xs, at), ints(&sorted.zs, at));
    let scale = [_mm512_set1_pd(level.cells_per_quantum); 2];
    let rows = _mm512_mullo_epi32(cells(scale, z), _mm512_set1_epi32(level.stride as i32));
    _mm512_add_epi32(rows, cells(scale, x))
}

/// Where every bucket of a level begins, and where the last one ends.
#[inline]
fn ends_of<'a>(sorted: &'a Sorted, level: &Level) -> &'a [u32] {
    &sorted.ends[level.first as usize..(level.first + level.mask) as usize + 2]
}

/// The runs of sixteen units from `at` on in three rows, and a mask of the lanes that have none here:
/// runs that wrap around to the first bucket, and runs that are too long.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn runs_of(sorted: &Sorted, level: &Level, at: usize) -> ([Runs; 3], LaneMask) {
    let mask = _mm512_set1_epi32(level.mask as i32);
    let stride = _mm512_set1_epi32(level.stride as i32);
    let home = homes(sorted, level, at);
    let ends = ends_of(sorted, level);
    let mut left = 0;
    let runs = [_mm512_sub_epi32(home, stride), home, _mm512_add_epi32(home, stride)].map(|row| {
        let middle = _mm512_and_si512(row, mask);
        let is_edge =
            _mm512_cmpeq_epi32_mask(middle, mask) | _mm512_testn_epi32_mask(middle, middle);
        let near = if is_edge == 0 { near_runs(ends, middle) } else { None };
        let run = near.unwrap_or_else(|| far_runs(ends, middle, !is_edge));
        left |= is_edge | _mm512_cmpgt_epi32_mask(run.len, _mm512_set1_epi32(RUN_MAX as i32));
        run
    });
    (runs.map(|run| Runs { len: _mm512_maskz_mov_epi32(!left, run.len), ..run }), left)
}

/// For sixteen units from `at` on: how many units that may touch it follow each one in its row, and its run
/// in the next row. Empty in unrequested lanes, and where a run continues at the first bucket or is too long.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn runs_ahead(
    sorted: &Sorted,
    level: &Level,
    at: usize,
    lanes: __mmask16,
) -> (__m512i, Runs) {
    let mask = _mm512_set1_epi32(level.mask as i32);
    let stride = _mm512_set1_epi32(level.stride as i32);
    let home = homes(sorted, level, at);
    let ends = ends_of(sorted, level);
    let [own, next] = [home, _mm512_add_epi32(home, stride)].map(|row| {
        let middle = _mm512_and_si512(row, mask);
        let is_edge =
            _mm512_cmpeq_epi32_mask(middle, mask) | _mm512_testn_epi32_mask(middle, middle);
        let near = if is_edge == 0 { near_runs(ends, middle) } else { None };
        let run = near.unwrap_or_else(|| far_runs(ends, middle, lanes & !is_edge));
        let fits = _mm512_cmple_epi32_mask(run.len, _mm512_set1_epi32(RUN_MAX as i32));
        Runs { len: _mm512_maskz_mov_epi32(fits & lanes, run.len), ..run }
    });
    let places = _mm512_add_epi32(order(), _mm512_set1_epi32(at as i32 + 1));
    let follow = _mm512_sub_epi32(_mm512_add_epi32(own.begin, own.len), places);
    let is_some = _mm512_test_epi32_mask(own.len, own.len);
    (_mm512_maskz_mov_epi32(is_some, follow), next)
}

/// Runs around buckets near each other, as for consecutive units: their ends lie within two registers, or
/// four. `None` if they do not.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn near_runs(ends: &[u32], middle: __m512i) -> Option<Runs> {
    const REACH: usize = 4 * LANES;
    let first = _mm_cvtsi128_si32(_mm512_castsi512_si128(middle));
    let ends = ends.get((first as usize).wrapping_sub(1)..)?.get(..REACH)?;
    let from = _mm512_sub_epi32(middle, _mm512_set1_epi32(first));
    if _mm512_cmpgt_epu32_mask(from, _mm512_set1_epi32(REACH as i32 - 4)) != 0 {
        return None;
    }
    let after = _mm512_add_epi32(from, _mm512_set1_epi32(3));
    let low = [0, 1].map(|part| words(ends, part * LANES));
    let is_low = _mm512_cmpge_epu32_mask(after, _mm512_set1_epi32(2 * LANES as i32)) == 0;
    let (begin, end) = if is_low {
        let of_32 = |at| _mm512_permutex2var_epi32(low[0], at, low[1]);
        (of_32(from), of_32(after))
    } else {
        let high = [2, 3].map(|part| words(ends, part * LANES));
        let all = [low[0], low[1], high[0], high[1]];
        (of_64(all, from), of_64(all, after))
    };
    Some(Runs { begin, len: _mm512_sub_epi32(end, begin) })
}

/// Runs around any buckets except the first and the last one, in the lanes of a mask; empty in the others.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn far_runs(ends: &[u32], middle: __m512i, lanes: __mmask16) -> Runs {
    let last = _mm512_set1_epi32(ends.len() as i32 - 2);
    let lanes =
        lanes & _mm512_test_epi32_mask(middle, middle) & _mm512_cmplt_epu32_mask(middle, last);
    let ends = ends.as_ptr().cast::<i32>();
    let zero = _mm512_setzero_si512();
    let low = _mm512_sub_epi32(middle, _mm512_set1_epi32(1));
    let above = _mm512_add_epi32(middle, _mm512_set1_epi32(2));
    // SAFETY: `middle` is at least 1 and at most the last index less 2 in lanes that are read.
    let begin = unsafe { _mm512_mask_i32gather_epi32::<4>(zero, lanes, low, ends) };
    // SAFETY: as above.
    let end = unsafe { _mm512_mask_i32gather_epi32::<4>(zero, lanes, above, ends) };
    Runs { begin, len: _mm512_sub_epi32(end, begin) }
}

/// The runs around buckets, empty in unrequested lanes, and a mask of the lanes whose runs cannot be found
/// here.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn row_of(
    sorted: &Sorted,
    level: &Level,
    row: __m512i,
    reach: __m512i,
    lanes: __mmask16,
) -> (Runs, LaneMask) {
    let mask = _mm512_set1_epi32(level.mask as i32);
    let middle = _mm512_and_si512(row, mask);
    let (low, high) = (_mm512_sub_epi32(middle, reach), _mm512_add_epi32(middle, reach));
    let is_inside = _mm512_cmpge_epi32_mask(low, _mm512_setzero_si512())
        & _mm512_cmple_epi32_mask(high, mask)
        & _mm512_cmple_epi32_mask(low, high);
    // Where every bucket of this level begins, and where the last one ends.
    let ends = &sorted.ends[level.first as usize..(level.first + level.mask) as usize + 2];
    let ends = ends.as_ptr().cast::<i32>();
    let (zero, read) = (_mm512_setzero_si512(), lanes & is_inside);
    let above = _mm512_add_epi32(high, _mm512_set1_epi32(1));
    // SAFETY: indices in lanes that are read are 0 to the level's mask, and there are two more entries than
    // that.
    let begin = unsafe { _mm512_mask_i32gather_epi32::<4>(zero, read, low, ends) };
    // SAFETY: as above, and one more.
    let end = unsafe { _mm512_mask_i32gather_epi32::<4>(zero, read, above, ends) };
    let len = _mm512_sub_epi32(end, begin);
    let is_long = _mm512_cmpgt_epi32_mask(len, _mm512_set1_epi32(RUN_MAX as i32));
    (Runs { begin, len: _mm512_maskz_mov_epi32(!is_long, len) }, lanes & (!is_inside | is_long))
}
