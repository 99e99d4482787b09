//! Bytes to a checked mesh, in the order magic, version, sizes, checksum, contents. Nothing is used
//! before it is checked; after decoding, the type is the proof. Free of unsafe, indexing and
//! unchecked arithmetic.
#![deny(clippy::indexing_slicing, clippy::as_conversions, clippy::arithmetic_side_effects)]

use std::ops::Range;

use glam::Vec3;

use super::face::{self, Plate};
use super::layout::{
    FACE_NARROW_BYTES, FACE_WIDE_BYTES, FACES_MAX, FLAG_CLOSED, FLAG_WIDE, HEADER_BYTES, MAGIC,
    NODE_BYTES, PART_ALIGN_BYTES, TAIL_BYTES, TRIANGLE_NARROW_BYTES, TRIANGLE_WIDE_BYTES,
    TRIANGLES_MAX, VERSION, VERTEX_BYTES, VERTICES_NARROW_MAX, field,
};
use super::view::{CornerIndices, Faces};
use super::{EdgeKind, MeshFileError, MeshView};
use crate::bytes::{array, checksum_but, vec3_at, widen};
use crate::math::Aabb;
use crate::props::placement::PROP_EXTENT_MAX;
use crate::props::tree::Tree;

/// The positions of all parts in bytes that were checked once.
#[derive(Clone, Debug)]
pub(super) struct MeshLayout {
    closed: bool,
    wide: bool,
    bounds: Aabb,
    triangle_count: u32,
    nodes: Range<usize>,
    vertices: Range<usize>,
    triangles: Range<usize>,
    edges: Range<usize>,
    faces: Range<usize>,
    numbers: Range<usize>,
}

impl MeshLayout {
    /// Checks the bytes of a mesh file. After that every index is in range, and every walk through
    /// the tree ends and misses nothing.
    pub(super) fn check(bytes: &[u8]) -> Result<Self, MeshFileError> {
        check_magic_and_version(bytes)?;
        let layout = Self::of_header(bytes)?;
        check_checksum(bytes)?;
        layout.check_padding(bytes)?;
        let view = layout.view(bytes).ok_or(MeshFileError::Tree)?;
        check_vertices(&view)?;
        check_triangles(&view)?;
        check_edges(&view)?;
        check_faces(&view)?;
        let around = |triangle| Aabb::around(view.triangle(triangle));
        if view.tree.check_boxes(around) { Ok(layout) } else { Err(MeshFileError::Tree) }
    }

