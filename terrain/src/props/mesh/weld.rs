//! Merges vertices that are meant to be one; drops degenerate and duplicate triangles.
//!
//! The rule: vertices are visited in a fixed order that depends only on their positions. Each joins
//! the nearest vertex kept so far within the tolerance; one that has none is kept itself. So kept
//! vertices do not move, nothing else moves by more than the tolerance, any two kept vertices lie
//! farther apart than it, and no chain of close vertices merges distant ones.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DVec3, Vec3};

use super::{PrepareReport, normal};
use crate::math::{Aabb, greater, lesser};
use crate::props::placement::farthest;

/// Least and greatest distance within which vertices are merged. Metres. If smaller, seams stay
/// open that differ by less than the rounding of placed vertices; if greater, detail is lost.
const TOLERANCE_MIN: f64 = 1.0 / 1_048_576.0;
/// See [`TOLERANCE_MIN`].
const TOLERANCE_MAX: f64 = 1.0 / 1024.0;
/// Between the two: this fraction of the largest coordinate, 8 to 16 times the spacing of
/// neighbouring numbers there. If smaller, vertices that two programs computed differently stay
/// apart.
const TOLERANCE_RELATIVE: f64 = 1.0 / 1_048_576.0;

/// Vertices after welding.
pub(super) struct WeldedVertices {
    /// Those that were kept, with −0 replaced by +0.
    pub(super) vertices: Vec<Vec3>,
    /// For each vertex given, the index of the kept vertex; beyond them for one that no triangle
    /// uses.
    pub(super) place: Vec<u32>,
}

/// The distance within which vertices of a mesh are merged. Metres.
pub(super) fn tolerance(bounds: &Aabb) -> f64 {
    let tolerance = f64::from(farthest(bounds)) * TOLERANCE_RELATIVE;
    let tolerance = greater(tolerance, TOLERANCE_MIN);
    lesser(tolerance, TOLERANCE_MAX)
}

/// A cube with a side of four tolerances, by its place along each axis, and a vertex in it.
type CellVertex = ([u32; 3], u32);

/// Welds the used vertices, which must be finite and lie within `bounds`.
pub(super) fn weld(
    vertices: &[Vec3],
    used: &[bool],
    bounds: &Aabb,
    tolerance: f64,
    report: &mut PrepareReport,
) -> WeldedVertices {
    let clean = |vertex: u32| vertices[vertex as usize] + Vec3::ZERO;
    let cell_of = |vertex: Vec3| {
        let from_corner = (vertex.as_dvec3() - bounds.min.as_dvec3()) / (4.0 * tolerance);
        from_corner.to_array().map(|cells| cells as u32)
    };
    let used = (0..).zip(used).filter(|(_, used)| **used);
    let mut order: Vec<CellVertex> =
        used.map(|(vertex, _)| (cell_of(clean(vertex)), vertex)).collect();
    order.sort_unstable_by(|a, b| {
        let by_place = || ordered(clean(a.1), clean(b.1));
        a.0.cmp(&b.0).then_with(by_place).then(a.1.cmp(&b.1))
    });

    let place = vec![u32::MAX; vertices.len()];
    let mut welded = WeldedVertices { vertices: Vec::new(), place };
    let mut cells = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let (cell, first) = (group[0].0, welded.vertices.len());
        let near = kept_before(cell, &cells, first);
        cells.push((cell, first));
        for &(_, vertex) in group {
            let at = clean(vertex);
            let here = first..welded.vertices.len();
            let mut nearest = (tolerance * tolerance, None);
            for range in near.iter().cloned().chain([here]) {
                for kept in range {
                    let distance = (welded.vertices[kept] - at).as_dvec3().length_squared();
                    if distance < nearest.0 || distance == nearest.0 && nearest.1.is_none() {
                        nearest = (distance, Some(kept));
                    }
                }
            }
            welded.place[vertex as usize] = match nearest.1 {
                Some(kept) => {
                    report.welded += 1;
                    kept as u32
                }
                None => {
                    welded.vertices.push(at);
                    welded.vertices.len() as u32 - 1
                }
            };
        }
    }
    welded
}

fn ordered(a: Vec3, b: Vec3) -> Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

/// The ranges of the vertices kept in cells around one that come before it in order: three rows with a smaller
/// first place, and two with the same. `cells` are ascending, each with the index of the kept vertex at which it
/// begins; `kept` are kept so far.
fn kept_before(cell: [u32; 3], cells: &[([u32; 3], usize)], kept: usize) -> [Range<usize>; 5] {
    let [x, y, z] = cell.map(i64::from);
    [(x - 1, y - 1), (x - 1, y), (x - 1, y + 1), (x, y - 1), (x, y)].map(|(x, y)| {
        let place = |of: &([u32; 3], usize)| of.0.map(i64::from);
        let later = &cells[cells.partition_point(|of| place(of) < [x, y, z - 1])..];
        let after = later.iter().find(|of| place(of) > [x, y, z + 1]);
        let [begin, end] = [later.first(), after].map(|of| of.map_or(kept, |of| of.1));
        begin..end
    })
}

/// Drops triangles with two merged corners or with a height within the tolerance, and those whose
/// three corners an earlier one has, whatever their windings: one triangle can be hit from both
/// sides, so the second adds nothing, and a closed solid has no such pair.
pub(super) fn drop_useless(
    source: &[[u32; 3]],
    welded: &WeldedVertices,
    tolerance: f64,
    report: &mut PrepareReport,
) -> Vec<[u32; 3]> {
    let mut triangles: Vec<[u32; 3]> =
        source.iter().map(|corners| corners.map(|corner| welded.place[corner as usize])).collect();
    triangles.retain(|corners| {
        let [a, b, c] = *corners;
        a != b && b != c && c != a && height(corners, &welded.vertices) > tolerance
    });
    report.degenerate = (source.len() - triangles.len()) as u64;

    let mut by_corners: Vec<([u32; 3], u32)> = (0..)
        .zip(&triangles)
        .map(|(index, corners)| {
            let mut corners = *corners;
            corners.sort_unstable();
            (corners, index)
        })
        .collect();
    by_corners.sort_unstable();
    let mut repeated = vec![false; triangles.len()];
    for pair in by_corners.windows(2) {
        repeated[pair[1].1 as usize] = pair[0].0 == pair[1].0;
    }
    let mut repeats = repeated.iter();
    triangles.retain(|_| !repeats.next().is_some_and(|&repeat| repeat));
    report.duplicate = source.len() as u64 - report.degenerate - triangles.len() as u64;
    triangles
}

/// The least height of a triangle. Metres.
fn height(corners: &[u32; 3], vertices: &[Vec3]) -> f64 {
    let corners = corners.map(|corner| vertices[corner as usize]);
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    let sides = [b - a, c - b, a - c].map(DVec3::length_squared);
    let longest = sides.into_iter().fold(0.0_f64, |a, b| greater(b, a));
    normal(corners).length() / longest.sqrt()
}
