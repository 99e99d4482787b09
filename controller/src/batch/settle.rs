//! The end of a unit's tick: its outcome is written into its columns, counted, and told.

use marchland_terrain::WorldPos;

use super::context::{TickContext, WriteColumns};
use super::held_rider::ride_on;
use super::notes::Notes;
use crate::ground::sectors::Sectors;
use crate::kinematic::reach_of;
use crate::units::event::{EventKind, LeftGround};
use crate::units::report::Report;
use crate::units::tick::{Outcome, Verdict};
use crate::units::unit::{Motion, UnitId, Wait};

impl TickContext<'_> {
    /// Writes and notes what a tick made of a unit. Its events from the full controller are those noted from
    /// `from` on.
    pub(super) fn settle(
        &self,
        chunk: &mut WriteColumns<'_>,
        notes: &mut Notes,
        index: usize,
        outcome: &Outcome,
        from: usize,
    ) {
        let slot = chunk.first + index;
        emit_waits(chunk.waits[index], notes, slot as u32, outcome, from);
        let unit = UnitId { slot: slot as u32, generation: self.columns.generations[slot] };
        let report = &mut notes.report;
        match outcome.verdict {
            Verdict::Moved => {
                chunk.set_unit(index, outcome);
                count(report, outcome.unit.motion, (outcome.met_edge, outcome.met_slope));
                report.landed += usize::from(outcome.landed);
                report.left_ground += usize::from(outcome.left_ground);
                report.borders_crossed += u64::from(outcome.borders);
            }
            Verdict::Held | Verdict::HeldBy(_) => {
                report.held.push(unit);
                self.ride_on(chunk, notes, index);
                chunk.waits[index] = Wait::Held;
            }
            Verdict::Overloaded => {
                report.overloaded.push(unit);
                self.ride_on(chunk, notes, index);
                chunk.waits[index] = Wait::Overloaded;
            }
            Verdict::Invalid => {
                report.invalid.push(unit);
                self.ride_on(chunk, notes, index);
            }
            Verdict::Outside => {
                report.outside.push(unit);
                chunk.waits[index] = Wait::None;
            }
        }
    }

    fn ride_on(&self, chunk: &mut WriteColumns<'_>, notes: &mut Notes, index: usize) {
        self.keep_state(chunk, notes, index);
        let mask = self.columns.masks[chunk.first + index];
        ride_on(self.view, self.tick, chunk, index, mask);
    }

    /// Keeps the contact state of a unit that a strict tick is about to change.
    pub(super) fn keep_state(&self, chunk: &WriteColumns<'_>, notes: &mut Notes, index: usize) {
        if self.is_strict {
            notes.states_before.push(((chunk.first + index) as u32, *chunk.contact_states[index]));
        }
    }

    /// Lists the sectors for which a unit waits that is held.
    #[inline]
    pub(super) fn list_missing(
        &self,
        chunk: &WriteColumns<'_>,
        report: &mut Report,
        sectors: &mut Sectors<'_>,
        index: usize,
        outcome: &Outcome,
    ) {
        match outcome.verdict {
            Verdict::Held => {}
            Verdict::HeldBy(coord) => return report.add_missing(coord),
            _ => return,
        }
        let (slot, size) = (chunk.first + index, self.view.grid().sector_size());
        let place = WorldPos::new(chunk.sectors[index], chunk.locals[index], size);
        let Ok(place) = place else { return };
        let body = &self.columns.bodies[self.columns.body_ids[slot].index()];
        let (state, who) = (&chunk.contact_states[index], (body, self.columns.masks[slot]));
        let (unit, wish) = (&outcome.unit, self.wishes[slot]);
        let reach = reach_of(self.tick, self.view, place, unit, state, who, wish);
        for coord in reach.sectors(unit.sector) {
            if sectors.is_missing(coord) {
                report.add_missing(coord);
            }
        }
    }
}

/// Notes the events of a unit that began or ceased to wait in this tick, before those of the full controller, and
/// those of a unit that followed.
fn emit_waits(wait: Wait, notes: &mut Notes, slot: u32, outcome: &Outcome, from: usize) {
    if outcome.verdict == Verdict::Invalid {
        return; // the wish is invalid: a unit that was waiting goes on waiting
    }
    let before = notes.events.len();
    let was_held = wait == Wait::Held;
    let is_held = matches!(outcome.verdict, Verdict::Held | Verdict::HeldBy(_));
    let was_overloaded = wait == Wait::Overloaded;
    let is_overloaded = outcome.verdict == Verdict::Overloaded;
    if was_overloaded && !is_overloaded {
        notes.emit(slot, EventKind::OverloadEnded);
    }
    if was_held != is_held {
        notes.emit(slot, if is_held { EventKind::Held } else { EventKind::Released });
    }
    if is_overloaded && !was_overloaded {
        notes.emit(slot, EventKind::Overloaded);
    }
    if outcome.follows && outcome.verdict == Verdict::Moved {
        if outcome.touched_ground {
            notes.emit(slot, EventKind::Landed { speed: outcome.landing_speed });
        }
        let falls = outcome.unit.motion == Motion::Falling;
        if outcome.left_ground || (outcome.touched_ground && falls) {
            notes.emit(slot, EventKind::LeftGround { reason: LeftGround::LostSupport });
        }
    }
    let told = notes.events.len() - before;
    let events = &mut notes.events[from..];
    if events.is_empty() {
        return;
    }
    events.rotate_right(told);
    for (order, event) in (0..).zip(events) {
        event.unit.generation = order;
    }
}

/// Counts a unit that has moved, or stood, and whether it met an edge, and ground too steep.
pub(super) fn count(report: &mut Report, motion: Motion, (met_edge, met_slope): (bool, bool)) {
    report.ticked += 1;
    match motion {
        Motion::Walking => report.walking += 1,
        Motion::Falling => report.falling += 1,
        Motion::Sliding => report.sliding += 1,
        Motion::Climbing => report.climbing += 1,
    }
    report.stopped_at_edge += usize::from(met_edge);
    report.stopped_by_slope += usize::from(met_slope);
}
