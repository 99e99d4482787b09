//! Strolling: sixteen units at a time over ground that they remember. This is the common case of
//! following, with the same operations on the same numbers. Every unit for which that is not certain is
//! left to following.
//!
//! The code is that of one unit, written over arrays. The compiler uses the instructions of the
//! processor at hand (AVX-512, AVX2, or the baseline of its architecture). All of them round alike:
//! there is no fused multiply-add among them.
#![allow(clippy::needless_range_loop, reason = "lanes of several arrays side by side")]

use marchland_terrain::glam::Vec3;

use super::ahead::fetch_ahead;
use super::crossers::{Crossers, List, NEW_VELOCITY};
use crate::following::follow::Gait;
use crate::ground::frame::{floor, to_whole};
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512;
use crate::lanes::simd::{Lanewise, with_widest};
use crate::units::body::BodyId;
use crate::units::cells::{Corners, LANES, NO_CORNERS};
use crate::units::tick::{is_short, without_creep};
use crate::units::wish::Wish;

/// What the lane kernel needs of the tick, in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace<'a> {
    pub(crate) dt: f32,
    pub(crate) cells_per_metre: f32,
    /// Of the tick: whose ways are short.
    pub(crate) short_squared: f32,
    /// Half a sector, in metres and in cells.
    pub(crate) half: f32,
    pub(crate) half_cells: f32,
    /// Cells along a tile of the open maps, as a power of two.
    pub(crate) tile_log2: u32,
    /// By body.
    pub(crate) gaits: &'a [Gait],
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
/// its centre, and has a velocity that strolling gives: level, and without [creep](without_creep).
pub(crate) struct Block<'a> {
    pub(crate) locals: &'a mut [Vec3; LANES],
    pub(crate) velocities: &'a mut [Vec3; LANES],
    pub(crate) wishes: &'a [Wish; LANES],
    pub(crate) bodies: &'a [BodyId; LANES],
    pub(crate) corners: &'a [Corners; LANES],
}

/// Units that do not stroll within the cell that they remember.
#[derive(Debug, Default)]
pub(crate) struct NotStrolled {
    /// Units that enter another cell, and may stroll there.
    pub(crate) crossers: Crossers,
    /// Lanes that neither stroll nor cross: a bit for each, the first in the lowest bit, and a word for each
    /// block.
    pub(crate) slow_lanes: Vec<u16>,
}

/// Moves the units that stroll within the cell that they remember, and reports the others.
pub(crate) fn stroll(pace: &Pace<'_>, columns: Columns<'_>, not_strolled: &mut NotStrolled) {
    #[cfg(target_arch = "x86_64")]
    {
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor was just checked for what the function needs, and its body is safe code.
            return unsafe { stroll_avx512(pace, columns, not_strolled) };
        }
    }
    with_widest(Anywhere { pace, columns, not_strolled });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn stroll_avx512(pace: &Pace<'_>, columns: Columns<'_>, not_strolled: &mut NotStrolled) {
    use super::lanes_avx512::stroll_block;
    each_block(pace, columns, not_strolled, |pace, block, first, list| {
        stroll_block(pace, block, first, list)
    });
}

/// Strolling with whatever the processor has.
struct Anywhere<'a> {
    pace: &'a Pace<'a>,
    columns: Columns<'a>,
    not_strolled: &'a mut NotStrolled,
}

impl Lanewise for Anywhere<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        each_block(self.pace, self.columns, self.not_strolled, stroll_block);
    }
}

