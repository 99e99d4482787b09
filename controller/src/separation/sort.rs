//! Sorting units into the columns by counting: the order is that of buckets, and of slots in a bucket.
//!
//! ```text
//! find   the bucket of each slot            stretches of slots, each on a thread of its own
//! count  the units of each bucket           stretches of buckets: each looks at all slots, and takes
//! place  rows in order, then columns        those that are its own, so nothing is shared
//! ```

use std::sync::atomic::{AtomicU32, Ordering};

use super::grid::{Columns, NOBODY, Plan, Row};
#[cfg(target_arch = "x86_64")]
use super::{avx512, sort_avx512};
use crate::units::Units;

/// Most threads that count and place: each looks at all units.
pub(super) const PARTS_MAX: usize = 8;

/// Fewest units for which a second thread is worth its while.
const UNITS_FOR_PARTS: usize = 4096;

/// What finding buckets tells of units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// How many take part.
    pub(super) count: usize,
    /// All bits of how far along an axis any of them is from where quanta are counted from.
    pub(super) farthest: u64,
}

impl Seen {
    pub(super) fn and(self, other: Self) -> Self {
        Self { count: self.count + other.count, farthest: self.farthest | other.farthest }
    }
}

/// How many threads share the counting.
pub(super) fn parts(slots: usize) -> usize {
    #[cfg(feature = "rayon")]
    if slots >= UNITS_FOR_PARTS && is_fast() {
        return rayon::current_num_threads().min(PARTS_MAX);
    }
    let _ = slots;
    1
}

fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx512::is_here();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Finds the buckets of the units from `first` on; who takes no part gets [`NOBODY`], also as its place.
pub(super) fn find(
    plan: &Plan,
    units: &Units,
    first: usize,
    buckets: &mut [u32],
    places: &mut [AtomicU32],
) -> Seen {
    #[cfg(target_arch = "x86_64")]
    if is_fast() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has just been asked for what the function needs.
        let seen = unsafe { sort_avx512::find(plan, units, first, buckets, places) };
        if let Some(seen) = seen {
            return seen;
        }
    }
    find_plainly(plan, units, first, buckets, places)
}

/// The same, one unit after the other.
pub(super) fn find_plainly(
    plan: &Plan,
    units: &Units,
    first: usize,
    buckets: &mut [u32],
    places: &mut [AtomicU32],
) -> Seen {
    let mut seen = Seen::default();
    for (slot, (bucket, place)) in (first..).zip(buckets.iter_mut().zip(places)) {
        *bucket = plan.bucket(units, slot, &mut seen).unwrap_or_else(|| {
            *place.get_mut() = NOBODY;
            NOBODY
        });
    }
    seen
}

/// Some of the buckets, and the units in them.
#[derive(Default)]
pub(super) struct Part<'a> {
    /// The first of its buckets.
    pub(super) first: u32,
    /// By bucket: how many units, then where the next one goes, then where it ends.
    pub(super) ends: &'a mut [u32],
    /// Where its units begin.
    pub(super) begin: usize,
    pub(super) count: usize,
    pub(super) columns: Columns<'a>,
}

impl Part<'_> {
    /// Counts its units.
    pub(super) fn count(&mut self, buckets: &[u32]) {
        let (first, ends) = (self.first, &mut *self.ends);
        #[cfg(target_arch = "x86_64")]
        if is_fast() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            unsafe {
                self.count = sort_avx512::count(buckets, first, ends);
            }
            return;
        }
        self.count = count_plainly(buckets, first, ends);
    }

    /// Puts its units in order.
    pub(super) fn place(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &[u32],
        places: &[AtomicU32],
    ) {
        let mut sum = self.begin as u32;
        for end in &mut *self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        #[cfg(target_arch = "x86_64")]
        if is_fast() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            unsafe {
                sort_avx512::place(self, plan, units, buckets, places);
                sort_avx512::split(self, plan, units);
            }
            return;
        }
        self.place_plainly(plan, units, 0, buckets, places);
        self.split_plainly(plan, units, 0);
    }

    /// Puts the units from `first` on where they belong, if that is here.
    pub(super) fn place_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        first: usize,
        buckets: &[u32],
        places: &[AtomicU32],
    ) {
        for (slot, bucket) in (first..).zip(buckets) {
            let index = bucket.wrapping_sub(self.first) as usize;
            let Some(end) = self.ends.get_mut(index) else { continue };
            places[slot].store(*end, Ordering::Relaxed);
            self.columns.rows[*end as usize - self.begin] = plan.row(units, slot);
            *end += 1;
        }
    }

    /// Writes its rows as columns, from one on.
    pub(super) fn split_plainly(&mut self, plan: &Plan, units: &Units, from: usize) {
        let Columns { rows, xs, zs, feet, tops, radii } = &mut self.columns;
        for at in from..self.count {
            let Row { x, z, feet: y, slot } = rows[at];
            let shape = plan.shape(units, slot as usize);
            (xs[at], zs[at], feet[at]) = (x, z, y);
            (tops[at], radii[at]) = (y + shape.height, shape.radius);
        }
    }
}

/// Counts units, the buckets from `first` on.
pub(super) fn count_plainly(buckets: &[u32], first: u32, ends: &mut [u32]) -> usize {
    let mut count = 0;
    // A loop of nothing else: so many of these far looks are under way at a time.
    for bucket in buckets {
        if let Some(end) = ends.get_mut(bucket.wrapping_sub(first) as usize) {
            *end += 1;
            count += 1;
        }
    }
    count
}
