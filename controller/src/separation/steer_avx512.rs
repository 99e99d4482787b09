//! Steering with AVX-512, sixteen units at a time: the same operations as [`steer`](super::steer) for
//! units whose whole push leads over gentle ground. The others are returned as a mask.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use marchland_terrain::SectorCoord;
use marchland_terrain::limits::BLOCK_CELLS;

use super::guard::{Guard, SectorCache, inner};
use super::steer::{ASIDE, Steering};
use super::strength::LESS;
use crate::ground::limits::SPEED_MAX;
use crate::lanes::avx512::{
    self, Line, bits, floats, floor, index_of, ints, is_within, of_64, pairs_apart, part, places,
    prefetch, sectors, store, store_wishes, store_words, without_creep,
};
use crate::units::cells::LANES;
use crate::units::columns::Units;
use crate::units::wish::Wish;

/// How many units ahead memory is prefetched.
const PREFETCH_UNITS: usize = 8 * LANES;

/// What steering sixteen units needs of the tick.
pub(super) struct Steps {
    dt: f32,
    cells_per_metre: f32,
    half_cells: f32,
    /// If there is only one body: how far from the middle of a sector it touches no other, the length of its
    /// glance, and the steepest ground that it stands on.
    only: Option<(f32, f32, u8)>,
}

impl Steps {
    /// `None` where the cell of a place has to be found in another way.
    pub(super) fn new(steering: &Steering<'_>, guard: &Guard<'_>) -> Option<Self> {
        let tick = guard.tick;
        let only = match &steering.units.bodies[..] {
            [only] => Some((inner(tick, only), only.glance, only.steepness_limit)),
            _ => None,
        };
        let (cells_per_metre, half_cells) = (1.0 / tick.cell, tick.half / tick.cell);
        let is_single = tick.side == tick.cell;
        (!is_single).then_some(Self { dt: tick.dt, cells_per_metre, half_cells, only })
    }
}

/// Steers sixteen units, the first in the lowest lane. Returns the units that are pushed but keep their
/// wish: they need a closer look.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(super) fn steer(
    steps: &Steps,
    steering: &Steering<'_>,
    guard: &mut Guard<'_>,
    first: usize,
    taken: &[[f32; 2]; LANES],
    wished: &[Wish; LANES],
    wishes: &mut [Wish; LANES],
) -> u16 {
    let units = steering.units;
    // The units after the next few.
    let soon = |slots: usize| {
        first + PREFETCH_UNITS
            ..slots.min(first + PREFETCH_UNITS + LANES).max(first + PREFETCH_UNITS)
    };
    if let Some(soon) = units.locals.get(soon(units.locals.len())) {
        prefetch(soon);
    }
    if let Some(soon) = units.sectors.get(soon(units.sectors.len())) {
        prefetch(soon);
    }
    let taken = taken.as_flattened();
    let push = pairs_apart([floats(taken, 0), floats(taken, LANES)]);
    let wished = avx512::wishes(wished);
    let [x, jump, z] = [0, 1, 2].map(|axis| part(wished, axis));
    let zero = _mm512_setzero_ps();
    let pushed = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(push[0], zero)
        | _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(push[1], zero);
    let stays = _mm512_testn_epi32_mask(bits(jump), bits(jump));
    let asked = pushed & stays & is_valid([x, z]);
    if asked == 0 {
        store_wishes(wishes, [x, jump, z]);
        return 0;
    }
    let to = steered(steering.most, [x, z], push, asked);
    let (dt, local) = (_mm512_set1_ps(steps.dt), places(&units.locals, first));
    let from = [part(local, 0), part(local, 2)];
    let way = to.map(|speed| _mm512_mul_ps(speed, dt));
    let end = [0, 1].map(|axis| _mm512_add_ps(from[axis], way[axis]));
    let shapes = steps.only.map_or_else(
        || shapes_of(guard, units, first),
        |(inner, glance, limit)| (_mm512_set1_ps(inner), _mm512_set1_ps(glance), [limit; LANES]),
    );
    let near = |at: [__m512; 2]| is_within(at[0], shapes.0) & is_within(at[1], shapes.0);
    let may = asked & is_valid(to) & near(end) & near(from) & is_short(way, shapes.1);
    let (homes, known) = homes_of(guard, units, first, may);
    let blocks = [from, end].map(|at| blocks_of(steps, at));
    let mut goes = may & known & gentle(&guard.sector_cache, homes, blocks[1], &shapes.2);
    goes = gentle_between(&guard.sector_cache, homes, blocks, &shapes.2, goes);
    if guard.sector_cache.crowded != 0 {
        goes = borne(guard, units, first, homes, end, goes);
    }

    let new = |axis: usize, old| _mm512_mask_mov_ps(old, goes, to[axis]);
    store_wishes(wishes, [new(0, x), jump, new(1, z)]);
    asked & !goes
}

