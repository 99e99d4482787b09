//! The town: the scene in which queries over props are measured and tested.
//!
//! 512 m square of gentle hills, 513 × 513 samples 1 m apart in 2 × 2 sectors of 256 m, with 2000 props
//! of 16 meshes. Blocks of 32 m with streets 8 m wide between them; each block holds one of five kinds
//! of groups, see `layout.rs`. The same on every machine.
//!
//! Places are metres from the centre of sector (0, 0), as in [`PropInput`]: the town reaches from −128
//! to 384 m both ways, and the four sectors meet at (128, 128).

mod land;
mod layout;
mod meshes;

use marchland_terrain::bake::props::PropInput;
use marchland_terrain::bake::{Placements, Spread};
use marchland_terrain::props::MeshError;
use marchland_terrain::{Grid, ResidentSectors};

pub use self::land::{HIGH, LOW, SAMPLES, SPACING, height, heights};
pub use self::layout::PROPS;
pub use self::meshes::{MESHES, TownMesh};
use crate::shapes::prepared;
use crate::terrain::{self, SceneError};

/// The props of the town: [`MESHES`] and [`PROPS`].
///
/// # Errors
/// If a shape cannot be prepared, which is a fault of this project.
pub fn props() -> Result<PropInput, MeshError> {
    let meshes = prepared(MESHES.map(TownMesh::source))?;
    Ok(PropInput { meshes, props: layout::props(), scatters: Vec::new() })
}

/// The town, ready for queries.
#[derive(Debug)]
pub struct Town {
    /// Its grid: cells of 1 m, sectors of 256 m.
    pub grid: Grid,
    /// All sectors in memory, with the props that reach into them.
    pub sectors: ResidentSectors,
    /// The input of the placement.
    pub props: PropInput,
    /// The result of the placement.
    pub placements: Placements,
}

impl Town {
    /// Builds the town. Takes about a second.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn new() -> Result<Self, SceneError> {
        let grid = terrain::grid_of(SPACING, 256)?;
        let props = props()?;
        let (_, spread) = terrain::bake_with_props(heights(), SPACING, grid, &props)?;
        let Spread { sectors, placements } = spread;
        Ok(Self { grid, sectors, props, placements })
    }
}
