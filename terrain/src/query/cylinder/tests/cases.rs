//! Bodies and triangles: ordinary ones, and every kind that is awkward.

use glam::DVec3;

use super::super::Corners;

/// SplitMix64, Steele, Lea and Flood (2014).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Below `count`.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    pub(super) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Of any size between the two, small ones as often as large ones.
    pub(super) fn size(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.within(libm::log(low), libm::log(high)))
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    pub(super) fn unit(&mut self) -> DVec3 {
        loop {
            let at = self.point(1.0);
            let length = at.length();
            if length > 0.1 && length <= 1.0 {
                return at / length;
            }
        }
    }

    pub(super) fn point(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
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

pub(super) fn case(chance: &mut Chance) -> Case {
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
pub(super) fn near_body(chance: &mut Chance, radius: f64, height: f64) -> DVec3 {
    let angle = match chance.below(3) {
        0 => 0.5 * std::f64::consts::PI * chance.below(4) as f64,
        _ => chance.within(0.0, 6.3),
    };
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let edge = chance.pick(&[0.0, 0.0, 0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5]);
    let off = match chance.below(5) {
        0 => 0.0,
        1 => radius + edge,
        2 => radius * chance.within(0.9, 1.1),
        _ => radius * chance.within(0.0, 1.2),
    };
    let y = match chance.below(6) {
        0 => edge,
        1 => height + edge,
        2 => height * chance.within(-0.1, 0.1),
        3 => height * chance.within(0.9, 1.1),
        _ => height * chance.within(-0.2, 1.2),
    };
    DVec3::new(off * cos, y, off * sin)
}

fn triangle(chance: &mut Chance, kind: u64, near: DVec3, radius: f64, height: f64) -> Corners {
    let size = radius + height;
    let around = |chance: &mut Chance, size: f64| near + chance.point(size);
    match kind {
        // Of the body's size.
        0 | 1 => [near, around(chance, size), around(chance, size)],
        2 => [around(chance, size), around(chance, size), around(chance, size)],
        // Huge, through a point near the body.
        3 => {
            let (a, b) = (chance.point(1e4), chance.point(1e4));
            let (u, v) = (chance.within(0.0, 0.5), chance.within(0.0, 0.5));
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
            let t = chance.within(-1.0, 0.0);
            let from = near + along * t;
            [from, from + along, near + chance.unit() * width]
        }
        // Slivers with a short side.
        7 => {
            let along = chance.unit() * chance.size(0.1, 1e4);
            let width = chance.size(1e-13, 1e-3);
            let from = near + along * chance.within(-1.0, 0.0);
            [from, from + along, from + chance.unit() * width]
        }
        // Upright walls, some through the axis, some leaning by next to nothing.
        8 | 9 => {
            let lean = chance.pick(&[0.0, 0.0, 1e-13, 1e-10, 1e-7, 1e-4]);
            let way = chance.unit();
            let long = chance.pick(&[1.0, 1.0, 1e3]) * size;
            [0, 1, 2].map(|_| {
                let along = DVec3::new(way.x, 0.0, way.z) * chance.within(-long, long);
                let up = DVec3::Y * chance.within(-long, long);
                near + along + up + chance.point(lean)
            })
        }
        // Walls that touch the side along a line.
        10 => {
            let angle = chance.within(0.0, 6.3);
            let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let along = DVec3::new(-out.z, 0.0, out.x);
            let off = radius + chance.pick(&[0.0, 1e-10, -1e-10, 1e-6, -1e-6, -0.01]);
            [0, 1, 2].map(|_| {
                let y = chance.within(-size, size);
                out * off + along * chance.within(-size, size) + DVec3::Y * y
            })
        }
        // On a grid that holds the body: everything coincides with everything.
        11 | 12 => [0, 1, 2].map(|_| {
            let part = |chance: &mut Chance| chance.below(9) as f64 - 4.0;
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
            let up = DVec3::Y * chance.within(-size, size);
            [near, near + up, around(chance, size)]
        }
    }
}
