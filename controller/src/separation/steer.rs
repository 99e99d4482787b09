//! From pushes to wishes: adds the part of a push that the guard allows. Units whose whole push leads over
//! gentle ground are done sixteen at a time, the others one by one.

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{cast_mut, cast_ref};
use marchland_terrain::kernel::lanes::{
    F32x16, I32x16, Kernel, LANES, Lanes, Mask, each, prefetch,
};
use marchland_terrain::limits::BLOCK_CELLS;

use super::columns::push_of;
use super::gentle::{borne, gentle, gentle_between, homes_of, shapes_of};
use super::guard::{Guard, inner};
use super::strength::LESS;
use crate::ground::lanes::{cell_index, without_creep};
use crate::limits::SPEED_MAX;
use crate::units::columns::Units;
use crate::units::wish::Wish;

/// Pushes that are read at a time.
const TAKEN: usize = 64;

/// How many such parts ahead memory is prefetched.
const PREFETCH_PARTS: usize = 3;

/// How many units ahead their places are prefetched.
const PREFETCH_UNITS: usize = 8 * LANES;

/// The fraction of a push straight against a unit's direction that turns it aside.
const ASIDE: f32 = 0.5;

/// The inputs of steering that all units share.
pub(super) struct Steering<'a> {
    pub(super) units: &'a Units,
    /// Fastest push.
    pub(super) most: f32,
}

/// Turns the requests of the units from `first` on, and their pushes, into their wishes.
pub(super) struct Steer<'a, 'b> {
    pub(super) steering: &'a Steering<'a>,
    pub(super) guard: &'a mut Guard<'b>,
    pub(super) first: usize,
    pub(super) pushes: &'a [AtomicU64],
    pub(super) asked: &'a [Wish],
    pub(super) wishes: &'a mut [Wish],
}

impl Kernel for Steer<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { steering, guard, first, pushes, asked, wishes } = self;
        let shared = SharedSteering::new(steering, guard);
        let mut taken = [[0.0; 2]; TAKEN];
        let parts = wishes.chunks_mut(TAKEN).zip(asked.chunks(TAKEN)).zip(pushes.chunks(TAKEN));
        for (part, ((wishes, asked_here), pushes_here)) in parts.enumerate() {
            let soon = (part + PREFETCH_PARTS) * TAKEN..(part + PREFETCH_PARTS + 1) * TAKEN;
            prefetch(asked.get(soon.clone()).unwrap_or_default());
            prefetch(pushes.get(soon).unwrap_or_default());
            for (taken, push) in taken.iter_mut().zip(pushes_here) {
                *taken = push_of(push.load(Ordering::Relaxed));
            }
            let first = first + part * TAKEN;
            let (blocks, rest) = wishes.as_chunks_mut::<LANES>();
            let (asked_blocks, asked_rest) = asked_here.as_chunks::<LANES>();
            let done = blocks.len() * LANES;
            let blocks = blocks.iter_mut().zip(asked_blocks).zip(taken.as_chunks::<LANES>().0);
            for (first, ((wishes, asked), taken)) in (first..).step_by(LANES).zip(blocks) {
                let block = Block { first, taken, asked };
                steer_block(lanes, steering, shared.as_ref(), guard, block, wishes);
            }
            if !rest.is_empty() {
                // In a block of their own, filled up with units that nobody pushes.
                let (mut asked, mut wishes) = ([Wish::STAND; LANES], [Wish::STAND; LANES]);
                asked[..rest.len()].copy_from_slice(asked_rest);
                let mut pushes = [[0.0; 2]; LANES];
                pushes[..rest.len()].copy_from_slice(&taken[done..done + rest.len()]);
                let block = Block { first: first + done, taken: &pushes, asked: &asked };
                steer_block(lanes, steering, None, guard, block, &mut wishes);
                rest.copy_from_slice(&wishes[..rest.len()]);
            }
        }
    }
}

/// Sixteen units from a slot on: their pushes and their requests.
#[derive(Clone, Copy)]
struct Block<'a> {
    first: usize,
    taken: &'a [[f32; 2]; LANES],
    asked: &'a [Wish; LANES],
}

