//! Sorts units into the columns by counting: in order of buckets, and of slots within a bucket.
//!
//! ```text
//! part    a stretch of slots: finds the bucket of each unit, then orders the units by regions of buckets.
//!         Each is written to one of as many places as there are regions, all of them in the cache.
//! place   a region: orders its units of all stretches by buckets, as columns. Everything that it writes
//!         to is in the cache: a row for each unit, then rows become columns.
//! ```
//!
//! A row on the way to its place is as small as possible: its bucket within the region and its slot
//! within the stretch share a word. Stretches share no data, and neither do regions, so each may run on
//! its own thread.

use std::sync::atomic::AtomicU64;

use bytemuck::{cast, cast_mut, cast_ref, cast_slice_mut};
use marchland_terrain::kernel::lanes::{I32x16, Kernel, LANES, Lanes, Simd, each, prefetch};

use super::bucket_lanes::{LevelTable, QuantaOrigin, taking_part};
use super::columns::{Census, Columns, NOBODY, REGIONS_MAX, Row, SLOT_BITS, STRETCH, Starts};
use super::grid::Plan;
use crate::units::columns::Units;

/// Buckets of a region, as a power of two: their units fit the nearest cache. More in a world of more than a
/// million units.
const REGION_LOG2: u32 = 12;

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
    /// Brings its units into the order of regions, and those of a region into the order of slots.
    pub(super) fn part(
        mut self,
        simd: Simd,
        plan: &Plan,
        units: &Units,
        region_log2: u32,
    ) -> Census {
        let mut buckets = [NOBODY; STRETCH];
        let buckets = &mut buckets[..self.rows.len()];
        let found =
            simd.run(BucketSearch { stretch: &mut self, plan, units, buckets: &mut *buckets });
        let whole = if found.is_some() { buckets.len() / LANES * LANES } else { 0 };
        let mut census = found.unwrap_or_default();
        self.find_one_by_one(plan, units, buckets, whole, &mut census);
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
        simd.run(Part { stretch: &mut self, plan, units, buckets, region_log2, next: &mut next });
        let whole = buckets.len() / LANES * LANES;
        for (at, bucket) in (whole..).zip(&buckets[whole..]) {
            if *bucket != NOBODY {
                let next = &mut next[(*bucket >> region_log2) as usize];
                let in_region = *bucket & ((1 << region_log2) - 1);
                let key = in_region << SLOT_BITS | at as u32;
                self.rows[*next as usize] = plan.row(units, self.first + at, key);
                *next += 1;
            }
        }
        census
    }

    /// Finds the buckets of its units from `from` on; a unit that takes no part gets [`NOBODY`], and no push.
    fn find_one_by_one(
        &mut self,
        plan: &Plan,
        units: &Units,
        buckets: &mut [u32],
        from: usize,
        census: &mut Census,
    ) {
        let found = buckets.iter_mut().zip(&mut *self.pushes).skip(from);
        for (slot, (bucket, push)) in (self.first + from..).zip(found) {
            *bucket = plan.bucket(units, slot, census).unwrap_or_else(|| {
                *push.get_mut() = 0;
                NOBODY
            });
        }
    }
}

/// Finds buckets, of whole blocks. `None` if a unit may be so far away that its place does not fit 32 bits.
struct BucketSearch<'a, 'b> {
    stretch: &'a mut Stretch<'b>,
    plan: &'a Plan,
    units: &'a Units,
    buckets: &'a mut [u32],
}

impl Kernel for BucketSearch<'_, '_> {
    type Output = Option<Census>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<Census> {
        let Self { stretch, plan, units, buckets } = self;
        let (around, levels) = (QuantaOrigin::new(plan), LevelTable::new(lanes, plan));
        let nobody = I32x16::splat(lanes, NOBODY as i32);
        let mut count = 0;
        for (buckets, at) in buckets.as_chunks_mut::<LANES>().0.iter_mut().zip((0..).step_by(LANES))
        {
            // Rows are written out of order: they are prefetched in order here.
            prefetch(&stretch.rows[at..at + LANES]);
            let slot = stretch.first + at;
            let takes = taking_part(lanes, units, slot);
            let [x, z, _] = around.place(lanes, units, slot);
            if (takes & !around.is_near(lanes, units, slot)).any() {
                return None;
            }
            let found = levels.buckets(lanes, plan, units, slot, [x, z]);
            takes.select_int(found, nobody).store(cast_mut(buckets));
            if !takes.all() {
                for lane in (0..LANES).filter(|lane| takes.bits() >> lane & 1 == 0) {
                    *stretch.pushes[at + lane].get_mut() = 0;
                }
            }
            count += takes.bits().count_ones() as usize;
        }
        Some(Census { count, farthest: 0 })
    }
}

/// Brings whole blocks into the order of regions. `next` is, by region, where the next unit goes.
struct Part<'a, 'b> {
    stretch: &'a mut Stretch<'b>,
    plan: &'a Plan,
    units: &'a Units,
    buckets: &'a [u32],
    region_log2: u32,
    next: &'a mut Starts,
}

