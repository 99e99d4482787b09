//! Seams do not exist for a unit: whether the surface goes on where a triangle ends.
//!
//! A body that meets a triangle at an edge or a corner may be pushed in a direction that the whole
//! surface would not push it: the edge lies between two triangles of one wall, on a border between
//! sectors, or between props that stand flush. Two tests find such pushes, whatever the triangles
//! belong to:
//!
//! - The surface *goes on*: another triangle touches the place and reaches farther in the direction of the
//!   push. A body pushed that way only meets that triangle.
//! - The face is *covered*: the boundary of another solid lies on it, back to back. Nothing is ever met
//!   there.
//!
//! A triangle whose push is not one of the whole surface has other pushes, and the least valid one stands for
//! it. But where another overlapped triangle at the place has the same way out as one tried before it, that is the
//! push of the whole surface, and the first triangle adds nothing. `filter` decides it, and which edge is a seam.
//!
//! These are the seams of contacts in space; those of walls in the plane are dropped where walls are found
//! ([`level`](super::level)).

pub(super) mod filter;

use glam::DVec3;

use super::nearest::{nearest_to_origin, unit_normal};
use super::region::{Region, SEAM};
use super::solids::Solids;
use super::types::TriangleId;
use super::visit::{Facet, Source};

/// Sine of the angle by which a surface must lead in the direction of a push to count as a continuation. With
/// a smaller angle, rounding makes level ground count as one; with a larger one, units bump on gentle ridges.
pub(super) const LEADS: f64 = 1e-3;

/// Where a push acts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The origin from which it is seen. Metres from the centre of the region's sector.
    pub(crate) feet: DVec3,
    /// Metres from there.
    pub(crate) point: DVec3,
    /// The triangle that pushes.
    pub(crate) own: TriangleId,
    /// The direction of the push, a unit vector.
    pub(crate) direction: DVec3,
}

/// Whether another triangle continues the surface from a place, in the direction of the push. Those of the source
/// whose first triangle is `but` do not count.
pub(super) fn goes_on(
    solids: &Solids<'_>,
    region: &Region,
    place: &Place,
    but: Option<TriangleId>,
) -> bool {
    let counts = |source: &Source| but.is_none_or(|but| source.triangle(0) != but);
    // The region holds its own surroundings.
    solids.any(&around(region, place), counts, |source, facet| leads_on(place, source, facet))
}

/// Whether the face at a place is back to back with a face of another solid. `normal` is the normal of the
/// triangle that pushes.
pub(crate) fn is_covered(
    solids: &Solids<'_>,
    region: &Region,
    place: &Place,
    normal: DVec3,
) -> bool {
    let around = around(region, place);
    if solids.gathered.is_some_and(|near| near.has_surely_only(place.own.prop(), &around)) {
        return false; // as in most cases
    }
    let counts = |source: &Source| source.solid && source.prop() != place.own.prop();
    solids.any(&around, counts, |source, facet| {
        let corners = facet.seen_from(source.origin - place.feet - place.point);
        let is_back_to_back = |other: DVec3| other.dot(normal) < -(1.0 - LEADS * LEADS * 0.5);
        unit_normal(corners).is_some_and(is_back_to_back) && touches_origin(corners)
    })
}

pub(super) fn around(region: &Region, place: &Place) -> Region {
    let at = place.feet + place.point;
    Region { min: at, max: at, motion: DVec3::ZERO, ..*region }.grown_by(SEAM)
}

/// Whether another triangle touches a place.
pub(super) fn is_at(place: &Place, source: &Source, facet: &Facet) -> bool {
    let corners = facet.seen_from(source.origin - place.feet - place.point);
    source.triangle(facet.triangle) != place.own && touches_origin(corners)
}

/// Whether another triangle touches a place and leads on from it in the direction of the push.
pub(super) fn leads_on(place: &Place, source: &Source, facet: &Facet) -> bool {
    let corners = facet.seen_from(source.origin - place.feet - place.point);
    // The cheaper test comes first.
    let leads = |corner: DVec3| {
        let ahead = corner.dot(place.direction);
        ahead > SEAM && ahead > LEADS * corner.length() + SEAM
    };
    source.triangle(facet.triangle) != place.own
        && corners.into_iter().any(leads)
        && touches_origin(corners)
}

/// Whether a triangle is no farther than a seam from the origin.
fn touches_origin(corners: [DVec3; 3]) -> bool {
    // Most are farther from its plane, by far more than rounding.
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let apart = normal.dot(a);
    apart * apart <= (2.0 * SEAM * SEAM) * normal.length_squared()
        && nearest_to_origin(corners).length() <= SEAM
}
