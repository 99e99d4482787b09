//! Bodies and triangles: ordinary ones, and every kind that is awkward.

use glam::DVec3;
pub(super) use marchland_random::Random;

use super::super::Corners;

/// Sizes, directions and points at random.
pub(super) trait Shapes {
    fn size(&mut self, low: f64, high: f64) -> f64;
    fn unit(&mut self) -> DVec3;
    fn point(&mut self, size: f64) -> DVec3;
}

impl Shapes for Random {
    /// Of any size between the two, small ones as often as large ones.
    fn size(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    fn unit(&mut self) -> DVec3 {
        loop {
            let at = self.point(1.0);
            let length = at.length();
            if length > 0.1 && length <= 1.0 {
                return at / length;
            }
        }
    }

    fn point(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}

/// One triangle before one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) corners: Corners,
    pub(super) normal: Option<DVec3>,
    pub(super) radius: f64,
    pub(super) height: f64,
}

/// How many kinds of triangle [`case`] makes.
const KINDS: u64 = 16;

pub(super) fn case(chance: &mut Random) -> Case {
    let (radius, height) = match chance.below(4) {
        0 => (0.5, 2.0),
        1 => (f64::from(0.3f32), f64::from(1.8f32)),
        2 => (chance.size(0.05, 5.0), chance.size(0.05, 5.0)),
        _ => (0.4, 0.4),
    };
    let near = near_body(chance, radius, height);
    let kind = chance.below(KINDS);
    let mut corners = triangle(chance, kind, near, radius, height);
    if chance.below(2) == 0 {
        corners = corners.map(|corner| corner.as_vec3().as_dvec3());
    }
    let turn = chance.below(3) as usize;
    corners.rotate_left(turn);
    if chance.below(2) == 0 {
        corners.swap(0, 1);
    }
    Case { corners, normal: normal_of(&corners), radius, height }
}

/// The unit normal, nothing for a triangle that hardly has one.
pub(super) fn normal_of(corners: &Corners) -> Option<DVec3> {
    let [a, b, c] = *corners;
    let (first, second) = (b - a, c - a);
    let cross = first.cross(second);
    let sizes = first.length() * second.length();
    let enough = sizes > 1e-100 && cross.length() > 1e-9 * sizes;
    enough.then(|| cross / cross.length())
}

/// A point in, on or a little beside the body: its inside, its axis, its side, its rim, its ends.
pub(super) fn near_body(chance: &mut Random, radius: f64, height: f64) -> DVec3 {
    let angle = match chance.below(3) {
        0 => 0.5 * std::f64::consts::PI * chance.below(4) as f64,
        _ => chance.between(0.0, 6.3),
    };
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let edge = chance.pick(&[0.0, 0.0, 0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5]);
    let off = match chance.below(5) {
        0 => 0.0,
        1 => radius + edge,
        2 => radius * chance.between(0.9, 1.1),
        _ => radius * chance.between(0.0, 1.2),
    };
    let y = match chance.below(6) {
        0 => edge,
        1 => height + edge,
        2 => height * chance.between(-0.1, 0.1),
        3 => height * chance.between(0.9, 1.1),
        _ => height * chance.between(-0.2, 1.2),
    };
    DVec3::new(off * cos, y, off * sin)
}

fn triangle(chance: &mut Random, kind: u64, near: DVec3, radius: f64, height: f64) -> Corners {
    let size = radius + height;
    let around = |chance: &mut Random, size: f64| near + chance.point(size);
    match kind {
        // Of the body's size.
        0 | 1 => [near, around(chance, size), around(chance, size)],
        2 => [around(chance, size), around(chance, size), around(chance, size)],
        // Huge, through a point near the body.
        3 => {
            let (a, b) = (chance.point(1e4), chance.point(1e4));
            let (u, v) = (chance.between(0.0, 0.5), chance.between(0.0, 0.5));
            let corner = near - a * u - b * v;
            [corner, corner + a, corner + b]
        }
        // Large and level or nearly so.
        4 => {
            let tilt = chance.pick(&[0.0, 1e-12, 1e-9, 1e-6, 1e-3]);
            let far = chance.pick(&[1.0, 10.0, 1e4]) * size;
            let mut corners = [DVec3::ZERO; 3].map(|_| chance.point(far));
            for corner in &mut corners {
                *corner = DVec3::new(corner.x, near.y + tilt * corner.y, corner.z);
            }
            corners
        }
        // Tiny.
        5 => {
            let small = chance.size(1e-9, 1e-2);
            [near, around(chance, small), around(chance, small)]
        }
        // Slivers: long, with a width of next to nothing.
        6 => {
            let along = chance.unit() * chance.size(0.1, 1e4);
            let width = chance.size(1e-13, 1e-3);
            let t = chance.between(-1.0, 0.0);
            let from = near + along * t;
            [from, from + along, near + chance.unit() * width]
        }
        // Slivers with a short side.
        7 => {
            let along = chance.unit() * chance.size(0.1, 1e4);
            let width = chance.size(1e-13, 1e-3);
            let from = near + along * chance.between(-1.0, 0.0);
            [from, from + along, from + chance.unit() * width]
        }
        // Upright walls, some through the axis, some leaning by next to nothing.
        8 | 9 => {
            let lean = chance.pick(&[0.0, 0.0, 1e-13, 1e-10, 1e-7, 1e-4]);
            let way = chance.unit();
            let long = chance.pick(&[1.0, 1.0, 1e3]) * size;
            [0, 1, 2].map(|_| {
                let along = DVec3::new(way.x, 0.0, way.z) * chance.between(-long, long);
                let up = DVec3::Y * chance.between(-long, long);
                near + along + up + chance.point(lean)
            })
        }
        // Walls that touch the side along a line.
        10 => {
            let angle = chance.between(0.0, 6.3);
            let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let along = DVec3::new(-out.z, 0.0, out.x);
            let off = radius + chance.pick(&[0.0, 1e-10, -1e-10, 1e-6, -1e-6, -0.01]);
            [0, 1, 2].map(|_| {
                let y = chance.between(-size, size);
                out * off + along * chance.between(-size, size) + DVec3::Y * y
            })
        }
        // On a grid that holds the body: everything coincides with everything.
        11 | 12 => [0, 1, 2].map(|_| {
            let part = |chance: &mut Random| chance.below(9) as f64 - 4.0;
            DVec3::new(
                part(chance) * 0.5 * radius,
                (part(chance) + 2.0) * 0.25 * height,
                part(chance) * 0.5 * radius,
            )
        }),
        // Segments.
        13 => {
            let other = around(chance, size);
            let t = chance.pick(&[0.0, 1.0, 0.5, 0.3]);
            [near, other, near + (other - near) * t]
        }
        // Points.
        14 => [near; 3],
        // Standing on edge: two corners above each other.
        _ => {
            let up = DVec3::Y * chance.between(-size, size);
            [near, near + up, around(chance, size)]
        }
    }
}
