//! Rules that scatter props: how many props a sector gets, and where they stand in it.
//!
//! A density is a number of candidates per hectare, of which those on suitable ground are placed. It needs no
//! data from other sectors. A count is divided among the sectors by how much of a fixed pattern of points
//! suits in each. For each of these props, places are then tried until one suits.

use glam::Vec3;

use super::error::PlaceError;
use crate::bake::props::{Amount, Scatter};
use crate::bake::random::{Stream, even_point};
use crate::heightfield::{Ground, HeightfieldView};
use crate::math::{Rotation, SectorCoord, clamp, greater, lesser};
use crate::props::{Placement, SCALE_MAX, SCALE_MIN, origin_on_lattice};

/// Number of points in the pattern by which a count is divided. A sector where less than one point in this
/// many suits may get no props if other sectors have more suitable ground.
const PATTERN_POINTS: u32 = 1024;
/// Places tried for one prop of a count before its sector gives up. Where a point of the pattern suits, about
/// one place in a thousand does: the chance that this many all fail is below 10⁻²⁵.
const TRIES_MAX: u64 = 1 << 16;
/// How many numbers of the stream belong to one candidate.
const NUMBERS: u64 = 4;
const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;

/// A rectangle of a sector, metres from its centre; its high sides are excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patch {
    low: [f64; 2],
    high: [f64; 2],
}

impl Patch {
    /// The part of a sector where a rule may place props: covered, and in the rule's area.
    pub(super) fn of(
        rule: &Scatter,
        coord: SectorCoord,
        field: &HeightfieldView<'_>,
    ) -> Option<Self> {
        let grid = field.grid();
        let (cell, half) = (f64::from(grid.cell()), f64::from(grid.sector_size().half()));
        let covered = field.covered();
        // Counted with the apron, which lies before column 0 and after the last column.
        let metres =
            |index: u16| f64::from(u32::from(index).clamp(1, grid.cells() + 1) - 1) * cell - half;
        let mut patch = Self {
            low: [metres(covered.column0), metres(covered.row0)],
            high: [metres(covered.column1), metres(covered.row1)],
        };
        if let Some([low, high]) = rule.area {
            let side = f64::from(grid.sector_size().metres());
            let centre = [f64::from(coord.x) * side, f64::from(coord.z) * side];
            for axis in 0..2 {
                let (low, high) = (low[axis] - centre[axis], high[axis] - centre[axis]);
                patch.low[axis] = greater(low, patch.low[axis]);
                patch.high[axis] = lesser(high, patch.high[axis]);
            }
        }
        (patch.low[0] < patch.high[0] && patch.low[1] < patch.high[1]).then_some(patch)
    }

    fn square_metres(&self) -> f64 {
        (self.high[0] - self.low[0]) * (self.high[1] - self.low[1])
    }

    /// The place for a prop's origin at a fraction of the way along each side; `None` if rounding to the
    /// places where props may stand moves it out of the patch.
    fn at(&self, parts: [f64; 2]) -> Option<[f32; 2]> {
        let along = |axis: usize| self.low[axis] + (self.high[axis] - self.low[axis]) * parts[axis];
        let place = origin_on_lattice(Vec3::new(along(0) as f32, 0.0, along(1) as f32));
        let inside = |axis: usize, metres: f32| {
            self.low[axis] <= f64::from(metres) && f64::from(metres) < self.high[axis]
        };
        // Adding 0 turns −0 into +0.
        let (x, z) = (place.x + 0.0, place.z + 0.0);
        (inside(0, x) && inside(1, z)).then_some([x, z])
    }
}

/// The height of the ground at a place; `None` where the place does not suit the rule.
fn suitable(rule: &Scatter, field: &HeightfieldView<'_>, [x, z]: [f32; 2]) -> Option<f32> {
    let Ground::Height(height) = field.ground(x, z) else { return None };
    let within =
        |value: f32, [low, high]: [f64; 2]| low <= f64::from(value) && f64::from(value) <= high;
    let surface = field.surface(x, z)?;
    let suits = within(height, rule.height)
        && within(field.slope(x, z)?, rule.slope)
        && (rule.on.is_empty() || rule.on.contains(&surface));
    suits.then_some(height)
}

/// A prop that a rule has placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScatteredProp {
    /// Metres from the centre of its sector, `y` absolute.
    pub(super) position: Vec3,
    /// Rotation and scale.
    pub(super) placement: Placement,
}

/// How many places a rule with a density tries in a sector: the expected number, rounded up or down at random
/// per sector. This preserves the expected value, and no sector depends on another.
pub(super) fn candidates(
    rule: &Scatter,
    index: usize,
    coord: SectorCoord,
    patch: &Patch,
    per_hectare: f64,
) -> f64 {
    let expected = patch.square_metres() / SQUARE_METRES_PER_HECTARE * per_hectare;
    let throw = Stream::new(!rule.seed, index as u64, coord).part(0);
    (expected + throw).floor()
}

