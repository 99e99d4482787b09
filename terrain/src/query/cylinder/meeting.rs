//! Where a body on a straight line first meets a triangle.
//!
//! The first meeting is the least `s` over all points p of the triangle with p − s·direction in the cylinder:
//! a convex problem. At its solution, either an end of the cylinder is active, and then it is the first
//! meeting of that end disc alone; or only the side is, and then it is the first meeting of the side taken as
//! infinitely long. So three simple problems solve it without a list of pairs of features:
//!
//! - an end disc: sheared along the direction, its swept volume is an upright column, and the first
//!   meeting is the lowest point of the sheared triangle in it. This covers end against corner, edge
//!   and face, and rim against edge and face.
//! - the side: seen from above, a disc against a polygon.
//!
//! Each result is a point of the triangle and a place where the body truly contains it, so none is too early.
//! What rounding could remove from one of them where they join (at the rim), the others cover: discs are
//! tested with a radius larger by `slack`, and the side with a height larger by `slack`.

use glam::DVec3;

use super::disc::lowest_over_disc;
use super::polygon::{Place, Polygon};
use super::{Corners, Feature, touch, unit_clamp};
use crate::math::{greater, lesser};

/// An upright cylinder around the Y axis. Metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) radius: f64,
    /// Height of the foot disc.
    pub(super) foot: f64,
    /// Height of the top disc.
    pub(super) top: f64,
}

impl Body {
    /// The cylinder from 0 to `height`, with every face moved inwards.
    pub(super) fn shrunk(radius: f64, height: f64, by: f64) -> Self {
        Self { radius: radius - by, foot: by, top: height - by }
    }
}

/// A place on the way where the body touches the triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Metres along the direction; may be negative.
    pub(super) at: f64,
    /// On the triangle, relative to the start of the body.
    pub(super) point: DVec3,
    pub(super) feature: Feature,
}

/// The meetings that were found: at most one for each end, and one for each edge against the side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meetings {
    list: [Option<Meeting>; 5],
    count: usize,
}

impl Meetings {
    /// All meetings, in a fixed order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Meeting> {
        self.list.iter().flatten()
    }

    /// The first meeting on the way: where the body enters the triangle.
    pub(super) fn first(&self) -> Option<Meeting> {
        let mut first: Option<Meeting> = None;
        for meeting in self.all() {
            if first.is_none_or(|known| meeting.at < known.at) {
                first = Some(*meeting);
            }
        }
        first
    }

    fn push(&mut self, meeting: Meeting) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = Some(meeting);
            self.count += 1;
        }
    }
}

/// The meetings of a body with the triangle. The body moves on the line through the origin along the unit
/// vector `direction`, at most `last` metres along it, and also behind the origin. Empty if they do not meet.
pub(super) fn meetings(
    corners: &Corners,
    body: Body,
    direction: DVec3,
    last: f64,
    slack: f64,
) -> Meetings {
    let mut found = Meetings::default();
    each_meeting(corners, body, direction, last, slack, |at, polygon, place| {
        found.push(meeting(at, polygon, place));
        f64::INFINITY
    });
    found
}

/// The first of [`meetings`].
pub(super) fn first_meeting(
    corners: &Corners,
    body: Body,
    direction: DVec3,
    last: f64,
    slack: f64,
) -> Option<Meeting> {
    let mut first: Option<Meeting> = None;
    each_meeting(corners, body, direction, last, slack, |at, polygon, place| {
        if first.is_none_or(|known| at < known.at) {
            first = Some(meeting(at, polygon, place));
        }
        first.map_or(f64::INFINITY, |known| known.at)
    });
    first
}

/// Where the body loses contact: what a body that comes back from there meets first.
pub(super) fn exit_meeting(
    corners: &Corners,
    radius: f64,
    height: f64,
    direction: DVec3,
) -> Option<Meeting> {
    let slack = 0.5 * touch(radius, height);
    let body = Body::shrunk(radius, height, slack);
    first_meeting(corners, body, -direction, f64::INFINITY, slack)
}

#[inline]
fn meeting(at: f64, polygon: &Polygon, place: Place) -> Meeting {
    Meeting { at, point: polygon.point(place), feature: polygon.feature(place) }
}

