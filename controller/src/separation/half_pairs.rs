//! Visits each pair once, for both units: where all bodies have the same shape, the push of one unit on
//! another is the opposite of the push that it receives.
//!
//! ```text
//! add     a stretch of places: finds the units that touch units after them in their row, or units of the
//!         next row. The contribution of a pair is added to the sums of both, by place.
//! finish  turns the sums into pushes; units that lack pairs are computed again
//! ```
//!
//! Contributions of pairs are whole numbers, so the order of addition does not matter.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytemuck::Zeroable;
use marchland_terrain::kernel::lanes::{F32x16, I32x16, Kernel, LANES, Lanes, Mask, each};
use marchland_terrain::math::greater;

use super::columns::RUN_MAX;
use super::grid::{Level, QUANTA};
use super::pair::{Pairs16, Shape16, Units16, contributions, limited};
use super::pair_list::{Neighbours, PairList, are_near, look_far, store_pairs};
use super::pairs::Crowd;
use super::runs::{Runs, runs_ahead};
use super::sorted::SortedUnits;
use super::strength::Strength;
use super::threads::{each_chunk_with, each_range};
use crate::units::executor::Workers;

/// Fewest units for which it pays off: units near the first and the last bucket are computed again.
const UNITS_MIN: usize = 1024;

/// Widest bodies whose overlaps, with as many units as are visited, fit their bits of a sum. Quanta.
const RADIUS_MAX: f32 = 16.0 * QUANTA;
const _: () = assert!(16.0 * RADIUS_MAX * (3 * RUN_MAX) as f32 <= 134_217_727.0);
const _: () = assert!(3 * RUN_MAX < 1 << Z_BIT);

/// Units that are computed again together.
const GROUP: usize = 64;

/// The layout of a sum: the lowest bits count the units that touch, then 28 bits along Z, then 28 along X.
const Z_BIT: u32 = 8;
const X_BIT: u32 = 36;

/// The sums of units over their pairs, by place.
#[derive(Debug, Default)]
pub(super) struct PairSums {
    /// Sixteenths of quanta along X and Z, and how many touch. All 0 between ticks.
    sums: Vec<AtomicU64>,
    /// Whether some unit of each group lacks pairs.
    recomputed: Vec<AtomicBool>,
    /// Whether pairs are being added up.
    is_open: bool,
}

impl PairSums {
    /// Finds the pushes of all units, and writes them to their slots, if this method applies.
    pub(super) fn push(&mut self, workers: Workers<'_>, crowd: Crowd<'_>, chunk: usize) -> bool {
        let sorted = crowd.sorted;
        if !self.open(workers, sorted) {
            return false;
        }
        // Units that are computed again together belong to one chunk.
        let chunk = chunk.clamp(1, 1 << 20).next_multiple_of(GROUP);
        let level = &sorted.plan.levels[sorted.plan.only().unwrap_or(0)];
        let are_shared = workers.threads > 1;
        each_range(workers, sorted.count, chunk, List::zeroed, |list, places| {
            crowd.simd.run(PairSummation { to: self, sorted, level, places, list, are_shared });
        });
        let (recomputed, sums) = (&self.recomputed, &mut self.sums[..sorted.count]);
        each_chunk_with(workers, sums, chunk, PairList::zeroed, |found, first, sums| {
            crowd.push_by(first..first + sums.len(), |at, pushes| {
                let sums = &mut sums[at - first..][..pushes.len()];
                finish(&crowd, recomputed, at, sums, pushes, found);
            });
        });
        self.is_open = false;
        true
    }

    /// Prepares for a tick. Returns whether this method applies.
    fn open(&mut self, workers: Workers<'_>, sorted: &SortedUnits) -> bool {
        if self.is_open {
            self.sums.clear(); // the last tick did not finish
        }
        // Reserved in any case: the next population may need it.
        self.sums.resize_with(sorted.pushes.len(), AtomicU64::default);
        self.recomputed.resize_with(sorted.pushes.len().div_ceil(GROUP), AtomicBool::default);
        let level = sorted.plan.only().map(|only| &sorted.plan.levels[only]);
        let radius = sorted.plan.alike.map(|(radius, _)| radius);
        let (Some(level), Some(radius)) = (level, radius) else { return false };
        self.is_open = radius <= RADIUS_MAX && sorted.count >= UNITS_MIN && !sorted.is_far;
        if self.is_open {
            self.recomputed.iter_mut().for_each(|group| *group.get_mut() = false);
            self.leave_out(workers, sorted, level);
        }
        self.is_open
    }

