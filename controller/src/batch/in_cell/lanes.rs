//! Moves within the cells that units remember, sixteen at a time. This is the common case of
//! following, with the same operations on the same numbers. Every unit for which that is not certain is
//! left to following.

use bytemuck::{cast_mut, cast_ref};
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::height_in_cell;
use marchland_terrain::kernel::lanes::{
    F32x16, I32x16, Kernel, LANES, Lanes, Mask, Simd, each, prefetch_ahead,
};

use super::crossings::{CellFrame, Crossings, List, NEW_VELOCITY};
use crate::following::follow::FollowLimits;
use crate::ground::lanes::{cell_index, without_creep};
use crate::units::body::BodyId;
use crate::units::memory::cells::{Corners, NO_CORNERS};
use crate::units::wish::Wish;

/// How many units ahead of the moved ones their columns are prefetched. A chunk's columns are read
/// sequentially, five at a time. Where each reaches a new page, the hardware prefetcher starts again. Data
/// prefetched some five hundred units ahead has arrived by then.
const PREFETCH_UNITS: usize = 32 * LANES;

/// What the lane kernel needs of the tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace<'a> {
    pub(crate) simd: Simd,
    pub(crate) dt: f32,
    /// Of the tick: whose ways are short.
    pub(crate) short_squared: f32,
    pub(crate) cells: CellFrame,
    /// Cells along a tile of the open maps, as a power of two.
    pub(crate) tile_log2: u32,
    /// By body.
    pub(crate) follow_limits: &'a [FollowLimits],
}

/// Columns of units whose slots follow each other.
pub(crate) struct Columns<'a> {
    pub(crate) locals: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) wishes: &'a [Wish],
    pub(crate) bodies: &'a [BodyId],
    pub(crate) corners: &'a [Corners],
    /// Read for units that enter another cell, and prefetched here.
    pub(crate) map_ids: &'a [u32],
}

/// Sixteen units with consecutive slots. A unit that remembers a cell walks, is within half a sector of
/// its centre, and has a velocity that such a move gives: level, and without [creep](without_creep).
pub(crate) struct Block<'a> {
    pub(crate) locals: &'a mut [Vec3; LANES],
    pub(crate) velocities: &'a mut [Vec3; LANES],
    pub(crate) wishes: &'a [Wish; LANES],
    pub(crate) bodies: &'a [BodyId; LANES],
    pub(crate) corners: &'a [Corners; LANES],
}

/// Units that do not stay within the cell that they remember.
#[derive(Debug, Default)]
pub(crate) struct BeyondCell {
    /// Units that enter another cell, and may follow there.
    pub(crate) crossings: Crossings,
    /// Lanes that neither stay nor cross: a bit for each, the first in the lowest bit, and a word for each
    /// block.
    pub(crate) slow_lanes: Vec<u16>,
}

/// Moves the units that stay within the cell that they remember, and reports the others.
pub(crate) fn follow_in_cell(pace: &Pace<'_>, columns: Columns<'_>, beyond_cell: &mut BeyondCell) {
    pace.simd.run(InCellTick { pace, columns, beyond_cell });
}

/// Whole blocks, and the remaining units in a block of their own.
struct InCellTick<'a> {
    pace: &'a Pace<'a>,
    columns: Columns<'a>,
    beyond_cell: &'a mut BeyondCell,
}

impl Kernel for InCellTick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { pace, columns, beyond_cell } = self;
        let Columns { locals, velocities, wishes, bodies, corners, map_ids } = columns;
        beyond_cell.slow_lanes.clear();
        beyond_cell.slow_lanes.resize(locals.len().div_ceil(LANES), 0);
        let mut slow_lanes = beyond_cell.slow_lanes.iter_mut();
        let mut first = 0;
        let mut list = beyond_cell.crossings.list();
        let (locals, last_locals) = locals.as_chunks_mut::<LANES>();
        let (velocities, last_velocities) = velocities.as_chunks_mut::<LANES>();
        let (wishes, last_wishes) = wishes.as_chunks::<LANES>();
        let (bodies, last_bodies) = bodies.as_chunks::<LANES>();
        let (corners, last_corners) = corners.as_chunks::<LANES>();
        let (map_ids, _) = map_ids.as_chunks::<LANES>();
        let units =
            locals.iter_mut().zip(velocities).zip(wishes).zip(bodies).zip(corners).zip(map_ids);
        for ((((((locals, velocities), wishes), bodies), corners), map_ids), slow) in
            units.zip(&mut slow_lanes)
        {
            prefetch_ahead(locals, PREFETCH_UNITS);
            prefetch_ahead(velocities, PREFETCH_UNITS);
            prefetch_ahead(wishes, PREFETCH_UNITS);
            prefetch_ahead(corners, PREFETCH_UNITS);
            prefetch_ahead(map_ids, PREFETCH_UNITS);
            let block = Block { locals, velocities, wishes, bodies, corners };
            *slow = in_cell_block(lanes, pace, block, first, &mut list);
            first += LANES;
        }
        if let Some(slow) = slow_lanes.next() {
            let last = Columns {
                locals: last_locals,
                velocities: last_velocities,
                wishes: last_wishes,
                bodies: last_bodies,
                corners: last_corners,
                map_ids: &[],
            };
            *slow = in_cell_rest(lanes, pace, last, first, &mut list);
        }
        beyond_cell.crossings.count = list.count;
    }
}

