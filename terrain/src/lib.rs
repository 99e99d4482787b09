//! Sectors on disk and in memory: heights, holes and surfaces, and the questions asked of them.

pub mod bake;
pub mod error;
pub mod format;
mod grid;
pub mod heightfield;
pub mod limits;
pub mod math;
pub mod props;
pub mod query;
mod raycast;
mod resident;
mod sector;
pub mod store;
pub mod stream;
mod view;

pub use glam;
pub use grid::Grid;
pub use heightfield::{CellKind, Ground, HeightfieldView, SurfaceId, SurfaceSet};
pub use math::{SectorCoord, SectorSize, WorldPos};
pub use props::{
    Collision, LiveProp, LiveProps, LoadedMesh, MeshHash, MeshView, PropId, PropRecord,
};
pub use raycast::{PropHit, RayError, RayHit, Raycast};
pub use resident::{LoadedSector, ResidentSectors, SectorState};
pub use sector::{SectorData, SectorDataError, SectorView, SurfaceLayer};
pub use store::World;
pub use view::TerrainView;
