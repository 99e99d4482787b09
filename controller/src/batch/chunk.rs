//! The units of a stretch of slots: who strolls over ground that it remembers, who comes into the next
//! cell, and who takes the long way.

use std::sync::{Mutex, PoisonError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SectorCoord, TerrainView};

use super::classify::Open;
use super::homes::{Ground, Homes};
use super::lanes::Left;
use super::near::Work;
use super::surroundings::Surroundings;
use crate::body::BodyId;
use crate::cells::{Corners, LANES, NO_CORNERS};
use crate::event::EventKind;
use crate::extra::Extra;
use crate::follow::{Gait, differs};
use crate::kept::Kept;
use crate::kinematic::Scratch;
use crate::recall::{self, Recall, Recalled};
use crate::sectors::{Home, HomePlace, Sectors};
use crate::settings::PathChoice;
use crate::surface::SurfaceResponse;
use crate::tick::{Outcome, Tick, Verdict, without_creep};
use crate::units::{Motion, Unit, Units};
use crate::wish::Wish;

/// Homes that a chunk may find missing in a tick before the list of them grows.
const UNKNOWN: usize = 32;

/// What a stretch of units tells, and memory for it.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// How many strolled.
    pub(crate) strolled: usize,
    /// What became of all others, by slot.
    pub(crate) outcomes: Vec<(u32, Outcome)>,
    /// Of those that took the full controller.
    pub(crate) extras: Vec<(u32, Extra)>,
    pub(crate) news: Vec<(u32, EventKind)>,
    /// Sectors that have no map yet for a body that strolls there.
    pub(crate) unknown: Vec<(SectorCoord, BodyId)>,
    /// Sectors in which units would remember what is around them.
    pub(crate) unseen: Vec<SectorCoord>,
}

/// What a thread writes down while it moves a stretch.
#[derive(Debug)]
pub(crate) struct Desk {
    left: Left,
    /// Slots that take the long way, with their sectors.
    long: Vec<(SectorCoord, u32)>,
    /// For the full controller.
    scratch: Scratch,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { left: Left::default(), long: Vec::new(), scratch: Scratch::new() }
    }

    /// Room for a stretch of so many units.
    pub(crate) fn make_room(&mut self, units: usize) {
        self.left.crossers.make_room(units);
        self.left.others.clear();
        self.left.others.reserve(units.div_ceil(LANES));
        self.long.clear();
        self.long.reserve(units);
    }
}

impl Chunk {
    /// Room for so many units and so many events of each.
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

/// The columns of a stretch of units that a tick writes at once.
pub(crate) struct Stretch<'a> {
    /// The slot of the first.
    pub(crate) first: usize,
    pub(crate) locals: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) corners: &'a mut [Corners],
    pub(crate) homes: &'a mut [u32],
    pub(crate) recalls: &'a mut [Recalled],
}

/// The columns of all units that a tick only reads.
#[derive(Clone, Copy)]
pub(crate) struct Others<'a> {
    pub(crate) sectors: &'a [SectorCoord],
    pub(crate) motions: &'a [Motion],
    pub(crate) body_ids: &'a [BodyId],
    pub(crate) masks: &'a [u32],
    pub(crate) extras: &'a [Extra],
    pub(crate) live: &'a [bool],
    pub(crate) bodies: &'a [crate::body::Body],
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// What is around them.
    pub(crate) kept: &'a Kept,
}

impl<'a> Others<'a> {
    pub(crate) fn split(units: &'a mut Units) -> (Self, Stretch<'a>) {
        let others = Self {
            sectors: &units.sectors,
            motions: &units.motions,
            body_ids: &units.body_ids,
            masks: &units.masks,
            extras: &units.extras,
            live: &units.live,
            bodies: &units.bodies,
            surfaces: &units.surfaces,
            kept: &units.cells.kept,
        };
        let stretch = Stretch {
            first: 0,
            locals: &mut units.locals,
            velocities: &mut units.velocities,
            corners: &mut units.cells.corners,
            homes: &mut units.cells.homes,
            recalls: &mut units.cells.recalls.list,
        };
        (others, stretch)
    }
}

/// What all chunks of a tick share.
pub(crate) struct Crew<'a> {
    pub(crate) view: TerrainView<'a>,
    pub(crate) tick: &'a Tick,
    pub(crate) others: Others<'a>,
    pub(crate) wishes: &'a [Wish],
    pub(crate) path: PathChoice,
    pub(crate) homes: &'a Homes,
    pub(crate) grounds: &'a [Option<Ground<'a>>],
    pub(crate) gaits: &'a [Gait],
    pub(crate) surroundings: &'a Surroundings,
    /// One for each thread.
    pub(crate) desks: &'a [Mutex<Desk>],
}

