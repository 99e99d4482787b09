//! The units of a stretch of slots: those that stroll over ground that they remember, those that enter
//! the next cell, and those that take the long way.

use std::sync::{Mutex, PoisonError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SectorCoord, TerrainView};

use super::cache_keys::CacheKeys;
use super::classify::Classifier;
use super::lanes::NotStrolled;
use super::move_unit::Work;
use super::open_map_cache::{Ground, OpenMaps};
use crate::body::BodyId;
use crate::cells::{Corners, LANES, NO_CORNERS};
use crate::event::EventKind;
use crate::extra::Extra;
use crate::follow::{Gait, differs};
use crate::gather_cache::GatherCache;
use crate::kinematic::Scratch;
use crate::sectors::{Resident, Sectors, UnitSector, UnitSectorState};
use crate::settings::PathChoice;
use crate::surface::SurfaceResponse;
use crate::tick::{Outcome, Tick, Verdict, without_creep};
use crate::unit_memory::{self, PackedMemory, UnitMemory};
use crate::units::{Motion, Unit, Units};
use crate::wish::Wish;

/// Open maps that a chunk may find missing in a tick before the list of them grows.
const UNKNOWN: usize = 32;

/// The results of a stretch of units, and memory for them.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// How many units strolled.
    pub(crate) strolled: usize,
    /// The outcomes of all other units, by slot.
    pub(crate) outcomes: Vec<(u32, Outcome)>,
    /// Of the units that took the full controller.
    pub(crate) extras: Vec<(u32, Extra)>,
    pub(crate) news: Vec<(u32, EventKind)>,
    /// Sectors without an open map for a body that could stroll there.
    pub(crate) unknown: Vec<(SectorCoord, BodyId)>,
    /// Sectors without a number in which units could remember their surroundings.
    pub(crate) unseen: Vec<SectorCoord>,
}

/// Scratch memory of a thread that moves a stretch.
#[derive(Debug)]
pub(crate) struct ThreadScratch {
    not_strolled: NotStrolled,
    /// Slots that take the long way, with their sectors.
    long: Vec<(SectorCoord, u32)>,
    /// For the full controller.
    scratch: Scratch,
}

impl ThreadScratch {
    pub(crate) fn new() -> Self {
        Self { not_strolled: NotStrolled::default(), long: Vec::new(), scratch: Scratch::new() }
    }

    /// Room for a stretch of `units` units.
    pub(crate) fn make_room(&mut self, units: usize) {
        self.not_strolled.crossers.make_room(units);
        self.not_strolled.slow_lanes.clear();
        self.not_strolled.slow_lanes.reserve(units.div_ceil(LANES));
        self.long.clear();
        self.long.reserve(units);
    }
}

impl Chunk {
    /// Room for `units` units with `events_each` events each.
    pub(crate) fn make_room(&mut self, units: usize, events_each: usize) {
        self.outcomes.clear();
        self.outcomes.reserve(units);
        self.extras.clear();
        self.extras.reserve(units);
        self.news.clear();
        self.news.reserve(events_each * units);
        self.unknown.clear();
        self.unknown.reserve(UNKNOWN);
        self.unseen.clear();
        self.unseen.reserve(UNKNOWN);
        self.strolled = 0;
    }
}

/// The columns of a stretch of units that a tick writes.
pub(crate) struct WriteColumns<'a> {
    /// The slot of the first.
    pub(crate) first: usize,
    pub(crate) locals: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) corners: &'a mut [Corners],
    pub(crate) map_ids: &'a mut [u32],
    pub(crate) memories: &'a mut [PackedMemory],
}

impl WriteColumns<'_> {
    /// The columns of the first `count` units, and those of the others; all of them if there are fewer.
    pub(crate) fn split_at(self, count: usize) -> (Self, Self) {
        let count = if count < self.locals.len() { count } else { self.locals.len() };
        let (locals, other_locals) = self.locals.split_at_mut(count);
        let (velocities, other_velocities) = self.velocities.split_at_mut(count);
        let (corners, other_corners) = self.corners.split_at_mut(count);
        let (map_ids, other_map_ids) = self.map_ids.split_at_mut(count);
        let (memories, other_memories) = self.memories.split_at_mut(count);
        let others = Self {
            first: self.first + count,
            locals: other_locals,
            velocities: other_velocities,
            corners: other_corners,
            map_ids: other_map_ids,
            memories: other_memories,
        };
        (Self { first: self.first, locals, velocities, corners, map_ids, memories }, others)
    }
}

