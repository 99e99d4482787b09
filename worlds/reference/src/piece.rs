//! Triangles of ground and props, cut to a slab of heights and seen from above.

use glam::{DVec2, DVec3};

use crate::disc::NearestPoint;
use crate::{least, most};

/// What a triangle belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The ground: solid below without end.
    Ground,
    /// A prop: a sheet that blocks from both sides.
    Prop,
}

/// A triangle.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Metres.
    pub corners: [DVec3; 3],
    /// To its front; 0 if it has no area.
    pub normal: DVec3,
    /// What it belongs to.
    pub kind: Kind,
}

/// Most corners of a triangle that is cut twice.
const CORNERS: usize = 5;

/// A convex polygon seen from above, maybe flat or a point.
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    corners: [DVec3; CORNERS],
    count: usize,
}

impl Piece {
    /// A triangle of three corners, counter-clockwise seen from its front.
    #[must_use]
    pub fn new(corners: [DVec3; 3], kind: Kind) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        Self { corners, normal, kind }
    }

    /// Lowest and highest corner. Metres.
    #[must_use]
    pub fn heights(&self) -> (f64, f64) {
        let [a, b, c] = self.corners.map(|corner| corner.y);
        (least(a, least(b, c)), most(a, most(b, c)))
    }

    /// No point of it is nearer to a place than this, seen from above. Metres.
    #[must_use]
    pub fn at_least(&self, place: DVec2) -> f64 {
        let off = |of: fn(DVec3) -> f64, at: f64| {
            let [a, b, c] = self.corners.map(of);
            most(least(a, least(b, c)) - at, at - most(a, most(b, c)))
        };
        most(off(|corner| corner.x, place.x), off(|corner| corner.z, place.y))
    }

    /// The part between two heights.
    #[must_use]
    pub fn cut(&self, low: f64, high: f64) -> Polygon {
        let mut flat = Polygon { corners: [DVec3::ZERO; CORNERS], count: 0 };
        let (bottom, top) = self.heights();
        if !(top > low && bottom < high) {
            return flat;
        }
        for side in 0..3 {
            let (from, to) = (self.corners[side], self.corners[(side + 1) % 3]);
            let at = |height: f64| least(most((height - from.y) / (to.y - from.y), 0.0), 1.0);
            let is_up = to.y > from.y;
            let (enters, leaves) = if is_up { (low, high) } else { (high, low) };
            let is_out = |y: f64| y < low || y > high;
            if is_out(from.y) && is_out(to.y) && (from.y < low) == (to.y < low) {
                continue;
            }
            let first = if is_out(from.y) { at(enters) } else { 0.0 };
            let last = if is_out(to.y) { at(leaves) } else { 1.0 };
            flat.put(from.lerp(to, first));
            flat.put(from.lerp(to, last));
        }
        flat
    }

    /// The height of its plane at a place. Metres; not finite if it is upright.
    #[must_use]
    pub fn height_at(&self, place: DVec2) -> f64 {
        let [a, _, _] = self.corners;
        let (n, x, z) = (self.normal, place.x - a.x, place.y - a.z);
        a.y - (n.x * x + n.z * z) / n.y
    }

    /// Whether a place is in it, seen from above, its sides included.
    #[must_use]
    pub fn covers(&self, place: DVec2) -> bool {
        let turns = [0, 1, 2].map(|side| {
            let (from, to) = (flat(self.corners[side]), flat(self.corners[(side + 1) % 3]));
            (to - from).perp_dot(place - from)
        });
        turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
    }
}

