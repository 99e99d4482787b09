//! The words of `marchland run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `marchland run`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland run stairs.toml
  marchland run stairs.toml --rate 30 --path full --json --trace stairs.csv

What is told: a line for each unit, with its place, mode and speed at the end, and a line for
each expectation that does not hold. Exit codes: 0 all hold, 1 one does not, 2 the file is
wrong (its line and key are named), 3 input or output failed.

Keys of --json: name, ticks, state_hash; units (name, sector, local, position, velocity, mode,
ground_normal, lowest, highest, deepest_penetration, falling_ticks, mode_changes); events
(tick, unit, event and its details); failures. A ground_normal of zeros is none. A prop in an
event is its number among [[props]], from 0, or the sector and the index of a baked one. The
columns of --trace: tick, name, x, y, z, vx, vy, vz, mode.

Every key of a scenario, with an example: tools/SCENARIO.md in the sources.")]
pub struct RunArgs {
    /// The scenario.
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Print the result as one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
    /// A table of every unit in every tick, as CSV.
    #[arg(long, value_name = "OUT.csv")]
    pub trace: Option<PathBuf>,
    /// Threads that move units; as many as there are cores unless told. The result is the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Which way units take: each what it needs, or all of them the full controller.
    #[arg(long, value_enum, default_value_t = PathArg::Auto)]
    pub path: PathArg,
    /// The same seconds at so many ticks a second; every tick of the file must come out whole.
    #[arg(long, value_name = "HZ", allow_hyphen_values = true)]
    pub rate: Option<f64>,
}

/// Which way units take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathArg {
    /// Units on open ground follow it, all others take the full controller.
    Auto,
    /// Every unit takes the full controller.
    Full,
}
