//! Strolling: sixteen units at a time over ground that they remember. The common case of following, and
//! the same operations on the same numbers: what does not surely fit is left to it.
//!
//! The lines of code are those of one unit, written for arrays; the compiler makes of them what the
//! processor at hand has (AVX-512, AVX2, or what every processor of its kind has). None of them rounds
//! otherwise: there is no fused multiply-add among them.
#![allow(clippy::needless_range_loop, reason = "lanes of several arrays side by side")]

use marchland_terrain::glam::Vec3;

use super::ahead::fetch_ahead;
use super::crossers::Crossers;
#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::body::BodyId;
use crate::cells::{Corners, LANES, NO_CORNERS};
use crate::follow::{Gait, without_creep};
use crate::frame::{floor, whole};
use crate::limits::SPEED_MAX;
use crate::wish::Wish;

/// What is the same for all units of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace<'a> {
    pub(crate) dt: f32,
    pub(crate) cells_per_metre: f32,
    /// Half the cells of a sector.
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
    /// Read of those that come into another cell, and asked for here.
    pub(crate) homes: &'a [u32],
}

/// Who does not stroll within the cell that it remembers.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Those that come into another cell, and may stroll there.
    pub(crate) crossers: Crossers,
    /// A bit for each of all others, the first in the lowest bit, a word for each block.
    pub(crate) others: Vec<u16>,
}

/// Moves the units that stroll within the cell that they remember, and tells who is left.
pub(crate) fn stroll(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Left) {
    #[cfg(target_arch = "x86_64")]
    {
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs, and its body is
            // safe code.
            return unsafe { stroll_avx512(pace, columns, left) };
        }
    }
    with_widest(Anywhere { pace, columns, left });
}

/// Work that is written for arrays. Only what is inlined into it is compiled for wider lanes: so this is
/// no closure, which the compiler may leave standing by itself.
pub(crate) trait Lanewise {
    /// What comes of it.
    type Output;

    /// Does it. To be inlined always.
    fn run(self) -> Self::Output;
}

/// Does work that is written for arrays, compiled for the widest lanes that this processor has.
#[inline(always)]
pub(crate) fn with_widest<W: Lanewise>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            return unsafe { with_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<W: Lanewise>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Lanewise>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn stroll_avx512(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Left) {
    use super::lanes_avx512::stroll_block;
    each_block(pace, columns, left, |pace, locals, velocities, wishes, bodies, corners, left| {
        stroll_block(pace, locals, velocities, wishes, bodies, corners, left);
    });
}

/// Strolling with whatever the processor has.
struct Anywhere<'a> {
    pace: &'a Pace<'a>,
    columns: Columns<'a>,
    left: &'a mut Left,
}

impl Lanewise for Anywhere<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        each_block(self.pace, self.columns, self.left, stroll_block);
    }
}

/// Moves whole blocks, and those that are left over in a block of their own.
#[inline(always)]
fn each_block(
    pace: &Pace<'_>,
    columns: Columns<'_>,
    left: &mut Left,
    stroll: impl Fn(
        &Pace<'_>,
        &mut [Vec3; LANES],
        &mut [Vec3; LANES],
        &[Wish; LANES],
        &[BodyId; LANES],
        &[Corners; LANES],
        &mut Left,
    ),
) {
    let Columns { locals, velocities, wishes, bodies, corners, homes } = columns;
    let (locals, last_locals) = locals.as_chunks_mut::<LANES>();
    let (velocities, last_velocities) = velocities.as_chunks_mut::<LANES>();
    let (wishes, last_wishes) = wishes.as_chunks::<LANES>();
    let (bodies, last_bodies) = bodies.as_chunks::<LANES>();
    let (corners, last_corners) = corners.as_chunks::<LANES>();
    let (homes, _) = homes.as_chunks::<LANES>();
    let units = locals.iter_mut().zip(velocities).zip(wishes).zip(bodies).zip(corners).zip(homes);
    for (((((locals, velocities), wishes), bodies), corners), homes) in units {
        fetch_ahead(locals);
        fetch_ahead(velocities);
        fetch_ahead(wishes);
        fetch_ahead(corners);
        fetch_ahead(homes);
        stroll(pace, locals, velocities, wishes, bodies, corners, left);
    }
    if !last_locals.is_empty() {
        stroll_rest(
            pace,
            last_locals,
            last_velocities,
            last_wishes,
            last_bodies,
            last_corners,
            left,
        );
    }
}

/// The last units, fewer than a block's.
#[inline(never)]
fn stroll_rest(
    pace: &Pace<'_>,
    locals: &mut [Vec3],
    velocities: &mut [Vec3],
    wishes: &[Wish],
    bodies: &[BodyId],
    corners: &[Corners],
    left: &mut Left,
) {
    let count = locals.len();
    let (mut all_locals, mut all_velocities) = ([Vec3::ZERO; LANES], [Vec3::ZERO; LANES]);
    let (mut all_wishes, mut all_bodies) = ([Wish::STAND; LANES], [BodyId(0); LANES]);
    let mut all = [NO_CORNERS; LANES];
    all_locals[..count].copy_from_slice(locals);
    all_velocities[..count].copy_from_slice(velocities);
    all_wishes[..count].copy_from_slice(&wishes[..count]);
    all_bodies[..count].copy_from_slice(&bodies[..count]);
    all[..count].copy_from_slice(&corners[..count]);
    let (locals_out, velocities_out) = (&mut all_locals, &mut all_velocities);
    stroll_block(pace, locals_out, velocities_out, &all_wishes, &all_bodies, &all, left);
    locals.copy_from_slice(&all_locals[..count]);
    velocities.copy_from_slice(&all_velocities[..count]);
    if let Some(last) = left.others.last_mut() {
        *last &= ((1_u32 << count) - 1) as u16;
    }
}

