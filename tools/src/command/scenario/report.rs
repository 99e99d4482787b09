//! The output of a run for programs: one JSON object, its keys in a fixed order.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SectorCoord, WorldPos};
use serde::Serialize;
use serde_json::{Map, Value};

use super::expect::{Mode, UnitState};
use super::spec::Scenario;
use super::tally::Tally;
use crate::command::output::shortest;

/// The result object of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// The scenario's name.
    pub name: String,
    /// Ticks run.
    pub ticks: u32,
    /// Every bit of every unit's state, as 16 hexadecimal digits.
    #[serde(serialize_with = "hex")]
    pub state_hash: u64,
    /// The units at the end, in the order of the file.
    pub units: Vec<UnitResult>,
    /// What happened, in order.
    pub events: Vec<EventRecord>,
    /// Unmet expectations, in the order of the file.
    pub failures: Vec<String>,
}

/// A unit at the end. Numbers are exact to the last bit; a normal has the shortest decimals that
/// identify its `f32`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitResult {
    /// Its name.
    pub name: String,
    /// Its sector, including the shift by `origin_sector`.
    pub sector: [i32; 2],
    /// Metres from the sector's centre.
    pub local: [f64; 3],
    /// Metres of the file, without the shift.
    pub position: [f64; 3],
    /// Metres per second.
    pub velocity: [f64; 3],
    /// Its mode.
    pub mode: Mode,
    /// The unit normal of what it stands on or slides down; zeros if there is none.
    pub ground_normal: [f64; 3],
    /// Extremes and counts over the run.
    #[serde(flatten)]
    pub tally: Tally,
}

/// An event of a unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventRecord {
    /// The number of ticks done.
    pub tick: u32,
    /// The unit's name.
    pub unit: String,
    /// The event: `landed`, …
    pub event: String,
    /// Details, such as `speed`, in this order.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl UnitResult {
    /// The result of a unit at the end of a run.
    #[must_use]
    pub fn new(
        scenario: &Scenario,
        name: &str,
        place: WorldPos,
        state: &UnitState,
        ground_normal: Option<Vec3>,
        tally: &Tally,
    ) -> Self {
        let SectorCoord { x, z } = place.sector();
        Self {
            name: name.to_owned(),
            sector: [x, z],
            local: place.local().to_array().map(f64::from),
            position: scenario.position_of(place),
            velocity: state.velocity.map(f64::from),
            mode: state.mode,
            ground_normal: ground_normal.unwrap_or_default().to_array().map(shortest),
            tally: *tally,
        }
    }

    /// The line that `run` prints for it.
    #[must_use]
    pub fn line(&self) -> String {
        let [x, y, z] = self.position;
        let [vx, vy, vz] = self.velocity;
        let speed = (vx * vx + vy * vy + vz * vz).sqrt();
        let (name, mode) = (&self.name, self.mode.word());
        format!("{name}: ({x:.3}, {y:.3}, {z:.3}) {mode} {speed:.3} m/s")
    }
}

impl EventRecord {
    /// An event without details.
    #[must_use]
    pub fn new(tick: u32, unit: &str, event: &str) -> Self {
        let (unit, event) = (unit.to_owned(), event.to_owned());
        Self { tick, unit, event, details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}

fn hex<S: serde::Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{hash:016x}"))
}
