//! What the threads of a tick share and what each of them writes: the columns of units, split into
//! chunks, and the results of a chunk.

use std::sync::Mutex;

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::lanes::LANES;
use marchland_terrain::math::lesser;
use marchland_terrain::{SectorCoord, TerrainView};

use super::cache_keys::CacheKeys;
use super::in_cell::lanes::BeyondCell;
use super::notes::Notes;
use super::open_map::cache::OpenMaps;
use crate::following::follow::FollowLimits;
use crate::kinematic::Scratch;
use crate::units::body::{Body, BodyId};
use crate::units::columns::Units;
use crate::units::contact_state::{KeptContactState, SpareContactStates};
use crate::units::memory::cells::Corners;
use crate::units::memory::gather_cache::GatherCache;
use crate::units::memory::unit_memory::PackedMemory;
use crate::units::surface::SurfaceResponse;
use crate::units::switches::PathChoice;
use crate::units::tick::{Outcome, Tick};
use crate::units::unit::{Motion, Wait};
use crate::units::wish::Wish;

/// Scratch memory of a thread that moves a chunk.
#[derive(Debug, Default)]
pub(crate) struct ThreadScratch {
    pub(super) beyond_cell: BeyondCell,
    /// Slots that take the long way, with their sectors.
    pub(super) long: Vec<(SectorCoord, u32)>,
    /// For the full controller.
    pub(super) scratch: Scratch,
    /// Of its chunk, and counts of all that it has moved in this tick.
    pub(super) notes: Notes,
}

impl ThreadScratch {
    /// Begins a tick, with room for a chunk of `units` units.
    pub(crate) fn prepare(&mut self, units: usize, is_strict: bool) {
        self.notes.prepare(units, is_strict);
        self.beyond_cell.crossings.reserve(units);
        self.beyond_cell.slow_lanes.clear();
        self.beyond_cell.slow_lanes.reserve(units.div_ceil(LANES));
        self.long.clear();
        self.long.reserve(units);
    }
}

/// The columns of a chunk of units that a tick writes.
pub(crate) struct WriteColumns<'a> {
    /// The slot of the first.
    pub(crate) first: usize,
    pub(crate) sectors: &'a mut [SectorCoord],
    pub(crate) locals: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) residues: &'a mut [[f32; 2]],
    pub(crate) motions: &'a mut [Motion],
    pub(crate) waits: &'a mut [Wait],
    pub(crate) contact_states: &'a mut [KeptContactState],
    pub(crate) corners: &'a mut [Corners],
    pub(crate) map_ids: &'a mut [u32],
    pub(crate) memories: &'a mut [PackedMemory],
}

impl WriteColumns<'_> {
    /// Takes off the columns of the first `count` units; all of them if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Self {
        let count = lesser(count, self.locals.len());
        let taken = Self {
            first: self.first,
            sectors: self.sectors.split_off_mut(..count).unwrap_or_default(),
            locals: self.locals.split_off_mut(..count).unwrap_or_default(),
            velocities: self.velocities.split_off_mut(..count).unwrap_or_default(),
            residues: self.residues.split_off_mut(..count).unwrap_or_default(),
            motions: self.motions.split_off_mut(..count).unwrap_or_default(),
            waits: self.waits.split_off_mut(..count).unwrap_or_default(),
            contact_states: self.contact_states.split_off_mut(..count).unwrap_or_default(),
            corners: self.corners.split_off_mut(..count).unwrap_or_default(),
            map_ids: self.map_ids.split_off_mut(..count).unwrap_or_default(),
            memories: self.memories.split_off_mut(..count).unwrap_or_default(),
        };
        self.first += count;
        taken
    }

    /// Writes what a tick made of a unit.
    #[inline]
    pub(super) fn set_unit(&mut self, index: usize, outcome: &Outcome) {
        let unit = &outcome.unit;
        if outcome.borders != 0 {
            self.sectors[index] = unit.sector;
        }
        if outcome.new_velocity {
            self.velocities[index] = unit.velocity;
        }
        self.locals[index] = unit.local;
        self.residues[index] = unit.residue;
        self.motions[index] = unit.motion;
        self.waits[index] = Wait::None;
    }
}

/// The columns of all units that a tick only reads.
#[derive(Clone, Copy)]
pub(crate) struct ReadColumns<'a> {
    pub(crate) body_ids: &'a [BodyId],
    pub(crate) masks: &'a [u32],
    pub(crate) live: &'a [bool],
    pub(crate) generations: &'a [u32],
    pub(crate) bodies: &'a [Body],
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// What is gathered around units.
    pub(crate) gather_cache: &'a GatherCache,
}

impl<'a> ReadColumns<'a> {
    pub(crate) fn split(units: &'a mut Units) -> (Self, WriteColumns<'a>) {
        let read = Self {
            body_ids: &units.body_ids,
            masks: &units.masks,
            live: &units.live,
            generations: &units.generations,
            bodies: &units.bodies,
            surfaces: &units.surfaces,
            gather_cache: &units.cells.gather_cache,
        };
        let write = WriteColumns {
            first: 0,
            sectors: &mut units.sectors,
            locals: &mut units.locals,
            velocities: &mut units.velocities,
            residues: &mut units.residues,
            motions: &mut units.motions,
            waits: &mut units.waits,
            contact_states: &mut units.contact_states,
            corners: &mut units.cells.corners,
            map_ids: &mut units.cells.map_ids,
            memories: &mut units.cells.memories.list,
        };
        (read, write)
    }
}

pub(crate) struct TickContext<'a> {
    pub(crate) view: TerrainView<'a>,
    pub(crate) tick: &'a Tick,
    pub(crate) columns: ReadColumns<'a>,
    pub(crate) wishes: &'a [Wish],
    pub(crate) path: PathChoice,
    pub(crate) open_maps: &'a OpenMaps,
    pub(crate) follow_limits: &'a [FollowLimits],
    pub(crate) cache_keys: &'a CacheKeys,
    /// Of all threads.
    pub(crate) notes: &'a Mutex<Notes>,
    pub(crate) spare_states: &'a SpareContactStates,
    /// Whether all may have to be as it was before.
    pub(crate) is_strict: bool,
}

impl TickContext<'_> {
    /// Puts a unit on the list of those that take the long way.
    #[inline]
    pub(super) fn take_long(
        &self,
        chunk: &WriteColumns<'_>,
        index: usize,
        notes: &mut Notes,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        notes.in_cell -= 1;
        let slot = chunk.first + index;
        if self.columns.live[slot] {
            long.push((chunk.sectors[index], slot as u32));
        }
    }
}
