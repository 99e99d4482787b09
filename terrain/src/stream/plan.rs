//! What to do next: which sectors are wanted, in which order.

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

/// A new plan is made when a source has moved by this part of a sector's side since the last. Smaller,
/// and plans are made for nothing; larger, and sectors are asked for late by so much of a way.
const MOVED: f32 = 1.0 / 16.0;
/// And when this time has gone by: velocities change, and crowds move, as a rule onto what is wanted already.
const PLAN_AGE_MAX: Duration = Duration::from_millis(250);
/// Sectors looked up in one job. More, and the first of them wait for the last.
const LOCATE_MAX: usize = 256;
/// So many times the sectors that fit the memory are worth wanting at most.
const WORTH_WANTING: u64 = 2;
/// And so many always: the square around a unit that stands on a corner, and a ring.
const WORTH_WANTING_MIN: u64 = 64;
/// But no more places than the world has sectors, or so many where those are far apart: each is looked
/// up, and most may be gaps.
pub(super) const WORTH_WANTING_MOST: u64 = 1 << 18;

/// What was planned, and for what.
#[derive(Debug, Default)]
pub(super) struct Plan {
    made_at: Option<Duration>,
    version: u64,
    /// Where the sources were.
    positions: Vec<WorldPos>,
    /// Sectors of the crowds, in order.
    crowds: Vec<SectorCoord>,
    /// In order of their sectors.
    wants: Vec<Want>,
    /// Places in the table of what is to be looked up or loaded, the most urgent first.
    pub(super) queue: Vec<u32>,
    urgencies: Vec<(f32, SectorCoord, u32)>,
    is_in_order: bool,
    /// Since when what waits longest is wanted, if nothing has changed since that was found.
    pub(super) oldest: Option<Duration>,
}

impl Plan {
    /// Lists what is to be done, if that is not known: after a plan, or a change of the table.
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
        // By urgency, then by place: a total order, for no urgency is not a number.
        self.urgencies.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.queue.clear();
        self.queue.extend(self.urgencies.iter().map(|(.., at)| *at));
    }

    /// Says that the table has changed.
    pub(super) fn forget_order(&mut self) {
        self.is_in_order = false;
        self.oldest = None;
    }

    /// Whether the plan takes no account of a crowd on a sector: it was made without that crowd, and wants
    /// the sector for no other source. A crowd that it knew of never counts, so that one from which
    /// nothing is wanted does not make every update plan.
    pub(super) fn is_blind_to(&self, sector: SectorCoord) -> bool {
        if self.crowds.binary_search(&sector).is_ok() {
            return false;
        }
        let at = self.wants.binary_search_by_key(&sector, |want| want.coord);
        !at.is_ok_and(|at| self.wants[at].rank >= Rank::Wanted)
    }

    /// Says that the next update makes a new plan.
    pub(super) fn forget(&mut self) {
        self.made_at = None;
    }
}

impl Streamer {
    /// Takes what was in memory before.
    pub(super) fn adopt_resident(&mut self) {
        // What a world by hand knew of places outside holds for its generation alone, and for no
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

    /// Whether sources have changed or moved enough, or time has gone by.
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

    /// Finds what is wanted and brings the table up to date with it.
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
        // Only what nothing is known of any more: places answer as those of which nothing was said.
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

    /// Sectors that a source may want at most: more would not fit by far.
    fn worth_wanting(&self) -> u64 {
        let info = self.info();
        let mean = (info.sector_bytes / info.sectors.max(1)).max(1);
        let fit = self.settings.budget_bytes / mean;
        fit.saturating_mul(WORTH_WANTING)
            .clamp(WORTH_WANTING_MIN, info.sectors.max(WORTH_WANTING_MOST))
    }

    /// Asks for the most urgent sectors of which it is not known whether they are there. Not while a
    /// newer generation is looked for: it would not know what they were in the one that is open.
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

    /// Whether a slot could be loaded now, were there room for it.
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

    /// Whether the manifest has the sector that a record tells of.
    pub(super) fn coord_bounds(&self) -> Option<(SectorCoord, SectorCoord)> {
        self.info().bounds.map(|bounds| (bounds.min, bounds.max))
    }
}

/// What was wanted by several sources is wanted once: as dear and as soon as any of them wants it.
fn union(wants: &mut Vec<Want>) {
    // Stable, for it takes stretches that are in order as they are: each source's.
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