/// The columns of all units that a tick only reads.
#[derive(Clone, Copy)]
pub(crate) struct ReadColumns<'a> {
    pub(crate) sectors: &'a [SectorCoord],
    pub(crate) motions: &'a [Motion],
    pub(crate) body_ids: &'a [BodyId],
    pub(crate) masks: &'a [u32],
    pub(crate) extras: &'a [Extra],
    pub(crate) live: &'a [bool],
    pub(crate) bodies: &'a [crate::body::Body],
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// What is gathered around units.
    pub(crate) gather_cache: &'a GatherCache,
}

impl<'a> ReadColumns<'a> {
    pub(crate) fn split(units: &'a mut Units) -> (Self, WriteColumns<'a>) {
        let read = Self {
            sectors: &units.sectors,
            motions: &units.motions,
            body_ids: &units.body_ids,
            masks: &units.masks,
            extras: &units.extras,
            live: &units.live,
            bodies: &units.bodies,
            surfaces: &units.surfaces,
            gather_cache: &units.cells.gather_cache,
        };
        let write = WriteColumns {
            first: 0,
            locals: &mut units.locals,
            velocities: &mut units.velocities,
            corners: &mut units.cells.corners,
            map_ids: &mut units.cells.map_ids,
            memories: &mut units.cells.memories.list,
        };
        (read, write)
    }
}

/// What all threads of a tick share.
pub(crate) struct TickContext<'a> {
    pub(crate) view: TerrainView<'a>,
    pub(crate) tick: &'a Tick,
    pub(crate) columns: ReadColumns<'a>,
    pub(crate) wishes: &'a [Wish],
    pub(crate) path: PathChoice,
    pub(crate) open_maps: &'a OpenMaps,
    pub(crate) grounds: &'a [Option<Ground<'a>>],
    pub(crate) gaits: &'a [Gait],
    pub(crate) cache_keys: &'a CacheKeys,
    /// One for each thread.
    pub(crate) scratches: &'a [Mutex<ThreadScratch>],
}

impl<'v> TickContext<'v> {
    /// Moves a stretch of units.
    pub(crate) fn move_stretch(&self, stretch: &mut WriteColumns<'_>, chunk: &mut Chunk) {
        #[cfg(feature = "rayon")]
        let thread = rayon::current_thread_index().unwrap_or(0);
        #[cfg(not(feature = "rayon"))]
        let thread = 0;
        let thread = if thread < self.scratches.len() { thread } else { 0 };
        // What a panic left behind is overwritten.
        let mut scratch = self.scratches[thread].lock().unwrap_or_else(PoisonError::into_inner);
        self.move_at(stretch, chunk, &mut scratch);
    }

    fn move_at(
        &self,
        stretch: &mut WriteColumns<'_>,
        chunk: &mut Chunk,
        thread: &mut ThreadScratch,
    ) {
        let ThreadScratch { not_strolled, long, scratch } = thread;
        not_strolled.crossers.clear();
        not_strolled.slow_lanes.clear();
        long.clear();
        chunk.strolled = stretch.locals.len();
        let may_stroll = self.path == PathChoice::Auto && !self.tick.ignores_shortcuts;
        if may_stroll {
            self.stroll(stretch, not_strolled, chunk, long);
        } else {
            not_strolled.slow_lanes.resize(stretch.locals.len().div_ceil(LANES), u16::MAX);
        }
        for (block, &lanes) in not_strolled.slow_lanes.iter().enumerate() {
            let mut lanes = lanes;
            while lanes != 0 {
                let index = block * LANES + lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if index >= stretch.locals.len()
                    || (may_stroll && self.pass_corner(stretch, index, chunk))
                {
                    continue;
                }
                self.take_long(stretch, index, chunk, long);
            }
        }
        long.sort_unstable();
        self.move_long(stretch, chunk, long, scratch);
    }

