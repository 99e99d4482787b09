//! A triangle cut by level planes: at most five corners, each with its place on the triangle.
//!
//! Clipping after Sutherland and Hodgman, "Reentrant Polygon Clipping" (1974).

use glam::DVec3;

use super::{Corners, Feature};

/// Corners of a triangle that was cut twice.
const CORNERS_MAX: usize = 5;

/// A convex polygon that is a part of a triangle. May be flat, a segment, a point or empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    at: [DVec3; CORNERS_MAX],
    /// The part of the triangle on which each corner is.
    corner: [Feature; CORNERS_MAX],
    /// The part of the triangle on which the edge from each corner to the next is.
    edge: [Feature; CORNERS_MAX],
    count: usize,
}

/// A point of a polygon.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// On the edge that begins at this corner, this part of the way to the next, 0 to 1.
    Edge(usize, f64),
    /// In the triangle of corner 0, this corner and the next, with these weights.
    Inside(usize, [f64; 3]),
}

impl Polygon {
    /// The whole triangle.
    #[inline]
    pub(super) fn whole(corners: &Corners) -> Self {
        let [a, b, c] = *corners;
        let none = Feature::Face;
        Self {
            at: [a, b, c, DVec3::ZERO, DVec3::ZERO],
            corner: [Feature::Corner(0), Feature::Corner(1), Feature::Corner(2), none, none],
            edge: [Feature::Edge(0), Feature::Edge(1), Feature::Edge(2), none, none],
            count: 3,
        }
    }

    /// The part of the triangle with `low <= y <= high`. Either may be infinite.
    #[inline]
    pub(super) fn between(corners: &Corners, low: f64, high: f64) -> Self {
        // A triangle that needs no cut is not copied.
        let is_above = corners.iter().all(|point| point.y >= low);
        let is_below = corners.iter().all(|point| point.y <= high);
        match (is_above, is_below) {
            (true, true) => Self::whole(corners),
            (true, false) => Self::whole(corners).cut::<false, 3>(high),
            (false, true) => Self::whole(corners).cut::<true, 3>(low),
            (false, false) => {
                let above = Self::whole(corners).cut::<true, 3>(low);
                match above.count {
                    3 => above.cut::<false, 3>(high),
                    4 => above.cut::<false, 4>(high),
                    _ => above.cut::<false, CORNERS_MAX>(high),
                }
            }
        }
    }

    /// Whether the polygon is empty.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Makes the polygon empty.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// The corners.
    #[inline]
    pub(super) fn points(&self) -> &[DVec3] {
        self.at.get(..self.count).unwrap_or(&[])
    }

