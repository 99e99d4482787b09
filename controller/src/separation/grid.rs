//! Finds the units near each other: buckets, one for each cell of a uniform grid.
//!
//! ```text
//!   columns →  the widest diameter             A row of buckets holds the units of neighbouring
//!   ┌──┬──┬──┬──┬──┐  row − 1                  columns one after the other: units near one are in
//!   ├──┼──┼──┼──┼──┤  row      one diameter    three runs. The plane is rolled up onto as many
//!   ├──┼──┼──┼──┼──┤  row + 1                  buckets as there are units, more or less: what else
//!   └──┴──┴──┴──┴──┘                           gets into a run is too far away, and has no effect.
//! ```
//!
//! Positions are whole numbers of quanta from the centre of the first unit's sector. Differences are
//! exact, and the same across borders and anywhere in the world. Bodies of very different width
//! would need buckets as large as the widest, so they lie on *levels*, each with its own grid. On a
//! level the widest body has at most four times the width of the narrowest.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;

use super::columns::{Census, KEY_BITS, REGIONS_MAX, Row};
use crate::units::body::Body;
use crate::units::columns::Units;
use crate::units::unit::Motion;

/// Quanta in a metre: 0.24 mm is finer than any visible difference, and units 500 km apart still
/// fit 32 bits.
pub(super) const QUANTA: f32 = 4096.0;

/// The factor by which a bucket exceeds its least size, so that rounding never puts two touching units
/// too far apart. An excess below 2⁻⁴⁰ would be lost to rounding at the far end of the world.
const BUCKET_SLACK: f64 = 1.0 + 1.0 / 1_048_576.0;

/// Adding it to an `f64` below 2⁵¹ leaves the nearest whole number in the low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Greatest radii of the levels: 2⁻⁵ m, and four times more each. Metres.
pub(super) const LEVEL_RADII: [f32; 7] = [0.03125, 0.125, 0.5, 2.0, 8.0, 32.0, 128.0];

/// A grid for bodies of similar width.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    /// Greatest radius of its bodies. Metres.
    pub(super) widest: f32,
    /// The index of its first bucket among all, and the number of its buckets: a power of two, less 1.
    pub(super) first: u32,
    pub(super) mask: u32,
    /// Buckets from one row to the next.
    pub(super) stride: u32,
    pub(super) cells_per_quantum: f64,
    /// The range of its units in the columns.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// The parts of a body that separation needs.
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

/// The origin from which quanta are counted, and the number of quanta along a sector.
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

/// What is computed before the units are visited.
#[derive(Debug, Default)]
pub(super) struct Plan {
    shapes: Vec<Shape>,
    /// The radius, in quanta, and the height of all units, if bodies do not differ in them.
    pub(super) alike: Option<(f32, f32)>,
    pub(super) levels: Vec<Level>,
    pub(super) frame: Frame,
}

impl Plan {
    /// Lists bodies, and assigns each level its buckets: as many as units, or more. Returns the number of all
    /// buckets.
    pub(super) fn lay_out(&mut self, units: &Units) -> usize {
        let first = (0..units.slots()).find(|&slot| takes_part(units, slot));
        let origin = first.map_or_else(SectorCoord::default, |slot| units.sectors[slot]);
        self.frame = Frame { origin, side: (units.size.metres() * QUANTA) as i64 };
        self.list_shapes(&units.bodies);
        let counts = self.count_levels(units);
        let mut first = 0_u32;
        for (level, &count) in self.levels.iter_mut().zip(&counts) {
            if count == 0 {
                level.widest = 0.0; // no unit has to look here
                continue;
            }
            let buckets = count.min(BUCKETS_MAX as usize).next_power_of_two() as u32;
            let buckets = buckets.clamp(BUCKETS_MIN, BUCKETS_MAX);
            let cell = f64::from(2.0 * level.widest * QUANTA) * BUCKET_SLACK;
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
            *widest = greater(radius, *widest);
            let (radius, height) = (radius * QUANTA, body.height());
            self.shapes.push(Shape { radius, height, level: level as u8 });
        }
        let shape = |shape: &Shape| (shape.radius, shape.height);
        let first = self.shapes.first().map(shape);
        self.alike = first.filter(|first| self.shapes.iter().all(|other| shape(other) == *first));
    }

    /// How many units each level holds; the number of slots where there is only one level.
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

    /// The parts of a unit's body that separation needs.
    #[inline]
    pub(super) fn shape(&self, units: &Units, slot: usize) -> Shape {
        self.shapes[units.body_ids[slot].index()]
    }

    /// A unit's bucket, if it takes part.
    #[inline]
    pub(super) fn bucket(&self, units: &Units, slot: usize, census: &mut Census) -> Option<u32> {
        if !takes_part(units, slot) {
            return None;
        }
        let spot = self.frame.spot(units.sectors[slot], units.locals[slot]);
        census.count += 1;
        census.farthest |= spot.x.unsigned_abs() | spot.z.unsigned_abs();
        let level = &self.levels[usize::from(self.shape(units, slot).level)];
        Some(level.first + level.offset(level.cell(spot)))
    }

    /// A unit as a row to sort.
    #[inline]
    pub(super) fn row(&self, units: &Units, slot: usize, key: u32) -> Row {
        let spot = self.frame.spot(units.sectors[slot], units.locals[slot]);
        let feet = units.locals[slot].y;
        Row { x: spot.x as i32, z: spot.z as i32, feet, key }
    }
}

/// Fewest buckets of a level: neighbouring rows then never overlap, up to seven rows of as many
/// columns.
pub(super) const BUCKETS_MIN: u32 = 256;

/// Most buckets of a level: the bits of 32 left by regions and slots of a stretch distinguish the
/// buckets of all levels. With eight times as many units, runs are no longer than in a dense crowd.
const BUCKETS_MAX: u32 = 1 << 25;
const _: () = assert!(LEVEL_RADII.len() * BUCKETS_MAX as usize <= REGIONS_MAX << KEY_BITS);

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

    /// The bucket in the same column, `rows` rows further on; counted from the level's first.
    #[inline]
    pub(super) fn in_row(&self, offset: u32, rows: i32) -> u32 {
        offset.wrapping_add((rows as u32).wrapping_mul(self.stride)) & self.mask
    }

    /// Cells in each direction in which units of this level may touch a body with a radius in quanta.
    #[inline]
    pub(super) fn cells_within(&self, radius: f32) -> u32 {
        let radii = f64::from(radius) + f64::from(self.widest * QUANTA);
        (radii * self.cells_per_quantum).ceil() as u32
    }
}

/// Whether a unit pushes and is pushed: it stands or walks. Whether it is held is ignored, because
/// that is not part of the state.
#[inline]
pub(super) fn takes_part(units: &Units, slot: usize) -> bool {
    units.live[slot] && units.motions[slot] == Motion::Walking
}
