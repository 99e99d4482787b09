//! Visits every triangle of a region: ground, baked props, live props.

use std::ops::ControlFlow;

use super::each_prop::{each_live_prop, each_prop, posed_prop};
use super::ground;
use super::mesh_facets::mesh_facets;
use super::region::{Region, SectorRegion, SteepGround};
use super::sectors::Sectors;
use super::visit::Visit;
use crate::heightfield::HeightfieldView;
use crate::math::SectorCoord;
use crate::props::{PosedProp, PropId};
use crate::resident::SectorState;
use crate::view::TerrainView;

/// Hands out all triangles of a region that are solid in one of the layers of `mask`, except those of some props.
/// Others may be handed out too.
///
/// # Errors
/// The first sector of the region that is not resident.
pub(crate) fn each_triangle(
    view: TerrainView<'_>,
    (mask, absent): (u32, &[PropId]),
    region: &Region,
    visit: &mut impl Visit,
) -> Result<(), SectorCoord> {
    let sectors = Sectors::of(view, region);
    check_resident(&sectors)?;
    each_field(&sectors, |field, here| {
        visit.ground(field, here);
        if visit.asks_ground() {
            ground::walk(field, here, visit);
        }
    });
    let until = visit.until();
    each_prop(view, mask, (&sectors, until), &mut |prop| {
        if prop.source.is_among(absent) { visit.until() } else { mesh_facets(prop, region, visit) }
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
    check_resident(&Sectors::of(view, region))?;
    let until = visit.until();
    each_live_prop(view, mask, (region, until), &mut |prop| mesh_facets(prop, region, visit));
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
    each_field(&Sectors::of(view, region), |field, here| ground::walk(field, here, visit));
}

/// Calls `visit` with the ground of sectors, as far as they are resident.
fn each_field(
    sectors: &Sectors<'_, '_>,
    mut visit: impl FnMut(&HeightfieldView<'_>, &SectorRegion<'_>),
) {
    let _ = sectors.each(|here, state| {
        if let SectorState::Resident(sector) = state {
            visit(&sector.field(), here);
        }
        ControlFlow::Continue(())
    });
}

/// Ground in a region, without motion, that is steeper: with a unit normal whose `y` is below `upright`.
pub(crate) fn steep_ground(view: TerrainView<'_>, region: &Region, upright: f64) -> SteepGround {
    let mut steep = SteepGround::None;
    let _ = Sectors::of(view, region).each(|here, state| {
        steep = match state {
            SectorState::Resident(sector) => ground::steeper(&sector.field(), here, upright)
                .map_or(SteepGround::None, |at| SteepGround::At(Region::point(here.coord, at))),
            SectorState::NotResident => SteepGround::Unknown,
            SectorState::Outside => SteepGround::None,
        };
        match steep {
            SteepGround::None => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    });
    steep
}

fn check_resident(sectors: &Sectors<'_, '_>) -> Result<(), SectorCoord> {
    let mut missing = Ok(());
    let _ = sectors.each(|here, state| {
        if !matches!(state, SectorState::NotResident) {
            return ControlFlow::Continue(());
        }
        missing = Err(here.coord);
        ControlFlow::Break(())
    });
    missing
}