    /// A view of the bytes that this layout was checked against; `None` if the bytes are different
    /// ones that are too short.
    #[inline]
    pub(super) fn view<'a>(&self, bytes: &'a [u8]) -> Option<MeshView<'a>> {
        let corners = bytes.get(self.triangles.clone())?;
        let nodes = bytes.get(self.nodes.clone())?.as_chunks().0;
        let (faces, numbers) = (bytes.get(self.faces.clone())?, bytes.get(self.numbers.clone())?);
        Some(MeshView {
            vertices: bytes.get(self.vertices.clone())?.as_chunks().0,
            corners: if self.wide {
                CornerIndices::Wide(corners.as_chunks().0)
            } else {
                CornerIndices::Narrow(corners.as_chunks().0)
            },
            edges: bytes.get(self.edges.clone())?,
            faces: if self.wide {
                Faces::Wide(faces.as_chunks().0, numbers.as_chunks().0)
            } else {
                Faces::Narrow(faces.as_chunks().0, numbers.as_chunks().0)
            },
            tree: Tree::new(self.bounds, nodes, self.triangle_count),
            closed: self.closed,
        })
    }

    /// Reads the header and checks the file's length against it.
    fn of_header(bytes: &[u8]) -> Result<Self, MeshFileError> {
        let have_bytes = widen(bytes.len());
        if bytes.len() < HEADER_BYTES {
            return Err(MeshFileError::Length { need_bytes: widen(HEADER_BYTES), have_bytes });
        }
        let [flags, vertex_count, triangle_count, node_count, face_count] =
            [field::FLAGS, field::VERTICES, field::TRIANGLES, field::NODES, field::FACES]
                .map(|at| u32::from_le_bytes(array(bytes, at)));
        if !(1..=TRIANGLES_MAX).contains(&triangle_count) {
            return Err(value("number of triangles", triangle_count, "1 to 2^28"));
        }
        if !(3..=triangle_count.saturating_mul(3)).contains(&vertex_count) {
            return Err(value(
                "number of vertices",
                vertex_count,
                "from three to three per triangle",
            ));
        }
        if node_count >= triangle_count {
            return Err(value("number of nodes", node_count, "fewer than triangles"));
        }
        if face_count > FACES_MAX || face_count > triangle_count {
            return Err(value(
                "number of faces",
                face_count,
                "up to 65535, no more than triangles",
            ));
        }
        let wide = vertex_count > VERTICES_NARROW_MAX;
        let width = if wide { FLAG_WIDE } else { 0 };
        if flags & !FLAG_CLOSED != width {
            return Err(value("flags", flags, "1 if closed, plus 2 if more than 65536 vertices"));
        }
        let triangle_bytes = if wide { TRIANGLE_WIDE_BYTES } else { TRIANGLE_NARROW_BYTES };
        let face_bytes = if wide { FACE_WIDE_BYTES } else { FACE_NARROW_BYTES };
        let index_bytes = if wide { 4 } else { 2 };
        let mut end = widen(HEADER_BYTES);
        let mut part = |count: u32, item_bytes: usize| {
            let begin = end.next_multiple_of(widen(PART_ALIGN_BYTES));
            // At most 2³⁰ items of at most 64 bytes.
            end = begin.saturating_add(u64::from(count).saturating_mul(widen(item_bytes)));
            (begin, end)
        };
        let parts = [
            part(node_count, NODE_BYTES),
            part(vertex_count, VERTEX_BYTES),
            part(triangle_count, triangle_bytes),
            part(triangle_count, 1),
            part(face_count, face_bytes),
            part(triangle_count, index_bytes),
        ];
        let need_bytes =
            end.saturating_add(widen(TAIL_BYTES)).next_multiple_of(widen(PART_ALIGN_BYTES));
        if need_bytes != have_bytes {
            return Err(MeshFileError::Length { need_bytes, have_bytes });
        }
        // The parts lie within the bytes, so their offsets fit.
        let [nodes, vertices, triangles, edges, faces, numbers] = parts.map(|(begin, end)| {
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            place(begin)..place(end)
        });
        let min = vec3_at(bytes, field::BOUNDS);
        let max = vec3_at(bytes, field::BOUNDS.saturating_add(12));
        let (bounds, closed) = (Aabb { min, max }, flags & FLAG_CLOSED != 0);
        Ok(Self {
            closed,
            wide,
            bounds,
            triangle_count,
            nodes,
            vertices,
            triangles,
            edges,
            faces,
            numbers,
        })
    }

    /// The bytes between and behind the parts must be zeros.
    fn check_padding(&self, bytes: &[u8]) -> Result<(), MeshFileError> {
        for zeros in [
            self.vertices.end..self.triangles.start,
            self.triangles.end..self.edges.start,
            self.edges.end..self.faces.start,
            self.faces.end..self.numbers.start,
            self.numbers.end..bytes.len(),
        ] {
            let zeros = bytes.get(zeros).unwrap_or_default();
            if let Some(&found) = zeros.iter().find(|byte| **byte != 0) {
                return Err(value("byte between parts", u32::from(found), "0"));
            }
        }
        Ok(())
    }
}

fn check_magic_and_version(bytes: &[u8]) -> Result<(), MeshFileError> {
    if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
        let found = bytes.iter().copied().take(MAGIC.len()).collect();
        return Err(MeshFileError::Magic { found });
    }
    let Some(version) = bytes.get(field::VERSION..field::FLAGS) else {
        let (need_bytes, have_bytes) = (widen(HEADER_BYTES), widen(bytes.len()));
        return Err(MeshFileError::Length { need_bytes, have_bytes });
    };
    let found = u32::from_le_bytes(array(version, 0));
    if found == VERSION {
        Ok(())
    } else {
        Err(MeshFileError::Version { found, supported: VERSION })
    }
}

fn check_checksum(bytes: &[u8]) -> Result<(), MeshFileError> {
    let found = u64::from_le_bytes(array(bytes, field::CHECKSUM));
    let computed = checksum_but(bytes, field::CHECKSUM);
    if found == computed { Ok(()) } else { Err(MeshFileError::Checksum { found, computed }) }
}

