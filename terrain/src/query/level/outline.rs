//! The part of a triangle that lies in a slab of heights, seen from above: a convex polygon of up to five
//! corners, which may be a line or a point.

use glam::{DVec2, DVec3};

/// Most corners of a triangle that is cut at two heights.
const CORNERS_MAX: usize = 5;

/// How far a place must lie on one side of an edge to count as beside it. Square metres, twice the area of the
/// triangle between them: rounding makes a line seen from above no area.
const BESIDE: f64 = 1e-12;

/// Where an edge crosses a height, computed from its lower end on: the triangles on both sides of the edge get the
/// same bits.
#[inline]
fn crossing(below: &DVec3, above: &DVec3, height: f64) -> Option<DVec2> {
    (below.y < height && height < above.y).then(|| {
        let part = (height - below.y) / (above.y - below.y);
        let x = below.x + (above.x - below.x) * part;
        let z = below.z + (above.z - below.z) * part;
        DVec2::new(x, z)
    })
}

/// More than distances of a few kilometres are rounded by. Metres.
const ROUNDING: f64 = 1e-9;

/// A convex polygon, metres along X and Z from the axis of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    corners: [DVec2; CORNERS_MAX],
    len: usize,
}

/// Where an outline is nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub(super) point: DVec2,
    /// Square metres.
    pub(super) distance_squared: f64,
    /// Whether the place lies within the outline. The point is then on its border.
    pub(super) inside: bool,
}

/// When a disc comes to an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meeting {
    /// The part of the motion before it.
    pub(super) time: f64,
    /// From the outline to the centre of the disc. A unit vector.
    pub(super) normal: DVec2,
}

impl Outline {
    pub(super) const NONE: Self = Self { corners: [DVec2::ZERO; CORNERS_MAX], len: 0 };

    /// The part of a triangle between two heights. `None` where it has none.
    #[inline]
    pub(super) fn of(triangle: &[DVec3; 3], low: f64, high: f64) -> Option<Self> {
        let mut outline = Self::NONE;
        for (at, from) in triangle.iter().enumerate() {
            let to = &triangle[if at == 2 { 0 } else { at + 1 }];
            if low <= from.y && from.y <= high {
                outline.push(DVec2::new(from.x, from.z));
            }
            if from.y < to.y {
                outline.cross(from, to, low);
                outline.cross(from, to, high);
            } else {
                outline.cross(to, from, high);
                outline.cross(to, from, low);
            }
        }
        (outline.len > 0).then_some(outline)
    }

    /// As [`of`](Self::of), for a triangle that is a line seen from above.
    #[inline]
    pub(super) fn of_upright(triangle: &[DVec3; 3], low: f64, high: f64) -> Option<Self> {
        let [a, b, c] = triangle;
        let other = if a.x == b.x && a.z == b.z { c } else { b };
        let is_along_x = (other.x - a.x).abs() >= (other.z - a.z).abs();
        let mut outline = Self::NONE;
        for (at, from) in triangle.iter().enumerate() {
            let to = &triangle[if at == 2 { 0 } else { at + 1 }];
            if low <= from.y && from.y <= high {
                outline.widen(DVec2::new(from.x, from.z), is_along_x);
            }
            let (below, above) = if from.y < to.y { (from, to) } else { (to, from) };
            for height in [low, high] {
                if let Some(corner) = crossing(below, above, height) {
                    outline.widen(corner, is_along_x);
                }
            }
        }
        (outline.len > 0).then_some(outline)
    }

    /// Adds the place where an edge crosses a height.
    #[inline]
    fn cross(&mut self, below: &DVec3, above: &DVec3, height: f64) {
        if let Some(corner) = crossing(below, above, height) {
            self.push(corner);
        }
    }

    /// Lets a line reach a place on it as well.
    #[inline]
    fn widen(&mut self, to: DVec2, is_along_x: bool) {
        let along = |at: DVec2| if is_along_x { at.x } else { at.y };
        let [first, last] = [self.corners[0], self.corners[1]];
        match self.len {
            0 => self.push(to),
            1 if along(to) < along(first) => {
                (self.corners[0], self.corners[1], self.len) = (to, first, 2);
            }
            1 if along(to) > along(first) => self.push(to),
            2 if along(to) < along(first) => self.corners[0] = to,
            2 if along(to) > along(last) => self.corners[1] = to,
            _ => {}
        }
    }

