//! The world of a run in a tick: props at their places, sectors missing as the file specifies.

use marchland_terrain::{ResidentSectors, TerrainView};

use super::run::error::RunError;
use super::spec::Scenario;
use super::stage::Stage;

/// The stage, and the part of it in memory.
pub(super) struct Scene {
    pub(super) stage: Stage,
    /// The ticks in which the set of missing sectors changes.
    changes: Vec<u32>,
    /// The sectors without those that are missing, while some are.
    partial: Option<ResidentSectors>,
}

impl Scene {
    /// Before the first tick, with nothing missing.
    pub(super) fn new(scenario: &Scenario) -> Result<Self, RunError> {
        let stage = Stage::new(scenario)?;
        Ok(Self { stage, changes: scenario.residency_changes(), partial: None })
    }

    /// Unloads and reloads sectors for the step from `tick` on. Must be called for each tick from
    /// 0.
    pub(super) fn load_and_unload(&mut self, scenario: &Scenario, tick: u32) {
        if self.changes.binary_search(&tick).is_ok() {
            let missing = scenario.missing_at(tick);
            self.partial = (!missing.is_empty()).then(|| self.stage.without(&missing));
        }
    }

    /// Moves the props to their places at the end of the step from `tick`.
    pub(super) fn move_props(&mut self, scenario: &Scenario, tick: u32) -> Result<(), RunError> {
        self.stage.begin_tick(scenario, tick)?;
        self.stage.live.advance(scenario.dt()).map_err(|fault| RunError::Props { tick, fault })
    }

    /// What a tick borrows.
    pub(super) fn view(&self) -> TerrainView<'_> {
        let sectors = self.partial.as_ref().unwrap_or(&self.stage.sectors);
        sectors.view().with_live(&self.stage.live)
    }
}
