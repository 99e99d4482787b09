//! Our units, for ours and for those who ask about them: their body, what they see, and their order.

use marchland_controller::{Body, BodyBuilder, Spawn, Units};
use marchland_terrain::TerrainView;

use crate::movers::Movers;
use crate::scene::Scene;
use crate::setup::{Failure, HEIGHT, RADIUS, SLOPE_DEGREES, SNAP, STEP};

/// A scene as a tick sees it.
pub(crate) fn view<'a>(scene: &'a Scene, movers: Option<&'a Movers>) -> TerrainView<'a> {
    let view = scene.sectors.view();
    movers.map_or(view, |movers| view.with_live(&movers.live))
}

/// The same places in the order of our units' slots when they are spawned at once: neighbours in the
/// world are neighbours in the list.
pub(crate) fn in_order_of_world(
    scene: &Scene,
    starts: &[[f64; 3]],
) -> Result<Vec<[f64; 3]>, Failure> {
    let mut units = Units::new(scene.sectors.grid().sector_size());
    let body = units.add_body(body()?)?;
    let stand = |start| Ok(Spawn::standing(scene.world_pos(start)?, body));
    let spawns: Vec<_> = starts.iter().copied().map(stand).collect::<Result<_, Failure>>()?;
    let mut ordered = starts.to_vec();
    for (id, start) in units.spawn_all(&spawns)?.iter().zip(starts) {
        ordered[id.slot as usize] = *start;
    }
    Ok(ordered)
}

/// The body common to all contenders; the knee absorbs the whole step.
pub(crate) fn body() -> Result<Body, Failure> {
    let builder = BodyBuilder {
        radius: RADIUS,
        height: HEIGHT,
        knee: STEP,
        step_up: STEP,
        step_down: SNAP,
        max_slope_degrees: SLOPE_DEGREES,
        ..Body::builder()
    };
    Ok(builder.build()?)
}
