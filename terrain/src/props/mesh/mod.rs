//! A triangle mesh: as it comes, as it is prepared, and as it is read from its file.
//!
//! ```text
//! check ─▶ weld ─▶ drop ─▶ order by the tree ─▶ pair edges ─▶ turn ─▶ flag edges ─▶ number vertices
//! ```

mod adjacency;
mod decode;
mod encode;
mod error;
mod inside;
pub mod layout;
mod loaded;
mod prepare;
mod view;
mod weld;
mod winding;

use glam::Vec3;

pub use error::{MeshError, MeshFileError};
pub(crate) use inside::crossing;
pub use inside::winding_number;
pub use loaded::LoadedMesh;
pub use prepare::{PrepareReport, PreparedMesh};
pub use view::MeshView;

/// A mesh as it comes: metres, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshSource {
    /// Its vertices.
    pub vertices: Vec<Vec3>,
    /// Indices of three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// How two faces meet in an edge, seen from the side that they face. From behind, ridges are valleys
/// and valleys are ridges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeKind {
    /// In one plane, but for at most one degree: for a unit the edge is not there.
    Flat = 0,
    /// They form a valley: faces alone are met.
    Concave = 1,
    /// They form a ridge.
    Convex = 2,
    /// One face alone, or more than two, or two that cannot agree which side is outside.
    Open = 3,
}

impl EdgeKind {
    /// Of the two low bits of a byte.
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

/// The normal of a triangle in the sense of its winding, as long as twice its area.
fn normal(corners: [Vec3; 3]) -> glam::DVec3 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    (b - a).cross(c - a)
}
