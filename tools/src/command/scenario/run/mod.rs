//! The run itself: controls, props, sectors, the tick, and its results.
//!
//! ```text
//! tick k: sectors go and come ─▶ body, mask, teleport, impulse, wish ─▶ props move
//!   ─▶ separation, if it is on ─▶ Batch::tick
//!   ─▶ k + 1 ticks are done: events, tally, checks; the caller writes the trace
//! ```

pub(super) mod error;

use marchland_controller::{
    Batch, BodyId, CommandError, Motion, PathChoice, Separation, Switches, TickMode, TickSettings,
    UnitId, Units, Wish,
};
use marchland_terrain::{ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::judge::{Judge, JudgedBody};

use self::error::RunError;
use super::actors::{Actors, actors};
use super::check_expects::Checks;
use super::expect::{Mode, UnitState};
use super::happened;
use super::report::{EventRecord, RunResult, UnitResult};
use super::spec::Scenario;
use super::stage::Stage;
use super::tally::Tally;

/// Settings of a run that override the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overrides {
    /// Ticks per second: the same duration at a different rate. The file's rate unless given.
    pub rate: Option<f64>,
    /// Which path units take. [`PathChoice::Auto`] unless given.
    pub path: PathChoice,
    /// Whether overlaps are measured; otherwise every `deepest_penetration` is 0. Default true.
    pub measure: bool,
}

impl Default for Overrides {
    fn default() -> Self {
        Self { rate: None, path: PathChoice::Auto, measure: true }
    }
}

impl Overrides {
    /// Applies the rate to a scenario.
    ///
    /// # Errors
    /// If the rate is out of range, or a scaled tick is not whole.
    pub fn apply(&self, scenario: &Scenario) -> Result<Scenario, RunError> {
        Ok(self.rate.map_or_else(|| Ok(scenario.clone()), |rate| scenario.at_rate(rate))?)
    }
}

/// A run in progress, on the threads of the current `rayon` pool.
pub struct Run<'s> {
    scenario: &'s Scenario,
    stage: Stage,
    /// The ticks in which the set of missing sectors changes.
    changes: Vec<u32>,
    /// The sectors without those that are missing, while some are.
    partial: Option<ResidentSectors>,
    units: Units,
    /// By the units' indices in the scenario, as everything below.
    ids: Vec<UnitId>,
    bodies: Vec<BodyId>,
    /// The body that a unit requests and does not get.
    refused: Vec<Option<usize>>,
    /// By slot.
    wishes: Vec<Wish>,
    separation: Option<Separation>,
    batch: Batch,
    settings: TickSettings,
    switches: Switches<'static>,
    /// Measures overlaps. It shares no code with the controller, and with the queries only the trees.
    judge: Option<Judge>,
    /// Ticks done.
    tick: u32,
    states: Vec<UnitState>,
    tallies: Vec<Tally>,
    checks: Checks<'s>,
    events: Vec<EventRecord>,
}

impl<'s> Run<'s> {
    /// A run at its start. The rate of the overrides is ignored; that of the scenario applies: see
    /// [`Overrides::apply`].
    ///
    /// # Errors
    /// If the world cannot be built, or a unit cannot start.
    pub fn new(scenario: &'s Scenario, overrides: &Overrides) -> Result<Self, RunError> {
        let stage = Stage::new(scenario)?;
        let Actors { units, ids, bodies } = actors(scenario, stage.view())?;
        let states: Vec<UnitState> = ids.iter().map(|id| state(scenario, &units, *id)).collect();
        let separation = scenario.separation.map(Separation::new).transpose()?;
        let mut checks = Checks::new(scenario);
        checks.after(0, |unit| states[unit]);
        Ok(Self {
            scenario,
            refused: vec![None; ids.len()],
            wishes: vec![Wish::STAND; units.slots()],
            separation,
            batch: Batch::new(),
            settings: TickSettings {
                dt: scenario.dt(),
                gravity: scenario.gravity,
                mode: TickMode::Hold,
            },
            switches: Switches::path(overrides.path),
            judge: overrides.measure.then(Judge::new),
            tick: 0,
            tallies: states.iter().map(Tally::new).collect(),
            states,
            checks,
            events: Vec::new(),
            stage,
            changes: scenario.residency_changes(),
            partial: None,
            units,
            ids,
            bodies,
        })
    }

