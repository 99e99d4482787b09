//! The words of `marchland fly`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use marchland_controller::TickMode;
use serde::Serialize;

use crate::command::values::{above_zero, parse_bytes};

/// `marchland fly`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland fly vast.world --speed 300 --radius 1000 --budget 128MiB --plot flight.svg
  marchland fly vast.world --cold --compare --json
  marchland fly vast.world --shuttle --mode strict --budget 24MiB --real-time

Sources fly along legs with sharp turns, always within the world. Units stay below them on the \
ground, spread over a quarter of the radius, and are put back there if something has stopped \
them. Unless --real-time is given, ticks run one after the other as fast as the machine allows, \
so the loading threads have less time per tick than in a game.

The output lists tick times (streaming and movement together), the times of streaming and of \
movement alone, page faults on the threads that move units (if the system reports them), units \
held, units found below the ground, which must be 0, what was loaded, and how much memory it \
took. Exit codes: 0 success, 1 a unit was below the ground, 2 wrong usage or invalid input, 3 \
input or output failed.

Keys of --json: world, sectors, sector_bytes, speed, radius, rate, sources, units, threads, mode, \
real_time, mapped, cold, shuttle, crowds, props; streamed and resident, the two flights, each \
null if it was not flown: ticks, seconds, tick_us, update_us and move_us (p50, p99, p999, max \
each), tick_cpu_us and update_cpu_us (the same by the processor time of the thread that moves \
units, which does not run while other programs have the core; null with several threads), \
page_faults_major, page_faults_minor and thread_waits (how often a thread gave up its core to \
wait; null if the system does not report it), unit_ticks, held_unit_ticks, held_units_most, \
longest_hold_seconds, units_below_ground, borders_crossed, put_back, waits and waited_seconds (of \
a strict flight), sectors_loaded, read_bytes, read_mb_per_second, evictions, late_arrivals, \
cancelled, failures, missing_most, without_room_most, oldest_wait_seconds, resident_bytes_peak, \
budget_bytes, worst_publication_us, state_hash; ratio_p999 and ratio_cpu_p999, streamed to \
resident, null unless both were flown; plot.")]
pub struct FlyArgs {
    /// The world.
    pub world: PathBuf,
    /// Speed of the sources, metres per second.
    #[arg(long, default_value_t = 300.0, value_name = "M/S", value_parser = above_zero, allow_hyphen_values = true)]
    pub speed: f64,
    /// Radius around a source within which every sector is wanted, metres.
    #[arg(long, default_value_t = 1000.0, value_name = "M", value_parser = above_zero, allow_hyphen_values = true)]
    pub radius: f64,
    /// Memory limit for sectors, in bytes or with KiB, MiB or GiB.
    #[arg(long, default_value = "128MiB", value_name = "BYTES", value_parser = parse_bytes, allow_hyphen_values = true)]
    pub budget: u64,
    /// Duration of the flight, seconds.
    #[arg(long, default_value_t = 60.0, value_name = "S", value_parser = above_zero, allow_hyphen_values = true)]
    pub seconds: f64,
    /// Ticks per second.
    #[arg(long, default_value_t = 60.0, value_name = "HZ", value_parser = above_zero, allow_hyphen_values = true)]
    pub rate: f64,
    /// Number of sources, each on its own course.
    #[arg(long, default_value_t = 1, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub sources: u16,
    /// Number of units below the sources, in total.
    #[arg(long, default_value_t = 4000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(0..=10_000_000), allow_hyphen_values = true)]
    pub units: u32,
    /// What happens where ground is missing: units are held, or the tick waits.
    #[arg(long, value_enum, default_value_t = ModeArg::Hold)]
    pub mode: ModeArg,
    /// Fly back and forth over a sector border instead of across the world.
    #[arg(long)]
    pub shuttle: bool,
    /// Make the units sources as well.
    #[arg(long)]
    pub crowds: bool,
    /// Let units collide with props instead of passing through them.
    #[arg(long)]
    pub props: bool,
    /// Start every tick at its scheduled time instead of as soon as the previous one has ended.
    #[arg(long)]
    pub real_time: bool,
    /// Threads that move units; the result does not depend on it.
    #[arg(long, default_value_t = 1, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: u16,
    /// Number of sectors that are read at the same time.
    #[arg(long, default_value_t = 4, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=256), allow_hyphen_values = true)]
    pub loads: u16,
    /// Copy sectors into memory instead of mapping their files.
    #[arg(long)]
    pub copied: bool,
    /// Drop the world's files from the system's page cache first (Linux; needs no special rights).
    #[arg(long)]
    pub cold: bool,
    /// Load the whole world first and stream nothing.
    #[arg(long, conflicts_with = "compare")]
    pub resident: bool,
    /// Fly twice, streamed and then with the whole world in memory, and compare the ticks.
    #[arg(long)]
    pub compare: bool,
    /// Draw tick times, queue and memory to this file, .svg or .png.
    #[arg(long, value_name = "FILE.svg|.png")]
    pub plot: Option<PathBuf>,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// What happens where ground is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ModeArg {
    /// Units that could reach it are held; all others move.
    Hold,
    /// The tick waits until the ground is loaded.
    Strict,
}

impl From<ModeArg> for TickMode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Hold => Self::Hold,
            ModeArg::Strict => Self::Strict,
        }
    }
}
