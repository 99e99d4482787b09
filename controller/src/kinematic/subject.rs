//! A unit that takes the full controller, and how far around itself it can touch anything in a tick.

use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::query::{Cylinder, Region};
use marchland_terrain::{SurfaceSet, TerrainView, WorldPos};

use super::moving_props::carrier::carrier;
use super::space::GATHERED_MAX;
use crate::limits::ABOVE_ALL_GROUND;
use crate::units::body::Body;
use crate::units::contact_state::ContactState;
use crate::units::surface::SurfaceResponse;
use crate::units::tick::Tick;
use crate::units::unit::{Motion, Unit};
use crate::units::wish::Wish;

/// A unit, its properties and its wish.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) state: &'a ContactState,
    pub(crate) body: &'a Body,
    /// The layers of props that it meets.
    pub(crate) mask: u32,
    pub(crate) wish: Wish,
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// The surfaces that are never too steep, if there are any.
    pub(crate) sticky: Option<&'a SurfaceSet>,
    /// The greatest speed at which a surface carries a unit that stands on it. Metres per second.
    pub(crate) conveyor_speed: f32,
    /// Whether only open ground is within its reach, so that it could follow.
    pub(crate) in_the_open: bool,
    /// Whether there are probably props within its reach.
    pub(crate) among_props: bool,
}

/// Ground less steep than this is walked on, and never reaches the knee. The cosine of its slope.
pub(crate) fn steepest_open(body: &Body) -> f64 {
    let knee = f64::from(body.knee()) / f64::from(body.radius());
    let tangent = body.max_slope_tan();
    let tangent = lesser(knee, tangent);
    // The cosine of a tangent.
    1.0 / (1.0 + tangent * tangent).sqrt()
}

/// How far around a unit steep ground and moving props are searched for. Metres: the search of all around a
/// faster unit would take longer than its move, for which the ground then counts as steep.
pub(super) const SEEN_MAX: f32 = 256.0;

/// Everything that a unit can touch in a tick, up to a limit, and how far from itself it can. Metres.
pub(super) fn region(
    tick: &Tick,
    view: TerrainView<'_>,
    subject: &Subject<'_>,
    place: WorldPos,
    push: f32,
) -> (Region, f32) {
    let Subject { unit, state, body, wish, conveyor_speed, .. } = *subject;
    let carried = carrier(view, state, place, tick.dt);
    let carried = carried.map_or(0.0, |carrier| carrier.by.length() as f32);
    let farthest = farthest(tick, unit, body, wish, carried + conveyor_speed * tick.dt + push);
    let margin = lesser(farthest, SEEN_MAX);
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    let region = Region::around(cylinder, place, margin);
    let region = region.unwrap_or_else(|_| unreachable!("bodies are checked, and margins bounded"));
    (region, farthest)
}

/// How far from itself a unit that is carried by `carried` metres can touch anything in a tick. Metres.
pub(crate) fn farthest(tick: &Tick, unit: &Unit, body: &Body, wish: Wish, carried: f32) -> f32 {
    let length = |v: [f32; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let asked = length([wish.velocity()[0], 0.0, wish.velocity()[1]]);
    let own = length(unit.velocity.to_array());
    let dt = tick.dt;
    let lift = greater(body.climb(), body.step_up());
    let jump = body.jump_speed() * dt + tick.gravity * dt * dt;
    let way = (asked + own) * dt + carried + jump;
    // A lifted body, a body that is pushed out, and the skin around both.
    way + lift + body.step_down() + 2.0 * body.radius() + 0.1
}

/// How much further than its skin most queries of a unit reach. Metres.
const QUERY_MARGIN: f64 = 0.04;

/// What most units touch in a tick: units that walk and have nothing to get over. More is gathered when it is
/// queried. `None` for units that move far.
pub(super) fn usual_region(tick: &Tick, subject: &Subject<'_>, place: WorldPos) -> Option<Region> {
    let Subject { unit, body, wish, .. } = *subject;
    let (asked, own) = (wish.velocity(), unit.velocity);
    let greater = |a: f32, b: f32| if b.abs() > a.abs() { b } else { a };
    let by = [greater(asked[0], own.x), greater(asked[1], own.z)].map(|speed| speed * tick.dt);
    let fall = own.y.abs() * tick.dt + tick.gravity * tick.dt * tick.dt;
    let motion = Vec3::new(by[0], fall, by[1]);
    if motion.length() > GATHERED_MAX {
        return None;
    }
    let now = Cylinder { radius: body.radius(), height: body.height() };
    let region = Region::swept(now, place, motion.with_y(0.0)).ok()?;
    let (below, above) = (body.step_down() + fall, body.knee() + fall);
    // The skin, and a little for queries beside it.
    let aside = 0.5 * f64::from(motion.with_y(0.0).length());
    Some(region.taller(f64::from(below), f64::from(above)).grown(QUERY_MARGIN + aside))
}

/// The way that a wish asks for in a tick, up to a radius. Metres along X and Z.
pub(super) fn ahead(tick: &Tick, body: &Body, wish: Wish) -> DVec2 {
    let [x, z] = wish.velocity().map(|speed| f64::from(speed * tick.dt));
    let (way, radius) = (DVec2::new(x, z), f64::from(body.radius()));
    let length = way.length();
    if length > radius { way * (radius / length) } else { way }
}

/// How far ground may rise on the way of a walking unit in a tick, up to a radius, where the slope is the
/// steepest that it walks up. Metres.
pub(super) fn slope_rise(tick: &Tick, unit: &Unit, body: &Body, wish: Wish) -> f32 {
    if unit.motion != Motion::Walking {
        return 0.0;
    }
    let length = |x: f32, z: f32| f64::from((x * x + z * z).sqrt());
    let [x, z] = wish.velocity();
    let way = (length(x, z) + length(unit.velocity.x, unit.velocity.z)) * f64::from(tick.dt);
    let radius = f64::from(body.radius());
    let rise = (lesser(way, radius)) * body.max_slope_tan();
    let most = f64::from(ABOVE_ALL_GROUND);
    (lesser(rise, most)) as f32
}
