//! Visits each pair once with AVX-512: sixteen units at a time, the same operations as
//! [`pairs`](super::pairs), in a different order.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

use super::grid::Level;
use super::once::{X_BIT, Z_BIT};
use super::pairs::{RUN_MAX, SIXTEENTHS, TINY};
use super::pairs_avx512::{NEAR, Near, Ones, Shared, look_far};
use super::runs_avx512::{Runs, runs_ahead};
use super::sorted::Sorted;
use super::strength::Strength;
use super::weigh_avx512::limited;
use crate::lanes::avx512::{bits, floats, order, store, store_pairs, store_words};
use crate::units::cells::LANES;

/// Number of pairs at which they are weighed.
const FULL: usize = 256;

/// Most pairs, and room for a register beyond the last.
const ROOM: usize = FULL + LANES * 2 * RUN_MAX + LANES;

/// Pairs that touch, one after another.
pub(super) struct List {
    /// From the second unit to the first one. Quanta.
    dx: [f32; ROOM],
    dz: [f32; ROOM],
    /// Their places.
    ones: [u32; ROOM],
    others: [u32; ROOM],
    /// The contributions to the first units.
    gifts: [u64; ROOM],
    pairs: usize,
}

impl List {
    pub(super) fn new() -> Self {
        Self {
            dx: [0.0; ROOM],
            dz: [0.0; ROOM],
            ones: [0; ROOM],
            others: [0; ROOM],
            gifts: [0; ROOM],
            pairs: 0,
        }
    }
}

/// The length of the longest run of three buckets, from where buckets end.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn longest(ends: &[u32]) -> u32 {
    let mut longest = 0;
    for (begin, end) in ends.iter().zip(&ends[3..]) {
        let run = end - begin;
        longest = if run > longest { run } else { longest };
    }
    longest
}

/// Finds the pairs of units of a stretch of places with units after them in their row, and with those of the
/// next row. Calls `give` with the place and the contribution of each of the two units, and `same` with the
/// places of units at exactly the same place.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn add(
    sorted: &Sorted,
    level: &Level,
    places: Range<usize>,
    list: &mut List,
    mut give: impl FnMut(usize, u64),
    mut same: impl FnMut(usize),
) {
    let shared = Shared::new(sorted.plan.alike.unwrap_or_default());
    for at in places.clone().step_by(LANES) {
        find(sorted, level, &shared, at, places.end, list);
        if list.pairs >= FULL || at + LANES >= places.end {
            weigh(&shared, list, &mut same);
            let pairs = list.ones.iter().zip(&list.others).zip(&list.gifts);
            for ((one, other), gift) in pairs.take(list.pairs) {
                give(*one as usize, *gift);
                // The opposite contribution, and one more unit that touches.
                give(*other as usize, 2_u64.wrapping_sub(*gift));
            }
            list.pairs = 0;
        }
    }
}

/// Finds the pairs of sixteen units, of those before `end`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn find(sorted: &Sorted, level: &Level, shared: &Shared, at: usize, end: usize, list: &mut List) {
    let places = _mm512_add_epi32(order(), _mm512_set1_epi32(at as i32));
    let lanes = _mm512_cmplt_epu32_mask(places, _mm512_set1_epi32(end as i32));
    let (ones, one) = (Ones::alike(sorted, shared, at), _mm512_set1_epi32(1));
    let (own, next) = runs_ahead(sorted, level, at, lanes);
    // Units that follow, for all lanes together: one further on in each step.
    let ahead = Runs { begin: _mm512_add_epi32(places, one), len: own };
    let follow = |step, _, _| Ones::alike(sorted, shared, at + 1 + step);
    add_row(&ones, places, ahead, shared, list, follow);

    let base = _mm_cvtsi128_si32(_mm512_castsi512_si128(next.begin));
    let from = _mm512_sub_epi32(next.begin, _mm512_set1_epi32(base));
    let end = _mm512_add_epi32(from, next.len);
    let fits = |part| _mm512_cmple_epu32_mask(part, _mm512_set1_epi32(NEAR as i32));
    let is_near = fits(from) & fits(end) | _mm512_testn_epi32_mask(next.len, next.len);
    if is_near == u16::MAX {
        let near = Near::new::<true>(sorted, base as usize);
        let base = _mm512_set1_epi32(base);
        let look = |_, at, _| near.look::<true>(shared, _mm512_sub_epi32(at, base));
        add_row(&ones, places, next, shared, list, look);
    } else {
        let look = |_, at, lanes| look_far::<true>(sorted, shared, at, lanes);
        add_row(&ones, places, next, shared, list, look);
    }
}

