//! The contributions of touching pairs, and the resulting push on each unit, with AVX-512.

use std::arch::x86_64::*;

use super::pairs::{SIXTEENTHS, TINY};
use super::pairs_avx512::{Found, Shared};
use super::strength::{LESS, Strength};
use crate::lanes::avx512::{bits, floats, store, store_pairs};
use crate::units::cells::LANES;

/// Replaces the distances of each pair by its contribution: whole sixteenths of quanta.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn weigh<const ALIKE: bool>(shared: &Shared, found: &mut Found) {
    let (tiny, rounding) = (_mm512_set1_ps(TINY), _mm512_set1_ps(SIXTEENTHS));
    for at in (0..found.pairs).step_by(LANES) {
        let (dx, dz) = (floats(&found.dx, at), floats(&found.dz, at));
        let (reach, radius) = if ALIKE {
            (_mm512_add_ps(shared.radius, shared.radius), shared.radius)
        } else {
            (floats(&found.reach, at), floats(&found.radii, at))
        };
        let squared = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dz, dz));
        let distance = _mm512_sqrt_ps(squared);
        let part = _mm512_mul_ps(_mm512_sub_ps(reach, distance), radius);
        let weight = _mm512_div_ps(part, _mm512_add_ps(_mm512_mul_ps(distance, reach), tiny));
        let sixteenths = |quanta: __m512| {
            let sum = bits(_mm512_add_ps(_mm512_mul_ps(quanta, weight), rounding));
            _mm512_castsi512_ps(_mm512_sub_epi32(sum, bits(rounding)))
        };
        store(&mut found.dx, at, sixteenths(dx));
        store(&mut found.dz, at, sixteenths(dz));
    }
}

/// Returns the contributions of pairs to the lanes of their units, and turns the sums into pushes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn finish(strength: &Strength, found: &Found, pushes: &mut [[[f32; 2]; LANES]]) {
    let one = _mm512_set1_epi32(1);
    let (mut pair, mut step) = (0, 0);
    for (pushes, (end, _)) in pushes.iter_mut().zip(found.ends) {
        let (mut x, mut z) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let mut met = _mm512_setzero_si512();
        for touches in &found.touches[step..end] {
            let part_x = _mm512_maskz_expand_epi32(*touches, bits(floats(&found.dx, pair)));
            let part_z = _mm512_maskz_expand_epi32(*touches, bits(floats(&found.dz, pair)));
            (x, z) = (_mm512_add_epi32(x, part_x), _mm512_add_epi32(z, part_z));
            met = _mm512_mask_add_epi32(met, *touches, met, one);
            pair += touches.count_ones() as usize;
        }
        step = end;
        store_pairs(pushes, limited(strength, x, z, met));
    }
}

/// As [`limited`](super::pairs::limited).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn limited(strength: &Strength, x: __m512i, z: __m512i, met: __m512i) -> [__m512; 2] {
    let count = _mm512_cvtepi32_ps(_mm512_add_epi32(met, _mm512_set1_epi32(1)));
    let each = _mm512_div_ps(_mm512_set1_ps(strength.per_sixteenth), count);
    let x = _mm512_mul_ps(_mm512_cvtepi32_ps(x), each);
    let z = _mm512_mul_ps(_mm512_cvtepi32_ps(z), each);
    let squared = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(z, z));
    let pushes = !_mm512_cmp_ps_mask::<_CMP_LE_OQ>(squared, _mm512_set1_ps(strength.rest_squared));
    let most = strength.push_max;
    let is_fast = !_mm512_cmp_ps_mask::<_CMP_LE_OQ>(squared, _mm512_set1_ps(most * most));
    let less = _mm512_div_ps(_mm512_set1_ps(most * LESS), _mm512_sqrt_ps(squared));
    [x, z].map(|part| _mm512_maskz_mov_ps(pushes, _mm512_mask_mul_ps(part, is_fast, part, less)))
}
