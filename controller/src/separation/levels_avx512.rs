//! Finds the units of other levels that touch a unit, with AVX-512: sixteen units at a time, where
//! [`pairs`](super::pairs) handles one. Units whose run wraps around to the first bucket, and units with long
//! runs, are left to it.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::grid::{Level, QUANTA};
use super::pairs::{RUN_MAX, WIDER_MAX};
use super::pairs_avx512::{Found, NEAR, Near, Ones, STEPS_MAX, Shared, add_row, look_far};
use super::runs_avx512::{LaneMask, Runs, row_of};
use super::sort_avx512::cells;
use super::sorted::Sorted;
use crate::lanes::avx512::ints;
use crate::units::cells::LANES;

/// Parts of a row whose units are read together; units of further parts are looked up one by one.
const PARTS_MAX: usize = 3;

/// Finds the pairs of sixteen units of the level `home` with those of other levels. Returns the squared
/// distances of the nearest ones, where they are less than before, and a mask of the lanes whose pairs
/// cannot be found here.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn add_foreign(
    sorted: &Sorted,
    home: usize,
    ones: &Ones,
    radii: &[f32; LANES],
    mut nearest: __m512,
    found: &mut Found,
) -> (__m512, LaneMask) {
    let (mut left, started) = (0, found.last_end());
    for (_, level) in sorted.plan.levels.iter().enumerate().filter(|(index, _)| *index != home) {
        let reach = radii.map(|radius| reach_of(level, radius));
        let most = reach.into_iter().fold(-1, i32::max);
        if most < 0 {
            continue;
        }
        let reach = ints(&reach, 0);
        let scale = [_mm512_set1_pd(level.cells_per_quantum); 2];
        let rows = _mm512_mullo_epi32(cells(scale, ones.z), _mm512_set1_epi32(level.stride as i32));
        let middle = _mm512_add_epi32(rows, cells(scale, ones.x));
        for row in -most..=most {
            let lanes = _mm512_cmple_epi32_mask(_mm512_set1_epi32(row.abs()), reach) & !left;
            let further = _mm512_set1_epi32(row.wrapping_mul(level.stride as i32));
            let (runs, out) =
                row_of(sorted, level, _mm512_add_epi32(middle, further), reach, lanes);
            left |= out;
            let mut lanes = _mm512_test_epi32_mask(runs.len, runs.len);
            let mut part = 0;
            while lanes != 0 {
                if found.steps + RUN_MAX > started + STEPS_MAX {
                    return (nearest, u16::MAX); // no room: each of these units is handled alone
                }
                let done = if part < PARTS_MAX {
                    add_part(sorted, ones, runs, lanes, &mut nearest, found)
                } else {
                    add_rest(sorted, ones, runs, lanes, &mut nearest, found)
                };
                lanes &= !done;
                part += 1;
            }
        }
    }
    (nearest, left)
}

/// Cells in each direction in which units of a level may touch a unit; -1 if none of them does.
#[inline]
fn reach_of(level: &Level, radius: f32) -> i32 {
    if level.widest == 0.0 || level.widest * QUANTA * WIDER_MAX < radius {
        -1
    } else {
        level.reach(radius) as i32
    }
}

/// Adds the pairs of the lanes whose runs lie near the run of the first lane. Returns these lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn add_part(
    sorted: &Sorted,
    ones: &Ones,
    runs: Runs,
    lanes: __mmask16,
    nearest: &mut __m512,
    found: &mut Found,
) -> __mmask16 {
    let base = _mm512_mask_reduce_min_epu32(lanes, runs.begin);
    let from = _mm512_sub_epi32(runs.begin, _mm512_set1_epi32(base as i32));
    let end = _mm512_add_epi32(from, runs.len);
    // No run is longer than `NEAR`, so the lane of the first run is among these.
    let part = lanes & _mm512_cmple_epu32_mask(end, _mm512_set1_epi32(NEAR as i32));
    let near = Near::new::<false>(sorted, base as usize);
    let shared = Shared::new((0.0, 0.0));
    let runs = Runs { begin: from, len: _mm512_maskz_mov_epi32(part, runs.len) };
    let look = |at, _| near.look::<false>(&shared, at);
    *nearest = add_row::<false>(ones, runs, _mm512_set1_epi32(-1), *nearest, found, look);
    part
}

/// Adds the pairs of all lanes of a mask, and returns the mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn add_rest(
    sorted: &Sorted,
    ones: &Ones,
    runs: Runs,
    lanes: __mmask16,
    nearest: &mut __m512,
    found: &mut Found,
) -> __mmask16 {
    let shared = Shared::new((0.0, 0.0));
    let runs = Runs { len: _mm512_maskz_mov_epi32(lanes, runs.len), ..runs };
    let look = |at, lanes| look_far::<false>(sorted, &shared, at, lanes);
    *nearest = add_row::<false>(ones, runs, _mm512_set1_epi32(-1), *nearest, found, look);
    lanes
}
