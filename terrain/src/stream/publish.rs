//! Brings sectors that have arrived into the view between two ticks, the most urgent first.

use std::time::Instant;

use super::Streamer;
use super::table::{Slot, State};
use super::wanted::Rank;

impl Streamer {
    pub(super) fn publish(&mut self) {
        let begun = Instant::now();
        let mut published = 0;
        while published < self.settings.publications_per_update.max(1) {
            let Some(at) = self.next_arrived() else { break };
            let slot = &mut self.table.slots_mut()[at];
            if slot.rank == Rank::Stale {
                // No source is near any more: it would enter the view only to leave it again.
                self.evict(at);
                continue;
            }
            let State::Arrived(sector) = std::mem::replace(&mut slot.state, State::Resident) else {
                break;
            };
            self.stats.late_arrivals += u64::from(slot.is_wanted() && slot.is_occupied);
            self.sectors.put(slot.coord, sector);
            published += 1;
        }
        if published > 0 {
            self.plan.forget_order();
            self.stats.worst_publication = self.stats.worst_publication.max(begun.elapsed());
        }
    }

    fn next_arrived(&self) -> Option<usize> {
        if self.stats.arrived == 0 {
            return None;
        }
        let arrived = self.table.slots().iter().enumerate();
        let arrived = arrived.filter(|(_, slot)| matches!(slot.state, State::Arrived(_)));
        let urgency = |slot: &Slot| slot.urgency(self.now);
        arrived
            .min_by(|(_, a), (_, b)| urgency(a).total_cmp(&urgency(b)).then(a.coord.cmp(&b.coord)))
            .map(|(at, _)| at)
    }
}
