//! What is known of each sector that somebody wants, or that is in memory: in order of coordinates.

use std::sync::Arc;
use std::time::Duration;

use super::loader::Cancel;
use super::wanted::{Rank, Want};
use crate::math::SectorCoord;
use crate::resident::LoadedSector;
use crate::store::SectorRecord;

/// Where a sector is on its way into the view.
///
/// ```text
/// New ── Locating ── Waiting ── Loading ── Arrived ── Resident
///            │          ▲          │          │           │
///         Outside       └──────────┴──────────┴───────────┘   failed, no room, or changed
/// ```
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Not looked up yet.
    New,
    /// Being looked up.
    Locating,
    /// To be loaded.
    Waiting,
    /// Being loaded.
    Loading(Cancel),
    /// In memory, not in the view.
    Arrived(Arc<LoadedSector>),
    /// In the view.
    Resident,
    /// Not part of the world.
    Outside,
    /// No longer part of the world: what stands there waits.
    Removed,
}

/// A sector.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) coord: SectorCoord,
    pub(super) state: State,
    pub(super) rank: Rank,
    /// Seconds until it is needed; without end for one that is not wanted.
    pub(super) need: f32,
    /// What the manifest says of it, once that is known.
    pub(super) record: Option<SectorRecord>,
    /// What it came to when it was last in memory, with its meshes.
    pub(super) known_bytes: Option<u64>,
    /// Since when it is wanted.
    pub(super) since: Duration,
    /// When it was wanted last.
    pub(super) wanted_at: Duration,
    /// Failures in a row.
    pub(super) failures: u32,
    /// When it may be tried again.
    pub(super) retry_at: Duration,
}

impl Slot {
    pub(super) fn new(want: &Want, now: Duration) -> Self {
        Self {
            coord: want.coord,
            state: State::New,
            rank: want.rank,
            need: want.need,
            record: None,
            known_bytes: None,
            since: now,
            wanted_at: now,
            failures: 0,
            retry_at: Duration::ZERO,
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.rank >= Rank::Wanted
    }

    /// Whether it is wanted and should be in the view but is not.
    pub(super) fn is_missing(&self) -> bool {
        let is_settled = matches!(self.state, State::Resident | State::Outside | State::Removed);
        self.is_wanted() && !is_settled
    }

    /// Whether it holds memory, or will.
    fn holds_memory(&self) -> bool {
        matches!(self.state, State::Loading(_) | State::Arrived(_) | State::Resident)
    }

    /// Bytes that a load of it will bring.
    pub(super) fn load_bytes(&self) -> u64 {
        let file = self.record.map_or(0, |record| record.file_bytes);
        self.known_bytes.map_or(file, |known| known.max(file))
    }

    /// How urgent it is: less is more. Waiting makes everything more urgent, so that nothing waits
    /// for ever behind what is always a little nearer.
    pub(super) fn urgency(&self, now: Duration) -> f32 {
        let waited = now.saturating_sub(self.since).as_secs_f32();
        self.need / (1.0 + waited / AGE_SECONDS)
    }
}

/// A wait of so many seconds halves what is left of the time until a sector is needed. Shorter, and
/// the order of a long queue is that of its age; longer, and what is always outrun waits long.
const AGE_SECONDS: f32 = 10.0;

/// All sectors that are wanted or in memory.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    merged: Vec<Slot>,
}

impl Table {
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(super) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    pub(super) fn find_mut(&mut self, coord: SectorCoord) -> Option<&mut Slot> {
        let at = self.slots.binary_search_by_key(&coord, |slot| slot.coord).ok()?;
        self.slots.get_mut(at)
    }

    /// Puts a slot in that is not there yet.
    pub(super) fn insert(&mut self, slot: Slot) {
        if let Err(at) = self.slots.binary_search_by_key(&slot.coord, |slot| slot.coord) {
            self.slots.insert(at, slot);
        }
    }

    /// Takes what is wanted now, in order of coordinates and each once. What is not wanted any more
    /// and holds no memory is handed to `dropped`.
    pub(super) fn want(&mut self, wants: &[Want], now: Duration, mut dropped: impl FnMut(Slot)) {
        self.merged.clear();
        let mut old = self.slots.drain(..).peekable();
        for want in wants {
            while let Some(slot) = old.next_if(|slot| slot.coord < want.coord) {
                leave(slot, &mut self.merged, &mut dropped);
            }
            match old.next_if(|slot| slot.coord == want.coord) {
                Some(slot) => self.merged.push(wanted_again(slot, want, now)),
                None if want.rank == Rank::Kept => {}
                None => self.merged.push(Slot::new(want, now)),
            }
        }
        for slot in old {
            leave(slot, &mut self.merged, &mut dropped);
        }
        std::mem::swap(&mut self.slots, &mut self.merged);
    }
}

fn wanted_again(mut slot: Slot, want: &Want, now: Duration) -> Slot {
    if want.rank >= Rank::Wanted {
        if !slot.is_wanted() {
            slot.since = now;
        }
        slot.wanted_at = now;
    }
    (slot.rank, slot.need) = (want.rank, want.need);
    slot
}

/// A sector that nobody is near.
fn leave(mut slot: Slot, kept: &mut Vec<Slot>, dropped: &mut impl FnMut(Slot)) {
    (slot.rank, slot.need) = (Rank::Stale, f32::INFINITY);
    if slot.holds_memory() || matches!(slot.state, State::Removed) {
        if let State::Loading(cancel) = &slot.state {
            cancel.set();
        }
        kept.push(slot);
    } else {
        dropped(slot);
    }
}
