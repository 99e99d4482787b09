//! Scenes as sectors in memory, for tests, benches and examples: no file is read or written.
//!
//! ```text
//! heights as a function or a tile ─▶ SectorData ─▶ encode ─▶ ResidentSectors
//! ```
//!
//! Worlds begin at the low corner of sector (0, 0).

use std::error::Error;
use std::sync::{Arc, Mutex};

use marchland_random::{mixed, part};
use marchland_terrain::bake::props::PropInput;
use marchland_terrain::bake::{self, BakeInput, BakeSettings, Spread, VoidPolicy};
use marchland_terrain::error::{GridError, SectorError};
use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, SurfaceId, SurfaceLayer,
};

use crate::{grid, scene};

/// Why a scene could not be built or run: invalid measures, or a fault of this project.
pub type SceneError = Box<dyn Error + Send + Sync>;

/// A grid of `cell` metres and `cells` cells along a sector, with a quantum that suits the cell.
///
/// # Errors
/// As [`Grid::new`].
pub fn grid_of(cell: f64, cells: u32) -> Result<Grid, GridError> {
    Grid::new(cell, cell * f64::from(cells), Grid::default_quantum(cell))
}

/// A square of sectors, (0, 0) to (`sectors_along` − 1) both ways; the height at `(x, z)`, metres
/// from the low corner of the first, is `height(x, z)` metres.
///
/// # Errors
/// If a height does not fit.
pub fn world_from_fn(
    grid: Grid,
    sectors_along: u16,
    height: impl Fn(f64, f64) -> f64,
) -> Result<ResidentSectors, SceneError> {
    let side = f64::from(grid.sector_size().metres());
    let along = i32::from(sectors_along);
    let mut world = ResidentSectors::new(grid);
    for (x, z) in (0..along).flat_map(|z| (0..along).map(move |x| (x, z))) {
        // Sums of a few powers of two: the same on both sides of every border.
        let (west, north) = ((f64::from(x) + 0.5) * side, (f64::from(z) + 0.5) * side);
        let data = SectorData::from_fn(grid, |x, z| height(west + x, north + z))?;
        let coord = SectorCoord::new(x, z);
        world.insert(coord, loaded(coord, &data)?)?;
    }
    Ok(world)
}

/// A square of sectors of rolling hills: see [`scene::rolling_height`].
///
/// # Errors
/// If the grid is invalid.
pub fn rolling_world(
    sectors_along: u16,
    cell: f64,
    cells: u32,
    seed: u64,
) -> Result<ResidentSectors, SceneError> {
    let grid = grid_of(cell, cells)?;
    world_from_fn(grid, sectors_along, |x, z| scene::rolling_height(x, z, seed))
}

/// Metres along [`crags`].
pub const CRAGS_ALONG: f64 = 64.0;

/// Four sectors of ground without any pattern, from gentle in one corner to steep in the other: cells of 1 m,
/// sectors of 32 m.
///
/// # Errors
/// Never: the heights fit.
pub fn crags(seed: u64) -> Result<ResidentSectors, SceneError> {
    let noise = |x: i64, z: i64| {
        part(mixed(seed ^ (x as u64).wrapping_mul(0x9e37_79b9) ^ (z as u64) << 40))
    };
    world_from_fn(grid_of(1.0, 32)?, 2, |x, z| {
        let (x, z) = (x.round() as i64, z.round() as i64);
        // Coarse hills, and rough in one direction more than in the other.
        let rough = 0.3 + 2.2 * x as f64 / CRAGS_ALONG;
        noise(x, z) * rough + 4.0 * noise(1000 + x / 9, z / 9) * z as f64 / CRAGS_ALONG
    })
}

/// One sector repeated everywhere, without seams: see [`scene::repeating`].
///
/// # Errors
/// If the grid is invalid, or the hills are too high for it.
///
/// # Panics
/// If `waves` is 0.
pub fn endless(
    cell: f64,
    cells: u32,
    waves: u32,
    relief: f64,
    seed: u64,
) -> Result<ResidentSectors, SceneError> {
    let data = repeating_sector(cell, cells, waves, relief, seed)?;
    Ok(ResidentSectors::endless(loaded(SectorCoord::new(0, 0), &data)?))
}

/// The heights of [`endless`].
///
/// # Errors
/// As [`endless`].
///
/// # Panics
/// If `waves` is 0.
pub fn repeating_sector(
    cell: f64,
    cells: u32,
    waves: u32,
    relief: f64,
    seed: u64,
) -> Result<SectorData, SceneError> {
    let grid = grid_of(cell, cells)?;
    let tile = scene::repeating(cells as usize, waves, relief, seed);
    let wrap = |i: i64| i.rem_euclid(i64::from(cells)) as usize;
    let quantum = f64::from(grid.quantum());
    let around = -1..=i64::from(cells) + 1;
    let quanta = around
        .clone()
        .flat_map(|row| around.clone().map(move |column| (column, row)))
        .map(|(column, row)| (tile.at(wrap(column), wrap(row)) / quantum).round_ties_even() as i32)
        .collect();
    Ok(SectorData::new(grid, quanta, None, SurfaceLayer::Uniform(SurfaceId(0)))?)
}