/// The last units, fewer than a block's.
#[inline(always)]
fn in_cell_rest<L: Lanes>(
    lanes: L,
    pace: &Pace<'_>,
    last: Columns<'_>,
    first: usize,
    list: &mut List<'_>,
) -> u16 {
    let Columns { locals: last_locals, velocities: last_velocities, .. } = last;
    let count = last_locals.len();
    let (mut locals, mut velocities) = ([Vec3::ZERO; LANES], [Vec3::ZERO; LANES]);
    let (mut wishes, mut bodies) = ([Wish::STAND; LANES], [BodyId(0); LANES]);
    let mut corners = [NO_CORNERS; LANES];
    locals[..count].copy_from_slice(last_locals);
    velocities[..count].copy_from_slice(last_velocities);
    wishes[..count].copy_from_slice(last.wishes);
    bodies[..count].copy_from_slice(last.bodies);
    corners[..count].copy_from_slice(last.corners);
    let block = Block {
        locals: &mut locals,
        velocities: &mut velocities,
        wishes: &wishes,
        bodies: &bodies,
        corners: &corners,
    };
    let slow = in_cell_block(lanes, pace, block, first, list);
    last_locals.copy_from_slice(&locals[..count]);
    last_velocities.copy_from_slice(&velocities[..count]);
    slow & ((1_u32 << count) - 1) as u16
}

/// What a move within a cell asks of sixteen units: how fast at most, squared, and how far down.
#[inline(always)]
fn limits_of<L: Lanes>(lanes: L, pace: &Pace<'_>, bodies: &[BodyId; LANES]) -> [F32x16<L>; 2] {
    let own = |body: BodyId| {
        let limits = &pace.follow_limits[body.index()];
        [limits.fastest_squared, limits.step_down]
    };
    let differ = bodies.iter().fold(0, |differ, body| differ | (body.0 ^ bodies[0].0));
    if pace.follow_limits.len() == 1 || differ == 0 {
        let [fastest_squared, step_down] = own(bodies[0]);
        return [F32x16::splat(lanes, fastest_squared), F32x16::splat(lanes, step_down)];
    }
    let all = bodies.map(own);
    each!([0, 1], |part| F32x16::load(lanes, &all.map(|own| own[part])))
}

/// Sixteen units. Units that enter another cell are put on the list, under indices from `first` on; returns a
/// bit for each unit that neither enters one nor stays.
#[inline(always)]
fn in_cell_block<L: Lanes>(
    lanes: L,
    pace: &Pace<'_>,
    block: Block<'_>,
    first: usize,
    list: &mut List<'_>,
) -> u16 {
    let wishes: &[[i32; LANES]; 3] = cast_ref(block.wishes);
    let velocities: &[[i32; LANES]; 3] = cast_ref(&*block.velocities);
    let [a, b, c] = each!([0, 1, 2], |some| {
        I32x16::load(lanes, &wishes[some]).equals(I32x16::load(lanes, &velocities[some]))
    });
    if (a & b & c).all() {
        in_cell_as::<L, false>(lanes, pace, block, first, list)
    } else {
        in_cell_as::<L, true>(lanes, pace, block, first, list)
    }
}

/// All bits of 1: numbers in [0, 1), and only those, have smaller bits.
const ONE: i32 = 1.0_f32.to_bits() as i32;

