//! Marchland compared with parry, Rapier, PhysX, Box3D and Jolt: the same scenes, bodies, inputs and ticks,
//! in one process, in alternation. Prints tables in Markdown.
//!
//! ```text
//! cargo run --release                   everything, some ten minutes
//! cargo run --release -- --quick        smaller crowds and fewer rounds: that it runs
//! cargo run --release -- --random       units in no order, for all contenders
//! cargo run --release -- town lanes     some of it: terrain, town, scenes, lanes
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks")]

mod checker;
mod clock;
mod contenders;
mod crowd;
mod memory;
mod movers;
mod obstacles;
mod rounds;
mod scene;
mod scenes;
mod setup;
mod table;
mod terrain;
mod town;
mod watch;

use std::process::ExitCode;

use setup::{Effort, Failure, Order};

const PARTS: [&str; 4] = ["terrain", "town", "scenes", "lanes"];
const OPTIONS: [&str; 2] = ["--quick", "--random"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_option = |arg: &&str| OPTIONS.contains(arg);
    let known = |arg: &String| is_option(&arg.as_str()) || PARTS.contains(&arg.as_str());
    if let Some(unknown) = args.iter().find(|arg| !known(arg)) {
        let all = [&OPTIONS[..], &PARTS[..]].concat();
        eprintln!("error: {unknown} is none of {}", all.join(", "));
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

/// Runs the requested parts; all if none was requested.
fn compare(args: &[String]) -> Result<(), Failure> {
    let is_given = |name: &str| args.iter().any(|arg| arg == name);
    let order = if is_given("--random") { Order::Random } else { Order::World };
    let (rounds, less) = if is_given("--quick") { (3, 10) } else { (5, 1) };
    let effort = Effort { rounds, less, order };
    let all = !PARTS.into_iter().any(is_given);
    let is_asked = |part: &str| all || is_given(part);
    println!(
        "Processor time on one thread, on 2 threads by the clock; medians of {rounds} rounds in turns; \
         units in {}, for all contenders.\n",
        order.name()
    );
    // A failure of one part, or somebody of ours who is stuck in it, keeps no table of the others back.
    let mut outcome = Ok(());
    if is_asked("terrain") {
        outcome = outcome.and(terrain::compare(effort));
    }
    if is_asked("town") {
        outcome = outcome.and(town::compare(effort));
    }
    if is_asked("scenes") {
        outcome = outcome.and(scenes::compare(effort));
    }
    if is_asked("lanes") {
        outcome = outcome.and(obstacles::compare());
    }
    outcome
}
