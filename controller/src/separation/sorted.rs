//! All units that take part, sorted: they lie in columns, in the order of buckets, so that those that may touch each
//! other lie in runs.

use std::sync::atomic::{AtomicU64, Ordering};

use marchland_terrain::kernel::lanes::Simd;

use super::columns::{Columns, REGIONS_MAX, Row, SPARE, STRETCH, Starts};
use super::grid::{BUCKETS_MIN, LEVEL_RADII, Level, Plan, Spot};
use super::sort::{self, Region, RegionRows, SCRATCH, Stretch};
use crate::units::columns::Units;
use crate::units::executor::Workers;

/// Units that take part, as columns in order of buckets, those of a bucket in order of slots.
#[derive(Debug, Default)]
pub(super) struct SortedUnits {
    /// Quanta, in 32 bits that wrap around.
    pub(super) xs: Vec<i32>,
    pub(super) zs: Vec<i32>,
    /// Metres.
    pub(super) feet: Vec<f32>,
    /// Only where bodies differ. Tops in metres, radii in quanta.
    pub(super) tops: Vec<f32>,
    pub(super) radii: Vec<f32>,
    pub(super) slots: Vec<u32>,
    /// Units before they are in order.
    rows: Vec<Row>,
    starts: Vec<Starts>,
    /// By slot, the push on a unit: the [bits](push_bits) of a velocity, zero for a unit that takes no
    /// part. Pushes are found by place, and written by slot.
    pub(super) pushes: Vec<AtomicU64>,
    /// By bucket, where it begins, which is where the previous one ends; one further entry is where the last
    /// one ends.
    pub(super) ends: Vec<u32>,
    pub(super) plan: Plan,
    /// Whether units may be too far apart for 32 bits.
    pub(super) is_far: bool,
    /// How many units take part.
    pub(super) count: usize,
}

impl SortedUnits {
    /// Sorts all units that walk.
    pub(super) fn sort(&mut self, workers: Workers<'_>, simd: Simd, units: &Units) {
        let buckets = self.plan.lay_out(units);
        let log2 = sort::region_log2(buckets);
        self.reserve(units.slots(), buckets);
        self.part(workers, simd, units, log2);
        self.place(workers, simd, units, log2);
        for level in &mut self.plan.levels {
            if level.widest > 0.0 {
                level.begin = self.ends[level.first as usize] as usize;
                level.end = self.ends[(level.first + level.mask + 1) as usize] as usize;
            }
        }
    }

    fn reserve(&mut self, slots: usize, buckets: usize) {
        // For whatever the same slots may need later: a power of two for each level.
        let most = 2 * slots + BUCKETS_MIN as usize * LEVEL_RADII.len() + 1;
        self.ends.reserve(most.saturating_sub(self.ends.len()));
        self.ends.resize(buckets + 1, 0);
        self.rows.resize(slots, Row::default());
        self.pushes.resize_with(slots, AtomicU64::default);
        self.starts.resize(slots.div_ceil(STRETCH), [0; REGIONS_MAX + 1]);
        let len = slots + SPARE;
        self.xs.resize(len, 0);
        self.zs.resize(len, 0);
        self.feet.resize(len, 0.0);
        self.slots.resize(len, 0);
        // Reserved in any case: a body that differs may be added.
        self.tops.reserve(len.saturating_sub(self.tops.len()));
        self.radii.reserve(len.saturating_sub(self.radii.len()));
        let differing = if self.plan.alike.is_none() { len } else { 0 };
        self.tops.resize(differing, 0.0);
        self.radii.resize(differing, 0.0);
    }

