//! Props: triangle meshes that stand in the world.
//!
//! ```text
//! MeshSource ─ prepare ─▶ PreparedMesh ─ encode ─▶ a file, once ─▶ LoadedMesh ─▶ MeshView
//!                                                                                  │ by hash
//! Placement, surface, layers ─▶ PropRecord, in every sector that the prop reaches ─┘
//! ```

pub(crate) mod layout;
mod live;
mod mesh;
mod placement;
mod record;
mod section;
mod tree;

pub use live::{
    LIVE_DT_MAX, LIVE_HEIGHT_MAX, LIVE_PROPS_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX,
    LIVE_WAY_SPEED_MAX, LiveProp, LivePropError, LivePropRef, LiveProps, LivePropsSnapshot,
    PosedProp, PropWay,
};
pub use mesh::{
    EdgeKind, LoadedMesh, MeshError, MeshFileError, MeshSource, MeshView, PrepareReport,
    PreparedMesh, winding_number,
};
pub(crate) use mesh::{FACE_CORNERS_MAX, crossing, layout as mesh_layout};
pub(crate) use placement::{ORIGIN_STEP, origin_on_lattice};
pub use placement::{PROP_EXTENT_MAX, Placement, PlacementError, Placer, SCALE_MAX, SCALE_MIN};
pub use record::{Collision, MeshHash, PropId, PropRecord};
pub use section::{PROP_SECTORS_MAX, SectorProps};
pub(crate) use section::{read_record, write_record};
pub(crate) use tree::{BuiltTree, Tree};
