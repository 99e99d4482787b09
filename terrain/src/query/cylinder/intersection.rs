//! Points of a triangle within a body, and how far it is out of them.

use glam::DVec3;

use super::polygon::Polygon;
use super::{touch, unit_clamp};
use crate::math::{greater, lesser};

/// How much longer the way out of a point must be than a known push to be certainly longer once it is
/// computed. Metres: where a disc grazes an edge, the root of what rounding leaves is 1e-6.
pub(super) const CERTAIN_MARGIN: f64 = 1e-4;

/// The same margin if the disc does not graze the point: half the chord through the point is longer than this
/// part of the radius.
const CERTAIN_MARGIN_HELD: f64 = 1e-6;
const HELD_PART: f64 = 0.01;

/// Points of a polygon within a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intersection {
    /// The nearest known point to the axis.
    pub(super) x: f64,
    pub(super) z: f64,
    /// Its distance from the axis.
    pub(super) off_axis: f64,
    /// The range of its height.
    low: f64,
    high: f64,
    /// The highest point within the body is no lower than `top`, and the lowest no higher than `bottom`.
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// The body's, less a touch.
    radius: f64,
    height: f64,
}

impl Intersection {
    /// For the polygon of a triangle and a body that overlap.
    pub(super) fn of(polygon: &Polygon, radius: f64, height: f64) -> Self {
        let touch = touch(radius, height);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in polygon.points() {
            (low, high) = (lesser(point.y, low), greater(point.y, high));
        }
        // On the axis if no edge is in the body.
        let mut near = Self {
            x: 0.0,
            z: 0.0,
            off_axis: 0.0,
            low,
            high,
            top: low,
            bottom: high,
            radius: radius - touch,
            height,
        };
        // An edge that is only just in the body, or just outside, counts as in it, by less than a touch.
        let held = radius - 0.5 * touch;
        let mut nearest = held * held;
        for (_, from, to) in polygon.edges() {
            let way = to - from;
            let along = -(from.x * way.x + from.z * way.z);
            let at = from + way * unit_clamp(along / (way.x * way.x + way.z * way.z));
            let off_axis = at.x * at.x + at.z * at.z;
            if off_axis < nearest {
                nearest = off_axis;
                (near.x, near.z, near.low, near.high) = (at.x, at.z, at.y, at.y);
            }
            if off_axis < held * held {
                (near.top, near.bottom) = (greater(at.y, near.top), lesser(at.y, near.bottom));
            }
        }
        near.off_axis = (near.x * near.x + near.z * near.z).sqrt();
        near
    }

    /// How far the body moves straight away from the nearest point until it is free of it.
    pub(super) fn straight_off(&self, radius: f64) -> f64 {
        radius - self.off_axis
    }

    /// A lower bound for how far the body moves along a unit vector until it is free of the nearest point.
    pub(super) fn exit(&self, direction: DVec3) -> f64 {
        let level = direction.x * direction.x + direction.z * direction.z;
        let ahead = self.x * direction.x + self.z * direction.z;
        let inside = self.radius * self.radius - self.x * self.x - self.z * self.z;
        let chord = greater(0.0, ahead * ahead + inside * level).sqrt();
        let side = (ahead + chord) / level;
        let end = if direction.y > 0.0 {
            self.low / direction.y
        } else if direction.y < 0.0 {
            (self.high - self.height) / direction.y
        } else {
            f64::INFINITY
        };
        let surely =
            if chord > HELD_PART * self.radius { CERTAIN_MARGIN_HELD } else { CERTAIN_MARGIN };
        lesser(end, side) - surely
    }
}