/// As [`Wish::is_valid`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn is_valid([x, z]: [__m512; 2]) -> __mmask16 {
    let squared = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(z, z));
    _mm512_cmp_ps_mask::<_CMP_LE_OQ>(squared, _mm512_set1_ps(SPEED_MAX * SPEED_MAX))
}

/// As [`steered`](super::steer::steered), for the requested lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn steered(most: f32, wish: [__m512; 2], push: [__m512; 2], asked: __mmask16) -> [__m512; 2] {
    let [x, z] = wish.map(|speed| without_creep(speed));
    let [px, pz] = push;
    let along = _mm512_add_ps(_mm512_mul_ps(x, px), _mm512_mul_ps(z, pz));
    let against = _mm512_castsi512_ps(_mm512_xor_si512(bits(along), bits(_mm512_set1_ps(-0.0))));
    let plain = [_mm512_add_ps(x, px), _mm512_add_ps(z, pz)];
    let turns = asked & !_mm512_cmp_ps_mask::<_CMP_LE_OQ>(against, _mm512_setzero_ps());
    if turns == 0 {
        return plain;
    }
    let across = _mm512_sub_ps(_mm512_mul_ps(x, pz), _mm512_mul_ps(z, px));
    let is_right = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(across, _mm512_setzero_ps());
    let side = _mm512_mask_mov_ps(_mm512_set1_ps(-ASIDE), is_right, _mm512_set1_ps(ASIDE));
    let speed = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(z, z));
    let aside = _mm512_div_ps(_mm512_mul_ps(side, against), speed);
    let px = _mm512_sub_ps(px, _mm512_mul_ps(aside, z));
    let pz = _mm512_add_ps(pz, _mm512_mul_ps(aside, x));
    let squared = _mm512_add_ps(_mm512_mul_ps(px, px), _mm512_mul_ps(pz, pz));
    let is_fast = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(squared, _mm512_set1_ps(most * most));
    let slower = _mm512_div_ps(_mm512_set1_ps(most * LESS), _mm512_sqrt_ps(squared));
    let less = _mm512_mask_mov_ps(_mm512_set1_ps(1.0), is_fast, slower);
    [
        _mm512_mask_add_ps(plain[0], turns, x, _mm512_mul_ps(px, less)),
        _mm512_mask_add_ps(plain[1], turns, z, _mm512_mul_ps(pz, less)),
    ]
}

/// Whether moves are short enough, as [`is_short`](super::guard::is_short).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn is_short([x, z]: [__m512; 2], glance: __m512) -> __mmask16 {
    let squared = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(z, z));
    _mm512_cmp_ps_mask::<_CMP_LE_OQ>(squared, _mm512_mul_ps(glance, glance))
}

/// For each unit, how far from the middle of a sector its body touches no other, the length of its glance,
/// and the steepest ground that it stands on.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn shapes_of(guard: &Guard<'_>, units: &Units, first: usize) -> (__m512, __m512, [u8; LANES]) {
    let bodies: [_; LANES] =
        std::array::from_fn(|lane| &units.bodies[units.body_ids[first + lane].index()]);
    let inner = bodies.map(|body| inner(guard.tick, body));
    let glance = bodies.map(|body| body.glance);
    (floats(&inner, 0), floats(&glance, 0), bodies.map(|body| body.steepness_limit))
}

