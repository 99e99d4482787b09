//! Pairs that touch, found for sixteen units at a time and packed into a list; weighed and added up when the
//! list is full.

use bytemuck::{Zeroable, cast_slice};
use marchland_terrain::kernel::lanes::{F32x16, I32x16, LANES, Lanes, Mask, Window};

use super::columns::{RUN_MAX, SPARE};
use super::pair::{Pairs16, Shape16, Units16, contributions, limited};
use super::runs::{LaneMask, Runs};
use super::sorted::SortedUnits;
use super::strength::Strength;

/// Number of pairs at which they are weighed.
pub(super) const FULL: usize = 256;

/// Most pairs of a block, and room for a register beyond the last.
const CAPACITY: usize = FULL + LANES * STEPS_MAX + LANES;

/// Most steps of a block: three rows.
pub(super) const STEPS_MAX: usize = 3 * RUN_MAX;

/// Most blocks whose pairs are weighed together.
pub(super) const BLOCKS_MAX: usize = 16;

/// Pairs that touch, one after another, and the blocks that they belong to.
#[derive(Zeroable)]
pub(super) struct PairList {
    /// The bits of the way from the other unit to the one, in quanta. Once weighed, what the pair
    /// contributes, in sixteenths.
    dx: [i32; CAPACITY],
    dz: [i32; CAPACITY],
    /// Only where radii differ: the bits of their sum, and of the radius of the other unit. Quanta.
    radii: [i32; CAPACITY],
    radius: [i32; CAPACITY],
    pub(super) pairs: usize,
    /// Lanes that touch another unit in a step.
    touches: [u16; STEPS_MAX * BLOCKS_MAX],
    pub(super) steps: usize,
    /// Where the steps of each block end, and the lanes that were left out.
    pub(super) ends: [(usize, LaneMask); BLOCKS_MAX],
    pub(super) blocks: usize,
}

impl PairList {
    /// Where the steps of the last finished block end.
    #[inline(always)]
    pub(super) fn last_end(&self) -> usize {
        self.blocks.checked_sub(1).map_or(0, |last| self.ends[last].0)
    }

    /// Ends a block.
    #[inline(always)]
    pub(super) fn end(&mut self, left: LaneMask) {
        self.ends[self.blocks] = (self.steps, left);
        self.blocks += 1;
    }

    /// Empties the list.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.pairs, self.steps, self.blocks) = (0, 0, 0);
    }

    /// Packs the units of the run in each lane that touch the unit of that lane. Returns the squared distances
    /// of the nearest ones, where they are less than before.
    #[inline(always)]
    pub(super) fn add_row<L: Lanes, const ALIKE: bool>(
        &mut self,
        lanes: L,
        ones: &Units16<L>,
        runs: Runs<L>,
        itself: I32x16<L>,
        mut nearest: F32x16<L>,
        look: impl Fn(I32x16<L>, Mask<L>) -> Units16<L>,
    ) -> F32x16<L> {
        let (mut at, end) = (runs.begin, runs.begin + runs.len);
        let (mut pairs, mut step) = (self.pairs, self.steps);
        loop {
            let is_in = end.gt(at);
            if !is_in.any() {
                (self.pairs, self.steps) = (pairs, step);
                return nearest;
            }
            let pair = Pairs16::new::<ALIKE>(lanes, ones, &look(at, is_in));
            let touch = pair.touch & is_in & !at.equals(itself);
            nearest = (touch & pair.squared.lt(nearest)).select(pair.squared, nearest);
            let touch = touch.bits();
            pair.dx.bits().pack_at(touch, &mut self.dx, pairs);
            pair.dz.bits().pack_at(touch, &mut self.dz, pairs);
            if !ALIKE {
                pair.radii.bits().pack_at(touch, &mut self.radii, pairs);
                pair.radius.bits().pack_at(touch, &mut self.radius, pairs);
            }
            self.touches[step] = touch;
            step += 1;
            pairs += touch.count_ones() as usize;
            at = at + I32x16::splat(lanes, 1);
        }
    }

    /// Replaces the distances of each pair by its contribution.
    #[inline(always)]
    pub(super) fn weigh<L: Lanes, const ALIKE: bool>(&mut self, lanes: L, shape: &Shape16<L>) {
        let real = |column: &[i32], at| I32x16::load_at(lanes, column, at).of_bits();
        for at in (0..self.pairs).step_by(LANES) {
            let (radii, radius) = if ALIKE {
                (shape.radius + shape.radius, shape.radius)
            } else {
                (real(&self.radii, at), real(&self.radius, at))
            };
            let way = [real(&self.dx, at), real(&self.dz, at)];
            let [x, z] = contributions(lanes, way, radii, radius);
            x.store_at(&mut self.dx, at);
            z.store_at(&mut self.dz, at);
        }
    }

    /// Returns the contributions of pairs to the lanes of their units, and turns the sums into pushes.
    #[inline(always)]
    pub(super) fn finish<L: Lanes>(
        &self,
        lanes: L,
        strength: &Strength,
        pushes: &mut [[[f32; 2]; LANES]],
    ) {
        let zero = I32x16::splat(lanes, 0);
        let (mut pair, mut step) = (0, 0);
        for (pushes, (end, _)) in pushes.iter_mut().zip(self.ends) {
            let (mut x, mut z, mut met) = (zero, zero, zero);
            for touch in &self.touches[step..end] {
                x = x + I32x16::unpack_at(lanes, *touch, &self.dx, pair);
                z = z + I32x16::unpack_at(lanes, *touch, &self.dz, pair);
                met = met + I32x16::splat(lanes, 1).only(Mask::of_bits(lanes, *touch));
                pair += touch.count_ones() as usize;
            }
            step = end;
            store_pairs(limited(lanes, strength, [x, z], met), pushes);
        }
    }
}

