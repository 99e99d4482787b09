//! How much a tick works on for one unit, and when it does not move the unit at all: above `limits::LOAD_MAX`
//! or `LOAD_PAIRS_MAX`.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::Aabb;
use marchland_terrain::query::{Cylinder, Region};
use marchland_terrain::{SectorCoord, TerrainView, WorldPos};

use crate::kinematic::{Subject, carrier, steepest_open};
use crate::limits::{LOAD_MAX, LOAD_PAIRS_MAX};
use crate::units::memory::gather_cache::TRIANGLES;
use crate::units::reach::request;
use crate::units::tick::Tick;
use crate::units::unit::Motion;

/// Whether more is within a unit's reach than a tick works on: counted in the box of its body over its move,
/// its fall and the way of what carries it, grown by the skin.
pub(crate) fn is_overloaded(view: TerrainView<'_>, tick: &Tick, who: &Subject<'_>) -> bool {
    let Some(LoadRegion { region, wide, way }) = region(view, tick, who) else { return false };
    let most = LOAD_MAX.checked_sub(cells(tick, wide, way));
    let is_more = most.is_none_or(|most| view.has_more_in(&region, who.mask, most));
    // Cells are worked on only where there is steep ground among them.
    is_more
        && (view.has_ground_steeper_in(&region, steepest_open(who.body))
            || view.has_more_in(&region, who.mask, LOAD_MAX))
        || is_crowded(view, &region, who.mask)
}

/// So few triangles are never too crowded. What is kept for a unit may hold more.
const FEW: u32 = 256;

/// Whether too many triangles are near each other.
fn is_crowded(view: TerrainView<'_>, region: &Region, mask: u32) -> bool {
    view.has_more_in(region, mask, FEW) && view.pairs_in(region, mask) > LOAD_PAIRS_MAX
}

/// Whether what is gathered around a unit, whose cells are few enough, shows that a tick can work on it.
pub(crate) fn is_surely_light(
    near: &Gathered,
    view: TerrainView<'_>,
    tick: &Tick,
    who: &Subject<'_>,
) -> bool {
    // What is gathered holds all of a unit's own way, not that of what carries it.
    let may_be_carried = view.live().is_some() && who.state.support.is_some();
    (near.len() <= FEW as usize && !may_be_carried)
        || region(view, tick, who)
            .is_some_and(|reached| near.has_at_most(view, &reached.region, FEW))
}

/// Whether the cells that a unit reaches, which nothing carries, and what is kept of props for one unit may be
/// more than a tick works on.
pub(crate) fn may_be_overloaded_by_cells(tick: &Tick, who: &Subject<'_>) -> bool {
    let (_, way) = request(tick, who.unit, who.wish);
    let wide = 2.0 * (who.body.radius() + SKIN);
    cells(tick, wide, way).saturating_add(TRIANGLES as u32) > LOAD_MAX
}

/// Whether more may be in a box over gentle ground, metres from its sector's centre, than a tick works on.
pub(crate) fn may_be_overloaded_in(
    near: &Gathered,
    view: TerrainView<'_>,
    sector: SectorCoord,
    within: &Aabb,
    mask: u32,
) -> bool {
    // No more than that are neither too many nor too crowded.
    let region = Region::of_box(sector, within);
    !near.has_at_most(view, &region, FEW) && view.has_more_in(&region, mask, FEW)
}

/// What a unit reaches, and how wide and how long that is. Metres.
struct LoadRegion {
    region: Region,
    wide: f32,
    way: [f32; 2],
}

fn region(view: TerrainView<'_>, tick: &Tick, who: &Subject<'_>) -> Option<LoadRegion> {
    let Subject { unit, state, body, wish, .. } = *who;
    let place = WorldPos::new(unit.sector, unit.local, view.grid().sector_size()).ok()?;
    let (_, [dx, dz]) = request(tick, unit, wish);
    let carried = carrier(view, state, place, tick.dt).map_or(Vec3::ZERO, |one| one.by.as_vec3());
    let falls = unit.motion != Motion::Walking;
    let fall = if falls { unit.velocity.y * tick.dt } else { 0.0 };
    let motion = Vec3::new(dx, fall, dz) + carried;
    let radius = body.radius() + SKIN;
    let cylinder = Cylinder { radius, height: body.height() + SKIN };
    let region = Region::swept(cylinder, place, motion).ok()?;
    let drop = if falls { tick.gravity * tick.dt * tick.dt } else { body.step_down() };
    let region = region.taller(f64::from(drop), 0.0);
    Some(LoadRegion { region, wide: 2.0 * radius, way: [motion.x, motion.z] })
}

/// The most cells of ground that a square touches on a level way. Metres.
fn cells(tick: &Tick, wide: f32, way: [f32; 2]) -> u32 {
    let count = |metres: f32| (metres.abs() / tick.cell).ceil();
    let along = count(wide) + 1.0;
    let [east, south] = way.map(count);
    // A conversion saturates.
    (along * (along + east + south)) as u32
}
