//! Heights on a grid become sectors, with an endless hole around them.
//!
//! ```text
//! world sample i lies at i · cell − S/2, so sector s has the samples s · cells to (s + 1) · cells:
//!
//!   sector −1      │ sector 0        │ sector 1
//!   · · · hole · · │ · · o───o───o───o───o · · hole    o: samples of the file
//! ```
//!
//! The spacing is the cell and the origin is a multiple of it, so every sample is a corner of a cell and
//! nothing is interpolated. What `marchland bake` calls outside is a hole here.

use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::heightfield::CellKind;
use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, SectorSize, SurfaceLayer,
};

use super::endless;
use super::error::StageError;
use crate::command::scenario::spec::Samples;

/// All sectors, shifted by `origin`.
pub(super) fn sectors(
    samples: &Samples,
    grid: Grid,
    origin: SectorCoord,
) -> Result<ResidentSectors, StageError> {
    let mut world = endless::holes(grid)?;
    let mut holes = samples.holes.clone();
    holes.sort_unstable();
    let [x, z] = samples.sectors(grid.sector_size());
    for sector_z in z[0]..=z[1] {
        for sector_x in x[0]..=x[1] {
            let data = sector(samples, &holes, grid, [sector_x, sector_z])?;
            let place =
                shifted([sector_x, sector_z], origin).ok_or(StageError::Shift { origin })?;
            let loaded = LoadedSector::new(encode(place, &data).bytes)?;
            world.insert(place, Arc::new(loaded))?;
        }
    }
    Ok(world)
}

fn shifted([x, z]: [i64; 2], origin: SectorCoord) -> Option<SectorCoord> {
    let sum = |sector: i64, origin: i32| i32::try_from(sector + i64::from(origin)).ok();
    Some(SectorCoord::new(sum(x, origin.x)?, sum(z, origin.z)?))
}

/// One sector, with its apron of one sample and one cell.
fn sector(
    samples: &Samples,
    holes: &[[u32; 2]],
    grid: Grid,
    [sector_x, sector_z]: [i64; 2],
) -> Result<SectorData, StageError> {
    let cells = i64::from(grid.cells());
    let [first_x, first_z] = samples.first(grid.sector_size());
    // The index that the sector's own first sample would have among those of the file.
    let (column0, row0) = (sector_x * cells - first_x, sector_z * cells - first_z);
    let within = |last: i64| {
        let columns = column0 - 1..=column0 + last;
        (row0 - 1..=row0 + last)
            .flat_map(move |row| columns.clone().map(move |column| (column, row)))
    };
    let quanta = within(cells + 1).map(|(column, row)| samples.at(column, row).unwrap_or(0));
    let kinds = within(cells).map(|(column, row)| samples.kind(column, row, holes));
    let (quanta, kinds) = (quanta.collect(), kinds.collect());
    let surfaces = SurfaceLayer::Uniform(samples.surface);
    Ok(SectorData::new(grid, quanta, Some(kinds), surfaces)?)
}

impl Samples {
    /// The first sample's index among those of the world, along X and Z, before the shift.
    fn first(&self, size: SectorSize) -> [i64; 2] {
        // An integer: the origin and half a sector are multiples of the spacing.
        let half = f64::from(size.half());
        self.origin.map(|origin| (origin / self.spacing) as i64 + (half / self.spacing) as i64)
    }

    /// First and last sector with a cell of the samples, along X and Z, before the shift.
    pub(in crate::command::scenario) fn sectors(&self, size: SectorSize) -> [[i64; 2]; 2] {
        let cells = (f64::from(size.metres()) / self.spacing) as i64;
        let [x, z] = self.first(size);
        let along = |first: i64, samples: u32| {
            [first, first + i64::from(samples) - 2].map(|sample| sample.div_euclid(cells))
        };
        [along(x, self.columns), along(z, self.rows)]
    }

    /// A sample in quanta, counted from the first; `None` beyond the last, or if the file has no height for
    /// it.
    fn at(&self, column: i64, row: i64) -> Option<i32> {
        let inside = (0..i64::from(self.columns)).contains(&column)
            && (0..i64::from(self.rows)).contains(&row);
        if !inside {
            return None;
        }
        self.quanta.get((row * i64::from(self.columns) + column) as usize).copied().flatten()
    }

    /// A cell is ground if all its corners have heights and it is not cut out.
    fn kind(&self, column: i64, row: i64, holes: &[[u32; 2]]) -> CellKind {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let solid = corners.iter().all(|(x, z)| self.at(column + x, row + z).is_some());
        if !solid || holes.binary_search(&[column as u32, row as u32]).is_ok() {
            CellKind::Hole
        } else {
            CellKind::Solid
        }
    }
}