    /// Brings units into the order of regions, stretch by stretch.
    fn part(&mut self, workers: Workers<'_>, simd: Simd, units: &Units, log2: u32) {
        let (plan, seen) = (&self.plan, [AtomicU64::new(0), AtomicU64::new(0)]);
        let columns = self.rows.chunks_mut(STRETCH).zip(self.pushes.chunks_mut(STRETCH));
        let columns = columns.zip(&mut self.starts).enumerate();
        let stretches = columns.map(|(index, ((rows, pushes), starts))| {
            let first = index * STRETCH;
            Stretch { first, rows, pushes, starts }
        });
        let count = |_: &mut (), stretch: Stretch<'_>| {
            let found = stretch.part(simd, plan, units, log2);
            // Sums and unions: the same in any order.
            seen[0].fetch_add(found.count as u64, Ordering::Relaxed);
            seen[1].fetch_or(found.farthest, Ordering::Relaxed);
        };
        workers.each(stretches, |_| (), count);
        let [count, farthest] = seen.map(AtomicU64::into_inner);
        self.count = count as usize;
        // Two units are up to twice as far from each other, and the pair loop uses differences.
        self.is_far = farthest >> 30 != 0;
    }

    /// Puts units in order, region by region.
    fn place(&mut self, workers: Workers<'_>, simd: Simd, units: &Units, log2: u32) {
        let plan = &self.plan;
        let parted = RegionRows { rows: &self.rows, starts: &self.starts };
        let begins = parted.begins();
        let mut columns = Columns {
            xs: &mut self.xs,
            zs: &mut self.zs,
            feet: &mut self.feet,
            slots: &mut self.slots,
            tops: &mut self.tops,
            radii: &mut self.radii,
        };
        let columns = columns.take(self.count);
        let all = Regions { first: 0, ends: &mut self.ends[1..], columns };
        let scratch = |_| [Row::default(); SCRATCH];
        workers.each(all.groups(log2, &begins), scratch, |scratch, group| {
            group.each(log2, &begins, |region| region.place(simd, plan, units, &parted, scratch));
        });
    }

    /// The top of a unit, in metres, and its radius, in quanta.
    #[inline]
    pub(super) fn shape(&self, at: usize) -> (f32, f32) {
        match self.plan.alike {
            Some((radius, height)) => (self.feet[at] + height, radius),
            None => (self.tops[at], self.radii[at]),
        }
    }

    /// Where a unit is.
    pub(super) fn spot(&self, units: &Units, slot: usize) -> Spot {
        self.plan.frame.spot(units.sectors[slot], units.locals[slot])
    }

    /// The units in a run of buckets, in two ranges: a run may continue at the level's first bucket.
    #[inline]
    pub(super) fn run(&self, level: &Level, middle: u32, columns: u32) -> [(usize, usize); 2] {
        let (low, high) =
            (middle.wrapping_sub(columns) & level.mask, (middle + columns) & level.mask);
        let begin = |bucket: u32| self.ends[(level.first + bucket) as usize] as usize;
        let end = |bucket: u32| self.ends[(level.first + bucket + 1) as usize] as usize;
        if low <= high {
            [(begin(low), end(high)), (0, 0)]
        } else {
            [(begin(low), end(level.mask)), (begin(0), end(high))]
        }
    }
}

/// Regions that one thread orders one after another.
const TOGETHER: usize = 4;

/// Consecutive regions.
struct Regions<'a> {
    /// The first one.
    first: usize,
    /// By bucket.
    ends: &'a mut [u32],
    columns: Columns<'a>,
}

impl<'a> Regions<'a> {
    /// In groups that one thread orders one after another.
    fn groups(self, log2: u32, begins: &Starts) -> impl ExactSizeIterator<Item = Regions<'a>> {
        let regions = self.count(log2);
        let mut rest = self;
        (0..regions)
            .step_by(TOGETHER)
            .map(move |first| rest.take(TOGETHER.min(regions - first), log2, begins))
    }

    /// Calls `work` with each region.
    fn each(mut self, log2: u32, begins: &Starts, mut work: impl FnMut(Region<'_>)) {
        for _ in 0..self.count(log2) {
            let Regions { first: index, ends, columns } = self.take(1, log2, begins);
            work(Region { index, ends, begin: begins[index] as usize, columns });
        }
    }

    fn count(&self, log2: u32) -> usize {
        self.ends.len().div_ceil(1 << log2)
    }

    /// Takes the first `count` regions off.
    fn take(&mut self, count: usize, log2: u32, begins: &Starts) -> Self {
        let (first, next) = (self.first, self.first + count);
        self.first = next;
        let ends = self.ends.split_off_mut(..(count << log2).min(self.ends.len()));
        let columns = self.columns.take((begins[next] - begins[first]) as usize);
        Regions { first, ends: ends.unwrap_or_default(), columns }
    }
}
