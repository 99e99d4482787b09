//! Visits every triangle of a region: ground, baked props, live props.

use std::ops::ControlFlow;

use super::each_prop::{each_live_prop, each_prop, posed_prop};
use super::ground;
use super::mesh_facets::mesh_facets;
use super::region::{Region, SectorRegion, Sectors};
use super::visit::Visit;
use crate::heightfield::HeightfieldView;
use crate::math::SectorCoord;
use crate::props::PosedProp;
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
    let sectors = region.sectors(view.grid().sector_size());
    check_resident(view, &sectors)?;
    each_field(view, &sectors, |field, here| {
        visit.ground(field, here);
        if visit.asks_ground() {
            ground::walk(field, here, visit);
        }
    });
    let _ = each_prop(view, mask, &sectors, &mut |prop| {
        mesh_facets(prop, region, visit);
        visit.until()
    });
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
    check_resident(view, &region.sectors(view.grid().sector_size()))?;
    let _ = each_live_prop(view, mask, region, &mut |prop| {
        mesh_facets(prop, region, visit);
        visit.until()
    });
    Ok(())
}

/// Hands out all triangles of one prop at a moment of its way.
pub(crate) fn each_posed_triangle(posed: &PosedProp<'_>, region: &Region, visit: &mut impl Visit) {
    if let Some(prop) = posed_prop(posed, region) {
        mesh_facets(&prop, region, visit);
    }
}

/// Hands out all triangles of the ground of a region, as far as it is resident. Others may be handed out too.
pub(crate) fn each_ground_triangle(view: TerrainView<'_>, region: &Region, visit: &mut impl Visit) {
    let sectors = region.sectors(view.grid().sector_size());
    each_field(view, &sectors, |field, here| ground::walk(field, here, visit));
}

/// Calls `visit` with the ground of sectors, as far as they are resident.
fn each_field(
    view: TerrainView<'_>,
    sectors: &Sectors<'_>,
    mut visit: impl FnMut(&HeightfieldView<'_>, &SectorRegion<'_>),
) {
    let _ = sectors.each(|here| {
        if let SectorState::Resident(sector) = view.sector(here.coord) {
            visit(&sector.field(), here);
        }
        ControlFlow::Continue(())
    });
}

/// Whether there may be ground in a region, without motion, that is steeper: with a unit normal whose `y` is
/// below `upright`. True where the ground is not resident.
pub(crate) fn has_ground_steeper(view: TerrainView<'_>, region: &Region, upright: f64) -> bool {
    let level = region.sectors(view.grid().sector_size()).each(|here| {
        let is_steeper = match view.sector(here.coord) {
            SectorState::Resident(sector) => ground::is_steeper(&sector.field(), here, upright),
            SectorState::NotResident => true,
            SectorState::Outside => false,
        };
        if is_steeper { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    level.is_break()
}

fn check_resident(view: TerrainView<'_>, sectors: &Sectors<'_>) -> Result<(), SectorCoord> {
    let mut missing = Ok(());
    let _ = sectors.each(|here| {
        if !matches!(view.sector(here.coord), SectorState::NotResident) {
            return ControlFlow::Continue(());
        }
        missing = Err(here.coord);
        ControlFlow::Break(())
    });
    missing
}
