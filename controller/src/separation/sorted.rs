//! Units in the order of buckets, as columns: units that may touch each other lie in runs.

use std::sync::atomic::{AtomicU64, Ordering};

use super::grid::{BUCKETS_MIN, LEVEL_RADII, Level, Plan, Spot};
use super::pairs::RUN_MAX;
use super::sort::{self, Parted, REGIONS_MAX, ROOM, Region, STRETCH, Starts};
use super::threads::{are_many, both, each_stretch};
use crate::units::columns::Units;

/// Spare entries at the end of each column, so that code which reads several at a time needs no bounds check:
/// a register of sixteen, up to the length of a run further on.
pub(super) const SPARE: usize = 64;
const _: () = assert!(16 + RUN_MAX <= SPARE);

/// The bucket of a unit that takes no part.
pub(super) const NOBODY: u32 = u32::MAX;

/// A unit as it is sorted.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Row {
    /// Quanta, in 32 bits that wrap around.
    pub(super) x: i32,
    pub(super) z: i32,
    /// Metres.
    pub(super) feet: f32,
    /// The bucket within its region, and the slot within its stretch.
    pub(super) key: u32,
}

/// Units that take part, as columns in order of buckets, those of a bucket in order of slots.
#[derive(Debug, Default)]
pub(super) struct Sorted {
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
    count: usize,
}

/// The bits of a velocity along X and Z.
#[inline]
pub(super) fn push_bits([x, z]: [f32; 2]) -> u64 {
    u64::from(x.to_bits()) | u64::from(z.to_bits()) << 32
}

/// The velocity that has these bits.
#[inline]
pub(super) fn push_of(bits: u64) -> [f32; 2] {
    [bits, bits >> 32].map(|bits| f32::from_bits(bits as u32))
}

/// A stretch of the columns, to be written.
#[derive(Default)]
pub(super) struct Columns<'a> {
    pub(super) xs: &'a mut [i32],
    pub(super) zs: &'a mut [i32],
    pub(super) feet: &'a mut [f32],
    pub(super) slots: &'a mut [u32],
    /// Empty where bodies do not differ.
    pub(super) tops: &'a mut [f32],
    pub(super) radii: &'a mut [f32],
}

impl<'a> Columns<'a> {
    /// Splits off the first `count` entries.
    fn take(&mut self, count: usize) -> Self {
        let differing = self.tops.len();
        Self {
            xs: first_of(&mut self.xs, count),
            zs: first_of(&mut self.zs, count),
            feet: first_of(&mut self.feet, count),
            slots: first_of(&mut self.slots, count),
            tops: first_of(&mut self.tops, count.min(differing)),
            radii: first_of(&mut self.radii, count.min(differing)),
        }
    }
}

impl Sorted {
    /// How many units take part.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Sorts all units that walk.
    pub(super) fn sort(&mut self, units: &Units) {
        let buckets = self.plan.lay_out(units);
        let log2 = sort::region_log2(buckets);
        self.make_room(units.slots(), buckets);
        self.part(units, log2);
        self.place(units, log2);
        for level in &mut self.plan.levels {
            if level.widest > 0.0 {
                level.begin = self.ends[level.first as usize] as usize;
                level.end = self.ends[(level.first + level.mask + 1) as usize] as usize;
            }
        }
    }

    fn make_room(&mut self, slots: usize, buckets: usize) {
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
    fn part(&mut self, units: &Units, log2: u32) {
        let (plan, seen) = (&self.plan, [AtomicU64::new(0), AtomicU64::new(0)]);
        each_stretch(&mut self.rows, &mut self.pushes, &mut self.starts, |mut stretch| {
            let found = stretch.part(plan, units, log2);
            // Sums and unions: the same in any order.
            seen[0].fetch_add(found.count as u64, Ordering::Relaxed);
            seen[1].fetch_or(found.farthest, Ordering::Relaxed);
        });
        let [count, farthest] = seen.map(AtomicU64::into_inner);
        self.count = count as usize;
        // Two units are up to twice as far from each other, and the pair loop uses differences.
        self.is_far = farthest >> 30 != 0;
    }

    /// Puts units in order, region by region.
    fn place(&mut self, units: &Units, log2: u32) {
        let plan = &self.plan;
        let parted = Parted { rows: &self.rows, starts: &self.starts };
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
        all.each(log2, &begins, &|region: Region<'_>, room: &mut [Row; ROOM]| {
            region.place(plan, units, &parted, room);
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

/// Splits off the first `count` entries.
fn first_of<'a, T>(of: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(of).split_at_mut(count);
    *of = rest;
    first
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

impl Regions<'_> {
    /// Calls `work` with each region and with room for it, on several threads where possible. `begins` is, by
    /// region, where its units begin.
    fn each(
        mut self,
        log2: u32,
        begins: &Starts,
        work: &(impl Fn(Region<'_>, &mut [Row; ROOM]) + Sync),
    ) {
        let regions = self.ends.len().div_ceil(1 << log2);
        if regions > TOGETHER && are_many() {
            let (one, other) = self.split(regions / 2, log2, begins);
            both(|| one.each(log2, begins, work), || other.each(log2, begins, work));
            return;
        }
        let mut room = [Row::default(); ROOM];
        for _ in 1..regions {
            let (one, others) = self.split(1, log2, begins);
            one.work(begins, work, &mut room);
            self = others;
        }
        self.work(begins, work, &mut room);
    }

    /// Calls `work` with the only region.
    fn work(
        self,
        begins: &Starts,
        work: &(impl Fn(Region<'_>, &mut [Row; ROOM]) + Sync),
        room: &mut [Row; ROOM],
    ) {
        let Self { first: index, ends, columns } = self;
        work(Region { index, ends, begin: begins[index] as usize, columns }, room);
    }

    /// The first `count` regions, and the others.
    fn split(mut self, count: usize, log2: u32, begins: &Starts) -> (Self, Self) {
        let middle = self.first + count;
        let (ends, rest) = self.ends.split_at_mut(count << log2);
        let columns = self.columns.take((begins[middle] - begins[self.first]) as usize);
        let one = Regions { first: self.first, ends, columns };
        (one, Regions { first: middle, ends: rest, columns: self.columns })
    }
}
