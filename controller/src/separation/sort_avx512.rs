//! Sorting with AVX-512, sixteen units at a time: the same numbers as [`sort`](super::sort), which
//! handles one at a time.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::grid::{Plan, QUANTA, WHOLE};
use super::sort::{self, Parted, Region, SLOT_BITS, STRETCH, Seen, Starts, Stretch};
use super::sorted::{NOBODY, Row};
use crate::lanes::avx512::{
    Line, bits, ints, order, part as axis, places as triples, prefetch, sectors, store, store_ints,
    store_words, words,
};
use crate::units::cells::LANES;
use crate::units::columns::Units;
use crate::units::unit::Motion;

/// Finds buckets. `None` if a unit may be so far away that its place does not fit 32 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn find(
    stretch: &mut Stretch<'_>,
    plan: &Plan,
    units: &Units,
    buckets: &mut [u32],
) -> Option<Seen> {
    let around = Around::new(plan);
    let levels = Levels::new(plan);
    let whole = buckets.len() / LANES * LANES;
    let mut count = 0;
    for at in (0..whole).step_by(LANES) {
        // Rows are written out of order: they are prefetched in order here.
        prefetch(&stretch.rows[at..at + LANES]);
        let slot = stretch.first + at;
        let takes = takes_part(units, slot);
        let sector = sectors(&units.sectors, slot);
        if takes & !around.holds(sector) != 0 {
            return None;
        }
        let local = triples(&units.locals, slot);
        let x = around.quanta(0, sector[0], axis(local, 0));
        let z = around.quanta(1, sector[1], axis(local, 2));
        let found = levels.buckets(plan, units, slot, x, z);
        let nobody = _mm512_set1_epi32(NOBODY as i32);
        store_words(buckets, at, _mm512_mask_mov_epi32(nobody, takes, found));
        if takes != u16::MAX {
            for lane in (0..LANES).filter(|lane| takes >> lane & 1 == 0) {
                *stretch.pushes[at + lane].get_mut() = 0;
            }
        }
        count += takes.count_ones() as usize;
    }
    let rest = stretch.find_plainly(plan, units, buckets, whole);
    Some(rest.and(Seen { count, farthest: 0 }))
}

/// Which of sixteen units take part, as [`takes_part`](super::grid::takes_part).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn takes_part(units: &Units, at: usize) -> __mmask16 {
    const { assert!(Motion::Walking as u8 == 0 && size_of::<Motion>() == 1) }
    let (live, motions) = (&units.live[at..at + LANES], &units.motions[at..at + LANES]);
    // SAFETY: sixteen booleans of one byte each.
    let live = unsafe { _mm_loadu_si128(live.as_ptr().cast()) };
    // SAFETY: sixteen motions of one byte each.
    let motions = unsafe { _mm_loadu_si128(motions.as_ptr().cast()) };
    _mm_test_epi8_mask(live, live) & _mm_testn_epi8_mask(motions, motions)
}

/// The origin from which quanta are counted, and the sectors near enough for 32 bits.
struct Around {
    origin: [i32; 2],
    side: i32,
    low: [i32; 2],
    high: [i32; 2],
}

impl Around {
    fn new(plan: &Plan) -> Self {
        let (origin, side) = ([plan.frame.origin.x, plan.frame.origin.z], plan.frame.side as i32);
        // Places are less than 2³⁰ quanta away: up to half a sector farther than the centre of their sector.
        let most = (1 << 30) / side - 1;
        let low = origin.map(|at| at.saturating_sub(most));
        let high = origin.map(|at| at.saturating_add(most));
        Self { origin, side, low, high }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn holds(&self, sector: [__m512i; 2]) -> __mmask16 {
        let [x, z] = [0, 1].map(|axis| {
            let (low, high) =
                (_mm512_set1_epi32(self.low[axis]), _mm512_set1_epi32(self.high[axis]));
            _mm512_cmpge_epi32_mask(sector[axis], low) & _mm512_cmple_epi32_mask(sector[axis], high)
        });
        x & z
    }

    /// As [`Frame::spot`](super::grid::Frame::spot), along one axis.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn quanta(&self, axis: usize, sector: __m512i, local: __m512) -> __m512i {
        let away = _mm512_sub_epi32(sector, _mm512_set1_epi32(self.origin[axis]));
        let quanta = _mm512_cvttps_epi32(_mm512_mul_ps(local, _mm512_set1_ps(QUANTA)));
        _mm512_add_epi32(_mm512_mullo_epi32(away, _mm512_set1_epi32(self.side)), quanta)
    }
}

/// The levels, each in a lane.
struct Levels {
    first: __m512i,
    mask: __m512i,
    stride: __m512i,
    scale: __m512d,
    /// The level that holds all units, if there is only one.
    only: Option<i32>,
}

