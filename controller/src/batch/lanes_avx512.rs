//! Strolling with AVX-512: one block in each register. Operation by operation the same as
//! [`stroll_block`](super::lanes::stroll_block). A test verifies that no bit differs.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use marchland_terrain::glam::Vec3;

use super::crossers::{List, NEW_VELOCITY};
use super::lanes::{Block, ONE, Pace, common_gait, gaits_of};
use crate::lanes::avx512::{
    self, bits, floats, floor, index_of, ints, order, part, places, triples, without_creep,
};
use crate::units::cells::{Corners, LANES};

/// The first and second corners of eight cells in two registers, and the third and fourth corners.
const PAIRS: [[i32; LANES]; 2] = [
    [0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29],
    [2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31],
];

/// The corners of sixteen cells, each in a register of its own.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(crate) fn columns(corners: &[Corners; LANES]) -> [__m512; 4] {
    let from = corners.as_ptr().cast::<f32>();
    // SAFETY: four registers are sixteen times four floats, exactly what the array contains.
    let rows = [0, 1, 2, 3].map(|at| unsafe { _mm512_loadu_ps(from.add(at * LANES)) });
    let [low, high] = PAIRS.map(|order| {
        let order = ints(&order, 0);
        let first = _mm512_permutex2var_ps(rows[0], order, rows[1]);
        let second = _mm512_permutex2var_ps(rows[2], order, rows[3]);
        // The lower halves of both, and the upper halves.
        [
            _mm512_shuffle_f32x4::<0b01_00_01_00>(first, second),
            _mm512_shuffle_f32x4::<0b11_10_11_10>(first, second),
        ]
    });
    [low[0], low[1], high[0], high[1]]
}

/// Like [`height_in_cell`](marchland_terrain::heightfield::height_in_cell).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(crate) fn height_in_cells([a, b, c, e]: [__m512; 4], [u, v]: [__m512; 2]) -> __m512 {
    let is_north_east = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(u, v);
    let middle = _mm512_mask_mov_ps(c, is_north_east, b);
    let (first, second) = (_mm512_sub_ps(middle, a), _mm512_sub_ps(e, middle));
    let along_first = _mm512_mask_mov_ps(v, is_north_east, u);
    let along_second = _mm512_mask_mov_ps(u, is_north_east, v);
    let half_way = _mm512_add_ps(a, _mm512_mul_ps(first, along_first));
    _mm512_add_ps(half_way, _mm512_mul_ps(second, along_second))
}

/// Sixteen units.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(crate) fn stroll_block(
    pace: &Pace<'_>,
    block: Block<'_>,
    first: usize,
    list: &mut List<'_>,
) -> u16 {
    let wishes = avx512::wishes(block.wishes);
    let velocities = places(block.velocities, 0);
    let differs = [0, 1, 2].map(|register| {
        _mm512_cmpneq_epi32_mask(bits(wishes[register]), bits(velocities[register]))
    });
    if differs[0] | differs[1] | differs[2] == 0 {
        stroll_as::<false>(pace, block, wishes, first, list)
    } else {
        stroll_as::<true>(pace, block, wishes, first, list)
    }
}

