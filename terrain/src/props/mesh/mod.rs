//! A triangle mesh: as given, as prepared, and as read from its file.
//!
//! ```text
//! check ─▶ weld ─▶ drop ─▶ order by the tree ─▶ pair edges ─▶ turn ─▶ flag edges ─▶ number vertices ─▶ merge
//! ```
//!
//! That is `prepare`, in this order. The bytes of a file are checked in `decode`.

mod adjacency;
mod decode;
mod encode;
mod error;
mod face;
mod inside;
pub(crate) mod layout;
mod loaded;
mod merge;
mod prepare;
mod view;
mod weld;
mod winding;

use glam::Vec3;

pub use error::{MeshError, MeshFileError};
pub(crate) use face::CORNERS_MAX as FACE_CORNERS_MAX;
pub(crate) use inside::crossing;
pub use inside::winding_number;
pub use loaded::LoadedMesh;
pub use prepare::PreparedMesh;
pub use view::MeshView;

/// A mesh as given by the caller: metres, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshSource {
    /// Its vertices.
    pub vertices: Vec<Vec3>,
    /// Indices of three vertices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// What the preparation of a mesh found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrepareReport {
    /// Vertices that were merged into another.
    pub welded: u64,
    /// Vertices left out because no triangle uses them, or only dropped ones.
    pub unused: u64,
    /// Triangles dropped because they have no area.
    pub degenerate: u64,
    /// Triangles dropped because an earlier one has the same corners, in whatever winding.
    pub duplicate: u64,
    /// Triangles whose winding was reversed.
    pub turned: u64,
    /// Edges of only one triangle.
    pub open_edges: u64,
    /// Edges of more than two triangles.
    pub non_manifold_edges: u64,
    /// Edges of two triangles that cannot agree which side is outside.
    pub disagreeing_edges: u64,
    /// Pieces connected by edges of two triangles.
    pub components: u64,
    /// Pieces without an open edge.
    pub closed_components: u64,
    /// What is left of the triangles where those in a plane are [merged](PreparedMesh::new).
    pub faces: u64,
    /// Whether the whole mesh is a closed solid: it has no open edge, and is thicker than the
    /// welding distance.
    pub closed: bool,
}

/// How two faces meet in an edge, seen from the side that they face. Seen from behind, ridges are
/// valleys and valleys are ridges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeKind {
    /// In one plane, within one degree: a unit does not feel the edge.
    Flat = 0,
    /// They form a valley: only the faces can be touched.
    Concave = 1,
    /// They form a ridge.
    Convex = 2,
    /// One face alone, or more than two, or two that cannot agree which side is outside.
    Open = 3,
}

impl EdgeKind {
    /// From the two low bits of a byte.
    #[inline]
    pub(crate) fn of_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Flat,
            1 => Self::Concave,
            2 => Self::Convex,
            _ => Self::Open,
        }
    }
}

/// The normal of a triangle in the sense of its winding; its length is twice the area.
fn normal(corners: [Vec3; 3]) -> glam::DVec3 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    (b - a).cross(c - a)
}
