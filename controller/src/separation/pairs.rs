//! Pushes on units from the units around them, sixteen units at a time.
//!
//! ```text
//! find    a unit in each lane, its candidates one after another: those that touch are packed into a list
//! weigh   the list, sixteen pairs at a time: root and quotient only for those that touch
//! finish  the sum of each unit over the list, and its push
//! ```
//!
//! Each touching pair contributes a part of its overlap, along the line between the two. Parts are
//! rounded to whole numbers before they are added, so the sum has the same bits in any order. No result
//! depends on grids, threads or where in the world the units are.
//!
//! Units in order of buckets have their neighbours in order too. The neighbours of sixteen units lie
//! within two registers for each of three rows, so no unit needs a separate memory access.

use std::ops::Range;
use std::sync::atomic::Ordering;

use marchland_terrain::kernel::lanes::{
    F32x16, I32x16, Kernel, LANES, Lanes, Mask, Simd, prefetch,
};

use super::alone::SinglePush;
use super::columns::{SPARE, push_bits};
use super::levels::ForeignPairSearch;
use super::pair::{Shape16, Units16};
use super::pair_list::{BLOCKS_MAX, FULL, Neighbours, PairList, are_near, look_far};
use super::runs::{Runs, runs_of};
use super::sorted::SortedUnits;
use super::strength::Strength;
use crate::units::columns::Units;

/// Units whose pushes are found before they are written.
const PART: usize = 256;

/// How many units ahead of the write of a push its destination is prefetched.
const PREFETCH_UNITS: usize = 64;
const _: () = assert!(PREFETCH_UNITS <= SPARE);

/// What all units share whose pushes are found.
#[derive(Clone, Copy)]
pub(super) struct Crowd<'a> {
    pub(super) simd: Simd,
    pub(super) units: &'a Units,
    pub(super) sorted: &'a SortedUnits,
    pub(super) strength: &'a Strength,
}

impl Crowd<'_> {
    /// Finds the pushes of the units at places in the columns, and writes them to their slots.
    pub(super) fn push(&self, places: Range<usize>, found: &mut PairList) {
        self.push_by(places, |first, pushes| self.find(first, pushes, found));
    }

    /// The same, with a different function that finds the pushes of units from a place on.
    pub(super) fn push_by(
        &self,
        places: Range<usize>,
        mut find: impl FnMut(usize, &mut [[f32; 2]]),
    ) {
        let sorted = self.sorted;
        let mut pushes = [[0.0; 2]; PART];
        for first in places.clone().step_by(PART) {
            let end = places.end.min(first + PART);
            let (slots, soon) = (
                &sorted.slots[first..end],
                &sorted.slots[first + PREFETCH_UNITS..end + PREFETCH_UNITS],
            );
            let pushes = &mut pushes[..slots.len()];
            find(first, pushes);
            for ((slot, push), soon) in slots.iter().zip(pushes).zip(soon) {
                sorted.pushes[*slot as usize].store(push_bits(*push), Ordering::Relaxed);
                let soon = *soon as usize;
                prefetch(sorted.pushes.get(soon..=soon).unwrap_or_default());
            }
        }
    }

    /// Finds the pushes on units from `first` on in the columns. Metres per second along X and Z.
    pub(super) fn find(&self, first: usize, pushes: &mut [[f32; 2]], found: &mut PairList) {
        let mut done = 0;
        if !self.sorted.is_far {
            let blocks = pushes.as_chunks_mut().0;
            done = blocks.len() * LANES;
            self.simd.run(PushBlocks { crowd: self, first, pushes: blocks, found });
        }
        for (at, push) in (first + done..).zip(&mut pushes[done..]) {
            *push = self.push_one(at);
        }
    }

    /// Finds the push on the unit at a place in the columns, alone.
    pub(super) fn push_one(&self, at: usize) -> [f32; 2] {
        self.simd.run(self.one(at))
    }

    fn one(&self, at: usize) -> SinglePush<'_> {
        let Self { units, sorted, strength, .. } = *self;
        SinglePush { units, sorted, strength, at }
    }
}

/// Finds the pushes on whole blocks of units from `first` on in the columns.
struct PushBlocks<'a> {
    crowd: &'a Crowd<'a>,
    first: usize,
    pushes: &'a mut [[[f32; 2]; LANES]],
    found: &'a mut PairList,
}

impl Kernel for PushBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        if self.crowd.sorted.plan.alike.is_some() {
            self.push::<L, true>(lanes);
        } else {
            self.push::<L, false>(lanes);
        }
    }
}

impl PushBlocks<'_> {
    #[inline(always)]
    fn push<L: Lanes, const ALIKE: bool>(self, lanes: L) {
        let Self { crowd, first, pushes, found } = self;
        let sorted = crowd.sorted;
        let shape = Shape16::shared(lanes, sorted);
        let mut done = 0;
        for block in 0..pushes.len() {
            find::<L, ALIKE>(lanes, sorted, &shape, first + block * LANES, found);
            if found.pairs >= FULL || found.blocks == BLOCKS_MAX || block + 1 == pushes.len() {
                found.weigh::<L, ALIKE>(lanes, &shape);
                found.finish(lanes, crowd.strength, &mut pushes[done..=block]);
                for (at, pushes) in (done..).zip(&mut pushes[done..=block]) {
                    let mut left = found.ends[at - done].1;
                    while left != 0 {
                        let lane = left.trailing_zeros() as usize;
                        pushes[lane] = lanes.call(crowd.one(first + at * LANES + lane));
                        left &= left - 1;
                    }
                }
                found.clear();
                done = block + 1;
            }
        }
    }
}

#[inline(always)]
fn find<L: Lanes, const ALIKE: bool>(
    lanes: L,
    sorted: &SortedUnits,
    shape: &Shape16<L>,
    at: usize,
    found: &mut PairList,
) {
    let home = sorted.plan.levels.iter().position(|level| at < level.end).unwrap_or(0);
    let level = &sorted.plan.levels[home];
    if at + LANES > level.end {
        found.end(u16::MAX); // a block of two levels
        return;
    }
    let (runs, mut left) = runs_of(lanes, sorted, level, at);
    let ones = Units16::load::<ALIKE>(lanes, sorted, shape, at);
    let places = I32x16::order(lanes) + I32x16::splat(lanes, at as i32);
    let mut nearest = F32x16::splat(lanes, 1.0);
    for runs in runs {
        let first = runs.begin.first();
        let base = I32x16::splat(lanes, first);
        let from = runs.begin - base;
        nearest = if are_near(lanes, from, runs.len).all() {
            let near = Neighbours::new::<ALIKE>(lanes, sorted, first as usize);
            let runs = Runs { begin: from, ..runs };
            let look = |at, _| near.look::<ALIKE>(shape, at);
            found.add_row::<L, ALIKE>(lanes, &ones, runs, places - base, nearest, look)
        } else {
            let look = |at, mask: Mask<L>| look_far::<L, ALIKE>(sorted, shape, at, mask);
            found.add_row::<L, ALIKE>(lanes, &ones, runs, places, nearest, look)
        };
    }
    if !ALIKE && level.end - level.begin < sorted.count {
        let nearest_own = nearest.array();
        let foreign =
            ForeignPairSearch { sorted, home, at, nearest: nearest_own, found: &mut *found };
        let (least, out) = lanes.call(foreign);
        (nearest, left) = (F32x16::load(lanes, &least), left | out);
    }
    left |= nearest.equals(F32x16::splat(lanes, 0.0)).bits();
    found.end(left);
}
