//! Pushes on units, with AVX-512: sixteen of them at a time, operation by operation the same as the pair
//! loop of [`pairs`](super::pairs) for one. A test verifies that no bit differs.
//!
//! ```text
//! find    a unit in each lane, its candidates one after another: those that touch are packed into a list
//! weigh   the list, sixteen pairs at a time: root and quotient only for those that touch
//! finish  the sum of each unit over the list, and its push
//! ```
//!
//! Units in order of buckets have their neighbours in order too. The neighbours of sixteen units lie
//! within two registers for each of three rows, so no unit needs a separate memory access.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::levels_avx512::add_foreign;
use super::pairs::{RUN_MAX, WIDER_MAX};
use super::runs_avx512::{LaneMask, Runs, runs_of};
use super::sorted::{SPARE, Sorted};
use super::strength::Strength;
use super::weigh_avx512::{finish, weigh};
use crate::lanes::avx512::{bits, floats, ints, order, store};
use crate::units::cells::LANES;

/// Number of pairs at which they are weighed.
const FULL: usize = 256;

/// Most pairs of a block, and room for a register beyond the last.
const ROOM: usize = FULL + LANES * STEPS_MAX + LANES;

/// Most steps of a block: three rows.
pub(super) const STEPS_MAX: usize = 3 * RUN_MAX;

/// Most blocks whose pairs are weighed together.
const BLOCKS_MAX: usize = 16;

/// Pairs that touch, one after another, and the blocks that they belong to.
pub(super) struct Found {
    /// From the other unit to the one. Quanta. Once weighed, its part of the overlap in sixteenths of quanta.
    pub(super) dx: [f32; ROOM],
    pub(super) dz: [f32; ROOM],
    /// Only where radii differ: their sum, and the radius of the other unit. Quanta.
    pub(super) reach: [f32; ROOM],
    pub(super) radii: [f32; ROOM],
    pub(super) pairs: usize,
    /// Lanes that touch another unit in a step.
    pub(super) touches: [u16; STEPS_MAX * BLOCKS_MAX],
    pub(super) steps: usize,
    /// Where the steps of each block end, and the lanes that were left out.
    pub(super) ends: [(usize, LaneMask); BLOCKS_MAX],
    pub(super) blocks: usize,
}

impl Found {
    pub(super) fn new() -> Self {
        Self {
            dx: [0.0; ROOM],
            dz: [0.0; ROOM],
            reach: [0.0; ROOM],
            radii: [0.0; ROOM],
            pairs: 0,
            touches: [0; STEPS_MAX * BLOCKS_MAX],
            steps: 0,
            ends: [(0, 0); BLOCKS_MAX],
            blocks: 0,
        }
    }

    /// Where the steps of the last finished block end.
    #[inline]
    pub(super) fn last_end(&self) -> usize {
        self.blocks.checked_sub(1).map_or(0, |last| self.ends[last].0)
    }
}

/// Finds the pushes on whole blocks of units from `first` on in the columns. Metres per second along X and Z.
/// Calls `alone` for units that have to be handled alone.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn push(
    sorted: &Sorted,
    strength: &Strength,
    first: usize,
    pushes: &mut [[[f32; 2]; LANES]],
    found: &mut Found,
    alone: impl FnMut(usize) -> [f32; 2],
) {
    let shared = Shared::new(sorted.plan.alike.unwrap_or_default());
    if sorted.plan.alike.is_some() {
        push_blocks::<true>(sorted, strength, &shared, first, pushes, found, alone);
    } else {
        push_blocks::<false>(sorted, strength, &shared, first, pushes, found, alone);
    }
}

/// The same for units that are alike, or that are not.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn push_blocks<const ALIKE: bool>(
    sorted: &Sorted,
    strength: &Strength,
    shared: &Shared,
    first: usize,
    pushes: &mut [[[f32; 2]; LANES]],
    found: &mut Found,
    mut alone: impl FnMut(usize) -> [f32; 2],
) {
    let mut done = 0;
    for block in 0..pushes.len() {
        let at = first + block * LANES;
        let home = sorted.plan.levels.iter().position(|level| at < level.end).unwrap_or(0);
        find::<ALIKE>(sorted, home, shared, at, found);
        if found.pairs >= FULL || found.blocks == BLOCKS_MAX || block + 1 == pushes.len() {
            weigh::<ALIKE>(shared, found);
            finish(strength, found, &mut pushes[done..=block]);
            for (at, pushes) in (done..).zip(&mut pushes[done..=block]) {
                let mut left = found.ends[at - done].1;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    pushes[lane] = alone(first + at * LANES + lane);
                    left &= left - 1;
                }
            }
            (found.pairs, found.steps, found.blocks) = (0, 0, 0);
            done = block + 1;
        }
    }
}