/// Moves whole blocks, and the remaining units in a block of their own. `stroll` gets the index of its
/// first unit in the stretch, lists the units that enter another cell, and returns those that do
/// neither.
#[inline(always)]
fn each_block(
    pace: &Pace<'_>,
    columns: Columns<'_>,
    not_strolled: &mut NotStrolled,
    stroll: impl Fn(&Pace<'_>, Block<'_>, usize, &mut List<'_>) -> u16,
) {
    let Columns { locals, velocities, wishes, bodies, corners, map_ids } = columns;
    let done = not_strolled.slow_lanes.len();
    not_strolled.slow_lanes.resize(done + locals.len().div_ceil(LANES), 0);
    let mut slow_lanes = not_strolled.slow_lanes[done..].iter_mut();
    let mut first = done * LANES;
    let mut list = not_strolled.crossers.list();
    let (locals, last_locals) = locals.as_chunks_mut::<LANES>();
    let (velocities, last_velocities) = velocities.as_chunks_mut::<LANES>();
    let (wishes, last_wishes) = wishes.as_chunks::<LANES>();
    let (bodies, last_bodies) = bodies.as_chunks::<LANES>();
    let (corners, last_corners) = corners.as_chunks::<LANES>();
    let (map_ids, _) = map_ids.as_chunks::<LANES>();
    let units = locals.iter_mut().zip(velocities).zip(wishes).zip(bodies).zip(corners).zip(map_ids);
    for ((((((locals, velocities), wishes), bodies), corners), map_ids), slow) in
        units.zip(&mut slow_lanes)
    {
        fetch_ahead(locals);
        fetch_ahead(velocities);
        fetch_ahead(wishes);
        fetch_ahead(corners);
        fetch_ahead(map_ids);
        let block = Block { locals, velocities, wishes, bodies, corners };
        *slow = stroll(pace, block, first, &mut list);
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
        *slow = stroll_rest(pace, last, first, &mut list);
    }
    let count = list.count();
    not_strolled.crossers.take(count);
}

/// The last units, fewer than a block's.
#[inline(never)]
fn stroll_rest(pace: &Pace<'_>, last: Columns<'_>, first: usize, list: &mut List<'_>) -> u16 {
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
    let slow = stroll_block(pace, block, first, list);
    last_locals.copy_from_slice(&locals[..count]);
    last_velocities.copy_from_slice(&velocities[..count]);
    slow & ((1_u32 << count) - 1) as u16
}

/// What strolling asks of sixteen units that have the same body.
#[inline(always)]
pub(crate) fn common_gait<'a>(pace: &Pace<'a>, bodies: &[BodyId; LANES]) -> Option<&'a Gait> {
    if let [only] = pace.gaits {
        return Some(only);
    }
    let differ = bodies.iter().fold(0, |differ, body| differ | (body.0 ^ bodies[0].0));
    if differ == 0 { pace.gaits.get(bodies[0].index()) } else { None }
}

/// What strolling asks of sixteen units: how fast at most, and how far down.
#[inline(always)]
pub(crate) fn gaits_of(pace: &Pace<'_>, bodies: &[BodyId; LANES]) -> [[f32; LANES]; 2] {
    if let Some(common) = common_gait(pace, bodies) {
        return [[common.fastest_squared; LANES], [common.step_down; LANES]];
    }
    let mut gaits = [[0.0_f32; LANES]; 2];
    for lane in 0..LANES {
        let own = &pace.gaits[bodies[lane].index()];
        (gaits[0][lane], gaits[1][lane]) = (own.fastest_squared, own.step_down);
    }
    gaits
}

/// All bits of 1: numbers in [0, 1), and only those, have smaller bits.
pub(crate) const ONE: u32 = 1.0_f32.to_bits();

