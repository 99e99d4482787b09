//! The part of a face that lies in a slab of heights, seen from above: a convex polygon with up to two corners more,
//! which may be a line or a point.

use glam::{DVec2, DVec3};

use crate::math::greater;
use crate::props::FACE_CORNERS_MAX;

/// Most corners of a face that is cut at two heights.
const CORNERS_MAX: usize = FACE_CORNERS_MAX + 2;

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

/// Of a face that is a line seen from above, since two neighbouring corners are above each other: whether that
/// is nearer to the X axis than to Z. Turning a prop about an upright axis keeps what is above what.
#[inline]
pub(super) fn along_x(corners: &[DVec3]) -> Option<bool> {
    let next = |at: usize| corners.get(at + 1).unwrap_or(&corners[0]);
    let is_above = |a: &DVec3, b: &DVec3| a.x == b.x && a.z == b.z;
    let is_upright = corners.iter().enumerate().any(|(at, corner)| is_above(corner, next(at)));
    is_upright.then(|| {
        let farthest = |of: fn(&DVec3) -> f64| {
            let far = corners.iter().map(|corner| (of(corner) - of(&corners[0])).abs());
            far.fold(0.0, |a: f64, b| greater(b, a))
        };
        farthest(|corner| corner.x) >= farthest(|corner| corner.z)
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
pub(super) struct NearestPlace {
    pub(super) point: DVec2,
    /// Square metres.
    pub(super) distance_squared: f64,
    /// Whether the place lies within the outline. The point is then on its border.
    pub(super) inside: bool,
}

/// The outline of a face, and where that is nearest to the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) outline: Outline,
    pub(super) nearest: NearestPlace,
}

impl Cut {
    pub(super) const NONE: Self = Self {
        outline: Outline::NONE,
        nearest: NearestPlace {
            point: DVec2::ZERO,
            distance_squared: f64::INFINITY,
            inside: false,
        },
    };
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

    /// Becomes a line between two places.
    #[inline]
    pub(super) fn become_line(&mut self, ends: [DVec2; 2]) {
        (self.corners[0], self.corners[1], self.len) = (ends[0], ends[1], 2);
    }

    /// Becomes the part of a convex face between two heights. Returns whether it has one. Of a face that is a line
    /// [seen from above](along_x), from its ends alone.
    #[inline]
    pub(super) fn cut(
        &mut self,
        face: impl Iterator<Item = DVec3> + Clone,
        along_x: Option<bool>,
        (low, high): (f64, f64),
    ) -> bool {
        self.len = 0;
        let first = face.clone().next();
        let next = face.clone().skip(1).chain(first);
        for (from, to) in face.zip(next) {
            let (from, to) = (&from, &to);
            if low <= from.y && from.y <= high {
                self.put(DVec2::new(from.x, from.z), along_x);
            }
            let is_rising = from.y < to.y;
            let (below, above) = if is_rising { (from, to) } else { (to, from) };
            for height in if is_rising { [low, high] } else { [high, low] } {
                if let Some(corner) = crossing(below, above, height) {
                    self.put(corner, along_x);
                }
            }
        }
        self.len > 0
    }

    /// As [`cut`](Self::cut), of a triangle that has an area seen from above, from a height on.
    #[inline]
    pub(super) fn cut_above(&mut self, corners: [DVec3; 3], low: f64) -> bool {
        self.len = 0;
        let [a, b, c] = &corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if low <= from.y {
                self.push(DVec2::new(from.x, from.z));
            }
            let (below, above) = if from.y < to.y { (from, to) } else { (to, from) };
            if let Some(corner) = crossing(below, above, low) {
                self.push(corner);
            }
        }
        self.len > 0
    }

    #[inline]
    fn put(&mut self, corner: DVec2, along_x: Option<bool>) {
        match along_x {
            Some(is_along_x) => self.widen(corner, is_along_x),
            None => self.push(corner),
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
    pub(super) fn nearest(&self, to: DVec2) -> NearestPlace {
        let mut nearest =
            NearestPlace { point: to, distance_squared: f64::INFINITY, inside: false };
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
            let time = greater(time, 0.0);
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
