//! One sector repeated everywhere: level ground, or an endless hole.

use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::heightfield::CellKind;
use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, SurfaceId, SurfaceLayer,
};

use super::error::StageError;

/// Ground at one height.
pub(super) fn flat(
    grid: Grid,
    height: f64,
    surface: SurfaceId,
) -> Result<ResidentSectors, StageError> {
    let level = SectorData::from_fn(grid, |_, _| height)?;
    everywhere(&level.with_surfaces(SurfaceLayer::Uniform(surface))?)
}

/// No ground.
pub(super) fn holes(grid: Grid) -> Result<ResidentSectors, StageError> {
    let cells = grid.cells() as usize + 2;
    let level = SectorData::from_fn(grid, |_, _| 0.0)?;
    everywhere(&level.with_kinds(vec![CellKind::Hole; cells * cells])?)
}

fn everywhere(data: &SectorData) -> Result<ResidentSectors, StageError> {
    let file = encode(SectorCoord::new(0, 0), data);
    Ok(ResidentSectors::endless(Arc::new(LoadedSector::new(file.bytes)?)))
}
