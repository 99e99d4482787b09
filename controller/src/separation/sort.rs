//! Sorting units into the columns by counting: the order is that of buckets, and of slots in a bucket.
//!
//! ```text
//! part    a stretch of slots: the bucket of each, then the units by regions of buckets. Each is written
//!         to one of as many places as there are regions, all of them near the processor.
//! place   a region: its units of all stretches by buckets, as columns. What is written anywhere fits the
//!         nearest cache.
//! ```
//!
//! Stretches share nothing, and regions do not: each may have a thread of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use super::grid::Plan;
#[cfg(target_arch = "x86_64")]
use super::sort_avx512;
use super::sorted::{Columns, NOBODY, Row};
#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::units::Units;

/// Most regions.
pub(super) const REGIONS_MAX: usize = 256;

/// Slots of a stretch: what is read twice is still near the second time.
pub(super) const STRETCH: usize = 4096;

/// By region: where its rows begin in a stretch, and with one more where they end.
pub(super) type Starts = [u32; REGIONS_MAX + 1];

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

/// Buckets of a region, as a power of two.
pub(super) fn region_log2(buckets: usize) -> u32 {
    let mut log2 = REGION_LOG2;
    while buckets > REGIONS_MAX << log2 {
        log2 += 1;
    }
    log2
}

/// Units whose slots follow each other, and room for them in the order of regions.
pub(super) struct Stretch<'a> {
    /// The first slot.
    pub(super) first: usize,
    pub(super) rows: &'a mut [Row],
    /// The buckets of rows.
    pub(super) keys: &'a mut [u32],
    /// By slot.
    pub(super) places: &'a mut [AtomicU32],
    pub(super) starts: &'a mut Starts,
}

impl Stretch<'_> {
    /// Finds the buckets of its units; who takes no part gets [`NOBODY`], also as its place.
    fn find(&mut self, plan: &Plan, units: &Units, buckets: &mut [u32]) -> Seen {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            if let Some(seen) = unsafe { sort_avx512::find(self, plan, units, buckets) } {
                return seen;
            }
        }
        self.find_plainly(plan, units, buckets, 0)
    }

    /// The same for its units from one on, one by one.
    pub(super) fn find_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &mut [u32],
        from: usize,
    ) -> Seen {
        let mut seen = Seen::default();
        let found = buckets.iter_mut().zip(&mut *self.places).skip(from);
        for (slot, (bucket, place)) in (self.first + from..).zip(found) {
            *bucket = plan.bucket(units, slot, &mut seen).unwrap_or_else(|| {
                *place.get_mut() = NOBODY;
                NOBODY
            });
        }
        seen
    }

    /// Brings its units into the order of regions, those of a region in the order of slots.
    pub(super) fn part(&mut self, plan: &Plan, units: &Units, region_log2: u32) -> Seen {
        let mut buckets = [NOBODY; STRETCH];
        let buckets = &mut buckets[..self.rows.len()];
        let seen = self.find(plan, units, buckets);
        self.starts.fill(0);
        for bucket in buckets.iter().filter(|bucket| **bucket != NOBODY) {
            self.starts[(bucket >> region_log2) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut *self.starts {
            sum += *start;
            *start = sum;
        }
        let mut next = *self.starts;
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs.
            unsafe {
                sort_avx512::part(self, plan, units, buckets, region_log2, &mut next);
            }
            return seen;
        }
        self.part_plainly(plan, units, buckets, region_log2, 0, &mut next);
        seen
    }

    /// The same for its units from one on, one by one; by region, where the next unit goes.
    pub(super) fn part_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &[u32],
        region_log2: u32,
        from: usize,
        next: &mut Starts,
    ) {
        for (slot, bucket) in (self.first + from..).zip(&buckets[from..]) {
            if *bucket != NOBODY {
                let next = &mut next[(*bucket >> region_log2) as usize];
                (self.rows[*next as usize], self.keys[*next as usize]) =
                    (plan.row(units, slot), *bucket);
                *next += 1;
            }
        }
    }
}

/// All stretches, in the order of regions.
pub(super) struct Parted<'a> {
    pub(super) rows: &'a [Row],
    pub(super) keys: &'a [u32],
    pub(super) starts: &'a [Starts],
}

impl Parted<'_> {
    /// The buckets and rows of a region, a stretch after the other.
    fn region(&self, region: usize) -> impl Iterator<Item = (&[u32], &[Row])> {
        (0..).step_by(STRETCH).zip(self.starts).map(move |(first, starts)| {
            let (begin, end) = (starts[region] as usize, starts[region + 1] as usize);
            (&self.keys[first + begin..first + end], &self.rows[first + begin..first + end])
        })
    }

    /// By region, where its units begin in all columns; with one more where the last one's end.
    pub(super) fn begins(&self) -> Starts {
        let mut begins = [0; REGIONS_MAX + 1];
        for starts in self.starts {
            for (begin, start) in begins.iter_mut().zip(starts) {
                *begin += *start;
            }
        }
        begins
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
        parted: &Parted<'_>,
        places: &[AtomicU32],
    ) {
        self.ends.fill(0);
        for (buckets, _) in parted.region(self.index) {
            for bucket in buckets {
                self.ends[(bucket - self.first) as usize] += 1;
            }
        }
        let mut sum = self.begin as u32;
        for end in &mut *self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        for (buckets, rows) in parted.region(self.index) {
            for (bucket, row) in buckets.iter().zip(rows) {
                let end = &mut self.ends[(bucket - self.first) as usize];
                let place = *end;
                *end = place + 1;
                self.columns.write(place as usize - self.begin, row);
                places[row.slot as usize].store(place, Ordering::Relaxed);
            }
        }
        if plan.alike.is_none() {
            self.columns.write_shapes(plan, units);
        }
    }
}

impl Columns<'_> {
    #[inline]
    fn write(&mut self, at: usize, row: &Row) {
        (self.xs[at], self.zs[at], self.feet[at], self.slots[at]) =
            (row.x, row.z, row.feet, row.slot);
    }

    /// Writes what bodies say.
    fn write_shapes(&mut self, plan: &Plan, units: &Units) {
        let places = self.slots.iter().zip(&*self.feet);
        for ((slot, feet), (top, radius)) in places.zip(self.tops.iter_mut().zip(&mut *self.radii))
        {
            let shape = plan.shape(units, *slot as usize);
            (*top, *radius) = (feet + shape.height, shape.radius);
        }
    }
}
