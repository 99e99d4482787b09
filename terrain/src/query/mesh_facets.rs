//! The triangles and faces of one placed mesh near a region.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::each_prop::NearProp;
use super::region::Region;
use super::visit::{Facet, Parts, Polygon, Visit};
use crate::math::{Aabb, outward};
use crate::props::{FACE_CORNERS_MAX, MeshView, Placement, Placer};

/// The triangles of a placed mesh that may touch a region, if its source is of interest. Returns the part of the region's
/// motion that still is.
pub(super) fn mesh_facets(prop: &NearProp<'_>, region: &Region, visit: &mut impl Visit) -> f64 {
    let NearProp { mesh, placement, surface, ref source, .. } = *prop;
    if !visit.source(source) {
        return visit.until();
    }
    let origin = source.origin;
    let (low, high) = region.bounds();
    let near = outward(low - origin, high - origin);
    let parts = visit.parts();
    let mut placed = PlacedVertices::new(mesh, placement);
    let mut put = |range: Range<u32>, visit: &mut _| {
        for triangle in range {
            let corners = placed.triangle(triangle);
            if Aabb::around_three(corners).touches(&near) {
                let edges = mesh.edge_bits(triangle);
                let face = mesh.face_of(triangle);
                if let Some(face) = face.filter(|_| parts != Parts::Triangles) {
                    if Visit::wants_face(visit, face + 1) {
                        let (mut corners, mut count) = ([Vec3::ZERO; FACE_CORNERS_MAX], 0);
                        for (corner, vertex) in corners.iter_mut().zip(mesh.face(face)) {
                            *corner = placed.vertex(vertex);
                            count += 1;
                        }
                        let (corners, triangle) = (&corners[..count], mesh.first_of(face));
                        Visit::face(
                            visit,
                            source,
                            face + 1,
                            &Polygon { corners, triangle, surface },
                        );
                    }
                    if parts == Parts::Faces {
                        continue;
                    }
                }
                let face = face.map_or(0, |face| face + 1);
                Visit::facet(visit, source, &Facet { corners, triangle, edges, surface, face });
            }
        }
    };
    if region.motion == DVec3::ZERO {
        mesh.in_placed_box(placement, &near, |range| put(range, visit));
    } else {
        // The box at its start as the mesh sees it, and the motion rotated back. Vertices are rounded by
        // their distance from the prop's origin, which is greatest along the whole way.
        let begin = placement.unplaced(&outward(region.min - origin, region.max - origin));
        let (low, high) = (begin.min.as_dvec3(), begin.max.as_dvec3());
        let motion = placement.unplaced_vector(region.motion);
        let half = (high - low) * 0.5 + DVec3::splat(placement.rounding(&near));
        let middle = (low + high) * 0.5;
        let _ = mesh.nearest(middle, motion, half, 1.0, |range, _| {
            put(range, visit);
            visit.until()
        });
    }
    visit.until()
}

/// Vertices that are cached.
const REMEMBERED: usize = 32;

/// Places the vertices of a mesh. Consecutive triangles share most of their vertices, so the last ones placed
/// are cached.
struct PlacedVertices<'a> {
    mesh: MeshView<'a>,
    placer: Placer,
    /// By the lowest bits of their indices: the index of a vertex, and its place.
    known: [(u32, Vec3); REMEMBERED],
}

impl<'a> PlacedVertices<'a> {
    fn new(mesh: MeshView<'a>, placement: Placement) -> Self {
        // No vertex has this index: there are fewer.
        Self { mesh, placer: placement.placer(), known: [(u32::MAX, Vec3::ZERO); REMEMBERED] }
    }

    #[inline]
    fn triangle(&mut self, triangle: u32) -> [Vec3; 3] {
        let [a, b, c] = self.mesh.indices(triangle);
        [self.vertex(a), self.vertex(b), self.vertex(c)]
    }

    #[inline]
    fn vertex(&mut self, index: u32) -> Vec3 {
        let known = &mut self.known[index as usize % REMEMBERED];
        if known.0 != index {
            *known = (index, self.placer.place(self.mesh.vertex(index)));
        }
        known.1
    }
}
