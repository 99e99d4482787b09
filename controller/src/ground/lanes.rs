//! Rules of the ground and of speeds for sixteen units, as those for one.

use marchland_terrain::kernel::lanes::{F32x16, I32x16, Lanes};

use super::frame::WHOLE;
use crate::limits::SPEED_MIN;

/// Columns or rows of cells, counted from a sector's corner. The input is whole numbers counted from its
/// centre. As [`to_whole`](super::frame::to_whole).
#[inline(always)]
pub(crate) fn cell_index<L: Lanes>(lanes: L, cell: F32x16<L>, half_cells: f32) -> I32x16<L> {
    let sum = cell + F32x16::splat(lanes, half_cells) + F32x16::splat(lanes, WHOLE);
    sum.bits() & I32x16::splat(lanes, 0x003f_ffff)
}

/// As [`without_creep`](crate::units::tick::without_creep).
#[inline(always)]
pub(crate) fn without_creep<L: Lanes>(lanes: L, speed: F32x16<L>) -> F32x16<L> {
    let creeps = speed.abs().lt(F32x16::splat(lanes, SPEED_MIN));
    creeps.select(F32x16::splat(lanes, 0.0), speed)
}