impl Polygon {
    fn put(&mut self, corner: DVec3) {
        if self.count < CORNERS && !self.corners[..self.count].contains(&corner) {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Its nearest point. A place behind all its sides is inside; one of no area has no inside.
    #[must_use]
    pub fn nearest(&self, place: DVec2) -> NearestPoint {
        let corners = &self.corners[..self.count];
        let mut outside = NearestPoint { distance: f64::INFINITY, normal: DVec2::X };
        let mut inside = NearestPoint { distance: f64::NEG_INFINITY, normal: DVec2::X };
        let turn = self.area().signum();
        let mut has_inside = self.area().abs() > 1e-9;
        for (index, &from) in corners.iter().enumerate() {
            let (from, to) = (flat(from), flat(corners[(index + 1) % corners.len()]));
            let side = to - from;
            let square = side.length_squared();
            let along = if square > 0.0 { (place - from).dot(side) / square } else { 0.0 };
            let away = place - (from + side * least(most(along, 0.0), 1.0));
            let distance = away.length();
            if distance < outside.distance {
                let normal = if distance > 0.0 { away / distance } else { outside.normal };
                outside = NearestPoint { distance, normal };
            }
            if square > 1e-18 {
                let out = DVec2::new(side.y, -side.x) * (turn / square.sqrt());
                let off = out.dot(place - from);
                has_inside &= off <= 0.0;
                if off > inside.distance {
                    inside = NearestPoint { distance: off, normal: out };
                }
            }
        }
        if has_inside { inside } else { outside }
    }

    /// The side by which a straight way enters it: outwards, and how far out its line is. `None` if the way does not
    /// lead into it, or begins in it.
    #[must_use]
    pub fn entered_by(&self, from: DVec2, to: DVec2) -> Option<(DVec2, f64)> {
        let corners = &self.corners[..self.count];
        let turn = self.area().signum();
        let (mut first, mut last, mut side) = (0.0, 1.0, None);
        for (index, &corner) in corners.iter().enumerate() {
            let corner = flat(corner);
            let along = flat(corners[(index + 1) % corners.len()]) - corner;
            let out = DVec2::new(along.y, -along.x) * (turn / along.length());
            if !out.is_finite() {
                continue;
            }
            let [off, then] = [from, to].map(|at| out.dot(at - corner));
            if off > 0.0 && then > 0.0 {
                return None;
            }
            if off > 0.0 && off / (off - then) >= first {
                (first, side) = (off / (off - then), Some((out, out.dot(corner))));
            } else if then > 0.0 && off <= 0.0 {
                last = least(last, off / (off - then));
            }
        }
        side.filter(|_| first < last)
    }

    /// The highest of its points no farther than `radius` from a place. Metres.
    #[must_use]
    pub fn highest_within(&self, place: DVec2, radius: f64, piece: &Piece) -> Option<f64> {
        if self.is_empty() || self.nearest(place).distance > radius {
            return None;
        }
        let corners = &self.corners[..self.count];
        let mut highest = f64::NEG_INFINITY;
        for (index, &from) in corners.iter().enumerate() {
            let to = corners[(index + 1) % corners.len()];
            // The part of the side within the circle.
            let (way, away) = (flat(to) - flat(from), flat(from) - place);
            let (a, b) = (way.length_squared(), way.dot(away));
            let c = away.length_squared() - radius * radius;
            let under = b * b - a * c;
            let (first, last) = if a > 1e-18 && under >= 0.0 {
                (most((-b - under.sqrt()) / a, 0.0), least((-b + under.sqrt()) / a, 1.0))
            } else if c <= 0.0 {
                (0.0, 1.0)
            } else {
                continue;
            };
            if first <= last {
                highest = most(highest, most(from.lerp(to, first).y, from.lerp(to, last).y));
            }
        }
        // The point of the circle that is highest on the plane.
        let level = DVec2::new(piece.normal.x, piece.normal.z);
        if piece.normal.y.abs() > 1e-9 {
            let up = -level.normalize_or_zero() * piece.normal.y.signum();
            let at = place + up * radius;
            if self.nearest(at).distance <= 0.0 {
                highest = most(highest, piece.height_at(at));
            }
        }
        highest.is_finite().then_some(highest)
    }

    fn area(&self) -> f64 {
        let corners = &self.corners[..self.count];
        let from = |i: usize| flat(corners[i]) - flat(corners[0]);
        (1..corners.len().saturating_sub(1)).map(|i| from(i).perp_dot(from(i + 1))).sum()
    }
}

fn flat(corner: DVec3) -> DVec2 {
    DVec2::new(corner.x, corner.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall() -> Piece {
        let corners = [[0.0, 0.0, -4.0], [0.0, 0.0, 4.0], [0.0, 4.0, 0.0]].map(DVec3::from);
        Piece::new(corners, Kind::Prop)
    }

    #[test]
    fn an_upright_triangle_is_a_stretch_that_narrows() {
        let place = DVec2::new(-1.0, 4.0);
        assert_eq!(wall().cut(0.0, 9.0).nearest(place).distance, 1.0);
        let upper = wall().cut(2.0, 9.0).nearest(place);
        assert!((upper.distance - 5.0_f64.sqrt()).abs() < 1e-12, "{upper:?}");
        assert!(wall().cut(4.5, 9.0).is_empty());
    }

    #[test]
    fn a_way_enters_by_the_first_side_on_it_even_past_a_corner() {
        let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]].map(DVec3::from);
        let flat = Piece::new(corners, Kind::Ground).cut(-1.0, 1.0);
        let (from, past) = (DVec2::new(0.1, -0.1), DVec2::new(-0.1, 0.3));
        assert_eq!(flat.entered_by(from, past), Some((-DVec2::Y, 0.0)));
        assert_eq!(flat.entered_by(past, from), Some((-DVec2::X, 0.0)));
        assert_eq!(flat.entered_by(from, DVec2::new(-0.3, 0.1)), None);
        assert_eq!(flat.entered_by(DVec2::ONE, past), None);
    }

    #[test]
    fn a_slope_is_cut_at_a_line_and_is_highest_uphill() {
        let corners = [[0.0, 0.0, -9.0], [0.0, 0.0, 9.0], [8.0, 8.0, 0.0]].map(DVec3::from);
        let slope = Piece::new(corners, Kind::Ground);
        assert!(slope.normal.y > 0.7);
        let cut = slope.cut(1.0, f64::INFINITY);
        let nearest = cut.nearest(DVec2::new(0.5, 0.0));
        assert!(
            (nearest.distance - 0.5).abs() < 1e-12 && nearest.normal == -DVec2::X,
            "{nearest:?}"
        );
        let whole = slope.cut(-1.0, 20.0);
        let high = whole.highest_within(DVec2::new(3.0, 0.0), 0.5, &slope).unwrap();
        assert!((high - 3.5).abs() < 1e-12, "{high}");
        assert!(whole.highest_within(DVec2::new(-3.0, 0.0), 0.5, &slope).is_none());
        assert_eq!(slope.height_at(DVec2::new(2.0, 1.0)), 2.0);
    }
}
