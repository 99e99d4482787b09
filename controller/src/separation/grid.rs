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

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

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

/// Where quanta are counted from, and how many there are along a sector.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    origin: SectorCoord,
    side: i64,
}

impl Frame {
    #[inline]
    fn spot(self, sector: SectorCoord, local: Vec3) -> Spot {
        let x = (i64::from(sector.x) - i64::from(self.origin.x)) * self.side;
        let z = (i64::from(sector.z) - i64::from(self.origin.z)) * self.side;
        // At most half of 16 384 m: 2²⁵ quanta.
        let quanta = |metres: f32| i64::from((metres * QUANTA) as i32);
        Spot { x: x + quanta(local.x), z: z + quanta(local.z) }
    }
}

/// A unit as it is sorted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    x: i32,
    z: i32,
    feet: f32,
    top: f32,
    radius: f32,
    pub(super) slot: u32,
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
    /// The same and more, a unit beside the other.
    pub(super) rows: Vec<Row>,
    /// By slot: the bucket, then the place in the columns; [`NOBODY`] for who takes no part.
    pub(super) places: Vec<u32>,
    /// Where the bucket before ends, by bucket: and, with one more, where it ends itself.
    pub(super) ends: Vec<u32>,
    shapes: Vec<Shape>,
    pub(super) levels: Vec<Level>,
    frame: Frame,
    /// Whether units may be so far apart that 32 bits do not tell them apart.
    pub(super) is_far: bool,
    count: usize,
}

impl Sorted {
    /// How many units take part.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The radius, in quanta, and the height of all units, if bodies do not differ in them.
    pub(super) fn alike(&self) -> Option<(f32, f32)> {
        let first = self.shapes.first()?;
        let shape = (first.radius, first.height);
        self.shapes.iter().all(|other| (other.radius, other.height) == shape).then_some(shape)
    }

    /// Sorts all units that walk.
    pub(super) fn sort(&mut self, units: &Units) {
        let first = (0..units.slots()).find(|&slot| takes_part(units, slot));
        let origin = first.map_or_else(SectorCoord::default, |slot| units.sectors[slot]);
        self.frame = Frame { origin, side: (units.size.metres() * QUANTA) as i64 };
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

    /// Gives each level its buckets: as many as units, or more.
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
        // Room for whatever the same slots may need later: a power of two for each level.
        self.ends.clear();
        self.ends.reserve(2 * slots + BUCKETS_MIN as usize * LEVEL_RADII.len() + 1);
        self.ends.resize(first as usize + 1, 0);
    }

    /// Finds each unit's bucket, and counts.
    fn find_buckets(&mut self, units: &Units) {
        self.places.clear();
        self.places.resize(units.slots(), NOBODY);
        let (mut count, mut farthest) = (0, 0);
        let frame = self.frame;
        let (shapes, levels) = (&self.shapes[..], &self.levels[..]);
        let places = self.places.iter_mut().zip(units.live.iter().zip(&units.motions));
        let spots = units.sectors.iter().zip(&units.locals).zip(&units.body_ids);
        for ((place, (live, motion)), ((sector, local), body)) in places.zip(spots) {
            if !*live || *motion != Motion::Walking {
                continue;
            }
            let spot = frame.spot(*sector, *local);
            farthest |= spot.x.unsigned_abs() | spot.z.unsigned_abs();
            let level = &levels[usize::from(shapes[body.index()].level)];
            let bucket = level.first + level.offset(level.cell(spot));
            *place = bucket;
            count += 1;
        }
        // A loop of nothing else, as those below: so many of these far looks are under way at a time.
        let ends = &mut self.ends[1..];
        for bucket in self.places.iter().filter(|bucket| **bucket != NOBODY) {
            ends[*bucket as usize] += 1;
        }
        self.count = count;
        // Two of them are up to twice as far from each other, and the pair loop looks at differences.
        self.is_far = farthest >> 30 != 0;
    }

    /// Puts the units in order, then into columns: so each unit is written to one place in memory that
    /// is far from the last, not to seven.
    fn fill(&mut self, units: &Units) {
        let mut sum = 0;
        for end in &mut self.ends[1..] {
            let count = *end;
            *end = sum;
            sum += count;
        }
        self.rows.resize(units.slots(), Row::default());
        let ends = &mut self.ends[1..];
        for place in self.places.iter_mut().filter(|place| **place != NOBODY) {
            let end = &mut ends[*place as usize];
            *place = *end;
            *end += 1;
        }
        let (frame, shapes, rows) = (self.frame, &self.shapes[..], &mut self.rows[..]);
        let spots = units.sectors.iter().zip(&units.locals).zip(&units.body_ids);
        for ((slot, place), ((sector, local), body)) in (0_u32..).zip(&self.places).zip(spots) {
            let Some(row) = rows.get_mut(*place as usize) else { continue };
            let (spot, shape) = (frame.spot(*sector, *local), &shapes[body.index()]);
            let (feet, top, radius) = (local.y, local.y + shape.height, shape.radius);
            let (x, z) = (spot.x as i32, spot.z as i32);
            *row = Row { x, z, feet, top, radius, slot };
        }
        self.split(units.slots() + SPARE);
        for level in &mut self.levels {
            if level.widest > 0.0 {
                level.begin = self.ends[level.first as usize] as usize;
                level.end = self.ends[(level.first + level.mask + 1) as usize] as usize;
            }
        }
    }

    /// Writes the rows as columns, with some spare entries.
    fn split(&mut self, len: usize) {
        self.xs.resize(len, 0);
        self.zs.resize(len, 0);
        self.feet.resize(len, 0.0);
        self.tops.resize(len, 0.0);
        self.radii.resize(len, 0.0);
        let ints = self.xs.iter_mut().zip(&mut self.zs);
        let floats = self.feet.iter_mut().zip(&mut self.tops).zip(&mut self.radii);
        let columns = ints.zip(floats);
        for (row, ((x, z), ((feet, top), radius))) in self.rows[..self.count].iter().zip(columns) {
            (*x, *z, *feet, *top, *radius) = (row.x, row.z, row.feet, row.top, row.radius);
        }
    }

    /// Where a unit is.
    pub(super) fn spot(&self, units: &Units, slot: usize) -> Spot {
        self.frame.spot(units.sectors[slot], units.locals[slot])
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
fn takes_part(units: &Units, slot: usize) -> bool {
    units.live[slot] && units.motions[slot] == Motion::Walking
}
