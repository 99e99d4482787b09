//! The queries that a unit's move makes on the world. Near triangles are gathered once, and more only where a
//! query reaches further.

pub(super) mod footing;
pub(super) mod head_room;
pub(super) mod known_walls;
pub(super) mod level;
pub(super) mod part;
pub(super) mod places;
pub(super) mod posed;
pub(super) mod recent;
pub(super) mod too_steep;
pub(super) mod touch;
pub(super) mod underfoot;

use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{
    Contact, Contacts, Cylinder, Impact, QueryError, Region, Solids, Support, SupportBy,
};
use marchland_terrain::{
    PropId, PropRecord, SectorCoord, SectorSize, SectorState, SurfaceId, SurfaceSet, TerrainView,
    WorldPos,
};

use self::known_walls::LevelMemory;
pub(crate) use self::part::Part;
use self::recent::Recent;
use self::underfoot::Footing;
use super::moving_props::MovingProps;
use super::planes::Plane;
use crate::ground::sectors::Sectors;
use crate::units::body::Body;
use crate::units::memory::known_places::{GroundFreeColumn, KnownPlaces};
use crate::units::surface::{SurfaceResponse, never_steep_of};
use crate::units::tick::Tick;

/// Why a query has no answer: a sector that must be in memory is not, or no query goes so far. The unit is then held.
pub(crate) type Missing = QueryError;

/// Steeper than any triangle can be: no triangle of that kind is met.
pub(crate) const NONE_OF_IT: f64 = -2.0;

/// How much further than sweeps contacts reach. Metres: a unit that a sweep stopped touches what stopped it
/// deeply enough that the way out is clear, also where coordinates are coarse.
pub(crate) const CONTACT_MARGIN: f32 = 2e-4;

/// How much farther than its skin a prop has to be from a body until it is told that their contact has ended.
/// Metres: with less, a contact would begin and end again and again for a unit that is carried along a wall, or
/// pushed out of the skin. With more, it would seem to touch what it does not.
pub(crate) const PARTING: f32 = 0.02;

/// Overlap that counts as being inside something, beyond the skin. Metres.
pub(crate) const INSIDE: f64 = 1e-4;

/// How far rounding may bring something into a body. Metres.
pub(crate) const ROUNDING_MARGIN: f32 = 5e-4;

/// The world as one unit meets it.
pub(crate) struct Space<'a, 'v, 'm> {
    pub(crate) tick: &'a Tick,
    pub(crate) view: TerrainView<'v>,
    /// Layers of the props that are met.
    pub(crate) mask: u32,
    /// The triangles that are gathered.
    pub(crate) near: &'m mut Gathered,
    /// The places where the unit has just been.
    pub(crate) known: &'m mut KnownPlaces,
    /// Everything that the unit can touch in this tick.
    pub(crate) reach: Region,
    /// A region that is known to hold no prop, if there is one.
    pub(crate) bare: Option<Region>,
    pub(crate) sectors: &'m mut Sectors<'v>,
    pub(crate) contacts: &'m mut Contacts,
    /// The query that the contacts answer, until another query is made.
    pub(crate) contacts_key: Option<(Part, WorldPos)>,
    /// The ground that was found under some places.
    pub(crate) footings: Recent<Footing>,
    /// Where no ground lifts the body, of the place of this tick that was asked last.
    pub(crate) unlifted: Option<GroundFreeColumn>,
    /// Whether no ground is in the upper part of the body there.
    pub(crate) clearances: Recent<bool>,
    /// The walls of the places that were asked last.
    pub(crate) level: &'m mut LevelMemory,
    /// The first stretch of the way that a unit is asked to walk, along X and Z. Metres.
    pub(crate) ahead: DVec2,
    pub(crate) body: &'a Body,
    /// How far above the feet the part of the body begins that blocks: a hair above the knee. Metres.
    pub(crate) upper_low: f32,
    /// By how much a rise may exceed the knee or a step. Metres.
    pub(crate) hair: f32,
    /// How far above the feet low walls begin. Metres.
    pub(crate) low_from: f32,
    /// By how much ground that is walked on may rise in a stretch of the tick's walk. Metres.
    pub(crate) slope_rise: f32,
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// The surfaces that are never too steep, if there are any.
    pub(crate) sticky: Option<SurfaceSet>,
    /// Whether surfaces without friction are never too steep either: to a unit that glides.
    pub(crate) glides: bool,
    pub(crate) size: SectorSize,
    /// Whether anything but gentle, whole ground is near. False in the open, where nothing is in the way.
    pub(crate) has_steep: bool,
    /// Whether the unit falls in a hole.
    pub(crate) in_pit: bool,
    /// Whether only open ground is within the unit's reach.
    pub(crate) in_the_open: bool,
    /// The props that have moved near the unit in this tick.
    pub(crate) moving_props: &'a MovingProps<'v>,
}

/// How much further than a query triangles are gathered. Metres: contacts are judged by what lies a little
/// beside them.
const GATHER_MARGIN: f64 = 1e-3;

/// The longest move along which triangles are gathered. Metres: longer moves query the world.
pub(crate) const GATHERED_MAX: f32 = 16.0;

/// Whether the way out of a prop at rest is longer than the way out of the skin.
pub(crate) fn is_far_out(contact: &Contact) -> bool {
    contact.triangle.prop().is_some()
        && contact.velocity == Vec3::ZERO
        && f64::from(contact.depth) > f64::from(SKIN + CONTACT_MARGIN) + INSIDE
}

