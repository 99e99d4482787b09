//! Terrain for very large worlds: heightfields, holes, surfaces and props, on disk and in memory.
//!
//! Right-handed, +Y up, metres, radians. A world is a grid of square *sectors*; a position
//! ([`WorldPos`]) is a sector plus metres from that sector's centre.
//!
//! # What a game needs
//!
//! | type | what it is for |
//! |---|---|
//! | [`World`] | opens a baked world, loads sectors, and gives a view of them |
//! | [`stream::Streamer`] | does that for worlds larger than memory: loads and evicts sectors around what moves |
//! | [`TerrainView`] | what a tick borrows: heights, normals, slopes, surfaces, rays |
//! | [`WorldPos`], [`SectorCoord`] | where things are |
//! | [`LiveProps`], [`LiveProp`] | lifts, doors and whatever else is added and moved at run time |
//! | [`query`] | queries for an upright cylinder: support, overlap, sweep |
//! | [`bake`], [`store`] | sectors from rows of heights, and worlds from sectors; the command `marchland` does both |
//!
//! # Words
//!
//! | word | what it is |
//! |---|---|
//! | sector | the square tile that is baked, stored, streamed and addressed ([`SectorCoord`]); its side is a power of two, 8 m to 16 384 m |
//! | cell, sample | a sample is a height on a grid corner; a cell is the square between four samples, cut into two triangles |
//! | quantum | the step of all heights of a world, a power of two in metres ([`Grid::quantum`]) |
//! | apron | one more sample and cell around a sector, so that smooth normals do not need its neighbours |
//! | prop | a triangle mesh that stands in the world and is baked into its sectors |
//! | live prop | a prop that is added, moved and removed at run time ([`LiveProps`]) |
//! | resident | in memory; the ground of other sectors is [`Ground::NotResident`], which is a state, not an error |
//! | view | all resident sectors and any live props, queried as one surface: [`TerrainView`], borrowed for a tick |
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use marchland_terrain::{Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Cells of 1 m, sectors of 64 m, heights in steps of 1/256 m; a slope that rises 1 m in 2.
//! let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
//! let here = SectorCoord::new(3, -1);
//! let slope = SectorData::from_fn(grid, |x, _| 0.5 * x)?;
//! let file = marchland_terrain::format::encode(here, &slope);
//! let mut sectors = ResidentSectors::new(grid);
//! sectors.insert(here, Arc::new(LoadedSector::new(file.bytes)?))?;
//!
//! // 10 m east of the centre of sector (3, -1), which lies 192 m east of that of sector (0, 0).
//! let position = WorldPos::from_metres(202.0, 0.0, -64.0, grid.sector_size())?;
//! assert_eq!(position.sector(), here);
//! assert_eq!(sectors.view().ground(position), Ground::Height(5.0));
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! From top to bottom; a module imports only from modules below it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`stream`] | loads and evicts sectors around what moves |
//! | [`store`] | worlds on disk: manifest, writer, open worlds, packs, verification |
//! | [`bake`] | rows of heights in, sectors out, then props on them; never opens a file |
//! | [`query`] | ground and props as one surface: rays, and queries for an upright cylinder |
//! | `ground_raycast` | rays over the ground, from sector to sector |
//! | `view` | [`TerrainView`]: the view that a tick borrows |
//! | `resident` | [`ResidentSectors`]: the sectors in memory |
//! | [`mod@format`] | a sector's bytes, checked once when they are loaded: [`LoadedSector`], [`SectorView`] |
//! | `sector` | [`SectorData`]: a sector while it is built |
//! | [`props`] | meshes, placements, the tree over their boxes, live props |
//! | [`heightfield`] | one sector: the height rule, pyramid, rays through cells |
//! | `grid` | [`Grid`]: the powers of two that a world shares |
//! | `lanes` | sixteen numbers at a time, for the kernels of this crate and of the controller |
//! | [`math`] | positions, angles, rotations, boxes |
//! | [`limits`] | sizes and tolerances |
//!
//! Games need neither [`kernel`], what the controller is made of, nor the hidden `layout`, the bytes of files.
//! [`error`] gathers the errors of positions, grids and sectors.

pub mod bake;
mod bytes;
pub mod format;
mod grid;
mod ground_raycast;
pub mod heightfield;
pub mod kernel;
#[doc(hidden)]
pub mod lanes;
mod large_pages;
#[doc(hidden)]
pub mod layout;
pub mod limits;
pub mod math;
mod mutex;
pub mod props;
pub mod query;
mod resident;
mod sector;
pub mod store;
pub mod stream;
mod view;

/// The errors of positions, grids and the bytes of sectors.
pub mod error {
    pub use crate::format::error::{Section, SectorError};
    pub use crate::math::error::{GridError, PositionError};
}

#[doc(inline)]
pub use format::loaded::{LoadedSector, SectorView};
pub use glam;
pub use grid::Grid;
pub use ground_raycast::{PropHit, RayError, RayHit, Raycast};
#[doc(inline)]
pub use heightfield::{CellKind, Ground, HeightfieldView, SurfaceId, SurfaceSet};
#[doc(inline)]
pub use math::{SectorCoord, SectorSize, WorldPos};
#[doc(inline)]
pub use props::{
    Collision, LiveProp, LiveProps, LoadedMesh, MeshHash, MeshView, PropId, PropRecord,
};
#[doc(hidden)]
pub use resident::SectorSlot;
pub use resident::{ResidentSectors, SectorState};
pub use sector::{SectorData, SectorDataError, SurfaceLayer};
#[doc(inline)]
pub use store::World;
pub use view::TerrainView;

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<World>();
    shared::<store::WorldFiles>();
    shared::<stream::Streamer>();
};
