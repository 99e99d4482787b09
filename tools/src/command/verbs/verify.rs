//! `marchland verify`: checks every byte of a world.

use clap::Args;
use marchland_terrain::store::{self, VerifyReport};
use serde_json::json;
use std::path::PathBuf;

use crate::command::failure::Failure;
use crate::command::output;

/// `marchland verify`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland verify hills.world")]
pub struct VerifyArgs {
    /// The world.
    pub world: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Checks, and lists what is wrong.
///
/// # Errors
/// With exit code 1 if anything is wrong; otherwise if the world cannot be opened.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let report = store::verify(&args.world)?;
    let printed = print(args, &report);
    if report.is_sound() {
        return printed;
    }
    // The result is valid even if the list was not read.
    let (world, count) = (args.world.display(), report.problem_count);
    Err(Failure::check(format!("{world}: {}", output::count(count, "problem"))).hint(
        "bake the world again from its source with --force; if it is packed, pack or copy it again",
    ))
}

fn print(args: &VerifyArgs, report: &VerifyReport) -> Result<(), Failure> {
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    if args.json {
        return output::json(&json!({
            "ok": report.is_sound(),
            "sectors": report.sectors,
            "bytes": report.bytes,
            "problem_count": report.problem_count,
            "problems": problems,
        }));
    }
    for problem in &problems {
        output::line(problem)?;
    }
    let untold = report.problem_count - problems.len() as u64;
    if untold > 0 {
        output::line(&format!("and {untold} more"))?;
    }
    if !report.is_sound() {
        return Ok(());
    }
    output::line(&format!(
        "{}: {}; checksums, edges, aprons and pyramids are correct",
        args.world.display(),
        output::count(report.sectors, "sector")
    ))
}