/// The weight of a sector when a count is divided: its suitable ground, in arbitrary units.
pub(super) fn weight(rule: &Scatter, field: &HeightfieldView<'_>, patch: &Patch) -> u64 {
    let hits = (0..PATTERN_POINTS)
        .filter_map(|n| patch.at(even_point(n)))
        .filter(|&place| suitable(rule, field, place).is_some())
        .count();
    hits as u64 * area(patch)
}

/// The patch's area in 256ths of a square metre, at least 1.
pub(super) fn area(patch: &Patch) -> u64 {
    // A sector has at most 2²⁸ square metres.
    (patch.square_metres() * 256.0) as u64 + 1
}

/// Divides a count in proportion to weights. What is left goes to the largest remainders, and ties to the
/// first.
pub(super) fn shares(count: u64, weights: &[u64]) -> Vec<u64> {
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if total == 0 {
        return vec![0; weights.len()];
    }
    let quota = |weight: u64| u128::from(count) * u128::from(weight);
    let mut shares: Vec<u64> = weights.iter().map(|&w| (quota(w) / total) as u64).collect();
    let left = count - shares.iter().sum::<u64>();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    by_remainder.sort_unstable_by_key(|&at| (std::cmp::Reverse(quota(weights[at]) % total), at));
    for &at in by_remainder.iter().take(left as usize) {
        shares[at] += 1;
    }
    shares
}

/// The props that a rule places in a sector. `number` is its share of a count, or the number of
/// places to try.
pub(super) fn scatter(
    rule: &Scatter,
    index: usize,
    coord: SectorCoord,
    field: &HeightfieldView<'_>,
    patch: &Patch,
    number: u64,
) -> Vec<ScatteredProp> {
    let stream = Stream::new(rule.seed, index as u64, coord);
    let mut placed = Vec::new();
    let mut place = |candidate: u64| {
        let part = |nth: u64| stream.part(candidate * NUMBERS + nth);
        let one = patch.at([part(0), part(1)]).and_then(|place| {
            let height = suitable(rule, field, place)?;
            Some(stand(rule, place, height, [part(2), part(3)]))
        });
        placed.extend(one);
        one.is_some()
    };
    match rule.amount {
        Amount::PerHectare(_) => (0..number).for_each(|candidate| {
            place(candidate);
        }),
        Amount::Count(_) => {
            let mut candidate = 0;
            for _ in 0..number {
                let end = candidate + TRIES_MAX;
                let Some(found) = (candidate..end).find(|&at| place(at)) else { break };
                candidate = found + 1;
            }
        }
    }
    placed
}

/// Creates a prop at a place: sunk, turned and scaled.
fn stand(rule: &Scatter, [x, z]: [f32; 2], height: f32, [turn, size]: [f64; 2]) -> ScatteredProp {
    let y = (f64::from(height) - rule.sink) as f32;
    let rotation = if rule.random_yaw {
        Rotation::from_degrees([0.0, turn * 360.0, 0.0])
    } else {
        Rotation::IDENTITY
    };
    let [least, most] = rule.scale;
    let scale = (f64::from(least) + (f64::from(most) - f64::from(least)) * size) as f32;
    let scale = clamp(scale, least, most);
    ScatteredProp {
        position: origin_on_lattice(Vec3::new(x, y, z)) + Vec3::ZERO,
        // The rule's scales have been checked against the limits.
        placement: Placement::new(rotation, scale).unwrap_or(Placement::IDENTITY),
    }
}

/// Returns an error if the rule has invalid numbers.
pub(super) fn check(rule: &Scatter) -> Result<(), PlaceError> {
    let setting = |what, found: f64, expected| {
        Err(PlaceError::Setting { name: rule.name.clone(), what, found, expected })
    };
    let [least, most] = rule.scale.map(f64::from);
    let (low, high) = rule.area.unwrap_or([[0.0; 2]; 2]).into();
    for (what, [low, high]) in [
        ("slope", rule.slope),
        ("height", rule.height),
        ("scale", [least, most]),
        ("area along x", [low[0], high[0]]),
        ("area along z", [low[1], high[1]]),
    ] {
        if low.is_nan() || high.is_nan() || low > high {
            return Err(PlaceError::Range { name: rule.name.clone(), what, low, high });
        }
    }
    if least < f64::from(SCALE_MIN) {
        return setting("scale", least, "1/1024 to 1024");
    }
    if most > f64::from(SCALE_MAX) {
        return setting("scale", most, "1/1024 to 1024");
    }
    if !rule.sink.is_finite() {
        return setting("sink", rule.sink, "a finite number of metres");
    }
    match rule.amount {
        Amount::PerHectare(found) if !(found >= 0.0 && found.is_finite()) => {
            setting("density", found, "at least 0 per hectare")
        }
        _ => Ok(()),
    }
}
