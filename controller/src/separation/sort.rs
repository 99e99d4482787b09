//! Sorts units into the columns by counting: in order of buckets, and of slots within a bucket.
//!
//! ```text
//! part    a stretch of slots: finds the bucket of each unit, then orders the units by regions of buckets.
//!         Each is written to one of as many places as there are regions, all of them in the cache.
//! place   a region: orders its units of all stretches by buckets, as columns. Everything that it writes
//!         to is in the cache: a row for each unit, where the processor can turn rows into columns.
//! ```
//!
//! A row on the way to its place is as small as possible: its bucket within the region and its slot
//! within the stretch share a word. Stretches share no data, and neither do regions, so each may run on
//! its own thread.

use std::sync::atomic::AtomicU64;

use super::grid::Plan;
#[cfg(target_arch = "x86_64")]
use super::sort_avx512;
use super::sorted::{Columns, NOBODY, Row};
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512;
use crate::units::columns::Units;

/// Most regions.
pub(super) const REGIONS_MAX: usize = 256;

/// Slots of a stretch: what is read twice is still in the cache the second time.
pub(super) const STRETCH: usize = 1 << SLOT_BITS;

/// The low bits of the key of a row are the slot counted from the first of its stretch, the others are the
/// bucket counted from the first of its region.
pub(super) const SLOT_BITS: u32 = 12;
pub(super) const KEY_BITS: u32 = 32 - SLOT_BITS;

/// By region: where its rows begin in a stretch; one further entry is where the last ones end.
pub(super) type Starts = [u32; REGIONS_MAX + 1];

/// Buckets of a region, as a power of two: their units fit the nearest cache. More in a world of more than a
/// million units.
const REGION_LOG2: u32 = 12;

/// Statistics of units, from finding their buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// How many take part.
    pub(super) count: usize,
    /// The union of the bits of all distances of units, along an axis, from the origin of quanta.
    pub(super) farthest: u64,
}

#[cfg(target_arch = "x86_64")]
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

/// Units with consecutive slots, and room for them in the order of regions.
pub(super) struct Stretch<'a> {
    /// The first slot.
    pub(super) first: usize,
    pub(super) rows: &'a mut [Row],
    /// By slot.
    pub(super) pushes: &'a mut [AtomicU64],
    pub(super) starts: &'a mut Starts,
}

impl Stretch<'_> {
    /// Finds the buckets of its units; a unit that takes no part gets [`NOBODY`], and no push.
    fn find(&mut self, plan: &Plan, units: &Units, buckets: &mut [u32]) -> Seen {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been checked for what the function needs.
            if let Some(seen) = unsafe { sort_avx512::find(self, plan, units, buckets) } {
                return seen;
            }
        }
        self.find_plainly(plan, units, buckets, 0)
    }

    /// The same for its units from `from` on, one by one.
    pub(super) fn find_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &mut [u32],
        from: usize,
    ) -> Seen {
        let mut seen = Seen::default();
        let found = buckets.iter_mut().zip(&mut *self.pushes).skip(from);
        for (slot, (bucket, push)) in (self.first + from..).zip(found) {
            *bucket = plan.bucket(units, slot, &mut seen).unwrap_or_else(|| {
                *push.get_mut() = 0;
                NOBODY
            });
        }
        seen
    }

    /// Brings its units into the order of regions, and those of a region into the order of slots.
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
            // SAFETY: the processor has just been checked for what the function needs.
            unsafe {
                sort_avx512::part(self, plan, units, buckets, region_log2, &mut next);
            }
            return seen;
        }
        self.part_plainly(plan, units, buckets, region_log2, 0, &mut next);
        seen
    }

    /// The same for its units from `from` on, one by one. `next` is, by region, where the next unit goes.
    pub(super) fn part_plainly(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &[u32],
        region_log2: u32,
        from: usize,
        next: &mut Starts,
    ) {
        for (at, bucket) in (from..).zip(&buckets[from..]) {
            if *bucket != NOBODY {
                let next = &mut next[(*bucket >> region_log2) as usize];
                let in_region = *bucket & ((1 << region_log2) - 1);
                let key = in_region << SLOT_BITS | at as u32;
                self.rows[*next as usize] = plan.row(units, self.first + at, key);
                *next += 1;
            }
        }
    }
}

