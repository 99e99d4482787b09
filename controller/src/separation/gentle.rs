//! Where the ground is known to be gentle, sixteen units at a time, as [`Guard`] says it of one.

use bytemuck::cast_ref;
use marchland_terrain::kernel::lanes::{F32x16, I32x16, LANES, Lanes, Mask, Window, each};

use super::guard::{Guard, SectorCache, inner};
use crate::units::columns::Units;

/// For each unit, how far from the middle of a sector its body touches no other, the length of its glance,
/// and the steepest ground that it stands on.
#[inline(always)]
pub(super) fn shapes_of<L: Lanes>(
    lanes: L,
    guard: &Guard<'_>,
    units: &Units,
    first: usize,
) -> (F32x16<L>, F32x16<L>, [u8; LANES]) {
    let bodies: [_; LANES] =
        std::array::from_fn(|lane| &units.bodies[units.body_ids[first + lane].index()]);
    let inner = F32x16::load(lanes, &bodies.map(|body| inner(guard.tick, body)));
    let glance = F32x16::load(lanes, &bodies.map(|body| body.glance));
    (inner, glance, bodies.map(|body| body.steepness_limit))
}

/// The indices of the sectors of sixteen units in the cache, and a mask of those that are cached. Caches
/// those of the lanes in `asked`.
#[inline(always)]
pub(super) fn homes_of<L: Lanes>(
    lanes: L,
    guard: &mut Guard<'_>,
    units: &Units,
    first: usize,
    asked: Mask<L>,
) -> (I32x16<L>, Mask<L>) {
    let none = (I32x16::splat(lanes, 0), Mask::of_bits(lanes, 0));
    let Some(sectors) = units.sectors[first..].first_chunk::<LANES>() else { return none };
    let [x, z] = I32x16::unzip2(lanes, cast_ref(sectors));
    let seven = I32x16::splat(lanes, 7);
    let place = (x & seven) | (z & seven).up(3);
    let known = known_of(lanes, &guard.sector_cache, place, [x, z]);
    let unknown = (asked & !known).bits();
    if unknown == 0 {
        return (place, known);
    }
    for (lane, sector) in sectors.iter().enumerate() {
        if unknown >> lane & 1 == 1 {
            guard.remember(*sector);
        }
    }
    (place, known_of(lanes, &guard.sector_cache, place, [x, z]))
}

/// The lanes whose sectors are cached.
#[inline(always)]
fn known_of<L: Lanes>(
    lanes: L,
    cache: &SectorCache<'_>,
    place: I32x16<L>,
    [x, z]: [I32x16<L>; 2],
) -> Mask<L> {
    let [x, z] = each!([(&cache.xs, x), (&cache.zs, z)], |(all, sector)| {
        let low = Window::load_at(lanes, all, 0);
        low.look_up_64(Window::load_at(lanes, all, 2 * LANES), place).equals(sector)
    });
    x & z
}

/// The lanes in `asked` whose way is gentle between its ends, as [`Guard::is_gentle_between`].
#[inline(always)]
pub(super) fn gentle_between<L: Lanes>(
    lanes: L,
    known: &SectorCache<'_>,
    homes: &[i32; LANES],
    [from, to]: [[I32x16<L>; 2]; 2],
    limits: &[u8; LANES],
    asked: Mask<L>,
) -> Mask<L> {
    let [column, row] = each!([0, 1], |axis| from[axis].equals(to[axis]));
    let crosses = asked & !(column & row);
    if !crosses.any() {
        return asked;
    }
    // Rare: blocks are long.
    asked & (column | row) & (!crosses | gentle(lanes, known, homes, from, limits))
}

/// The lanes where all ground of a block in the sector at `homes` is known to be gentle enough, as
/// [`Guard::is_gentle`].
#[inline(always)]
pub(super) fn gentle<L: Lanes>(
    lanes: L,
    known: &SectorCache<'_>,
    homes: &[i32; LANES],
    [column, row]: [I32x16<L>; 2],
    limits: &[u8; LANES],
) -> Mask<L> {
    let blocks = (row * I32x16::splat(lanes, known.along as i32) + column).array();
    let mut gentle = 0;
    for (lane, ((place, block), limit)) in homes.iter().zip(&blocks).zip(limits).enumerate() {
        // Not found in a sector that is not in memory.
        let found = known.steepness[*place as usize].get(*block as usize);
        gentle |= u16::from(found.is_some_and(|steepness| steepness <= limit)) << lane;
    }
    Mask::of_bits(lanes, gentle)
}

/// The lanes in `asked` whose units the ground supports where they go, as [`SectorCache::bears`].
#[inline(never)]
pub(super) fn borne(
    guard: &Guard<'_>,
    units: &Units,
    first: usize,
    homes: &[i32; LANES],
    to: &[[f32; LANES]; 2],
    asked: u16,
) -> u16 {
    let (mut borne, mut lanes) = (asked, asked);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let home = homes[lane] as usize;
        if guard.sector_cache.crowded >> home & 1 == 0 {
            continue;
        }
        let (feet, body) = (units.locals[first + lane].y, units.body_ids[first + lane].index());
        let (to, down) = ([to[0][lane], to[1][lane]], units.bodies[body].step_down());
        if !guard.sector_cache.bears(guard.tick, home, feet, to, down) {
            borne &= !(1 << lane);
        }
    }
    borne
}
