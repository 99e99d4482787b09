//! The buckets of sixteen units, as [`Plan::bucket`] finds that of one.

use bytemuck::cast_ref;
use marchland_terrain::kernel::lanes::{F32x16, I32x16, LANES, Lanes, Mask, Window, each};

use super::grid::{LEVEL_RADII, Plan, QUANTA};
use crate::units::columns::Units;
use crate::units::unit::Motion;

/// Which of sixteen units take part, as [`takes_part`](super::grid::takes_part).
#[inline(always)]
pub(super) fn taking_part<L: Lanes>(lanes: L, units: &Units, at: usize) -> Mask<L> {
    const { assert!(Motion::Walking as u8 == 0 && Motion::Climbing as u8 == 3) }
    let mut bits = 0;
    let live = units.live[at..at + LANES].as_chunks::<8>().0;
    let motions = units.motions[at..at + LANES].as_chunks::<8>().0;
    for ((live, motions), first) in live.iter().zip(motions).zip([0, 8]) {
        // A byte for each unit: 1 or 0.
        let live = u64::from_le_bytes(live.map(u8::from));
        let motions = u64::from_le_bytes(motions.map(|motion| motion as u8));
        let takes = live & !(motions | motions >> 1);
        // The product has the lowest bits of all bytes in its highest byte.
        bits |= (takes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << first;
    }
    Mask::of_bits(lanes, bits as u16)
}

/// The origin from which quanta are counted, and the sectors near enough for 32 bits.
pub(super) struct QuantaOrigin {
    origin: [i32; 2],
    side: i32,
    low: [i32; 2],
    high: [i32; 2],
}

impl QuantaOrigin {
    pub(super) fn new(plan: &Plan) -> Self {
        let (origin, side) = ([plan.frame.origin.x, plan.frame.origin.z], plan.frame.side as i32);
        // Places are less than 2³⁰ quanta away: up to half a sector farther than the centre of their sector.
        let most = (1 << 30) / side - 1;
        let low = origin.map(|at| at.saturating_sub(most));
        let high = origin.map(|at| at.saturating_add(most));
        Self { origin, side, low, high }
    }

    /// Whether the sectors of sixteen units are near enough.
    #[inline(always)]
    pub(super) fn is_near<L: Lanes>(&self, lanes: L, units: &Units, at: usize) -> Mask<L> {
        let sectors = sectors(lanes, units, at);
        let [x, z] = each!([0, 1], |axis| {
            let low = I32x16::splat(lanes, self.low[axis]);
            let high = I32x16::splat(lanes, self.high[axis]);
            !(low.gt(sectors[axis]) | sectors[axis].gt(high))
        });
        x & z
    }

    /// As [`Frame::spot`](super::grid::Frame::spot), for sixteen units; and the bits of their feet.
    #[inline(always)]
    pub(super) fn place<L: Lanes>(&self, lanes: L, units: &Units, at: usize) -> [I32x16<L>; 3] {
        let sectors = sectors(lanes, units, at);
        let [x, feet, z] = match units.locals[at..].first_chunk::<LANES>() {
            Some(locals) => I32x16::unzip3(lanes, cast_ref(locals)),
            None => [I32x16::splat(lanes, 0); 3],
        };
        let [x, z] = each!([(0, x), (1, z)], |(axis, local)| {
            let away = sectors[axis] - I32x16::splat(lanes, self.origin[axis]);
            let quanta = (local.of_bits() * F32x16::splat(lanes, QUANTA)).truncate();
            away * I32x16::splat(lanes, self.side) + quanta
        });
        [x, z, feet]
    }
}

/// The sectors of sixteen units, along X and along Z.
#[inline(always)]
fn sectors<L: Lanes>(lanes: L, units: &Units, at: usize) -> [I32x16<L>; 2] {
    match units.sectors[at..].first_chunk::<LANES>() {
        Some(sectors) => I32x16::unzip2(lanes, cast_ref(sectors)),
        None => [I32x16::splat(lanes, 0); 2],
    }
}

/// The levels, to look up.
pub(super) struct LevelTable<L: Lanes> {
    first: Window<L>,
    mask: Window<L>,
    stride: Window<L>,
    scale: [f64; LEVEL_RADII.len()],
    /// The level that holds all units, if there is only one.
    only: Option<usize>,
}

impl<L: Lanes> LevelTable<L> {
    #[inline(always)]
    pub(super) fn new(lanes: L, plan: &Plan) -> Self {
        let (mut first, mut mask, mut stride) = ([0; 2 * LANES], [0; 2 * LANES], [0; 2 * LANES]);
        for (at, level) in plan.levels.iter().enumerate() {
            (first[at], mask[at]) = (level.first as i32, level.mask as i32);
            stride[at] = level.stride as i32;
        }
        let [first, mask, stride] =
            each!([&first, &mask, &stride], |all| Window::load_at(lanes, all, 0));
        let mut scale = [0.0; LEVEL_RADII.len()];
        for (to, level) in scale.iter_mut().zip(&plan.levels) {
            *to = level.cells_per_quantum;
        }
        Self { first, mask, stride, scale, only: plan.only() }
    }

    /// The buckets of places, on any level.
    #[inline(always)]
    pub(super) fn buckets(
        &self,
        lanes: L,
        plan: &Plan,
        units: &Units,
        slot: usize,
        [x, z]: [I32x16<L>; 2],
    ) -> I32x16<L> {
        let (level, scale) = match self.only {
            Some(only) => (I32x16::splat(lanes, only as i32), [self.scale[only]; LANES]),
            None => {
                let levels: [_; LANES] =
                    std::array::from_fn(|lane| plan.shape(units, slot + lane).level);
                let scale = levels.map(|level| self.scale[usize::from(level)]);
                (I32x16::load(lanes, &levels.map(i32::from)), scale)
            }
        };
        let rows = z.scaled(&scale) * self.stride.look_up(level);
        let offset = (rows + x.scaled(&scale)) & self.mask.look_up(level);
        self.first.look_up(level) + offset
    }
}
