//! Meshes made by code, for the town, the demo's props, tests and benches.
//!
//! All are in metres, with the origin at the middle of the foot: y is 0 at the bottom. All but [`tangle`] are closed
//! solids, counter-clockwise seen from outside, without degenerate triangles. The same on every
//! machine.
//!
//! | file | shapes |
//! |---|---|
//! | `simple` | [`crate_box`], [`barrel`], [`pillar`], [`ramp`], [`arch`], [`well`], [`tangle`] |
//! | `stairs` | [`stairs`], [`walled_stairs`], [`bridge`] |
//! | `building` | [`house`], [`tower`] |
//! | `plants` | [`fir`], [`oak`], [`log`], [`fence`] |
//! | `rock` | [`rock`] |

mod builder;
mod building;
mod plants;
mod rock;
mod simple;
mod stairs;

use std::sync::Arc;

use marchland_terrain::bake::props::PropKind;
use marchland_terrain::props::{LoadedMesh, MeshError, MeshSource, PreparedMesh};
use marchland_terrain::{Collision, SurfaceId};

pub use building::{HouseSize, house, tower};
pub use plants::{fence, fir, log, oak};
pub use rock::{RockShape, rock};
pub use simple::{arch, barrel, crate_box, pillar, ramp, tangle, torn, well};
pub use stairs::{bridge, stairs, walled_stairs};

/// Meshes as a bake takes them.
///
/// # Errors
/// If one of them is no mesh.
pub fn prepared(
    meshes: impl IntoIterator<Item = MeshSource>,
) -> Result<Vec<PreparedMesh>, MeshError> {
    meshes.into_iter().map(|mesh| Ok(PreparedMesh::new(&mesh)?.0)).collect()
}

/// A mesh as a live prop takes it.
///
/// # Errors
/// If it is no mesh.
pub fn loaded(mesh: &MeshSource) -> Result<Arc<LoadedMesh>, MeshError> {
    Ok(Arc::new(LoadedMesh::new(PreparedMesh::new(mesh)?.0.encode())?))
}

/// Props of a closed mesh: the mesh's index, and that of the surface.
pub(crate) fn solid(mesh: usize, surface: u8) -> PropKind {
    PropKind { mesh, surface: SurfaceId(surface), collision: Collision::Solid, layers: 1 }
}
