//! Ledges to climb: for a prompt on the screen, for an animation, for who plans a way.

use marchland_terrain::glam::Vec3;
use marchland_terrain::query::QueryError;
use marchland_terrain::{TerrainView, WorldPos};

use crate::body::Body;
use crate::kinematic::{self, Probe};
use crate::surface::SurfaceResponse;
use crate::units::{UnitId, Units};

/// A ledge that a body can climb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledge {
    /// Where the feet are when the climb begins: before the wall.
    pub start: WorldPos,
    /// Where the feet are when it has ended.
    pub top: WorldPos,
    /// How much higher `top` is than `start`: above the body's `step_up`, at most its `climb`. Metres.
    pub rise: f32,
    /// How long the climb takes. Seconds.
    pub seconds: f32,
}

/// The ledge that a body with its feet at `position` would climb if it walked on in a direction, along
/// X and Z and of any length, by up to its radius. It must stand there, be stopped by a wall within 60°
/// of head-on, have room on the way up, over and on top, and find something to stand on there that is
/// above its [`step_up`](Body::step_up) and no higher than its [`climb`](Body::climb). Ladders are no
/// ledges, every surface counts as [plain](SurfaceResponse::PLAIN), and `mask` chooses the layers of
/// the props that it meets.
///
/// It is asked as the world is now: what moves, moves on. An answer takes about as long as a tick of
/// one unit among props, and some memory for as long; for a few units in a tick, not for all.
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
    /// The ledge that a unit would climb if it walked on in a direction: [`probe_ledge`] from where it
    /// is, with its body, its mask and the surfaces as they are set. Nothing if it is not there.
    ///
    /// # Errors
    /// As [`probe_ledge`].
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

    /// How far a unit is on its way up a ledge: 0 when it begins, 1 when it stands on top, in between the
    /// part of the way, up and along, that it has gone. Nothing while it climbs no ledge.
    #[must_use]
    pub fn climb_progress(&self, id: UnitId) -> Option<f32> {
        let climb = self.extras[self.index(id)?].climb;
        if climb.total <= 0.0 {
            return None;
        }
        let Vec3 { x, y, z } = climb.left;
        let part = 1.0 - (y + (x * x + z * z).sqrt()) / climb.total;
        Some(if part > 0.0 { part } else { 0.0 })
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
    let way =
        kinematic::ledge(view, &probe).map_err(|sector| QueryError::NotResident { sector })?;
    Ok(way.map(|way| Ledge {
        start: way.start,
        top: way.end,
        rise: way.rise,
        seconds: way.total / body.climb_speed(),
    }))
}
