//! A scenario from its start to its end.

use marchland_tools::command::scenario::{Overrides, Run, RunError, RunResult, Scenario};

/// What comes out, on the threads of the current `rayon` pool.
pub(crate) fn run(scenario: &Scenario, overrides: &Overrides) -> Result<RunResult, Box<RunError>> {
    let scenario = overrides.apply(scenario)?;
    let mut run = Run::new(&scenario, overrides)?;
    while !run.is_done() {
        run.run_tick()?;
    }
    Ok(run.result())
}
