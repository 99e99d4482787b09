//! Visits every triangle of a region: ground, baked props, live props.
//!
//! A prop is known to every sector that it reaches, so a region across a border finds it more than once. It
//! is handed out in the first of the region's sectors that knows it.

use std::ops::{ControlFlow, Range};

use glam::DVec3;

use super::ground;
use super::mesh_facets::mesh_facets;
use super::region::{Region, between};
use super::types::Moving;
use super::visit::{Source, SourceId, Visit};
use crate::math::{Aabb, SectorCoord, SectorSize, outward};
use crate::props::{Collision, LivePropRef, PosedProp, PropRecord, SectorProps};
use crate::resident::SectorState;
use crate::view::TerrainView;

/// Hands out all triangles of a region that are solid in one of the layers of `mask`. Others may be handed
/// out too.
///
/// # Errors
/// The first sector of the region that is not resident.
pub(crate) fn each_triangle(
    view: TerrainView<'_>,
    mask: u32,
    region: &Region,
    visit: &mut impl Visit,
) -> Result<(), SectorCoord> {
    if let Some(coord) = only_sector(view, region) {
        // Most regions lie in one sector, which is looked up once.
        match view.sector(coord) {
            SectorState::NotResident => return Err(coord),
            SectorState::Resident(sector) => {
                let field = sector.field();
                visit.ground(&field, coord, region);
                if visit.asks_ground() {
                    ground::walk(&field, coord, region, visit);
                }
                baked(view, mask, sector.props(), coord, region, visit);
            }
            SectorState::Outside => {}
        }
        live(view, mask, region, visit);
        return Ok(());
    }
    check_resident(view, region)?;
    if visit.asks_ground() {
        each_ground_triangle(view, region, visit);
    }
    each_sector(view, region, |coord, state| {
        if let SectorState::Resident(sector) = state {
            visit.ground(&sector.field(), coord, region);
            baked(view, mask, sector.props(), coord, region, visit);
        }
    });
    live(view, mask, region, visit);
    Ok(())
}

/// Like [`each_triangle`], for live props only.
///
/// # Errors
/// The same.
pub(crate) fn each_live_triangle(
    view: TerrainView<'_>,
    mask: u32,
    region: &Region,
    visit: &mut impl Visit,
) -> Result<(), SectorCoord> {
    check_resident(view, region)?;
    live(view, mask, region, visit);
    Ok(())
}

/// Hands out all triangles of the ground of a region, as far as it is resident. Others may be handed out too.
pub(crate) fn each_ground_triangle(view: TerrainView<'_>, region: &Region, visit: &mut impl Visit) {
    each_sector(view, region, |coord, state| {
        if let SectorState::Resident(sector) = state {
            ground::walk(&sector.field(), coord, region, visit);
        }
    });
}

