//! The highest and the lowest point of a triangle in the column over a disc.

use glam::DVec3;

use super::apart::is_beside;
use super::disc::lowest_over_disc;
use super::polygon::Polygon;
use super::{Corners, Feature};

/// The highest point of the triangle within `radius` of the Y axis and not above `ceiling`. `None` if there
/// is none, or if it is below `floor`. Of equally high points, the nearest to the axis. Metres; either bound
/// may be infinite.
pub(crate) fn column_top(
    corners: &Corners,
    radius: f64,
    floor: f64,
    ceiling: f64,
) -> Option<DVec3> {
    let (top, _) = top_with_feature(corners, radius, ceiling)?;
    (top.y >= floor).then_some(top)
}

/// The lowest point of the triangle within `radius` of the Y axis and not below `floor`. `None` if there is
/// none. Of equally low points, the nearest to the axis. Metres; `floor` may be infinite.
pub(crate) fn column_bottom(corners: &Corners, radius: f64, floor: f64) -> Option<DVec3> {
    bottom_with_feature(corners, radius, floor).map(|(bottom, _)| bottom)
}

pub(super) fn top_with_feature(
    corners: &Corners,
    radius: f64,
    ceiling: f64,
) -> Option<(DVec3, Feature)> {
    let upside_down = |point: DVec3| DVec3::new(point.x, -point.y, point.z);
    let (bottom, feature) = bottom_with_feature(&corners.map(upside_down), radius, -ceiling)?;
    Some((upside_down(bottom), feature))
}

pub(super) fn bottom_with_feature(
    corners: &Corners,
    radius: f64,
    floor: f64,
) -> Option<(DVec3, Feature)> {
    if is_beside(corners, radius) || corners.iter().all(|corner| corner.y < floor) {
        return None;
    }
    let polygon = Polygon::between(corners, floor, f64::INFINITY);
    let lowest = lowest_over_disc(polygon.points(), radius)?;
    Some((lowest.at, polygon.feature(lowest.place)))
}
