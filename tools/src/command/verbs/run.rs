//! `marchland run`: a scenario from its start to its end.

use clap::Args;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::command::failure::Failure;
use crate::command::guard;
use crate::command::output::{self, progress_bar};
use crate::command::output_file::OutputFile;
use crate::command::scenario::{
    Overrides, Run, RunError, RunResult, Scenario, ScenarioError, trace_header, trace_row,
};
use crate::command::values::PathArg;
use crate::command::verbs::bake::pool;

/// `marchland run`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland run stairs.toml
  marchland run stairs.toml --rate 30 --path full --json --trace stairs.csv

The command prints a line for each unit, with its final position, mode and speed, and a line for \
each failed expectation. Exit codes: 0 all expectations hold, 1 one fails, 2 the file is invalid \
(the message names the line and the key), 3 input or output failed.

Keys of --json: name, ticks, state_hash; units (name, sector, local, position, velocity, mode, \
ground_normal, lowest, highest, deepest_penetration, falling_ticks, mode_changes); events (tick, \
unit, event and its details); failures. A ground_normal of zeros means that there is none. A prop \
in an event is given by its index among [[props]], from 0, or, if it is a baked one, by its \
sector and index. Columns of --trace: tick, name, x, y, z, vx, vy, vz, mode.

tools/SCENARIO.md in the source tree describes every key of a scenario, with an example.")]
pub struct RunArgs {
    /// The scenario file.
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Print the result as one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Write the state of every unit in every tick to this CSV file.
    #[arg(long, value_name = "OUT.csv")]
    pub trace: Option<PathBuf>,
    /// Threads that move units; the result does not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Which controller moves units: chosen for each unit, or the full controller for all.
    #[arg(long, value_enum, default_value_t = PathArg::Auto)]
    pub path: PathArg,
    /// Run the same duration at this rate, ticks per second; every tick in the file must scale to a whole number.
    #[arg(long, value_name = "HZ", allow_hyphen_values = true)]
    pub rate: Option<f64>,
}

/// Runs a scenario, and reports the result.
///
/// # Errors
/// With exit code 1 if an expectation is not met; otherwise if the file is invalid, or something
/// cannot be read or written.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let overrides = Overrides { rate: args.rate, path: args.path.into(), ..Overrides::default() };
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
        run.run_tick().map_err(failed)?;
        write_rows(&mut table, &run);
        bar.set_position(u64::from(run.tick()));
    }
    bar.finish_and_clear();
    let traced = table.and_then(|table| table.map_or(Ok(()), Table::finish));
    Ok((run.result(), traced))
}

/// Writes the units after the ticks done; has no effect without a table, or if writing has failed before.
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
    Failure::of(error.to_string(), error.is_io()).or_hint(error.hint().map(str::to_owned))
}

fn run_failure(scenario: &Scenario, error: &RunError) -> Failure {
    if let RunError::Scenario(error) = error {
        return read_failure(error); // it names the file itself
    }
    let message = format!("{}: {error}", scenario.path.display());
    Failure::of(message, error.is_io()).or_hint(error.hint().map(str::to_owned))
}

/// The file of a trace.
struct Table<'a> {
    path: &'a Path,
    out: BufWriter<OutputFile>,
}

impl<'a> Table<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        let mut out = BufWriter::new(OutputFile::begin(path)?);
        trace_header(&mut out).map_err(|error| Failure::file(path, &error))?;
        Ok(Self { path, out })
    }

    /// Writes the units after the ticks done.
    fn rows(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        for (name, state) in run.states() {
            let row = trace_row(&mut self.out, run.tick(), name, state);
            row.map_err(|error| Failure::file(self.path, &error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        let written = self.out.into_inner();
        written.map_err(|error| Failure::file(self.path, error.error()))?.finish()
    }
}
