//! Checks by brute force whether bodies are where they may not be: every placed triangle in a grid, plain
//! arithmetic in `f64`, no code shared with any contender.
//!
//! The checked body is the largest that all contenders have in common: the upright capsule of the given
//! radius and height. Contenders with a cylinder use one that contains it.

use marchland_terrain::glam::DVec3;
use marchland_terrain::props::MeshSource;

use crate::scene::{Ground, Prop, Scene};
use crate::setup::{HEIGHT, RADIUS, STEP};

/// Metres along a bucket.
const BUCKET: f64 = 2.0;

/// Corners of a triangle, and its owner.
struct PlacedTriangle {
    corners: [DVec3; 3],
    prop: u32,
}

/// Holds all placed triangles.
pub(crate) struct Checker {
    samples: usize,
    spacing: f64,
    half: f64,
    heights: Vec<f32>,
    triangles: Vec<PlacedTriangle>,
    /// Triangles by bucket: those whose boxes, seen from above, touch it.
    buckets: Vec<Vec<u32>>,
    buckets_along: usize,
}

/// The faults of a crowd.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Bodies more than 5 cm inside a prop.
    pub(crate) inside: usize,
    /// The deepest of all. Metres.
    pub(crate) deepest: f64,
    /// Feet more than 1 cm below the ground, or not over any ground, or NaN.
    pub(crate) below: usize,
}

impl Checker {
    /// A checker of a scene.
    pub(crate) fn new(scene: &Scene) -> Self {
        let Ground { samples, spacing, ref heights, .. } = scene.ground;
        let half = scene.ground.half();
        let buckets_along = (2.0 * half / BUCKET).ceil() as usize;
        let mut checker = Self {
            samples,
            spacing: f64::from(spacing),
            half,
            heights: heights.clone(),
            triangles: Vec::new(),
            buckets: vec![Vec::new(); buckets_along * buckets_along],
            buckets_along,
        };
        checker.add_props(&scene.meshes, &scene.props);
        checker
    }

    /// Adds props of these meshes.
    pub(crate) fn add_props(&mut self, meshes: &[MeshSource], props: &[Prop]) {
        let first = self.triangles.last().map_or(0, |last| last.prop + 1);
        for (number, prop) in (first..).zip(props) {
            let mesh = &meshes[prop.mesh];
            let vertices: Vec<DVec3> =
                mesh.vertices.iter().map(|vertex| place(prop, vertex.as_dvec3())).collect();
            for triangle in &mesh.triangles {
                let corners = triangle.map(|corner| vertices[corner as usize]);
                self.add(PlacedTriangle { corners, prop: number });
            }
        }
    }

    fn add(&mut self, placed: PlacedTriangle) {
        let [a, b, c] = placed.corners;
        let low = [least(a.x, least(b.x, c.x)), least(a.z, least(b.z, c.z))];
        let high = [most(a.x, most(b.x, c.x)), most(a.z, most(b.z, c.z))];
        let number = self.triangles.len() as u32;
        for bucket in self.buckets_between(low, high) {
            self.buckets[bucket].push(number);
        }
        self.triangles.push(placed);
    }

    /// The number of placed triangles.
    pub(crate) fn triangles(&self) -> usize {
        self.triangles.len()
    }

    fn buckets_between(
        &self,
        low: [f64; 2],
        high: [f64; 2],
    ) -> impl Iterator<Item = usize> + use<> {
        let (along, half) = (self.buckets_along, self.half);
        let bucket = move |metres: f64| {
            let bucket = ((metres + half) / BUCKET).floor();
            most(0.0, least(bucket, along as f64 - 1.0)) as usize
        };
        let (columns, rows) = (bucket(low[0])..=bucket(high[0]), bucket(low[1])..=bucket(high[1]));
        rows.flat_map(move |row| columns.clone().map(move |column| row * along + column))
    }

