//! Where a push may not lead: off what a unit stands on.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{Cylinder, SupportBy};
use marchland_terrain::{Ground, SectorCoord, SectorState, TerrainView, WorldPos};

use crate::body::Body;
use crate::follow::{Reach, Tick, open_ground};
use crate::sectors::{Home, HomePlace, Sectors};
use crate::units::{Motion, Unit, Units};
use crate::wish::Wish;

/// The part of the foot disc that has to be over a prop, or a hole's rim, for a unit to be pushed there:
/// the whole disc would let it be pushed until it hangs by a hair.
const FOOT: f32 = 0.5;

/// Looks before units are pushed, remembering the sectors that it saw last.
pub(super) struct Guard<'a> {
    view: TerrainView<'a>,
    tick: &'a Tick,
    sectors: Sectors<'a>,
    home: Home<'a>,
    /// Whether nothing but whole ground is in the home: no hole, no prop.
    is_bare: bool,
}

impl<'a> Guard<'a> {
    pub(super) fn new(view: TerrainView<'a>, tick: &'a Tick) -> Self {
        let home = Home::new(view, SectorCoord::default());
        let is_bare = is_bare(&home);
        Self { view, tick, sectors: Sectors::new(view), home, is_bare }
    }

    /// Whether a unit that is asked for this still stands at the end of it.
    #[inline]
    pub(super) fn allows(&mut self, units: &Units, slot: usize, velocity: [f32; 2]) -> bool {
        let sector = units.sectors[slot];
        if sector != self.home.coord {
            self.home = Home::new(self.view, sector);
            self.is_bare = is_bare(&self.home);
        }
        let local = units.locals[slot];
        let body = &units.bodies[units.body_ids[slot].index()];
        let delta = velocity.map(|speed| speed * self.tick.dt);
        let to = [local.x + delta[0], local.z + delta[1]];
        if self.is_bare && self.is_inside(to, body) && self.is_inside([local.x, local.z], body) {
            let HomePlace::Resident { view, .. } = &self.home.place else { return false };
            if open_ground(self.tick, &view.field(), body, to, to).is_some() {
                return true;
            }
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
        let wish = Wish { velocity, jump: false };
        // Nobody is held for ground that only a push would reach.
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

    /// Whether something else bears a body there: a prop, or the rim of a hole.
    fn has_props(&self, to: WorldPos, body: &Body, mask: u32) -> bool {
        let disc = Cylinder { radius: body.radius() * FOOT, height: body.height() };
        let (low, high) = (-body.step_down(), body.knee());
        let found = self.view.solids(mask).support(disc, to, low, high, SupportBy::All);
        matches!(found, Ok(Some(on)) if f64::from(on.normal.y) >= body.max_slope_cos())
    }
}

fn is_bare(home: &Home<'_>) -> bool {
    let HomePlace::Resident { view, whole } = &home.place else { return false };
    *whole && !home.has_live && view.props().is_empty()
}
