//! Computes what a walk would lead to, without walking.

use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::query::{Contacts, Cylinder, Gathered, Region};
use marchland_terrain::{TerrainView, WorldPos};

use super::CONTACTS;
use super::known_walls::LevelMemory;
use super::mover::Mover;
use super::movers::Movers;
use super::planes::Planes;
use super::recent::Recent;
use super::space::{Missing, Space};
use crate::ground::sectors::Sectors;
use crate::units::body::Body;
use crate::units::extra::Extra;
use crate::units::hair::{blocks_from, hair};
use crate::units::known_places::KnownPlaces;
use crate::units::settings::TickSettings;
use crate::units::surface::{SurfaceResponse, sticky_of};
use crate::units::tick::Tick;
use crate::units::unit::{Motion, Unit};

/// The body that is probed, and where it is.
pub(crate) struct Probe<'a> {
    pub(crate) body: &'a Body,
    pub(crate) mask: u32,
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// The feet.
    pub(crate) position: WorldPos,
    /// The direction it faces, seen from above. A unit vector.
    pub(crate) ahead: [f64; 2],
}

/// Where a climb begins, and the way from there: up, then along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) start: WorldPos,
    pub(crate) end: WorldPos,
    pub(crate) rise: f32,
    /// Length of the way up and along together. Metres.
    pub(crate) total: f32,
}

/// The climb that a walk by one radius would begin. The walk is computed as the controller walks, so that the
/// answer is what the controller does. Ladders do not count.
pub(crate) fn ledge(view: TerrainView<'_>, probe: &Probe<'_>) -> Result<Option<Way>, Missing> {
    let Probe { body, mask, surfaces, position, ahead } = *probe;
    let settings = TickSettings::default();
    let tick = Tick::new(view, &settings);
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    let reach = Region::around(cylinder, position, body.radius());
    let mut space = Space {
        tick: &tick,
        view,
        mask,
        near: &mut Gathered::default(),
        known: &mut KnownPlaces::default(),
        reach: reach.unwrap_or_else(|_| unreachable!("bodies are checked")),
        bare: None,
        sectors: &mut Sectors::new(view),
        contacts: &mut Contacts::with_capacity(CONTACTS),
        contacts_key: None,
        footings: Recent::new(),
        unlifted: None,
        clearances: Recent::new(),
        level: &mut LevelMemory::small(),
        ahead: DVec2::ZERO,
        body,
        upper_low: blocks_from(body, position.local().y),
        hair: hair(position.local().y),
        low_from: hair(position.local().y),
        slope_rise: 0.0,
        surfaces,
        sticky: sticky_of(surfaces),
        glides: false,
        size: view.grid().sector_size(),
        has_steep: true,
        in_pit: false,
        in_the_open: false,
        movers: &Movers::new(),
    };
    let unit = Unit {
        sector: position.sector(),
        local: position.local(),
        velocity: Vec3::ZERO,
        motion: Motion::Walking,
        residue: [0.0; 2],
    };
    let (mut met, mut walls) = (Planes::new(), Planes::new());
    let mut mover = Mover::new(&mut space, (&mut met, &mut walls), position, &unit, Extra::NONE);
    let delta = ahead.map(|part| (part * f64::from(body.radius())) as f32);
    mover.walk_by(delta, settings.dt)?;
    let climb = mover.extra.climb;
    if mover.motion != Motion::Climbing || climb.total <= 0.0 {
        return Ok(None);
    }
    let start = mover.place;
    let by = DVec3::new(f64::from(climb.left.x), 0.0, f64::from(climb.left.z));
    let along = mover.space.moved(start, by);
    let end = mover.space.at_height(along, start.local().y + climb.left.y);
    Ok(Some(Way { start, end, rise: climb.left.y, total: climb.total }))
}