    /// The height of the ground at a place. Metres; `None` outside it.
    pub(crate) fn height(&self, x: f64, z: f64) -> Option<f64> {
        let (column, row) = ((x + self.half) / self.spacing, (z + self.half) / self.spacing);
        let cells = self.samples as f64 - 1.0;
        if !(column >= 0.0 && column < cells && row >= 0.0 && row < cells) {
            return None;
        }
        let (u, v) = (column.fract(), row.fract());
        let at = |right: usize, down: usize| {
            let sample = (row as usize + down) * self.samples + column as usize + right;
            f64::from(self.heights[sample])
        };
        let (a, e) = (at(0, 0), at(1, 1));
        // On the plane through three corners: a way along one side, then one along the other.
        Some(if u >= v {
            let b = at(1, 0);
            a + (b - a) * u + (e - b) * v
        } else {
            let c = at(0, 1);
            a + (c - a) * v + (e - c) * u
        })
    }

    /// Whether no ground under a body is so much higher than under its middle that it is a wall, or nearly.
    pub(crate) fn is_gentle(&self, x: f64, z: f64) -> bool {
        let walked = f64::from(STEP) - 0.03;
        self.rises(x, z, f64::from(RADIUS)).all(|(rise, _)| rise < walked)
    }

    /// How far above the ground under its middle the round end of a body must be to be free of the ground. Metres.
    pub(crate) fn lift(&self, x: f64, z: f64) -> f64 {
        let radius = f64::from(RADIUS);
        let lifts = self.rises(x, z, radius).map(|(rise, half)| rise - radius + half);
        lifts.fold(0.0, most)
    }

    /// How much higher the ground is at places of a disc than at its middle, and half the height of a ball of
    /// the same radius there. Metres.
    fn rises(&self, x: f64, z: f64, radius: f64) -> impl Iterator<Item = (f64, f64)> {
        let parts = -12..=12;
        let places = parts.clone().flat_map(move |i| parts.clone().map(move |j| [i, j]));
        places.filter_map(move |place| {
            let [east, south] = place.map(|part| radius * f64::from(part) / 12.0);
            let square = radius * radius - east * east - south * south;
            let rise = self.height(x + east, z + south)? - self.height(x, z)?;
            (square >= 0.0).then(|| (rise, square.sqrt()))
        })
    }

    /// Whether a body with its feet there is `around` metres away from all props.
    pub(crate) fn is_free(&self, feet: [f64; 3], around: f64) -> bool {
        self.depth(feet, f64::from(RADIUS) + around) <= 0.0
    }

    /// How deep a body with its feet there is inside the props. Metres; at most its radius, and 0 or
    /// less where it is free.
    pub(crate) fn penetration(&self, feet: [f64; 3]) -> f64 {
        self.depth(feet, f64::from(RADIUS))
    }

    /// The same for a body with the same axis and a different radius.
    fn depth(&self, [x, y, z]: [f64; 3], radius: f64) -> f64 {
        let low = DVec3::new(x, y + f64::from(RADIUS), z);
        let high = DVec3::new(x, y + f64::from(HEIGHT - RADIUS), z);
        let mut nearest = radius;
        for bucket in self.buckets_between([x - radius, z - radius], [x + radius, z + radius]) {
            for &number in &self.buckets[bucket] {
                let corners = &self.triangles[number as usize].corners;
                if is_near(corners, low, high, nearest) {
                    nearest = least(nearest, distance(corners, low, high));
                }
            }
        }
        if self.is_within((low + high) / 2.0) { radius } else { radius - nearest }
    }

    /// Whether a point is within a closed prop: a ray upwards crosses its surface an odd number of
    /// times.
    fn is_within(&self, point: DVec3) -> bool {
        // Avoids all edges with round coordinates.
        let point = point + DVec3::new(1.3e-7, 0.0, 0.7e-7);
        let mut above: Vec<u32> = Vec::new();
        for bucket in self.buckets_between([point.x, point.z], [point.x, point.z]) {
            for &number in &self.buckets[bucket] {
                let placed = &self.triangles[number as usize];
                if is_below(&placed.corners, point) {
                    above.push(placed.prop);
                }
            }
        }
        above.sort_unstable();
        above.chunk_by(|a, b| a == b).any(|of_one| of_one.len() % 2 == 1)
    }

