//! Which sectors leave memory so that others may enter it.

use super::Streamer;
use super::table::{Slot, State};
use super::wanted::Rank;

/// A wanted sector is evicted only for one that is needed this many times sooner. At 1, two sectors that are
/// needed equally soon would evict each other for ever.
const SOONER: f32 = 1.5;
/// The one that replaces it must also be needed sooner by at least this many seconds.
const SOONER_SECONDS: f32 = 1.0;

impl Streamer {
    /// Evicts sectors of less priority than a slot until there is room for it. Returns whether there is room.
    /// If there is none, nothing was evicted, unless meshes are shared with sectors that stay.
    pub(super) fn evict_for(&mut self, at: u32) -> bool {
        let slot = &self.table.slots()[at as usize];
        let (rank, need) = (slot.rank, slot.need);
        let too_much = |streamer: &Self| {
            // A mesh that leaves with the last sector that used it must be loaded again.
            let bytes = streamer.table.slots()[at as usize].load_bytes(&streamer.ledger);
            let all = streamer.ledger.bytes() + streamer.reserved_bytes + bytes;
            all.saturating_sub(streamer.settings.budget_bytes)
        };
        if !self.can_let_go(too_much(self), rank, need) {
            return false;
        }
        while too_much(self) > 0 {
            let Some(victim) = self.victim(rank, need) else { return false };
            self.evict(victim);
        }
        true
    }

    /// Whether this many bytes may leave memory if everything is evicted that may be evicted for a slot of
    /// that rank and need; all meshes might leave with it. Searches no further than necessary.
    fn can_let_go(&self, bytes: u64, rank: Rank, need: f32) -> bool {
        let mut left = bytes.saturating_sub(self.ledger.mesh_bytes());
        let mut slots = self.table.slots().iter().filter(|slot| may_go(slot, rank, need));
        while left > 0 {
            let Some(slot) = slots.next() else { return false };
            let sector_bytes = match (&slot.state, &slot.record) {
                (_, Some(record)) => record.file_bytes,
                (State::Arrived(sector), _) => sector.len_bytes() as u64,
                _ => self.sectors.sector(slot.coord).map_or(0, |s| s.len_bytes() as u64),
            };
            left = left.saturating_sub(sector_bytes);
        }
        true
    }

    /// Whether a slot is larger than the whole memory budget.
    pub(super) fn is_too_large(&self, at: u32) -> bool {
        self.table.slots()[at as usize].alone_bytes() > self.settings.budget_bytes
    }

    /// Whether some slot might be evicted for one slot that would not be evicted for another.
    pub(super) fn is_dearer(&self, at: u32, other: u32) -> bool {
        let [slot, other] = [at, other].map(|at| &self.table.slots()[at as usize]);
        slot.rank > other.rank || slot.rank == other.rank && slot.need < other.need
    }

    /// Evicts sectors of less priority than the given rank and need, until at most `limit` bytes remain.
    /// Returns whether that was achieved.
    pub(super) fn shrink(&mut self, limit: u64, rank: Rank, need: f32) -> bool {
        while self.ledger.bytes() > limit {
            let Some(victim) = self.victim(rank, need) else { return false };
            self.evict(victim);
        }
        true
    }

    /// The first slot to evict of all that may be evicted for that rank and need.
    fn victim(&self, rank: Rank, need: f32) -> Option<usize> {
        let slots = self.table.slots().iter().enumerate();
        let may_go = slots.filter(|(_, slot)| may_go(slot, rank, need));
        let first = may_go.reduce(|a, b| if goes_before(b.1, a.1) { b } else { a });
        first.map(|(at, _)| at)
    }

    /// Evicts a sector from memory.
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
        // A wanted sector that was evicted for one of higher priority waits again.
        slot.since = self.now;
        self.plan.forget_order();
    }
}

/// Whether a slot is in memory and may be evicted for one of that rank and need.
fn may_go(slot: &Slot, rank: Rank, need: f32) -> bool {
    let is_less_dear = match slot.rank {
        Rank::Stale | Rank::Kept => slot.rank < rank,
        Rank::Wanted if rank == Rank::Wanted => {
            slot.need > need * SOONER && slot.need > need + SOONER_SECONDS
        }
        Rank::Wanted => rank == Rank::Pinned,
        Rank::Pinned => false,
    };
    is_less_dear && matches!(slot.state, State::Resident | State::Arrived(_))
}

/// Whether a slot is evicted before another: first by less priority, then by how long ago it was wanted, then
/// by how late it is needed. Coordinates decide between equals.
fn goes_before(slot: &Slot, other: &Slot) -> bool {
    let by_rank = slot.rank.cmp(&other.rank);
    let by_time = slot.wanted_at.cmp(&other.wanted_at);
    let by_need = other.need.total_cmp(&slot.need);
    by_rank.then(by_time).then(by_need).then(slot.coord.cmp(&other.coord)).is_lt()
}
