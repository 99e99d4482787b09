//! Outlines in a plane, drawn out along an axis to meshes.
//!
//! ```text
//!   v                      An outline runs counter-clockwise in (u, v); w points at the reader.
//!   │  3 ──── 2            Corner i becomes vertices 2 i (at the least w) and 2 i + 1 (at the greatest).
//!   │  │      │            Two caps of n - 2 triangles and a side of two triangles for each edge.
//!   └──0 ──── 1── u
//! ```
//!
//! Caps are cut by ears: a corner whose triangle holds no other corner is cut off, until three are left
//! (G. H. Meisters, "Polygons have ears", 1975). A corner on the triangle's rim counts as held, so corners
//! along a straight edge give no triangle without an area.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::props::MeshSource;

/// Most points of an outline. Cutting takes the square of it, at worst its cube.
pub(super) const POINTS_MAX: usize = 1024;

/// Corners along a line are beside it by rounding. What is nearer to it than this part of a triangle's longest side is
/// on it: without, triangles would be left over that a mesh leaves out.
const FLAT: f64 = 1e-5;

/// The axis that an outline is drawn out along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// Upwards, from an outline of `[x, z]`.
    Y,
    /// From an outline of `[x, y]`.
    Z,
}

/// Why points are no outline of a solid. Points are numbered from 0, as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutlineFault {
    /// Two points in a row are equal; this is the later one, 0 for the first after the last.
    Same { point: usize },
    /// Two sides meet, each named by the point that it begins at.
    Meets { side: usize, other: usize },
    /// It is so thin that rounding leaves no corner to cut off.
    Thin,
}

/// Corners in a plane, as their `f32` values.
type Point = [f32; 2];

impl Along {
    /// The two coordinates of a point in the order in which u, v and w are right-handed.
    fn in_plane(self, [first, second]: Point) -> Point {
        match self {
            Self::Y => [second, first], // Z, X and then Y
            Self::Z => [first, second],
        }
    }

    fn vertex(self, [u, v]: Point, w: f32) -> Vec3 {
        match self {
            Self::Y => Vec3::new(v, w, u),
            Self::Z => Vec3::new(u, v, w),
        }
    }
}

/// A closed solid with this outline in either direction, its faces outwards.
pub(super) fn solid(
    points: &[Point],
    along: Along,
    extent: [f32; 2],
) -> Result<MeshSource, OutlineFault> {
    check_sides(points)?;
    let mut corners: Vec<Point> = points.iter().map(|point| along.in_plane(*point)).collect();
    if area(&corners) < 0.0 {
        corners.reverse();
    }
    let mut triangles = Vec::with_capacity(4 * corners.len());
    for [a, b, c] in cut(&corners).ok_or(OutlineFault::Thin)? {
        triangles.push([2 * a, 2 * c, 2 * b]);
        triangles.push([2 * a + 1, 2 * b + 1, 2 * c + 1]);
    }
    let count = corners.len() as u32;
    for from in 0..count {
        let to = (from + 1) % count;
        triangles.push([2 * from + 1, 2 * from, 2 * to]);
        triangles.push([2 * from + 1, 2 * to, 2 * to + 1]);
    }
    Ok(MeshSource { vertices: vertices(&corners, along, extent), triangles })
}

/// An open sheet along a line of points. Its front is on the left of the line, as seen from the greater end
/// of the extent.
pub(super) fn sheet(
    points: &[Point],
    along: Along,
    extent: [f32; 2],
) -> Result<MeshSource, OutlineFault> {
    let mut pairs = points.iter().zip(points.iter().skip(1));
    if let Some(same) = pairs.position(|(before, point)| before == point) {
        return Err(OutlineFault::Same { point: same + 1 });
    }
    let corners: Vec<Point> = points.iter().map(|point| along.in_plane(*point)).collect();
    let sides = 0..(corners.len() as u32).saturating_sub(1);
    let side = |from: u32| {
        let to = from + 1;
        [[2 * from, 2 * to + 1, 2 * to], [2 * from, 2 * from + 1, 2 * to + 1]]
    };
    let triangles = sides.flat_map(side).collect();
    Ok(MeshSource { vertices: vertices(&corners, along, extent), triangles })
}

fn vertices(corners: &[Point], along: Along, extent: [f32; 2]) -> Vec<Vec3> {
    let both = |corner: &Point| extent.map(|w| along.vertex(*corner, w));
    corners.iter().flat_map(both).collect()
}

