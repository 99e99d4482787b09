//! Finds the units of other levels that touch units, for sixteen at a time. Units whose run wraps around to
//! the first bucket, and units with long runs, are left to be handled alone.

use marchland_terrain::kernel::lanes::{F32x16, I32x16, Kernel, LANES, Lanes, Mask};

use super::columns::RUN_MAX;
use super::grid::{Level, QUANTA};
use super::pair::{Shape16, Units16, WIDER_MAX};
use super::pair_list::{NEAR, Neighbours, PairList, STEPS_MAX, look_far};
use super::runs::{Buckets, LaneMask, Runs};
use super::sorted::SortedUnits;

/// Parts of a row whose units are read together; units of further parts are looked up one by one.
const PARTS_MAX: usize = 3;

/// Finds the pairs of sixteen units of the level `home`, from a place on, with those of other levels. Returns
/// the squared distances of the nearest ones, where they are less than before, and a mask of the lanes whose
/// pairs cannot be found here.
pub(super) struct ForeignPairSearch<'a> {
    pub(super) sorted: &'a SortedUnits,
    pub(super) home: usize,
    pub(super) at: usize,
    pub(super) nearest: [f32; LANES],
    pub(super) found: &'a mut PairList,
}

impl Kernel for ForeignPairSearch<'_> {
    type Output = ([f32; LANES], LaneMask);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ([f32; LANES], LaneMask) {
        let Self { sorted, home, at, nearest, found } = self;
        let shape = Shape16::shared(lanes, sorted);
        let ones = Units16::load::<false>(lanes, sorted, &shape, at);
        let radii = ones.radius.array();
        let mut nearest = F32x16::load(lanes, &nearest);
        let (mut left, started) = (0, found.last_end());
        for (_, level) in sorted.plan.levels.iter().enumerate().filter(|(index, _)| *index != home)
        {
            let cells = radii.map(|radius| cells_of(level, radius));
            let most = cells.into_iter().fold(-1, i32::max);
            if most < 0 {
                continue;
            }
            let cells = I32x16::load(lanes, &cells);
            let buckets = Buckets::new(lanes, sorted, level);
            let middle = buckets.homes(ones.x, ones.z);
            for row in -most..=most {
                let is_far = I32x16::splat(lanes, row.abs()).gt(cells);
                let asked = !is_far & Mask::of_bits(lanes, !left);
                let further = I32x16::splat(lanes, row.wrapping_mul(level.stride as i32));
                let (runs, out) = buckets.row(middle + further, cells, asked);
                left |= out;
                let mut rest = (!runs.len.is_zero()).bits();
                let mut part = 0;
                while rest != 0 {
                    if found.steps + RUN_MAX > started + STEPS_MAX {
                        return (nearest.array(), u16::MAX); // no room: each is handled alone
                    }
                    let done = if part < PARTS_MAX { near_first(lanes, runs, rest) } else { None };
                    let nobody = I32x16::splat(lanes, -1);
                    let (base, these) = done.unwrap_or((0, rest));
                    let runs = runs.only(Mask::of_bits(lanes, these));
                    nearest = if done.is_some() {
                        let near = Neighbours::new::<false>(lanes, sorted, base as usize);
                        let begin = runs.begin - I32x16::splat(lanes, base);
                        let look = |at, _| near.look::<false>(&shape, at);
                        let runs = Runs { begin, ..runs };
                        found.add_row::<L, false>(lanes, &ones, runs, nobody, nearest, look)
                    } else {
                        let look = |at, lanes| look_far::<L, false>(sorted, &shape, at, lanes);
                        found.add_row::<L, false>(lanes, &ones, runs, nobody, nearest, look)
                    };
                    rest &= !these;
                    part += 1;
                }
            }
        }
        (nearest.array(), left)
    }
}

/// Cells in each direction in which units of a level may touch a unit; -1 if none of them does.
#[inline]
fn cells_of(level: &Level, radius: f32) -> i32 {
    if level.widest == 0.0 || level.widest * QUANTA * WIDER_MAX < radius {
        -1
    } else {
        level.cells_within(radius) as i32
    }
}

/// Where the first of some runs begins, and the lanes whose runs lie near it.
#[inline(always)]
fn near_first<L: Lanes>(lanes: L, runs: Runs<L>, asked: LaneMask) -> Option<(i32, LaneMask)> {
    let begins = runs.begin.array();
    let asked_lanes = (0..LANES).filter(|lane| asked >> lane & 1 == 1);
    let base = asked_lanes.map(|lane| begins[lane]).min()?;
    let end = runs.begin - I32x16::splat(lanes, base) + runs.len;
    // No run is longer than `NEAR`, so the lane of the first run is among these.
    let near = end.le_unsigned(I32x16::splat(lanes, NEAR as i32));
    Some((base, asked & near.bits()))
}
