//! Switches to the newest generation of a world that was baked again.

use super::Streamer;
use super::loader::{Job, ReopenedWorld, Task};
use super::report::StreamEvent;
use super::table::State;
use crate::store::{SectorRecord, StoreError};

use std::sync::Arc;

impl Streamer {
    /// Requests the newest generation of the world. A loading thread looks for it; a later update replaces
    /// the open generation with it and reports that as an event. Sectors whose content has changed leave the
    /// view at once and together, so that no one sees half of each world. They are loaded again; units on
    /// them wait meanwhile. So do units on sectors that are no longer part of the world.
    pub fn reload(&mut self) {
        if self.is_reopening {
            return;
        }
        self.is_reopening = true;
        let mut known = Vec::new();
        for at in self.table.places() {
            let slot = &self.table.slots()[at];
            let record = match slot.state {
                State::Resident => self.files_record(slot.coord),
                // If it is part of the world again, its content counts as different, whatever it is.
                State::Removed => Some(SectorRecord {
                    coord: slot.coord,
                    content_hash: 0,
                    file_bytes: 0,
                    height_range: None,
                }),
                _ => None,
            };
            known.extend(slot.record.or(record));
        }
        self.loader.get().start(Job(Task::Reopen { files: self.files.clone(), known }));
    }

    /// The record of a sector that was in memory before the streamer existed.
    fn files_record(&self, coord: crate::math::SectorCoord) -> Option<SectorRecord> {
        let sector = self.sectors.sector(coord)?;
        Some(SectorRecord {
            coord,
            content_hash: sector.layout().content_hash(),
            file_bytes: sector.len_bytes() as u64,
            height_range: None,
        })
    }

    pub(super) fn take_reopened(&mut self, reopened: Result<Option<ReopenedWorld>, StoreError>) {
        self.is_reopening = false;
        match reopened {
            Ok(Some(newer)) => self.take_newer(newer),
            Ok(None) => self.events.push(StreamEvent::NothingNewer),
            Err(error) => self.events.push(StreamEvent::ReloadFailed { error: Arc::new(error) }),
        }
    }

    fn take_newer(&mut self, newer: ReopenedWorld) {
        let ReopenedWorld { files, changed, removed } = newer;
        let generation = files.generation();
        self.files = files;
        self.sectors.set_corners(self.info().bounds);
        let mut removals = 0;
        let same = |coord| changed.binary_search_by_key(&coord, |record| record.coord).ok();
        let places: Vec<usize> = self.table.places().collect();
        for at in places {
            let slot = &mut self.table.slots_mut()[at];
            let coord = slot.coord;
            if let Some(record) = same(coord).map(|at| changed[at]) {
                if let State::Loading(cancel) = &slot.state {
                    cancel.set();
                }
                slot.record = Some(record);
                slot.meshes = Box::default();
                slot.retry_at = self.now;
                // A different file: the previous one may have failed, this one has not.
                if std::mem::take(&mut slot.failures) > 0 {
                    self.sectors.unlist(coord);
                }
                if matches!(slot.state, State::Removed) {
                    slot.state = State::Waiting;
                    self.sectors.unlist(coord);
                }
                let was_in_view = matches!(slot.state, State::Resident);
                self.evict(at);
                self.table.slots_mut()[at].is_remembered |= was_in_view;
            } else if matches!(slot.state, State::Removed) {
                // Units that wait there keep waiting.
            } else if removed.binary_search(&coord).is_ok() {
                removals += 1;
                slot.record = None;
                slot.failures = 0;
                self.evict(at);
                self.table.slots_mut()[at].state = State::Removed;
                self.sectors.unload(coord);
            } else if matches!(slot.state, State::Outside) {
                // It may now be part of the world.
                slot.state = State::New;
                self.sectors.unlist(coord);
            }
        }
        self.plan.forget();
        let (changed, removed) = (changed.len(), removals);
        self.events.push(StreamEvent::Reloaded { generation, changed, removed });
    }
}
