//! Strolling with AVX-512: one block in each register. Operation by operation what
//! [`stroll_block`](super::lanes::stroll_block) does, and a test says that no bit differs.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use marchland_terrain::glam::Vec3;

use super::lanes::{Left, Pace, gaits_of};
use crate::avx512::{
    bits, floats, floor, index_of, ints, level_triples, order, part, parts_of, places, store,
    store_words, triples,
};
use crate::body::BodyId;
use crate::cells::{Corners, LANES};
use crate::limits::{SPEED_MAX, SPEED_MIN};
use crate::wish::Wish;

/// The first and second corners of eight cells in two registers, and the third and fourth.
const PAIRS: [[i32; LANES]; 2] = [
    [0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29],
    [2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31],
];

/// The corners of sixteen cells, each in a register of its own.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn columns(corners: &[Corners; LANES]) -> [__m512; 4] {
    let from = corners.as_ptr().cast::<f32>();
    // SAFETY: four registers are sixteen times four floats, all of what the array holds.
    let rows = [0, 1, 2, 3].map(|at| unsafe { _mm512_loadu_ps(from.add(at * LANES)) });
    let [low, high] = PAIRS.map(|order| {
        let order = ints(&order, 0);
        let first = _mm512_permutex2var_ps(rows[0], order, rows[1]);
        let second = _mm512_permutex2var_ps(rows[2], order, rows[3]);
        // The lower halves of both, and the upper ones.
        [
            _mm512_shuffle_f32x4::<0b01_00_01_00>(first, second),
            _mm512_shuffle_f32x4::<0b11_10_11_10>(first, second),
        ]
    });
    [low[0], low[1], high[0], high[1]]
}

/// As [`without_creep`](crate::follow::without_creep).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn without_creep(speed: __m512) -> __m512 {
    let creeps = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(speed), _mm512_set1_ps(SPEED_MIN));
    _mm512_mask_mov_ps(speed, creeps, _mm512_setzero_ps())
}

/// How far from 0 the one of two places is that is farther from it; not a number where both are none. The
/// second one alone is none only where the move is, which is not short then.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn farther(from: __m512, to: __m512) -> __m512 {
    // The greater absolute value (0b11), its sign cleared (0b10).
    _mm512_range_ps::<0b1011>(from, to)
}

