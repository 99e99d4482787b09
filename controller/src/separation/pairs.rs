//! The push on one unit from the units around it.
//!
//! Each touching pair contributes a part of its overlap, along the line between the two. Parts are
//! rounded to whole numbers before they are added, so the sum has the same bits in any order. No result
//! depends on grids, threads or where in the world the units are.

use marchland_terrain::math::{greater, lesser};
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::grid::{LEVEL_RADII, Level, QUANTA, Spot};
#[cfg(target_arch = "x86_64")]
use super::pairs_avx512;
use super::sorted::{SPARE, Sorted, push_bits};
use super::strength::{Strength, limited, way_apart};
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512;
use crate::units::columns::Units;

/// Lanes of the pair loop.
const LANES: usize = 4;

/// Most units of a run that are visited: eight times as many as a run of a dense crowd holds. Without
/// the limit, a heap of units at one place would take time quadratic in their number.
pub(super) const RUN_MAX: usize = 32;

/// A unit less than a quarter as wide does not push; a wide unit then looks no further than a few cells.
pub(super) const WIDER_MAX: f32 = 4.0;

/// Adding it to an `f32` below 2¹⁸ leaves the nearest multiple of 2⁻⁴ in the low bits. No part of an
/// overlap is 2¹⁸ quanta, the greatest radius.
pub(super) const SIXTEENTHS: f32 = 786_432.0;

/// Keeps the weight finite for units at one place; far too small to change it for any others.
pub(super) const TINY: f32 = 1e-20;

/// Added to the count of touching units for each one at exactly the same place, including itself.
const SAME_PLACE: i32 = 1 << 16;

/// One unit, as the pair loop sees it.
#[derive(Clone, Copy)]
struct One {
    x: i32,
    z: i32,
    feet: f32,
    top: f32,
    radius: f32,
    slot: u32,
}

/// Parts of overlaps added up, in lanes. Sixteenths of quanta.
#[derive(Clone, Copy, Default)]
struct Sums {
    x: [i32; LANES],
    z: [i32; LANES],
    /// Units that touch, and [`SAME_PLACE`] for each at the same place.
    met: [i32; LANES],
}

/// Units whose pushes are found before they are written.
const PART: usize = 256;

/// How many units ahead of the write of a push its destination is prefetched.
const PREFETCH_UNITS: usize = 64;
const _: () = assert!(PREFETCH_UNITS <= SPARE);

/// Scratch memory for the results, reused.
pub(super) struct Room {
    #[cfg(target_arch = "x86_64")]
    found: pairs_avx512::Found,
}

impl Room {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            found: pairs_avx512::Found::new(),
        }
    }
}

/// Finds the pushes of the units at places in the columns, and writes them to their slots.
pub(super) fn push(
    units: &Units,
    sorted: &Sorted,
    strength: &Strength,
    places: Range<usize>,
    room: &mut Room,
) {
    push_by(sorted, places, room, |room, first, pushes| {
        find(units, sorted, strength, first, pushes, room);
    });
}

/// The same, with a different function that finds the pushes of units from a place on.
pub(super) fn push_by(
    sorted: &Sorted,
    places: Range<usize>,
    room: &mut Room,
    mut find: impl FnMut(&mut Room, usize, &mut [[f32; 2]]),
) {
    let mut pushes = [[0.0; 2]; PART];
    for first in places.clone().step_by(PART) {
        let end = places.end.min(first + PART);
        let (slots, soon) = (
            &sorted.slots[first..end],
            &sorted.slots[first + PREFETCH_UNITS..end + PREFETCH_UNITS],
        );
        let pushes = &mut pushes[..slots.len()];
        find(room, first, pushes);
        for ((slot, push), soon) in slots.iter().zip(pushes).zip(soon) {
            sorted.pushes[*slot as usize].store(push_bits(*push), Ordering::Relaxed);
            #[cfg(target_arch = "x86_64")]
            avx512::prefetch(
                sorted.pushes.get(*soon as usize..=*soon as usize).unwrap_or_default(),
            );
            #[cfg(not(target_arch = "x86_64"))]
            let _ = soon;
        }
    }
}

