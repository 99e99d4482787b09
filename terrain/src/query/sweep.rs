//! What a moving body meets first.

use glam::{DVec3, Vec3};

use super::cylinder::{self, Cylinder, Feature};
use super::nearest::unit_normal;
use super::overlap::{Judge, deepest, is_overlapping};
use super::region::Region;
use super::solids::{Seams, Solids, local};
use super::support::towards;
use super::types::{Impact, Sweep};
use super::walk::{Facet, Source, Visit};
use crate::math::{SectorCoord, WorldPos};

/// See [`Solids::sweep`].
pub(crate) fn sweep(
    solids: &Solids<'_>,
    body: Cylinder,
    feet: WorldPos,
    motion: Vec3,
) -> Result<Sweep, SectorCoord> {
    let region = Region::of(body, feet, motion);
    let feet = local(feet);
    if is_overlapping(solids, &region, body, feet)?
        && let Some(contact) = deepest(solids, &region, body, feet)?
    {
        return Ok(Sweep::Overlapping(contact));
    }
    let motion = motion.as_dvec3();
    let mut first = First { solids, region: &region, body, feet, motion, source: None, best: None };
    solids.each(&region, &mut first)?;
    Ok(first.best.map_or(Sweep::Free, Sweep::Hit))
}

/// Finds the first impact; of equals that of the least triangle.
struct First<'a, 'w> {
    solids: &'a Solids<'w>,
    region: &'a Region,
    body: Cylinder,
    feet: DVec3,
    motion: DVec3,
    source: Option<Source>,
    best: Option<Impact>,
}

impl Visit for First<'_, '_> {
    fn source(&mut self, source: &Source) {
        self.source = Some(*source);
    }

    fn facet(&mut self, facet: &Facet) {
        let Some(source) = self.source else { return };
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let [a, b, c] = corners;
        let towards_face = (b - a).cross(c - a).dot(self.motion);
        // What looks the way that the body goes is met from behind, where a solid is full. Where it
        // ends, a face that looks at the body begins.
        if source.solid && towards_face >= 0.0 {
            return;
        }
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        let reach = self.best.as_ref().map_or(1.0, |best| best.time);
        if !is_met_by(&corners, radius, height, self.motion, reach) {
            return;
        }
        let normal = unit_normal(corners);
        let Some(hit) = cylinder::sweep(&corners, normal, radius, height, self.motion) else {
            return;
        };
        let triangle = source.triangle(facet.triangle);
        let wins = self.best.as_ref().is_none_or(|best| {
            hit.time < best.time || (hit.time == best.time && triangle < best.triangle)
        });
        if !wins {
            return;
        }
        let face = normal.map(|normal| if towards_face > 0.0 { -normal } else { normal });
        let Some(way) = self.way_out(&source, facet, face, &hit) else { return };
        self.best = Some(Impact {
            time: hit.time,
            point: hit.point.as_vec3(),
            normal: towards(way),
            triangle,
            face: towards(face.unwrap_or(way)),
            surface: facet.surface,
            velocity: source.moving.at((hit.point - from_feet).as_vec3()),
        });
    }
}

/// Whether the box of a triangle may be met within a part of the motion. Says yes too often rather
/// than too rarely, so that asking it changes no answer.
fn is_met_by(corners: &[DVec3; 3], radius: f64, height: f64, motion: DVec3, reach: f64) -> bool {
    let [a, b, c] = corners.map(|corner| corner.to_array());
    let body = [(-radius, radius), (0.0, height), (-radius, radius)];
    let (mut from, mut to) = (0.0, reach);
    for axis in 0..3 {
        let least = lesser(lesser(a[axis], b[axis]), c[axis]) - 1e-6;
        let most = -lesser(lesser(-a[axis], -b[axis]), -c[axis]) + 1e-6;
        let (low, high) = body[axis];
        let motion = motion[axis];
        if motion.abs() < 1e-9 {
            if least > high || most < low {
                return false;
            }
            continue;
        }
        let (first, last) = ((least - high) / motion, (most - low) / motion);
        let (first, last) = if first < last { (first, last) } else { (last, first) };
        from = if first > from { first } else { from };
        to = lesser(to, last);
        if from > to + 1e-9 {
            return false;
        }
    }
    true
}

fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

impl First<'_, '_> {
    /// The normal that the whole surface gives at an impact; nothing if it gives none that is in the
    /// way. Where a seam is met, the triangle is met as the face that it is.
    fn way_out(
        &self,
        source: &Source,
        facet: &Facet,
        face: Option<DVec3>,
        hit: &cylinder::Impact,
    ) -> Option<DVec3> {
        if self.solids.seams == Seams::Raw {
            return Some(hit.normal);
        }
        let judge = Judge { solids: self.solids, region: self.region, feet: self.feet };
        let is_seam =
            |direction, feature| judge.is_seam(source, facet, face, hit.point, direction, feature);
        if !is_seam(hit.normal, hit.feature) {
            return Some(hit.normal);
        }
        let length = self.motion.length();
        face.filter(|face| face.dot(self.motion) < -1e-9 * length && !is_seam(*face, Feature::Face))
    }
}