/// Sixteen units.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn stroll_block(
    pace: &Pace<'_>,
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    wishes: &[Wish; LANES],
    bodies: &[BodyId; LANES],
    corners: &[Corners; LANES],
    left: &mut Left,
) {
    let was = places(locals, 0);
    let was_velocity = places(velocities, 0);
    let [inner, longest_squared, step_down] = match pace.gaits {
        [only] => [only.inner, only.longest_squared, only.step_down].map(|one| _mm512_set1_ps(one)),
        _ => gaits_of(pace, bodies).map(|all| floats(&all, 0)),
    };
    let [a, b, c, e] = columns(corners);
    let (x, y, z) = (part(was, 0), part(was, 1), part(was, 2));
    let [vx, vz, jumps] = parts_of(wishes);
    let jumps = bits(jumps);

    let zero = _mm512_setzero_ps();
    let dt = _mm512_set1_ps(pace.dt);
    let per_metre = _mm512_set1_ps(pace.cells_per_metre);
    let squared = _mm512_add_ps(_mm512_mul_ps(vx, vx), _mm512_mul_ps(vz, vz));
    let (vx, vz) = (without_creep(vx), without_creep(vz));
    let (dx, dz) = (_mm512_mul_ps(vx, dt), _mm512_mul_ps(vz, dt));
    let (to_x, to_z) = (_mm512_add_ps(x, dx), _mm512_add_ps(z, dz));
    let (in_x, in_z) = (_mm512_mul_ps(to_x, per_metre), _mm512_mul_ps(to_z, per_metre));
    let (cell_x, cell_z) = (floor(in_x), floor(in_z));
    let (u, v) = (_mm512_sub_ps(in_x, cell_x), _mm512_sub_ps(in_z, cell_z));
    let (from_x, from_z) = (floor(_mm512_mul_ps(x, per_metre)), floor(_mm512_mul_ps(z, per_metre)));
    let is_same = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(cell_x, from_x)
        & _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(cell_z, from_z);
    let is_north_east = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(u, v);
    let first = _mm512_sub_ps(_mm512_mask_mov_ps(c, is_north_east, b), a);
    let second = _mm512_sub_ps(e, _mm512_mask_mov_ps(c, is_north_east, b));
    let along_first = _mm512_mask_mov_ps(v, is_north_east, u);
    let along_second = _mm512_mask_mov_ps(u, is_north_east, v);
    let height = _mm512_add_ps(
        _mm512_add_ps(a, _mm512_mul_ps(first, along_first)),
        _mm512_mul_ps(second, along_second),
    );
    let is_near = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(farther(x, to_x), inner)
        & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(farther(z, to_z), inner);
    let moved = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dz, dz));
    let fastest = _mm512_set1_ps(SPEED_MAX * SPEED_MAX);
    let is_short = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(squared, fastest)
        & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(moved, longest_squared);
    let is_supported = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_sub_ps(y, height), step_down);
    let may = is_near & is_short & _mm512_testn_epi32_mask(jumps, jumps);
    let strolls = may & is_same & is_supported;
    let is_known = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, a);
    let crossing = may & !is_same & is_known;

    let stays = |from, to| _mm512_mask_add_ps(from, strolls, to, zero);
    let is = triples(stays(x, to_x), stays(y, height), stays(z, to_z));
    let velocity = level_triples(vx, vz);
    write(locals, velocities, strolls, is, velocity, was_velocity);

    if crossing == 0 {
        left.others.push(!strolls);
    } else {
        let half = _mm512_set1_ps(pace.half_cells);
        let cell = [index_of(cell_x, half), index_of(cell_z, half)];
        let from = [index_of(from_x, half), index_of(from_z, half)];
        let shift = _mm_cvtsi32_si128(pace.tile_log2 as i32);
        let is_other = [0, 1].map(|axis| {
            let tiles = _mm512_srl_epi32(_mm512_xor_si512(cell[axis], from[axis]), shift);
            _mm512_test_epi32_mask(tiles, tiles)
        });
        let crosses = crossing & !(is_other[0] & is_other[1]);
        list(left, crosses, [to_x, to_z]);
        left.others.push(!(strolls | crosses));
    }
}

/// Puts crossers on their list.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn list(left: &mut Left, crosses: __mmask16, [x, z]: [__m512; 2]) {
    let first = _mm512_set1_epi32((left.others.len() * LANES) as i32);
    let index = _mm512_maskz_compress_epi32(crosses, _mm512_add_epi32(first, order()));
    let crossers = &mut left.crossers;
    let at = crossers.len();
    // Compressed in the register and written whole: in memory it is slow on some processors.
    store_words(&mut crossers.index, at, index);
    store(&mut crossers.x, at, _mm512_maskz_compress_ps(crosses, x));
    store(&mut crossers.z, at, _mm512_maskz_compress_ps(crosses, z));
    crossers.add(crosses.count_ones() as usize);
}

/// Writes places, and velocities where one of those that stroll has another.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn write(
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    strolls: __mmask16,
    is: [__m512; 3],
    velocity: [__m512; 3],
    was_velocity: [__m512; 3],
) {
    for (register, is) in is.into_iter().enumerate() {
        // SAFETY: a third of sixteen triples of floats, as it was read.
        unsafe {
            let to = locals.as_mut_ptr().cast::<f32>().add(register * LANES);
            _mm512_storeu_ps(to, is);
        }
    }
    let is_new = [0, 1, 2].map(|register| {
        let new = _mm512_castps_si512(velocity[register]);
        _mm512_cmpneq_epi32_mask(new, _mm512_castps_si512(was_velocity[register]))
    });
    if is_new[0] | is_new[1] | is_new[2] == 0 {
        return;
    }
    let strolling = _mm512_castsi512_ps(_mm512_movm_epi32(strolls));
    let strolling = triples(strolling, strolling, strolling);
    for register in 0..3 {
        let lanes = _mm512_movepi32_mask(_mm512_castps_si512(strolling[register]));
        if lanes & is_new[register] != 0 {
            // SAFETY: as above.
            unsafe {
                let to = velocities.as_mut_ptr().cast::<f32>().add(register * LANES);
                _mm512_mask_storeu_ps(to, lanes, velocity[register]);
            }
        }
    }
}
