//! `marchland run`: a scenario from its start to its end.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use marchland_controller::PathChoice;

use crate::baking::pool;
use crate::cli::{PathArg, RunArgs};
use crate::failure::Failure;
use crate::output::{self, progress_bar};
use crate::scenario::{Overrides, Run, RunError, RunResult, Scenario, ScenarioError, Trace};

/// Runs it, and says what came out.
///
/// # Errors
/// With exit code 1 if an expectation does not hold; otherwise if the file is wrong, or something
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
    let result = pool(threads)?.install(|| perform(&scenario, &overrides, trace))?;
    let printed = print(&result, args.json);
    if result.failures.is_empty() {
        return printed;
    }
    // What was found stands even if nobody read the list.
    let (path, failures) = (args.file.display(), result.failures.len() as u64);
    let what = output::count(failures, "expectation");
    let verb = if failures == 1 { "does" } else { "do" };
    Err(Failure::check(format!("{path}: {what} {verb} not hold")))
}

fn perform(
    scenario: &Scenario,
    overrides: &Overrides,
    trace: Option<&Path>,
) -> Result<RunResult, Failure> {
    let failed = |error: RunError| run_failure(scenario, &error);
    let mut run = Run::new(scenario, overrides).map_err(failed)?;
    let mut table = trace.map(Table::create).transpose()?;
    let bar = progress_bar(u64::from(scenario.ticks), "running");
    if let Some(table) = &mut table {
        table.rows(&run)?;
    }
    while !run.is_done() {
        run.step().map_err(failed)?;
        if let Some(table) = &mut table {
            table.rows(&run)?;
        }
        bar.set_position(u64::from(run.tick()));
    }
    bar.finish_and_clear();
    if let Some(table) = table {
        table.finish()?;
    }
    Ok(run.result())
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
        return read_failure(error); // which names the file itself
    }
    let message = format!("{}: {error}", scenario.path.display());
    let failure = if error.is_io() { Failure::io(message) } else { Failure::input(message) };
    failure.or_hint(error.hint().map(str::to_owned))
}

/// The file of a trace.
struct Table<'a> {
    path: &'a Path,
    trace: Trace<BufWriter<File>>,
}

impl<'a> Table<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        let begun = File::create(path).and_then(|file| Trace::new(BufWriter::new(file)));
        match begun {
            Ok(trace) => Ok(Self { path, trace }),
            Err(error) => Err(written(path, &error)),
        }
    }

    /// The units after the steps done.
    fn rows(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        for (name, state) in run.states() {
            let row = self.trace.row(run.tick(), name, state);
            row.map_err(|error| written(self.path, &error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        self.trace.finish().map(drop).map_err(|error| written(self.path, &error))
    }
}

fn written(path: &Path, error: &io::Error) -> Failure {
    Failure::io(format!("{}: {error}", path.display()))
}
