//! The town: the one scene that the queries over props are measured and tested on.
//!
//! 512 m square of gentle hills, 513 × 513 samples 1 m apart in 2 × 2 sectors of 256 m, with 2000 props
//! of 16 meshes. Blocks of 32 m with streets 8 m wide between them; what stands in a block is one of
//! five things, see [`layout`]. The same on every machine.
//!
//! Places are metres from the centre of sector (0, 0), as in [`PropInput`]: the town reaches from −128
//! to 384 m both ways, and the four sectors meet at (128, 128).

mod layout;
mod meshes;

use marchland_terrain::bake::props::PropInput;
use marchland_terrain::bake::{self, PlaceError, Placements};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{LoadedMesh, MeshError};
use marchland_terrain::{Grid, PropId, ResidentSectors};

pub use self::meshes::{MESHES, TownMesh};
use crate::terrain::{self, SceneError};
use crate::{grid, scene};

/// Samples along each side.
pub const SAMPLES: usize = 513;
/// Metres between samples.
pub const SPACING: f64 = 1.0;
/// The low corner on both axes. Metres from the centre of sector (0, 0).
pub const LOW: f64 = -128.0;
/// The high corner on both axes. Metres from the centre of sector (0, 0).
pub const HIGH: f64 = 384.0;
/// Number of props.
pub const PROPS: usize = 2000;

/// Height of the hills, from −7 to 7 m, no steeper than about 12°. Metres.
#[must_use]
pub fn height(x: f64, z: f64) -> f64 {
    0.35 * scene::rolling_height(x - LOW, z - LOW, 31)
}

/// Heights at the samples, row by row from the low corner. Metres.
#[must_use]
pub fn heights() -> grid::Grid<f64> {
    grid::Grid::from_fn(SAMPLES, SAMPLES, |column, row| {
        height(LOW + column as f64 * SPACING, LOW + row as f64 * SPACING)
    })
}

/// The grid: cells of 1 m, sectors of 256 m.
///
/// # Errors
/// None while its measures are these.
pub fn sectors() -> Result<Grid, SceneError> {
    Ok(terrain::grid_of(SPACING, 256)?)
}

/// What stands in the town: [`MESHES`] and [`PROPS`].
///
/// # Errors
/// If a shape cannot be prepared, which is a fault of this project.
pub fn props() -> Result<PropInput, MeshError> {
    Ok(PropInput { meshes: meshes::prepared()?, props: layout::props(), scatters: Vec::new() })
}

/// The hills alone, every sector in memory.
///
/// # Errors
/// If the bake refuses them, which is a fault of this project.
pub fn ground() -> Result<ResidentSectors, SceneError> {
    terrain::bake_heights(heights(), SPACING, sectors()?)
}
