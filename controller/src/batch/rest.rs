//! Rest: a unit whose tick changed nothing does the same again for as long as its wish and everything near are the same.

use marchland_terrain::PropId;
use marchland_terrain::glam::Vec3;

use super::context::{TickContext, WriteColumns};
use super::notes::Notes;
use super::settle::count;
use crate::kinematic::{FullResult, Subject};
use crate::units::memory::unit_memory::{Rest, UnitMemory};
use crate::units::tick::{Outcome, Verdict};
use crate::units::unit::Wait;

impl TickContext<'_> {
    /// Whether a unit rests as it remembers: then that is all of its tick, as whatever else a tick looks at is as it was.
    /// Live props are not remembered: whether one may be near is asked last.
    #[inline]
    pub(super) fn rests_again(
        &self,
        chunk: &WriteColumns<'_>,
        notes: &mut Notes,
        index: usize,
        is_near_live: impl FnOnce() -> bool,
    ) -> bool {
        let slot = chunk.first + index;
        // Who remembers its cell may have moved without its memory.
        if !chunk.corners[index][0].is_nan() || !self.columns.live[slot] {
            return false;
        }
        let memory: UnitMemory = bytemuck::cast(chunk.memories[index]);
        let Some(rest) = memory.rest(self.wishes[slot]) else { return false };
        let is_current = chunk.waits[index] == Wait::None
            && self.cache_keys.is_current(memory.around())
            && !is_near_live();
        if is_current {
            let report = &mut notes.report;
            report.full += usize::from(!rest.follows);
            count(report, chunk.motions[index], (rest.met_edge, rest.met_slope));
        }
        is_current
    }
}

/// What a tick reports that has changed nothing.
pub(super) fn rest_of(outcome: &Outcome) -> Rest {
    let Outcome { follows, met_edge, met_slope, .. } = *outcome;
    Rest { follows, met_edge, met_slope }
}

/// Whether a tick of the full controller left every bit of a unit as it was and told nothing.
pub(super) fn rests(subject: &Subject<'_>, moved: &Outcome, full: &FullResult) -> bool {
    full.events.as_slice().is_empty() && subject.state.is_same(&full.state) && stays(subject, moved)
}

/// Whether a tick left every bit of a unit as it was (on a belt it moves), and told nothing of what following tells.
pub(super) fn stays(subject: &Subject<'_>, moved: &Outcome) -> bool {
    let (before, now) = (subject.unit, &moved.unit);
    let bits = |vector: Vec3| vector.to_array().map(f32::to_bits);
    moved.verdict == Verdict::Moved
        && !moved.touched_ground
        && !moved.left_ground
        && bits(before.local) == bits(now.local)
        && bits(before.velocity) == bits(now.velocity)
        && before.residue.map(f32::to_bits) == now.residue.map(f32::to_bits)
        && before.sector == now.sector
        && before.motion == now.motion
        // A live prop may carry the unit somewhere else in any tick, wherever the prop is.
        && !matches!(subject.state.support, Some(PropId::Live { .. }))
}
