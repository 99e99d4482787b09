//! The solid inside of closed props.

use glam::DVec3;

use super::cylinder::{Cylinder, Feature};
use super::nearest::{nearest_to_origin, towards, unit_normal};
use super::region::Region;
use super::solids::{Solids, local, not_resident};
use super::types::{Contact, QueryError, RefusedWay};
use super::visit::{Facet, Source, SourceId, Visit};
use crate::heightfield::SurfaceId;
use crate::math::{WorldPos, outward};
use crate::props::{MeshView, Placement, crossing};
use crate::resident::SectorState;
use crate::view::TerrainView;

impl Solids<'_> {
    /// Whether a place lies inside a closed prop.
    ///
    /// # Errors
    /// If a sector is not in memory.
    pub fn holds(&self, place: WorldPos) -> Result<bool, QueryError> {
        let at = local(place);
        let region = Region { sector: place.sector(), min: at, max: at, motion: DVec3::ZERO };
        let mut holding = HolderSearch { view: self.view(), place: at, found: false };
        self.each(&region, &mut holding).map_err(not_resident)?;
        Ok(holding.found)
    }
}

/// Searches for a closed prop that a place lies in.
struct HolderSearch<'a> {
    view: TerrainView<'a>,
    place: DVec3,
    found: bool,
}

impl Visit for HolderSearch<'_> {
    fn asks_ground(&self) -> bool {
        false
    }

    fn source(&mut self, source: &Source) -> bool {
        let from_origin = self.place - source.origin;
        let (low, high) = (source.bounds.min.as_dvec3(), source.bounds.max.as_dvec3());
        let may_hold = source.solid
            && !source.is_terrain()
            && low.cmple(from_origin).all()
            && high.cmpge(from_origin).all();
        self.found = self.found || (may_hold && is_inside(self.view, source, self.place));
        false
    }

    fn facet(&mut self, _: &Source, _: &Facet) {}
}

/// The mesh of a source, how it is placed, and its surface; `None` for ground.
fn placed<'a>(
    view: TerrainView<'a>,
    source: &Source,
) -> Option<(MeshView<'a>, Placement, SurfaceId)> {
    match source.id {
        SourceId::Terrain(_) => None,
        SourceId::Baked { known_to, at, .. } => {
            let SectorState::Resident(sector) = view.sector(known_to) else { return None };
            let record = sector.props().record(at);
            Some((sector.props().mesh(&record), record.placement, record.surface))
        }
        SourceId::Live(id) => {
            let prop = view.live()?.get(id)?;
            Some((prop.mesh(), prop.placement(), prop.surface()))
        }
        SourceId::Posed { id, placement } => {
            let prop = view.live()?.get(id)?;
            Some((prop.mesh(), placement, prop.surface()))
        }
    }
}

/// Whether a point, metres from the centre of the region's sector, lies inside a closed prop: whether
/// a ray straight up leaves it more often than it enters.
pub(crate) fn is_inside(view: TerrainView<'_>, source: &Source, point: DVec3) -> bool {
    if is_beside(source, point) {
        return false;
    }
    let Some((mesh, placement, _)) = placed(view, source) else { return false };
    let from_origin = point - source.origin;
    let top = from_origin.with_y(f64::from(source.bounds.max.y));
    let placer = placement.placer();
    let unplaced = placement.unplaced(&outward(from_origin, top));
    let mut winding = 0;
    mesh.in_box(&unplaced, |range| {
        for triangle in range {
            let corners = mesh.triangle(triangle);
            // The ray misses what is outside its box, so that is not placed.
            let is_off = |axis: usize| {
                let (low, high) = (unplaced.min[axis], unplaced.max[axis]);
                corners.iter().all(|corner| corner[axis] < low)
                    || corners.iter().all(|corner| corner[axis] > high)
            };
            if !(is_off(0) || is_off(2) || is_off(1)) {
                let seen = |corner| placer.place(corner).as_dvec3() - from_origin;
                let [a, b, c] = corners;
                winding += crossing([seen(a), seen(b), seen(c)]);
            }
        }
    });
    winding != 0
}

/// Whether a point is beside or above the box around a prop, so that no ray straight up meets the prop.
fn is_beside(source: &Source, point: DVec3) -> bool {
    let (low, high) = (source.bounds.min.as_dvec3(), source.bounds.max.as_dvec3());
    let DVec3 { x, y, z } = point - source.origin;
    x < low.x || x > high.x || z < low.z || z > high.z || y > high.y
}

/// The contact of a body that lies wholly inside a closed prop: through the face nearest to its middle, as
/// far as is needed to be beyond that face's plane. `None` if the body lies outside, or if all faces lead
/// along refused ways.
pub(crate) fn inside_contact(
    view: TerrainView<'_>,
    source: &Source,
    body: Cylinder,
    feet: DVec3,
    refused: &[RefusedWay],
) -> Option<Contact> {
    let (radius, height) = (f64::from(body.radius), f64::from(body.height));
    let middle = DVec3::Y * (height * 0.5);
    if !is_inside(view, source, feet + middle) {
        return None;
    }
    let (mesh, placement, surface) = placed(view, source)?;
    let placer = placement.placer();
    let from_feet = source.origin - feet;
    let own = source.prop();
    let nearest_within = |metres: f64| {
        let mut best: Option<(f64, u32, [DVec3; 3], DVec3)> = None;
        let centre = middle - from_feet;
        let near = outward(centre - DVec3::splat(metres), centre + DVec3::splat(metres));
        mesh.in_box(&placement.unplaced(&near), |range| {
            for triangle in range {
                let corners = mesh.triangle(triangle).map(|corner| placer.place(corner));
                let facet = Facet { corners, triangle, edges: 0, surface, face: 0 };
                let corners = facet.seen_from(from_feet);
                let Some(normal) = unit_normal(corners) else { continue };
                if refused.iter().any(|way| way.is_along(own, normal)) {
                    continue;
                }
                let distance = nearest_to_origin(corners.map(|corner| corner - middle)).length();
                // Among equals the least triangle: they come in any order.
                if best.is_none_or(|(least, first, ..)| (distance, triangle) < (least, first)) {
                    best = Some((distance, triangle, corners, normal));
                }
            }
        });
        best
    };
    // Around the body first, then in ever larger boxes: a box holds everything no further away than it
    // reaches.
    let size = source.bounds.max.as_dvec3() - source.bounds.min.as_dvec3();
    let all = size.length() + height;
    let mut metres = radius + height;
    let (_, triangle, corners, normal) = loop {
        match nearest_within(metres) {
            Some(best) if best.0 <= metres => break best,
            found if metres > all => break found?,
            _ => metres *= 2.0,
        }
    };
    let point = nearest_to_origin(corners.map(|corner| corner - middle)) + middle;
    // The farthest the body reaches against the normal.
    let level = (normal.x * normal.x + normal.z * normal.z).sqrt();
    let lowest = if normal.y < 0.0 { normal.y * height } else { 0.0 } - radius * level;
    Some(Contact {
        point: point.as_vec3(),
        normal: towards(normal),
        depth: (normal.dot(corners[0]) - lowest) as f32,
        triangle: source.triangle(triangle),
        feature: Feature::Face,
        surface,
        velocity: source.moving.at((point - from_feet).as_vec3()),
        inside: true,
    })
}
