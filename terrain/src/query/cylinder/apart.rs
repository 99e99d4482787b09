//! Whether a triangle is certainly clear of a body: cheap, and true only where the exact tests agree.
//!
//! A convex body and a triangle are apart if they are apart along some direction. The directions tried are
//! the axes, those square to the triangle's edges seen from above, and that of its normal. Where that is
//! rounded, apart means by far more than the rounding of the exact tests, and by far less than anyone can see.

use glam::DVec3;

use super::Corners;
use crate::math::{greater, lesser};

/// The least distance that certainly is apart. Metres: rounding takes about 1e-11 from triangles of 10 km.
pub(crate) const APART_MARGIN: f64 = 1e-6;

/// The rounding of products of three lengths, as a part of them, with a margin.
const PRODUCT_ROUNDING: f64 = 1e-14;

/// Whether a body and a triangle certainly do not overlap: a quick test.
#[inline]
pub(crate) fn is_apart(corners: &Corners, radius: f64, height: f64) -> bool {
    is_above_or_below(corners, height) || is_beside(corners, radius)
}

#[inline]
fn is_above_or_below(corners: &Corners, height: f64) -> bool {
    corners.iter().all(|corner| corner.y <= 0.0) || corners.iter().all(|corner| corner.y >= height)
}

/// Whether the triangle is certainly beside the column over a disc around the Y axis.
#[inline]
pub(super) fn is_beside(corners: &Corners, radius: f64) -> bool {
    let [a, b, c] = *corners;
    let low = |a: f64, b: f64, c: f64| lesser(lesser(c, b), a);
    let high = |a: f64, b: f64, c: f64| greater(greater(c, b), a);
    low(a.x, b.x, c.x) > radius
        || high(a.x, b.x, c.x) < -radius
        || low(a.z, b.z, c.z) > radius
        || high(a.z, b.z, c.z) < -radius
        || is_beside_column(corners, radius)
}

/// Whether no point of the triangle comes near the column over a disc around the Y axis while the column
/// moves by `motion`.
#[inline]
pub(super) fn is_beside_way(corners: &Corners, radius: f64, motion: DVec3) -> bool {
    let [a, b, c] = *corners;
    let apart_squared = (radius + APART_MARGIN) * (radius + APART_MARGIN);
    [(a, b, c), (b, c, a), (c, a, b)].into_iter().any(|(from, to, third)| {
        let (x, z) = (to.x - from.x, to.z - from.z);
        // Signed distances from the edge, times its length: the axis where it begins and ends, and the third
        // corner.
        let begin = z * from.x - x * from.z;
        let end = begin + (x * motion.z - z * motion.x);
        let own = x * (third.z - from.z) - z * (third.x - from.x);
        let gap = greater(
            -greater(end, begin) + lesser(0.0, own),
            lesser(end, begin) - greater(0.0, own),
        );
        gap > 0.0 && gap * gap > apart_squared * (x * x + z * z)
    })
}

/// The same for a column that does not move.
#[inline]
pub(super) fn is_beside_column(corners: &Corners, radius: f64) -> bool {
    let [a, b, c] = *corners;
    let apart_squared = (radius + APART_MARGIN) * (radius + APART_MARGIN);
    [(a, b, c), (b, c, a), (c, a, b)].into_iter().any(|(from, to, third)| {
        let (x, z) = (to.x - from.x, to.z - from.z);
        let axis = z * from.x - x * from.z;
        let own = x * (third.z - from.z) - z * (third.x - from.x);
        let gap = greater(lesser(0.0, own) - axis, axis - greater(0.0, own));
        gap > 0.0 && gap * gap > apart_squared * (x * x + z * z)
    })
}

/// Whether a body stays on one side of the triangle's plane while it moves by a motion.
#[inline]
pub(super) fn is_off_plane(corners: &Corners, radius: f64, height: f64, motion: DVec3) -> bool {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let moved = normal.dot(motion);
    let (level, tall) = (normal.x * normal.x + normal.z * normal.z, normal.y * height);
    let beside = radius * level.sqrt();
    let most = beside + greater(0.0, tall) + greater(0.0, moved);
    let least = -beside + lesser(0.0, tall) + lesser(0.0, moved);
    let at = normal.dot(a);
    let gap = greater(least - at, at - most);
    let noise = noise(corners, radius + height + motion.length());
    gap > noise
        && (gap - noise) * (gap - noise)
            > APART_MARGIN * APART_MARGIN * (level + normal.y * normal.y)
}

/// The part of a motion before which a body does not come near the triangle's plane; 0 if it begins near it.
#[inline]
pub(crate) fn off_plane_until(corners: &Corners, radius: f64, height: f64, motion: DVec3) -> f64 {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let moved = normal.dot(motion);
    let (level, tall) = (normal.x * normal.x + normal.z * normal.z, normal.y * height);
    let (at, beside) = (normal.dot(a), radius * level.sqrt());
    let gap = if moved > 0.0 { at - greater(0.0, tall) } else { lesser(0.0, tall) - at } - beside;
    let margin = APART_MARGIN * (level + normal.y * normal.y).sqrt();
    let gap = gap - margin - noise(corners, radius + height + motion.length());
    if gap > 0.0 { gap / moved.abs() } else { 0.0 }
}

/// How much products with a triangle's normal are rounded, `far` from a corner: that of a sliver is noise.
#[inline]
fn noise(corners: &Corners, far: f64) -> f64 {
    let [a, b, c] = *corners;
    let longest = greater((c - a).length_squared(), (b - a).length_squared());
    longest * (a.length() + far) * PRODUCT_ROUNDING
}