/// Sixteen units.
#[derive(Clone, Copy)]
pub(super) struct Ones {
    pub(super) x: __m512i,
    pub(super) z: __m512i,
    pub(super) feet: __m512,
    pub(super) top: __m512,
    radius: __m512,
}

impl Ones {
    /// The units from a place on, where all have one shape.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn alike(sorted: &Sorted, shared: &Shared, at: usize) -> Self {
        let (x, z) = (ints(&sorted.xs, at), ints(&sorted.zs, at));
        let feet = floats(&sorted.feet, at);
        Self { x, z, feet, top: _mm512_add_ps(feet, shared.height), radius: shared.radius }
    }
}

/// The values that all units share if all have one shape.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    height: __m512,
    pub(super) radius: __m512,
}

impl Shared {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn new((radius, height): (f32, f32)) -> Self {
        Self { height: _mm512_set1_ps(height), radius: _mm512_set1_ps(radius) }
    }
}

/// Two registers of consecutive units in the columns.
pub(super) struct Near {
    x: [__m512i; 2],
    z: [__m512i; 2],
    feet: [__m512; 2],
    tops: [__m512; 2],
    radii: [__m512; 2],
}

/// How many units [`Near`] holds.
pub(super) const NEAR: usize = 2 * LANES;
const _: () = assert!(NEAR <= SPARE);

impl Near {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn new<const ALIKE: bool>(sorted: &Sorted, base: usize) -> Self {
        let whole = |column: &[i32]| [ints(column, base), ints(column, base + LANES)];
        let parts = |column: &[f32]| [floats(column, base), floats(column, base + LANES)];
        let (x, z, feet) = (whole(&sorted.xs), whole(&sorted.zs), parts(&sorted.feet));
        let (tops, radii) =
            if ALIKE { (feet, feet) } else { (parts(&sorted.tops), parts(&sorted.radii)) };
        Self { x, z, feet, tops, radii }
    }

    /// The units at places counted from the first one, below [`NEAR`]; an arbitrary unit at any other place.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn look<const ALIKE: bool>(&self, shared: &Shared, at: __m512i) -> Ones {
        let whole = |of: &[__m512i; 2]| _mm512_permutex2var_epi32(of[0], at, of[1]);
        let part = |of: &[__m512; 2]| _mm512_permutex2var_ps(of[0], at, of[1]);
        let (x, z, feet) = (whole(&self.x), whole(&self.z), part(&self.feet));
        let (top, radius) = if ALIKE {
            (_mm512_add_ps(feet, shared.height), shared.radius)
        } else {
            (part(&self.tops), part(&self.radii))
        };
        Ones { x, z, feet, top, radius }
    }
}

/// The units at places in the columns, for the lanes of a mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn look_far<const ALIKE: bool>(
    sorted: &Sorted,
    shared: &Shared,
    at: __m512i,
    lanes: __mmask16,
) -> Ones {
    // No lane reads beyond what all columns hold.
    let last = sorted.len().min(sorted.xs.len()).min(sorted.zs.len()).min(sorted.feet.len());
    let last = if ALIKE { last } else { last.min(sorted.tops.len()).min(sorted.radii.len()) };
    let lanes = lanes & _mm512_cmplt_epu32_mask(at, _mm512_set1_epi32(last as u32 as i32));
    let whole = |column: &[i32]| {
        let none = _mm512_setzero_si512();
        // SAFETY: lanes that are read are at places within the column.
        unsafe { _mm512_mask_i32gather_epi32::<4>(none, lanes, at, column.as_ptr()) }
    };
    let part = |column: &[f32]| {
        let none = _mm512_setzero_ps();
        // SAFETY: as above.
        unsafe { _mm512_mask_i32gather_ps::<4>(none, lanes, at, column.as_ptr()) }
    };
    let feet = part(&sorted.feet);
    let (top, radius) = if ALIKE {
        (_mm512_add_ps(feet, shared.height), shared.radius)
    } else {
        (part(&sorted.tops), part(&sorted.radii))
    };
    Ones { x: whole(&sorted.xs), z: whole(&sorted.zs), feet, top, radius }
}

