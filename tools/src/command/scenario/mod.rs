//! Scenario files: a small run completely described in one TOML file, version 1. `tools/SCENARIO.md`
//! lists every key.
//!
//! [`Scenario::load`] reads and checks a file and everything that it names. [`Run`] runs it tick by tick,
//! optionally at a different rate or on a different path. A run is derived from the scenario: the ground and
//! the props ([`Stage`]), the inputs of units and props in a tick ([`Scenario::controls_at`],
//! [`Scenario::motion_at`]), the missing sectors ([`Scenario::missing_at`]), the comparison with expectations
//! ([`Checks`]), and the two forms of output ([`RunResult`], [`trace_row`]).
//!
//! ```text
//! text ─ toml_tree: values with lines ─ read ─▶ Scenario ───── rate ────▶ Scenario
//!                          stage: sectors, live props        ◀─┤
//!                          actors: bodies, surfaces, units   ◀─┤
//!                          input: controls, motions          ◀─┘
//!                                    └─ run: tick by tick ─▶ states ─▶ check_expects, tally
//!                                                        └─▶ happened ─▶ report: JSON, CSV
//! ```

mod actors;
mod check_expects;
mod error;
mod expect;
mod happened;
mod input;
mod outline;
mod rate;
mod read;
mod report;
mod run;
mod spec;
mod stage;
mod tally;
mod trace;

pub use self::check_expects::Checks;
pub use self::error::{ScenarioError, ScenarioProblem};
pub use self::expect::{Expectation, LaterTicks, Mode, UnitState};
pub use self::rate::{RATE_MAX, RATE_MIN};
pub use self::read::SCENARIO_BYTES_MAX;
pub use self::report::{EventRecord, RunResult, UnitResult};
pub use self::run::error::RunError;
pub use self::run::{Overrides, Run};
pub use self::spec::{
    Absence, BodySpec, ControlEntry, MeshSpec, MotionEntry, PropSpec, Samples, Scenario,
    SurfaceSpec, Terrain, UnitSpec,
};
pub use self::stage::{Stage, StageError};
pub use self::tally::Tally;
pub use self::trace::{trace_header, trace_row};
