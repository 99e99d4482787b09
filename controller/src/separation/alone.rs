//! The push on one unit, from the units around it, sixteen of them at a time: for units whose pairs cannot be
//! found in blocks, and wherever 32 bits do not tell places apart.

use marchland_terrain::kernel::lanes::{F32x16, I32x16, Kernel, LANES, Lanes, Mask, each};
use marchland_terrain::math::{greater, lesser};

use super::columns::RUN_MAX;
use super::grid::{LEVEL_RADII, QUANTA, Spot};
use super::pair::{Pairs16, Shape16, Units16, WIDER_MAX, contributions, limited, sixteenths};
use super::sorted::SortedUnits;
use super::strength::{Strength, way_apart};
use crate::units::columns::Units;

/// Added to the count of touching units for each one at exactly the same place, including itself.
const SAME_PLACE: i32 = 1 << 16;

/// Finds the push on the unit at a place in the columns. Metres per second along X and Z.
#[derive(Clone, Copy)]
pub(super) struct SinglePush<'a> {
    pub(super) units: &'a Units,
    pub(super) sorted: &'a SortedUnits,
    pub(super) strength: &'a Strength,
    pub(super) at: usize,
}

/// The unit whose push is found.
#[derive(Clone, Copy)]
struct Subject {
    at: usize,
    slot: u32,
    spot: Spot,
    radius: f32,
}

/// Contributions added up, in lanes. Sixteenths of quanta.
struct Sums<L: Lanes> {
    x: I32x16<L>,
    z: I32x16<L>,
    /// Units that touch, and [`SAME_PLACE`] for each at the same place.
    met: I32x16<L>,
}

/// Most stretches around a unit: two in each of three rows, and in each of seven rows of every other level,
/// since nobody there is less than a quarter as wide as the unit.
const RUNS_MAX: usize = 2 * (3 + 7 * (LEVEL_RADII.len() - 1));
const _: () = assert!(WIDER_MAX == 4.0);

/// Stretches of the columns: where each begins and ends.
struct RunList {
    runs: [(usize, usize); RUNS_MAX],
    count: usize,
}

impl RunList {
    fn push(&mut self, (begin, end): (usize, usize)) {
        if begin < end {
            self.runs[self.count] = (begin, end);
            self.count += 1;
        }
    }

    fn list(&self) -> &[(usize, usize)] {
        &self.runs[..self.count]
    }
}

impl Kernel for SinglePush<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f32; 2] {
        let Self { sorted, strength, .. } = self;
        let subject = self.subject();
        let zero = I32x16::splat(lanes, 0);
        let mut sums = Sums { x: zero, z: zero, met: zero };
        let runs = self.runs(&subject);
        for &(begin, end) in runs.list() {
            if sorted.plan.alike.is_some() {
                self.add_run::<L, true>(lanes, &subject, begin, end, &mut sums);
            } else {
                self.add_run::<L, false>(lanes, &subject, begin, end, &mut sums);
            }
        }
        let [mut x, mut z, met] = each!([sums.x, sums.z, sums.met], |of| {
            of.array().into_iter().fold(0_i32, i32::wrapping_add)
        });
        if met == SAME_PLACE + 1 {
            return [0.0, 0.0]; // only itself
        }
        if met >= 2 * SAME_PLACE {
            let [more_x, more_z] = self.part_ways(lanes, &subject, &runs);
            (x, z) = (x.wrapping_add(more_x), z.wrapping_add(more_z));
        }
        let [x, z, met] = each!([x, z, met % SAME_PLACE - 1], |one| I32x16::splat(lanes, one));
        let [x, z] = limited(lanes, strength, [x, z], met);
        [x.array()[0], z.array()[0]]
    }
}

