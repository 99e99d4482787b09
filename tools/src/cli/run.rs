//! The words of `marchland run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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

/// Which controller moves units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathArg {
    /// Units on open ground follow it; all others take the full controller.
    Auto,
    /// Every unit takes the full controller.
    Full,
}
