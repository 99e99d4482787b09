//! Marchland beside parry, Rapier, PhysX and Box3D: the same scenes, bodies, inputs and ticks, in one
//! process, in turns. Prints tables in Markdown.
//!
//! ```text
//! cargo run --release                   everything, some five minutes
//! cargo run --release -- --quick        smaller crowds and fewer rounds: that it runs
//! cargo run --release -- town lanes     some of it: terrain, town, lanes
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks")]

mod checker;
mod contenders;
mod crowd;
mod memory;
mod obstacles;
mod rounds;
mod scene;
mod table;
mod terrain;
mod town;

use std::error::Error;
use std::process::ExitCode;

/// Why a comparison cannot be made.
type Failure = Box<dyn Error + Send + Sync>;

/// How much is done.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Rounds of which the median counts.
    rounds: usize,
    /// What crowds and ticks are divided by.
    less: usize,
}

const PARTS: [&str; 3] = ["terrain", "town", "lanes"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let known = |arg: &String| arg == "--quick" || PARTS.contains(&arg.as_str());
    if let Some(unknown) = args.iter().find(|arg| !known(arg)) {
        eprintln!("error: {unknown} is neither --quick nor one of {}", PARTS.join(", "));
        return ExitCode::from(2);
    }
    match compare(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The parts that were asked for; all if none was.
fn compare(args: &[String]) -> Result<(), Failure> {
    let is_quick = args.iter().any(|arg| arg == "--quick");
    let effort =
        if is_quick { Effort { rounds: 3, less: 10 } } else { Effort { rounds: 5, less: 1 } };
    let all = args.iter().all(|arg| arg == "--quick");
    let is_asked = |part: &str| all || args.iter().any(|arg| arg == part);
    println!(
        "Processor time on one thread, on 2 threads by the clock; medians of {} rounds in turns.\n",
        effort.rounds
    );
    if is_asked("terrain") {
        terrain::compare(effort)?;
    }
    if is_asked("town") {
        town::compare(effort)?;
    }
    if is_asked("lanes") {
        obstacles::compare()?;
    }
    Ok(())
}
