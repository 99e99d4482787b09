//! What to do next: which sectors are wanted, and in which order.

use std::time::Duration;

use glam::Vec3;

use super::Streamer;
use super::interest::{Interest, tidy};
use super::loader::{Cancel, Job, Task};
use super::table::{Slot, State, Table};
use super::wanted::{Extent, Rank, Want};
use crate::math::{SectorCoord, WorldPos};
use crate::resident::ResidentSectors;
use crate::store::SectorBounds;

/// A new plan is made when a source has moved by this part of a sector's side since the last plan. If it were
/// smaller, plans would be made needlessly; if larger, sectors would be requested late by that distance.
const MOVED: f32 = 1.0 / 16.0;
/// A new plan is also made after this time: velocities change, and crowds move, usually onto sectors that are
/// wanted already.
const PLAN_AGE_MAX: Duration = Duration::from_millis(250);
/// The most sectors looked up in one job. With more, the first of them would wait for the last.
const LOCATE_MAX: usize = 256;
/// At most this many times the sectors that fit the memory are wanted.
const WORTH_WANTING: u64 = 2;
/// At least this many may be wanted: the square around a unit that stands on a corner, and a ring.
const WORTH_WANTING_MIN: u64 = 64;
/// But no more places than the world has sectors, or than this number if the sectors are far apart: each
/// place is looked up, and most may be gaps.
pub(super) const WORTH_WANTING_MOST: u64 = 1 << 18;

/// What was planned, and for which sources.
#[derive(Debug, Default)]
pub(super) struct Plan {
    made_at: Option<Duration>,
    version: u64,
    /// The positions of the sources.
    positions: Vec<WorldPos>,
    /// The sectors of the crowds, in order.
    crowds: Vec<SectorCoord>,
    /// The wanted sectors, in order of their coordinates.
    wants: Vec<Want>,
    /// Places in the table of the slots to be looked up or loaded, the most urgent first.
    pub(super) queue: Vec<u32>,
    urgencies: Vec<(f32, SectorCoord, u32)>,
    is_in_order: bool,
    /// Since when the longest waiting slot has been wanted, if nothing has changed since that was determined.
    pub(super) oldest: Option<Duration>,
}

impl Plan {
    /// Lists what is to be done, unless that is known. It is unknown after a plan, and after a change of the
    /// table.
    pub(super) fn order(&mut self, table: &Table, now: Duration) {
        if self.is_in_order {
            return;
        }
        self.is_in_order = true;
        self.urgencies.clear();
        for (at, slot) in (0_u32..).zip(table.slots()) {
            if slot.is_missing() {
                self.urgencies.push((slot.urgency(now), slot.coord, at));
            }
        }
        // By urgency, then by place: a total order, because no urgency is NaN.
        self.urgencies.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.queue.clear();
        self.queue.extend(self.urgencies.iter().map(|(.., at)| *at));
    }

    /// Must be called when the table has changed.
    pub(super) fn forget_order(&mut self) {
        self.is_in_order = false;
        self.oldest = None;
    }

    /// Whether the plan does not take a crowd on a sector into account: it was made without that crowd, and
    /// wants the sector for no other source. A crowd that it knew never counts, so that a crowd that wants
    /// nothing does not cause a plan in every update.
    pub(super) fn is_blind_to(&self, sector: SectorCoord) -> bool {
        if self.crowds.binary_search(&sector).is_ok() {
            return false;
        }
        let at = self.wants.binary_search_by_key(&sector, |want| want.coord);
        !at.is_ok_and(|at| self.wants[at].rank >= Rank::Wanted)
    }

    /// Makes the next update plan again.
    pub(super) fn forget(&mut self) {
        self.made_at = None;
    }
}

impl Streamer {
    /// Takes over the sectors that are already in memory.
    pub(super) fn adopt_resident(&mut self) {
        // What a manually loaded world knew of places outside is valid for its generation alone, and for no
        // sector that leaves memory.
        let (corners, grid) = (self.coord_bounds(), self.sectors.grid());
        let sectors = ResidentSectors::new_within(grid, corners);
        let by_hand = std::mem::replace(&mut self.sectors, sectors);
        for &coord in by_hand.resident() {
            let Some(sector) = by_hand.sector(coord) else { continue };
            self.ledger.add(sector);
            self.sectors.put(coord, sector.clone());
            let (rank, need) = (Rank::Stale, f32::INFINITY);
            let want = Want { coord, rank, need, is_occupied: false };
            self.table.insert(Slot { state: State::Resident, ..Slot::new(&want, Duration::ZERO) });
        }
        let sectors = self.worth_wanting().min(self.info().sectors) as usize;
        self.sectors.reserve(sectors);
        self.table.reserve(sectors);
        self.note_memory();
    }