/// Finds the pairs of sixteen units.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn find<const ALIKE: bool>(
    sorted: &Sorted,
    home: usize,
    shared: &Shared,
    at: usize,
    found: &mut Found,
) {
    let level = &sorted.plan.levels[home];
    if at + LANES > level.end {
        found.end(u16::MAX); // a block of two levels
        return;
    }
    let (runs, mut left) = runs_of(sorted, level, at);
    let feet = floats(&sorted.feet, at);
    let (top, radius) = if ALIKE {
        (_mm512_add_ps(feet, shared.height), shared.radius)
    } else {
        (floats(&sorted.tops, at), floats(&sorted.radii, at))
    };
    let ones = Ones { x: ints(&sorted.xs, at), z: ints(&sorted.zs, at), feet, top, radius };
    let places = _mm512_add_epi32(order(), _mm512_set1_epi32(at as i32));
    let mut nearest = _mm512_set1_ps(1.0);
    for runs in runs {
        let base = _mm_cvtsi128_si32(_mm512_castsi512_si128(runs.begin));
        let from = _mm512_sub_epi32(runs.begin, _mm512_set1_epi32(base));
        let end = _mm512_add_epi32(from, runs.len);
        let fits = |part| _mm512_cmple_epu32_mask(part, _mm512_set1_epi32(NEAR as i32));
        let is_near = fits(from) & fits(end) | _mm512_testn_epi32_mask(runs.len, runs.len);
        nearest = if is_near == u16::MAX {
            let near = Near::new::<ALIKE>(sorted, base as usize);
            let itself = _mm512_sub_epi32(places, _mm512_set1_epi32(base));
            let runs = Runs { begin: from, ..runs };
            let look = |at, _| near.look::<ALIKE>(shared, at);
            add_row::<ALIKE>(&ones, runs, itself, nearest, found, look)
        } else {
            let look = |at, lanes| look_far::<ALIKE>(sorted, shared, at, lanes);
            add_row::<ALIKE>(&ones, runs, places, nearest, found, look)
        };
    }
    if !ALIKE && level.end - level.begin < sorted.len() {
        let radii = std::array::from_fn(|lane| sorted.radii[at + lane]);
        let (least, out) = add_foreign(sorted, home, &ones, &radii, nearest, found);
        (nearest, left) = (least, left | out);
    }
    left |= _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(nearest, _mm512_setzero_ps());
    found.end(left);
}

/// Packs the units of the run in each lane that touch the unit of that lane. Returns the squared distances of
/// the nearest ones, where they are less than before.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn add_row<const ALIKE: bool>(
    ones: &Ones,
    runs: Runs,
    itself: __m512i,
    mut nearest: __m512,
    found: &mut Found,
    look: impl Fn(__m512i, __mmask16) -> Ones,
) -> __m512 {
    let one = _mm512_set1_epi32(1);
    let (mut at, end) = (runs.begin, _mm512_add_epi32(runs.begin, runs.len));
    let (mut pairs, mut step) = (found.pairs, found.steps);
    loop {
        let is_in = _mm512_cmpgt_epi32_mask(end, at);
        if is_in == 0 {
            (found.pairs, found.steps) = (pairs, step);
            return nearest;
        }
        let other = look(at, is_in);
        let dx = _mm512_cvtepi32_ps(_mm512_sub_epi32(ones.x, other.x));
        let dz = _mm512_cvtepi32_ps(_mm512_sub_epi32(ones.z, other.z));
        let squared = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dz, dz));
        let reach = _mm512_add_ps(ones.radius, other.radius);
        // Signs of differences, as in the pair loop: one test for all three.
        let is_close = bits(_mm512_sub_ps(squared, _mm512_mul_ps(reach, reach)));
        let is_below_top = bits(_mm512_sub_ps(ones.feet, other.top));
        let is_above_feet = bits(_mm512_sub_ps(other.feet, ones.top));
        let all = _mm512_and_si512(_mm512_and_si512(is_close, is_below_top), is_above_feet);
        let mut touches = _mm512_movepi32_mask(all) & is_in & _mm512_cmpneq_epi32_mask(at, itself);
        if !ALIKE {
            let wider = _mm512_mul_ps(other.radius, _mm512_set1_ps(WIDER_MAX));
            touches &= !_mm512_movepi32_mask(bits(_mm512_sub_ps(wider, ones.radius)));
        }
        nearest = _mm512_mask_min_ps(nearest, touches, nearest, squared);
        found.pack::<ALIKE>(pairs, touches, [dx, dz, reach, other.radius]);
        found.touches[step] = touches;
        step += 1;
        pairs += touches.count_ones() as usize;
        at = _mm512_add_epi32(at, one);
    }
}

impl Found {
    /// Ends a block.
    #[inline]
    fn end(&mut self, left: LaneMask) {
        self.ends[self.blocks] = (self.steps, left);
        self.blocks += 1;
    }

    /// Packs what the lanes found in a step, from a pair on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn pack<const ALIKE: bool>(&mut self, at: usize, touches: __mmask16, of: [__m512; 4]) {
        let [dx, dz, reach, radius] = of.map(|part| _mm512_maskz_compress_ps(touches, part));
        store(&mut self.dx, at, dx);
        store(&mut self.dz, at, dz);
        if !ALIKE {
            store(&mut self.reach, at, reach);
            store(&mut self.radii, at, radius);
        }
    }
}