/// Everything solid, with the triangles near the way of a body gathered.
pub(crate) fn near<'s>(
    view: TerrainView<'s>,
    mask: u32,
    near: &'s mut Gathered,
    body: Cylinder,
    from: WorldPos,
    motion: Vec3,
) -> Solids<'s> {
    if near.surely_holds(body, from, motion) {
        return view.solids_with(mask, near);
    }
    match Region::swept(body, from, motion) {
        Ok(region) if motion.length() <= GATHERED_MAX => {
            view.gather_more(&region.grown(GATHER_MARGIN), mask, near)
        }
        _ => view.solids(mask),
    }
}

impl Space<'_, '_, '_> {
    /// The body without its skin.
    pub(crate) fn core(&self) -> Cylinder {
        Cylinder { radius: self.body.radius(), height: self.body.height() }
    }

    /// Whether a query about props is known to find nothing: there is no prop anywhere near a body's way.
    pub(crate) fn is_bare(&self, body: Cylinder, at: WorldPos, motion: Vec3) -> bool {
        self.bare.is_some_and(|bare| bare.surely_holds(body, at, motion))
    }

    /// How far above the feet the highest ground under the foot disc is, between two heights, of what is no steeper
    /// than `upright`.
    pub(crate) fn highest_ground(
        &self,
        at: WorldPos,
        (low, high): (f32, f32),
        upright: f32,
    ) -> Result<Option<f32>, Missing> {
        let core = self.core();
        let band = Cylinder { height: high - low + ROUNDING_MARGIN, ..core };
        let is_at_hand = self.near.surely_holds(band, self.raised(at, low), Vec3::ZERO);
        // Ground may be queried at any height; the props up to there are not gathered.
        let solids = if is_at_hand {
            self.view.solids_with(self.mask, self.near)
        } else {
            self.view.solids(0)
        };
        let solids = solids.with_ground_never_steep(self.sticky.as_ref());
        solids.highest_ground(core, at, (low, high), upright)
    }

    /// The highest surface of props under the foot disc of a body between two heights above the feet, of triangles whose
    /// normal's `y` is at least `upright`.
    pub(crate) fn support(
        &mut self,
        core: Cylinder,
        at: WorldPos,
        (low, high): (f32, f32),
        upright: f32,
    ) -> Result<Option<Support>, Missing> {
        let band = Cylinder { height: high - low + ROUNDING_MARGIN, ..core };
        let from = self.raised(at, low);
        if self.is_bare(band, from, Vec3::ZERO) {
            return Ok(None);
        }
        let solids = near(self.view, self.mask, self.near, band, from, Vec3::ZERO);
        let by = SupportBy::Props;
        solids.support_upright(core, at, low, high, by, upright)
    }

    /// Whether surely no prop that can be stood on is under the disc between two heights above the feet.
    pub(crate) fn has_surely_no_floor(&self, at: WorldPos, (low, high): (f32, f32)) -> bool {
        let band = Cylinder { radius: self.body.radius(), height: high - low };
        let at = self.raised(at, low);
        self.sticky.is_none()
            && !self.glides
            && self.level.faces.hold_no_floor(band, at, self.body.max_slope_cos())
    }

    pub(crate) fn ground_met(&self, part: Part) -> f64 {
        if self.meets_ground(part) { self.body.max_slope_cos() } else { NONE_OF_IT }
    }

    /// Whether steep ground blocks a part of the body: the upper part, and in a hole the whole body, so that
    /// no unit hangs by its knee on the rim.
    pub(crate) fn meets_ground(&self, part: Part) -> bool {
        self.has_steep && (part == Part::Whole) == self.in_pit
    }

    /// A baked prop, if it is in memory.
    pub(crate) fn baked(&self, sector: SectorCoord, index: u32) -> Option<PropRecord> {
        let SectorState::Resident(resident) = self.view.sector(sector) else { return None };
        let props = resident.props();
        let mut own = (0..props.len()).map(|at| props.record(at));
        own.find(|record| record.id() == PropId::Baked { sector, index })
    }

    /// How a surface responds.
    pub(crate) fn surface(&self, surface: SurfaceId) -> SurfaceResponse {
        let known = self.surfaces.get(usize::from(surface.0));
        known.copied().unwrap_or(SurfaceResponse::PLAIN)
    }

    /// The surfaces of ground that is never too steep for a body with its centre at a place. `None` over a
    /// hole: nothing lifts the body over such ground there, which is a wall to it.
    pub(crate) fn sticky_under(&mut self, at: WorldPos) -> Option<SurfaceSet> {
        if self.sticky.is_some() && self.is_over_hole(at) { None } else { self.sticky }
    }

    /// Sets whether the unit glides, if there is any surface without friction.
    pub(crate) fn set_glides(&mut self, glides: bool) {
        if glides != self.glides && self.surfaces.iter().any(|surface| surface.friction == 0.0) {
            self.glides = glides;
            self.sticky = never_steep_of(self.surfaces, glides);
            self.footings = Recent::new();
            self.unlifted = None;
            self.contacts_key = None;
        }
    }
}

/// The face of a contact.
pub(crate) fn plane_at(contact: &Contact) -> Plane {
    Plane {
        normal: contact.normal.as_dvec3(),
        depth: f64::from(contact.depth),
        triangle: Some(contact.triangle),
        surface: contact.surface.0,
    }
}

/// The plane of an impact.
pub(crate) fn plane_of(hit: &Impact) -> Plane {
    Plane {
        normal: hit.normal.as_dvec3(),
        depth: 0.0,
        triangle: Some(hit.triangle),
        surface: hit.surface.0,
    }
}

/// A plane turned upright: a wall to a standing unit. `None` for floors and ceilings.
pub(crate) fn upright(plane: Plane) -> Option<Plane> {
    let level = DVec3::new(plane.normal.x, 0.0, plane.normal.z);
    let length = level.length();
    (length > 1e-3).then(|| Plane { normal: level / length, ..plane })
}
