//! Converts a mesh as given into a mesh as stored.

use glam::Vec3;

use super::adjacency::{kinds, pair};
use super::face;
use super::merge::{MergedFaces, merge};
use super::weld::{drop_useless, tolerance, weld};
use super::winding::UnwoundMesh;
use super::{MeshError, MeshSource, PrepareReport};
use crate::math::Aabb;
use crate::props::placement::PROP_EXTENT_MAX;
use crate::props::tree::ITEMS_MAX;
use crate::props::{BuiltTree, Tree};

/// A mesh ready to be written: triangles in the order of its tree, vertices in the order in which
/// the triangles use them.
///
/// ```
/// use marchland_terrain::props::{MeshSource, PreparedMesh};
/// use marchland_terrain::glam::Vec3;
///
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]];
/// let (mesh, report) = PreparedMesh::new(&MeshSource { vertices, triangles })?;
/// assert!(report.closed && mesh.triangles() == 4);
/// # Ok::<(), marchland_terrain::props::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedMesh {
    pub(super) vertices: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) edges: Vec<u8>,
    pub(super) tree: BuiltTree,
    pub(super) merged: MergedFaces,
    pub(super) closed: bool,
}

impl PreparedMesh {
    /// Prepares a mesh: the order of work is checking, welding, dropping, building the tree, turning,
    /// flagging, merging.
    ///
    /// - Vertices within 2⁻²⁰ of the largest coordinate of each other are merged; the distance is
    ///   at least 2⁻²⁰ m and at most 2⁻¹⁰ m. No vertex moves farther than that.
    /// - Triangles that then have no area, or a height no greater than that distance, are dropped,
    ///   as are those with the same corners as another one, in whatever winding.
    /// - Triangles that share an edge of exactly two are made to agree which side is outside.
    ///   Closed pieces face outwards, except cavities that the file has wound as such.
    /// - Neighbours in a plane are merged into convex faces of up to eight corners. They stay in its plane
    ///   within 2⁻²² of the largest coordinate, and within 2⁻²⁰ m.
    ///
    /// # Errors
    /// If no triangle is left, or a vertex or index is out of range.
    pub fn new(source: &MeshSource) -> Result<(Self, PrepareReport), MeshError> {
        check(source)?;
        let (used, bounds) = used(source);
        let tolerance = tolerance(&bounds);
        let mut report = PrepareReport::default();
        let welded = weld(&source.vertices, &used, &bounds, tolerance, &mut report);
        let mut triangles = drop_useless(&source.triangles, &welded, tolerance, &mut report);
        if triangles.is_empty() {
            let (triangles, degenerate) = (source.triangles.len() as u64, report.degenerate);
            return Err(MeshError::Empty { triangles, degenerate });
        }
        let mut vertices = welded.vertices;
        let tree = order_by_tree(&mut triangles, &vertices);

        let mut sides = pair(&triangles);
        report.open_edges = sides.open_edges;
        report.non_manifold_edges = sides.non_manifold_edges;
        let walked = Tree::new(tree.bounds, &tree.nodes, triangles.len() as u32);
        let unwound =
            UnwoundMesh { triangles: &triangles, vertices: &vertices, tree: walked, tolerance };
        let turned = unwound.wind(&mut sides, &mut report);
        let edges = kinds(&triangles, &vertices, &sides, &turned);
        for ([_, b, c], _) in triangles.iter_mut().zip(&turned).filter(|(_, turned)| **turned) {
            std::mem::swap(b, c);
            report.turned += 1;
        }
        number_by_first_use(&mut triangles, &mut vertices);
        let merged = merge(&triangles, &vertices, face::tolerance(&tree.bounds));
        let alone = merged.of.iter().filter(|of| **of == 0).count();
        report.unused = (source.vertices.len() - vertices.len()) as u64 - report.welded;
        report.faces = (merged.faces.len() + alone) as u64;
        Ok((Self { vertices, triangles, edges, tree, merged, closed: report.closed }, report))
    }

    /// Whether it is a closed solid: every edge lies between exactly two triangles that agree which
    /// side is outside, and it is thicker on average than the welding distance.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Number of triangles.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices.len()
    }

    /// A box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds
    }
}

/// Refuses coordinates that are not finite or too far off, and invalid vertex indices.
fn check(source: &MeshSource) -> Result<(), MeshError> {
    let (vertices, triangles) = (source.vertices.len() as u64, source.triangles.len() as u64);
    for (what, found, most) in [
        ("vertices", vertices, u64::from(u32::MAX)),
        ("triangles", triangles, u64::from(ITEMS_MAX)),
    ] {
        if found > most {
            return Err(MeshError::TooMany { what, found, most });
        }
    }
    for (vertex, &found) in (0..).zip(&source.vertices) {
        if !found.is_finite() {
            return Err(MeshError::NotFinite { vertex, found });
        }
        if found.to_array().iter().any(|part| part.abs() > PROP_EXTENT_MAX) {
            return Err(MeshError::TooFar { vertex, found });
        }
    }
    for (triangle, corners) in (0..).zip(&source.triangles) {
        if let Some(&found) = corners.iter().find(|corner| u64::from(**corner) >= vertices) {
            return Err(MeshError::Index { triangle, found, vertices });
        }
    }
    Ok(())
}

/// Which vertices triangles use, and the box around those.
fn used(source: &MeshSource) -> (Vec<bool>, Aabb) {
    let mut used = vec![false; source.vertices.len()];
    for &corner in source.triangles.iter().flatten() {
        used[corner as usize] = true;
    }
    let vertices = source.vertices.iter().zip(&used).filter(|(_, used)| **used);
    let bounds = Aabb::around(vertices.map(|(vertex, _)| *vertex));
    (used, bounds)
}

/// Builds the tree and puts the triangles in its order.
fn order_by_tree(triangles: &mut Vec<[u32; 3]>, vertices: &[Vec3]) -> BuiltTree {
    let around = |corners: &[u32; 3]| Aabb::around(corners.map(|corner| vertices[corner as usize]));
    let boxes: Vec<Aabb> = triangles.iter().map(around).collect();
    let tree = BuiltTree::of(&boxes);
    *triangles = tree.order.iter().map(|&old| triangles[old as usize]).collect();
    tree
}

/// Numbers vertices in the order in which the triangles use them, and leaves out unused ones.
fn number_by_first_use(triangles: &mut [[u32; 3]], vertices: &mut Vec<Vec3>) {
    let mut numbers = vec![u32::MAX; vertices.len()];
    let mut used = Vec::with_capacity(vertices.len());
    for corner in triangles.iter_mut().flatten() {
        let number = &mut numbers[*corner as usize];
        if *number == u32::MAX {
            *number = used.len() as u32;
            used.push(vertices[*corner as usize]);
        }
        *corner = *number;
    }
    *vertices = used;
}
