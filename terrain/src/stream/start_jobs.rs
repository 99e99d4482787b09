//! Starts lookups and loads, the most urgent first.

use super::Streamer;
use super::loader::{Cancel, Job, Task};
use super::table::State;

/// The most sectors looked up in one job. With more, the first of them would wait for the last.
const LOCATE_MAX: usize = 256;

impl Streamer {
    pub(super) fn start_jobs(&mut self) {
        self.plan.order(&self.table, self.now);
        self.start_locating();
        let (mut without_room, mut full) = (0, None);
        for at in 0..self.plan.queue.len() {
            let slot = self.plan.queue[at];
            if !self.may_load(slot) {
                continue;
            }
            // A slot of no higher priority than one that found no room finds none either. But a slot that can
            // never fit must not block the rest, and neither must one that is first only because it has
            // waited long.
            if self.is_too_large(slot) || full.is_some_and(|full| !self.is_dearer(slot, full)) {
                without_room += 1;
            } else if self.evict_for(slot) {
                self.start_load(slot);
            } else {
                full = Some(slot);
                without_room += 1;
            }
        }
        self.stats.without_room = without_room;
    }

    /// Starts lookups of the most urgent sectors that are not known to exist or not. Not while a newer
    /// generation is searched for: the search would not know what they were in the open generation.
    fn start_locating(&mut self) {
        if self.is_locating || self.is_reopening {
            return;
        }
        let mut coords = std::mem::take(&mut self.spare_coords);
        coords.clear();
        for &at in &self.plan.queue {
            let slot = &mut self.table.slots_mut()[at as usize];
            if matches!(slot.state, State::New) && slot.retry_at <= self.now {
                slot.state = State::Locating;
                coords.push(slot.coord);
                if coords.len() == LOCATE_MAX {
                    break;
                }
            }
        }
        if coords.is_empty() {
            self.spare_coords = coords;
            return;
        }
        self.is_locating = true;
        self.loader.get().start(Job(Task::Locate { files: self.files.clone(), coords }));
    }

    /// Whether a slot could be loaded now if there were room for it.
    fn may_load(&self, at: u32) -> bool {
        let slot = &self.table.slots()[at as usize];
        matches!(slot.state, State::Waiting)
            && slot.retry_at <= self.now
            && self.stats.in_flight < self.settings.loads_in_flight.max(1)
            && self.allowance >= 0.0
            && self.settings.bytes_per_second > 0
    }

    fn start_load(&mut self, at: u32) {
        let slot = &mut self.table.slots_mut()[at as usize];
        let Some(record) = slot.record else { return };
        let cancel = Cancel::default();
        slot.state = State::Loading(cancel.clone());
        self.stats.in_flight += 1;
        let reserved_bytes = slot.load_bytes(&self.ledger);
        self.reserved_bytes += reserved_bytes;
        self.allowance -= record.file_bytes as f64;
        let files = self.files.clone();
        self.loader.get().start(Job(Task::Load { files, record, reserved_bytes, cancel }));
    }
}
