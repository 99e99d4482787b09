//! Rocks: a ball of triangles, cut by planes and roughened.

use marchland_terrain::props::MeshSource;

use super::builder::Builder;
use crate::recipe::noise::{fraction, octaves};

/// How a rock is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RockShape {
    /// Seed; each gives a different rock.
    pub seed: u64,
    /// How often the 20 triangles of an icosahedron are split in four: 2 gives 320, 3 gives 1280.
    pub splits: u32,
    /// About half of its extent along X, Y and Z, before it is cut. Metres.
    pub radii: [f64; 3],
    /// How rough it is, as a share of its radius: 0 leaves the faces that the cuts made.
    pub roughness: f64,
}

/// Number of planes that cut a rock, its foot not counted.
const CUTS: i64 = 11;
/// The foot cuts it at this fraction of its height below the middle.
const FOOT: f64 = 0.5;

/// A rock with a flat foot. Cuts leave it with faces of many triangles that lie nearly, but not
/// quite, in a plane. `20 × 4^splits` triangles, closed; no wider than twice its radii.
#[must_use]
pub fn rock(shape: RockShape) -> MeshSource {
    let mut builder = Builder::default();
    let cuts: Vec<_> = (0..CUTS).map(|cut| plane(shape.seed, cut)).collect();
    for triangle in ball(shape.splits) {
        builder.triangle(triangle.map(|direction| {
            let away = surface_distance(&shape, &cuts, direction);
            let [x, y, z] = direction.map(|part| part * away);
            // The foot is flat to the bit.
            let up = if y + FOOT > 1e-9 { y + FOOT } else { 0.0 };
            [x * shape.radii[0], up * shape.radii[1], z * shape.radii[2]]
        }));
    }
    builder.finish()
}

/// The distance of the surface from the middle in a direction, for a rock of radius 1. A plane cuts where it
/// is nearer than the ball. Every ray meets the surface once, so nothing folds.
fn surface_distance(shape: &RockShape, cuts: &[([f64; 3], f64)], direction: [f64; 3]) -> f64 {
    let [x, y, z] = direction;
    let mut away = 1.0;
    for ([nx, ny, nz], distance) in cuts {
        let towards = x * nx + y * ny + z * nz;
        if towards * away > *distance {
            away = distance / towards;
        }
    }
    // Two slanted slices of plane noise stand in for noise in space.
    let rough = octaves(shape.seed, 1.7 * x + 0.9 * y, 1.7 * z - 0.6 * y, 3, 0.5)
        + octaves(shape.seed + 7, 1.5 * y + 0.8 * z, 1.6 * x + 0.5 * z, 3, 0.5);
    away *= 1.0 + 0.5 * shape.roughness * rough;
    // The foot comes last, so that it stays flat.
    if -y * away > FOOT { FOOT / -y } else { away }
}

/// A cutting plane: its normal, and its distance from the middle.
fn plane(seed: u64, cut: i64) -> ([f64; 3], f64) {
    let chance = |k: i64| fraction(seed, cut, k);
    // Directions that spiral down the ball, each perturbed: spread all around, never in rows.
    let y = 1.0 - (2.0 * cut as f64 + chance(0)) / CUTS as f64;
    let round = (1.0 - y * y).sqrt();
    let angle = 2.399_963_229_728_653 * cut as f64 + 1.4 * chance(1);
    let normal = [round * libm::cos(angle), y, round * libm::sin(angle)];
    (normal, 0.58 + 0.34 * chance(2))
}

/// The triangles of an icosahedron, split and pushed out to a ball of radius 1, counter-clockwise seen
/// from outside.
fn ball(splits: u32) -> Vec<[[f64; 3]; 3]> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        corners.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]].map(unit));
    }
    let mut triangles = Vec::new();
    // Neighbours are the nearest corners; every three mutual neighbours form a face.
    let near = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2] > 0.4;
    for (i, &p) in corners.iter().enumerate() {
        for (j, &q) in corners.iter().enumerate().skip(i + 1) {
            for &r in &corners[j + 1..] {
                if near(p, q) && near(q, r) && near(r, p) {
                    triangles.push(if volume(p, q, r) > 0.0 { [p, q, r] } else { [p, r, q] });
                }
            }
        }
    }
    for _ in 0..splits {
        triangles = triangles.into_iter().flat_map(split).collect();
    }
    triangles
}

fn split([p, q, r]: [[f64; 3]; 3]) -> [[[f64; 3]; 3]; 4] {
    // Sums do not depend on the order of corners, so neighbours split an edge at the same place.
    let middle = |a: [f64; 3], b: [f64; 3]| unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    let (pq, qr, rp) = (middle(p, q), middle(q, r), middle(r, p));
    [[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]]
}

fn unit([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// Six times the volume between a triangle and the middle.
fn volume(p: [f64; 3], q: [f64; 3], r: [f64; 3]) -> f64 {
    p[0] * (q[1] * r[2] - q[2] * r[1])
        + p[1] * (q[2] * r[0] - q[0] * r[2])
        + p[2] * (q[0] * r[1] - q[1] * r[0])
}