/// Vertices must be finite and not too far off, and the bounds the least box around them.
fn check_vertices(view: &MeshView<'_>) -> Result<(), MeshFileError> {
    let bounds = view.bounds();
    let mut least = Aabb::EMPTY;
    for (vertex, found) in (0..).zip(view.vertices()) {
        let far = |part: &f32| !part.is_finite() || part.abs() > PROP_EXTENT_MAX;
        if found.to_array().iter().any(far) || !bounds.touches(&Aabb::at(found)) {
            return Err(MeshFileError::Vertex { vertex, found });
        }
        least = least.union(Aabb::at(found));
    }
    let Aabb { min, max } = bounds;
    if least == bounds { Ok(()) } else { Err(MeshFileError::Bounds { min, max }) }
}

/// Triangles must name three different vertices, numbered by first use, and use all vertices.
fn check_triangles(view: &MeshView<'_>) -> Result<(), MeshFileError> {
    let mut next = 0_u32;
    for triangle in 0..view.triangles() {
        let found = view.indices(triangle);
        let error = || MeshFileError::Triangle { triangle, found };
        for corner in found {
            if corner > next {
                return Err(error());
            }
            next = if corner == next { next.saturating_add(1) } else { next };
        }
        let [a, b, c] = found;
        let is_beyond = usize::try_from(next).is_ok_and(|next| next > view.vertices.len());
        if a == b || b == c || c == a || is_beyond {
            return Err(error());
        }
    }
    let (found, count) = (next, view.vertices.len());
    if usize::try_from(found).is_ok_and(|found| found == count) {
        Ok(())
    } else {
        Err(value("number of vertices in use", found, "all of them"))
    }
}

/// Each edge must have a kind, and no edge of a closed mesh may be open.
fn check_edges(view: &MeshView<'_>) -> Result<(), MeshFileError> {
    for triangle in 0..view.triangles() {
        let found = view.edge_bits(triangle);
        let open = (0..3).any(|edge| view.edge(triangle, edge) == EdgeKind::Open);
        if found >= 64 {
            let expected = "two bits for each of three edges";
            return Err(MeshFileError::Edges { triangle, found, expected });
        }
        if open && view.is_closed() {
            let expected = "no open edge in a closed mesh";
            return Err(MeshFileError::Edges { triangle, found, expected });
        }
    }
    Ok(())
}

/// Each face must be convex and plane, and consist of its triangles.
fn check_faces(view: &MeshView<'_>) -> Result<(), MeshFileError> {
    let tolerance = face::tolerance(&view.bounds());
    let mut plates = Vec::new();
    for face in 0..view.faces() {
        let error = MeshFileError::Face { face };
        let within =
            |corner: &u32| usize::try_from(*corner).is_ok_and(|at| at < view.vertices.len());
        let indices = view.face_indices(face);
        let len = view.face(face).count();
        let last = len.checked_sub(1).and_then(|last| indices.get(last));
        let is_filled = indices.iter().skip(len).all(|corner| Some(corner) == last);
        if !is_filled || !indices.iter().all(within) {
            return Err(error);
        }
        let corners = view.face(face).map(|corner| view.vertex(corner).as_dvec3());
        plates.push(Plate::new(corners, tolerance).ok_or(error)?);
    }
    for triangle in 0..view.triangles() {
        let Some(face) = view.face_of(triangle) else { continue };
        let plate = usize::try_from(face).ok().and_then(|at| plates.get_mut(at));
        let corners = view.triangle(triangle).map(Vec3::as_dvec3);
        let is_part = plate.is_some_and(|plate| {
            (!plate.is_bare || view.first_of(face) == triangle) && plate.take(corners)
        });
        if !is_part {
            return Err(MeshFileError::Face { face });
        }
    }
    let uncovered = (0..).zip(&plates).find(|(_, plate)| !plate.is_covered());
    uncovered.map_or(Ok(()), |(face, _)| Err(MeshFileError::Face { face }))
}

fn value(field: &'static str, found: u32, expected: &'static str) -> MeshFileError {
    MeshFileError::Value { field, found: u64::from(found), expected }
}