/// Sixteen units that all keep their velocity, or some of which have a different one (`NEW`).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn stroll_as<const NEW: bool>(
    pace: &Pace<'_>,
    block: Block<'_>,
    wishes: [__m512; 3],
    first: usize,
    list: &mut List<'_>,
) -> u16 {
    let Block { locals, velocities, bodies, corners, .. } = block;
    let [fastest_squared, step_down] = match common_gait(pace, bodies) {
        Some(common) => [common.fastest_squared, common.step_down].map(|one| _mm512_set1_ps(one)),
        None => gaits_of(pace, bodies).map(|all| floats(&all, 0)),
    };
    let was = places(locals, 0);
    let corners = columns(corners);
    let [x, y, z] = [0, 1, 2].map(|axis| part(was, axis));
    let (vx, vz) = (part(wishes, 0), part(wishes, 2));

    let squared = _mm512_add_ps(_mm512_mul_ps(vx, vx), _mm512_mul_ps(vz, vz));
    let (vx, vz) = if NEW { (without_creep(vx), without_creep(vz)) } else { (vx, vz) };
    let (dt, per_metre) = (_mm512_set1_ps(pace.dt), _mm512_set1_ps(pace.cells_per_metre));
    let to_x = _mm512_add_ps(x, _mm512_mul_ps(vx, dt));
    let to_z = _mm512_add_ps(z, _mm512_mul_ps(vz, dt));
    let (from_x, from_z) = (floor(_mm512_mul_ps(x, per_metre)), floor(_mm512_mul_ps(z, per_metre)));
    let u = _mm512_sub_ps(_mm512_mul_ps(to_x, per_metre), from_x);
    let v = _mm512_sub_ps(_mm512_mul_ps(to_z, per_metre), from_z);
    let one = _mm512_set1_epi32(ONE as i32);
    let is_same_column = _mm512_cmplt_epu32_mask(bits(u), one);
    let is_same_row = _mm512_cmplt_epu32_mask(bits(v), one);
    let height = height_in_cells(corners, [u, v]);
    let mut may = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(squared, fastest_squared);
    // Like `is_short`.
    let less_one = |squared| _mm512_sub_epi32(bits(squared), _mm512_set1_epi32(1));
    let short = less_one(_mm512_set1_ps(pace.short_squared));
    may &= _mm512_cmpge_epu32_mask(less_one(squared), short);
    if NEW {
        let jumps = bits(part(wishes, 1));
        may &= _mm512_testn_epi32_mask(jumps, jumps);
    }
    let is_supported = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_sub_ps(y, height), step_down);
    let is_same = is_same_column & is_same_row;
    let strolls = may & is_same & is_supported;
    let crossing = may & !is_same & _mm512_cmp_ps_mask::<_CMP_ORD_Q>(corners[0], corners[0]);

    let zero = _mm512_setzero_ps();
    let stays = |from, to| _mm512_mask_add_ps(from, strolls, to, zero);
    write(locals, triples([stays(x, to_x), stays(y, height), stays(z, to_z)]));
    if NEW {
        let strolling = _mm512_castsi512_ps(_mm512_movm_epi32(strolls));
        let lanes =
            triples([strolling; 3]).map(|all| _mm512_movepi32_mask(_mm512_castps_si512(all)));
        for (third, triples) in triples([vx, zero, vz]).into_iter().enumerate() {
            write_some(velocities, third, triples, lanes[third]);
        }
    }
    if crossing == 0 {
        return !strolls;
    }
    let mut crosses = crossing;
    if crossing & !is_same_column & !is_same_row != 0 {
        let beside = |to, from| is_beside(pace, floor(_mm512_mul_ps(to, per_metre)), from);
        crosses &= beside(to_x, from_x) | beside(to_z, from_z);
    }
    let first = first as u32 | if NEW { NEW_VELOCITY } else { 0 };
    let index = _mm512_add_epi32(_mm512_set1_epi32(first as i32), order());
    list.push_block(
        _mm512_maskz_compress_epi32(crosses, index),
        [to_x, to_z].map(|to| _mm512_maskz_compress_ps(crosses, to)),
        crosses.count_ones(),
    );
    !(strolls | crosses)
}

/// Whether two columns or rows of cells belong to the same tiles.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn is_beside(pace: &Pace<'_>, to: __m512, from: __m512) -> __mmask16 {
    let half = _mm512_set1_ps(pace.half_cells);
    let differ = _mm512_xor_si512(index_of(to, half), index_of(from, half));
    let tiles = _mm512_srl_epi32(differ, _mm_cvtsi32_si128(pace.tile_log2 as i32));
    _mm512_testn_epi32_mask(tiles, tiles)
}

/// Writes triples.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn write(to: &mut [Vec3; LANES], triples: [__m512; 3]) {
    for (register, triples) in triples.into_iter().enumerate() {
        // SAFETY: a third of sixteen triples of floats, as when it was read.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr().cast::<f32>().add(register * LANES), triples) };
    }
}

/// Writes the requested floats of a third of sixteen triples.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn write_some(to: &mut [Vec3; LANES], third: usize, triples: __m512, which: __mmask16) {
    if third < 3 && which != 0 {
        // SAFETY: as above.
        unsafe {
            let to = to.as_mut_ptr().cast::<f32>().add(third * LANES);
            _mm512_mask_storeu_ps(to, which, triples);
        }
    }
}