/// Calls `take` with how far along each meeting is, and its place and polygon. `take` returns how far along
/// meetings are still of interest: meetings that are certainly no sooner may be skipped.
#[inline]
fn each_meeting(
    corners: &Corners,
    body: Body,
    direction: DVec3,
    last: f64,
    slack: f64,
    mut take: impl FnMut(f64, &Polygon, Place) -> f64,
) {
    let level = (direction.x * direction.x + direction.z * direction.z).sqrt();
    // Beyond this in either direction the body is past every corner. On a level way it makes no difference.
    let is_level = direction.y == 0.0;
    let past = if is_level { 0.0 } else { past_all(corners, body, slack) };
    let last = lesser(past, last);
    let span = last + past;
    if is_level || direction.y.abs() * span <= slack {
        // The body stays at its height all the way, so only what is at that height counts.
        let polygon = Polygon::between(corners, body.foot, body.top);
        for (index, from, to) in polygon.edges() {
            if let Some((at, t)) = side_meeting(from, to, body.radius, direction, level, 0.0)
                && at.is_finite()
            {
                take(at, &polygon, Place::Edge(index, t));
            }
        }
        return;
    }
    let mut until = f64::INFINITY;
    for end in [body.foot, body.top] {
        if level_from(corners, end, direction.y) >= until {
            continue;
        }
        let ways = (end - past * direction.y, end + last * direction.y);
        let (low, high) = (lesser(ways.1, ways.0), greater(ways.1, ways.0));
        let polygon = Polygon::between(corners, low, high);
        if let Some((at, place)) = end_meeting(&polygon, body.radius + slack, direction, end)
            && at.is_finite()
        {
            until = take(at, &polygon, place);
        }
    }
    // Below this the body moves straight up or down, and its side comes no nearer to anything.
    if level * span > slack {
        let polygon = Polygon::whole(corners);
        for (index, from, to) in polygon.edges() {
            if let Some((at, t)) = side_meeting(from, to, body.radius, direction, level, slack) {
                let place = Place::Edge(index, t);
                let height = polygon.point(place).y - at * direction.y;
                let is_met = height >= body.foot - slack && height <= body.top + slack;
                if is_met && at <= last && at.is_finite() {
                    take(at, &polygon, place);
                }
            }
        }
    }
}

/// How far along an end reaches the level of the first corner. No part of the triangle is met sooner, to the
/// bit: what [`end_meeting`] finds is no sooner than one of its corners, each computed like this.
#[inline]
fn level_from(corners: &Corners, end: f64, rate: f64) -> f64 {
    let [a, b, c] = corners.map(|corner| corner.y);
    let first = if rate < 0.0 { greater(greater(c, b), a) } else { lesser(lesser(c, b), a) };
    (first - end) / rate
}

/// The distance at which a body is past every corner.
fn past_all(corners: &Corners, body: Body, slack: f64) -> f64 {
    let mut farthest = 0.0;
    for corner in corners {
        farthest = greater(corner.length(), farthest);
    }
    body.radius + greater(-body.foot, body.top) + slack + farthest
}

/// The first meeting of the disc at height `end`: how far along, and the place.
fn end_meeting(polygon: &Polygon, radius: f64, direction: DVec3, end: f64) -> Option<(f64, Place)> {
    let mut sheared = [DVec3::ZERO; 5];
    let mut count = 0;
    for (to, point) in sheared.iter_mut().zip(polygon.points()) {
        let at = (point.y - end) / direction.y;
        *to = DVec3::new(point.x - at * direction.x, at, point.z - at * direction.z);
        count += 1;
    }
    let lowest = lowest_over_disc(sheared.get(..count)?, radius)?;
    Some((lowest.at.y, lowest.place))
}

/// The first meeting of an infinitely long side with an edge: metres along the direction, and the part of the
/// way along the edge. `level` is the length of the direction seen from above.
#[inline]
fn side_meeting(
    from: DVec3,
    to: DVec3,
    radius: f64,
    direction: DVec3,
    level: f64,
    slack: f64,
) -> Option<(f64, f64)> {
    // Ahead and across, seen from above.
    let (ex, ez) = (direction.x / level, direction.z / level);
    let ahead = |point: DVec3| point.x * ex + point.z * ez;
    let across = |point: DVec3| point.z * ex - point.x * ez;
    let delta = to - from;
    let (da, dc) = (ahead(delta), across(delta));
    let length = (da * da + dc * dc).sqrt();
    let (from_ahead, from_across) = (ahead(from), across(from));
    // The disc touches the edge's line with the radius that is square to it.
    let t = if dc == 0.0 || length == 0.0 {
        if da < 0.0 { 1.0 } else { 0.0 }
    } else {
        let out = if dc < 0.0 { radius } else { -radius };
        unit_clamp((da / length * out - from_across) / dc)
    };
    let (a, c) = if t >= 1.0 {
        (ahead(to), across(to))
    } else {
        (from_ahead + t * da, from_across + t * dc)
    };
    let inside = (radius - c.abs()) * (radius + c.abs());
    if c.abs() > radius + slack || inside.is_nan() {
        return None;
    }
    Some(((a - greater(0.0, inside).sqrt()) / level, t))
}
