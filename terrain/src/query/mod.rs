//! Queries about everything solid, with ground and props as one surface.
//!
//! ```text
//! TerrainView ─ solids(mask) ────────────────────────▶ Solids ─ support, overlap, sweep, ceiling
//!             └ gather(region, mask, &mut Gathered) ─▶   │
//!                                                        ▼
//!   region         the box that a query reaches, and the line along which it moves
//!   sectors        the sectors that it reaches
//!   visit          what triangles have in common, and the trait that receives them
//!   each_triangle  every triangle of a region: ground, baked props, live props
//!   each_prop      every prop near it, each once; mesh_facets: the triangles of one
//!   gather         the same, kept for many queries; packet, boxes: eight triangles or boxes at a time
//!   columns        which of eight come near the axis of a body
//!   cylinder       one triangle against one body: closed forms
//!   seams          what an edge between two triangles would do that the surface does not
//!   seams::filter  which edge is a seam; which way out of a triangle the whole surface gives
//!   prop_exit      the way out of a whole prop where no triangle has one of its own
//!   inside         the solid inside of closed props
//!   level          bodies that neither rise nor sink: discs among outlines
//! ```
//!
//! All geometry is computed in `f64` from the centre of the foot disc. Vertices lie on a lattice, so the
//! vector from there to a vertex is exact from any sector. Answers do not depend on where in the world a
//! scene stands, or from which side of a border it is met.
//!
//! ```
//! use std::sync::Arc;
//! use marchland_terrain::glam::Vec3;
//! use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, PreparedMesh};
//! use marchland_terrain::query::{ALL_LAYERS, Cylinder, Sweep};
//! use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Level ground, and a ramp of 2 m on it that was just built.
//! let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
//! let here = SectorCoord::new(0, 0);
//! let file = marchland_terrain::format::encode(here, &SectorData::from_fn(grid, |_, _| 0.0)?);
//! let mut sectors = ResidentSectors::new(grid);
//! sectors.insert(here, Arc::new(LoadedSector::new(file.bytes)?))?;
//! let ramp = MeshSource {
//!     vertices: vec![
//!         Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0),
//!         Vec3::new(2.0, 0.0, -1.0), Vec3::new(2.0, 0.0, 1.0),
//!         Vec3::new(2.0, 2.0, -1.0), Vec3::new(2.0, 2.0, 1.0),
//!     ],
//!     triangles: vec![
//!         [0, 1, 5], [0, 5, 4], [2, 4, 5], [2, 5, 3],
//!         [0, 2, 3], [0, 3, 1], [0, 4, 2], [1, 3, 5],
//!     ],
//! };
//! let (ramp, report) = PreparedMesh::new(&ramp)?;
//! assert!(report.closed);
//! let size = grid.sector_size();
//! let mut props = LiveProps::new(size);
//! let ramp = Arc::new(LoadedMesh::new(ramp.encode())?);
//! props.add(LiveProp::new(ramp, WorldPos::new(here, Vec3::ZERO, size)?))?;
//!
//! let solids = sectors.view().with_live(&props).solids(ALL_LAYERS);
//! let body = Cylinder { radius: 0.4, height: 1.8 };
//! // From the west a body walks until its foot disc meets the ramp; from the east into a wall.
//! let west = WorldPos::new(here, Vec3::new(-2.0, 0.0, 0.0), size)?;
//! let Sweep::Hit(hit) = solids.sweep(body, west, Vec3::X * 4.0)? else { panic!() };
//! assert!((hit.time - 0.4).abs() < 1e-6 && hit.face.y > 0.7);
//! let east = WorldPos::new(here, Vec3::new(4.0, 0.0, 0.0), size)?;
//! let Sweep::Hit(hit) = solids.sweep(body, east, Vec3::X * -4.0)? else { panic!() };
//! assert!((hit.time - 0.4).abs() < 1e-6 && hit.normal == Vec3::X);
//! # Ok(())
//! # }
//! ```

mod amount;
mod any;
mod bare;
mod boxes;
mod clearance;
mod columns;
mod contact_place;
mod contacts;
mod cylinder;
mod each_prop;
mod each_triangle;
pub(crate) mod gather;
mod ground;
mod inside;
pub(crate) mod level;
mod mesh_facets;
mod nearest;
mod overlap;
mod packet;
mod prop_exit;
mod raycast;
pub(crate) mod region;
mod seams;
mod sectors;
mod solids;
mod support;
mod sweep;
mod types;
mod visit;

pub use contacts::Contacts;
pub use cylinder::{Cylinder, Feature};
pub use gather::Gathered;
pub use region::Region;
pub use solids::{ALL_LAYERS, Seams, Solids};
pub use support::SupportBy;
pub use types::{
    BODY_MAX, Ceiling, Contact, Impact, MOTION_MAX, QueryError, RefusedWay, Support, Sweep,
    TriangleId,
};
