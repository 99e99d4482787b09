//! A mesh as it is read: its contents, and queries over them.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::EdgeKind;
use super::face::CORNERS_MAX as FACE_CORNERS_MAX;
use super::inside::{column, winding_number};
use super::layout::{FACE_NARROW_BYTES, FACE_WIDE_BYTES};
use crate::math::Aabb;
use crate::props::placement::Placement;
use crate::props::tree::Tree;

/// A mesh as it is read: borrowed from checked bytes.
#[derive(Clone, Copy, Debug)]
pub struct MeshView<'a> {
    pub(super) vertices: &'a [[u8; 12]],
    pub(super) corners: CornerIndices<'a>,
    pub(super) edges: &'a [u8],
    pub(super) faces: Faces<'a>,
    pub(super) tree: Tree<'a>,
    pub(super) closed: bool,
}

/// Indices of vertices, three for each triangle.
#[derive(Clone, Copy, Debug)]
pub(super) enum CornerIndices<'a> {
    Narrow(&'a [[u8; 6]]),
    Wide(&'a [[u8; 12]]),
}

/// Faces that consist of several triangles: the first triangle and the vertex indices of each, and for each
/// triangle 0 or the number of its face plus 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Faces<'a> {
    Narrow(&'a [[u8; FACE_NARROW_BYTES]], &'a [[u8; 2]]),
    Wide(&'a [[u8; FACE_WIDE_BYTES]], &'a [[u8; 4]]),
}

impl<'a> MeshView<'a> {
    /// Number of triangles.
    #[must_use]
    pub fn triangles(&self) -> u32 {
        self.edges.len() as u32
    }