impl SinglePush<'_> {
    fn subject(&self) -> Subject {
        let (sorted, at) = (self.sorted, self.at);
        let slot = sorted.slots[at];
        let spot = if sorted.is_far {
            sorted.spot(self.units, slot as usize)
        } else {
            Spot { x: i64::from(sorted.xs[at]), z: i64::from(sorted.zs[at]) }
        };
        Subject { at, slot, spot, radius: sorted.shape(at).1 }
    }

    /// The stretches of the columns in which units may touch a unit.
    fn runs(&self, subject: &Subject) -> RunList {
        let sorted = self.sorted;
        let home = sorted.plan.levels.iter().position(|level| self.at < level.end).unwrap_or(0);
        let mut list = RunList { runs: [(0, 0); RUNS_MAX], count: 0 };
        let level = &sorted.plan.levels[home];
        let offset = level.offset(level.cell(subject.spot));
        for rows in -1..=1 {
            for (begin, end) in sorted.run(level, level.in_row(offset, rows), 1) {
                list.push(shortened(begin, end, subject.at, subject.slot));
            }
        }
        for other in (0..LEVEL_RADII.len()).filter(|other| *other != home) {
            let level = &sorted.plan.levels[other];
            if level.widest * QUANTA * WIDER_MAX < subject.radius || level.widest == 0.0 {
                continue;
            }
            let (cells, middle) =
                (level.cells_within(subject.radius), level.offset(level.cell(subject.spot)));
            for row in -(cells as i32)..=cells as i32 {
                for (begin, end) in sorted.run(level, level.in_row(middle, row), cells) {
                    list.push(shortened(begin, end, begin, subject.slot));
                }
            }
        }
        list
    }

    /// Adds the contributions of a stretch of units. Columns have spare entries, so that the last lanes can be
    /// read too.
    #[inline(always)]
    fn add_run<L: Lanes, const ALIKE: bool>(
        &self,
        lanes: L,
        subject: &Subject,
        begin: usize,
        end: usize,
        sums: &mut Sums<L>,
    ) {
        let shape = Shape16::shared(lanes, self.sorted);
        let one = self.splat(lanes, subject.at);
        for at in (begin..end).step_by(LANES) {
            let other = Units16::load::<ALIKE>(lanes, self.sorted, &shape, at);
            let pair = Pairs16::new::<false>(lanes, &one, &other);
            let is_in = I32x16::splat(lanes, (end - at) as i32).gt(I32x16::order(lanes));
            let touch = self.near(lanes, subject, at, pair.touch & is_in);
            let [x, z] = contributions(lanes, [pair.dx, pair.dz], pair.radii, pair.radius);
            let is_apart = pair.squared.gt(F32x16::splat(lanes, 0.0));
            let met =
                is_apart.select_int(I32x16::splat(lanes, 1), I32x16::splat(lanes, 1 + SAME_PLACE));
            sums.x = sums.x + x.only(touch);
            sums.z = sums.z + z.only(touch);
            sums.met = sums.met + met.only(touch);
        }
    }

    /// The unit of a place in every lane.
    #[inline(always)]
    fn splat<L: Lanes>(&self, lanes: L, at: usize) -> Units16<L> {
        let (sorted, (top, radius)) = (self.sorted, self.sorted.shape(at));
        Units16 {
            x: I32x16::splat(lanes, sorted.xs[at]),
            z: I32x16::splat(lanes, sorted.zs[at]),
            feet: F32x16::splat(lanes, sorted.feet[at]),
            top: F32x16::splat(lanes, top),
            radius: F32x16::splat(lanes, radius),
        }
    }

    /// The lanes of a mask whose units are in sectors near that of the subject: 32 bits of quanta wrap around
    /// after 1000 km.
    #[inline(always)]
    fn near<L: Lanes>(&self, lanes: L, subject: &Subject, at: usize, mask: Mask<L>) -> Mask<L> {
        if !self.sorted.is_far || !mask.any() {
            return mask;
        }
        let mut near = 0;
        for lane in (0..LANES).filter(|lane| mask.bits() >> lane & 1 == 1) {
            near |= u16::from(self.is_near(subject.slot, self.sorted.slots[at + lane])) << lane;
        }
        Mask::of_bits(lanes, near)
    }

    fn is_near(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|slot| self.units.sectors[slot as usize]);
        // Touching bodies are at most 128 m from each other, sectors 8 m wide or more.
        one.x.abs_diff(other.x) <= 17 && one.z.abs_diff(other.z) <= 17
    }

    /// The push between units at exactly the same place: each pair moves in directions that their
    /// slots determine.
    #[inline(always)]
    fn part_ways<L: Lanes>(&self, lanes: L, subject: &Subject, runs: &RunList) -> [i32; 2] {
        let (sorted, at) = (self.sorted, subject.at);
        let ((top, _), feet) = (sorted.shape(at), sorted.feet[at]);
        let (mut x, mut z) = (0_i32, 0_i32);
        for &(begin, end) in runs.list() {
            for other in begin..end {
                let slot = sorted.slots[other];
                let (other_top, radius) = sorted.shape(other);
                let touches = sorted.xs[other] == sorted.xs[at]
                    && sorted.zs[other] == sorted.zs[at]
                    && feet < other_top
                    && sorted.feet[other] < top
                    && subject.radius <= radius * WIDER_MAX
                    && slot != subject.slot
                    && (!sorted.is_far || self.is_near(subject.slot, slot));
                if touches {
                    let [way_x, way_z] = way_apart(subject.slot, slot);
                    let [way_x, way_z] = each!([way_x, way_z], |way| {
                        sixteenths(lanes, F32x16::splat(lanes, way * radius)).first()
                    });
                    (x, z) = (x.wrapping_add(way_x), z.wrapping_add(way_z));
                }
            }
        }
        [x, z]
    }
}

/// Limits the length of a stretch. Of a longer one, returns a part that holds `at` if the whole does,
/// otherwise a part chosen by the slot.
#[inline]
fn shortened(begin: usize, end: usize, at: usize, slot: u32) -> (usize, usize) {
    if end - begin <= RUN_MAX {
        return (begin, end);
    }
    let last = end - RUN_MAX;
    let start = if begin <= at && at < end {
        at.saturating_sub(RUN_MAX / 2)
    } else {
        begin + slot as usize % (end - begin)
    };
    let start = lesser(greater(begin, start), last);
    (start, start + RUN_MAX)
}
