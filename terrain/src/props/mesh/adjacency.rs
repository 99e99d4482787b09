//! Which triangles meet in which edges, and how.
//!
//! A *side* is an edge as one triangle has it: side `3 · triangle + edge` goes from corner `edge` to
//! the next.

use glam::{DVec3, Vec3};

use super::{EdgeKind, normal};

/// The square of the sine of the angle up to which faces are one plane: one degree. If smaller,
/// floors with rounded vertices become bumpy; if larger, a unit no longer feels the facets of what
/// is meant to be round, nor the start of a ramp.
const FLAT_SINE_SQUARED: f64 = 3.045_865_0e-4;

/// What a side meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Twin(u32);

impl Twin {
    /// No other side, several, or one with a winding that cannot agree.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// The single other side.
    pub(super) fn side(self) -> Option<u32> {
        (self != Self::NONE).then_some(self.0)
    }
}

/// The sides of a mesh, paired.
pub(super) struct Sides {
    /// What each side meets.
    pub(super) twins: Vec<Twin>,
    /// Edges of one triangle.
    pub(super) open_edges: u64,
    /// Edges of more than two triangles.
    pub(super) non_manifold_edges: u64,
}

/// Pairs the sides of triangles, none of which may have a corner twice.
pub(super) fn pair(triangles: &[[u32; 3]]) -> Sides {
    let mut by_ends: Vec<(u64, u32)> = (0..3 * triangles.len() as u32)
        .map(|side| {
            let [a, b] = ends(triangles, side);
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            (u64::from(low) << 32 | u64::from(high), side)
        })
        .collect();
    by_ends.sort_unstable();
    let mut sides =
        Sides { twins: vec![Twin::NONE; by_ends.len()], open_edges: 0, non_manifold_edges: 0 };
    for edge in by_ends.chunk_by(|a, b| a.0 == b.0) {
        match *edge {
            [_] => sides.open_edges += 1,
            [(_, a), (_, b)] => {
                sides.twins[a as usize] = Twin(b);
                sides.twins[b as usize] = Twin(a);
            }
            _ => sides.non_manifold_edges += 1,
        }
    }
    sides
}

/// The vertices that a side goes from and to, in the winding of the file.
pub(super) fn ends(triangles: &[[u32; 3]], side: u32) -> [u32; 2] {
    let [a, b, c] = triangles[side as usize / 3];
    [[a, b], [b, c], [c, a]][side as usize % 3]
}

/// The kinds of all edges, a byte for each triangle, two bits per edge, for triangles after those
/// in `turned` were reversed.
pub(super) fn kinds(
    triangles: &[[u32; 3]],
    vertices: &[Vec3],
    sides: &Sides,
    turned: &[bool],
) -> Vec<u8> {
    let place = |vertex: u32| vertices[vertex as usize];
    let normal_of = |triangle: usize| {
        let normal = normal(triangles[triangle].map(place));
        if turned[triangle] { -normal } else { normal }
    };
    let mut bytes = vec![0; triangles.len()];
    for side in 0..3 * triangles.len() as u32 {
        let (triangle, edge) = (side as usize / 3, side as usize % 3);
        let turned = turned[triangle];
        let kind = sides.twins[side as usize].side().map_or(EdgeKind::Open, |twin| {
            let [from, to] = ends(triangles, side).map(|end| place(end).as_dvec3());
            let along = if turned { from - to } else { to - from };
            kind(normal_of(triangle), normal_of(twin as usize / 3), along)
        });
        // Turning [a, b, c] to [a, c, b] leaves edge b, c in its place and swaps the others.
        let edge = if turned { 2 - edge } else { edge };
        bytes[triangle] |= (kind as u8) << (2 * edge);
    }
    bytes
}

/// How two faces meet. Both give the same answer, to the bit: seen from the other, the product of the
/// normals and the direction of the edge both change sign.
fn kind(normal: DVec3, other: DVec3, along: DVec3) -> EdgeKind {
    let across = normal.cross(other);
    let in_line = across.length_squared()
        <= FLAT_SINE_SQUARED * (normal.length_squared() * other.length_squared());
    let same_sense = normal.dot(other) > 0.0;
    // Folded back upon itself, the edge is a blade or a slit too thin to distinguish: treated as a
    // blade.
    match (in_line, same_sense) {
        (true, true) => EdgeKind::Flat,
        (true, false) => EdgeKind::Convex,
        (false, _) if across.dot(along) > 0.0 => EdgeKind::Convex,
        (false, _) => EdgeKind::Concave,
    }
}
