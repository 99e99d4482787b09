//! The pair rule: when two units touch, what each contributes to the other's push, and the push that a sum
//! of contributions gives. One unit in each lane, and one other.

use marchland_terrain::kernel::lanes::{F32x16, I32x16, Lanes, Mask, each};

use super::sorted::SortedUnits;
use super::strength::{LESS, Strength};

/// A unit less than a quarter as wide does not push; a wide unit then looks no further than a few cells.
pub(super) const WIDER_MAX: f32 = 4.0;

/// Adding it to an `f32` below 2¹⁸ leaves the nearest multiple of 2⁻⁴ in the low bits. No part of an
/// overlap is 2¹⁸ quanta, the greatest radius.
const SIXTEENTHS: f32 = 786_432.0;

/// Keeps the weight finite for units at one place; far too small to change it for any others.
const TINY: f32 = 1e-20;

/// The values that all units share if all have one shape.
#[derive(Clone, Copy)]
pub(super) struct Shape16<L: Lanes> {
    pub(super) height: F32x16<L>,
    pub(super) radius: F32x16<L>,
}

impl<L: Lanes> Shape16<L> {
    /// That of all units; of nobody if they differ.
    #[inline(always)]
    pub(super) fn shared(lanes: L, sorted: &SortedUnits) -> Self {
        let (radius, height) = sorted.plan.alike.unwrap_or_default();
        Self { height: F32x16::splat(lanes, height), radius: F32x16::splat(lanes, radius) }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Units16<L: Lanes> {
    pub(super) x: I32x16<L>,
    pub(super) z: I32x16<L>,
    pub(super) feet: F32x16<L>,
    pub(super) top: F32x16<L>,
    pub(super) radius: F32x16<L>,
}

impl<L: Lanes> Units16<L> {
    /// The units from a place in the columns on, also up to [`SPARE`](super::columns::SPARE) less sixteen places behind the last.
    #[inline(always)]
    pub(super) fn load<const ALIKE: bool>(
        lanes: L,
        sorted: &SortedUnits,
        shape: &Shape16<L>,
        at: usize,
    ) -> Self {
        let part = |column: &[f32]| F32x16::load_at(lanes, column, at);
        let feet = part(&sorted.feet);
        let (top, radius) = if ALIKE {
            (feet + shape.height, shape.radius)
        } else {
            (part(&sorted.tops), part(&sorted.radii))
        };
        let [x, z] = each!([&sorted.xs, &sorted.zs], |column| I32x16::load_at(lanes, column, at));
        Self { x, z, feet, top, radius }
    }
}

/// Sixteen pairs: a unit, and another one.
#[derive(Clone, Copy)]
pub(super) struct Pairs16<L: Lanes> {
    /// From the other unit to the one. Quanta.
    pub(super) dx: F32x16<L>,
    pub(super) dz: F32x16<L>,
    pub(super) squared: F32x16<L>,
    /// The sum of the radii. Quanta.
    pub(super) radii: F32x16<L>,
    /// Of the other unit.
    pub(super) radius: F32x16<L>,
    /// The pairs that touch.
    pub(super) touch: Mask<L>,
}

impl<L: Lanes> Pairs16<L> {
    /// Bodies touch where their circles and their heights both overlap, and the other one is not much slimmer.
    /// Computed from the signs of differences: one test for all of them.
    #[inline(always)]
    pub(super) fn new<const ALIKE: bool>(lanes: L, one: &Units16<L>, other: &Units16<L>) -> Self {
        let dx = (one.x - other.x).to_f32();
        let dz = (one.z - other.z).to_f32();
        let squared = dx * dx + dz * dz;
        let radii = one.radius + other.radius;
        let is_close = (squared - radii * radii).bits();
        let is_below_top = (one.feet - other.top).bits();
        let is_above_feet = (other.feet - one.top).bits();
        let mut touch = (is_close & is_below_top & is_above_feet).is_negative();
        if !ALIKE {
            let wider = other.radius * F32x16::splat(lanes, WIDER_MAX);
            touch = touch & !(wider - one.radius).bits().is_negative();
        }
        Self { dx, dz, squared, radii, radius: other.radius, touch }
    }
}

/// What touching pairs contribute, along X and Z: whole sixteenths of quanta. The wider unit yields less.
#[inline(always)]
pub(super) fn contributions<L: Lanes>(
    lanes: L,
    [dx, dz]: [F32x16<L>; 2],
    radii: F32x16<L>,
    radius: F32x16<L>,
) -> [I32x16<L>; 2] {
    let distance = (dx * dx + dz * dz).sqrt();
    let part = (radii - distance) * radius;
    let weight = part / (distance * radii + F32x16::splat(lanes, TINY));
    each!([dx, dz], |quanta| sixteenths(lanes, quanta * weight))
}

/// Rounds quanta to sixteenths.
#[inline(always)]
pub(super) fn sixteenths<L: Lanes>(lanes: L, quanta: F32x16<L>) -> I32x16<L> {
    let rounding = F32x16::splat(lanes, SIXTEENTHS);
    (quanta + rounding).bits() - rounding.bits()
}

/// The velocities for sums over `met` units, within the limits: the whole sum for one unit, twice the
/// mean for many. With the whole sum, a unit among many would overshoot, and a heap would shake.
#[inline(always)]
pub(super) fn limited<L: Lanes>(
    lanes: L,
    strength: &Strength,
    sum: [I32x16<L>; 2],
    met: I32x16<L>,
) -> [F32x16<L>; 2] {
    let splat = |value| F32x16::splat(lanes, value);
    let each = splat(strength.per_sixteenth) / (met + I32x16::splat(lanes, 1)).to_f32();
    let (x, z) = (sum[0].to_f32() * each, sum[1].to_f32() * each);
    let (squared, most) = (x * x + z * z, strength.push_max);
    let rests = squared.le(splat(strength.rest_squared));
    let is_slow = squared.le(splat(most * most));
    let less = splat(most * LESS) / squared.sqrt();
    each!([x, z], |part| rests.select(splat(0.0), is_slow.select(part, part * less)))
}
