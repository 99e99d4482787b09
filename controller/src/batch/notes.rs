//! What a tick leaves beside the units: counts, lists and events. Each thread notes them for the chunk that it
//! moves, and adds them to those of all threads, in any order; the lists are sorted at the end.

use marchland_terrain::SectorCoord;
use marchland_terrain::math::{greater, lesser};

use crate::units::body::BodyId;
use crate::units::contact_state::ContactState;
use crate::units::event::{Event, EventKind};
use crate::units::report::Report;
use crate::units::unit::UnitId;

/// Events for which there is room, for each unit for which there is any. Hardly any unit reports more than one in a
/// tick, and none more than 16 plus one for being held or released.
const EVENTS_EACH: usize = 2;

/// Missing sectors for which there is room at first.
const MISSING: usize = 256;

/// Units that find no map, or no number, for which there is room.
const UNKNOWN: usize = 256;

/// Crowds of up to this many units have room for all at once; in larger ones as many have, or this share.
const ROOM_MIN: usize = 16_384;
const ROOM_SHARE: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) report: Report,
    /// Until they are in order, the generation of a unit counts its events.
    pub(crate) events: Vec<Event>,
    /// Units of the chunk that stayed in their cells or crossed into others so far.
    pub(crate) in_cell: usize,
    /// Sectors without an open map for a body that could move within cells there.
    pub(crate) unknown: Vec<(SectorCoord, BodyId)>,
    /// Sectors without a number in which units could remember their surroundings.
    pub(crate) unseen: Vec<SectorCoord>,
    /// The contact state of units before a strict tick that changes it, by slot.
    pub(crate) states_before: Vec<(u32, ContactState)>,
}

/// How many of a crowd's units there is room for in lists of what happens to few of many.
pub(super) fn capacity_for(units: usize) -> usize {
    lesser(units, greater(ROOM_MIN, units / ROOM_SHARE))
}

impl Notes {
    /// Clears the notes of the last tick, and makes room for those of `units` units.
    pub(crate) fn prepare(&mut self, units: usize, is_strict: bool) {
        let units = capacity_for(units);
        self.clear();
        self.events.reserve(EVENTS_EACH * units);
        self.unknown.reserve(lesser(units, UNKNOWN));
        self.unseen.reserve(lesser(units, UNKNOWN));
        if is_strict {
            self.states_before.reserve(units);
        }
        self.report.reserve(units, MISSING);
    }

    pub(crate) fn clear(&mut self) {
        self.report.clear();
        self.events.clear();
        self.in_cell = 0;
        self.unknown.clear();
        self.unseen.clear();
        self.states_before.clear();
    }

    /// Notes an event of a unit.
    pub(crate) fn emit(&mut self, slot: u32, kind: EventKind) {
        self.events.push(Event { unit: UnitId { slot, generation: 0 }, kind });
    }

    /// Whether there is more than counts.
    pub(crate) fn has_lists(&self) -> bool {
        let lists = [self.events.len(), self.unknown.len(), self.unseen.len()];
        lists != [0; 3] || !self.states_before.is_empty() || self.report.has_lists()
    }

    /// Adds the notes of a thread, and clears those.
    pub(crate) fn take(&mut self, other: &mut Self) {
        self.report.take(&mut other.report);
        self.events.append(&mut other.events);
        self.unknown.append(&mut other.unknown);
        self.unseen.append(&mut other.unseen);
        self.states_before.append(&mut other.states_before);
    }

    /// Puts the lists into the order of slots, and the events of each unit into that in which they happened.
    pub(crate) fn sort(&mut self, generations: &[u32]) {
        self.report.sort();
        self.events.sort_unstable_by_key(|event| (event.unit.slot, event.unit.generation));
        for event in &mut self.events {
            event.unit.generation = generations[event.unit.slot as usize];
        }
    }
}
