//! The stretches of the columns that hold the units which may touch others: for sixteen units at a time.

use bytemuck::cast_slice;
use marchland_terrain::kernel::lanes::{I32x16, LANES, Lanes, Mask, Window, each};

use super::columns::RUN_MAX;
use super::grid::Level;
use super::sorted::SortedUnits;

/// Units whose sum is not found here, a bit for each lane of a block: units at exactly the same place as
/// another, in a heap, or at an end of the buckets.
pub(super) type LaneMask = u16;

/// Stretches of the columns, one in each lane.
#[derive(Clone, Copy)]
pub(super) struct Runs<L: Lanes> {
    pub(super) begin: I32x16<L>,
    pub(super) len: I32x16<L>,
}

impl<L: Lanes> Runs<L> {
    /// The same in the lanes of a mask, empty ones in the others.
    #[inline(always)]
    pub(super) fn only(self, mask: Mask<L>) -> Self {
        Self { len: self.len.only(mask), ..self }
    }

    /// Lanes of runs that are too long.
    #[inline(always)]
    fn are_long(&self, lanes: L) -> Mask<L> {
        self.len.gt(I32x16::splat(lanes, RUN_MAX as i32))
    }
}

/// A level, and where each of its buckets begins; the last entry is where the last bucket ends.
#[derive(Clone, Copy)]
pub(super) struct Buckets<'a, L: Lanes> {
    lanes: L,
    mask: I32x16<L>,
    stride: I32x16<L>,
    scale: [f64; LANES],
    ends: &'a [i32],
}

impl<'a, L: Lanes> Buckets<'a, L> {
    #[inline(always)]
    pub(super) fn new(lanes: L, sorted: &'a SortedUnits, level: &Level) -> Self {
        let ends = &sorted.ends[level.first as usize..(level.first + level.mask) as usize + 2];
        Self {
            lanes,
            mask: I32x16::splat(lanes, level.mask as i32),
            stride: I32x16::splat(lanes, level.stride as i32),
            scale: [level.cells_per_quantum; LANES],
            ends: cast_slice(ends),
        }
    }

    /// The buckets of places, not yet rolled up.
    #[inline(always)]
    pub(super) fn homes(&self, x: I32x16<L>, z: I32x16<L>) -> I32x16<L> {
        z.scaled(&self.scale) * self.stride + x.scaled(&self.scale)
    }

    /// The runs around buckets in the lanes of a mask, and lanes of buckets at an end, which have none.
    #[inline(always)]
    fn around(&self, row: I32x16<L>, lanes: Mask<L>) -> (Runs<L>, Mask<L>) {
        let middle = row & self.mask;
        let is_edge = middle.equals(self.mask) | middle.is_zero();
        let near = if is_edge.any() { None } else { self.near(middle) };
        let run = match near {
            Some(run) => run,
            None => self.far(middle, lanes & !is_edge),
        };
        (run, is_edge)
    }

    /// The runs of `cells` buckets to both sides of others, which are not rolled up yet, and a mask of the
    /// lanes whose runs cannot be found here. Runs are empty in unrequested lanes.
    #[inline(always)]
    pub(super) fn row(
        &self,
        row: I32x16<L>,
        cells: I32x16<L>,
        asked: Mask<L>,
    ) -> (Runs<L>, LaneMask) {
        let middle = row & self.mask;
        let (low, high) = (middle - cells, middle + cells);
        let is_inside = !(low.is_negative() | high.gt(self.mask) | low.gt(high));
        let read = asked & is_inside;
        let begin = low.gather(self.ends, read);
        let end = (high + I32x16::splat(self.lanes, 1)).gather(self.ends, read);
        let runs = Runs { begin, len: end - begin };
        let is_long = runs.are_long(self.lanes);
        (runs.only(!is_long), (asked & (!is_inside | is_long)).bits())
    }

    /// Runs around buckets near each other, as for consecutive units: their ends lie within two registers, or
    /// four. `None` if they do not.
    #[inline(always)]
    fn near(&self, middle: I32x16<L>) -> Option<Runs<L>> {
        const WIDTH: usize = 4 * LANES;
        let first = middle.first();
        let ends = self.ends.get((first as usize).wrapping_sub(1)..)?.get(..WIDTH)?;
        let splat = |value| I32x16::splat(self.lanes, value);
        let from = middle - splat(first);
        if !from.le_unsigned(splat(WIDTH as i32 - 4)).all() {
            return None;
        }
        let after = from + splat(3);
        let low = Window::load_at(self.lanes, ends, 0);
        let is_low = !after.gt(splat(2 * LANES as i32 - 1));
        let (begin, end) = if is_low.all() {
            (low.look_up(from), low.look_up(after))
        } else {
            let high = Window::load_at(self.lanes, ends, 2 * LANES);
            (low.look_up_64(high, from), low.look_up_64(high, after))
        };
        Some(Runs { begin, len: end - begin })
    }

    /// Runs around any buckets except the first and the last one, in the lanes of a mask; empty in the others.
    #[inline(always)]
    fn far(&self, middle: I32x16<L>, lanes: Mask<L>) -> Runs<L> {
        let one = I32x16::splat(self.lanes, 1);
        let begin = (middle - one).gather(self.ends, lanes);
        let end = (middle + one + one).gather(self.ends, lanes);
        Runs { begin, len: end - begin }
    }
}

/// The runs of sixteen units from `at` on in three rows, and a mask of the lanes that have none here:
/// runs that wrap around to the first bucket, and runs that are too long.
#[inline(always)]
pub(super) fn runs_of<L: Lanes>(
    lanes: L,
    sorted: &SortedUnits,
    level: &Level,
    at: usize,
) -> ([Runs<L>; 3], LaneMask) {
    let buckets = Buckets::new(lanes, sorted, level);
    let [x, z] = each!([&sorted.xs, &sorted.zs], |column| I32x16::load_at(lanes, column, at));
    let home = buckets.homes(x, z);
    let all = Mask::of_bits(lanes, u16::MAX);
    let rows = [home - buckets.stride, home, home + buckets.stride];
    let [a, b, c] = each!([rows[0], rows[1], rows[2]], |row| buckets.around(row, all));
    let [west, own, east] = each!([a, b, c], |(run, is_edge)| is_edge | run.are_long(lanes));
    let left = west | own | east;
    (each!([a, b, c], |(run, _)| run.only(!left)), left.bits())
}

/// For sixteen units from `at` on: how many units that may touch it follow each one in its row, and its run
/// in the next row. Empty in unrequested lanes, and where a run continues at the first bucket or is too long.
#[inline(always)]
pub(super) fn runs_ahead<L: Lanes>(
    lanes: L,
    sorted: &SortedUnits,
    level: &Level,
    at: usize,
    asked: Mask<L>,
) -> (I32x16<L>, Runs<L>) {
    let buckets = Buckets::new(lanes, sorted, level);
    let [x, z] = each!([&sorted.xs, &sorted.zs], |column| I32x16::load_at(lanes, column, at));
    let home = buckets.homes(x, z);
    let [own, next] = each!([home, home + buckets.stride], |row| {
        let (run, _) = buckets.around(row, asked);
        run.only(asked & !run.are_long(lanes))
    });
    let places = I32x16::order(lanes) + I32x16::splat(lanes, at as i32 + 1);
    let follow = own.begin + own.len - places;
    (follow.only(!own.len.is_zero()), next)
}
