//! Rejects pushes that would move a unit off what it stands on.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::blocks_along;
use marchland_terrain::limits::{BLOCK_CELLS, SKIN};
use marchland_terrain::query::{Cylinder, SupportBy};
use marchland_terrain::{
    CellKind, Ground, HeightfieldView, SectorCoord, SectorState, SectorView, TerrainView, WorldPos,
};

use crate::ground::sectors::{Sectors, has_live};
use crate::units::body::Body;
use crate::units::columns::Units;
use crate::units::reach::Reach;
use crate::units::tick::Tick;

/// The part of the foot disc that has to be over a prop for a unit to be pushed there. With the whole
/// disc, pushes would move a unit on until only the rim of its disc rests on the prop.
const FOOT: f32 = 0.5;

/// How much further than a push a unit may reach without meeting a missing sector. Metres: more than
/// the rounding of a position in the widest sector, less than a skin.
const REACH_MARGIN: f32 = 0.002;

/// Checks where a push leads, and caches the sectors that it looked up.
pub(super) struct Guard<'a> {
    view: TerrainView<'a>,
    pub(super) tick: &'a Tick,
    sectors: Sectors<'a>,
    pub(super) sector_cache: SectorCache<'a>,
}

/// Sectors in which units stand, each at an index that its coordinates determine: neighbouring slots need not
/// be neighbouring places.
pub(super) struct SectorCache<'a> {
    /// The cached sectors, along X and along Z.
    pub(super) xs: [i32; CACHED],
    pub(super) zs: [i32; CACHED],
    /// The steepness of their blocks; empty if they are not in memory.
    pub(super) steepness: [&'a [u8]; CACHED],
    /// A bit for each crowded sector, which holds more, or less, than whole ground: a prop, a hole, the
    /// world's edge. A unit pushed there may stand on a prop now, and must not be pushed off it. Also set for
    /// indices that hold no sector yet.
    pub(super) crowded: u64,
    /// The ground of crowded sectors.
    fields: [Option<HeightfieldView<'a>>; CACHED],
    /// Blocks along a sector.
    pub(super) along: u32,
}

/// Cached sectors along each axis.
const CACHED: usize = 64;

impl<'a> SectorCache<'a> {
    fn new(view: TerrainView<'a>) -> Self {
        // The first index is that of sector (0, 0). At the others it is a placeholder that matches no sector.
        let (steepness, field) = look_at(view, SectorCoord::default());
        let along = blocks_along(view.grid().cells());
        let crowded = if field.is_some() { u64::MAX } else { 0 };
        let (steepness, fields) = ([steepness; CACHED], [field; CACHED]);
        Self { xs: [0; CACHED], zs: [0; CACHED], steepness, crowded, fields, along }
    }

    /// The index of a sector in the cache.
    #[inline]
    pub(super) fn place(coord: SectorCoord) -> usize {
        (coord.x & 7 | (coord.z & 7) << 3) as usize
    }

    /// The index of a sector, which is cached from now on.
    #[inline]
    fn remember(&mut self, view: TerrainView<'a>, coord: SectorCoord) -> usize {
        let at = Self::place(coord);
        if (self.xs[at], self.zs[at]) != (coord.x, coord.z) {
            (self.xs[at], self.zs[at]) = (coord.x, coord.z);
            (self.steepness[at], self.fields[at]) = look_at(view, coord);
            let is_crowded = u64::from(self.fields[at].is_some());
            self.crowded = self.crowded & !(1 << at) | is_crowded << at;
        }
        at
    }

    /// Whether gentle ground at `to`, in a cached sector, is known to support a unit with its feet at `feet`
    /// that stands in the sector and stays in it. A sector that is not crowded needs no further check.
    #[inline]
    pub(super) fn bears(
        &self,
        tick: &Tick,
        home: usize,
        feet: f32,
        to: [f32; 2],
        down: f32,
    ) -> bool {
        let Some(field) = &self.fields[home] else { return true };
        let place = tick.frame.place(to);
        let is_solid = field.is_whole()
            || field.cell_kind(place.column as i32, place.row as i32) == CellKind::Solid;
        is_solid && feet - field.height_at(place) <= down
    }
}

/// The steepness of a sector's blocks, empty if it is not in memory; and its ground, if it is crowded.
#[cold]
fn look_at<'a>(
    view: TerrainView<'a>,
    coord: SectorCoord,
) -> (&'a [u8], Option<HeightfieldView<'a>>) {
    let SectorState::Resident(sector) = view.sector(coord) else { return (&[], None) };
    let field = sector.field();
    let is_bare = |sector: &SectorView<'_>| {
        field.is_whole() && sector.props().is_empty() && !has_live(view, coord)
    };
    (field.steepness(), (!is_bare(&sector)).then_some(field))
}

impl<'a> Guard<'a> {
    pub(super) fn new(view: TerrainView<'a>, tick: &'a Tick) -> Self {
        Self { view, tick, sectors: Sectors::new(view), sector_cache: SectorCache::new(view) }
    }