/// Finds the pushes on units from `first` on in the columns. Metres per second along X and Z.
pub(super) fn find(
    units: &Units,
    sorted: &Sorted,
    strength: &Strength,
    first: usize,
    pushes: &mut [[f32; 2]],
    room: &mut Room,
) {
    #[cfg(target_arch = "x86_64")]
    if !sorted.is_far && avx512::is_here() {
        let (blocks, rest) = pushes.as_chunks_mut::<{ crate::units::cells::LANES }>();
        let crowd = Crowd { units, sorted, alone: sorted.plan.only().is_some() };
        let alone = |at| crowd.push_one::<false>(strength, at);
        #[allow(unsafe_code)]
        // SAFETY: the processor has just been checked for what the function needs.
        unsafe {
            pairs_avx512::push(sorted, strength, first, blocks, &mut room.found, alone);
        }
        push_plainly(
            units,
            sorted,
            strength,
            first + blocks.len() * crate::units::cells::LANES,
            rest,
        );
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = room;
    push_plainly(units, sorted, strength, first, pushes);
}

/// The same, one unit after another.
pub(super) fn push_plainly(
    units: &Units,
    sorted: &Sorted,
    strength: &Strength,
    first: usize,
    pushes: &mut [[f32; 2]],
) {
    let crowd = Crowd { units, sorted, alone: sorted.plan.only().is_some() };
    for (at, push) in (first..).zip(pushes) {
        *push = if sorted.is_far {
            crowd.push_one::<true>(strength, at)
        } else {
            crowd.push_one::<false>(strength, at)
        };
    }
}

#[derive(Clone, Copy)]
struct Crowd<'a> {
    units: &'a Units,
    sorted: &'a Sorted,
    /// Whether all units are on one level.
    alone: bool,
}

