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

use std::sync::Arc;

use marchland_terrain::bake::props::PropInput;
use marchland_terrain::bake::{Placements, Spread};
use marchland_terrain::format::EncodedSector;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::MeshError;
use marchland_terrain::{Grid, LoadedMesh, PropId, PropRecord, ResidentSectors};

pub use self::land::{HIGH, LOW, SAMPLES, SPACING, height, heights};
pub use self::layout::PROPS;
pub use self::meshes::{MESHES, TownMesh};
use crate::terrain::{self, SceneError};

/// The props of the town: [`MESHES`] and [`PROPS`].
///
/// # Errors
/// If a shape cannot be prepared, which is a fault of this project.
pub fn props() -> Result<PropInput, MeshError> {
    Ok(PropInput { meshes: meshes::prepared()?, props: layout::props(), scatters: Vec::new() })
}

/// The town, ready for queries.
#[derive(Debug)]
pub struct Town {
    /// Its grid: cells of 1 m, sectors of 256 m.
    pub grid: Grid,
    /// All sectors in memory, with the props that reach into them.
    pub sectors: ResidentSectors,
    /// The files of the same sectors without props.
    pub bare: Vec<EncodedSector>,
    /// The input of the placement.
    pub props: PropInput,
    /// The result of the placement.
    pub placements: Placements,
    /// The meshes, in the order of [`MESHES`].
    pub meshes: Vec<Arc<LoadedMesh>>,
}

/// A prop with every triangle in place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedProp {
    /// Which prop.
    pub id: PropId,
    /// Which of [`MESHES`].
    pub mesh: TownMesh,
    /// Its origin. Metres from the centre of sector (0, 0).
    pub origin: DVec3,
    /// Its triangles in the order of its mesh, from its origin: exactly what queries use. Metres.
    pub triangles: Vec<[Vec3; 3]>,
}

impl Town {
    /// Builds the town. Takes about a second.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn new() -> Result<Self, SceneError> {
        let grid = terrain::grid_of(SPACING, 256)?;
        let props = props()?;
        let (bare, spread) = terrain::bake_with_props(heights(), SPACING, grid, &props)?;
        let meshes = props.meshes.iter().map(|mesh| Ok(Arc::new(LoadedMesh::new(mesh.encode())?)));
        let meshes = meshes.collect::<Result<_, MeshError>>()?;
        let Spread { sectors, placements } = spread;
        Ok(Self { grid, sectors, bare, props, placements, meshes })
    }

    /// Every prop with its triangles, in the order of owner sectors and indices: for other
    /// implementations of queries.
    #[must_use]
    pub fn placed(&self) -> Vec<PlacedProp> {
        self.placements.props().iter().map(|prop| self.placed_prop(prop)).collect()
    }

    fn placed_prop(&self, prop: &PropRecord) -> PlacedProp {
        let side = f64::from(self.grid.sector_size().metres());
        let sector = DVec3::new(f64::from(prop.sector.x), 0.0, f64::from(prop.sector.z)) * side;
        let mesh = self.meshes[prop.mesh as usize].view();
        let placer = prop.placement.placer();
        let triangle = |index| mesh.triangle(index).map(|corner| placer.place(corner));
        PlacedProp {
            id: prop.id(),
            mesh: MESHES[prop.mesh as usize],
            origin: sector + prop.position.as_dvec3(),
            triangles: (0..mesh.triangles()).map(triangle).collect(),
        }
    }
}