    /// Marks units whose pairs are incomplete: those in runs that are too long, or that wrap around to
    /// the first bucket.
    fn leave_out(&self, workers: Workers<'_>, sorted: &SortedUnits, level: &Level) {
        self.leave_out_run(sorted, level, 0);
        self.leave_out_run(sorted, level, level.mask);
        let ends = &sorted.ends[level.first as usize..][..level.mask as usize + 2];
        // The run around a bucket begins at the entry before, and ends three further on.
        each_range(
            workers,
            ends.len() - 3,
            1 << 14,
            || (),
            |(), buckets| {
                let part = &ends[buckets.start..buckets.end + 3];
                let runs = part.iter().zip(&part[3..]).map(|(begin, end)| end - begin);
                let longest = runs.fold(0, |longest, run| greater(run, longest));
                if longest as usize > RUN_MAX {
                    for (middle, run) in (buckets.start + 1..).zip(part.windows(4)) {
                        if (run[3] - run[0]) as usize > RUN_MAX {
                            self.leave_out_run(sorted, level, middle as u32);
                        }
                    }
                }
            },
        );
    }

    /// Marks the units whose pairs in the run around a bucket are incomplete: units in the bucket, and units
    /// that search it.
    #[cold]
    fn leave_out_run(&self, sorted: &SortedUnits, level: &Level, middle: u32) {
        for rows in [-1, 0, 1] {
            let cells = u32::from(rows == 0);
            for (begin, end) in sorted.run(level, level.in_row(middle, rows), cells) {
                if begin < end {
                    for group in &self.recomputed[begin / GROUP..=(end - 1) / GROUP] {
                        group.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

/// Pairs that touch, one after another.
#[derive(Zeroable)]
struct List {
    /// The bits of the way from the second unit to the first one. Quanta.
    dx: [i32; CAPACITY],
    dz: [i32; CAPACITY],
    /// Their places.
    ones: [i32; CAPACITY],
    others: [i32; CAPACITY],
    pairs: usize,
}

/// Number of pairs at which they are weighed.
const FULL: usize = 256;

/// Most pairs, and room for a register beyond the last.
const CAPACITY: usize = FULL + LANES * 2 * RUN_MAX + LANES;

/// Adds up the contributions of pairs of units in a stretch of places with units after them: in their row,
/// and in the next row.
struct PairSummation<'a> {
    to: &'a PairSums,
    sorted: &'a SortedUnits,
    level: &'a Level,
    places: Range<usize>,
    list: &'a mut List,
    /// Whether other threads add to the same sums.
    are_shared: bool,
}

impl Kernel for PairSummation<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { to, sorted, level, places, list, are_shared } = self;
        let shape = Shape16::shared(lanes, sorted);
        let sums = &to.sums[..sorted.count];
        for at in places.clone().step_by(LANES) {
            find(lanes, sorted, level, &shape, at, places.end, list);
            if list.pairs < FULL && at + LANES < places.end {
                continue;
            }
            for at in (0..list.pairs).step_by(LANES) {
                let pairs = LANES.min(list.pairs - at);
                let found = weigh(lanes, &shape, list, at, pairs, &to.recomputed);
                let places = list.ones[at..].iter().zip(&list.others[at..]);
                for ((one, other), sum) in places.zip(found).take(pairs) {
                    // The opposite contribution, and one more unit that touches.
                    for (place, sum) in [(*one, sum), (*other, 2_u64.wrapping_sub(sum))] {
                        let to = &sums[place as u32 as usize];
                        if are_shared {
                            to.fetch_add(sum, Ordering::Relaxed);
                        } else {
                            to.store(
                                to.load(Ordering::Relaxed).wrapping_add(sum),
                                Ordering::Relaxed,
                            );
                        }
                    }
                }
            }
            list.pairs = 0;
        }
    }
}

/// Finds the pairs of sixteen units, of those before `end`.
#[inline(always)]
fn find<L: Lanes>(
    lanes: L,
    sorted: &SortedUnits,
    level: &Level,
    shape: &Shape16<L>,
    at: usize,
    end: usize,
    list: &mut List,
) {
    let places = I32x16::order(lanes) + I32x16::splat(lanes, at as i32);
    let asked = I32x16::splat(lanes, end as i32).gt(places);
    let ones = Units16::load::<true>(lanes, sorted, shape, at);
    let (own, next) = runs_ahead(lanes, sorted, level, at, asked);
    // Units that follow, for all lanes together: one further on in each step.
    let ahead = Runs { begin: places + I32x16::splat(lanes, 1), len: own };
    let follow = |step, _, _| Units16::load::<true>(lanes, sorted, shape, at + 1 + step);
    add_row(lanes, &ones, places, ahead, list, follow);

    let first = next.begin.first();
    let base = I32x16::splat(lanes, first);
    if are_near(lanes, next.begin - base, next.len).all() {
        let near = Neighbours::new::<true>(lanes, sorted, first as usize);
        add_row(lanes, &ones, places, next, list, |_, at, _| near.look::<true>(shape, at - base));
    } else {
        let look = |_, at, mask| look_far::<L, true>(sorted, shape, at, mask);
        add_row(lanes, &ones, places, next, list, look);
    }
}

/// Packs the units of a run in each lane that touch the unit of that lane.
#[inline(always)]
fn add_row<L: Lanes>(
    lanes: L,
    ones: &Units16<L>,
    places: I32x16<L>,
    runs: Runs<L>,
    list: &mut List,
    look: impl Fn(usize, I32x16<L>, Mask<L>) -> Units16<L>,
) {
    let (mut at, end) = (runs.begin, runs.begin + runs.len);
    let mut pairs = list.pairs;
    for step in 0..RUN_MAX {
        let is_in = end.gt(at);
        if !is_in.any() {
            break;
        }
        let pair = Pairs16::new::<true>(lanes, ones, &look(step, at, is_in));
        let touch = (pair.touch & is_in).bits();
        pair.dx.bits().pack_at(touch, &mut list.dx, pairs);
        pair.dz.bits().pack_at(touch, &mut list.dz, pairs);
        places.pack_at(touch, &mut list.ones, pairs);
        at.pack_at(touch, &mut list.others, pairs);
        pairs += touch.count_ones() as usize;
        at = at + I32x16::splat(lanes, 1);
    }
    list.pairs = pairs;
}

/// Computes the contributions of sixteen pairs to the sums of their first units. Units at exactly the same
/// place are computed again.
#[inline(always)]
fn weigh<L: Lanes>(
    lanes: L,
    shape: &Shape16<L>,
    list: &List,
    at: usize,
    pairs: usize,
    recomputed: &[AtomicBool],
) -> [u64; LANES] {
    let way = each!([&list.dx, &list.dz], |way| I32x16::load_at(lanes, way, at).of_bits());
    let [dx, dz] = way;
    let is_same = (dx * dx + dz * dz).equals(F32x16::splat(lanes, 0.0)).bits();
    if is_same != 0 {
        for pair in (at..at + pairs).filter(|pair| is_same >> (pair - at) & 1 == 1) {
            for place in [list.ones[pair], list.others[pair]] {
                recomputed[place as usize / GROUP].store(true, Ordering::Relaxed);
            }
        }
    }
    let radii = shape.radius + shape.radius;
    let [x, z] = contributions(lanes, way, radii, shape.radius);
    let (x, z) = (x.array(), z.array());
    std::array::from_fn(|pair| {
        let (x, z) = (i64::from(x[pair]) << X_BIT, i64::from(z[pair]) << Z_BIT);
        (x + z + 1) as u64
    })
}

/// Finds the pushes of units from a place on, from their sums, which are cleared. Groups that lack pairs are
/// computed again.
fn finish(
    crowd: &Crowd<'_>,
    recomputed: &[AtomicBool],
    first: usize,
    sums: &mut [AtomicU64],
    pushes: &mut [[f32; 2]],
    found: &mut PairList,
) {
    let parts = sums.chunks_mut(GROUP).zip(pushes.chunks_mut(GROUP));
    for (first, (sums, pushes)) in (first..).step_by(GROUP).zip(parts) {
        let is_complete = !recomputed[first / GROUP].load(Ordering::Relaxed);
        let mut whole = 0;
        if is_complete {
            let blocks = sums.as_chunks_mut().0;
            whole = blocks.len() * LANES;
            let pushes = pushes.as_chunks_mut().0;
            crowd.simd.run(PushOutput { strength: crowd.strength, sums: blocks, pushes });
        }
        if whole < pushes.len() {
            sums[whole..].iter_mut().for_each(|sum| *sum.get_mut() = 0);
            crowd.find(first + whole, &mut pushes[whole..], found);
        }
    }
}

/// Turns blocks of sums into pushes, and clears the sums.
struct PushOutput<'a> {
    strength: &'a Strength,
    sums: &'a mut [[AtomicU64; LANES]],
    pushes: &'a mut [[[f32; 2]; LANES]],
}

impl Kernel for PushOutput<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (sums, pushes) in self.sums.iter_mut().zip(self.pushes) {
            let sums: [i64; LANES] =
                std::array::from_fn(|lane| std::mem::take(sums[lane].get_mut()) as i64);
            let met = sums.map(|sum| sum as i32 & ((1 << Z_BIT) - 1));
            const TOP: u32 = 64 - X_BIT;
            let z = sums.map(|sum| sum << TOP >> (TOP + Z_BIT));
            let x: [i32; LANES] =
                std::array::from_fn(|lane| ((sums[lane] - (z[lane] << Z_BIT)) >> X_BIT) as i32);
            let [x, z, met] =
                each!([x, z.map(|z| z as i32), met], |part| I32x16::load(lanes, &part));
            store_pairs(limited(lanes, self.strength, [x, z], met), pushes);
        }
    }
}
