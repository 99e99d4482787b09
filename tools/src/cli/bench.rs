//! The words of `marchland bench`.

use std::path::PathBuf;

use clap::Args;

use super::fly::{above_zero, parse_bytes};
use super::run::PathArg;
use super::values::parse_whole;

/// `marchland bench`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland bench hills.world --out hills.svg
  marchland bench hills.world --units 500,5000,50000 --threads 1,4 --radius 0.8 --json
  marchland bench vast.world --budget 512MiB --speed 12 --rate 30

Units begin at places at random where the ground is not too steep for them and nothing stands, and go
on in directions at random; they turn before the edge of what is in memory and before holes, and every
few seconds. What is timed is the tick alone, not this steering. All surfaces count as plain ground: how
they move units is a game's to say.

What is told for each number of threads and units: time for one unit in a tick, from the median tick;
times of ticks; how many units took the full controller in a tick; how many units a tick has time for
at that price; and at the end, units below the ground, of which there must be none, and units held,
where a part of the world is not in memory. The state at the end must be the same for every number of
threads. Exit codes: 0 done, 1 a unit was below the ground or threads came to different states, 2 wrong
use or wrong input, 3 input or output failed.

Keys of --json: world, sectors, sector_bytes, sectors_loaded, loaded_bytes (meshes among them),
processor (null where the system does not tell) and cores, rate, speed, seed, path, body (radius, height, knee, step_up, step_down, climb, max_slope); runs, each of units, threads,
ticks, ns_per_unit_tick, tick_us (p50, p99, p999, max), full_units (in a tick, on average), room_for_units,
units_below_ground, held_units (both at the end), held_unit_ticks, put_back (fallen out of the world
through a hole, and put where they began), borders_crossed, state_hash; plot.")]
pub struct BenchArgs {
    /// The world.
    pub world: PathBuf,
    /// How many units, one size of a crowd after the other.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "1000,10000,100000,1000000",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000), allow_hyphen_values = true)]
    pub units: Vec<u32>,
    /// Threads that move units; 1 and as many as there are cores unless told.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<Vec<u16>>,
    /// Ticks that are measured, after a quarter as many that are not. Unless told, 120, and for crowds
    /// above 100000 fewer, 20 at least.
    #[arg(long, value_name = "N", conflicts_with = "seconds",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000), allow_hyphen_values = true)]
    pub ticks: Option<u32>,
    /// The same as seconds of the units' clock.
    #[arg(long, value_name = "S", value_parser = above_zero, allow_hyphen_values = true)]
    pub seconds: Option<f64>,
    /// Metres per second.
    #[arg(long, default_value_t = 5.0, value_name = "M/S", value_parser = above_zero, allow_hyphen_values = true)]
    pub speed: f64,
    /// Ticks a second.
    #[arg(long, default_value_t = 60.0, value_name = "HZ", value_parser = above_zero, allow_hyphen_values = true)]
    pub rate: f64,
    /// Most memory for sectors and meshes: bytes, or with KiB, MiB or GiB. The whole world unless told.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_hyphen_values = true)]
    pub budget: Option<u64>,
    /// Radius of a unit's body, metres.
    #[arg(long, value_name = "M", default_value_t = 0.4, allow_hyphen_values = true)]
    pub radius: f32,
    /// Its height, metres.
    #[arg(long, value_name = "M", default_value_t = 1.8, allow_hyphen_values = true)]
    pub height: f32,
    /// Its knee: rises up to here are absorbed, metres.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub knee: f32,
    /// Greatest rise that it steps up, metres.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub step_up: f32,
    /// Greatest drop that it follows, metres.
    #[arg(long, value_name = "M", default_value_t = 0.45, allow_hyphen_values = true)]
    pub step_down: f32,
    /// Greatest ledge that it climbs, metres; 0 climbs none.
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_hyphen_values = true)]
    pub climb: f32,
    /// Steepest ground that it walks on, degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0, allow_hyphen_values = true)]
    pub max_slope: f64,
    /// Which way units take: each what it needs, or all of them the full controller.
    #[arg(long, value_enum, default_value_t = PathArg::Auto)]
    pub path: PathArg,
    /// Other places and directions for another number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_whole,
          allow_hyphen_values = true)]
    pub seed: u64,
    /// A picture of times over unit counts: .svg or .png.
    #[arg(long, value_name = "FILE.svg|.png")]
    pub out: Option<PathBuf>,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
