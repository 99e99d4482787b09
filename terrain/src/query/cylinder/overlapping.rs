//! Whether a body overlaps a triangle.

use super::apart::is_apart;
use super::disc::is_over_disc;
use super::polygon::{Polygon, is_over_origin};
use super::{Corners, touch};

/// Whether the triangle reaches into the cylinder by more than a touch ([`super::TOUCH`]) from every face of
/// the cylinder.
pub(crate) fn overlaps(corners: &Corners, radius: f64, height: f64) -> bool {
    !is_apart(corners, radius, height) && !overlapping(corners, radius, height).is_empty()
}

/// The part of the triangle between the body's ends; empty if the two do not overlap. Not an `Option`, so that this
/// large value is not copied into one.
#[inline]
pub(crate) fn overlapping(corners: &Corners, radius: f64, height: f64) -> Polygon {
    let touch = touch(radius, height);
    let mut polygon = Polygon::between(corners, touch, height - touch);
    if !reaches_axis(&polygon, radius - touch) {
        polygon.clear();
    }
    polygon
}

/// Whether a polygon, seen from above, comes within `radius` of the axis.
pub(super) fn reaches_axis(polygon: &Polygon, radius: f64) -> bool {
    polygon.edges().any(|(_, from, to)| is_over_disc(from, to, radius))
        || (!polygon.points().is_empty() && is_over_origin(polygon.points()))
}