/// Refuses sides without a length, and sides that meet but for neighbours at their common point.
fn check_sides(points: &[Point]) -> Result<(), OutlineFault> {
    let count = points.len();
    let next = points.iter().cycle().skip(1);
    let sides: Vec<_> = points.iter().copied().zip(next.copied()).collect();
    if let Some(at) = sides.iter().position(|(a, b)| a == b) {
        return Err(OutlineFault::Same { point: (at + 1) % count });
    }
    for (at, &(a, b)) in sides.iter().enumerate() {
        for (other, &(c, d)) in sides.iter().enumerate().skip(at + 1) {
            let meet = if other == at + 1 {
                folds(a, b, d)
            } else if (other + 1) % count == at {
                folds(c, a, b)
            } else {
                touch([a, b], [c, d])
            };
            if meet {
                return Err(OutlineFault::Meets { side: at, other });
            }
        }
    }
    Ok(())
}

/// Whether the way from `a` over `b` to `c` turns straight back.
fn folds(a: Point, b: Point, c: Point) -> bool {
    let ([ax, ay], [bx, by], [cx, cy]) = (wide(a), wide(b), wide(c));
    let forward = (bx - ax) * (cx - bx) + (by - ay) * (cy - by);
    turn(a, b, c) == 0.0 && forward < 0.0
}

/// Whether two sides have a point in common.
fn touch([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let (from_c, from_d) = (turn(a, b, c), turn(a, b, d));
    let (from_a, from_b) = (turn(c, d, a), turn(c, d, b));
    let apart = |one: f64, other: f64| one * other > 0.0;
    if apart(from_c, from_d) || apart(from_a, from_b) {
        return false;
    }
    // On one line, the spans along each axis decide.
    let spans = |axis: usize| {
        let ([a, b], [c, d]) = ([a[axis], b[axis]], [c[axis], d[axis]]);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        !(c < low && d < low || c > high && d > high)
    };
    spans(0) && spans(1)
}

/// Triangles of the area within corners that run counter-clockwise.
fn cut(corners: &[Point]) -> Option<Vec<[u32; 3]>> {
    let mut left: Vec<u32> = (0..corners.len() as u32).collect();
    let mut triangles = Vec::with_capacity(corners.len());
    while left.len() >= 3 {
        let ear_from = |flat| (0..left.len()).find(|at| is_ear(corners, &left, *at, flat));
        let ear = ear_from(FLAT).or_else(|| ear_from(0.0))?;
        triangles.push(around(&left, ear)?);
        left.remove(ear);
    }
    Some(triangles)
}

/// A corner that is left, between its neighbours.
fn around(left: &[u32], at: usize) -> Option<[u32; 3]> {
    let count = left.len();
    let before = left.get((at + count - 1) % count)?;
    Some([*before, *left.get(at)?, *left.get((at + 1) % count)?])
}

/// Whether a corner can be cut off, with what is [nearer](FLAT) than `flat` to a side on that.
fn is_ear(corners: &[Point], left: &[u32], at: usize, flat: f64) -> bool {
    let Some(ear) = around(left, at) else { return false };
    let corner = |index: u32| corners.get(index as usize).copied();
    let [Some(a), Some(b), Some(c)] = ear.map(corner) else { return false };
    let longest = greater(greater(apart(a, b), apart(b, c)), apart(c, a));
    let hair = flat * longest;
    let is_left = |a: Point, b: Point, point: Point| turn(a, b, point) >= -hair;
    let is_within = |point| is_left(a, b, point) && is_left(b, c, point) && is_left(c, a, point);
    let mut others = left.iter().filter(|index| !ear.contains(index));
    turn(a, b, c) > hair && !others.any(|index| corner(*index).is_some_and(is_within))
}

/// The distance between two points, squared.
fn apart(a: Point, b: Point) -> f64 {
    let ([ax, ay], [bx, by]) = (wide(a), wide(b));
    (bx - ax) * (bx - ax) + (by - ay) * (by - ay)
}

/// Twice the area of a triangle: above 0 if it runs counter-clockwise.
fn turn(a: Point, b: Point, c: Point) -> f64 {
    let ([ax, ay], [bx, by], [cx, cy]) = (wide(a), wide(b), wide(c));
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// Twice the area within corners: above 0 if they run counter-clockwise.
fn area(corners: &[Point]) -> f64 {
    let Some(first) = corners.first() else { return 0.0 };
    corners.iter().zip(corners.iter().skip(1)).map(|(b, c)| turn(*first, *b, *c)).sum()
}

fn wide(point: Point) -> [f64; 2] {
    point.map(f64::from)
}
