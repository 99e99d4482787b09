//! Who has to go so that somebody else may come.

use std::time::Instant;

use super::Streamer;
use super::table::{Slot, State};
use super::wanted::Rank;

/// A wanted sector goes only for one that is needed this many times sooner. At 1, two sectors that
/// are needed equally soon push each other out for ever.
const SOONER: f32 = 1.5;
/// And by at least so many seconds.
const SOONER_SECONDS: f32 = 1.0;

impl Streamer {
    /// Takes out of memory what is less dear than a slot until there is room for it. Gives whether
    /// there is; if there is none, nothing has gone in vain but what nobody wants.
    pub(super) fn make_room(&mut self, at: u32) -> bool {
        let slot = &self.table.slots()[at as usize];
        let (rank, need, bytes) = (slot.rank, slot.need, slot.load_bytes());
        let limit = self.settings.budget_bytes.saturating_sub(bytes);
        self.shrink(limit.saturating_sub(self.reserved_bytes), rank, need)
            && self.ledger.bytes() + self.reserved_bytes <= limit
    }

    /// Whether a slot is larger than all memory that there is.
    pub(super) fn is_too_large(&self, at: u32) -> bool {
        self.table.slots()[at as usize].load_bytes() > self.settings.budget_bytes
    }

    /// Takes out of memory what is less dear than something, until what is left comes to no more than
    /// `limit` bytes. Gives whether it does.
    pub(super) fn shrink(&mut self, limit: u64, rank: Rank, need: f32) -> bool {
        while self.ledger.bytes() > limit {
            let Some(victim) = self.victim(rank, need) else { return false };
            self.evict(victim);
        }
        true
    }

    /// Who goes first of all that may go for somebody of that rank and need.
    fn victim(&self, rank: Rank, need: f32) -> Option<usize> {
        let may_go = |slot: &Slot| match slot.rank {
            Rank::Stale | Rank::Kept => slot.rank < rank,
            Rank::Wanted if rank == Rank::Wanted => {
                slot.need > need * SOONER && slot.need > need + SOONER_SECONDS
            }
            Rank::Wanted => rank == Rank::Pinned,
            Rank::Pinned => false,
        };
        let mut first: Option<(usize, &Slot)> = None;
        for (at, slot) in self.table.slots().iter().enumerate() {
            if !matches!(slot.state, State::Resident | State::Arrived(_)) || !may_go(slot) {
                continue;
            }
            if first.is_none_or(|(_, other)| goes_before(slot, other)) {
                first = Some((at, slot));
            }
        }
        first.map(|(at, _)| at)
    }

    /// Takes a sector out of memory.
    pub(super) fn evict(&mut self, at: usize) {
        let slot = &mut self.table.slots_mut()[at];
        let coord = slot.coord;
        let sector = match std::mem::replace(&mut slot.state, State::Waiting) {
            State::Arrived(sector) => Some(sector),
            State::Resident => {
                let sector = self.sectors.sector(coord).cloned();
                self.sectors.unlist(coord);
                sector
            }
            other => {
                slot.state = other;
                return;
            }
        };
        if slot.record.is_none() {
            slot.state = State::New;
        }
        if let Some(sector) = sector {
            self.ledger.remove(&sector);
            self.leaving.push(sector);
            self.stats.evictions += 1;
        }
        // What is wanted and went for something dearer waits again.
        slot.since = self.now;
        self.plan.forget_order();
    }

    /// Brings what has arrived into the view, the most urgent first.
    pub(super) fn publish(&mut self) {
        let begun = Instant::now();
        let mut published = 0;
        while published < self.settings.publications_per_update.max(1) {
            let Some(at) = self.next_arrived() else { break };
            let slot = &mut self.table.slots_mut()[at];
            if slot.rank == Rank::Stale {
                // Nobody is near any more: it need not come into the view to leave it again.
                self.evict(at);
                continue;
            }
            let State::Arrived(sector) = std::mem::replace(&mut slot.state, State::Resident) else {
                break;
            };
            self.stats.late_arrivals += u64::from(slot.is_wanted() && slot.need == 0.0);
            self.sectors.insert(slot.coord, sector);
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

/// Whether a slot has to go before another: what is less dear, then what was wanted longer ago, then
/// what is needed later; coordinates decide between equals.
fn goes_before(slot: &Slot, other: &Slot) -> bool {
    let by_rank = slot.rank.cmp(&other.rank);
    let by_time = slot.wanted_at.cmp(&other.wanted_at);
    let by_need = other.need.total_cmp(&slot.need);
    by_rank.then(by_time).then(by_need).then(slot.coord.cmp(&other.coord)).is_lt()
}