/// Packs the units of a run in each lane that touch the unit of that lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn add_row(
    ones: &Ones,
    places: __m512i,
    runs: Runs,
    shared: &Shared,
    list: &mut List,
    look: impl Fn(usize, __m512i, __mmask16) -> Ones,
) {
    let reach = _mm512_add_ps(shared.radius, shared.radius);
    let reach = _mm512_mul_ps(reach, reach);
    let (mut at, end) = (runs.begin, _mm512_add_epi32(runs.begin, runs.len));
    let mut pairs = list.pairs;
    for step in 0..RUN_MAX {
        let is_in = _mm512_cmpgt_epi32_mask(end, at);
        if is_in == 0 {
            break;
        }
        let other = look(step, at, is_in);
        let dx = _mm512_cvtepi32_ps(_mm512_sub_epi32(ones.x, other.x));
        let dz = _mm512_cvtepi32_ps(_mm512_sub_epi32(ones.z, other.z));
        let squared = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dz, dz));
        // Signs of differences, as in the pair loop: one test for all three.
        let is_close = bits(_mm512_sub_ps(squared, reach));
        let is_below_top = bits(_mm512_sub_ps(ones.feet, other.top));
        let is_above_feet = bits(_mm512_sub_ps(other.feet, ones.top));
        let all = _mm512_and_si512(_mm512_and_si512(is_close, is_below_top), is_above_feet);
        let touches = _mm512_movepi32_mask(all) & is_in;
        store(&mut list.dx, pairs, _mm512_maskz_compress_ps(touches, dx));
        store(&mut list.dz, pairs, _mm512_maskz_compress_ps(touches, dz));
        store_words(&mut list.ones, pairs, _mm512_maskz_compress_epi32(touches, places));
        store_words(&mut list.others, pairs, _mm512_maskz_compress_epi32(touches, at));
        pairs += touches.count_ones() as usize;
        at = _mm512_add_epi32(at, _mm512_set1_epi32(1));
    }
    list.pairs = pairs;
}

/// Computes the contribution of each pair to its first unit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn weigh(shared: &Shared, list: &mut List, same: &mut impl FnMut(usize)) {
    let (tiny, rounding) = (_mm512_set1_ps(TINY), _mm512_set1_ps(SIXTEENTHS));
    let (reach, radius) = (_mm512_add_ps(shared.radius, shared.radius), shared.radius);
    for at in (0..list.pairs).step_by(LANES) {
        let (dx, dz) = (floats(&list.dx, at), floats(&list.dz, at));
        let squared = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dz, dz));
        let distance = _mm512_sqrt_ps(squared);
        let part = _mm512_mul_ps(_mm512_sub_ps(reach, distance), radius);
        let weight = _mm512_div_ps(part, _mm512_add_ps(_mm512_mul_ps(distance, reach), tiny));
        let sixteenths = |quanta: __m512| {
            let sum = bits(_mm512_add_ps(_mm512_mul_ps(quanta, weight), rounding));
            _mm512_sub_epi32(sum, bits(rounding))
        };
        let (x, z) = (sixteenths(dx), sixteenths(dz));
        for (half, (x, z)) in [
            (_mm512_castsi512_si256(x), _mm512_castsi512_si256(z)),
            (_mm512_extracti64x4_epi64::<1>(x), _mm512_extracti64x4_epi64::<1>(z)),
        ]
        .into_iter()
        .enumerate()
        {
            let x = _mm512_slli_epi64::<X_BIT>(_mm512_cvtepi32_epi64(x));
            let z = _mm512_slli_epi64::<Z_BIT>(_mm512_cvtepi32_epi64(z));
            let gift = _mm512_add_epi64(_mm512_add_epi64(x, z), _mm512_set1_epi64(1));
            let to = &mut list.gifts[at + half * 8..][..8];
            // SAFETY: eight numbers of eight bytes.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), gift) }
        }
        let one_place = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(squared, _mm512_setzero_ps());
        if one_place != 0 {
            tell(list, at, one_place, same);
        }
    }
}

/// Calls `same` with the units of the pairs in a mask.
#[cold]
fn tell(list: &List, at: usize, pairs: __mmask16, same: &mut impl FnMut(usize)) {
    for pair in (at..list.pairs.min(at + LANES)).filter(|pair| pairs >> (pair - at) & 1 == 1) {
        same(list.ones[pair] as usize);
        same(list.others[pair] as usize);
    }
}

/// Turns sixteen sums into pushes, and clears the sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn take(
    strength: &Strength,
    sums: &mut [AtomicU64; LANES],
    pushes: &mut [[f32; 2]; LANES],
) {
    const { assert!(size_of::<AtomicU64>() == 8) }
    let to = sums.as_mut_ptr().cast::<i64>();
    // SAFETY: two registers are sixteen numbers of eight bytes, and they are borrowed exclusively.
    let halves = [0, 1].map(|half| unsafe { _mm512_loadu_epi64(to.add(half * 8)) });
    for half in 0..2 {
        // SAFETY: as above.
        unsafe { _mm512_storeu_epi64(to.add(half * 8), _mm512_setzero_si512()) }
    }
    let together = |halves: [__m512i; 2]| {
        let [low, high] = halves.map(|half| _mm512_cvtepi64_epi32(half));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    };
    let x_alone =
        |sum, z| _mm512_srai_epi64::<X_BIT>(_mm512_sub_epi64(sum, _mm512_slli_epi64::<Z_BIT>(z)));
    const TOP: u32 = 64 - X_BIT;
    let z = halves.map(|sum| _mm512_srai_epi64::<{ TOP + Z_BIT }>(_mm512_slli_epi64::<TOP>(sum)));
    let x = [x_alone(halves[0], z[0]), x_alone(halves[1], z[1])];
    let met = _mm512_and_si512(together(halves), _mm512_set1_epi32((1 << Z_BIT) - 1));
    store_pairs(pushes, limited(strength, together(x), together(z), met));
}