/// Heights in metres, baked in memory; they lie on the grid if `spacing` is the cell.
///
/// # Errors
/// If the bake rejects them.
pub fn bake_heights(
    heights: grid::Grid<f64>,
    spacing: f64,
    grid: Grid,
) -> Result<ResidentSectors, SceneError> {
    let (input, settings) = plain(heights, spacing, grid);
    let mut world = ResidentSectors::new(grid);
    for file in baked_files(input, &settings)? {
        world.insert(file.coord, Arc::new(LoadedSector::new(file.bytes)?))?;
    }
    Ok(world)
}

/// Heights in metres with props on them, baked in memory; the heights lie on the grid if `spacing` is
/// the cell.
///
/// # Errors
/// If the bake rejects them, or a prop cannot be placed.
pub fn bake_with_props(
    heights: grid::Grid<f64>,
    spacing: f64,
    grid: Grid,
    props: &PropInput,
) -> Result<(Vec<EncodedSector>, Spread), SceneError> {
    let (input, settings) = plain(heights, spacing, grid);
    let files = baked_files(input, &settings)?;
    let spread = bake::spread(grid, &files, props)?;
    Ok((files, spread))
}

/// Settings of a bake from the low corner of sector (0, 0), with one surface. `spacing` is metres
/// between samples; heights on the grid have the cell's.
#[must_use]
pub fn bake_settings(grid: Grid, spacing: f64, void: VoidPolicy) -> BakeSettings {
    BakeSettings {
        grid,
        spacing: [spacing; 2],
        origin: BakeSettings::default_origin(grid),
        void,
        surface_names: 1,
    }
}

/// The bake of heights alone, in metres, from the low corner of sector (0, 0).
#[must_use]
pub fn plain(heights: grid::Grid<f64>, spacing: f64, grid: Grid) -> (BakeInput, BakeSettings) {
    let input = BakeInput {
        heights: Box::new(crate::source::Heights::new(heights)),
        holes: None,
        surfaces: None,
        outside: Vec::new(),
    };
    (input, bake_settings(grid, spacing, VoidPolicy::Hole))
}

/// Bakes in memory: the files of all sectors, in order of their places.
///
/// # Errors
/// If the bake rejects the input.
pub fn baked_files(
    input: BakeInput,
    settings: &BakeSettings,
) -> Result<Vec<EncodedSector>, SceneError> {
    let files = Mutex::new(Vec::new());
    bake::bake(input, settings, &mut |_| {}, &|file| {
        files.lock().map_err(|_| "another sector's thread has panicked")?.push(file);
        Ok(())
    })?;
    let mut files = files.into_inner().unwrap_or_default();
    files.sort_unstable_by_key(|file| file.coord);
    Ok(files)
}

fn loaded(coord: SectorCoord, data: &SectorData) -> Result<Arc<LoadedSector>, SectorError> {
    LoadedSector::new(encode(coord, data).bytes).map(Arc::new)
}

#[cfg(test)]
mod tests {
    use marchland_terrain::{Ground, TerrainView, WorldPos};

    use super::*;

    fn ground(view: TerrainView<'_>, x: f64, z: f64) -> Ground {
        let size = view.grid().sector_size();
        let corner = f64::from(size.half());
        view.ground(WorldPos::from_metres(x - corner, 0.0, z - corner, size).unwrap())
    }

    fn height(view: TerrainView<'_>, x: f64, z: f64) -> f64 {
        match ground(view, x, z) {
            Ground::Height(height) => f64::from(height),
            other => panic!("{other:?} at {x}, {z}"),
        }
    }

    #[test]
    fn a_rolling_world_has_the_scenes_heights_in_every_sector() {
        let world = rolling_world(3, 2.0, 16, 9).unwrap();
        assert_eq!(world.resident().len(), 9);
        let heights = scene::rolling(49, 49, 2.0, 9);
        let half_quantum = f64::from(world.grid().quantum()) / 2.0;
        for (column, row) in [(0, 0), (15, 47), (16, 16), (47, 3), (31, 32)] {
            let stored = height(world.view(), column as f64 * 2.0, row as f64 * 2.0);
            assert!((stored - heights.at(column, row)).abs() <= half_quantum, "{column}, {row}");
        }
        assert_eq!(ground(world.view(), 96.0, 0.0), Ground::Outside);
    }

    #[test]
    fn a_baked_grid_is_the_same_ground_as_the_function_it_came_from() {
        let made = rolling_world(2, 1.0, 32, 4).unwrap();
        let grid = made.grid();
        let baked = bake_heights(scene::rolling(65, 65, 1.0, 4), 1.0, grid).unwrap();
        assert_eq!(baked.resident(), made.resident());
        for i in 0..500 {
            let (x, z) = (f64::from(i * 37 % 640) * 0.1, f64::from(i * 91 % 640) * 0.1);
            assert_eq!(ground(baked.view(), x, z), ground(made.view(), x, z), "{x}, {z}");
        }
    }

    #[test]
    fn endless_ground_has_no_seams() {
        let world = endless(1.0, 32, 2, 12.0, 7).unwrap();
        let size = world.grid().sector_size();
        // A rise across a border is no higher than the steepest rise inside.
        let along: Vec<f64> = (0..96).map(|x| height(world.view(), f64::from(x), 5.3)).collect();
        let rises: Vec<f64> = along.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        assert!(rises.iter().all(|rise| *rise < 2.0), "{rises:?}");
        assert_eq!(along[..32], along[64..]);
        let far = WorldPos::from_metres(3.2e10, 0.0, -1.6e10, size).unwrap();
        assert!(matches!(world.view().ground(far), Ground::Height(_)));
    }
}