/// Whether there may be ground in a region, without motion, that is steeper: with a unit normal whose `y` is
/// below `upright`. True where the ground is not resident.
pub(crate) fn has_ground_steeper(view: TerrainView<'_>, region: &Region, upright: f64) -> bool {
    let level = try_each_sector(view, region, |coord, state| {
        let is_steeper = match state {
            SectorState::Resident(sector) => {
                ground::is_steeper(&sector.field(), coord, region, upright)
            }
            SectorState::NotResident => true,
            SectorState::Outside => false,
        };
        if is_steeper { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    level.is_break()
}

fn check_resident(view: TerrainView<'_>, region: &Region) -> Result<(), SectorCoord> {
    let mut missing = Ok(());
    let _ = try_each_sector(view, region, |coord, state| {
        if !matches!(state, SectorState::NotResident) {
            return ControlFlow::Continue(());
        }
        missing = Err(coord);
        ControlFlow::Break(())
    });
    missing
}

/// Calls `visit` with the sectors that a region reaches, row by row.
fn each_sector<'a>(
    view: TerrainView<'a>,
    region: &Region,
    mut visit: impl FnMut(SectorCoord, SectorState<'a>),
) {
    let _ = try_each_sector(view, region, |coord, state| {
        visit(coord, state);
        ControlFlow::Continue(())
    });
}

pub(super) fn try_each_sector<'a>(
    view: TerrainView<'a>,
    region: &Region,
    mut visit: impl FnMut(SectorCoord, SectorState<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    try_each_coord(view, region, |coord| visit(coord, view.sector(coord)))
}

/// The only sector that a region reaches; `None` if there are several, or none.
pub(super) fn only_sector(view: TerrainView<'_>, region: &Region) -> Option<SectorCoord> {
    let mut only = None;
    let one = try_each_coord(view, region, |coord| {
        if only.replace(coord).is_none() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    only.filter(|_| one.is_continue())
}

fn try_each_coord(
    view: TerrainView<'_>,
    region: &Region,
    visit: impl FnMut(SectorCoord) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let everywhere = DVec3::INFINITY;
    try_each_coord_in(view, region, (-everywhere, everywhere), visit)
}

/// Like [`try_each_coord`], but only for sectors that a box in the region's frame also reaches.
fn try_each_coord_in(
    view: TerrainView<'_>,
    region: &Region,
    (low, high): (DVec3, DVec3),
    mut visit: impl FnMut(SectorCoord) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let side = f64::from(view.grid().sector_size().metres());
    let number = |metres: f64| (metres / side + 0.5).floor();
    // Bounds of motion and body keep these far within the integers; a conversion saturates.
    let (region_low, region_high) = region.bounds();
    let north = number(greater(low, region_low).z) as i32;
    let south = number(-greater(-high, -region_high).z) as i32;
    for dz in north..=south {
        let z = f64::from(dz) * side;
        let Some((west, east)) = region.x_between(z - side * 0.5, z + side * 0.5, 1.0) else {
            continue;
        };
        let west = if low.x > west { low.x } else { west };
        let east = if high.x < east { high.x } else { east };
        for dx in number(west) as i32..=number(east) as i32 {
            if let Some(coord) = region.sector.offset(dx, dz) {
                visit(coord)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The baked props that a sector knows, except those that an earlier sector of the region handed out.
fn baked(
    view: TerrainView<'_>,
    mask: u32,
    props: SectorProps<'_>,
    coord: SectorCoord,
    region: &Region,
    visit: &mut impl Visit,
) {
    if props.is_empty() {
        return;
    }
    let shift = between(region.sector, coord, view.grid().sector_size());
    if region.motion == DVec3::ZERO {
        props.in_box(&outward(region.min - shift, region.max - shift), |range| {
            baked_range(view, mask, props, coord, region, range, visit);
        });
    } else {
        let (middle, half) = region.middle_and_half();
        let _ = props.nearest(middle - shift, region.motion, half, 1.0, |range, _| {
            baked_range(view, mask, props, coord, region, range, visit);
            visit.until()
        });
    }
}

fn baked_range(
    view: TerrainView<'_>,
    mask: u32,
    props: SectorProps<'_>,
    coord: SectorCoord,
    region: &Region,
    range: Range<u32>,
    visit: &mut impl Visit,
) {
    let size = view.grid().sector_size();
    let (min, max) = region.bounds();
    for at in range {
        let record = props.record(at);
        if record.layers & mask == 0 {
            continue;
        }
        let mesh = props.mesh(&record);
        let origin = origin_of(&record, region.sector, size);
        let bounds = mesh.bounds();
        if !record.placement.may_touch(&bounds, min - origin, max - origin) {
            continue;
        }
        let around = record.placement.placed_bounds(&bounds);
        let (low, high) = (origin + around.min.as_dvec3(), origin + around.max.as_dvec3());
        if !region.touches(low, high) || is_known_before(view, region, coord, &record, low, high) {
            continue;
        }
        let source = Source {
            id: SourceId::Baked { id: record.id(), known_to: coord, at },
            origin,
            solid: record.collision == Collision::Solid,
            moving: Moving::default(),
            bounds: around,
        };
        if visit.source(&source) {
            mesh_facets(mesh, record.placement, &source, record.surface, region, visit);
        }
    }
}

/// Where a baked prop's origin lies, metres from the centre of `frame`: exact.
pub(crate) fn origin_of(record: &PropRecord, frame: SectorCoord, size: SectorSize) -> DVec3 {
    between(frame, record.sector, size) + record.position.as_dvec3()
}

/// How much the box around a prop is widened when the sectors that know it are searched. Metres: more than
/// rounding may move it over a border.
const BORDER_MARGIN: f64 = 1e-3;

/// Whether one of the region's sectors before `coord` knows a prop whose box is `low` to `high`. Only sectors
/// that the box reaches, and the sector of its origin, can know it.
pub(super) fn is_known_before(
    view: TerrainView<'_>,
    region: &Region,
    coord: SectorCoord,
    record: &PropRecord,
    low: DVec3,
    high: DVec3,
) -> bool {
    let size = view.grid().sector_size();
    let is_earlier = |other: SectorCoord| (other.z, other.x) < (coord.z, coord.x);
    // Only the part of the box in the region: a wide prop then does not visit all props of the sector.
    let (region_low, region_high) = region.bounds();
    let met = (greater(low, region_low), -greater(-high, -region_high));
    let mut search = |earlier: SectorCoord| {
        if !is_earlier(earlier) {
            return ControlFlow::Continue(());
        }
        let SectorState::Resident(sector) = view.sector(earlier) else {
            return ControlFlow::Continue(());
        };
        let shift = between(region.sector, earlier, size);
        let is_known = knows(sector.props(), record, &outward(met.0 - shift, met.1 - shift));
        if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let margin = DVec3::splat(BORDER_MARGIN);
    let near = (low - margin, high + margin);
    if try_each_coord_in(view, region, near, &mut search).is_break() {
        return true;
    }
    // The sector of the origin may lie beside the box.
    let home = record.sector;
    let side = f64::from(size.metres());
    let centre = between(region.sector, home, size);
    let half = DVec3::new(side * 0.5 - BORDER_MARGIN, 0.0, side * 0.5 - BORDER_MARGIN);
    is_earlier(home)
        && try_each_coord_in(view, region, (centre - half, centre + half), |coord| {
            if coord == home { search(coord) } else { ControlFlow::Continue(()) }
        })
        .is_break()
}

/// The greater component along each axis.
fn greater(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::select(b.cmpgt(a), b, a)
}

/// Whether a sector knows a prop that touches a box in the sector's frame.
fn knows(props: SectorProps<'_>, record: &PropRecord, near: &Aabb) -> bool {
    let mut known = false;
    props.in_box(near, |mut range| {
        known = known || range.any(|at| props.record(at).id() == record.id());
    });
    known
}

/// The props that were added at run time.
fn live(view: TerrainView<'_>, mask: u32, region: &Region, visit: &mut impl Visit) {
    let Some(props) = view.live() else { return };
    let mut put = |prop: LivePropRef<'_>| {
        let origin = prop.origin_from(region.sector);
        let around = prop.bounds();
        let (low, high) = (origin + around.min.as_dvec3(), origin + around.max.as_dvec3());
        if prop.layers() & mask != 0 && region.touches(low, high) {
            let source = Source {
                id: SourceId::Live(prop.id()),
                origin,
                solid: prop.collision() == Collision::Solid,
                moving: Moving { linear: prop.linear_velocity(), angular: prop.angular_velocity() },
                bounds: around,
            };
            if visit.source(&source) {
                mesh_facets(prop.mesh(), prop.placement(), &source, prop.surface(), region, visit);
            }
        }
        visit.until()
    };
    if region.motion == DVec3::ZERO {
        props.in_box(region.sector, region.min, region.max, |prop| {
            put(prop);
        });
    } else {
        let (middle, half) = region.middle_and_half();
        props.along_until(region.sector, middle, region.motion, half, put);
    }
}

/// Hands out all triangles of one prop at a moment of its way.
pub(crate) fn each_posed_triangle(posed: &PosedProp<'_>, region: &Region, visit: &mut impl Visit) {
    let prop = posed.prop();
    let (origin, around) = (posed.origin_from(region.sector), posed.bounds());
    let (low, high) = (origin + around.min.as_dvec3(), origin + around.max.as_dvec3());
    if !region.touches(low, high) {
        return;
    }
    let source = Source {
        id: SourceId::Posed { id: prop.id(), placement: posed.placement() },
        origin,
        solid: prop.collision() == Collision::Solid,
        moving: Moving { linear: prop.linear_velocity(), angular: prop.angular_velocity() },
        bounds: around,
    };
    if visit.source(&source) {
        mesh_facets(prop.mesh(), posed.placement(), &source, prop.surface(), region, visit);
    }
}