    /// Whether sources have changed or moved enough, or enough time has passed.
    pub(super) fn is_plan_due(&self) -> bool {
        let Some(made_at) = self.plan.made_at else { return true };
        if self.plan.version != self.interests.version || self.now - made_at >= PLAN_AGE_MAX {
            return true;
        }
        let size = self.info().facts.grid.sector_size();
        let has_moved = |(now, then): (&Interest, &WorldPos)| {
            let Vec3 { x, z, .. } = now.position.relative_to(*then, size);
            let far = size.metres() * MOVED;
            x.abs() > far || z.abs() > far
        };
        self.interests.iter().zip(&self.plan.positions).any(has_moved)
    }

    /// Determines what is wanted and updates the table with it.
    pub(super) fn make_plan(&mut self) {
        let _span = tracing::trace_span!("plan").entered();
        self.plan.made_at = Some(self.now);
        self.plan.version = self.interests.version;
        self.plan.positions.clear();
        self.plan.positions.extend(self.interests.iter().map(|interest| interest.position));
        self.plan.crowds.clear();
        self.plan.crowds.extend(self.crowds.iter().map(|crowd| crowd.sector));
        self.plan.crowds.sort_unstable();
        self.plan.forget_order();
        let mut wants = std::mem::take(&mut self.plan.wants);
        wants.clear();
        if let Some(bounds) = self.info().bounds {
            let extent = self.extent(bounds);
            for interest in self.interests.iter() {
                extent.add_interest(interest, &mut wants);
            }
            for crowd in &self.crowds {
                extent.add_crowd(crowd, self.crowd_radius, &mut wants);
            }
        }
        union(&mut wants);
        let sectors = &mut self.sectors;
        let (table, now) = (&mut self.table, self.now);
        // Only slots of which nothing is known any more: their places answer like places that were never
        // looked up.
        table.want(&wants, now, |slot| sectors.unlist(slot.coord));
        self.plan.wants = wants;
    }

    fn extent(&self, bounds: SectorBounds) -> Extent {
        let size = self.info().facts.grid.sector_size();
        let sectors_max = u32::try_from(self.worth_wanting()).unwrap_or(u32::MAX);
        Extent {
            size,
            min: bounds.min,
            max: bounds.max,
            sectors_max,
            look_ahead: f64::from(tidy(self.settings.look_ahead)),
            keep: f64::from(tidy(self.settings.keep) * size.metres()),
        }
    }

    /// The most sectors that a source may want: more would exceed the memory by far.
    fn worth_wanting(&self) -> u64 {
        let info = self.info();
        let mean = (info.sector_bytes / info.sectors.max(1)).max(1);
        let fit = self.settings.budget_bytes / mean;
        fit.saturating_mul(WORTH_WANTING)
            .clamp(WORTH_WANTING_MIN, info.sectors.max(WORTH_WANTING_MOST))
    }

    /// Starts lookups of the most urgent sectors that are not known to exist or not. Not while a newer
    /// generation is searched for: the search would not know what they were in the open generation.
    pub(super) fn start_locating(&mut self) {
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
    pub(super) fn may_load(&self, at: u32) -> bool {
        let slot = &self.table.slots()[at as usize];
        matches!(slot.state, State::Waiting)
            && slot.retry_at <= self.now
            && self.stats.in_flight < self.settings.loads_in_flight.max(1)
            && self.allowance >= 0.0
            && self.settings.bytes_per_second > 0
    }

    pub(super) fn start_load(&mut self, at: u32) {
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

    /// The range of the world's sector coordinates, from the least to the greatest.
    pub(super) fn coord_bounds(&self) -> Option<(SectorCoord, SectorCoord)> {
        self.info().bounds.map(|bounds| (bounds.min, bounds.max))
    }
}

/// Merges the wants of several sources: each sector once, with the highest rank and the soonest need.
fn union(wants: &mut Vec<Want>) {
    // The sort is stable because it keeps runs that are already in order: those of each source.
    wants.sort_by_key(|want| want.coord);
    wants.dedup_by(|next, kept| {
        let is_same = next.coord == kept.coord;
        if is_same {
            kept.rank = kept.rank.max(next.rank);
            kept.need = if next.need < kept.need { next.need } else { kept.need };
            kept.is_occupied |= next.is_occupied;
        }
        is_same
    });
}