impl Levels {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn new(plan: &Plan) -> Self {
        let (mut first, mut mask, mut stride) = ([0; LANES], [0; LANES], [0; LANES]);
        let mut scale = [0.0_f64; 8];
        for (at, level) in plan.levels.iter().enumerate() {
            (first[at], mask[at], stride[at]) =
                (level.first as i32, level.mask as i32, level.stride as i32);
            scale[at] = level.cells_per_quantum;
        }
        let [first, mask, stride] = [first, mask, stride].map(|all| ints(&all, 0));
        // SAFETY: eight numbers.
        let scale = unsafe { _mm512_loadu_pd(scale.as_ptr()) };
        let only = plan.only().map(|level| level as i32);
        Self { first, mask, stride, scale, only }
    }

    /// The buckets of places, on any level.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn buckets(&self, plan: &Plan, units: &Units, slot: usize, x: __m512i, z: __m512i) -> __m512i {
        let level =
            self.only.map_or_else(|| levels_of(plan, units, slot), |only| _mm512_set1_epi32(only));
        let halves = [_mm512_castsi512_si256(level), _mm512_extracti64x4_epi64::<1>(level)];
        let scale =
            halves.map(|half| _mm512_permutexvar_pd(_mm512_cvtepi32_epi64(half), self.scale));
        let of = |all| _mm512_permutexvar_epi32(level, all);
        let rows = _mm512_mullo_epi32(cells(scale, z), of(self.stride));
        let offset = _mm512_and_si512(_mm512_add_epi32(rows, cells(scale, x)), of(self.mask));
        _mm512_add_epi32(of(self.first), offset)
    }
}

/// Columns or rows of cells, as [`Level::cell`](super::grid::Level::cell). `scale` is cells per quantum, for
/// the first eight lanes and for the others.
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

/// The levels of sixteen units.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn levels_of(plan: &Plan, units: &Units, slot: usize) -> __m512i {
    let levels: [i32; LANES] =
        std::array::from_fn(|lane| i32::from(plan.shape(units, slot + lane).level));
    ints(&levels, 0)
}

/// Brings a stretch into the order of regions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn part(
    stretch: &mut Stretch<'_>,
    plan: &Plan,
    units: &Units,
    buckets: &[u32],
    region_log2: u32,
    next: &mut Starts,
) {
    let around = Around::new(plan);
    let whole = buckets.len() / LANES * LANES;
    let mut regions = Line([0_u32; LANES]);
    let mut rows = Line([Row::default(); LANES]);
    let nobody = _mm512_set1_epi32(NOBODY as i32);
    let log2 = _mm_cvtsi32_si128(region_log2 as i32);
    let low = _mm512_set1_epi32((1 << region_log2) - 1);
    for at in (0..whole).step_by(LANES) {
        let bucket = words(buckets, at);
        let mask = _mm512_cmpneq_epi32_mask(bucket, nobody);
        let first = stretch.first + at;
        let sector = sectors(&units.sectors, first);
        let local = triples(&units.locals, first);
        let x = around.quanta(0, sector[0], axis(local, 0));
        let z = around.quanta(1, sector[1], axis(local, 2));
        let slot = _mm512_add_epi32(order(), _mm512_set1_epi32(at as i32));
        let in_region = _mm512_slli_epi32::<SLOT_BITS>(_mm512_and_si512(bucket, low));
        let key = _mm512_or_si512(in_region, slot);
        let feet = bits(axis(local, 1));
        let mut all = [_mm512_srl_epi32(bucket, log2), x, z, feet, key];
        if mask != u16::MAX {
            all = all.map(|part| _mm512_maskz_compress_epi32(mask, part));
        }
        let [region, x, z, feet, key] = all;
        store_words(&mut regions.0, 0, region);
        store_rows(&mut rows.0, x, z, feet, key);
        for lane in 0..mask.count_ones() as usize {
            let next = &mut next[regions.0[lane] as usize];
            stretch.rows[*next as usize] = rows.0[row_of(lane)];
            *next += 1;
        }
    }
    stretch.part_plainly(plan, units, buckets, region_log2, whole, next);
}

/// The index at which [`store_rows`] puts the row of a lane.
#[inline]
fn row_of(lane: usize) -> usize {
    lane % 4 * 4 + lane / 4
}

