//! Who stands near whom: units sorted into buckets, one a cell of a uniform grid, by counting.
//!
//! ```text
//!   columns →  the widest diameter             A row of buckets holds the units of neighbouring
//!   ┌──┬──┬──┬──┬──┐  row − 1                  columns one after the other: who is near a unit is in
//!   ├──┼──┼──┼──┼──┤  row      one diameter    three runs. The plane is rolled up onto as many
//!   ├──┼──┼──┼──┼──┤  row + 1                  buckets as there are units, more or less: what else
//!   └──┴──┴──┴──┴──┘                           gets into a run is too far away, and does nothing.
//! ```
//!
//! Positions are whole numbers of quanta from the centre of the first unit's sector: differences are
//! exact, the same across borders and anywhere in the world. Bodies of very different width would
//! need buckets as large as the widest; they lie on *levels*, each a grid of its own, with at most
//! four times the width of the narrowest on the widest.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use super::sort::{self, Parted, REGIONS_MAX, Region, STRETCH, Seen, Starts};
use super::threads::{both, each_stretch};
use crate::body::Body;
use crate::units::{Motion, Units};

/// Quanta in a metre: 0.24 mm is finer than anybody sees a unit stand, and units 500 km apart still
/// fit 32 bits.
pub(super) const QUANTA: f32 = 4096.0;

/// Spare entries at the end of each column, so that those who read several at a time need not look: two
/// registers of sixteen.
pub(super) const SPARE: usize = 32;

/// What a bucket is larger than it has to be, so that rounding never puts two units that touch too far
/// apart. Smaller than 2⁻⁴⁰ would be within it at the far end of the world.
const HAIR: f64 = 1.0 + 1.0 / 1_048_576.0;

/// Adding it to an `f64` below 2⁵¹ leaves the nearest whole number in the low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The slot of a unit that takes no part.
pub(super) const NOBODY: u32 = u32::MAX;

/// Greatest radii of the levels: 2⁻⁵ m, and four times more each. Metres.
pub(super) const LEVEL_RADII: [f32; 7] = [0.03125, 0.125, 0.5, 2.0, 8.0, 32.0, 128.0];

/// A grid for bodies of similar width.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    /// Greatest radius of its bodies. Metres.
    pub(super) widest: f32,
    /// Which of all buckets is its first, and how many it has: a power of two, less 1.
    pub(super) first: u32,
    pub(super) mask: u32,
    /// Buckets from one row to the next.
    pub(super) stride: u32,
    pub(super) cells_per_quantum: f64,
    /// Where its units begin and end in the columns.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// What matters of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Quanta.
    pub(super) radius: f32,
    pub(super) height: f32,
    pub(super) level: u8,
}

/// Where a unit is, in quanta from the centre of the first unit's sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) x: i64,
    pub(super) z: i64,
}

/// Where quanta are counted from, and how many there are along a sector.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub(super) origin: SectorCoord,
    pub(super) side: i64,
}

impl Frame {
    #[inline]
    pub(super) fn spot(self, sector: SectorCoord, local: Vec3) -> Spot {
        let x = (i64::from(sector.x) - i64::from(self.origin.x)) * self.side;
        let z = (i64::from(sector.z) - i64::from(self.origin.z)) * self.side;
        // At most half of 16 384 m: 2²⁵ quanta.
        let quanta = |metres: f32| i64::from((metres * QUANTA) as i32);
        Spot { x: x + quanta(local.x), z: z + quanta(local.z) }
    }
}

/// A unit as it is sorted.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Row {
    /// Quanta, in 32 bits that wrap around.
    pub(super) x: i32,
    pub(super) z: i32,
    /// Metres.
    pub(super) feet: f32,
    pub(super) slot: u32,
}

/// What is known before units are looked at.
#[derive(Debug, Default)]
pub(super) struct Plan {
    shapes: Vec<Shape>,
    /// The radius, in quanta, and the height of all units, if bodies do not differ in them.
    pub(super) alike: Option<(f32, f32)>,
    pub(super) levels: Vec<Level>,
    pub(super) frame: Frame,
}

/// Units that take part, as columns in order of buckets, those of a bucket in order of slots.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// Quanta, in 32 bits that wrap around.
    pub(super) xs: Vec<i32>,
    pub(super) zs: Vec<i32>,
    /// Metres.
    pub(super) feet: Vec<f32>,
    /// Only where bodies differ: in metres, and in quanta.
    pub(super) tops: Vec<f32>,
    pub(super) radii: Vec<f32>,
    pub(super) slots: Vec<u32>,
    /// Units on the way to their order, and their buckets.
    rows: Vec<Row>,
    keys: Vec<u32>,
    starts: Vec<Starts>,
    /// By slot: the place in the columns; [`NOBODY`] for who takes no part.
    pub(super) places: Vec<AtomicU32>,
    /// Where the bucket before ends, by bucket: and, with one more, where it ends itself.
    pub(super) ends: Vec<u32>,
    pub(super) plan: Plan,
    /// Whether units may be so far apart that 32 bits do not tell them apart.
    pub(super) is_far: bool,
    count: usize,
}