/// The indices of the sectors of sixteen units in the cache, and a mask of those that are cached. Caches
/// those of the lanes in `asked`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn homes_of(
    guard: &mut Guard<'_>,
    units: &Units,
    first: usize,
    asked: __mmask16,
) -> (__m512i, __mmask16) {
    let [x, z] = sectors(&units.sectors, first);
    let seven = _mm512_set1_epi32(7);
    let [column, row] = [x, z].map(|axis| _mm512_and_si512(axis, seven));
    let place = _mm512_or_si512(column, _mm512_slli_epi32::<3>(row));
    let is_known = |cache: &SectorCache<'_>| {
        let of = |all: &[i32; 64]| of_64([0, 1, 2, 3].map(|part| ints(all, part * LANES)), place);
        _mm512_cmpeq_epi32_mask(of(&cache.xs), x) & _mm512_cmpeq_epi32_mask(of(&cache.zs), z)
    };
    let known = is_known(&guard.sector_cache);
    let unknown = asked & !known;
    if unknown == 0 {
        return (place, known);
    }
    remember(guard, &units.sectors[first..first + LANES], unknown);
    (place, is_known(&guard.sector_cache))
}

#[cold]
fn remember(guard: &mut Guard<'_>, sectors: &[SectorCoord], unknown: u16) {
    for (lane, sector) in sectors.iter().enumerate() {
        if unknown >> lane & 1 == 1 {
            guard.remember(*sector);
        }
    }
}

/// The blocks of cells that places are in, as [`Guard::block`]: columns and rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn blocks_of(steps: &Steps, at: [__m512; 2]) -> [__m512i; 2] {
    const { assert!(BLOCK_CELLS == 8) }
    at.map(|metres| {
        let cells = floor(_mm512_mul_ps(metres, _mm512_set1_ps(steps.cells_per_metre)));
        _mm512_srli_epi32::<3>(index_of(cells, _mm512_set1_ps(steps.half_cells)))
    })
}

/// The lanes in `asked` whose way is gentle between its ends, as [`Guard::is_gentle_between`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn gentle_between(
    known: &SectorCache<'_>,
    homes: __m512i,
    [from, to]: [[__m512i; 2]; 2],
    limits: &[u8; LANES],
    asked: __mmask16,
) -> __mmask16 {
    let [column, row] = [0, 1].map(|axis| _mm512_cmpeq_epi32_mask(from[axis], to[axis]));
    let crosses = asked & !(column & row);
    if crosses == 0 {
        return asked;
    }
    // Rare: blocks are long.
    asked & (column | row) & (!crosses | gentle(known, homes, from, limits))
}

/// The lanes where all ground of a block in the sector at `homes` is known to be gentle enough, as
/// [`Guard::is_gentle`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn gentle(
    known: &SectorCache<'_>,
    homes: __m512i,
    [column, row]: [__m512i; 2],
    limits: &[u8; LANES],
) -> __mmask16 {
    let rows = _mm512_mullo_epi32(row, _mm512_set1_epi32(known.along as i32));
    let (mut blocks, mut places) = (Line([0_u32; LANES]), Line([0_u32; LANES]));
    store_words(&mut blocks.0, 0, _mm512_add_epi32(rows, column));
    store_words(&mut places.0, 0, homes);
    let mut gentle = 0;
    for (lane, ((place, block), limit)) in places.0.iter().zip(&blocks.0).zip(limits).enumerate() {
        // Not found in a sector that is not in memory.
        let found = known.steepness[*place as usize].get(*block as usize);
        gentle |= u16::from(found.is_some_and(|steepness| steepness <= limit)) << lane;
    }
    gentle
}

/// The lanes in `asked` whose units the ground supports where they go, as [`SectorCache::bears`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn borne(
    guard: &Guard<'_>,
    units: &Units,
    first: usize,
    homes: __m512i,
    to: [__m512; 2],
    asked: __mmask16,
) -> __mmask16 {
    let (mut x, mut z) = (Line([0.0_f32; LANES]), Line([0.0_f32; LANES]));
    let mut places = Line([0_u32; LANES]);
    store(&mut x.0, 0, to[0]);
    store(&mut z.0, 0, to[1]);
    store_words(&mut places.0, 0, homes);
    let (mut borne, mut lanes) = (asked, asked);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let home = places.0[lane] as usize;
        if guard.sector_cache.crowded >> home & 1 == 0 {
            continue;
        }
        let (feet, body) = (units.locals[first + lane].y, units.body_ids[first + lane].index());
        let (to, down) = ([x.0[lane], z.0[lane]], units.bodies[body].step_down());
        if !guard.sector_cache.bears(guard.tick, home, feet, to, down) {
            borne &= !(1 << lane);
        }
    }
    borne
}