impl Crowd<'_> {
    #[inline]
    fn push_one<const FAR: bool>(&self, strength: &Strength, at: usize) -> [f32; 2] {
        let sorted = self.sorted;
        let (top, radius) = sorted.shape(at);
        let one = One {
            x: sorted.xs[at],
            z: sorted.zs[at],
            feet: sorted.feet[at],
            top,
            radius,
            slot: sorted.slots[at],
        };
        let mut sums = Sums::default();
        let (home, (runs, count)) = self.own_level_runs(at, &one);
        for (begin, end) in &runs[..count] {
            self.add_run::<FAR>(&one, *begin, *end, &mut sums);
        }
        if !self.alone {
            self.each_foreign_run(home, &one, |begin, end| {
                self.add_run::<FAR>(&one, begin, end, &mut sums);
            });
        }
        let met = sums.met.iter().sum::<i32>();
        if met == SAME_PLACE + 1 {
            return [0.0, 0.0]; // only itself
        }
        let sum =
            |lanes: [i32; LANES]| lanes.iter().fold(0, |sum: i32, part| sum.wrapping_add(*part));
        let (mut x, mut z) = (sum(sums.x), sum(sums.z));
        if met >= 2 * SAME_PLACE {
            let [more_x, more_z] = self.part_ways::<FAR>(at, &one);
            (x, z) = (x.wrapping_add(more_x), z.wrapping_add(more_z));
        }
        limited(strength, [x, z], met % SAME_PLACE - 1)
    }

    /// The level of a unit, and the stretches of its columns in which units may touch it: three, and one more
    /// for each run that continues at the first bucket.
    #[inline]
    fn own_level_runs(&self, at: usize, one: &One) -> (usize, ([(usize, usize); 6], usize)) {
        let sorted = self.sorted;
        let home = sorted.plan.levels.iter().position(|level| at < level.end).unwrap_or(0);
        let level = &sorted.plan.levels[home];
        let offset = level.offset(level.cell(self.spot(one)));
        let (mut runs, mut count) = ([(0, 0); 6], 3);
        for (index, rows) in (-1..=1).enumerate() {
            let [run, rest] = sorted.run(level, level.in_row(offset, rows), 1);
            runs[index] = shortened(run.0, run.1, at, one.slot);
            if rest.1 > rest.0 {
                runs[count] = shortened(rest.0, rest.1, at, one.slot);
                count += 1;
            }
        }
        (home, (runs, count))
    }

    /// Calls `look` with each stretch in which units of other levels may touch a unit.
    #[cold]
    fn each_foreign_run(&self, home: usize, one: &One, mut look: impl FnMut(usize, usize)) {
        for other in (0..LEVEL_RADII.len()).filter(|other| *other != home) {
            self.each_run_of(&self.sorted.plan.levels[other], one, &mut look);
        }
    }

    #[inline]
    fn spot(&self, one: &One) -> Spot {
        if self.sorted.is_far {
            self.sorted.spot(self.units, one.slot as usize)
        } else {
            Spot { x: i64::from(one.x), z: i64::from(one.z) }
        }
    }

    fn each_run_of(&self, level: &Level, one: &One, look: &mut impl FnMut(usize, usize)) {
        if level.widest * QUANTA * WIDER_MAX < one.radius || level.widest == 0.0 {
            return;
        }
        let reach = level.reach(one.radius);
        let middle = level.offset(level.cell(self.spot(one)));
        for row in -(reach as i32)..=reach as i32 {
            for (begin, end) in self.sorted.run(level, level.in_row(middle, row), reach) {
                let (begin, end) = shortened(begin, end, begin, one.slot);
                look(begin, end);
            }
        }
    }

    /// Adds the contributions of a stretch of units.
    #[inline(always)]
    fn add_run<const FAR: bool>(&self, one: &One, begin: usize, end: usize, sums: &mut Sums) {
        // Most stretches fill the lanes once: an empty one costs less than a check for it.
        let mut at = begin;
        loop {
            self.add_lanes::<FAR>(one, at, end, sums);
            at += LANES;
            if at >= end {
                break;
            }
        }
    }

    /// The next few units of a stretch: one in each lane, with the same operations as for one alone.
    #[inline(always)]
    fn add_lanes<const FAR: bool>(&self, one: &One, at: usize, end: usize, sums: &mut Sums) {
        let sorted = self.sorted;
        // Columns have spare entries, so that the last lanes can be read too.
        let range = at..at + LANES;
        let (xs, zs) = (&sorted.xs[range.clone()], &sorted.zs[range.clone()]);
        let feet = &sorted.feet[range.clone()];
        let (tops, radii) = match sorted.plan.alike {
            Some((radius, height)) => (lanes(|lane| feet[lane] + height), [radius; LANES]),
            None => {
                let (tops, radii) = (&sorted.tops[range.clone()], &sorted.radii[range]);
                (lanes(|lane| tops[lane]), lanes(|lane| radii[lane]))
            }
        };
        // Operation by operation over all lanes, with bit masks instead of branches: the compiler then keeps
        // a row of lanes in one register.
        let left = end as i32 - at as i32;
        let dx = lanes(|lane| one.x.wrapping_sub(xs[lane]) as f32);
        let dz = lanes(|lane| one.z.wrapping_sub(zs[lane]) as f32);
        let squared = lanes(|lane| dx[lane] * dx[lane] + dz[lane] * dz[lane]);
        let reach = lanes(|lane| one.radius + radii[lane]);
        let is_in = lanes(|lane| (lane as i32 - left) >> 31);
        let is_close = lanes(|lane| less(squared[lane], reach[lane] * reach[lane]));
        let is_below_top = lanes(|lane| less(one.feet, tops[lane]));
        let is_above_feet = lanes(|lane| less(feet[lane], one.top));
        let is_slim = lanes(|lane| less(radii[lane] * WIDER_MAX, one.radius));
        let mut touches = lanes(|lane| {
            is_in[lane] & is_close[lane] & is_below_top[lane] & is_above_feet[lane] & !is_slim[lane]
        });
        if FAR {
            for (lane, touches) in touches.iter_mut().enumerate().filter(|(_, bits)| **bits != 0) {
                *touches = -i32::from(self.is_near(one.slot, sorted.slots[at + lane]));
            }
        }
        // The wider unit yields less.
        let distance = lanes(|lane| squared[lane].sqrt());
        let part = lanes(|lane| (reach[lane] - distance[lane]) * radii[lane]);
        let weight = lanes(|lane| part[lane] / (distance[lane] * reach[lane] + TINY));
        let weight = lanes(|lane| f32::from_bits(weight[lane].to_bits() & touches[lane] as u32));
        let x = lanes(|lane| sixteenths(dx[lane] * weight[lane]));
        let z = lanes(|lane| sixteenths(dz[lane] * weight[lane]));
        let is_apart = lanes(|lane| less(0.0, squared[lane]));
        let met = lanes(|lane| touches[lane] & (1 + (!is_apart[lane] & SAME_PLACE)));
        sums.x = lanes(|lane| sums.x[lane].wrapping_add(x[lane]));
        sums.z = lanes(|lane| sums.z[lane].wrapping_add(z[lane]));
        sums.met = lanes(|lane| sums.met[lane] + met[lane]);
    }

    /// Whether two units are in sectors near each other: 32 bits of quanta wrap around after 1000
    /// km.
    fn is_near(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.units.sectors[a as usize], self.units.sectors[b as usize]);
        // Touching bodies are at most 128 m from each other, sectors 8 m wide or more.
        a.x.abs_diff(b.x) <= 17 && a.z.abs_diff(b.z) <= 17
    }

    /// The push between units at exactly the same place: each pair moves in directions that their
    /// slots determine.
    #[cold]
    fn part_ways<const FAR: bool>(&self, at: usize, one: &One) -> [i32; 2] {
        let sorted = self.sorted;
        let (mut x, mut z) = (0_i32, 0_i32);
        let mut look = |begin: usize, end: usize| {
            for other in begin..end {
                let slot = sorted.slots[other];
                let (top, radius) = sorted.shape(other);
                let touches = sorted.xs[other] == one.x
                    && sorted.zs[other] == one.z
                    && one.feet < top
                    && sorted.feet[other] < one.top
                    && one.radius <= radius * WIDER_MAX
                    && slot != one.slot
                    && (!FAR || self.is_near(one.slot, slot));
                if touches {
                    let way = way_apart(one.slot, slot);
                    x = x.wrapping_add(sixteenths(way[0] * radius));
                    z = z.wrapping_add(sixteenths(way[1] * radius));
                }
            }
        };
        let (home, (runs, count)) = self.own_level_runs(at, one);
        runs[..count].iter().for_each(|run| look(run.0, run.1));
        self.each_foreign_run(home, one, look);
        [x, z]
    }
}