/// What steering sixteen units together needs of the tick.
struct SharedSteering {
    dt: f32,
    cells_per_metre: f32,
    half_cells: f32,
    /// If there is only one body: how far from the middle of a sector it touches no other, the length of its
    /// glance, and the steepest ground that it stands on.
    only: Option<(f32, f32, u8)>,
}

impl SharedSteering {
    /// `None` where the cell of a place has to be found in another way.
    fn new(steering: &Steering<'_>, guard: &Guard<'_>) -> Option<Self> {
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

/// Writes the wishes of sixteen units. Without what is shared, each pushed one is looked at by itself.
#[inline(always)]
fn steer_block<L: Lanes>(
    lanes: L,
    steering: &Steering<'_>,
    shared: Option<&SharedSteering>,
    guard: &mut Guard<'_>,
    block: Block<'_>,
    wishes: &mut [Wish; LANES],
) {
    let Block { first, taken, asked } = block;
    let zero = F32x16::splat(lanes, 0.0);
    let [px, pz] = I32x16::unzip2(lanes, cast_ref(taken));
    let push = [px.of_bits(), pz.of_bits()];
    let [x, jump, z] = I32x16::unzip3(lanes, cast_ref(asked));
    let wish = [x.of_bits(), z.of_bits()];
    let pushed = !(push[0].equals(zero) & push[1].equals(zero));
    let moved = pushed & jump.is_zero() & is_valid(lanes, wish);
    *wishes = *asked;
    if !moved.any() {
        return;
    }
    let to = steered(lanes, steering.most, wish, push, moved);
    let goes = match shared {
        Some(shared) => going(lanes, shared, steering, guard, first, to, moved),
        None => Mask::of_bits(lanes, 0),
    };
    let [new_x, new_z] = each!([0, 1], |axis| goes.select(to[axis], wish[axis]).bits());
    store_wishes([new_x, jump, new_z], wishes);
    let mut left = (moved & !goes).bits();
    if left != 0 {
        let to = [to[0].array(), to[1].array()];
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            let pushed = [to[0][lane], to[1][lane]];
            wishes[lane] = allowed(guard, steering.units, first + lane, asked[lane], pushed);
            left &= left - 1;
        }
    }
}

/// Writes sixteen wishes from their parts.
#[inline(always)]
fn store_wishes<L: Lanes>(parts: [I32x16<L>; 3], to: &mut [Wish; LANES]) {
    let to: &mut [[i32; LANES]; 3] = cast_mut(to);
    for (part, to) in I32x16::zip3(parts).into_iter().zip(to) {
        part.store(to);
    }
}

/// The wish of one unit with its push, or with the part of the push that the guard allows: along one axis, or
/// none.
#[inline(never)]
fn allowed(
    guard: &mut Guard<'_>,
    units: &Units,
    slot: usize,
    wish: Wish,
    pushed: [f32; 2],
) -> Wish {
    let mut may = |velocity: [f32; 2]| {
        let wish = wish.at_velocity(velocity);
        wish.is_valid() && guard.allows(units, slot, velocity)
    };
    let ([x, z], [to_x, to_z]) = (wish.velocity(), pushed);
    let mut parts = [[to_x, to_z], [to_x, z], [x, to_z]];
    if (to_x - x).abs() < (to_z - z).abs() {
        parts.swap(1, 2);
    }
    let found = parts.into_iter().find(|part| may(*part));
    wish.at_velocity(found.unwrap_or(wish.velocity()))
}

/// The units of a mask whose whole push leads over ground that is known to be gentle.
#[inline(always)]
fn going<L: Lanes>(
    lanes: L,
    shared: &SharedSteering,
    steering: &Steering<'_>,
    guard: &mut Guard<'_>,
    first: usize,
    to: [F32x16<L>; 2],
    moved: Mask<L>,
) -> Mask<L> {
    let units = steering.units;
    let soon = first + PREFETCH_UNITS..first + PREFETCH_UNITS + LANES;
    prefetch(units.locals.get(soon.clone()).unwrap_or_default());
    prefetch(units.sectors.get(soon).unwrap_or_default());
    let Some(locals) = units.locals[first..].first_chunk::<LANES>() else {
        return Mask::of_bits(lanes, 0);
    };
    let [x, _, z] = I32x16::unzip3(lanes, cast_ref(locals));
    let (from, dt) = ([x.of_bits(), z.of_bits()], F32x16::splat(lanes, shared.dt));
    let way = [to[0] * dt, to[1] * dt];
    let end = [from[0] + way[0], from[1] + way[1]];
    let (inner, glance, limits) = match shared.only {
        Some((inner, glance, limit)) => {
            (F32x16::splat(lanes, inner), F32x16::splat(lanes, glance), [limit; LANES])
        }
        None => shapes_of(lanes, guard, units, first),
    };
    let is_short = (way[0] * way[0] + way[1] * way[1]).le(glance * glance);
    let [x, z] = each!([0, 1], |at| end[at].abs().lt(inner) & from[at].abs().lt(inner));
    let may = moved & is_valid(lanes, to) & x & z & is_short;
    let (homes, known) = homes_of(lanes, guard, units, first, may);
    let blocks = [blocks_of(lanes, shared, from), blocks_of(lanes, shared, end)];
    let homes = homes.array();
    let mut goes = may & known & gentle(lanes, &guard.sector_cache, &homes, blocks[1], &limits);
    goes = gentle_between(lanes, &guard.sector_cache, &homes, blocks, &limits, goes);
    if guard.sector_cache.crowded != 0 {
        let end = [end[0].array(), end[1].array()];
        goes = Mask::of_bits(lanes, borne(guard, units, first, &homes, &end, goes.bits()));
    }
    goes
}

/// As [`Wish::is_valid`].
#[inline(always)]
fn is_valid<L: Lanes>(lanes: L, [x, z]: [F32x16<L>; 2]) -> Mask<L> {
    (x * x + z * z).le(F32x16::splat(lanes, SPEED_MAX * SPEED_MAX))
}

/// Wishes with pushes of at most `most` metres per second. The part of a push straight against the
/// unit's direction also turns the unit aside.
#[inline(always)]
fn steered<L: Lanes>(
    lanes: L,
    most: f32,
    wish: [F32x16<L>; 2],
    push: [F32x16<L>; 2],
    moved: Mask<L>,
) -> [F32x16<L>; 2] {
    let splat = |value| F32x16::splat(lanes, value);
    // A wish that the tick treats as standing has no direction that a push could oppose.
    let [x, z] = each!([wish[0], wish[1]], |speed| without_creep(lanes, speed));
    let [px, pz] = push;
    let along = x * px + z * pz;
    let against = (along.bits() ^ I32x16::splat(lanes, i32::MIN)).of_bits();
    let plain = [x + px, z + pz];
    let turns = moved & !against.le(splat(0.0));
    if !turns.any() {
        return plain;
    }
    // To the side of the push, or to the right: +z for a unit that walks along +x.
    let is_right = (x * pz - z * px).ge(splat(0.0));
    let side = is_right.select(splat(ASIDE), splat(-ASIDE));
    let aside = side * against / (x * x + z * z);
    let (px, pz) = (px - aside * z, pz + aside * x);
    let squared = px * px + pz * pz;
    let slower = splat(most * LESS) / squared.sqrt();
    let less = squared.gt(splat(most * most)).select(slower, splat(1.0));
    [turns.select(x + px * less, plain[0]), turns.select(z + pz * less, plain[1])]
}

/// The blocks of cells that places are in, as [`Guard::block`]: columns and rows.
#[inline(always)]
fn blocks_of<L: Lanes>(lanes: L, shared: &SharedSteering, at: [F32x16<L>; 2]) -> [I32x16<L>; 2] {
    const { assert!(BLOCK_CELLS == 8) }
    each!([at[0], at[1]], |metres| {
        let in_cells = metres * F32x16::splat(lanes, shared.cells_per_metre);
        cell_index(lanes, in_cells.floor(), shared.half_cells).down(3)
    })
}