impl Kernel for Part<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { stretch, plan, units, buckets, region_log2, next } = self;
        let around = QuantaOrigin::new(plan);
        let mut regions = [0; LANES];
        let nobody = I32x16::splat(lanes, NOBODY as i32);
        let low = I32x16::splat(lanes, (1 << region_log2) - 1);
        for (buckets, at) in buckets.as_chunks::<LANES>().0.iter().zip((0..).step_by(LANES)) {
            let bucket = I32x16::load(lanes, cast_ref(buckets));
            let takes = !bucket.equals(nobody);
            let [x, z, feet] = around.place(lanes, units, stretch.first + at);
            let slot = I32x16::order(lanes) + I32x16::splat(lanes, at as i32);
            let key = (bucket & low).up(SLOT_BITS) | slot;
            let mut all = [bucket.down(region_log2), x, z, feet, key];
            if !takes.all() {
                let [region, x, z, feet, key] = all;
                all = each!([region, x, z, feet, key], |part| part.packed(takes.bits()));
            }
            let [region, x, z, feet, key] = all;
            region.store(&mut regions);
            let [a, b, c, d] = I32x16::zip4([x, z, feet, key]);
            let rows: [Row; LANES] = cast(each!([a, b, c, d], |four| four.array()));
            for (region, row) in regions.iter().zip(&rows).take(takes.bits().count_ones() as usize)
            {
                let next = &mut next[*region as usize];
                stretch.rows[*next as usize] = *row;
                *next += 1;
            }
        }
    }
}

/// All stretches, in the order of regions.
pub(super) struct RegionRows<'a> {
    pub(super) rows: &'a [Row],
    pub(super) starts: &'a [Starts],
}

impl RegionRows<'_> {
    /// The rows of a region, one stretch after another, with the first slot of each.
    fn region(&self, region: usize) -> impl Iterator<Item = (usize, &[Row])> {
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
pub(super) const SCRATCH: usize = 4096;

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
        simd: Simd,
        plan: &Plan,
        units: &Units,
        parted: &RegionRows<'_>,
        scratch: &mut [Row; SCRATCH],
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
        simd.run(PrefixSum { counts: self.ends, begin: self.begin as u32 });
        let columns = &mut self.columns;
        if let Some(rows) = scratch.get_mut(..count) {
            each_in_order(parted, self.index, self.ends, self.begin, |at, row| rows[at] = row);
            simd.run(WriteRows { rows, columns });
        } else {
            each_in_order(parted, self.index, self.ends, self.begin, |at, row| {
                columns.write(at, row);
            });
        }
        if plan.alike.is_none() {
            self.columns.write_shapes(plan, units);
        }
    }
}

/// Calls `put` with each row of a region and its place there. `ends` has where each bucket begins. The key of
/// a row is its slot then.
#[inline(always)]
fn each_in_order(
    parted: &RegionRows<'_>,
    region: usize,
    ends: &mut [u32],
    begin: usize,
    mut put: impl FnMut(usize, Row),
) {
    for (first, rows) in parted.region(region) {
        for row in rows {
            let end = &mut ends[(row.key >> SLOT_BITS) as usize];
            let at = *end as usize - begin;
            *end += 1;
            put(at, Row { key: first as u32 | row.key & (STRETCH as u32 - 1), ..*row });
        }
    }
}

/// Replaces each number with the sum of those before it, plus `begin`.
struct PrefixSum<'a> {
    counts: &'a mut [u32],
    begin: u32,
}

impl Kernel for PrefixSum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let mut sum = self.begin;
        let (blocks, rest) = self.counts.as_chunks_mut::<LANES>();
        for block in blocks {
            let block: &mut [i32; LANES] = cast_mut(block);
            let counts = I32x16::load(lanes, block);
            let sums = counts.running_sum();
            (I32x16::splat(lanes, sum as i32) + sums - counts).store(block);
            sum = sum.wrapping_add(sums.array()[LANES - 1] as u32);
        }
        for one in rest {
            let next = sum + *one;
            *one = sum;
            sum = next;
        }
    }
}

struct WriteRows<'a, 'b> {
    rows: &'a [Row],
    columns: &'a mut Columns<'b>,
}

impl Kernel for WriteRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { rows, columns } = self;
        let (blocks, rest) = rows.as_chunks::<LANES>();
        for (block, at) in blocks.iter().zip((0..).step_by(LANES)) {
            let [x, z, feet, slot] = I32x16::unzip4(lanes, cast_ref(block));
            x.store_at(columns.xs, at);
            z.store_at(columns.zs, at);
            feet.of_bits().store_at(columns.feet, at);
            slot.store_at(cast_slice_mut(columns.slots), at);
        }
        for (row, at) in rest.iter().zip(blocks.len() * LANES..) {
            columns.write(at, *row);
        }
    }
}

impl Columns<'_> {
    /// Writes a row whose key is a slot.
    #[inline(always)]
    fn write(&mut self, at: usize, row: Row) {
        (self.xs[at], self.zs[at]) = (row.x, row.z);
        (self.feet[at], self.slots[at]) = (row.feet, row.key);
    }

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
