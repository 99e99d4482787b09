//! Who stands near whom: units sorted into buckets, one a cell of a uniform grid, by counting.
//!
//! ```text
//!   columns →  half the widest diameter        A row of buckets holds the units of neighbouring
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

use marchland_terrain::SectorCoord;

use crate::body::Body;
use crate::units::{Motion, Units};

/// Quanta in a metre: 0.24 mm is finer than anybody sees a unit stand, and units 500 km apart still
/// fit 32 bits.
pub(super) const QUANTA: f32 = 4096.0;

/// Lanes of the pair loop, and spare entries at the end of each column so that it need not look.
pub(super) const LANES: usize = 4;

/// Columns in the widest diameter of a level.
const COLUMNS_ACROSS: f64 = 2.0;

/// What a bucket is larger than it has to be, so that rounding never puts two units that touch too far
/// apart. Smaller than 2⁻⁴⁰ would be within it at the far end of the world.
const HAIR: f64 = 1.0 + 1.0 / 1_048_576.0;

/// Adding it to an `f64` below 2⁵¹ leaves the nearest whole number in the low bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

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
    first: u32,
    mask: u32,
    /// Buckets from one row to the next.
    stride: u32,
    columns_per_quantum: f64,
    rows_per_quantum: f64,
    /// Where its units begin and end in the columns.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// What matters of a body.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Quanta.
    radius: f32,
    height: f32,
    level: u8,
}

/// Where a unit is, in quanta from the centre of the first unit's sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) x: i64,
    pub(super) z: i64,
}

/// Units that take part, as columns in order of buckets, those of a bucket in order of slots.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// Quanta, in 32 bits that wrap around.
    pub(super) xs: Vec<i32>,
    pub(super) zs: Vec<i32>,
    /// Metres.
    pub(super) feet: Vec<f32>,
    pub(super) tops: Vec<f32>,
    /// Quanta.
    pub(super) radii: Vec<f32>,
    pub(super) slots: Vec<u32>,
    pub(super) buckets: Vec<u32>,
    /// By slot: the bucket, then the place in the columns; [`NOBODY`] for who takes no part.
    pub(super) places: Vec<u32>,
    /// Where the bucket before ends, by bucket: and, with one more, where it ends itself.
    ends: Vec<u32>,
    shapes: Vec<Shape>,
    pub(super) levels: Vec<Level>,
    /// Where quanta are counted from, and quanta along a sector.
    origin: SectorCoord,
    side: i64,
    /// Whether units may be so far apart that 32 bits do not tell them apart.
    pub(super) is_far: bool,
    count: usize,
}

impl Sorted {
    /// How many units take part.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Sorts all units that walk.
    pub(super) fn sort(&mut self, units: &Units) {
        self.side = (units.size.metres() * QUANTA) as i64;
        let first = (0..units.slots()).find(|&slot| takes_part(units, slot));
        self.origin = first.map_or_else(SectorCoord::default, |slot| units.sectors[slot]);
        self.list_shapes(&units.bodies);
        self.lay_out(units);
        self.find_buckets(units);
        self.fill(units);
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
    }

    /// Gives each level its buckets: two for each of its units, so that most are in a run because they
    /// are near.
    fn lay_out(&mut self, units: &Units) {
        let slots = units.slots();
        let mut counts = [0_usize; LEVEL_RADII.len()];
        let mut used = self.levels.iter().filter(|level| level.widest > 0.0);
        if let (Some(_), None) = (used.next(), used.next()) {
            let only = self.levels.iter().position(|level| level.widest > 0.0);
            counts[only.unwrap_or(0)] = slots;
        } else {
            for slot in (0..slots).filter(|&slot| takes_part(units, slot)) {
                counts[usize::from(self.shapes[units.body_ids[slot].index()].level)] += 1;
            }
        }
        let mut first = 0_u32;
        for (level, &count) in self.levels.iter_mut().zip(&counts) {
            if count == 0 {
                level.widest = 0.0; // nobody has to look here
                continue;
            }
            let buckets = (2 * count as u32).next_power_of_two();
            let buckets = if buckets < BUCKETS_MIN { BUCKETS_MIN } else { buckets };
            let row = f64::from(2.0 * level.widest * QUANTA) * HAIR;
            level.first = first;
            level.mask = buckets - 1;
            // The golden section: rows lie far from their neighbours, and evenly.
            level.stride = (f64::from(buckets) * 0.618_033_988_75) as u32 | 1;
            level.rows_per_quantum = 1.0 / row;
            level.columns_per_quantum = COLUMNS_ACROSS / row;
            first += buckets;
        }
        // Room for whatever the same slots may need later: a power of two for each level.
        self.ends.clear();
        self.ends.reserve(4 * slots + BUCKETS_MIN as usize * LEVEL_RADII.len() + 1);
        self.ends.resize(first as usize + 1, 0);
    }

