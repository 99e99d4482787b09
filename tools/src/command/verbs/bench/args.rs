//! The words of `marchland bench`.

use std::path::PathBuf;

use clap::Args;

use crate::command::values::{PathArg, above_zero, parse_bytes, parse_whole};

/// `marchland bench`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland bench hills.world --out hills.svg
  marchland bench hills.world --units 500,5000,50000 --threads 1,4 --radius 0.8 --json
  marchland bench vast.world --budget 512MiB --speed 12 --rate 30

Units start at random positions that are free of props and not too steep for them, and walk in \
random directions. They turn every few seconds, at holes, and at the edge of the ground that is \
in memory. Only the tick is timed, not this steering. All surfaces count as plain ground, because \
their effect on units is defined by the game.

For each number of threads and units the output lists the time per unit and tick, from the median \
tick; tick times; the number of units in the full controller per tick; the number of units that \
fit into a tick at that cost; and, at the end, units below the ground, which must be 0, and units \
held because a part of the world is not in memory. The final state must be the same for every \
number of threads. Exit codes: 0 success, 1 a unit was below the ground or the state depends on \
the number of threads, 2 wrong usage or invalid input, 3 input or output failed.

Keys of --json: world, sectors, sector_bytes, sectors_loaded, loaded_bytes (meshes included), \
processor (null if the system does not report it) and cores, rate, speed, seed, path, body \
(radius, height, knee, step_up, step_down, climb, max_slope); runs, each with units, threads, \
ticks, ns_per_unit_tick, tick_us (p50, p99, p999, max), full_units (per tick, on average), \
room_for_units, units_below_ground, held_units (both at the end), held_unit_ticks, put_back \
(units that fell out of the world through a hole and were put back at their start), \
borders_crossed, state_hash; plot.")]
pub struct BenchArgs {
    /// The world.
    pub world: PathBuf,
    /// Crowd sizes, measured one after the other.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "1000,10000,100000,1000000",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000), allow_hyphen_values = true)]
    pub units: Vec<u32>,
    /// Numbers of threads that move units [default: 1, and one per core].
    #[arg(long, value_name = "N,N,...", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<Vec<u16>>,
    /// Measured ticks, after a warm-up of a quarter as many [default: 120; fewer, but at least 20, for
    /// crowds above 100000].
    #[arg(long, value_name = "N", conflicts_with = "seconds",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000), allow_hyphen_values = true)]
    pub ticks: Option<u32>,
    /// Measured ticks, as seconds of simulated time.
    #[arg(long, value_name = "S", value_parser = above_zero, allow_hyphen_values = true)]
    pub seconds: Option<f64>,
    /// Speed of the units, metres per second.
    #[arg(long, default_value_t = 5.0, value_name = "M/S", value_parser = above_zero, allow_hyphen_values = true)]
    pub speed: f64,
    /// Ticks per second.
    #[arg(long, default_value_t = 60.0, value_name = "HZ", value_parser = above_zero, allow_hyphen_values = true)]
    pub rate: f64,
    /// Memory limit for sectors and meshes, in bytes or with KiB, MiB or GiB [default: the whole world].
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_hyphen_values = true)]
    pub budget: Option<u64>,
    /// Radius of a unit's body, metres.
    #[arg(long, value_name = "M", default_value_t = 0.4, allow_hyphen_values = true)]
    pub radius: f32,
    /// Height of the body, metres.
    #[arg(long, value_name = "M", default_value_t = 1.8, allow_hyphen_values = true)]
    pub height: f32,
    /// Knee of the body, metres: rises up to this height are absorbed.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub knee: f32,
    /// Greatest rise that a unit steps up, metres.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub step_up: f32,
    /// Greatest drop that a unit follows, metres.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub step_down: f32,
    /// Greatest ledge that a unit climbs, metres; 0 turns climbing off.
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_hyphen_values = true)]
    pub climb: f32,
    /// Steepest ground that a unit walks on, degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0, allow_hyphen_values = true)]
    pub max_slope: f64,
    /// Which controller moves units: chosen for each unit, or the full controller for all.
    #[arg(long, value_enum, default_value_t = PathArg::Auto)]
    pub path: PathArg,
    /// Seed of the random positions and directions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_whole,
          allow_hyphen_values = true)]
    pub seed: u64,
    /// Draw times over unit counts to this file, .svg or .png.
    #[arg(long, value_name = "FILE.svg|.png")]
    pub out: Option<PathBuf>,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
