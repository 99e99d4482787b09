//! What is true of a body and a triangle, found by searching convex functions: slow, simple, and made
//! of nothing that the closed forms use.

use glam::DVec3;

use super::super::Corners;

/// A cylinder around the Y axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) radius: f64,
    pub(super) foot: f64,
    pub(super) top: f64,
}

const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The least value of a convex function within two bounds.
pub(super) fn least_of(low: f64, high: f64, mut value: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    let mut least = value(low);
    let end = value(high);
    if end < least {
        least = end;
    }
    let (mut a, mut b) = (high - (high - low) * GOLDEN, low + (high - low) * GOLDEN);
    let (mut at_a, mut at_b) = (value(a), value(b));
    let scale = 1e-11;
    while high - low > scale {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - (high - low) * GOLDEN;
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + (high - low) * GOLDEN;
            at_b = value(b);
        }
        if !(a > low && b < high && a < b) {
            break;
        }
    }
    for found in [at_a, at_b] {
        if found < least {
            least = found;
        }
    }
    least
}

/// How much the body must grow (its radius, and both its ends) to touch the triangle; below 0, how
/// much it may shrink. The least over the triangle of a convex function.
pub(super) fn excess(corners: &Corners, body: Body) -> f64 {
    let extent = |axis: usize| {
        let parts = corners.map(|corner| corner.to_array()[axis]);
        let low = parts.iter().copied().fold(f64::INFINITY, pick_least);
        let high = parts.iter().copied().fold(f64::NEG_INFINITY, pick_greatest);
        (low, high)
    };
    let spans = [extent(0), extent(1), extent(2)].map(|(low, high)| high - low);
    let widest = if spans[0] > spans[2] { 0 } else { 2 };
    if spans[1] >= 1e-3 * spans[widest] {
        // Level slices.
        let (low, high) = extent(1);
        let near = |y: f64| if y < body.foot - 1.0 { body.foot - 1.0 } else { y };
        let far = |y: f64| if y > body.top + 1.0 { body.top + 1.0 } else { y };
        let (from, to) = (near(low), far(high));
        if from > to {
            // Above or below by more than a metre: as good as any figure.
            return 1.0;
        }
        return least_of(from, to, |y| {
            let off = slice(corners, 1, y, distance_of_segment);
            pick_greatest(off - body.radius, pick_greatest(body.foot - y, y - body.top))
        });
    }
    // A flat one: slices across, each searched in its turn.
    let (low, high) = extent(widest);
    let bound = body.radius + 1.0;
    let (from, to) = (pick_greatest(low, -bound), pick_least(high, bound));
    if from > to {
        return 1.0;
    }
    least_of(from, to, |level| {
        slice(corners, widest, level, |a, b| {
            let (a, b) = within_bound(a, b, 2 - widest, bound);
            least_of(0.0, 1.0, |t| {
                let p = a + (b - a) * t;
                let off = (p.x * p.x + p.z * p.z).sqrt() - body.radius;
                pick_greatest(off, pick_greatest(body.foot - p.y, p.y - body.top))
            })
        })
    })
}

/// The excess of the triangle when the body has moved.
pub(super) fn excess_moved(corners: &Corners, body: Body, by: DVec3) -> f64 {
    excess(&corners.map(|corner| corner - by), body)
}

/// How far a point is from the triangle.
pub(super) fn distance_to(corners: &Corners, point: DVec3) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    least_of(0.0, 1.0, |u| {
        let from = a + (b - a) * u;
        let along = (c - a) * (1.0 - u);
        let square = along.length_squared();
        let t = if square > 0.0 { -from.dot(along) / square } else { 0.0 };
        let t = pick_greatest(0.0, pick_least(1.0, t));
        (from + along * t).length()
    })
}

/// Calls for the segment in which a plane square to an axis cuts the triangle, and gives the least.
fn slice(corners: &Corners, axis: usize, level: f64, value: impl Fn(DVec3, DVec3) -> f64) -> f64 {
    let mut points = [DVec3::ZERO; 6];
    let mut count = 0;
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (from, to) = (corners[from], corners[to]);
        let (a, b) = (from.to_array()[axis] - level, to.to_array()[axis] - level);
        if a == 0.0 {
            points[count] = from;
            count += 1;
        }
        if (a < 0.0) != (b < 0.0) && a != b {
            points[count] = from + (to - from) * (a / (a - b));
            count += 1;
        }
    }
    // All on one line: the two farthest apart are the segment.
    let mut ends = (points[0], points[0]);
    for a in &points[..count] {
        for b in &points[..count] {
            if (*a - *b).length_squared() > (ends.0 - ends.1).length_squared() {
                ends = (*a, *b);
            }
        }
    }
    if count == 0 { f64::INFINITY } else { value(ends.0, ends.1) }
}

/// The part of a segment near the body along one axis, so that a search over it is fine enough.
fn within_bound(a: DVec3, b: DVec3, axis: usize, bound: f64) -> (DVec3, DVec3) {
    let (from, to) = (a.to_array()[axis], b.to_array()[axis]);
    if from == to {
        return (a, b);
    }
    let part = |level: f64| pick_greatest(0.0, pick_least(1.0, (level - from) / (to - from)));
    let (first, last) = (part(-bound), part(bound));
    (a + (b - a) * first, a + (b - a) * last)
}

fn distance_of_segment(a: DVec3, b: DVec3) -> f64 {
    let (dx, dz) = (b.x - a.x, b.z - a.z);
    let square = dx * dx + dz * dz;
    let t = if square > 0.0 { -(a.x * dx + a.z * dz) / square } else { 0.0 };
    let t = pick_greatest(0.0, pick_least(1.0, t));
    let (x, z) = (a.x + dx * t, a.z + dz * t);
    (x * x + z * z).sqrt()
}

pub(super) fn pick_least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

pub(super) fn pick_greatest(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