/// Sixteen units. Units that enter another cell are put on the list; returns a bit for each unit that
/// neither enters one nor strolls.
#[inline(always)]
fn stroll_block(pace: &Pace<'_>, block: Block<'_>, first: usize, list: &mut List<'_>) -> u16 {
    let Block { locals, velocities, wishes, bodies, corners } = block;
    let gaits = gaits_of(pace, bodies);
    let [fastest_squared, step_down] = &gaits;
    let (mut x, mut y, mut z) = ([0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES]);
    let (mut vx, mut vz) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let (mut differs, mut jumps) = (0, [0_u32; LANES]);
    for lane in 0..LANES {
        (x[lane], y[lane], z[lane]) = (locals[lane].x, locals[lane].y, locals[lane].z);
        [vx[lane], vz[lane]] = wishes[lane].velocity();
        let (wish, velocity) = (wishes[lane].bits(), velocities[lane].to_array().map(f32::to_bits));
        differs |= (wish[0] ^ velocity[0]) | (wish[1] ^ velocity[1]) | (wish[2] ^ velocity[2]);
    }
    let goes_on = differs == 0;
    let mut asked = [0.0_f32; LANES];
    for lane in 0..LANES {
        asked[lane] = vx[lane] * vx[lane] + vz[lane] * vz[lane];
    }
    // A block without any has nothing more to compare; who stands is looked at too.
    if asked.iter().fold(false, |any, asked| any | (*asked < pace.short_squared)) {
        for asked in asked.iter_mut().filter(|asked| is_short(**asked, pace.short_squared)) {
            *asked = f32::INFINITY; // none of these strolls
        }
    }
    if !goes_on {
        for lane in 0..LANES {
            (vx[lane], vz[lane]) = (without_creep(vx[lane]), without_creep(vz[lane]));
            jumps[lane] = u32::from(wishes[lane].jumps());
        }
    }
    let mut end = End::default();
    let (mut strolls, mut crosses) = ([0_u32; LANES], [0_u32; LANES]);
    for lane in 0..LANES {
        let (to_x, to_z) = (x[lane] + vx[lane] * pace.dt, z[lane] + vz[lane] * pace.dt);
        let from_x = cell_of(x[lane] * pace.cells_per_metre);
        let from_z = cell_of(z[lane] * pace.cells_per_metre);
        // In the cell where it was; beyond it, not of it.
        let (u, v) = (to_x * pace.cells_per_metre - from_x, to_z * pace.cells_per_metre - from_z);
        let is_same = is_in_cell(u) & is_in_cell(v);
        let [a, b, c, e] = corners[lane];
        let is_north_east = u >= v;
        let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
        let (along_first, along_second) = if is_north_east { (u, v) } else { (v, u) };
        let height = (a + first * along_first) + second * along_second;
        let may = (asked[lane] < fastest_squared[lane]) & (jumps[lane] == 0);
        // False where nothing is remembered: the height is NaN then.
        let is_supported = y[lane] - height <= step_down[lane];
        strolls[lane] = u32::from(may & is_same & is_supported);
        crosses[lane] = u32::from(may & !is_same & !a.is_nan());
        (end.x[lane], end.height[lane], end.z[lane]) = (to_x, height, to_z);
        (end.u[lane], end.v[lane]) = (u, v);
    }
    let (mut stay, mut crossing) = (0_u32, 0_u32);
    for lane in 0..LANES {
        stay |= strolls[lane] << lane;
        crossing |= crosses[lane] << lane;
    }
    let first = first as u32 | if goes_on { 0 } else { NEW_VELOCITY };
    let mut slow = !(stay | crossing);
    while crossing != 0 {
        let lane = crossing.trailing_zeros() as usize;
        crossing &= crossing - 1;
        // Past the corner of a tile others may be in the way.
        let is_straight = is_in_cell(end.u[lane]) | is_in_cell(end.v[lane]);
        if is_straight
            || is_beside(pace, x[lane], end.x[lane])
            || is_beside(pace, z[lane], end.z[lane])
        {
            list.push(first + lane as u32, [end.x[lane], end.z[lane]]);
        } else {
            slow |= 1 << lane;
        }
    }
    write(locals, &strolls, &end);
    if !goes_on {
        for lane in 0..LANES {
            if strolls[lane] == 1 {
                velocities[lane] = Vec3::new(vx[lane], 0.0, vz[lane]);
            }
        }
    }
    slow as u16
}

/// As [`floor`], and −0 is as it is: as processors do it.
#[inline(always)]
fn cell_of(in_cells: f32) -> f32 {
    if in_cells == 0.0 { in_cells } else { floor(in_cells) }
}

/// Whether a place counted from where a cell begins is of the cell.
#[inline(always)]
fn is_in_cell(part: f32) -> bool {
    part.to_bits() < ONE
}

/// Whether a move stays within a column, or a row, of tiles.
fn is_beside(pace: &Pace<'_>, from: f32, to: f32) -> bool {
    let [from, to] = [from, to].map(|metres| floor(metres * pace.cells_per_metre));
    let index = |cell: f32| to_whole(cell + pace.half_cells);
    (index(to) ^ index(from)) >> pace.tile_log2 == 0
}

/// Where the moves of a block end: metres, and in the cells where they began.
#[derive(Default)]
struct End {
    x: [f32; LANES],
    height: [f32; LANES],
    z: [f32; LANES],
    u: [f32; LANES],
    v: [f32; LANES],
}

/// Writes the places of the units that stroll.
#[inline(always)]
fn write(locals: &mut [Vec3; LANES], strolls: &[u32; LANES], end: &End) {
    for lane in 0..LANES {
        let was = locals[lane];
        let is = Vec3::new(end.x[lane] + 0.0, end.height[lane] + 0.0, end.z[lane] + 0.0);
        locals[lane] = if strolls[lane] == 1 { is } else { was };
    }
}

#[cfg(test)]
mod tests;
