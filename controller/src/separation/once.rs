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

use super::grid::{Level, QUANTA};
use super::once_avx512::{self, List};
use super::pairs::{self, RUN_MAX, Room};
use super::sorted::Sorted;
use super::strength::Strength;
use super::threads::{are_many, each_chunk_with, each_range};
use crate::lanes::avx512;
use crate::units::cells::LANES;
use crate::units::columns::Units;

/// Fewest units for which it pays off: units near the first and the last bucket are computed again.
const UNITS_MIN: usize = 1024;

/// Widest bodies whose overlaps, with as many units as are visited, fit their bits of a sum. Quanta.
const RADIUS_MAX: f32 = 16.0 * QUANTA;
const _: () = assert!(16.0 * RADIUS_MAX * (3 * RUN_MAX) as f32 <= 134_217_727.0);
const _: () = assert!(3 * RUN_MAX < 1 << Z_BIT);

/// Units that are computed again together.
const ANEW: usize = 64;

/// The layout of a sum: the lowest bits count the units that touch, then 28 bits along Z, then 28 along X.
pub(super) const Z_BIT: u32 = 8;
pub(super) const X_BIT: u32 = 36;

/// The sums of units over their pairs, by place.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Sixteenths of quanta along X and Z, and how many touch. All 0 between ticks.
    sums: Vec<AtomicU64>,
    /// Whether some unit of each group lacks pairs.
    anew: Vec<AtomicBool>,
    /// Whether pairs are being added up.
    is_open: bool,
}

impl Given {
    /// Finds the pushes of all units, and writes them to their slots, if this method applies.
    pub(super) fn push(
        &mut self,
        units: &Units,
        sorted: &Sorted,
        strength: &Strength,
        chunk: usize,
    ) -> bool {
        if !self.open(sorted) {
            return false;
        }
        // Units that are computed again together belong to one chunk.
        let chunk = chunk.clamp(1, 1 << 20).next_multiple_of(ANEW);
        let level = &sorted.plan.levels[sorted.plan.only().unwrap_or(0)];
        each_range(sorted.len(), chunk, List::new, |list, places| {
            self.add(sorted, level, places, list);
        });
        let (anew, sums) = (&self.anew, &mut self.sums[..sorted.len()]);
        each_chunk_with(sums, chunk, Room::new, |room, first, sums| {
            let places = first..first + sums.len();
            pairs::push_by(sorted, places, room, |room, at, pushes| {
                let sums = &mut sums[at - first..][..pushes.len()];
                Self::take(anew, strength, at, sums, pushes, |at, pushes| {
                    pairs::find(units, sorted, strength, at, pushes, room);
                });
            });
        });
        self.is_open = false;
        true
    }

    /// Prepares for a tick. Returns whether this method applies.
    fn open(&mut self, sorted: &Sorted) -> bool {
        if self.is_open {
            self.sums.clear(); // the last tick did not finish
        }
        // Reserved in any case: the next population may need it.
        self.sums.resize_with(sorted.pushes.len(), AtomicU64::default);
        self.anew.resize_with(sorted.pushes.len().div_ceil(ANEW), AtomicBool::default);
        let level = sorted.plan.only().map(|only| &sorted.plan.levels[only]);
        let radius = sorted.plan.alike.map(|(radius, _)| radius);
        let (Some(level), Some(radius)) = (level, radius) else { return false };
        let is_fit = radius <= RADIUS_MAX && sorted.len() >= UNITS_MIN && !sorted.is_far;
        self.is_open = is_fit && avx512::is_here();
        if self.is_open {
            self.anew.iter_mut().for_each(|anew| *anew.get_mut() = false);
            self.leave_out(sorted, level);
        }
        self.is_open
    }

    /// Marks units whose pairs are incomplete: those in runs that are too long, or that wrap around to
    /// the first bucket.
    fn leave_out(&self, sorted: &Sorted, level: &Level) {
        self.leave_out_run(sorted, level, 0);
        self.leave_out_run(sorted, level, level.mask);
        let ends = &sorted.ends[level.first as usize..][..level.mask as usize + 2];
        // The run around a bucket begins at the entry before, and ends three further on.
        each_range(
            ends.len() - 3,
            1 << 14,
            || (),
            |(), buckets| {
                let part = &ends[buckets.start..buckets.end + 3];
                #[allow(unsafe_code)]
                // SAFETY: the processor has been checked for what the function needs.
                if unsafe { once_avx512::longest(part) } as usize > RUN_MAX {
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
    fn leave_out_run(&self, sorted: &Sorted, level: &Level, middle: u32) {
        for rows in [-1, 0, 1] {
            let reach = u32::from(rows == 0);
            for (begin, end) in sorted.run(level, level.in_row(middle, rows), reach) {
                self.leave_out_places(begin..end);
            }
        }
    }

    fn leave_out_places(&self, places: Range<usize>) {
        if !places.is_empty() {
            for anew in &self.anew[places.start / ANEW..=(places.end - 1) / ANEW] {
                anew.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Adds up the contributions of pairs of units in a stretch of places with units after them.
    fn add(&self, sorted: &Sorted, level: &Level, places: Range<usize>, list: &mut List) {
        let same = |at: usize| self.anew[at / ANEW].store(true, Ordering::Relaxed);
        let sums = &self.sums[..sorted.len()];
        let share = |at: usize, gift| _ = sums[at].fetch_add(gift, Ordering::Relaxed);
        let give = |at: usize, gift| {
            let sum = sums[at].load(Ordering::Relaxed).wrapping_add(gift);
            sums[at].store(sum, Ordering::Relaxed);
        };
        #[allow(unsafe_code)]
        // SAFETY: the processor has been checked for what the function needs.
        unsafe {
            if are_many() {
                once_avx512::add(sorted, level, places, list, share, same);
            } else {
                once_avx512::add(sorted, level, places, list, give, same);
            }
        }
    }

    /// Finds the pushes of units from a place on, from their sums. Groups that lack pairs are computed again.
    fn take(
        anew: &[AtomicBool],
        strength: &Strength,
        first: usize,
        sums: &mut [AtomicU64],
        pushes: &mut [[f32; 2]],
        mut find: impl FnMut(usize, &mut [[f32; 2]]),
    ) {
        let parts = sums.chunks_mut(ANEW).zip(pushes.chunks_mut(ANEW));
        for (first, (sums, pushes)) in (first..).step_by(ANEW).zip(parts) {
            let (blocks, rest) = sums.as_chunks_mut::<LANES>();
            let whole = blocks.len() * LANES;
            if anew[first / ANEW].load(Ordering::Relaxed) {
                find(first, pushes);
                sums.iter_mut().for_each(|sum| *sum.get_mut() = 0);
                continue;
            }
            for (sums, pushes) in blocks.iter_mut().zip(pushes.as_chunks_mut().0) {
                #[allow(unsafe_code)]
                // SAFETY: the processor has been checked for what the function needs.
                unsafe {
                    once_avx512::take(strength, sums, pushes);
                }
            }
            if !rest.is_empty() {
                rest.iter_mut().for_each(|sum| *sum.get_mut() = 0);
                find(first + whole, &mut pushes[whole..]);
            }
        }
    }
}
