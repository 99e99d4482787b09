//! The world of a scenario in memory: sectors and live props, before the first tick.

mod endless;
mod error;
mod props;
mod samples;

use marchland_terrain::error::GridError;
use marchland_terrain::limits::{QUANTA_MAX, QUANTUM_LOG2_ASKED_MAX};
use marchland_terrain::store::LoadReport;
use marchland_terrain::{
    Grid, LiveProps, PropId, ResidentSectors, SectorCoord, TerrainView, World,
};

pub use self::error::StageError;
pub(super) use self::props::check as check_props;
use super::spec::{Scenario, Terrain};
use crate::command::world;

/// The default step of height. Metres: 2⁻¹⁰.
pub(super) const QUANTUM: f64 = 1.0 / 1024.0;

/// Cells along a sector of level ground, or of holes, unless cells are longer than a metre.
const LEVEL_CELLS: f64 = 256.0;

/// The world of a scenario. Props move by [`begin_tick`](Self::begin_tick) and
/// [`LiveProps::advance`].
#[derive(Debug)]
pub struct Stage {
    /// All sectors, none of them missing.
    pub sectors: ResidentSectors,
    /// The props of the file; those of a baked world are in its sectors.
    pub live: LiveProps,
    /// The ids of the props of the file, in its order.
    pub prop_ids: Vec<PropId>,
    /// Kept open, so that no bake removes its files.
    _world: Option<World>,
}

impl Stage {
    /// Builds the world.
    ///
    /// # Errors
    /// If a baked world does not load, or cannot be shifted as far as the scenario requires.
    pub fn new(scenario: &Scenario) -> Result<Self, StageError> {
        let (sectors, world) = sectors(scenario)?;
        let (live, prop_ids) =
            props::stand(scenario.sector_size, &scenario.meshes, &scenario.props)?;
        Ok(Self { sectors, live, prop_ids, _world: world })
    }

    /// Sets the velocities of the props whose motion changes with tick `tick`. Must be
    /// called before [`LiveProps::advance`] for each tick from 0.
    ///
    /// # Errors
    /// Never for a scenario that was read: its motions were tested then.
    pub fn begin_tick(&mut self, scenario: &Scenario, tick: u32) -> Result<(), StageError> {
        for (prop, id) in scenario.props.iter().zip(&self.prop_ids) {
            let Ok(at) = prop.motion.binary_search_by_key(&tick, |entry| entry.tick) else {
                continue;
            };
            if let Some(entry) = prop.motion.get(at) {
                let set = self.live.set_velocity(*id, entry.velocity, entry.angular_velocity);
                set.map_err(|fault| StageError::Prop { line: entry.line, fault })?;
            }
        }
        Ok(())
    }

    /// The sectors, some of them not resident: those that [`missing_at`](Scenario::missing_at) returns for a
    /// tick.
    #[must_use]
    pub fn without(&self, missing: &[SectorCoord]) -> ResidentSectors {
        let mut sectors = self.sectors.clone();
        for sector in missing {
            sectors.unload(*sector);
        }
        sectors
    }

    /// What a tick or a query borrows, with nothing missing.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }
}

fn sectors(scenario: &Scenario) -> Result<(ResidentSectors, Option<World>), StageError> {
    let origin = scenario.origin_sector;
    match &scenario.terrain {
        Terrain::None => Ok((endless::holes(level_grid(scenario, QUANTUM)?)?, None)),
        Terrain::Flat { height, surface } => {
            let grid = level_grid(scenario, quantum_for(height.abs()))?;
            Ok((endless::flat(grid, *height, *surface)?, None))
        }
        Terrain::Samples(samples) => {
            let size = f64::from(scenario.sector_size.metres());
            let grid = Grid::new(samples.spacing, size, samples.quantum)?;
            Ok((samples::sectors(samples, grid, origin)?, None))
        }
        Terrain::World { folder } => {
            let mut world = world::open_mapped(folder)?;
            let LoadReport { failed, .. } = world.load_all()?;
            if let Some((sector, source)) = failed.into_iter().next() {
                return Err(StageError::Load { sector, source });
            }
            let sectors = world.resident().shifted(origin.x, origin.z);
            Ok((sectors.ok_or(StageError::Shift { origin })?, Some(world)))
        }
    }
}

/// A grid for level ground, for which the cell does not matter: cells of a metre, or more if a
/// sector is large.
fn level_grid(scenario: &Scenario, quantum: f64) -> Result<Grid, GridError> {
    let size = f64::from(scenario.sector_size.metres());
    let cell = if size > LEVEL_CELLS { size / LEVEL_CELLS } else { 1.0 };
    Grid::new(cell, size, quantum)
}

/// The smallest quantum, from 2⁻¹⁰ m on, that can represent a height. Metres.
pub(super) fn quantum_for(metres: f64) -> f64 {
    let most = f64::from(1 << QUANTUM_LOG2_ASKED_MAX);
    let mut quantum = QUANTUM;
    while quantum < most && metres > quantum * f64::from(QUANTA_MAX) {
        quantum *= 2.0;
    }
    quantum
}