    #[inline]
    fn push(&mut self, corner: DVec2) {
        if self.len < CORNERS_MAX {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }

    /// Its edges, each from its lesser end to its greater one, so that it does not matter whose edge it is;
    /// and whether they were turned for that. A point has one edge without length, and a line one.
    #[inline]
    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2, bool)> + '_ {
        let corners = &self.corners[..self.len];
        let edges = if corners.len() == 2 { 1 } else { corners.len() };
        corners.iter().take(edges).enumerate().map(|(at, &to)| {
            let from = corners[if at == 0 { corners.len() - 1 } else { at - 1 }];
            let turns = to.x < from.x || (to.x == from.x && to.y < from.y);
            if turns { (to, from, true) } else { (from, to, false) }
        })
    }

    /// The place on it that is nearest to another.
    #[inline]
    pub(super) fn nearest(&self, to: DVec2) -> Nearest {
        let mut nearest = Nearest { point: to, distance_squared: f64::INFINITY, inside: false };
        let (mut is_left, mut is_right) = (false, false);
        for (begin, end, turned) in self.edges() {
            let (along, back) = (end - begin, to - begin);
            let side = along.perp_dot(back);
            let side = if turned { -side } else { side };
            is_left |= side > BESIDE;
            is_right |= side < -BESIDE;
            let (part, whole) = (along.dot(back), along.length_squared());
            let point = if part <= 0.0 {
                begin
            } else if part >= whole {
                end
            } else {
                begin + along * (part / whole)
            };
            let distance_squared = (to - point).length_squared();
            if distance_squared < nearest.distance_squared {
                (nearest.point, nearest.distance_squared) = (point, distance_squared);
            }
        }
        nearest.inside = self.len > 2 && is_left != is_right;
        nearest
    }

    /// Whether it lies between the origin and a place.
    pub(super) fn hides(&self, place: DVec2) -> bool {
        self.edges().any(|(begin, end, _)| {
            let along = end - begin;
            place.perp_dot(begin) * place.perp_dot(end) < 0.0
                && along.perp_dot(-begin) * along.perp_dot(place - begin) < 0.0
        })
    }

    /// When a disc of a radius, whose centre moves from the origin along `motion`, comes nearer than that.
    /// `None` if it does not before `until`. The disc begins no nearer.
    #[inline]
    pub(super) fn meeting(&self, radius: f64, motion: DVec2, until: f64) -> Option<Meeting> {
        let mut first: Option<Meeting> = None;
        let mut take = |time: f64, normal: DVec2| {
            let time = if time > 0.0 { time } else { 0.0 };
            if time <= until && first.is_none_or(|first| time < first.time) {
                first = Some(Meeting { time, normal });
            }
        };
        let squared = motion.length_squared();
        for (begin, end, _) in self.edges() {
            let along = end - begin;
            let whole = along.length_squared();
            if whole > 0.0 {
                let across = along.perp() / whole.sqrt();
                let apart = -across.dot(begin);
                let (across, apart) = if apart < 0.0 { (-across, -apart) } else { (across, apart) };
                let speed = across.dot(motion);
                // A line that is nearer has its edge elsewhere: a corner is met first.
                if speed < 0.0 && apart > radius - ROUNDING {
                    let time = (radius - apart) / speed;
                    let part = along.dot(motion * time - begin);
                    if 0.0 <= part && part <= whole {
                        take(time, across);
                    }
                }
            }
        }
        for corner in &self.corners[..self.len] {
            let ahead = corner.dot(motion);
            if ahead > 0.0 {
                let beside = corner.perp_dot(motion);
                let root = radius * radius * squared - beside * beside;
                if root > 0.0 {
                    let time = (ahead - root.sqrt()) / squared;
                    let way = motion * time - *corner;
                    take(time, way / way.length());
                }
            }
        }
        first
    }
}