/// Writes sixteen pairs.
#[inline(always)]
pub(super) fn store_pairs<L: Lanes>(parts: [F32x16<L>; 2], to: &mut [[f32; 2]; LANES]) {
    let pairs = I32x16::zip2([parts[0].bits(), parts[1].bits()]);
    for (half, pairs) in pairs.into_iter().enumerate() {
        pairs.of_bits().store_at(to.as_flattened_mut(), half * LANES);
    }
}

/// 32 consecutive units in the columns.
pub(super) struct Neighbours<L: Lanes> {
    x: Window<L>,
    z: Window<L>,
    feet: Window<L>,
    tops: Window<L>,
    radii: Window<L>,
}

/// How many units [`Near`] holds.
pub(super) const NEAR: usize = 2 * LANES;
const _: () = assert!(NEAR <= SPARE);

impl<L: Lanes> Neighbours<L> {
    #[inline(always)]
    pub(super) fn new<const ALIKE: bool>(lanes: L, sorted: &SortedUnits, base: usize) -> Self {
        let whole = |column: &[i32]| Window::load_at(lanes, column, base);
        let (x, z, feet) = (whole(&sorted.xs), whole(&sorted.zs), whole(cast_slice(&sorted.feet)));
        let (tops, radii) = if ALIKE {
            (feet, feet)
        } else {
            (whole(cast_slice(&sorted.tops)), whole(cast_slice(&sorted.radii)))
        };
        Self { x, z, feet, tops, radii }
    }

    /// The units at places counted from the first one, below [`NEAR`]; an arbitrary unit at any other place.
    #[inline(always)]
    pub(super) fn look<const ALIKE: bool>(&self, shape: &Shape16<L>, at: I32x16<L>) -> Units16<L> {
        let feet = self.feet.look_up(at).of_bits();
        let (top, radius) = if ALIKE {
            (feet + shape.height, shape.radius)
        } else {
            (self.tops.look_up(at).of_bits(), self.radii.look_up(at).of_bits())
        };
        Units16 { x: self.x.look_up(at), z: self.z.look_up(at), feet, top, radius }
    }
}

/// The units at places in the columns, for the lanes of a mask.
#[inline(always)]
pub(super) fn look_far<L: Lanes, const ALIKE: bool>(
    sorted: &SortedUnits,
    shape: &Shape16<L>,
    at: I32x16<L>,
    lanes: Mask<L>,
) -> Units16<L> {
    let part = |column: &[f32]| at.gather(cast_slice(column), lanes).of_bits();
    let feet = part(&sorted.feet);
    let (top, radius) = if ALIKE {
        (feet + shape.height, shape.radius)
    } else {
        (part(&sorted.tops), part(&sorted.radii))
    };
    let (x, z) = (at.gather(&sorted.xs, lanes), at.gather(&sorted.zs, lanes));
    Units16 { x, z, feet, top, radius }
}

/// Whether all runs lie within [`NEAR`] places of a column's, given how far from there they begin.
#[inline(always)]
pub(super) fn are_near<L: Lanes>(lanes: L, from: I32x16<L>, len: I32x16<L>) -> Mask<L> {
    let fits = |part: I32x16<L>| part.le_unsigned(I32x16::splat(lanes, NEAR as i32));
    fits(from) & fits(from + len) | len.is_zero()
}