    /// Puts a unit on the list of those that take the long way.
    #[inline]
    pub(super) fn take_long(
        &self,
        stretch: &WriteColumns<'_>,
        index: usize,
        chunk: &mut Chunk,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        chunk.strolled -= 1;
        let slot = stretch.first + index;
        if self.columns.live[slot] {
            long.push((self.columns.sectors[slot], slot as u32));
        }
    }

    /// Moves the units on the list `long`, by sector.
    fn move_long(
        &self,
        stretch: &mut WriteColumns<'_>,
        chunk: &mut Chunk,
        long: &[(SectorCoord, u32)],
        scratch: &mut Scratch,
    ) {
        let Some(&(first, _)) = long.first() else { return };
        let Self { view, tick, columns, .. } = *self;
        let surfaces = columns.surfaces;
        let all_props = Classifier::new(view, tick, surfaces);
        let baked_only = Classifier { view: view.without_live(), ..all_props };
        let mut home = UnitSector::new(view, first);
        let mut around = self.around(&home, chunk);
        let mut sectors = Sectors::new(view);
        for &(sector, slot) in long {
            if sector != home.coord {
                home = UnitSector::new(view, sector);
                around = self.around(&home, chunk);
            }
            let index = slot as usize - stretch.first;
            stretch.corners[index] = NO_CORNERS;
            let unit = Unit {
                sector,
                local: stretch.locals[index],
                velocity: stretch.velocities[index],
                motion: columns.motions[slot as usize],
            };
            let (unit, is_low) = self.at_start(&all_props, &home, slot, unit);
            let around = around.filter(|_| !self.is_near_live(&all_props, &home, slot, &unit));
            // What is remembered concerns only what never moves.
            let classifier =
                if around.is_some() && home.has_live { &baked_only } else { &all_props };
            if around.is_none() {
                // It moves now; whether it rests is not checked.
                unit_memory::forget_rest(&mut stretch.memories[index]);
            }
            let mut memory = around.map(|around| UnitMemory::of(&stretch.memories[index], around));
            let known = memory;
            let view = classifier.view;
            let mut work =
                Work { view, home: &home, is_low, sectors: &mut sectors, chunk, scratch };
            let outcome = self.move_one(classifier, &mut work, slot, &unit, memory.as_mut());
            if let Some(memory) = memory.filter(|_| memory != known) {
                stretch.memories[index] = memory.pack();
            }
            if outcome.follows && self.path == PathChoice::Auto {
                self.remember(stretch, index, &home, &outcome, chunk);
            }
            chunk.outcomes.push((slot, outcome));
        }
    }

    /// Keeps the corners of the cell that a unit has reached, if it may stroll on from there.
    fn remember(
        &self,
        stretch: &mut WriteColumns<'_>,
        index: usize,
        home: &UnitSector<'_>,
        outcome: &Outcome,
        chunk: &mut Chunk,
    ) {
        let unit = &outcome.unit;
        let UnitSectorState::Resident(Resident { sector, .. }) = &home.state else { return };
        let walks = outcome.verdict == Verdict::Moved && unit.motion == Motion::Walking;
        if !walks || unit.sector != home.coord || self.tick.ignores_shortcuts {
            return;
        }
        // As strolling leaves it: a unit with the same wish again is then known to continue as before.
        let Vec3 { x, z, .. } = unit.velocity;
        if differs(unit.velocity, Vec3::new(without_creep(x), 0.0, without_creep(z))) {
            return;
        }
        let body = self.columns.body_ids[stretch.first + index];
        let inner = self.gaits[body.index()].inner;
        if unit.local.x.abs() >= inner || unit.local.z.abs() >= inner {
            return;
        }
        let Some(number) = self.open_maps.number(home.coord, body) else {
            if chunk.unknown.last() != Some(&(home.coord, body)) {
                chunk.unknown.push((home.coord, body));
            }
            return;
        };
        let place = self.tick.frame.place([unit.local.x, unit.local.z]);
        let cell = [place.column, place.row];
        if !self.open_maps.is_open(number, cell) {
            return;
        }
        stretch.corners[index] = sector.field().corners(place.column, place.row);
        stretch.map_ids[index] = number;
    }
}