impl<'v> Crew<'v> {
    /// Moves a stretch of units.
    pub(crate) fn move_stretch(&self, stretch: &mut Stretch<'_>, chunk: &mut Chunk) {
        #[cfg(feature = "rayon")]
        let thread = rayon::current_thread_index().unwrap_or(0);
        #[cfg(not(feature = "rayon"))]
        let thread = 0;
        let thread = if thread < self.desks.len() { thread } else { 0 };
        // What a panic left behind is overwritten like anything else.
        let mut desk = self.desks[thread].lock().unwrap_or_else(PoisonError::into_inner);
        self.move_at(stretch, chunk, &mut desk);
    }

    fn move_at(&self, stretch: &mut Stretch<'_>, chunk: &mut Chunk, desk: &mut Desk) {
        let Desk { left, long, scratch } = desk;
        left.crossers.clear();
        left.others.clear();
        long.clear();
        chunk.strolled = stretch.locals.len();
        let may_stroll = self.path == PathChoice::Auto && !self.tick.always;
        if may_stroll {
            self.stroll(stretch, left, chunk, long);
        } else {
            left.others.resize(stretch.locals.len().div_ceil(LANES), u16::MAX);
        }
        for (block, &others) in left.others.iter().enumerate() {
            let mut others = others;
            while others != 0 {
                let index = block * LANES + others.trailing_zeros() as usize;
                others &= others - 1;
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
        stretch: &Stretch<'_>,
        index: usize,
        chunk: &mut Chunk,
        long: &mut Vec<(SectorCoord, u32)>,
    ) {
        chunk.strolled -= 1;
        let slot = stretch.first + index;
        if self.others.live[slot] {
            long.push((self.others.sectors[slot], slot as u32));
        }
    }

    /// All others, by sector.
    fn move_long(
        &self,
        stretch: &mut Stretch<'_>,
        chunk: &mut Chunk,
        long: &[(SectorCoord, u32)],
        scratch: &mut Scratch,
    ) {
        let Some(&(first, _)) = long.first() else { return };
        let Self { view, tick, others, .. } = *self;
        let surfaces = others.surfaces;
        let met = Open::new(view, tick, surfaces);
        let bare = Open { view: view.without_live(), ..met };
        let mut home = Home::new(view, first);
        let mut around = self.around(&home, chunk);
        let mut sectors = Sectors::new(view);
        for &(sector, slot) in long {
            if sector != home.coord {
                home = Home::new(view, sector);
                around = self.around(&home, chunk);
            }
            let index = slot as usize - stretch.first;
            stretch.corners[index] = NO_CORNERS;
            let unit = Unit {
                sector,
                local: stretch.locals[index],
                velocity: stretch.velocities[index],
                motion: others.motions[slot as usize],
            };
            let unit = self.at_start(&met, &home, slot, unit);
            let around = around.filter(|_| !self.is_near_live(&met, &home, slot, &unit));
            // What is remembered is of what never moves.
            let open = if around.is_some() && home.has_live { &bare } else { &met };
            if around.is_none() {
                // It moves now, and how it rests is not looked at.
                recall::forget_rest(&mut stretch.recalls[index]);
            }
            let mut recall = around.map(|around| Recall::of(&stretch.recalls[index], around));
            let known = recall;
            let view = open.view;
            let mut work = Work { view, home: &home, sectors: &mut sectors, chunk, scratch };
            let outcome = self.move_one(open, &mut work, slot, &unit, recall.as_mut());
            if let Some(recall) = recall.filter(|_| recall != known) {
                stretch.recalls[index] = recall.keep();
            }
            if outcome.follows && self.path == PathChoice::Auto {
                self.remember(stretch, index, &home, &outcome, chunk);
            }
            chunk.outcomes.push((slot, outcome));
        }
    }

    /// Keeps the corners of the cell that a unit has come to, if it may stroll on from there.
    fn remember(
        &self,
        stretch: &mut Stretch<'_>,
        index: usize,
        home: &Home<'_>,
        outcome: &Outcome,
        chunk: &mut Chunk,
    ) {
        let unit = &outcome.unit;
        let HomePlace::Resident { view, .. } = &home.place else { return };
        let walks = outcome.verdict == Verdict::Moved && unit.motion == Motion::Walking;
        if !walks || unit.sector != home.coord || self.tick.always {
            return;
        }
        // As strolling leaves it: whoever wishes the same again is then known to go on as before.
        let Vec3 { x, z, .. } = unit.velocity;
        if differs(unit.velocity, Vec3::new(without_creep(x), 0.0, without_creep(z))) {
            return;
        }
        let body = self.others.body_ids[stretch.first + index];
        let inner = self.gaits[body.index()].inner;
        if unit.local.x.abs() >= inner || unit.local.z.abs() >= inner {
            return;
        }
        let Some(number) = self.homes.number(home.coord, body) else {
            if chunk.unknown.last() != Some(&(home.coord, body)) {
                chunk.unknown.push((home.coord, body));
            }
            return;
        };
        let place = self.tick.frame.place([unit.local.x, unit.local.z]);
        let cell = [place.column, place.row];
        if !self.homes.is_open(number, cell) {
            return;
        }
        stretch.corners[index] = view.field().corners(place.column, place.row);
        stretch.homes[index] = number;
    }
}