/// What strolling asks of sixteen units: how far, how long, how far down.
#[inline(always)]
pub(crate) fn gaits_of(pace: &Pace<'_>, bodies: &[BodyId; LANES]) -> [[f32; LANES]; 3] {
    if let [only] = pace.gaits {
        return [[only.inner; LANES], [only.longest_squared; LANES], [only.step_down; LANES]];
    }
    let mut gaits = [[0.0_f32; LANES]; 3];
    for lane in 0..LANES {
        let own = &pace.gaits[bodies[lane].index()];
        gaits[0][lane] = own.inner;
        gaits[1][lane] = own.longest_squared;
        gaits[2][lane] = own.step_down;
    }
    gaits
}

/// Sixteen units.
#[inline(always)]
fn stroll_block(
    pace: &Pace<'_>,
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    wishes: &[Wish; LANES],
    bodies: &[BodyId; LANES],
    corners: &[Corners; LANES],
    left: &mut Left,
) {
    let gait = gaits_of(pace, bodies);
    let [inner, longest_squared, step_down] = &gait;
    let (mut x, mut y, mut z) = ([0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES]);
    let (mut vx, mut vz) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let mut jumps = [0_u32; LANES];
    for lane in 0..LANES {
        (x[lane], y[lane], z[lane]) = (locals[lane].x, locals[lane].y, locals[lane].z);
        [vx[lane], vz[lane]] = wishes[lane].velocity;
        jumps[lane] = u32::from(wishes[lane].jump);
    }
    let mut end = End::default();
    let (mut strolls, mut crosses) = ([0_u32; LANES], [0_u32; LANES]);
    for lane in 0..LANES {
        let asked = vx[lane] * vx[lane] + vz[lane] * vz[lane];
        (vx[lane], vz[lane]) = (without_creep(vx[lane]), without_creep(vz[lane]));
        let (dx, dz) = (vx[lane] * pace.dt, vz[lane] * pace.dt);
        let (to_x, to_z) = (x[lane] + dx, z[lane] + dz);
        let (in_x, in_z) = (to_x * pace.cells_per_metre, to_z * pace.cells_per_metre);
        let (cell_x, cell_z) = (floor(in_x), floor(in_z));
        let (u, v) = (in_x - cell_x, in_z - cell_z);
        let (from_x, from_z) =
            (floor(x[lane] * pace.cells_per_metre), floor(z[lane] * pace.cells_per_metre));
        let is_same = (cell_x == from_x) & (cell_z == from_z);
        let [a, b, c, e] = corners[lane];
        let is_north_east = u >= v;
        let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
        let (along_first, along_second) = if is_north_east { (u, v) } else { (v, u) };
        let height = (a + first * along_first) + second * along_second;
        let is_near = (x[lane].abs() < inner[lane])
            & (z[lane].abs() < inner[lane])
            & (to_x.abs() < inner[lane])
            & (to_z.abs() < inner[lane]);
        let is_short =
            (asked <= SPEED_MAX * SPEED_MAX) & (dx * dx + dz * dz < longest_squared[lane]);
        // False where nothing is remembered: the height is not a number then.
        let is_supported = y[lane] - height <= step_down[lane];
        let may = is_near & is_short & (jumps[lane] == 0);
        strolls[lane] = u32::from(may & is_same & is_supported);
        let column = |cell: f32| whole(cell + pace.half_cells);
        let tiles = [column(cell_x) ^ column(from_x), column(cell_z) ^ column(from_z)];
        // Over the corner of a tile others may be in the way.
        let is_beside = (tiles[0] >> pace.tile_log2 == 0) | (tiles[1] >> pace.tile_log2 == 0);
        crosses[lane] = u32::from(may & !is_same & is_beside & !a.is_nan());
        (end.x[lane], end.height[lane], end.z[lane]) = (to_x, height, to_z);
    }
    write(locals, velocities, &strolls, &end, [&vx, &vz]);
    let (mut others, mut crossing) = (0_u32, 0_u32);
    for lane in 0..LANES {
        others |= ((strolls[lane] | crosses[lane]) ^ 1) << lane;
        crossing |= crosses[lane] << lane;
    }
    let first = left.others.len() * LANES;
    left.others.push(others as u16);
    while crossing != 0 {
        let lane = crossing.trailing_zeros() as usize;
        crossing &= crossing - 1;
        left.crossers.push((first + lane) as u32, [end.x[lane], end.z[lane]]);
    }
}

/// Where the moves of a block end.
#[derive(Default)]
struct End {
    x: [f32; LANES],
    height: [f32; LANES],
    z: [f32; LANES],
}

/// Writes what has changed of the units that stroll.
#[inline(always)]
fn write(
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    strolls: &[u32; LANES],
    end: &End,
    velocity: [&[f32; LANES]; 2],
) {
    let mut new_velocity = 0_u32;
    for lane in 0..LANES {
        let was = velocities[lane];
        let differs = (was.x.to_bits() ^ velocity[0][lane].to_bits())
            | was.y.to_bits()
            | (was.z.to_bits() ^ velocity[1][lane].to_bits());
        new_velocity |= u32::from(differs != 0) & strolls[lane];
    }
    for lane in 0..LANES {
        let was = locals[lane];
        let is = Vec3::new(end.x[lane] + 0.0, end.height[lane] + 0.0, end.z[lane] + 0.0);
        locals[lane] = if strolls[lane] == 1 { is } else { was };
    }
    if new_velocity != 0 {
        for lane in 0..LANES {
            if strolls[lane] == 1 {
                velocities[lane] = Vec3::new(velocity[0][lane], 0.0, velocity[1][lane]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