/// Sixteen units that all keep their velocity, or some of which have a different one (`NEW`).
#[inline(always)]
fn in_cell_as<L: Lanes, const NEW: bool>(
    lanes: L,
    pace: &Pace<'_>,
    block: Block<'_>,
    first: usize,
    list: &mut List<'_>,
) -> u16 {
    let Block { locals, velocities, wishes, bodies, corners } = block;
    let [fastest_squared, step_down] = limits_of(lanes, pace, bodies);
    let splat = |value| F32x16::splat(lanes, value);
    let (zero, per_metre, dt) = (splat(0.0), splat(pace.cells.cells_per_metre), splat(pace.dt));
    let [x, y, z] = triples(lanes, cast_ref(&*locals));
    let corners = rows(lanes, cast_ref(corners));
    let [vx, jump, vz] = I32x16::unzip3(lanes, cast_ref(wishes));
    let (vx, vz) = (vx.of_bits(), vz.of_bits());

    let squared = vx * vx + vz * vz;
    let creepless = |speed| if NEW { without_creep(lanes, speed) } else { speed };
    let (vx, vz) = (creepless(vx), creepless(vz));
    let (to_x, to_z) = (x + vx * dt, z + vz * dt);
    let (from_x, from_z) = ((x * per_metre).floor(), (z * per_metre).floor());
    // In the cell where it was; beyond it, not of it.
    let (u, v) = (to_x * per_metre - from_x, to_z * per_metre - from_z);
    let is_in_cell = |part: F32x16<L>| part.bits().le_unsigned(I32x16::splat(lanes, ONE - 1));
    let (is_same_column, is_same_row) = (is_in_cell(u), is_in_cell(v));
    let height = height_in_cell(corners, u, v);
    // As `is_short`: zero is the greatest number there.
    let one = I32x16::splat(lanes, 1);
    let shortest = splat(pace.short_squared).bits() - one;
    let mut may = squared.lt(fastest_squared) & shortest.le_unsigned(squared.bits() - one);
    if NEW {
        may = may & jump.is_zero();
    }
    // False where nothing is remembered: the height is NaN then.
    let is_supported = (y - height).le(step_down);
    let is_same = is_same_column & is_same_row;
    let within = may & is_same & is_supported;
    let crossing = may & !is_same & corners[0].equals(corners[0]);

    // 0 is never negative.
    let stays = each!([(x, to_x), (y, height), (z, to_z)], |(from, to)| {
        let to = to + zero;
        within.select(to, from)
    });
    store(stays, locals);
    if NEW {
        let [old_x, old_y, old_z] = triples(lanes, cast_ref(&*velocities));
        let new = each!([(old_x, vx), (old_y, zero), (old_z, vz)], |(old, new)| {
            within.select(new, old)
        });
        store(new, velocities);
    }
    // Crowds stand. Where they walk, few blocks have no unit that crosses: which ones cannot be predicted.
    if squared.equals(zero).all() {
        return !within.bits();
    }
    let mut crosses = crossing;
    if (crossing & !is_same_column & !is_same_row).any() {
        // Past the corner of a tile others may be in the way.
        let [x, z] = each!([(to_x, from_x), (to_z, from_z)], |(to, from)| {
            is_beside(lanes, pace, (to * per_metre).floor(), from)
        });
        crosses = crosses & (is_same_column | is_same_row | x | z);
    }
    let first = first as u32 | if NEW { NEW_VELOCITY } else { 0 };
    let index = I32x16::splat(lanes, first as i32) + I32x16::order(lanes);
    list.push_block(crosses.bits(), index, [to_x, to_z]);
    !(within | crosses).bits()
}

/// Whether two columns or rows of cells belong to the same tiles.
#[inline(always)]
fn is_beside<L: Lanes>(lanes: L, pace: &Pace<'_>, to: F32x16<L>, from: F32x16<L>) -> Mask<L> {
    let [to, from] = each!([to, from], |cell| cell_index(lanes, cell, pace.cells.half_cells));
    (to ^ from).down(pace.tile_log2).is_zero()
}

/// The parts of sixteen places or velocities.
#[inline(always)]
fn triples<L: Lanes>(lanes: L, from: &[[i32; LANES]; 3]) -> [F32x16<L>; 3] {
    let [x, y, z] = I32x16::unzip3(lanes, from);
    each!([x, y, z], |part| part.of_bits())
}

/// The corners of sixteen cells, each in a register of its own.
#[inline(always)]
fn rows<L: Lanes>(lanes: L, from: &[[i32; LANES]; 4]) -> [F32x16<L>; 4] {
    let [nw, ne, sw, se] = I32x16::unzip4(lanes, from);
    each!([nw, ne, sw, se], |part| part.of_bits())
}

/// Writes sixteen places or velocities from their parts.
#[inline(always)]
fn store<L: Lanes>(parts: [F32x16<L>; 3], to: &mut [Vec3; LANES]) {
    let to: &mut [[i32; LANES]; 3] = cast_mut(to);
    let [x, y, z] = parts;
    for (part, to) in I32x16::zip3(each!([x, y, z], |part| part.bits())).into_iter().zip(to) {
        part.store(to);
    }
}

#[cfg(test)]
mod tests;
