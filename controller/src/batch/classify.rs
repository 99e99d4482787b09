//! Which units may follow the ground: units with only open ground around them, and units near boxes of props
//! that walk less than their radius with no prop in the box of their move (`passage`; `move_unit` checks
//! whether that box is bare). All others take the full controller, which gives the same result there.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{Aabb, greater, lesser};
use marchland_terrain::{
    CellKind, SectorCoord, SectorState, SectorView, SurfaceId, SurfaceSet, TerrainView,
};

use super::open_map::gentle::any_steeper;
use crate::ground::sectors::{LIVE_NEAR, Sectors, UnitSector};
use crate::kinematic::Subject;
use crate::units::body::{Body, SlopeRule};
use crate::units::contact_state::ContactState;
use crate::units::reach::Reach;
use crate::units::surface::{SurfaceResponse, is_plain, sticky_of};
use crate::units::tick::{Tick, without_creep};
use crate::units::unit::Motion;
use crate::units::wish::Wish;

/// How much further the queries of a unit reach than the box that its body sweeps. Metres.
const QUERY_MARGIN: f32 = 0.05;

/// The shortest move that the full controller is certain to treat as a move. Metres.
const WAY_MIN: f64 = 1e-6;

#[derive(Clone, Copy)]
pub(crate) struct Classifier<'a> {
    pub(crate) view: TerrainView<'a>,
    pub(crate) tick: &'a Tick,
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// Whether every surface is plain.
    pub(crate) plain: bool,
    /// The greatest speed at which a surface carries a unit that stands on it. Metres per second.
    pub(crate) conveyor_speed: f32,
    /// The surfaces that are never too steep, if there are any.
    pub(crate) sticky: Option<SurfaceSet>,
}

/// Whether a unit does nothing but walk or fall over plain ground.
#[inline]
pub(super) fn is_simple(who: &Subject<'_>) -> bool {
    let Subject { unit, state, body, wish, .. } = *who;
    let walks = unit.motion == Motion::Walking;
    let falls = unit.motion == Motion::Falling && body.air_control() == 0.0;
    (walks || falls)
        && !(walks && wish.jumps())
        && body.slope_rule() == SlopeRule::KeepHorizontalSpeed
        && *state == ContactState::NONE
}

impl<'a> Classifier<'a> {
    /// For a tick with these responses of surfaces.
    pub(crate) fn new(
        view: TerrainView<'a>,
        tick: &'a Tick,
        surfaces: &'a [SurfaceResponse],
    ) -> Self {
        let plain = surfaces.iter().all(SurfaceResponse::is_plain);
        let speeds = surfaces.iter().map(|surface| surface.conveyor.length());
        let conveyor_speed = speeds.fold(0.0, |most, speed| greater(speed, most));
        Self { view, tick, surfaces, plain, conveyor_speed, sticky: sticky_of(surfaces) }
    }

    /// Whether a unit stands in the open, and does not leave it in this tick.
    #[inline]
    pub(crate) fn may_follow(
        &self,
        home: &UnitSector<'_>,
        sectors: &mut Sectors<'_>,
        who: &Subject<'_>,
    ) -> bool {
        if !is_simple(who) {
            return false;
        }
        let Subject { unit, mask, .. } = *who;
        let region = self.swept(who);
        let may_meet_live = mask != 0 && (home.has_live || !self.is_near(&region, LIVE_NEAR));
        if may_meet_live && self.has_live_in(unit.sector, &region) {
            return false;
        }
        self.is_clear(home, sectors, (who, mask), &region)
    }

    /// The box of a unit's move near props: the unit meets nothing but ground if no prop is in the box.
    /// `None` unless the unit stands, or walks by more than `WAY_MIN` and no more than one stretch, so that
    /// the full controller and following do the same. Also `None` where the ground itself is in the way.
    pub(crate) fn passage(
        &self,
        home: &UnitSector<'_>,
        sectors: &mut Sectors<'_>,
        who: &Subject<'_>,
    ) -> Option<Aabb> {
        let walks = who.unit.motion == Motion::Walking && is_simple(who);
        if !walks || !self.is_stretch(who.body, who.wish) {
            return None;
        }
        let region = self.swept(who);
        if who.mask != 0 && self.has_mover_in(who.unit.sector, &region) {
            return None; // it may have passed through the box
        }
        self.is_clear(home, sectors, (who, 0), &region).then_some(region)
    }