    /// The faults of a crowd with these feet.
    pub(crate) fn faults(&self, feet: &[[f64; 3]]) -> Faults {
        let mut faults = Faults::default();
        for &[x, y, z] in feet {
            // NaN fails this comparison.
            let is_over = self.height(x, z).is_some_and(|height| y >= height - 0.01);
            faults.below += usize::from(!is_over);
            if x.is_finite() && y.is_finite() && z.is_finite() {
                let depth = self.penetration([x, y, z]);
                faults.inside += usize::from(depth > 0.05);
                faults.deepest = most(faults.deepest, depth);
            }
        }
        faults
    }
}

/// A vertex of a placed prop.
fn place(prop: &Prop, vertex: DVec3) -> DVec3 {
    let [x, y, z, w] = prop.turn.map(f64::from);
    let axis = DVec3::new(x, y, z);
    // Rodrigues' formula in quaternion form, for any length.
    let twice = axis.cross(vertex) * (2.0 / (axis.length_squared() + w * w));
    let [east, up, south] = prop.place.map(f64::from);
    vertex + twice * w + axis.cross(twice) + DVec3::new(east, up, south)
}

/// Whether the box of a triangle is within `margin` of the box of an upright axis.
fn is_near(corners: &[DVec3; 3], low: DVec3, high: DVec3, margin: f64) -> bool {
    let [a, b, c] = corners;
    let apart = |a: f64, b: f64, c: f64, low: f64, high: f64| {
        most(a, most(b, c)) < low - margin || least(a, least(b, c)) > high + margin
    };
    !(apart(a.x, b.x, c.x, low.x, high.x)
        || apart(a.y, b.y, c.y, low.y, high.y)
        || apart(a.z, b.z, c.z, low.z, high.z))
}

/// Whether a ray straight up from a point crosses a triangle.
fn is_below(corners: &[DVec3; 3], point: DVec3) -> bool {
    let flat = corners.map(|corner| (corner.x - point.x, corner.z - point.z));
    let turn = |from: (f64, f64), to: (f64, f64)| from.0 * to.1 - from.1 * to.0;
    let [a, b, c] = [turn(flat[1], flat[2]), turn(flat[2], flat[0]), turn(flat[0], flat[1])];
    let is_across = (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
    is_across && {
        let [p, q, r] = corners.map(|corner| corner.y);
        (p * a + q * b + r * c) / (a + b + c) > point.y
    }
}

/// The distance of a line segment from a triangle.
fn distance(corners: &[DVec3; 3], low: DVec3, high: DVec3) -> f64 {
    let [a, b, c] = *corners;
    if is_below(corners, low) && !is_below(corners, high) {
        return 0.0;
    }
    let mut nearest = least(to_point(corners, low), to_point(corners, high));
    for (from, to) in [(a, b), (b, c), (c, a)] {
        nearest = least(nearest, between(from, to, low, high));
    }
    nearest
}

/// The distance of a point from a triangle's face; from its sides where it is not over the face.
fn to_point(corners: &[DVec3; 3], point: DVec3) -> f64 {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let is_over = [(a, b), (b, c), (c, a)]
        .into_iter()
        .all(|(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    let square = normal.length_squared();
    if is_over && square > 0.0 {
        (point - a).dot(normal).abs() / square.sqrt()
    } else {
        f64::INFINITY
    }
}

/// The distance of two line segments (Ericson, "Real-Time Collision Detection", 5.1.9).
fn between(p1: DVec3, q1: DVec3, p2: DVec3, q2: DVec3) -> f64 {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let within = |part: f64| most(0.0, least(part, 1.0));
    let (c, b) = (d1.dot(r), d1.dot(d2));
    let across = a * e - b * b;
    let mut s = if across > 1e-12 * a * e { within((b * f - c * e) / across) } else { 0.0 };
    let mut t = (b * s + f) / e;
    if t < 0.0 {
        t = 0.0;
        s = if a > 0.0 { within(-c / a) } else { 0.0 };
    } else if t > 1.0 {
        t = 1.0;
        s = if a > 0.0 { within((b - c) / a) } else { 0.0 };
    }
    (p1 + d1 * s - p2 - d2 * t).length()
}

fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