/// An array with a value for each lane.
#[inline(always)]
fn lanes<T>(of_lane: impl FnMut(usize) -> T) -> [T; LANES] {
    std::array::from_fn(of_lane)
}

/// All bits where `a` is less than `b`, else none. Computed from the sign of the difference: the
/// compiler turns comparisons into booleans, and splits the lanes for them.
#[inline(always)]
fn less(a: f32, b: f32) -> i32 {
    (a - b).to_bits() as i32 >> 31
}

/// Limits the length of a stretch. Of a longer one, returns a part that holds `at` if the whole does,
/// otherwise a part chosen by the slot.
#[inline]
fn shortened(begin: usize, end: usize, at: usize, slot: u32) -> (usize, usize) {
    if end - begin <= RUN_MAX {
        return (begin, end);
    }
    let last = end - RUN_MAX;
    let start = if begin <= at && at < end {
        at.saturating_sub(RUN_MAX / 2)
    } else {
        begin + slot as usize % (end - begin)
    };
    let start = greater(begin, start);
    let start = lesser(start, last);
    (start, start + RUN_MAX)
}

/// Rounds quanta to sixteenths.
#[inline(always)]
fn sixteenths(quanta: f32) -> i32 {
    (quanta + SIXTEENTHS).to_bits().wrapping_sub(SIXTEENTHS.to_bits()) as i32
}
