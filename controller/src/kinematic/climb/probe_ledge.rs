//! Ledges to climb: for a prompt on the screen, for an animation, or for path planning. What a walk would lead to is
//! computed as the controller walks, so that the answer is what the controller does.

use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::greater;
use marchland_terrain::query::{Contacts, Cylinder, QueryError, Region};
use marchland_terrain::{TerrainView, WorldPos};

use crate::ground::sectors::Sectors;
use crate::kinematic::CONTACTS;
use crate::kinematic::mover::Mover;
use crate::kinematic::moving_props::MovingProps;
use crate::kinematic::planes::Planes;
use crate::kinematic::space::Space;
use crate::kinematic::space::known_walls::LevelMemory;
use crate::kinematic::space::recent::Recent;
use crate::units::body::Body;
use crate::units::columns::Units;
use crate::units::contact_state::ContactState;
use crate::units::hair::{blocks_from, hair};
use crate::units::memory::known_places::KnownPlaces;
use crate::units::settings::TickSettings;
use crate::units::surface::{SurfaceResponse, sticky_of};
use crate::units::tick::Tick;
use crate::units::unit::{Motion, Unit, UnitId};

/// A ledge that a body can climb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledge {
    /// Where the feet are when the climb begins: in front of the wall.
    pub start: WorldPos,
    /// Where the feet are when the climb has ended.
    pub top: WorldPos,
    /// How much higher `top` is than `start`: above the body's `step_up`, at most its `climb`. Metres.
    pub rise: f32,
    /// How long the climb takes. Seconds.
    pub seconds: f32,
}

/// The ledge that a body with its feet at `position` would climb if it walked on by up to its radius. The
/// direction is along X and Z and of any length. The body must stand there, and be stopped by a wall within
/// 60° of head-on. It must have room on the way up, over and on top. It must find support there that is above
/// its [`step_up`](Body::step_up) and no higher than its [`climb`](Body::climb). Ladders are not ledges,
/// every surface counts as [plain](SurfaceResponse::PLAIN), and `mask` selects the layers of the props that
/// the body meets.
///
/// The query sees the world as it is now, and does not predict how props move. It takes about as long as a
/// tick of one unit among props, and some memory for that time. Use it for a few units in a tick, not for
/// all.
///
/// # Errors
/// If the direction is not finite, or a sector that the walk reaches is not in memory.
pub fn probe_ledge(
    view: TerrainView<'_>,
    body: &Body,
    mask: u32,
    position: WorldPos,
    direction: [f32; 2],
) -> Result<Option<Ledge>, QueryError> {
    probe(view, body, mask, &[], position, direction)
}

impl Units {
    /// The ledge that a unit would climb if it walked on in a direction: [`probe_ledge`] from its position,
    /// with its body, its mask and its surfaces. `None` if the unit does not exist.
    ///
    /// # Errors
    /// Like [`probe_ledge`].
    pub fn ledge_before(
        &self,
        view: TerrainView<'_>,
        id: UnitId,
        direction: [f32; 2],
    ) -> Result<Option<Ledge>, QueryError> {
        let (Some(body), Some(mask), Some(at)) = (self.body(id), self.mask(id), self.position(id))
        else {
            return Ok(None);
        };
        probe(view, body, mask, &self.surfaces, at, direction)
    }

    /// The progress of a unit that climbs a ledge: 0 when it begins, 1 when it stands on top, and in between
    /// the part of the way, up and along, that it has covered. `None` unless it climbs a ledge.
    #[must_use]
    pub fn climb_progress(&self, id: UnitId) -> Option<f32> {
        let climb = self.contact_states[self.index(id)?].climb;
        if climb.total <= 0.0 {
            return None;
        }
        let Vec3 { x, y, z } = climb.left;
        let part = 1.0 - (y + (x * x + z * z).sqrt()) / climb.total;
        Some(greater(part, 0.0))
    }
}

/// The climb that a walk by one radius would begin. Ladders do not count.
fn probe(
    view: TerrainView<'_>,
    body: &Body,
    mask: u32,
    surfaces: &[SurfaceResponse],
    position: WorldPos,
    direction: [f32; 2],
) -> Result<Option<Ledge>, QueryError> {
    let [x, z] = direction.map(f64::from);
    let length = (x * x + z * z).sqrt();
    if !length.is_finite() {
        let found = Vec3::new(direction[0], 0.0, direction[1]);
        return Err(QueryError::Motion { found });
    }
    if length == 0.0 || body.climb() <= body.step_up() {
        return Ok(None);
    }
    let ahead = [x / length, z / length];
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
        moving_props: &MovingProps::new(),
    };
    let unit = Unit {
        sector: position.sector(),
        local: position.local(),
        velocity: Vec3::ZERO,
        motion: Motion::Walking,
        residue: [0.0; 2],
    };
    let (mut met, mut walls) = (Planes::new(), Planes::new());
    let mut mover =
        Mover::new(&mut space, (&mut met, &mut walls), position, &unit, ContactState::NONE);
    let delta = ahead.map(|part| (part * f64::from(body.radius())) as f32);
    mover.walk_by(delta, settings.dt)?;
    let climb = mover.state.climb;
    if mover.motion != Motion::Climbing || climb.total <= 0.0 {
        return Ok(None);
    }
    let start = mover.place;
    let by = DVec3::new(f64::from(climb.left.x), 0.0, f64::from(climb.left.z));
    let along = mover.space.moved(start, by);
    let top = mover.space.at_height(along, start.local().y + climb.left.y);
    let seconds = climb.total / body.climb_speed();
    Ok(Some(Ledge { start, top, rise: climb.left.y, seconds }))
}
