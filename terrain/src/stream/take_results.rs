//! Takes the results of loading threads between two ticks.

use std::sync::Arc;

use super::Streamer;
use super::loader::{Done, Outcome};
use super::report::StreamEvent;
use super::table::State;
use super::wanted::Rank;
use crate::format::LoadedSector;
use crate::math::SectorCoord;
use crate::store::{SectorRecord, StoreError};

type RecordResult = Result<Option<SectorRecord>, StoreError>;
type SectorResult = Result<Option<Arc<LoadedSector>>, StoreError>;

impl Streamer {
    pub(super) fn take_finished(&mut self) {
        while let Some(Done(outcome)) = self.loader.get().finished() {
            match outcome {
                Outcome::Located { generation, found, coords } => {
                    self.is_locating = false;
                    self.spare_coords = coords;
                    for (coord, located) in found {
                        self.take_located(generation, coord, located);
                    }
                }
                Outcome::Loaded { coord, reserved_bytes, sector } => {
                    self.stats.in_flight -= 1;
                    self.reserved_bytes -= reserved_bytes;
                    self.take_loaded(coord, sector);
                }
                Outcome::Reopened(reopened) => self.take_reopened(reopened),
                Outcome::Freed(list) => self.spare.push(list),
            }
            self.plan.forget_order();
        }
    }

    fn take_located(&mut self, generation: u64, coord: SectorCoord, located: RecordResult) {
        // What a lookup finds while a newer generation is searched for is not among the sectors that are
        // compared.
        let is_stale = generation != self.files.generation() || self.is_reopening;
        let Some(slot) = self.table.find_mut(coord) else { return };
        if !matches!(slot.state, State::Locating) {
            return;
        }
        slot.state = State::New;
        if is_stale {
            return;
        }
        match located {
            Ok(Some(record)) => {
                slot.record = Some(record);
                slot.state = State::Waiting;
            }
            Ok(None) => {
                slot.state = State::Outside;
                slot.failures = 0;
                self.sectors.set_outside(coord);
            }
            Err(error) => self.fail(coord, error),
        }
    }

    fn take_loaded(&mut self, coord: SectorCoord, loaded: SectorResult) {
        let slot = self.table.find_mut(coord);
        let Some(slot) = slot.filter(|slot| matches!(slot.state, State::Loading(_))) else {
            // It was removed from the world meanwhile.
            self.leaving.extend(loaded.ok().flatten());
            return;
        };
        let State::Loading(cancel) = std::mem::replace(&mut slot.state, State::Waiting) else {
            return;
        };
        // A load that began before a newer generation was taken may bring content that is valid in both.
        let is_right = |sector: &LoadedSector| {
            let hash = sector.layout().content_hash();
            slot.record.is_some_and(|record| record.content_hash == hash)
        };
        match loaded {
            Ok(Some(sector)) if is_right(&sector) => self.take_sector(coord, sector),
            Ok(Some(sector)) => self.leaving.push(sector),
            Ok(None) => self.stats.cancelled += 1,
            // The error is of the older generation, and does not apply to the newer one.
            Err(_) if cancel.is_set() => {}
            Err(error) => self.fail(coord, error),
        }
    }

    /// Keeps a loaded sector if there is room for it.
    fn take_sector(&mut self, coord: SectorCoord, sector: Arc<LoadedSector>) {
        let Some(slot) = self.table.find_mut(coord) else { return };
        self.stats.loads += 1;
        self.stats.read_bytes += sector.len_bytes() as u64;
        let meshes = sector.meshes().iter();
        slot.meshes = meshes.map(|mesh| (mesh.hash(), mesh.len_bytes() as u64)).collect();
        let failures = std::mem::take(&mut slot.failures);
        let (rank, need) = (slot.rank, slot.need);
        if failures > 0 {
            self.events.push(StreamEvent::Recovered { coord, failures });
            self.sectors.unlist(coord);
        }
        self.ledger.add(&sector);
        self.note_memory();
        // Its meshes were not counted when it was started. If nothing may be evicted for it, it is dropped
        // itself.
        let limit = self.settings.budget_bytes;
        let fits = rank > Rank::Stale && self.shrink(limit, rank, need);
        if !fits && self.ledger.bytes() > limit || rank == Rank::Stale {
            self.ledger.remove(&sector);
            self.leaving.push(sector);
            return;
        }
        if let Some(slot) = self.table.find_mut(coord) {
            slot.state = State::Arrived(sector);
            self.stats.arrived += 1;
        }
    }

    /// Records a failure, reports the first of several, and sets the time of the next attempt.
    fn fail(&mut self, coord: SectorCoord, error: StoreError) {
        let Some(slot) = self.table.find_mut(coord) else { return };
        self.stats.failures += 1;
        slot.failures = slot.failures.saturating_add(1);
        slot.retry_at = self.now.saturating_add(self.settings.wait_after(slot.failures));
        if slot.failures == 1 {
            self.sectors.set_failed(coord);
            self.events.push(StreamEvent::Failed { coord, error: Arc::new(error) });
        }
    }
}
