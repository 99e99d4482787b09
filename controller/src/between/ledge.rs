//! Ledges to climb: for a prompt on the screen, for an animation, or for path planning.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::query::QueryError;
use marchland_terrain::{TerrainView, WorldPos};

use crate::kinematic::{self, Probe};
use crate::units::body::Body;
use crate::units::columns::Units;
use crate::units::surface::SurfaceResponse;
use crate::units::unit::UnitId;

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
        let climb = self.extras[self.index(id)?].climb;
        if climb.total <= 0.0 {
            return None;
        }
        let Vec3 { x, y, z } = climb.left;
        let part = 1.0 - (y + (x * x + z * z).sqrt()) / climb.total;
        Some(greater(part, 0.0))
    }
}

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
    let probe = Probe { body, mask, surfaces, position, ahead };
    let way = kinematic::ledge(view, &probe)?;
    Ok(way.map(|way| Ledge {
        start: way.start,
        top: way.end,
        rise: way.rise,
        seconds: way.total / body.climb_speed(),
    }))
}
