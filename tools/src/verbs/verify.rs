//! `marchland verify`: every byte of a world.

use marchland_terrain::store;
use serde::Serialize;

use crate::cli::VerifyArgs;
use crate::failure::Failure;
use crate::output;
use crate::world::store_failure;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    sectors: u64,
    bytes: u64,
    problem_count: u64,
    problems: Vec<String>,
}

/// Checks, and lists what is wrong.
///
/// # Errors
/// With exit code 1 if anything is wrong; otherwise if the world cannot be opened.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let report = store::verify(&args.world).map_err(|error| store_failure(&error))?;
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let ok = report.is_sound();
    if args.json {
        output::json(&Answer {
            ok,
            sectors: report.sectors,
            bytes: report.bytes,
            problem_count: report.problem_count,
            problems: problems.clone(),
        })?;
    } else {
        for problem in &problems {
            output::line(problem)?;
        }
        if ok {
            let world = args.world.display();
            output::line(&format!(
                "{world}: {} sectors, checksums, edges, aprons and pyramids are right",
                report.sectors
            ))?;
        }
    }
    if ok {
        return Ok(());
    }
    let count = report.problem_count;
    Err(Failure::check(format!("{}: {count} problems", args.world.display()))
        .hint("bake the world again with --force"))
}