    /// The edges: the index of each, where it begins and where it ends.
    #[inline]
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        (0..self.count).map(|index| (index, self.get(index), self.get(self.after(index))))
    }

    /// The point at a place.
    pub(super) fn point(&self, place: Place) -> DVec3 {
        match place {
            Place::Edge(index, t) => {
                let (from, to) = (self.get(index), self.get(self.after(index)));
                if t >= 1.0 { to } else { from + (to - from) * t }
            }
            Place::Inside(index, weights) => {
                let first = self.get(0);
                let (second, third) = (self.get(index), self.get(self.after(index)));
                // A level polygon stays level.
                first + (second - first) * weights[1] + (third - first) * weights[2]
            }
        }
    }

    /// The part of the triangle on which a place is.
    pub(super) fn feature(&self, place: Place) -> Feature {
        let of = |parts: &[Feature; CORNERS_MAX], index: usize| {
            parts.get(index).copied().unwrap_or(Feature::Face)
        };
        match place {
            Place::Edge(index, t) if t <= 0.0 => of(&self.corner, index),
            Place::Edge(index, t) if t >= 1.0 => of(&self.corner, self.after(index)),
            Place::Edge(index, _) => of(&self.edge, index),
            Place::Inside(..) => Feature::Face,
        }
    }

    #[inline]
    fn empty() -> Self {
        Self {
            at: [DVec3::ZERO; CORNERS_MAX],
            corner: [Feature::Face; CORNERS_MAX],
            edge: [Feature::Face; CORNERS_MAX],
            count: 0,
        }
    }

    #[inline]
    fn get(&self, index: usize) -> DVec3 {
        self.at.get(index).copied().unwrap_or(DVec3::ZERO)
    }

    #[inline]
    fn after(&self, index: usize) -> usize {
        if index + 1 < self.count { index + 1 } else { 0 }
    }

    /// A convex polygon that was cut by two planes never has more corners than there is room for.
    #[inline]
    fn push(&mut self, at: DVec3, corner: Feature, edge: Feature) {
        let count = self.count;
        if count < CORNERS_MAX {
            (self.at[count], self.corner[count], self.edge[count]) = (at, corner, edge);
            self.count = count + 1;
        }
    }

    /// The part above or below a level plane. Corners on the plane stay. There are at most `COUNT` corners;
    /// this is a compile-time constant because cutting is most of the cost of a triangle.
    fn cut<const ABOVE: bool, const COUNT: usize>(&self, level: f64) -> Self {
        let is_inside = |y: f64| if ABOVE { y >= level } else { y <= level };
        let mut out = Self::empty();
        let mut from = self.get(0);
        let mut is_in = is_inside(from.y);
        for index in 0..self.count.min(COUNT) {
            let to = self.get(self.after(index));
            let (corner, along) = (self.corner[index], self.edge[index]);
            let goes_on = is_inside(to.y);
            if is_in {
                // The edge stays up to the plane; from there the polygon continues along the cut.
                let ends = !goes_on && from.y == level;
                out.push(from, corner, if ends { Feature::Face } else { along });
                if !goes_on && !ends {
                    out.push(crossing(from, to, level), along, Feature::Face);
                }
            } else if goes_on && to.y != level {
                out.push(crossing(to, from, level), along, along);
            }
            (from, is_in) = (to, goes_on);
        }
        out
    }
}

/// Where the edge crosses the level, counted from its inner end, so that the result does not depend on the
/// direction around the polygon.
fn crossing(inner: DVec3, outer: DVec3, level: f64) -> DVec3 {
    let t = (inner.y - level) / (inner.y - outer.y);
    let at = inner + (outer - inner) * t;
    DVec3::new(at.x, level, at.z)
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;
    use crate::math::{greater, lesser};

    #[test]
    fn what_is_between_two_levels_is_what_two_cuts_leave() {
        let mut random = Random::new(17);
        // Coarse numbers, so that corners lie on the levels.
        let mut coarse = || f64::from(random.whole(-16, 15)) / 4.0;
        let mut counts = [0; CORNERS_MAX + 1];
        for round in 0..200_000 {
            let mut corner = || DVec3::new(coarse(), coarse(), coarse());
            let corners = [corner(), corner(), corner()];
            let (a, b) = (coarse(), coarse());
            let (low, high) = match round % 4 {
                0 => (a, f64::INFINITY),
                1 => (f64::NEG_INFINITY, b),
                2 => (a, b), // out of order at times: nothing is left
                _ => (lesser(b, a), greater(b, a)),
            };
            let between = Polygon::between(&corners, low, high);
            let cut = Polygon::whole(&corners).cut::<true, 5>(low).cut::<false, 5>(high);
            let all = |of: &Polygon| {
                let count = of.count;
                let places = of.points().iter().map(|at| at.to_array().map(f64::to_bits));
                (places.collect::<Vec<_>>(), of.corner[..count].to_vec(), of.edge[..count].to_vec())
            };
            assert_eq!(all(&between), all(&cut), "{corners:?} {low} {high}");
            counts[between.count] += 1;
        }
        assert!([0, 3, 4, 5].iter().all(|&count| counts[count] > 5000), "{counts:?}");
    }
}
