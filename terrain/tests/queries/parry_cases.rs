//! Cases for the comparison with parry: bodies, triangles and motions of several kinds.

use marchland_terrain::glam::Vec3;
use marchland_terrain::query::Cylinder;

use super::scene::{Random, Vectors};

/// A kind of case.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> Case,
    /// In how many of a thousand answers, the many easy ones that nothing is there among them, parry may
    /// be wrong: more, and the comparison says nothing.
    pub(crate) most: u32,
}

/// A body and a triangle, metres from the middle of a sector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) corners: [Vec3; 3],
    pub(crate) body: Cylinder,
    pub(crate) feet: Vec3,
    pub(crate) motion: Vec3,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind { name: "any", make: any, most: 15 },
    Kind { name: "level or upright", make: square, most: 15 },
    Kind { name: "touching", make: touching, most: 15 },
    Kind { name: "sliver", make: sliver, most: 15 },
    Kind { name: "speck", make: speck, most: 15 },
    Kind { name: "huge", make: huge, most: 250 },
    Kind { name: "small body", make: small_body, most: 15 },
    Kind { name: "long way", make: long_way, most: 15 },
    Kind { name: "along the face", make: along, most: 15 },
];

fn body(random: &mut Random) -> Cylinder {
    Cylinder { radius: random.within(0.05, 1.2), height: random.within(0.1, 2.5) }
}

fn any(random: &mut Random) -> Case {
    let a = random.vector(2.0);
    Case {
        corners: [a, a + random.vector(3.0), a + random.vector(3.0)],
        body: body(random),
        feet: random.vector(2.0),
        motion: random.vector(4.0),
    }
}

fn square(random: &mut Random) -> Case {
    let case = any(random);
    let (a, reach) = (case.corners[0], random.within(0.1, 3.0));
    let corners = match random.bits() % 3 {
        0 => [a, a + Vec3::X * reach, a + Vec3::Z * reach],
        1 => [a, a + Vec3::X * reach, a + Vec3::Y * reach],
        _ => [a, a + Vec3::Y * reach, a + Vec3::new(reach, reach, 0.5 * reach)],
    };
    Case { corners, ..case }
}

/// Feet, top, side or rim exactly where the triangle begins, and motions along the axes.
fn touching(random: &mut Random) -> Case {
    let eighth = |random: &mut Random, most: u64| (random.bits() % (8 * most)) as f32 / 8.0;
    let body = Cylinder { radius: 0.125 + eighth(random, 1), height: 0.25 + eighth(random, 2) };
    let reach = 0.5 + eighth(random, 2);
    let feet = Vec3::new(eighth(random, 1), eighth(random, 1), eighth(random, 1));
    let across = eighth(random, 1) - 0.5;
    let a = feet
        + match random.bits() % 5 {
            0 => Vec3::new(across, 0.0, across),
            1 => Vec3::new(across, body.height, across),
            2 => Vec3::new(body.radius, 0.5 * body.height, across),
            3 => Vec3::new(body.radius, 0.0, 0.0),
            _ => Vec3::new(0.6 * body.radius, body.height, 0.8 * body.radius),
        };
    let (x, y, z) = (Vec3::X * reach, Vec3::Y * reach, Vec3::Z * reach);
    let sides = [(x, z), (y, z), (z, y), (y, y + z), (x, x + z), (z, x + y), (-y, z)];
    let (first, second) = sides[(random.bits() % 7) as usize];
    let ways = [-y, y, x, -x, x - y, z + x, Vec3::new(0.25, 0.0, 1.0)];
    let motion = ways[(random.bits() % 7) as usize];
    Case { corners: [a, a + first, a + second], body, feet, motion }
}

fn sliver(random: &mut Random) -> Case {
    let case = any(random);
    let (a, along, part) = (case.corners[0], random.vector(3.0), random.within(0.0, 1.0));
    Case { corners: [a, a + along, a + along * part + random.vector(0.001)], ..case }
}

fn speck(random: &mut Random) -> Case {
    let case = any(random);
    let off = random.vector(0.5);
    let a = case.feet + Vec3::Y * 0.5 + off;
    let corners = [a, a + random.vector(0.005), a + random.vector(0.005)];
    // Towards it, most often.
    Case { corners, motion: off * random.within(-2.0, 6.0), ..case }
}

fn huge(random: &mut Random) -> Case {
    let case = any(random);
    let away = random.vector(2000.0);
    let (b, c) = (random.vector(2000.0), random.vector(2000.0));
    let a = if random.bits() & 1 == 0 { away } else { -(b + c) + random.vector(5.0) };
    Case { corners: [a, b, c], ..case }
}

fn small_body(random: &mut Random) -> Case {
    let case = any(random);
    let body = Cylinder { radius: 0.004, height: random.within(0.004, 0.02) };
    let [a, b, c] = case.corners;
    let on = a + (b - a) * random.within(0.0, 0.5) + (c - a) * random.within(0.0, 0.5);
    let feet = on + random.vector(0.03);
    Case { body, feet, motion: (on - feet) * random.within(0.5, 3.0), ..case }
}

fn long_way(random: &mut Random) -> Case {
    let case = any(random);
    let back = random.vector(500.0);
    Case { feet: case.feet + back, motion: -back * random.within(0.9, 1.5), ..case }
}

/// Motions in the plane of the triangle, and bodies that nearly touch it.
fn along(random: &mut Random) -> Case {
    let case = square(random);
    let [a, b, c] = case.corners;
    let (u, v) = (random.within(-1.0, 1.0), random.within(-1.0, 1.0));
    let on = a + (b - a) * u + (c - a) * v;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let level = (normal.x * normal.x + normal.z * normal.z).sqrt();
    let off = level * case.body.radius + random.within(-1.0, 1.0) * 0.02;
    let feet = on + normal * off - Vec3::Y * 0.3 * case.body.height * level;
    Case { feet, motion: (b - a) * random.within(-2.0, 2.0) + (c - a) * u, ..case }
}