    /// Ticks done.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Whether the last tick is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.tick >= self.scenario.ticks
    }

    /// The units after the ticks done, with their names, in the order of the file.
    pub fn states(&self) -> impl Iterator<Item = (&str, &UnitState)> {
        let names = self.scenario.units.iter().map(|unit| unit.name.as_str());
        names.zip(&self.states)
    }

    /// Runs the next tick.
    ///
    /// # Errors
    /// If a unit cannot do what the file requests, or the tick does not run.
    pub fn run_tick(&mut self) -> Result<(), RunError> {
        let tick = self.tick;
        if self.changes.binary_search(&tick).is_ok() {
            let missing = self.scenario.missing_at(tick);
            self.partial = (!missing.is_empty()).then(|| self.stage.without(&missing));
        }
        self.apply_controls()?;
        self.stage.begin_tick(self.scenario, tick)?;
        let moved = self.stage.live.advance(self.scenario.dt());
        moved.map_err(|fault| RunError::Props { tick, fault })?;
        let view = view(&self.stage, self.partial.as_ref());
        let fault = |fault| RunError::Tick { tick, fault };
        let wishes = match &mut self.separation {
            Some(separation) => {
                let pushed = separation.push(view, &self.units, &self.wishes, self.settings.dt);
                pushed.map_err(fault)?
            }
            None => &self.wishes,
        };
        let ran =
            self.batch.tick_with(&self.switches, view, &mut self.units, wishes, &self.settings);
        ran.map_err(fault)?;
        self.tick += 1;
        self.record_events();
        self.look();
        Ok(())
    }

    /// The results so far.
    #[must_use]
    pub fn result(&self) -> RunResult {
        let view = view(&self.stage, self.partial.as_ref());
        let unit = |(number, id): (usize, &UnitId)| {
            let name = &self.scenario.units[number].name;
            let place = place(&self.units, *id);
            let normal = self.units.ground_normal(view, *id);
            let (state, tally) = (&self.states[number], &self.tallies[number]);
            UnitResult::new(self.scenario, name, place, state, normal, tally)
        };
        RunResult {
            name: self.scenario.name.clone(),
            ticks: self.tick,
            state_hash: self.units.state_hash_from(self.scenario.origin_sector),
            units: self.ids.iter().enumerate().map(unit).collect(),
            events: self.events.clone(),
            failures: self.checks.failures(),
        }
    }

    /// Applies the file's input for each unit in this tick: body, mask, teleport, impulse, wish.
    fn apply_controls(&mut self) -> Result<(), RunError> {
        for number in 0..self.ids.len() {
            let controls = self.scenario.controls_at(number, self.tick);
            let id = self.ids[number];
            let (units, view) = (&mut self.units, view(&self.stage, self.partial.as_ref()));
            let wanted = self.bodies[controls.body];
            let resized = match units.body_id(id) == Some(wanted) {
                true => Ok(()),
                false => units.resize(view, id, wanted),
            };
            units.set_mask(id, controls.mask);
            let teleport = controls.teleport.map_or(Ok(()), |to| units.teleport(view, id, to));
            let impulse = controls.impulse.map_or(Ok(()), |add| units.add_impulse(id, add));
            self.wishes[id.slot as usize] =
                Wish::STAND.at_velocity(controls.walk).with_jump(controls.jump);
            for done in [self.note_refusal(number, controls.body, resized), teleport, impulse] {
                let (name, tick) = (&self.scenario.units[number].name, self.tick);
                done.map_err(|fault| RunError::Command { name: name.clone(), tick, fault })?;
            }
        }
        Ok(())
    }

    /// A body for which there is no room is requested again in each tick; it is reported once.
    fn note_refusal(
        &mut self,
        number: usize,
        body: usize,
        resized: Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        match resized {
            Ok(()) => self.refused[number] = None,
            Err(
                CommandError::NoRoom { .. }
                | CommandError::Steep { .. }
                | CommandError::NotResident { .. },
            ) => {
                if self.refused[number].replace(body) != Some(body) {
                    let name = &self.scenario.units[number].name;
                    let body = &self.scenario.bodies[body].name;
                    self.events.push(happened::resize_refused(self.tick + 1, name, body));
                }
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn record_events(&mut self) {
        let props = &self.stage.prop_ids;
        for event in self.batch.drain_events() {
            // Slots are the units' indices: they were spawned in order, and none is ever removed.
            if let Some(unit) = self.scenario.units.get(event.unit.slot as usize) {
                self.events.push(happened::record(self.tick, &unit.name, &event.kind, props));
            }
        }
    }

    /// Reads the units after the tick.
    fn look(&mut self) {
        let (units, view) = (&self.units, view(&self.stage, self.partial.as_ref()));
        for (number, id) in self.ids.iter().enumerate() {
            let state = state(self.scenario, units, *id);
            let depth = self.judge.as_mut().map_or(0.0, |judge| depth(judge, view, units, *id));
            self.states[number] = state;
            self.tallies[number].after(&state, depth);
        }
        let states = &self.states;
        self.checks.after(self.tick, |unit| states[unit]);
    }
}

/// What a tick borrows: the stage, or the part of it in memory.
fn view<'v>(stage: &'v Stage, partial: Option<&'v ResidentSectors>) -> TerrainView<'v> {
    partial.unwrap_or(&stage.sectors).view().with_live(&stage.live)
}

/// The depth of a unit's upper cylinder in the triangles that it meets, or in the ground.
/// Metres; 0 for a unit that does not exist.
fn depth(judge: &mut Judge, view: TerrainView<'_>, units: &Units, id: UnitId) -> f64 {
    let (place, body, mask) = (units.position(id), units.body(id), units.mask(id));
    let (Some(place), Some(body), Some(mask)) = (place, body, mask) else { return 0.0 };
    judge.penetration(view, place, JudgedBody::from(body), mask)
}

fn state(scenario: &Scenario, units: &Units, id: UnitId) -> UnitState {
    UnitState {
        position: scenario.position_of(place(units, id)),
        velocity: units.velocity(id).unwrap_or_default().to_array(),
        mode: match units.motion(id).unwrap_or_default() {
            _ if units.is_held(id) == Some(true) => Mode::Held,
            _ if units.is_overloaded(id) == Some(true) => Mode::Overloaded,
            Motion::Walking => Mode::Walking,
            Motion::Falling => Mode::Falling,
            Motion::Sliding => Mode::Sliding,
            Motion::Climbing => Mode::Climbing,
        },
    }
}

/// The position of a unit: units are never removed here.
fn place(units: &Units, id: UnitId) -> WorldPos {
    units.position(id).unwrap_or_else(|| unreachable!("every unit stays until the end"))
}