/// All stretches, in the order of regions.
pub(super) struct Parted<'a> {
    pub(super) rows: &'a [Row],
    pub(super) starts: &'a [Starts],
}

impl Parted<'_> {
    /// The rows of a region, one stretch after another, with the first slot of each.
    pub(super) fn region(&self, region: usize) -> impl Iterator<Item = (usize, &[Row])> {
        (0..).step_by(STRETCH).zip(self.starts).map(move |(first, starts)| {
            let (begin, end) = (starts[region] as usize, starts[region + 1] as usize);
            (first, &self.rows[first + begin..first + end])
        })
    }

    /// By region, where its units begin in all columns; one further entry is where the last ones end.
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

/// Most units of a region that are ordered as rows first: each is then written to one place instead of four.
pub(super) const ROOM: usize = 4096;

/// Buckets of a region, and the units in them.
pub(super) struct Region<'a> {
    /// Its index.
    pub(super) index: usize,
    /// By bucket: how many units, then where the next one goes, then where it ends.
    pub(super) ends: &'a mut [u32],
    /// Where its units begin in all columns.
    pub(super) begin: usize,
    pub(super) columns: Columns<'a>,
}

impl Region<'_> {
    /// Puts its units in order.
    pub(super) fn place(
        mut self,
        plan: &Plan,
        units: &Units,
        parted: &Parted<'_>,
        room: &mut [Row; ROOM],
    ) {
        self.ends.fill(0);
        let mut count = 0;
        let mut soon = parted.region(self.index).skip(1);
        for (_, rows) in parted.region(self.index) {
            count += rows.len();
            if let Some((_, soon)) = soon.next() {
                prefetch(soon);
            }
            for row in rows {
                self.ends[(row.key >> SLOT_BITS) as usize] += 1;
            }
        }
        self.add_up();
        let room = room.get_mut(..count);
        let is_done = room.is_some_and(|room| self.place_as_rows(parted, room));
        if !is_done {
            self.place_plainly(parted);
        }
        if plan.alike.is_none() {
            self.columns.write_shapes(plan, units);
        }
    }

    /// Turns the number of units in each bucket into the place where they begin.
    fn add_up(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been checked for what the function needs.
            unsafe {
                sort_avx512::add_up(self.ends, self.begin as u32);
            }
            return;
        }
        add_up(self.ends, self.begin as u32);
    }

    /// Puts its units in order, first as rows, if the processor can.
    fn place_as_rows(&mut self, parted: &Parted<'_>, room: &mut [Row]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been checked for what the function needs.
            unsafe {
                sort_avx512::place(self, parted, room);
            }
            return true;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (parted, room);
        false
    }

    /// Puts its units in order, one by one.
    fn place_plainly(&mut self, parted: &Parted<'_>) {
        for (first, rows) in parted.region(self.index) {
            for row in rows {
                let end = &mut self.ends[(row.key >> SLOT_BITS) as usize];
                let place = *end as usize - self.begin;
                *end += 1;
                let slot = first as u32 | row.key & (STRETCH as u32 - 1);
                (self.columns.xs[place], self.columns.zs[place]) = (row.x, row.z);
                (self.columns.feet[place], self.columns.slots[place]) = (row.feet, slot);
            }
        }
    }
}

/// Replaces each number with the sum of those before it, plus `sum`.
pub(super) fn add_up(all: &mut [u32], mut sum: u32) {
    for one in all {
        let next = sum + *one;
        *one = sum;
        sum = next;
    }
}

/// Prefetches what is soon read or written, where the processor supports it.
#[inline]
fn prefetch<T>(soon: &[T]) {
    #[cfg(target_arch = "x86_64")]
    avx512::prefetch(soon);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}

impl Columns<'_> {
    /// Writes the columns that depend on bodies.
    fn write_shapes(&mut self, plan: &Plan, units: &Units) {
        let places = self.slots.iter().zip(&*self.feet);
        for ((slot, feet), (top, radius)) in places.zip(self.tops.iter_mut().zip(&mut *self.radii))
        {
            let shape = plan.shape(units, *slot as usize);
            (*top, *radius) = (feet + shape.height, shape.radius);
        }
    }
}