/// Writes sixteen rows: the first of each quarter of the registers, then the second of each, and so on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn store_rows(rows: &mut [Row; LANES], x: __m512i, z: __m512i, feet: __m512i, key: __m512i) {
    let places = [_mm512_unpacklo_epi32(x, z), _mm512_unpackhi_epi32(x, z)];
    let others = [_mm512_unpacklo_epi32(feet, key), _mm512_unpackhi_epi32(feet, key)];
    for quarter in 0..4 {
        let (place, other) = (places[quarter / 2], others[quarter / 2]);
        let four = if quarter % 2 == 0 {
            _mm512_unpacklo_epi64(place, other)
        } else {
            _mm512_unpackhi_epi64(place, other)
        };
        let to = &mut rows[quarter * 4..][..4];
        // SAFETY: four rows are sixteen numbers of four bytes.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), four) }
    }
}

/// As [`add_up`](super::sort::add_up), sixteen numbers at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn add_up(all: &mut [u32], first: u32) {
    let (mut sum, zero) = (_mm512_set1_epi32(first as i32), _mm512_setzero_si512());
    let (blocks, rest) = all.as_chunks_mut::<LANES>();
    for block in blocks {
        let one = words(block, 0);
        let two = _mm512_add_epi32(one, _mm512_alignr_epi32::<15>(one, zero));
        let four = _mm512_add_epi32(two, _mm512_alignr_epi32::<14>(two, zero));
        let eight = _mm512_add_epi32(four, _mm512_alignr_epi32::<12>(four, zero));
        let all = _mm512_add_epi32(eight, _mm512_alignr_epi32::<8>(eight, zero));
        store_words(block, 0, _mm512_add_epi32(sum, _mm512_sub_epi32(all, one)));
        let last = _mm512_permutexvar_epi32(_mm512_set1_epi32(LANES as i32 - 1), all);
        sum = _mm512_add_epi32(sum, last);
    }
    sort::add_up(rest, _mm_cvtsi128_si32(_mm512_castsi512_si128(sum)) as u32);
}

/// Puts the units of a region in order, first as rows, then as columns. Its `ends` hold where each bucket
/// begins.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn place(region: &mut Region<'_>, parted: &Parted<'_>, room: &mut [Row]) {
    const { assert!(size_of::<Row>() == 16 && std::mem::offset_of!(Row, key) == 12) }
    for (first, rows) in parted.region(region.index) {
        for row in rows {
            let end = &mut region.ends[(row.key >> SLOT_BITS) as usize];
            let to = &mut room[*end as usize - region.begin];
            *end += 1;
            let slot = first as u32 | row.key & (STRETCH as u32 - 1);
            // SAFETY: a row is four numbers of four bytes.
            let all = unsafe { _mm_loadu_si128(std::ptr::from_ref(row).cast()) };
            let all = _mm_insert_epi32::<3>(all, slot as i32);
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(std::ptr::from_mut(to).cast(), all) }
        }
    }
    let columns = &mut region.columns;
    let (blocks, rest) = room.as_chunks::<LANES>();
    for (block, at) in blocks.iter().zip((0..).step_by(LANES)) {
        let [x, z, feet, slot] = columns_of(block);
        store_ints(columns.xs, at, x);
        store_ints(columns.zs, at, z);
        store(columns.feet, at, _mm512_castsi512_ps(feet));
        store_words(columns.slots, at, slot);
    }
    for (row, at) in rest.iter().zip(blocks.len() * LANES..) {
        (columns.xs[at], columns.zs[at]) = (row.x, row.z);
        (columns.feet[at], columns.slots[at]) = (row.feet, row.key);
    }
}

/// For eight rows in two registers: the indices of the parts `first` and `first + 1`, one after the other.
const fn of_rows(first: i32) -> [i32; LANES] {
    let mut places = [0; LANES];
    let mut at = 0;
    while at < LANES {
        places[at] = at as i32 % 8 * 4 + first + at as i32 / 8;
        at += 1;
    }
    places
}

const PARTS: [[i32; LANES]; 2] = [of_rows(0), of_rows(2)];

/// The columns of sixteen rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn columns_of(rows: &[Row; LANES]) -> [__m512i; 4] {
    let from = rows.as_ptr().cast::<i32>();
    // SAFETY: four registers are sixteen rows of four numbers of four bytes.
    let all = [0, 1, 2, 3].map(|part| unsafe { _mm512_loadu_si512(from.add(part * LANES).cast()) });
    let two = |parts: usize, low: usize| {
        _mm512_permutex2var_epi32(all[low], ints(&PARTS[parts], 0), all[low + 1])
    };
    let both = [0, 1].map(|parts| (two(parts, 0), two(parts, 2)));
    let first = |(low, high)| _mm512_shuffle_i64x2::<0b01_00_01_00>(low, high);
    let second = |(low, high)| _mm512_shuffle_i64x2::<0b11_10_11_10>(low, high);
    [first(both[0]), second(both[0]), first(both[1]), second(both[1])]
}
