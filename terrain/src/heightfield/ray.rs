//! A ray as the walks over the grid use it: the distance at which it reaches each grid line.
//!
//! Everything follows from one formula, [`Axis::distance_to`]: the distance at which a ray reaches a grid line
//! depends only on the line's number, never on the way to it. Both operations in it are monotone, so
//! distances increase from line to line, and every caller gets the same bits for a line. Cells, blocks and
//! sectors therefore share their borders exactly, and no error accumulates.

use crate::math::clamp;

/// One horizontal axis of a ray. Lengths are in cells from the centre of the sector where the ray
/// begins, distances along the ray in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    origin: f64,
    /// Cells per metre along the ray.
    per_metre: f64,
    /// `origin`; for a ray that never moves along this axis, a place infinitely far behind it, so that every
    /// line is infinitely far ahead.
    behind: f64,
    inverse: f64,
}

impl Axis {
    /// From the place where the ray begins, and the cells that it moves per metre.
    pub(crate) fn new(origin: f64, per_metre: f64) -> Self {
        if per_metre == 0.0 {
            Self { origin, per_metre: 0.0, behind: f64::NEG_INFINITY, inverse: 1.0 }
        } else {
            Self { origin, per_metre, behind: origin, inverse: 1.0 / per_metre }
        }
    }

    /// The distance at which the ray reaches a line; infinite if it never does, at most 0 if it begins there
    /// or beyond.
    #[inline]
    pub(crate) fn distance_to(self, line: f64) -> f64 {
        (line - self.behind) * self.inverse
    }

    /// The place at a distance.
    #[inline]
    pub(crate) fn at(self, t: f64) -> f64 {
        self.origin + self.per_metre * t
    }

    /// Whether the ray moves along this axis at all.
    #[inline]
    pub(crate) fn moves(self) -> bool {
        self.per_metre != 0.0
    }

    /// Whether the ray leaves cells through their high border; also true where it never leaves
    /// them.
    #[inline]
    pub(crate) fn forward(self) -> bool {
        self.per_metre >= 0.0
    }

    /// The distance at which the ray leaves interval `index` of the intervals of `width` cells that
    /// begin at `corner`.
    #[inline]
    pub(crate) fn leave(self, corner: f64, width: f64, index: i64) -> f64 {
        self.distance_to(corner + width * (index + i64::from(self.forward())) as f64)
    }

    /// The distance at which the ray enters that interval; −∞ if it has always been inside.
    #[inline]
    pub(crate) fn enter(self, corner: f64, width: f64, index: i64) -> f64 {
        if self.moves() {
            self.distance_to(corner + width * (index + i64::from(!self.forward())) as f64)
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The one interval with `enter ≤ t < leave` if it lies within `low..high`, otherwise the nearest
    /// interval in that range. For a ray that does not move, the interval that holds it by half-open
    /// ownership.
    #[inline]
    pub(crate) fn locate(self, corner: f64, width: f64, t: f64, low: i64, high: i64) -> i64 {
        // The division is exact: widths are powers of two. Where it truncates upwards, the walk
        // below corrects it.
        let guess = (self.at(t) - corner) / width;
        if !self.moves() {
            let whole = guess as i64;
            let whole = if guess < whole as f64 { whole - 1 } else { whole };
            return clamp(whole, low, high - 1);
        }
        let mut index = clamp(guess as i64, low, high - 1);
        let onward = if self.forward() { 1 } else { -1 };
        let (first, last) = if self.forward() { (low, high - 1) } else { (high - 1, low) };
        while index != last && self.leave(corner, width, index) <= t {
            index += onward;
        }
        while index != first && self.enter(corner, width, index) > t {
            index -= onward;
        }
        index
    }
}

/// A ray that moves along at least one horizontal axis. Heights are in quanta.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub(crate) x: Axis,
    pub(crate) z: Axis,
    /// The height where it begins.
    pub(crate) y: f64,
    /// Quanta per metre along the ray.
    pub(crate) rise: f64,
    /// Greatest distance that counts. Metres.
    pub(crate) t_max: f64,
}

impl Ray {
    /// The height at a distance. Monotone, because both operations are.
    #[inline]
    pub(crate) fn height(&self, t: f64) -> f64 {
        self.y + self.rise * t
    }
}

/// Where a ray enters something: the distance, and the kinds of grid line that it crosses there. Neither kind
/// if the ray begins inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) t: f64,
    pub(crate) on_x: bool,
    pub(crate) on_z: bool,
}

impl Entry {
    /// The ray's beginning.
    pub(crate) const BEGIN: Self = Self { t: 0.0, on_x: false, on_z: false };

    /// From the distances at which lines of both kinds are crossed; the ray enters at the later one.
    pub(crate) fn later(t_x: f64, t_z: f64) -> Self {
        let (on_x, on_z) = (t_x >= t_z, t_z >= t_x);
        Self { t: if on_x { t_x } else { t_z }, on_x, on_z }
    }

    /// From the distances at which lines of both kinds are crossed; the ray leaves at the earlier one.
    #[inline]
    pub(crate) fn earlier(t_x: f64, t_z: f64) -> Self {
        let (on_x, on_z) = (t_x <= t_z, t_z <= t_x);
        Self { t: if on_x { t_x } else { t_z }, on_x, on_z }
    }
}
