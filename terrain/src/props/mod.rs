//! Props: triangle meshes that stand in the world.
//!
//! ```text
//! MeshSource ─ prepare ─▶ PreparedMesh ─ encode ─▶ a file, once ─▶ LoadedMesh ─▶ MeshView
//!                                                                                  │ by hash
//! Placement, surface, layers ─▶ PropRecord, in every sector that the prop reaches ─┘
//! ```

mod mesh;
mod placement;
mod record;
mod section;
mod tree;

pub use mesh::{
    EdgeKind, LoadedMesh, MeshError, MeshFileError, MeshSource, MeshView, PrepareReport,
    PreparedMesh, layout as mesh_layout, winding_number,
};
pub use placement::{Placement, PlacementError};
pub use record::{Collision, MeshHash, PropId, PropRecord};
pub use section::SectorProps;
pub(crate) use tree::{BuiltTree, Tree};
