//! Which pushes up, down and to the side free a body of a triangle that it overlaps.

use glam::DVec3;

use super::column::{bottom_with_feature, top_with_feature};
use super::disc::place_over;
use super::intersection::Intersection;
use super::meeting::exit_meeting;
use super::overlapping::chord;
use super::polygon::{Place, Polygon};
use super::{Corners, Feature, TINY, unit};
use crate::math::{greater, lesser};

/// A direction is not against a normal down to this cosine, so that noise in the normal of an upright wall
/// does not decide.
const LEVEL: f64 = -1e-9;

/// A move that frees the body of the triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    /// Distance. Metres, above 0.
    pub(crate) depth: f64,
    /// Direction in which the body moves. A unit vector.
    pub(crate) direction: DVec3,
    /// A point on the triangle, in the body or on its surface: where this push loses contact last, if the
    /// body contains that point.
    pub(crate) point: DVec3,
    /// The part of the triangle on which `point` is.
    pub(crate) feature: Feature,
}

/// Whether a front permits a body to move in a direction.
pub(super) fn is_allowed(front: Option<DVec3>, direction: DVec3) -> bool {
    front.is_none_or(|front| direction.dot(front) >= LEVEL)
}

pub(super) fn push_up(corners: &Corners, radius: f64, height: f64) -> Option<Push> {
    let (top, on) = top_with_feature(corners, radius, f64::INFINITY)?;
    let (point, feature) =
        if top.y <= height { (top, on) } else { top_with_feature(corners, radius, height)? };
    Some(Push { depth: top.y, direction: DVec3::Y, point, feature })
}

pub(super) fn push_down(corners: &Corners, radius: f64, height: f64) -> Option<Push> {
    let (bottom, on) = bottom_with_feature(corners, radius, f64::NEG_INFINITY)?;
    let (point, feature) =
        if bottom.y >= 0.0 { (bottom, on) } else { bottom_with_feature(corners, radius, 0.0)? };
    Some(Push { depth: height - bottom.y, direction: DVec3::NEG_Y, point, feature })
}

/// The least horizontal push off the polygon that is the part of the triangle at the body's height. `near` is
/// what is known of the polygon.
///
/// Seen from above, a push along u frees the body once it reaches past the polygon's farthest point in that
/// direction by the radius. Whatever the noise in u, that depth is right for u. The least push is square to
/// an edge or away from a corner. If only the front blocks, it may also be along the face, and then the body
/// passes a corner that is ahead.
pub(super) fn push_sideways(
    corners: &Corners,
    polygon: &Polygon,
    near: &Intersection,
    front: Option<DVec3>,
    radius: f64,
    height: f64,
) -> Option<Push> {
    // The level components of the normal of a level face are noise.
    let front = front.and_then(|front| {
        let level = (front.x * front.x + front.z * front.z).sqrt();
        if level < -LEVEL { None } else { level_unit(front.x, front.z) }
    });
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let margin = rounding(corners);
    let most = f64::INFINITY;
    let mut sides = Sides { polygon, near, front, radius, margin, most, best: None };
    // These usually contain the least push: the others are compared with it.
    sides.bound(normal);
    sides.bound_near();
    for edge in [b - a, c - b, a - c] {
        sides.consider(edge.z, -edge.x);
        sides.consider(-edge.z, edge.x);
    }
    // Square to the cuts of the triangle by the body's ends.
    sides.consider(normal.x, normal.z);
    sides.consider(-normal.x, -normal.z);
    for point in polygon.points() {
        sides.consider(-point.x, -point.z);
    }
    // A single point on the axis permits any direction.
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        sides.consider(x, z);
    }
    let mut best = sides.best.map(|(push, _)| push);
    let mut is_along = false;
    if let Some(front) = front {
        for (x, z) in [(front.z, -front.x), (-front.z, front.x)] {
            let Some(direction) = level_unit(x, z) else { continue };
            let surely = near.exit(direction);
            if best.is_some_and(|known| surely > known.depth) {
                continue;
            }
            let Some(last) = exit_meeting(corners, radius, height, direction) else { continue };
            if best.is_none_or(|known| -last.at < known.depth) {
                let off_axis = last.point.x * last.point.x + last.point.z * last.point.z;
                let (point, feature) = if off_axis <= radius * radius {
                    (last.point, last.feature)
                } else {
                    held(polygon, None, radius)
                };
                best = Some(Push { depth: -last.at, direction, point, feature });
                is_along = true;
            }
        }
    }
    let mut best = best?;
    if !is_along {
        let place = last_held(polygon, best.direction);
        (best.point, best.feature) = held(polygon, place, radius);
    }
    Some(best)
}

/// Searches for the horizontal direction that frees a body of a polygon soonest.
struct Sides<'a> {
    polygon: &'a Polygon,
    near: &'a Intersection,
    front: Option<DVec3>,
    radius: f64,
    margin: f64,
    /// An upper bound for the least depth: one of the directions to be considered has this depth or less.
    most: f64,
    /// The push with the least depth, and how much it points to the front. Of equals, the first of those that
    /// point to the front most.
    best: Option<(Push, f64)>,
}

