//! What is known of each sector that is wanted or in memory.

use std::sync::Arc;
use std::time::Duration;

use super::ledger::Ledger;
use super::loader::Cancel;
use super::wanted::{Rank, Want};
use crate::format::LoadedSector;
use crate::math::SectorCoord;
use crate::props::MeshHash;
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
    /// In memory, but not in the view.
    Arrived(Arc<LoadedSector>),
    /// In the view.
    Resident,
    /// Not part of the world.
    Outside,
    /// No longer part of the world: units on it wait.
    Removed,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) coord: SectorCoord,
    pub(super) state: State,
    pub(super) rank: Rank,
    /// Seconds until it is needed; infinite if it is not wanted.
    pub(super) need: f32,
    /// Whether a source stands on it.
    pub(super) is_occupied: bool,
    /// Whether a reload took it out of the view: units may wait on it, so it is not forgotten.
    pub(super) is_remembered: bool,
    /// Its record in the manifest, once known.
    pub(super) record: Option<SectorRecord>,
    /// The meshes that it had when it was last read, with their bytes.
    pub(super) meshes: Box<[(MeshHash, u64)]>,
    /// Since when it has been wanted.
    pub(super) since: Duration,
    /// When it was last wanted.
    pub(super) wanted_at: Duration,
    /// Number of failures in a row.
    pub(super) failures: u32,
    /// When it may be retried.
    pub(super) retry_at: Duration,
}

impl Slot {
    pub(super) fn new(want: &Want, now: Duration) -> Self {
        Self {
            coord: want.coord,
            state: State::New,
            rank: want.rank,
            need: want.need,
            is_occupied: want.is_occupied,
            is_remembered: false,
            record: None,
            meshes: Box::default(),
            since: now,
            wanted_at: now,
            failures: 0,
            retry_at: Duration::ZERO,
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.rank >= Rank::Wanted
    }

    /// Whether it is wanted and should be in the view, but is not.
    pub(super) fn is_missing(&self) -> bool {
        let is_settled = matches!(self.state, State::Resident | State::Outside | State::Removed);
        self.is_wanted() && !is_settled
    }

    /// Whether it keeps its slot even when it is not wanted, as what is or will be in memory does.
    fn stays_unwanted(&self) -> bool {
        use State::{Arrived, Loading, Removed, Resident};
        self.is_remembered || matches!(self.state, Loading(_) | Arrived(_) | Resident | Removed)
    }

    fn be_wanted(&mut self, want: &Want, now: Duration) {
        if want.rank >= Rank::Wanted {
            if !self.is_wanted() {
                self.since = now;
            }
            self.wanted_at = now;
        }
        (self.rank, self.need, self.is_occupied) = (want.rank, want.need, want.is_occupied);
    }

    /// Called when no source is near any more.
    fn be_left(&mut self) {
        (self.rank, self.need, self.is_occupied) = (Rank::Stale, f32::INFINITY, false);
        if let State::Loading(cancel) = &self.state {
            cancel.set();
        }
    }

    /// Bytes that loading it will add to what is in memory, as far as known.
    pub(super) fn load_bytes(&self, ledger: &Ledger) -> u64 {
        self.bytes_with(|mesh| !ledger.has_mesh(mesh))
    }

    /// Bytes that it takes by itself, as far as known.
    pub(super) fn alone_bytes(&self) -> u64 {
        self.bytes_with(|_| true)
    }

    fn bytes_with(&self, counts: impl Fn(MeshHash) -> bool) -> u64 {
        let file = self.record.map_or(0, |record| record.file_bytes);
        let meshes = self.meshes.iter().filter(|(mesh, _)| counts(*mesh));
        meshes.fold(file, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// How urgent it is: less is more urgent. Waiting makes everything more urgent, so that nothing waits for
    /// ever behind sectors that are always a little nearer.
    pub(super) fn urgency(&self, now: Duration) -> f32 {
        let waited = now.saturating_sub(self.since).as_secs_f32();
        self.need / (1.0 + waited / AGE_SECONDS)
    }
}

/// A wait of this many seconds halves what is left of the time until a sector is needed. If it were shorter,
/// a long queue would be ordered by age; if longer, sectors that are always overtaken would wait long.
const AGE_SECONDS: f32 = 10.0;

/// All sectors that are wanted or in memory. A slot does not move while it is used. Only the places of slots
/// are kept in order of coordinates, and moved when others are inserted.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// The place of each sector's slot, in order of coordinates.
    order: Vec<(SectorCoord, u32)>,
    /// Unused slots: not wanted, not in memory.
    free: Vec<u32>,
    merged: Vec<(SectorCoord, u32)>,
}

impl Table {
    /// All slots in no particular order, including unused ones, which are neither wanted nor in memory.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(super) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// The places of all used slots, in order of coordinates.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|(_, at)| *at as usize)
    }

    pub(super) fn find_mut(&mut self, coord: SectorCoord) -> Option<&mut Slot> {
        let at = self.order.binary_search_by_key(&coord, |(coord, _)| *coord).ok()?;
        let (_, at) = *self.order.get(at)?;
        self.slots.get_mut(at as usize)
    }

    /// Reserves room for this many sectors, so that a plan allocates no memory.
    pub(super) fn reserve(&mut self, sectors: usize) {
        self.slots.reserve(sectors);
        self.order.reserve(sectors);
        self.merged.reserve(sectors);
        self.free.reserve(sectors);
    }

    /// Inserts a slot whose sector has none yet.
    pub(super) fn insert(&mut self, slot: Slot) {
        let coord = slot.coord;
        if let Err(to) = self.order.binary_search_by_key(&coord, |(coord, _)| *coord) {
            let at = place(&mut self.slots, &mut self.free, slot);
            self.order.insert(to, (coord, at));
        }
    }

    /// Takes what is wanted now, in order of coordinates and each once. `dropped` receives the slots that are
    /// no longer wanted and hold no memory.
    pub(super) fn want(&mut self, wants: &[Want], now: Duration, mut dropped: impl FnMut(&Slot)) {
        let Self { slots, order, free, merged } = self;
        merged.clear();
        let mut old = order.iter().copied().peekable();
        let mut leave = |(coord, at): (SectorCoord, u32),
                         merged: &mut Vec<_>,
                         slots: &mut [Slot],
                         free: &mut Vec<u32>| {
            let slot = &mut slots[at as usize];
            slot.be_left();
            if slot.stays_unwanted() {
                merged.push((coord, at));
            } else {
                dropped(slot);
                (slot.state, slot.failures, slot.record) = (State::New, 0, None);
                free.push(at);
            }
        };
        for want in wants {
            while let Some(slot) = old.next_if(|(coord, _)| *coord < want.coord) {
                leave(slot, merged, slots, free);
            }
            match old.next_if(|(coord, _)| *coord == want.coord) {
                Some((coord, at)) => {
                    slots[at as usize].be_wanted(want, now);
                    merged.push((coord, at));
                }
                None if want.rank == Rank::Kept => {}
                None => merged.push((want.coord, place(slots, free, Slot::new(want, now)))),
            }
        }
        for slot in old {
            leave(slot, merged, slots, free);
        }
        std::mem::swap(order, merged);
    }
}

/// Puts a slot in an unused place.
fn place(slots: &mut Vec<Slot>, free: &mut Vec<u32>, slot: Slot) -> u32 {
    match free.pop() {
        Some(at) => {
            slots[at as usize] = slot;
            at
        }
        None => {
            slots.push(slot);
            slots.len() as u32 - 1
        }
    }
}