    /// Whether there is only gentle, whole, plain ground where a unit goes.
    pub(super) fn has_gentle_ground(
        &self,
        home: &UnitSector<'_>,
        sectors: &mut Sectors<'_>,
        who: &Subject<'_>,
    ) -> bool {
        self.is_clear(home, sectors, (who, 0), &self.swept(who))
    }

    /// A box that contains most of what a unit queries in a tick; of one that touches something, a step ahead too.
    pub(crate) fn asked(&self, who: &Subject<'_>) -> Aabb {
        let [x, z] = who.wish.velocity();
        let way = Vec3::new(x, 0.0, z);
        let aside = 0.5 * way.length() * self.tick.dt;
        let Aabb { min, max } = self.swept(who).grown(QUERY_MARGIN + aside);
        let asked = Aabb { min, max: max + Vec3::new(0.0, who.body.knee(), 0.0) };
        if who.state.contacts_last_tick[0].is_none() {
            return asked;
        }
        asked.swept(way.normalize_or_zero() * (who.body.radius() + QUERY_MARGIN))
    }

    /// Whether the full controller takes the walk of a tick in one stretch.
    fn is_stretch(&self, body: &Body, wish: Wish) -> bool {
        let [x, z] = wish.velocity().map(|speed| f64::from(without_creep(speed) * self.tick.dt));
        let (squared, radius) = (x * x + z * z, f64::from(body.radius()));
        squared == 0.0 || (WAY_MIN * WAY_MIN < squared && squared < 0.99 * radius * radius)
    }

    /// Whether a whole box is so near its sector that what is known of the sector's surroundings holds for
    /// it: within a neighbouring sector, and within the distance at which live props are known.
    pub(crate) fn is_known(&self, region: &Aabb) -> bool {
        let side = self.tick.side;
        self.is_near(region, lesser(side, LIVE_NEAR))
    }

    /// Whether a box is within a sector grown by `by` metres.
    fn is_near(&self, region: &Aabb, by: f32) -> bool {
        let near = self.tick.half + by;
        -near <= region.min.x
            && region.max.x <= near
            && -near <= region.min.z
            && region.max.z <= near
    }

