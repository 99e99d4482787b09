//! What the threads of a tick share and what each of them writes: the columns of units, split into
//! stretches, and the results of a stretch.

use marchland_terrain::glam::Vec3;
use marchland_terrain::lanes::LANES;
use marchland_terrain::math::lesser;
use marchland_terrain::{SectorCoord, TerrainView};

use super::cache_keys::CacheKeys;
use super::lanes::NotStrolled;
use super::open_map_cache::OpenMaps;
use crate::following::follow::Gait;
use crate::kinematic::Scratch;
use crate::units::body::{Body, BodyId};
use crate::units::cells::Corners;
use crate::units::columns::Units;
use crate::units::event::EventKind;
use crate::units::extra::Extra;
use crate::units::gather_cache::GatherCache;
use crate::units::settings::PathChoice;
use crate::units::surface::SurfaceResponse;
use crate::units::tick::{Outcome, Tick};
use crate::units::unit::Motion;
use crate::units::unit_memory::PackedMemory;
use crate::units::wish::Wish;

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
    pub(super) not_strolled: NotStrolled,
    /// Slots that take the long way, with their sectors.
    pub(super) long: Vec<(SectorCoord, u32)>,
    /// For the full controller.
    pub(super) scratch: Scratch,
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
    pub(crate) residues: &'a mut [[f32; 2]],
    pub(crate) corners: &'a mut [Corners],
    pub(crate) map_ids: &'a mut [u32],
    pub(crate) memories: &'a mut [PackedMemory],
}

impl WriteColumns<'_> {
    /// Takes off the columns of the first `count` units; all of them if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Self {
        fn first<'a, T>(of: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            of.split_off_mut(..count).unwrap_or_default()
        }
        let count = lesser(count, self.locals.len());
        let taken = Self {
            first: self.first,
            locals: first(&mut self.locals, count),
            velocities: first(&mut self.velocities, count),
            residues: first(&mut self.residues, count),
            corners: first(&mut self.corners, count),
            map_ids: first(&mut self.map_ids, count),
            memories: first(&mut self.memories, count),
        };
        self.first += count;
        taken
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
    pub(crate) bodies: &'a [Body],
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
            residues: &mut units.residues,
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
    pub(crate) gaits: &'a [Gait],
    pub(crate) cache_keys: &'a CacheKeys,
}

impl TickContext<'_> {
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
}