    /// Caches a sector.
    pub(super) fn remember(&mut self, coord: SectorCoord) {
        self.sector_cache.remember(self.view, coord);
    }

    /// Whether a unit with this wish still stands at the end of it.
    #[inline]
    pub(super) fn allows(&mut self, units: &Units, slot: usize, velocity: [f32; 2]) -> bool {
        let local = units.locals[slot];
        let body = &units.bodies[units.body_ids[slot].index()];
        let delta = velocity.map(|speed| speed * self.tick.dt);
        let to = [local.x + delta[0], local.z + delta[1]];
        let home = self.sector_cache.remember(self.view, units.sectors[slot]);
        if self.is_inside(to, body)
            && self.is_inside([local.x, local.z], body)
            && is_short(delta, body)
            && self.is_gentle(home, body, to)
            && self.is_gentle_between(home, body, [local.x, local.z], to)
            && self.sector_cache.bears(self.tick, home, local.y, to, body.step_down())
        {
            return true;
        }
        self.allows_exactly(units, slot, velocity)
    }

    /// Whether a body there touches no other sector.
    #[inline]
    fn is_inside(&self, [x, z]: [f32; 2], body: &Body) -> bool {
        let inner = inner(self.tick, body);
        x.abs() < inner && z.abs() < inner
    }

    /// The block of cells that a place is in: its column and row.
    #[inline]
    fn block(&self, at: [f32; 2]) -> [u32; 2] {
        let place = self.tick.frame.place(at);
        [place.column / BLOCK_CELLS, place.row / BLOCK_CELLS]
    }

    /// Whether all ground of a short move is known to be gentle, given gentle ground at its end: within a
    /// block, or from a gentle block into a neighbouring one.
    #[inline]
    fn is_gentle_between(&self, home: usize, body: &Body, from: [f32; 2], to: [f32; 2]) -> bool {
        let ([column, row], [to_column, to_row]) = (self.block(from), self.block(to));
        match (column == to_column, row == to_row) {
            (true, true) => true,
            (false, false) => false,
            _ => self.is_gentle(home, body, from),
        }
    }

    /// Whether all ground near a place is known to be gentle enough to stand on.
    #[inline]
    fn is_gentle(&self, home: usize, body: &Body, to: [f32; 2]) -> bool {
        let [column, row] = self.block(to);
        let block = row * self.sector_cache.along + column;
        let steepness = self.sector_cache.steepness[home];
        steepness.get(block as usize).is_some_and(|steepness| *steepness <= body.steepness_limit)
    }

    /// The same check against the exact triangle and against props.
    #[cold]
    pub(super) fn allows_exactly(
        &mut self,
        units: &Units,
        slot: usize,
        velocity: [f32; 2],
    ) -> bool {
        let (sector, local) = (units.sectors[slot], units.locals[slot]);
        let body = &units.bodies[units.body_ids[slot].index()];
        let delta = velocity.map(|speed| speed * self.tick.dt);
        // No unit is held for ground that only a push would reach, nor later because of rounding.
        let farther = delta.map(|metres| metres + REACH_MARGIN.copysign(metres));
        let reach = Reach::new(self.tick, body, [local.x, local.z], farther);
        if reach.any_missing(&mut self.sectors, sector) {
            return false;
        }
        let to = local + Vec3::new(delta[0], 0.0, delta[1]);
        let Ok(to) = WorldPos::new(sector, to, units.size) else { return false };
        self.has_ground(to, body) || self.has_props(to, body, units.masks[slot])
    }

    /// Whether the ground at a place is no further down than a body follows, and not too steep.
    fn has_ground(&mut self, to: WorldPos, body: &Body) -> bool {
        let (coord, local) = (to.sector(), to.local());
        let Ground::Height(height) = self.sectors.ground(coord, local.x, local.z) else {
            return false;
        };
        let SectorState::Resident(sector) = self.sectors.state(coord) else { return false };
        let slope = sector.field().slope(local.x, local.z);
        local.y - height <= body.step_down()
            && slope.is_some_and(|slope| f64::from(slope) <= body.max_slope_tan())
    }

    /// Whether a prop supports a body there.
    fn has_props(&self, to: WorldPos, body: &Body, mask: u32) -> bool {
        let disc = Cylinder { radius: body.radius() * FOOT, height: body.height() };
        let (low, high) = (-body.step_down(), body.knee());
        let found = self.view.solids(mask).support(disc, to, low, high, SupportBy::Props);
        matches!(found, Ok(Some(on)) if body.can_stand_on(f64::from(on.normal.y)))
    }
}

/// Whether a move is so short that over gentle ground it drops by no more than a body follows.
#[inline]
fn is_short([x, z]: [f32; 2], body: &Body) -> bool {
    x * x + z * z <= body.glance * body.glance
}

/// The distance from the middle of a sector within which a body touches no other sector. Metres.
#[inline]
pub(super) fn inner(tick: &Tick, body: &Body) -> f32 {
    tick.half - body.radius() - 2.0 * SKIN
}