impl Sides<'_> {
    /// Notes the depth of a direction that will be considered.
    fn bound(&mut self, towards: DVec3) {
        let Some((direction, _)) = self.allowed(towards.x, towards.z) else { return };
        let depth = self.radius + farthest(self.polygon, direction);
        self.most = lesser(depth, self.most);
    }

    /// Notes the direction straight away from the point nearest to the axis. If the whole polygon is beyond
    /// that point, no direction is shorter. It is square to the edge or away from the corner that the point
    /// is on, so it will be considered.
    fn bound_near(&mut self) {
        let off_axis = self.near.off_axis;
        if off_axis < 1e-6 {
            return;
        }
        let direction = DVec3::new(-self.near.x / off_axis, 0.0, -self.near.z / off_axis);
        let along = farthest(self.polygon, direction);
        if along <= 0.0 && self.front.is_none_or(|front| direction.dot(front) > 1e-6) {
            self.most = lesser(self.radius + along, self.most);
        }
    }

    #[inline]
    fn consider(&mut self, x: f64, z: f64) {
        if self.is_hopeless(x, z) {
            return;
        }
        let Some((direction, ahead)) = self.allowed(x, z) else { return };
        let depth = self.radius + farthest(self.polygon, direction);
        self.most = lesser(depth, self.most);
        if self.best.is_none_or(|(known, known_ahead)| {
            depth < known.depth || (depth == known.depth && ahead > known_ahead)
        }) {
            let (point, feature) = (DVec3::ZERO, Feature::Face);
            self.best = Some((Push { depth, direction, point, feature }, ahead));
        }
    }

    /// A unit vector, and how much it points to the front; `None` if it points to the back.
    fn allowed(&self, x: f64, z: f64) -> Option<(DVec3, f64)> {
        let direction = level_unit(x, z)?;
        let ahead = self.front.map_or(0.0, |front| direction.dot(front));
        (ahead >= LEVEL).then_some((direction, ahead))
    }

    /// Whether a direction, of any length, certainly points to the back, or certainly frees the body later
    /// than another: by more than rounding, and decided without a root. The polygon reaches at least as far
    /// as its point nearest to the axis.
    #[inline]
    fn is_hopeless(&self, x: f64, z: f64) -> bool {
        let looks_back =
            |front: DVec3| x * front.x + z * front.z < 2.0 * LEVEL * (x.abs() + z.abs()) - TINY;
        if self.front.is_some_and(looks_back) {
            return true;
        }
        let along = x * self.near.x + z * self.near.z;
        let ends = self.most + self.margin - self.radius;
        let (along_squared, ends_squared) = (along * along, ends * ends * (x * x + z * z));
        if ends < 0.0 {
            ends_squared > TINY && (along >= 0.0 || along_squared < ends_squared)
        } else {
            ends_squared > TINY && along > 0.0 && along_squared > ends_squared
        }
    }
}

/// More than the rounding of how far a triangle reaches along a level direction. Metres.
pub(super) fn rounding(corners: &Corners) -> f64 {
    let mut far = 0.0;
    for corner in corners {
        far = greater(corner.x.abs() + corner.z.abs(), far);
    }
    1e-10 + far * 1e-14
}

pub(super) fn level_unit(x: f64, z: f64) -> Option<DVec3> {
    unit(DVec3::new(x, 0.0, z))
}

/// How far the polygon reaches along a direction.
pub(super) fn farthest(polygon: &Polygon, direction: DVec3) -> f64 {
    let mut farthest = f64::NEG_INFINITY;
    for point in polygon.points() {
        farthest = greater(point.x * direction.x + point.z * direction.z, farthest);
    }
    farthest
}

/// The place of the polygon farthest along a direction; of several, the nearest to the axis.
pub(super) fn last_held(polygon: &Polygon, direction: DVec3) -> Option<Place> {
    let along = |point: DVec3| point.x * direction.x + point.z * direction.z;
    // An edge square to the direction loses contact all at once; its ends differ by rounding only.
    nearest_to_axis(polygon, along, farthest(polygon, direction) - 1e-9)
}

/// Of the corners and edges of a polygon on which the value is at least `limit` everywhere, the place nearest
/// to the axis.
fn nearest_to_axis(polygon: &Polygon, value: impl Fn(DVec3) -> f64, limit: f64) -> Option<Place> {
    let mut best: Option<(f64, Place)> = None;
    for (index, from, to) in polygon.edges() {
        let t = match (value(from) >= limit, value(to) >= limit) {
            (true, true) => chord(from, to, f64::MAX, 0.0).map_or(0.0, |(_, _, near)| near),
            (true, false) => 0.0,
            (false, true) => 1.0,
            (false, false) => continue,
        };
        let place = Place::Edge(index, t);
        let point = polygon.point(place);
        let off_axis = point.x * point.x + point.z * point.z;
        if best.is_none_or(|(known, _)| off_axis < known) {
            best = Some((off_axis, place));
        }
    }
    best.map(|(_, place)| place)
}

/// The point of a place, moved to the body's surface if it is outside. Without a place, or if that fails, the
/// point nearest to the axis, which every overlap contains.
pub(super) fn held(polygon: &Polygon, place: Option<Place>, radius: f64) -> (DVec3, Feature) {
    let inside = |place: &Place| {
        let point = polygon.point(*place);
        point.x * point.x + point.z * point.z <= radius * radius * (1.0 + 1e-9)
    };
    let over = |(x, z): (f64, f64)| place_over(polygon.points(), x, z).filter(inside);
    let brought = |place: Place| {
        let point = polygon.point(place);
        let part = radius / (point.x * point.x + point.z * point.z).sqrt();
        over((point.x * part, point.z * part))
    };
    let place = place.filter(inside).or_else(|| place.and_then(brought));
    let place = place.or_else(|| over((0.0, 0.0)));
    let place = place.or_else(|| nearest_to_axis(polygon, |_| 0.0, 0.0));
    place.map_or((DVec3::ZERO, Feature::Face), |place| {
        (polygon.point(place), polygon.feature(place))
    })
}
