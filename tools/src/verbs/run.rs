//! `marchland run`: a scenario from its start to its end.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use marchland_controller::PathChoice;

use crate::baking::pool;
use crate::cli::{PathArg, RunArgs};
use crate::failure::Failure;
use crate::guard;
use crate::output::{self, progress_bar};
use crate::output_file::{OutputFile, written};
use crate::scenario::{Overrides, Run, RunError, RunResult, Scenario, ScenarioError, Trace};

/// Runs a scenario, and reports the result.
///
/// # Errors
/// With exit code 1 if an expectation is not met; otherwise if the file is invalid, or something
/// cannot be read or written.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let overrides = Overrides {
        rate: args.rate,
        path: match args.path {
            PathArg::Auto => PathChoice::Auto,
            PathArg::Full => PathChoice::Full,
        },
        ..Overrides::default()
    };
    let read = Scenario::load(&args.file).map_err(|error| read_failure(&error))?;
    let scenario = overrides.apply(&read).map_err(|error| run_failure(&read, &error))?;
    for note in &scenario.notes {
        output::note(&format!("note: {note}"));
    }
    let threads = args.threads.map(usize::from);
    let trace = args.trace.as_deref();
    if let Some(trace) = trace {
        guard::refuse_inputs(trace, "--trace", scenario.files.iter().map(PathBuf::as_path))?;
    }
    let (result, traced) = pool(threads)?.install(|| perform(&scenario, &overrides, trace))?;
    let printed = print(&result, args.json);
    // The result is valid even if the list was not read, or the trace cannot be written.
    Failure::first_of([judge(&result, &args.file), traced, printed])
}

fn judge(result: &RunResult, path: &Path) -> Result<(), Failure> {
    let failures = result.failures.len() as u64;
    if failures == 0 {
        return Ok(());
    }
    let what = output::count(failures, "expectation");
    let verb = if failures == 1 { "does" } else { "do" };
    Err(Failure::check(format!("{}: {what} {verb} not hold", path.display())))
}

/// Runs the scenario. A trace that cannot be written is reported in addition to the result.
fn perform(
    scenario: &Scenario,
    overrides: &Overrides,
    trace: Option<&Path>,
) -> Result<(RunResult, Result<(), Failure>), Failure> {
    let failed = |error: RunError| run_failure(scenario, &error);
    let mut run = Run::new(scenario, overrides).map_err(failed)?;
    let mut table = Ok(trace.map(Table::create).transpose()?);
    let bar = progress_bar(u64::from(scenario.ticks), "running");
    write_rows(&mut table, &run);
    while !run.is_done() {
        run.step().map_err(failed)?;
        write_rows(&mut table, &run);
        bar.set_position(u64::from(run.tick()));
    }
    bar.finish_and_clear();
    let traced = table.and_then(|table| table.map_or(Ok(()), Table::finish));
    Ok((run.result(), traced))
}

/// Writes the units after the steps done; has no effect without a table, or if writing has failed before.
fn write_rows(table: &mut Result<Option<Table<'_>>, Failure>, run: &Run<'_>) {
    if let Ok(Some(rows)) = table
        && let Err(failure) = rows.rows(run)
    {
        *table = Err(failure);
    }
}

fn print(result: &RunResult, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(result);
    }
    result.units.iter().try_for_each(|unit| output::line(&unit.line()))?;
    result.failures.iter().try_for_each(|failure| output::line(failure))
}

fn read_failure(error: &ScenarioError) -> Failure {
    let message = error.to_string();
    let failure = if error.is_io() { Failure::io(message) } else { Failure::input(message) };
    failure.or_hint(error.hint().map(str::to_owned))
}

fn run_failure(scenario: &Scenario, error: &RunError) -> Failure {
    if let RunError::Scenario(error) = error {
        return read_failure(error); // it names the file itself
    }
    let message = format!("{}: {error}", scenario.path.display());
    let failure = if error.is_io() { Failure::io(message) } else { Failure::input(message) };
    failure.or_hint(error.hint().map(str::to_owned))
}

/// The file of a trace.
struct Table<'a> {
    path: &'a Path,
    trace: Trace<BufWriter<OutputFile>>,
}

impl<'a> Table<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        let file = OutputFile::begin(path)?;
        let trace = Trace::new(BufWriter::new(file)).map_err(|error| written(path, &error))?;
        Ok(Self { path, trace })
    }

    /// Writes the units after the steps done.
    fn rows(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        for (name, state) in run.states() {
            let row = self.trace.row(run.tick(), name, state);
            row.map_err(|error| written(self.path, &error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        let path = self.path;
        let file = self.trace.finish().map_err(|error| written(path, &error))?;
        file.into_inner().map_err(|error| written(path, error.error()))?.finish()
    }
}
