//! What to do next: when what is wanted is looked at again, and the order in which that loads.

use std::time::Duration;

use glam::Vec3;

use super::interest::{Crowd, Interest, Interests, tidy};
use super::settings::StreamSettings;
use super::table::Table;
use super::wanted::{Extent, Rank, Want};
use crate::math::{SectorCoord, SectorSize, WorldPos, lesser};
use crate::store::{SectorBounds, WorldInfo};

/// A new plan is made when a source has moved by this part of a sector's side since the last plan. If it were
/// smaller, plans would be made needlessly; if larger, sectors would be requested late by that distance.
const MOVED: f32 = 1.0 / 16.0;
/// A new plan is also made after this time: velocities change, and crowds move, usually onto sectors that are
/// wanted already.
const PLAN_AGE_MAX: Duration = Duration::from_millis(250);
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

    /// Whether sources have changed or moved enough, or enough time has passed.
    pub(super) fn is_due(&self, interests: &Interests, size: SectorSize, now: Duration) -> bool {
        let Some(made_at) = self.made_at else { return true };
        if self.version != interests.version || now - made_at >= PLAN_AGE_MAX {
            return true;
        }
        let has_moved = |(now, then): (&Interest, &WorldPos)| {
            let Vec3 { x, z, .. } = now.position.relative_to(*then, size);
            let far = size.metres() * MOVED;
            x.abs() > far || z.abs() > far
        };
        interests.iter().zip(&self.positions).any(has_moved)
    }

    /// Determines what is wanted; nothing if there is no `extent`. Crowds want what is within `radius` metres.
    pub(super) fn make(
        &mut self,
        interests: &Interests,
        (crowds, radius): (&[Crowd], f32),
        extent: Option<&Extent>,
        now: Duration,
    ) -> &[Want] {
        self.made_at = Some(now);
        self.version = interests.version;
        self.positions.clear();
        self.positions.extend(interests.iter().map(|interest| interest.position));
        self.crowds.clear();
        self.crowds.extend(crowds.iter().map(|crowd| crowd.sector));
        self.crowds.sort_unstable();
        self.forget_order();
        self.wants.clear();
        if let Some(extent) = extent {
            for interest in interests.iter() {
                extent.add_interest(interest, &mut self.wants);
            }
            for crowd in crowds {
                extent.add_crowd(crowd, radius, &mut self.wants);
            }
        }
        union(&mut self.wants);
        &self.wants
    }
}

/// Where sectors of a world may be wanted; `None` if it has none.
pub(super) fn extent(info: &WorldInfo, settings: &StreamSettings) -> Option<Extent> {
    let SectorBounds { min, max } = info.bounds?;
    let size = info.facts.grid.sector_size();
    let sectors_max = u32::try_from(worth_wanting(info, settings)).unwrap_or(u32::MAX);
    let look_ahead = f64::from(tidy(settings.look_ahead));
    let keep = f64::from(tidy(settings.keep) * size.metres());
    Some(Extent { size, min, max, sectors_max, look_ahead, keep })
}

/// The most sectors that a source may want: more would exceed the memory by far.
pub(super) fn worth_wanting(info: &WorldInfo, settings: &StreamSettings) -> u64 {
    let mean = (info.sector_bytes / info.sectors.max(1)).max(1);
    let fit = settings.budget_bytes / mean;
    fit.saturating_mul(WORTH_WANTING).clamp(WORTH_WANTING_MIN, info.sectors.max(WORTH_WANTING_MOST))
}

/// Merges the wants of several sources: each sector once, with the highest rank and the soonest need.
fn union(wants: &mut Vec<Want>) {
    // The sort is stable because it keeps runs that are already in order: those of each source.
    wants.sort_by_key(|want| want.coord);
    wants.dedup_by(|next, kept| {
        let is_same = next.coord == kept.coord;
        if is_same {
            kept.rank = kept.rank.max(next.rank);
            kept.need = lesser(next.need, kept.need);
            kept.is_occupied |= next.is_occupied;
        }
        is_same
    });
}
