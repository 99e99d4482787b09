//! Strolling: sixteen units at a time over ground that they remember. The common case of following, and
//! the same operations on the same numbers: what does not surely fit is left to it.
//!
//! The lines of code are those of one unit, written for arrays; the compiler makes of them what the
//! processor at hand has (AVX-512, AVX2, or what every processor of its kind has). None of them rounds
//! otherwise: there is no fused multiply-add among them.

use marchland_terrain::glam::Vec3;

use crate::body::BodyId;
use crate::cells::{Block, LANES};
use crate::follow::{Gait, without_creep};
use crate::frame::floor;
use crate::limits::SPEED_MAX;
use crate::wish::Wish;

/// What is the same for all units of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace<'a> {
    pub(crate) dt: f32,
    pub(crate) cells_per_metre: f32,
    /// By body.
    pub(crate) gaits: &'a [Gait],
}

/// Columns of units whose slots follow each other; the blocks hold as many or a few more.
pub(crate) struct Columns<'a> {
    pub(crate) locals: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) wishes: &'a [Wish],
    pub(crate) bodies: &'a [BodyId],
    pub(crate) blocks: &'a [Block],
}

/// Moves the units that stroll within the cell that they remember. `left` gets a bit set for every unit
/// that was not moved, the first in the lowest bit, a word for each block.
pub(crate) fn stroll(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
        {
            #[allow(unsafe_code)]
            // SAFETY: the processor has just been asked for what the function needs, and its body is
            // safe code.
            return unsafe { stroll_avx512(pace, columns, left) };
        }
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            return unsafe { stroll_avx2(pace, columns, left) };
        }
    }
    stroll_anywhere(pace, columns, left);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn stroll_avx512(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Vec<u16>) {
    stroll_anywhere(pace, columns, left);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn stroll_avx2(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Vec<u16>) {
    stroll_anywhere(pace, columns, left);
}

#[inline(always)]
fn stroll_anywhere(pace: &Pace<'_>, columns: Columns<'_>, left: &mut Vec<u16>) {
    let Columns { locals, velocities, wishes, bodies, blocks } = columns;
    let (locals, last_locals) = locals.as_chunks_mut::<LANES>();
    let (velocities, last_velocities) = velocities.as_chunks_mut::<LANES>();
    let (wishes, last_wishes) = wishes.as_chunks::<LANES>();
    let (bodies, last_bodies) = bodies.as_chunks::<LANES>();
    let (whole, last) = blocks.split_at(locals.len());
    let units = locals.iter_mut().zip(velocities).zip(wishes).zip(bodies).zip(whole);
    for ((((locals, velocities), wishes), bodies), block) in units {
        left.push(stroll_block(pace, locals, velocities, wishes, bodies, block));
    }
    if let [block] = last {
        left.push(stroll_rest(pace, last_locals, last_velocities, last_wishes, last_bodies, block));
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
    block: &Block,
) -> u16 {
    let count = locals.len();
    let (mut all_locals, mut all_velocities) = ([Vec3::ZERO; LANES], [Vec3::ZERO; LANES]);
    let (mut all_wishes, mut all_bodies) = ([Wish::STAND; LANES], [BodyId(0); LANES]);
    let mut all = *block;
    all_locals[..count].copy_from_slice(locals);
    all_velocities[..count].copy_from_slice(velocities);
    all_wishes[..count].copy_from_slice(&wishes[..count]);
    all_bodies[..count].copy_from_slice(&bodies[..count]);
    all.0[0][count..].fill(f32::NAN);
    let left =
        stroll_block(pace, &mut all_locals, &mut all_velocities, &all_wishes, &all_bodies, &all);
    locals.copy_from_slice(&all_locals[..count]);
    velocities.copy_from_slice(&all_velocities[..count]);
    left & ((1_u32 << count) - 1) as u16
}

/// Sixteen units.
#[inline(always)]
fn stroll_block(
    pace: &Pace<'_>,
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    wishes: &[Wish; LANES],
    bodies: &[BodyId; LANES],
    block: &Block,
) -> u16 {
    let [a, b, c, e] = &block.0;
    let mut gait = [[0.0_f32; LANES]; 3];
    if let [only] = pace.gaits {
        gait = [[only.inner; LANES], [only.longest_squared; LANES], [only.step_down; LANES]];
    } else {
        for lane in 0..LANES {
            let own = &pace.gaits[bodies[lane].index()];
            gait[0][lane] = own.inner;
            gait[1][lane] = own.longest_squared;
            gait[2][lane] = own.step_down;
        }
    }
    let [inner, longest_squared, step_down] = &gait;
    let (mut x, mut y, mut z) = ([0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES]);
    let (mut vx, mut vz) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let mut jumps = [0_u32; LANES];
    for lane in 0..LANES {
        (x[lane], y[lane], z[lane]) = (locals[lane].x, locals[lane].y, locals[lane].z);
        [vx[lane], vz[lane]] = wishes[lane].velocity;
        jumps[lane] = u32::from(wishes[lane].jump);
    }
    let (mut to_x, mut to_z, mut height) = ([0.0_f32; LANES], [0.0_f32; LANES], [0.0_f32; LANES]);
    let mut strolls = [0_u32; LANES];
    for lane in 0..LANES {
        let asked = vx[lane] * vx[lane] + vz[lane] * vz[lane];
        (vx[lane], vz[lane]) = (without_creep(vx[lane]), without_creep(vz[lane]));
        let (dx, dz) = (vx[lane] * pace.dt, vz[lane] * pace.dt);
        (to_x[lane], to_z[lane]) = (x[lane] + dx, z[lane] + dz);
        let (in_x, in_z) = (to_x[lane] * pace.cells_per_metre, to_z[lane] * pace.cells_per_metre);
        let (cell_x, cell_z) = (floor(in_x), floor(in_z));
        let (u, v) = (in_x - cell_x, in_z - cell_z);
        let is_same = (cell_x == floor(x[lane] * pace.cells_per_metre))
            & (cell_z == floor(z[lane] * pace.cells_per_metre));
        let [a, b, c, e] = [a[lane], b[lane], c[lane], e[lane]];
        let is_north_east = u >= v;
        let (first, second) = if is_north_east { (b - a, e - b) } else { (c - a, e - c) };
        let (along_first, along_second) = if is_north_east { (u, v) } else { (v, u) };
        height[lane] = (a + first * along_first) + second * along_second;
        let is_near = (x[lane].abs() < inner[lane])
            & (z[lane].abs() < inner[lane])
            & (to_x[lane].abs() < inner[lane])
            & (to_z[lane].abs() < inner[lane]);
        let is_short =
            (asked <= SPEED_MAX * SPEED_MAX) & (dx * dx + dz * dz < longest_squared[lane]);
        // False where nothing is remembered: the height is not a number then.
        let is_supported = y[lane] - height[lane] <= step_down[lane];
        strolls[lane] = u32::from(is_same & is_near & is_short & is_supported & (jumps[lane] == 0));
    }
    write(locals, velocities, &strolls, [&to_x, &height, &to_z], [&vx, &vz])
}

/// Writes what has changed of the units that stroll. Gives the bits of the others.
#[inline(always)]
fn write(
    locals: &mut [Vec3; LANES],
    velocities: &mut [Vec3; LANES],
    strolls: &[u32; LANES],
    to: [&[f32; LANES]; 3],
    velocity: [&[f32; LANES]; 2],
) -> u16 {
    let (mut left, mut new_velocity) = (0_u32, 0_u32);
    for lane in 0..LANES {
        left |= (strolls[lane] ^ 1) << lane;
        let was = velocities[lane];
        let differs = (was.x.to_bits() ^ velocity[0][lane].to_bits())
            | was.y.to_bits()
            | (was.z.to_bits() ^ velocity[1][lane].to_bits());
        new_velocity |= u32::from(differs != 0) & strolls[lane];
    }
    for lane in 0..LANES {
        let was = locals[lane];
        let is = Vec3::new(to[0][lane] + 0.0, to[1][lane] + 0.0, to[2][lane] + 0.0);
        locals[lane] = if strolls[lane] == 1 { is } else { was };
    }
    if new_velocity != 0 {
        for lane in 0..LANES {
            if strolls[lane] == 1 {
                velocities[lane] = Vec3::new(velocity[0][lane], 0.0, velocity[1][lane]);
            }
        }
    }
    left as u16
}