/// A stretch of the columns, to be written.
#[derive(Default)]
pub(super) struct Columns<'a> {
    pub(super) xs: &'a mut [i32],
    pub(super) zs: &'a mut [i32],
    pub(super) feet: &'a mut [f32],
    pub(super) slots: &'a mut [u32],
    /// Nothing where bodies do not differ.
    pub(super) tops: &'a mut [f32],
    pub(super) radii: &'a mut [f32],
}

impl<'a> Columns<'a> {
    /// Takes the first few away.
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
        self.keys.resize(slots, 0);
        self.places.resize_with(slots, AtomicU32::default);
        self.starts.resize(slots.div_ceil(STRETCH), [0; REGIONS_MAX + 1]);
        let len = slots + SPARE;
        self.xs.resize(len, 0);
        self.zs.resize(len, 0);
        self.feet.resize(len, 0.0);
        self.slots.resize(len, 0);
        let differing = if self.plan.alike.is_none() { len } else { 0 };
        self.tops.resize(differing, 0.0);
        self.radii.resize(differing, 0.0);
    }

    /// Brings units into the order of regions, stretch by stretch.
    fn part(&mut self, units: &Units, log2: u32) {
        let (plan, seen) = (&self.plan, [AtomicU64::new(0), AtomicU64::new(0)]);
        each_stretch(
            &mut self.rows,
            &mut self.keys,
            &mut self.places,
            &mut self.starts,
            |mut stretch| {
                let found = stretch.part(plan, units, log2);
                // Sums and unions: the same in any order.
                seen[0].fetch_add(found.count as u64, Ordering::Relaxed);
                seen[1].fetch_or(found.farthest, Ordering::Relaxed);
            },
        );
        let [count, farthest] = seen.map(AtomicU64::into_inner);
        self.count = count as usize;
        // Two of them are up to twice as far from each other, and the pair loop looks at differences.
        self.is_far = farthest >> 30 != 0;
    }

    /// Puts units in order, region by region.
    fn place(&mut self, units: &Units, log2: u32) {
        let (plan, places) = (&self.plan, &self.places[..]);
        let parted = Parted { rows: &self.rows, keys: &self.keys, starts: &self.starts };
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
        all.each(log2, &begins, &|region: Region<'_>| region.place(plan, units, &parted, places));
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

    /// The units in a run of buckets: it may go on at the level's first one, so these are two.
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

/// Takes the first few away.
fn first_of<'a, T>(of: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(of).split_at_mut(count);
    *of = rest;
    first
}

/// Regions that follow each other.
struct Regions<'a> {
    /// The first one.
    first: usize,
    /// By bucket.
    ends: &'a mut [u32],
    columns: Columns<'a>,
}