    /// Whether it is a closed solid.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The least box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds
    }

    /// Its vertices, in the order in which its triangles use them.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vec3> + use<'a> {
        self.vertices.iter().map(vertex)
    }

    /// The vertex indices of a triangle's corners.
    #[must_use]
    #[inline]
    pub fn indices(&self, triangle: u32) -> [u32; 3] {
        match self.corners {
            CornerIndices::Narrow(corners) => {
                let [a, b, c, d, e, f] = corners[triangle as usize];
                [[a, b], [c, d], [e, f]].map(|index| u32::from(u16::from_le_bytes(index)))
            }
            CornerIndices::Wide(corners) => {
                let [a, b, c, d, e, f, g, h, i, j, k, l] = corners[triangle as usize];
                [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_le_bytes)
            }
        }
    }

    /// The corners of a triangle, counter-clockwise seen from outside.
    #[must_use]
    #[inline]
    pub fn triangle(&self, index: u32) -> [Vec3; 3] {
        let [a, b, c] = self.indices(index);
        [self.vertex(a), self.vertex(b), self.vertex(c)]
    }

    /// The face of which a triangle is a part; `None` if it is one by itself.
    #[must_use]
    #[inline]
    pub fn face_of(&self, triangle: u32) -> Option<u32> {
        let number = match self.faces {
            Faces::Narrow(_, of) => u32::from(u16::from_le_bytes(of[triangle as usize])),
            Faces::Wide(_, of) => u32::from_le_bytes(of[triangle as usize]),
        };
        number.checked_sub(1)
    }

    /// Number of faces that consist of several triangles.
    #[must_use]
    pub fn faces(&self) -> u32 {
        match self.faces {
            Faces::Narrow(faces, _) => faces.len() as u32,
            Faces::Wide(faces, _) => faces.len() as u32,
        }
    }

    /// The vertex indices of the corners of such a face, counter-clockwise seen from outside.
    #[inline]
    pub fn face(&self, face: u32) -> impl Iterator<Item = u32> + use<> {
        let mut last = None;
        let corners = self.face_indices(face).into_iter();
        corners.take_while(move |&corner| last.replace(corner) != Some(corner))
    }

    /// As stored: one that has fewer corners repeats its last one.
    #[inline]
    pub(super) fn face_indices(&self, face: u32) -> [u32; FACE_CORNERS_MAX] {
        match self.faces {
            Faces::Narrow(faces, _) => {
                let (corners, _) = faces[face as usize][4..].as_chunks();
                std::array::from_fn(|at| u32::from(u16::from_le_bytes(corners[at])))
            }
            Faces::Wide(faces, _) => {
                let (corners, _) = faces[face as usize][4..].as_chunks();
                std::array::from_fn(|at| u32::from_le_bytes(corners[at]))
            }
        }
    }

    /// The first triangle of such a face.
    #[inline]
    pub(crate) fn first_of(&self, face: u32) -> u32 {
        let first = match self.faces {
            Faces::Narrow(faces, _) => faces[face as usize].first_chunk(),
            Faces::Wide(faces, _) => faces[face as usize].first_chunk(),
        };
        u32::from_le_bytes(first.copied().unwrap_or_default())
    }

    /// A vertex by its index.
    #[inline]
    pub(crate) fn vertex(&self, index: u32) -> Vec3 {
        vertex(&self.vertices[index as usize])
    }

    /// The kind of the edge from corner `edge` to the next.
    #[must_use]
    #[inline]
    pub fn edge(&self, triangle: u32, edge: u32) -> EdgeKind {
        EdgeKind::of_bits(self.edge_bits(triangle) >> (2 * edge))
    }

    /// The three edge kinds of a triangle, two bits each, the first lowest.
    #[must_use]
    #[inline]
    pub fn edge_bits(&self, triangle: u32) -> u8 {
        self.edges[triangle as usize]
    }

    /// Calls `visit` with ascending ranges of triangles that include all whose boxes touch a box;
    /// others may be included too.
    #[inline]
    pub fn in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>)) {
        self.tree.in_box(region, visit);
    }

    /// As [`in_box`](Self::in_box), for a box around the mesh where it is placed, metres from its origin there.
    #[inline]
    pub(crate) fn in_placed_box(
        &self,
        placement: Placement,
        of: &Aabb,
        visit: impl FnMut(Range<u32>),
    ) {
        let slack = 2.0 * placement.rounding(of) * f64::from(placement.scale());
        let turned = (placement.placer().columns(), of, slack);
        self.tree.in_turned_box(&placement.unplaced(of), turned, visit);
    }

    /// As [`in_box`](Self::in_box), until `visit` returns true. Returns whether it did.
    pub(crate) fn any_in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>) -> bool) -> bool {
        self.tree.any_in_box(region, visit)
    }

    /// Calls `visit` with ascending ranges of triangles that include all whose boxes, grown by
    /// `half` metres on each side, touch the segment from `from` to `from + motion`; others may be
    /// included too. Components of `half` are 0 or more, and all numbers finite.
    pub fn along(&self, from: DVec3, motion: DVec3, half: DVec3, visit: impl FnMut(Range<u32>)) {
        self.tree.along(from, motion, half, visit);
    }

    /// As [`along`](Self::along), but roughly in the order in which the segment meets them. `visit`
    /// receives the greatest fraction of the motion that is still of interest and returns the new
    /// one: triangles whose boxes begin beyond it are skipped. Returns the last fraction.
    pub fn nearest(
        &self,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        until: f64,
        visit: impl FnMut(Range<u32>, f64) -> f64,
    ) -> f64 {
        self.tree.nearest(from, motion, half, until, visit)
    }

    /// Whether a point lies within the solid; always false if the mesh is not a solid. On the
    /// surface, either result is possible.
    #[must_use]
    pub fn inside(&self, point: DVec3) -> bool {
        let mut winding = 0;
        if self.closed {
            self.in_box(&column(point), |triangles| {
                let corners = triangles.map(|triangle| self.triangle(triangle));
                winding += winding_number(
                    corners.map(|corners| corners.map(|corner| corner.as_dvec3() - point)),
                );
            });
        }
        winding > 0
    }
}

#[inline]
fn vertex(bytes: &[u8; 12]) -> Vec3 {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
    Vec3::from_array([[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(f32::from_le_bytes))
}
