//! Land for worlds of many gigabytes: each sector is made independently, in a few milliseconds, so that
//! only the disk limits the size. Hills with mountains behind them, three surfaces, and a camp of some
//! 40 props on one sector in 32. The same on every machine.
//!
//! ```text
//! wide noise, at each sample ──┐
//!                              ├─▶ height ─▶ surface ─▶ SectorData ─▶ encode ─▶ camp
//! a tile of hills, repeated ───┘
//! ```
//!
//! The tile's side is not a multiple of a sector's, and the wide noise never repeats: no two sectors
//! are the same.

mod camp;

use std::sync::Arc;

use marchland_terrain::bake::place;
use marchland_terrain::bake::props::PropInput;
use marchland_terrain::format::{EncodedSector, MeshUse, encode};
use marchland_terrain::props::PreparedMesh;
use marchland_terrain::{Grid, LoadedSector, SectorCoord, SectorData, SurfaceLayer};

use crate::recipe::noise::{hash, octaves};
use crate::terrain::{SceneError, grid_of};
use crate::{grid, scene};

/// Names of the surfaces.
pub const SURFACE_NAMES: [&str; 4] = ["sand", "grass", "rock", "masonry"];
/// Side of a cell. Metres.
pub const CELL: f64 = 1.0;
/// Cells along a sector.
pub const CELLS: u32 = 256;

/// Cells along the tile of hills: a prime, so that it drifts against the sectors.
const TILE_CELLS: usize = 769;
/// One sector in this many has a camp.
const CAMP_EVERY: u64 = 32;
/// Heights above and below which the ground is rock and sand. Metres.
const ROCK_ABOVE: f64 = 32.0;
const SAND_BELOW: f64 = -24.0;
const SEED: u64 = 71;

/// Makes sectors.
#[derive(Debug)]
pub struct Vast {
    grid: Grid,
    tile: grid::Grid<f64>,
    meshes: Vec<PreparedMesh>,
}

impl Vast {
    /// Prepares what all sectors share.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn new() -> Result<Self, SceneError> {
        let tile = scene::repeating(TILE_CELLS, 7, 24.0, SEED);
        Ok(Self { grid: grid_of(CELL, CELLS)?, tile, meshes: camp::meshes()? })
    }

    /// Cells of [`CELL`] metres, [`CELLS`] along a sector.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The meshes of camps.
    #[must_use]
    pub fn meshes(&self) -> &[PreparedMesh] {
        &self.meshes
    }

    /// A sector's file; `meshes` are the world's handles of [`meshes`](Self::meshes), in their
    /// order.
    ///
    /// # Errors
    /// Only faults of this project, or of `meshes`.
    pub fn sector(
        &self,
        coord: SectorCoord,
        meshes: &[MeshUse],
    ) -> Result<EncodedSector, SceneError> {
        let bare = encode(coord, &self.ground(coord)?);
        if !hash(SEED, i64::from(coord.x), i64::from(coord.z)).is_multiple_of(CAMP_EVERY) {
            return Ok(bare);
        }
        let props = PropInput {
            meshes: self.meshes.clone(),
            props: camp::props(coord, f64::from(self.grid.sector_size().metres()), SEED),
            scatters: Vec::new(),
        };
        let loaded = Arc::new(LoadedSector::new(bare.bytes.clone())?);
        let placements = place(self.grid, &[coord], &props, &|_| Ok(loaded.clone()))?;
        Ok(placements.furnish(coord, &bare.bytes, meshes)?)
    }

    fn ground(&self, coord: SectorCoord) -> Result<SectorData, SceneError> {
        let cells = i64::from(CELLS);
        let (column, row) = (i64::from(coord.x) * cells, i64::from(coord.z) * cells);
        let half = f64::from(CELLS) * CELL / 2.0;
        // Samples lie on whole metres: both sides of a border compute the same one.
        let data = SectorData::from_fn(self.grid, |x, z| {
            self.height(column + (x + half) as i64, row + (z + half) as i64)
        })?;
        let quantum = f64::from(self.grid.quantum());
        let width = CELLS as usize + 3;
        let ids = data.quanta()[width..].chunks_exact(width).take(CELLS as usize).flat_map(|row| {
            row[1..=CELLS as usize].iter().map(|&quanta| surface(f64::from(quanta) * quantum))
        });
        let ids = SurfaceLayer::PerCell(ids.collect());
        Ok(data.with_surfaces(ids)?)
    }

    /// Metres at a sample; columns and rows count from the low corner of sector (0, 0).
    fn height(&self, column: i64, row: i64) -> f64 {
        let (x, z) = (column as f64 * CELL, row as f64 * CELL);
        let along = |i: i64| i.rem_euclid(TILE_CELLS as i64) as usize;
        70.0 * octaves(SEED, x / 2600.0, z / 2600.0, 2, 0.4)
            + self.tile.at(along(column), along(row))
    }
}

/// The index in [`SURFACE_NAMES`] of ground at a height.
fn surface(height: f64) -> u8 {
    match height {
        ..SAND_BELOW => 0,
        ROCK_ABOVE.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::LoadedMesh;

    use super::*;

    #[test]
    fn neighbours_agree_on_their_border_and_differ_inside() {
        let vast = Vast::new().unwrap();
        let (west, east) = (SectorCoord::new(-3, 5), SectorCoord::new(-2, 5));
        let [west, east] = [west, east].map(|coord| vast.ground(coord).unwrap());
        let width = CELLS as usize + 3;
        let column = |data: &SectorData, column: usize| -> Vec<i32> {
            data.quanta().chunks_exact(width).map(|row| row[column]).collect()
        };
        for apron in 0..3 {
            let (last, first) = (CELLS as usize + apron, apron);
            assert_eq!(column(&west, last), column(&east, first), "{apron}");
        }
        assert_ne!(column(&west, 40), column(&east, 40));
    }

    #[test]
    fn camps_are_seldom_and_stay_within_their_sectors() {
        let vast = Vast::new().unwrap();
        let prepared = |mesh: &PreparedMesh| Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
        let loaded: Vec<Arc<LoadedMesh>> = vast.meshes().iter().map(prepared).collect();
        let named = |(mesh, loaded): (&PreparedMesh, &Arc<LoadedMesh>)| MeshUse {
            hash: loaded.hash(),
            bounds: mesh.bounds(),
        };
        let meshes: Vec<MeshUse> = vast.meshes().iter().zip(&loaded).map(named).collect();
        let mut find = |hash| loaded.iter().find(|mesh| mesh.hash() == hash).cloned();
        let mut camps = 0;
        for (x, z) in (0..8).flat_map(|x| (0..8).map(move |z| (x, z))) {
            let coord = SectorCoord::new(x - 4, z);
            let file = vast.sector(coord, &meshes).unwrap();
            let sector = LoadedSector::with_meshes(file.bytes, &mut find).unwrap();
            camps += usize::from(!sector.view().props().is_empty());
        }
        assert!((1..8).contains(&camps), "{camps}");
    }
}
