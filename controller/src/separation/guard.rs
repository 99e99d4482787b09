//! Where a push may not lead: off what a unit stands on.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{Cylinder, SupportBy};
use marchland_terrain::{Ground, HeightfieldView, SectorCoord, SectorState, TerrainView, WorldPos};

use crate::body::Body;
use crate::follow::{Reach, Tick};
use crate::sectors::{Home, HomePlace, Sectors};
use crate::units::{Motion, Unit, Units};
use crate::wish::Wish;

/// The part of the foot disc that has to be over a prop for a unit to be pushed there: with the whole
/// disc it would be pushed on until it hangs by a hair.
const FOOT: f32 = 0.5;

/// How much further than a push a unit may reach and still not meet a sector that is missing. Metres:
/// more than rounding of a place in the widest sector, less than a skin.
const HAIR: f32 = 0.002;

/// Looks before units are pushed, remembering the sectors that it saw last.
pub(super) struct Guard<'a> {
    view: TerrainView<'a>,
    tick: &'a Tick,
    sectors: Sectors<'a>,
    /// Sectors that units stand in; slots say nothing of places.
    homes: [Bare<'a>; HOMES],
    /// Which one to forget next.
    next: usize,
}

/// Homes that are remembered.
const HOMES: usize = 8;

/// A sector in which units stand, if there is nothing in it but whole ground: no hole, no prop.
#[derive(Clone, Copy)]
struct Bare<'a> {
    coord: SectorCoord,
    field: Option<HeightfieldView<'a>>,
}

impl<'a> Bare<'a> {
    fn new(view: TerrainView<'a>, coord: SectorCoord) -> Self {
        let home = Home::new(view, coord);
        let field = match &home.place {
            HomePlace::Resident { view, whole } => {
                (*whole && !home.has_live && view.props().is_empty()).then(|| view.field())
            }
            _ => None,
        };
        Self { coord, field }
    }
}

impl<'a> Guard<'a> {
    pub(super) fn new(view: TerrainView<'a>, tick: &'a Tick) -> Self {
        let homes = [Bare::new(view, SectorCoord::default()); HOMES];
        Self { view, tick, sectors: Sectors::new(view), homes, next: 0 }
    }

    /// The home at a place in the memory.
    #[inline]
    fn home(&mut self, coord: SectorCoord) -> usize {
        if let Some(at) = self.homes.iter().position(|home| home.coord == coord) {
            return at;
        }
        let at = self.next;
        self.next = (at + 1) % HOMES;
        self.homes[at] = Bare::new(self.view, coord);
        at
    }

    /// Whether a unit that is asked for this still stands at the end of it.
    #[inline]
    pub(super) fn allows(&mut self, units: &Units, slot: usize, velocity: [f32; 2]) -> bool {
        let local = units.locals[slot];
        let body = &units.bodies[units.body_ids[slot].index()];
        let delta = velocity.map(|speed| speed * self.tick.dt);
        let to = [local.x + delta[0], local.z + delta[1]];
        let home = self.home(units.sectors[slot]);
        if let Some(field) = &self.homes[home].field
            && self.is_inside(to, body)
            && self.is_inside([local.x, local.z], body)
            && is_gentle(self.tick, field, body, to)
        {
            return true;
        }
        self.allows_exactly(units, slot, body, velocity, delta)
    }

    /// Whether a body there touches no other sector.
    #[inline]
    fn is_inside(&self, [x, z]: [f32; 2], body: &Body) -> bool {
        let inner = self.tick.half - body.radius() - 2.0 * SKIN;
        x.abs() < inner && z.abs() < inner
    }

    /// The same with a look at the very triangle, and at props.
    #[cold]
    fn allows_exactly(
        &mut self,
        units: &Units,
        slot: usize,
        body: &Body,
        velocity: [f32; 2],
        delta: [f32; 2],
    ) -> bool {
        let (sector, local) = (units.sectors[slot], units.locals[slot]);
        let unit = Unit { sector, local, velocity: Vec3::ZERO, motion: Motion::Walking };
        // Nobody is held for ground that only a push would reach, nor afterwards because of rounding.
        let hair = HAIR / self.tick.dt;
        let velocity = velocity.map(|speed| speed + hair.copysign(speed));
        let wish = Wish { velocity, jump: false };
        if Reach::of(self.tick, &unit, body, wish).any_missing(&mut self.sectors, sector) {
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

    /// Whether a prop bears a body there.
    fn has_props(&self, to: WorldPos, body: &Body, mask: u32) -> bool {
        let disc = Cylinder { radius: body.radius() * FOOT, height: body.height() };
        let (low, high) = (-body.step_down(), body.knee());
        let found = self.view.solids(mask).support(disc, to, low, high, SupportBy::Props);
        matches!(found, Ok(Some(on)) if f64::from(on.normal.y) >= body.max_slope_cos())
    }
}

/// Whether all ground near a place is surely gentle enough to stand on.
#[inline]
fn is_gentle(tick: &Tick, field: &HeightfieldView<'_>, body: &Body, to: [f32; 2]) -> bool {
    let place = tick.frame.place(to);
    field.cell_steepness(place.column, place.row) <= body.steepness_limit
}