impl Regions<'_> {
    /// Calls with each, on a thread of its own where that is possible. By region, where its units begin.
    fn each(mut self, log2: u32, begins: &Starts, work: &(impl Fn(Region<'_>) + Sync)) {
        let regions = self.ends.len().div_ceil(1 << log2);
        let begin = begins[self.first] as usize;
        if regions <= 1 {
            let Self { first: index, ends, columns } = self;
            return work(Region { index, first: (index << log2) as u32, ends, begin, columns });
        }
        let half = regions / 2;
        let middle = self.first + half;
        let (ends, rest) = self.ends.split_at_mut(half << log2);
        let columns = self.columns.take(begins[middle] as usize - begin);
        let one = Regions { first: self.first, ends, columns };
        let other = Regions { first: middle, ends: rest, columns: self.columns };
        both(|| one.each(log2, begins, work), || other.each(log2, begins, work));
    }
}

impl Plan {
    /// Lists bodies, and gives each level its buckets: as many as units, or more. How many in all.
    fn lay_out(&mut self, units: &Units) -> usize {
        let first = (0..units.slots()).find(|&slot| takes_part(units, slot));
        let origin = first.map_or_else(SectorCoord::default, |slot| units.sectors[slot]);
        self.frame = Frame { origin, side: (units.size.metres() * QUANTA) as i64 };
        self.list_shapes(&units.bodies);
        let counts = self.count_levels(units);
        let mut first = 0_u32;
        for (level, &count) in self.levels.iter_mut().zip(&counts) {
            if count == 0 {
                level.widest = 0.0; // nobody has to look here
                continue;
            }
            let buckets = (count as u32).next_power_of_two();
            let buckets = if buckets < BUCKETS_MIN { BUCKETS_MIN } else { buckets };
            let cell = f64::from(2.0 * level.widest * QUANTA) * HAIR;
            level.first = first;
            level.mask = buckets - 1;
            // The golden section: rows lie far from their neighbours, and evenly.
            level.stride = (f64::from(buckets) * 0.618_033_988_75) as u32 | 1;
            level.cells_per_quantum = 1.0 / cell;
            first += buckets;
        }
        first as usize
    }

    fn list_shapes(&mut self, bodies: &[Body]) {
        self.shapes.clear();
        self.levels.clear();
        self.levels.resize(LEVEL_RADII.len(), Level::default());
        for body in bodies {
            let radius = body.radius();
            let level = LEVEL_RADII.iter().position(|&most| radius <= most).unwrap_or(0);
            let widest = &mut self.levels[level].widest;
            *widest = if radius > *widest { radius } else { *widest };
            let (radius, height) = (radius * QUANTA, body.height());
            self.shapes.push(Shape { radius, height, level: level as u8 });
        }
        let shape = |shape: &Shape| (shape.radius, shape.height);
        let first = self.shapes.first().map(shape);
        self.alike = first.filter(|first| self.shapes.iter().all(|other| shape(other) == *first));
    }

    /// How many units each level holds; where there is only one, as many as there are slots.
    fn count_levels(&self, units: &Units) -> [usize; LEVEL_RADII.len()] {
        let slots = units.slots();
        let mut counts = [0_usize; LEVEL_RADII.len()];
        if let Some(only) = self.only() {
            counts[only] = slots;
        } else {
            for slot in (0..slots).filter(|&slot| takes_part(units, slot)) {
                counts[usize::from(self.shape(units, slot).level)] += 1;
            }
        }
        counts
    }

    /// The level that holds all units, if there is only one.
    pub(super) fn only(&self) -> Option<usize> {
        let mut used = (0..self.levels.len()).filter(|level| self.levels[*level].widest > 0.0);
        used.next().filter(|_| used.next().is_none())
    }

    /// What matters of a unit's body.
    #[inline]
    pub(super) fn shape(&self, units: &Units, slot: usize) -> Shape {
        self.shapes[units.body_ids[slot].index()]
    }

    /// A unit's bucket, if it takes part.
    #[inline]
    pub(super) fn bucket(&self, units: &Units, slot: usize, seen: &mut Seen) -> Option<u32> {
        if !takes_part(units, slot) {
            return None;
        }
        let spot = self.frame.spot(units.sectors[slot], units.locals[slot]);
        seen.count += 1;
        seen.farthest |= spot.x.unsigned_abs() | spot.z.unsigned_abs();
        let level = &self.levels[usize::from(self.shape(units, slot).level)];
        Some(level.first + level.offset(level.cell(spot)))
    }

    /// A unit as it is sorted.
    #[inline]
    pub(super) fn row(&self, units: &Units, slot: usize) -> Row {
        let spot = self.frame.spot(units.sectors[slot], units.locals[slot]);
        let feet = units.locals[slot].y;
        Row { x: spot.x as i32, z: spot.z as i32, feet, slot: slot as u32 }
    }
}

/// Fewest buckets of a level: with these, neighbouring rows never overlap, up to seven rows of as many
/// columns.
const BUCKETS_MIN: u32 = 256;

impl Level {
    /// The column and the row of a place.
    #[inline]
    pub(super) fn cell(&self, spot: Spot) -> (u32, u32) {
        let along =
            |quanta: i64| ((quanta as f64) * self.cells_per_quantum + WHOLE).to_bits() as u32;
        (along(spot.x), along(spot.z))
    }

    /// The bucket of a cell, counted from the level's first.
    #[inline]
    pub(super) fn offset(&self, (column, row): (u32, u32)) -> u32 {
        row.wrapping_mul(self.stride).wrapping_add(column) & self.mask
    }

    /// The buckets in the same column, rows further on; counted from the level's first.
    #[inline]
    pub(super) fn in_row(&self, offset: u32, rows: i32) -> u32 {
        offset.wrapping_add((rows as u32).wrapping_mul(self.stride)) & self.mask
    }

    /// Cells each way in which units of this level may touch a body. The radius in quanta.
    pub(super) fn reach(&self, radius: f32) -> u32 {
        let reach = f64::from(radius) + f64::from(self.widest * QUANTA);
        (reach * self.cells_per_quantum).ceil() as u32
    }
}

/// Whether a unit pushes and is pushed: who stands or walks. Whether it is held is not asked, because
/// that is no part of the state.
#[inline]
pub(super) fn takes_part(units: &Units, slot: usize) -> bool {
    units.live[slot] && units.motions[slot] == Motion::Walking
}