    /// Where a unit is.
    #[inline]
    pub(super) fn spot(&self, units: &Units, slot: usize) -> Spot {
        let (sector, local) = (units.sectors[slot], units.locals[slot]);
        let x = (i64::from(sector.x) - i64::from(self.origin.x)) * self.side;
        let z = (i64::from(sector.z) - i64::from(self.origin.z)) * self.side;
        Spot { x: x + (local.x * QUANTA) as i64, z: z + (local.z * QUANTA) as i64 }
    }

    /// Finds each unit's bucket, and counts.
    fn find_buckets(&mut self, units: &Units) {
        self.places.clear();
        self.places.resize(units.slots(), NOBODY);
        let (mut count, mut farthest) = (0, 0);
        for slot in 0..units.slots() {
            if !takes_part(units, slot) {
                continue;
            }
            let spot = self.spot(units, slot);
            farthest |= spot.x.unsigned_abs() | spot.z.unsigned_abs();
            let level = usize::from(self.shapes[units.body_ids[slot].index()].level);
            let bucket = self.levels[level].bucket(self.levels[level].cell(spot));
            self.places[slot] = bucket;
            self.ends[bucket as usize + 1] += 1;
            count += 1;
        }
        self.count = count;
        // Two of them are up to twice as far from each other, and the pair loop looks at differences.
        self.is_far = farthest >> 30 != 0;
    }

    /// Puts the units into the columns.
    fn fill(&mut self, units: &Units) {
        let mut sum = 0;
        for end in &mut self.ends[1..] {
            let count = *end;
            *end = sum;
            sum += count;
        }
        self.make_room(units.slots() + LANES);
        for slot in 0..units.slots() {
            let bucket = self.places[slot];
            if bucket == NOBODY {
                continue;
            }
            let end = &mut self.ends[bucket as usize + 1];
            let at = *end as usize;
            *end += 1;
            let (spot, feet) = (self.spot(units, slot), units.locals[slot].y);
            let shape = self.shapes[units.body_ids[slot].index()];
            self.xs[at] = spot.x as i32;
            self.zs[at] = spot.z as i32;
            self.feet[at] = feet;
            self.tops[at] = feet + shape.height;
            self.radii[at] = shape.radius;
            self.slots[at] = slot as u32;
            self.buckets[at] = bucket;
            self.places[slot] = at as u32;
        }
        for level in &mut self.levels {
            if level.widest > 0.0 {
                level.begin = self.ends[level.first as usize] as usize;
                level.end = self.ends[(level.first + level.mask + 1) as usize] as usize;
            }
        }
    }

    fn make_room(&mut self, len: usize) {
        self.xs.resize(len, 0);
        self.zs.resize(len, 0);
        self.feet.resize(len, 0.0);
        self.tops.resize(len, 0.0);
        self.radii.resize(len, 0.0);
        self.slots.resize(len, 0);
        self.buckets.resize(len, 0);
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

/// Fewest buckets of a level: with these, neighbouring rows never overlap, up to seven rows of as many
/// columns.
const BUCKETS_MIN: u32 = 256;

impl Level {
    /// The column and the row of a place.
    #[inline]
    pub(super) fn cell(&self, spot: Spot) -> (u32, u32) {
        let along = |quanta: i64, per_quantum: f64| {
            ((quanta as f64) * per_quantum + WHOLE).to_bits() as u32
        };
        (along(spot.x, self.columns_per_quantum), along(spot.z, self.rows_per_quantum))
    }

    #[inline]
    fn bucket(&self, (column, row): (u32, u32)) -> u32 {
        self.first + self.offset((column, row))
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

    #[inline]
    pub(super) fn offset_of(&self, bucket: u32) -> u32 {
        bucket - self.first
    }

    /// Columns and rows each way in which units of this level may touch a body. Quanta.
    pub(super) fn reach(&self, radius: f32) -> (u32, i32) {
        let reach = f64::from(radius) + f64::from(self.widest * QUANTA);
        let cells = |per_quantum: f64| (reach * per_quantum).ceil();
        (cells(self.columns_per_quantum) as u32, cells(self.rows_per_quantum) as i32)
    }
}

/// Whether a unit pushes and is pushed: who stands or walks. Whether it is held is not asked, because
/// that is no part of the state.
#[inline]
fn takes_part(units: &Units, slot: usize) -> bool {
    units.live[slot] && units.motions[slot] == Motion::Walking
}
