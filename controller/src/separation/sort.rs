//! Sorting units into the columns by counting: the order is that of buckets, and of slots in a bucket.
//!
//! ```text
//! find    the bucket of each slot
//! part    units by regions of buckets: in one stretch of slots after the other, each written to as many
//!         places in memory as there are regions, all of them near the processor
//! place   units of a region by buckets, then as columns: what is written anywhere fits the nearest cache
//! ```
//!
//! Stretches and regions share nothing, and each may have a thread of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use super::grid::{Columns, NOBODY, Plan, Row};
#[cfg(target_arch = "x86_64")]
use super::{avx512, sort_avx512};
use crate::units::Units;

/// Most regions.
pub(super) const REGIONS_MAX: usize = 256;

/// Most stretches.
pub(super) const STRETCHES_MAX: usize = 8;

/// Fewest units for which a second stretch is worth its while.
const UNITS_FOR_STRETCHES: usize = 4096;

/// Buckets of a region, as a power of two: what they hold fits the nearest cache. More in a world of more
/// than a million units.
const REGION_LOG2: u32 = 12;

/// What finding buckets tells of units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// How many stretches slots are taken in.
pub(super) fn stretches(slots: usize) -> usize {
    #[cfg(feature = "rayon")]
    if slots >= UNITS_FOR_STRETCHES {
        return rayon::current_num_threads().min(STRETCHES_MAX);
    }
    let _ = slots;
    1
}

/// Buckets of a region, as a power of two.
pub(super) fn region_log2(buckets: usize) -> u32 {
    let mut log2 = REGION_LOG2;
    while buckets > REGIONS_MAX << log2 {
        log2 += 1;
    }
    log2
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
    if avx512::is_here() {
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

/// Units whose slots follow each other, and room for them in the order of regions.
pub(super) struct Stretch<'a> {
    /// The first slot.
    pub(super) first: usize,
    pub(super) buckets: &'a [u32],
    pub(super) rows: &'a mut [Row],
    /// The buckets of rows.
    pub(super) keys: &'a mut [u32],
    /// By region: where its rows begin, and with one more where they end.
    pub(super) starts: [u32; REGIONS_MAX + 1],
}

impl Default for Stretch<'_> {
    fn default() -> Self {
        let starts = [0; REGIONS_MAX + 1];
        Self { first: 0, buckets: &[], rows: &mut [], keys: &mut [], starts }
    }
}

impl Stretch<'_> {
    /// Brings its units into the order of regions, those of a region in the order of slots.
    pub(super) fn part(&mut self, plan: &Plan, units: &Units, region_log2: u32) {
        for bucket in self.buckets.iter().filter(|bucket| **bucket != NOBODY) {
            self.starts[(bucket >> region_log2) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        let mut next = self.starts;
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            unsafe {
                sort_avx512::part(self, plan, units, region_log2, &mut next);
            }
            return;
        }
        self.part_plainly(plan, units, region_log2, 0, &mut next);
    }

    /// The same for its units from one on, one by one; by region, where the next unit goes.
    pub(super) fn part_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        region_log2: u32,
        from: usize,
        next: &mut [u32; REGIONS_MAX + 1],
    ) {
        for (slot, bucket) in (self.first + from..).zip(&self.buckets[from..]) {
            if *bucket != NOBODY {
                let next = &mut next[(*bucket >> region_log2) as usize];
                (self.rows[*next as usize], self.keys[*next as usize]) =
                    (plan.row(units, slot), *bucket);
                *next += 1;
            }
        }
    }

    /// The buckets and rows of a region.
    fn region(&self, region: usize) -> (&[u32], &[Row]) {
        let rows = self.starts[region] as usize..self.starts[region + 1] as usize;
        (&self.keys[rows.clone()], &self.rows[rows])
    }

    /// How many units are in a region.
    pub(super) fn count(&self, region: usize) -> usize {
        (self.starts[region + 1] - self.starts[region]) as usize
    }
}

/// Buckets of a region, and the units in them.
pub(super) struct Region<'a> {
    /// Which one it is, and its first bucket.
    pub(super) index: usize,
    pub(super) first: u32,
    /// By bucket: how many units, then where the next one goes, then where it ends.
    pub(super) ends: &'a mut [u32],
    /// Where its units begin in all columns.
    pub(super) begin: usize,
    pub(super) columns: Columns<'a>,
}

impl Region<'_> {
    /// Puts its units in order, and tells each slot where it is.
    pub(super) fn place(
        mut self,
        plan: &Plan,
        units: &Units,
        stretches: &[Stretch<'_>],
        places: &[AtomicU32],
    ) {
        for bucket in stretches.iter().flat_map(|stretch| stretch.region(self.index).0) {
            self.ends[(bucket - self.first) as usize] += 1;
        }
        let mut sum = self.begin as u32;
        for end in &mut *self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        for stretch in stretches {
            let (buckets, rows) = stretch.region(self.index);
            for (bucket, row) in buckets.iter().zip(rows) {
                let end = &mut self.ends[(bucket - self.first) as usize];
                let place = *end;
                *end = place + 1;
                self.columns.rows[place as usize - self.begin] = *row;
                places[row.slot as usize].store(place, Ordering::Relaxed);
            }
        }
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            unsafe {
                sort_avx512::split(&mut self.columns, plan, units);
            }
            return;
        }
        self.columns.split(plan, units, 0);
    }
}

impl Columns<'_> {
    /// Writes rows as columns, from one on.
    pub(super) fn split(&mut self, plan: &Plan, units: &Units, from: usize) {
        let Columns { rows, xs, zs, feet, tops, radii } = self;
        for (at, row) in rows.iter().enumerate().skip(from) {
            let shape = plan.shape(units, row.slot as usize);
            (xs[at], zs[at], feet[at]) = (row.x, row.z, row.feet);
            (tops[at], radii[at]) = (row.feet + shape.height, shape.radius);
        }
    }
}