    /// Whether there is only gentle, whole, plain ground where a unit goes, and no baked prop of some layers.
    #[inline]
    fn is_clear(
        &self,
        home: &UnitSector<'_>,
        sectors: &mut Sectors<'_>,
        (who, mask): (&Subject<'_>, u32),
        region: &Aabb,
    ) -> bool {
        let Subject { unit, body, wish, .. } = *who;
        let SectorState::Resident(sector) = &home.state else { return true };
        let half = self.tick.half;
        let is_home = -half <= region.min.x
            && region.max.x < half
            && -half <= region.min.z
            && region.max.z < half;
        if is_home {
            return self.is_open(sector, region, body, mask);
        }
        let reach = Reach::of(self.tick, unit, body, wish);
        let is_all = reach.is_all_of_its_box();
        for coord in reach.sectors(unit.sector) {
            let SectorState::Resident(sector) = sectors.state(coord) else {
                if is_all {
                    continue;
                }
                return false;
            };
            // The world's edge turns a unit aside, to sectors that are not on its straight way.
            if !is_all && !sector.field().is_whole() {
                return false;
            }
            let seen = self.seen_from(coord, unit.sector, region);
            if !self.is_open(sector, &seen, body, mask) {
                return false;
            }
        }
        true
    }

    /// The box of a body over its move, metres from its sector's centre.
    fn swept(&self, who: &Subject<'_>) -> Aabb {
        let Subject { unit, body, wish, .. } = *who;
        let dt = self.tick.dt;
        let asked = match unit.motion {
            Motion::Walking => wish.velocity(),
            _ => [unit.velocity.x, unit.velocity.z],
        };
        let (dx, dz) = (asked[0] * dt, asked[1] * dt);
        let fall = self.tick.gravity * dt * dt + unit.velocity.y.abs() * dt + body.step_down();
        let side = body.radius() + 2.0 * SKIN;
        let Vec3 { x, y, z } = unit.local;
        let low = |from: f32, by: f32| if by < 0.0 { from + by - side } else { from - side };
        let high = |from: f32, by: f32| if by > 0.0 { from + by + side } else { from + side };
        // The slope limits how far walked ground rises and falls.
        let climb = (dx.abs() + dz.abs()) * body.max_slope_tan() as f32;
        let climb = if climb.is_finite() { climb } else { 1e6 };
        Aabb {
            min: Vec3::new(low(x, dx), y - fall - climb - 2.0 * SKIN, low(z, dz)),
            max: Vec3::new(
                high(x, dx),
                y + body.height() + unit.velocity.y.abs() * dt + climb + 2.0 * SKIN,
                high(z, dz),
            ),
        }
    }

    fn seen_from(&self, there: SectorCoord, here: SectorCoord, region: &Aabb) -> Aabb {
        let side = f64::from(self.tick.side);
        let x = ((f64::from(there.x) - f64::from(here.x)) * side) as f32;
        let z = ((f64::from(there.z) - f64::from(here.z)) * side) as f32;
        let shift = Vec3::new(x, 0.0, z);
        // Covers rounding, and a little more.
        let hair = Vec3::splat(2.0 * SKIN);
        Aabb { min: region.min - shift - hair, max: region.max - shift + hair }
    }

    /// Whether a live prop may be in a box.
    pub(crate) fn has_live_in(&self, sector: SectorCoord, region: &Aabb) -> bool {
        let Some(live) = self.view.live().filter(|live| !live.is_empty()) else { return false };
        live.any_in_box(sector, region.min.as_dvec3(), region.max.as_dvec3(), |_| true)
    }

    /// Whether a live prop that has moved may have been in a box in this tick.
    fn has_mover_in(&self, sector: SectorCoord, region: &Aabb) -> bool {
        let Some(live) = self.view.live().filter(|live| !live.is_empty()) else { return false };
        let (min, max) = (region.min.as_dvec3(), region.max.as_dvec3());
        live.any_in_box(sector, min, max, |prop| prop.way().is_some())
    }

    /// Whether only gentle, whole, plain ground of a sector is in a box, for a unit that meets props of these
    /// layers.
    #[inline]
    fn is_open(&self, sector: &SectorView<'_>, region: &Aabb, body: &Body, mask: u32) -> bool {
        let field = sector.field();
        if field.has_holes() && !self.is_solid(sector, region) {
            return false;
        }
        if !self.is_plain_in(sector, region) {
            return false;
        }
        if !self.is_gentle(sector, region, body) {
            return false;
        }
        let props = sector.props();
        props.is_empty() || !props.has_any_in(region, mask, self.view.grid().sector_size())
    }

    /// Whether every cell under a box has a plain surface, which is known where all are.
    pub(crate) fn is_plain_in(&self, sector: &SectorView<'_>, region: &Aabb) -> bool {
        self.plain || self.is_plain(sector, region)
    }

    /// Whether every cell under a box has a plain surface.
    fn is_plain(&self, sector: &SectorView<'_>, region: &Aabb) -> bool {
        let field = sector.field();
        let is_plain = |surface: SurfaceId| is_plain(self.surfaces, surface);
        match field.uniform_surface() {
            Some(surface) => is_plain(surface),
            None => self
                .all_cells(sector, region, |column, row| is_plain(field.cell_surface(column, row))),
        }
    }

    /// Whether no cell under a box is a hole.
    fn is_solid(&self, sector: &SectorView<'_>, region: &Aabb) -> bool {
        let field = sector.field();
        self.all_cells(sector, region, |column, row| {
            field.cell_kind(column as i32, row as i32) != CellKind::Hole
        })
    }

    /// Whether `is_so` is true for all cells of a sector under a box, by column and row.
    fn all_cells(
        &self,
        sector: &SectorView<'_>,
        region: &Aabb,
        is_so: impl Fn(u32, u32) -> bool,
    ) -> bool {
        let cells = sector.field().cells();
        let cell = |metres: f32| self.cell(cells, metres);
        (cell(region.min.z)..=cell(region.max.z))
            .all(|row| (cell(region.min.x)..=cell(region.max.x)).all(|column| is_so(column, row)))
    }

    /// The cell that contains a place, along one axis; the first or the last cell for a place outside the
    /// sector.
    #[inline]
    fn cell(&self, cells: u32, metres: f32) -> u32 {
        let (index, last) = (((metres + self.tick.half) / self.tick.cell) as i32, cells as i32 - 1);
        (if index < 0 { 0 } else { lesser(last, index) }) as u32
    }

    #[inline]
    fn is_gentle(&self, sector: &SectorView<'_>, region: &Aabb, body: &Body) -> bool {
        let field = sector.field();
        let cells = |low: f32, high: f32| [low, high].map(|at| self.cell(field.cells(), at));
        let (columns, rows) =
            (cells(region.min.x, region.max.x), cells(region.min.z, region.max.z));
        !any_steeper(&field, columns, rows, body.open_limit, |_, _| true)
    }
}
