//! `marchland bench`: what a tick costs on the user's own world, for several sizes of crowds.
//!
//! Crowds of several sizes over the user's own world, to measure what a tick costs there.
//!
//! ```text
//! land ─▶ places, once for the largest crowd ─▶ for each size and number of threads: ticks ─▶ table, plot
//! ```
//!
//! | file | what |
//! |---|---|
//! | `land` | the world's sectors in memory, as many as fit |
//! | `crowd` | where units start, and their directions |
//! | `measure` | ticks of one crowd, and the time they took |
//! | `plot` | the picture |
//!
//! Starts and directions depend only on the seed. Two runs therefore differ only in time, and any
//! number of threads reaches the same state.

mod args;
mod crowd;
mod land;
mod measure;
mod plot;

pub use args::BenchArgs;
pub use crowd::{Site, places};
pub use land::Land;
pub use measure::{Figures, Plan, measure};
pub use plot::draw;

use marchland_controller::{Body, BodyBuilder};
use marchland_terrain::WorldPos;
use serde::Serialize;
use serde_json::{Value, json};

use crate::command::failure::Failure;
use crate::command::guard;
use crate::command::output::{self, progress_bar, shortest};
use crate::command::plot::PlotKind;
use crate::command::values::PathArg;
use crate::command::verbs::bake::pool;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    world: String,
    sectors: u64,
    sector_bytes: u64,
    sectors_loaded: usize,
    loaded_bytes: u64,
    processor: Option<String>,
    cores: usize,
    rate: f64,
    speed: f64,
    seed: u64,
    path: PathArg,
    body: Value,
    runs: Vec<Figures>,
    plot: Option<String>,
}

/// Loads, moves crowds, reports the cost, draws.
///
/// # Errors
/// With exit code 1 if a unit was below the ground or threads disagree; otherwise if the world cannot be
/// read or does not fit, no unit can stand in it, or the plot cannot be written.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let kind = args.out.as_deref().map(PlotKind::of).transpose()?;
    check_pace(args)?;
    let ticks = ticks(args)?;
    let body = body(args)?;
    let (units, threads) = (in_order(&args.units), in_order(&threads(args)));
    let most = units.last().copied().unwrap_or(1);
    let plans: Vec<_> = units.iter().map(|&count| (count, plan(args, ticks, count))).collect();
    let out = guard::begin_early(args.out.as_deref(), "--out", &args.world)?;
    let land = Land::load(&args.world, args.budget, most)?;
    let site = Site::new(&land, body, args.speed as f32, args.rate as f32, args.seed);
    let starts = pool(None)?.install(|| places(&site, most))?;
    let runs = runs(&site, &starts, &plans, &threads)?;
    let answer = answer(args, &land, runs);
    let printed = if args.json { output::json(&answer) } else { print(&answer, args) };
    // The result is valid even if the figures were not read, or the plot cannot be written.
    let judged = judge(&answer.runs);
    let plotted = match out.zip(kind) {
        Some((out, kind)) => draw(out, kind, &title(args), args.rate, &answer.runs),
        None => Ok(()),
    };
    Failure::first_of([judged, plotted, printed])
}

fn check_pace(args: &BenchArgs) -> Result<(), Failure> {
    if !(4.0..=10_000.0).contains(&args.rate) {
        let message = format!("{} ticks per second, expected 4 to 10000", args.rate);
        return Err(Failure::input(message).hint("check --rate"));
    }
    if args.speed > 4000.0 {
        let message = format!("a speed of {} m/s, expected at most 4000", args.speed);
        return Err(Failure::input(message).hint("check --speed"));
    }
    Ok(())
}

/// The requested number of ticks, if any.
fn ticks(args: &BenchArgs) -> Result<Option<u32>, Failure> {
    const TICKS_MAX: f64 = 1_000_000.0;
    let Some(seconds) = args.seconds else { return Ok(args.ticks) };
    let ticks = (seconds * args.rate).round();
    if !(1.0..=TICKS_MAX).contains(&ticks) {
        let message = format!("{ticks} ticks, expected 1 to {TICKS_MAX}");
        return Err(Failure::input(message).hint("check --seconds and --rate"));
    }
    Ok(Some(ticks as u32))
}

/// How long to run a crowd: a large one takes longer, and shows as much in fewer ticks.
fn plan(args: &BenchArgs, ticks: Option<u32>, units: u32) -> Plan {
    const UNIT_TICKS: u32 = 12_000_000;
    let ticks = ticks.unwrap_or_else(|| (UNIT_TICKS / units).clamp(20, 120));
    Plan { ticks, warm_up_ticks: ticks / 4 + 1, path: args.path.into() }
}

fn body(args: &BenchArgs) -> Result<Body, Failure> {
    let builder = BodyBuilder {
        radius: args.radius,
        height: args.height,
        knee: args.knee,
        step_up: args.step_up,
        step_down: args.step_down,
        climb: args.climb,
        max_slope_degrees: args.max_slope,
        ..Body::builder()
    };
    builder.build().map_err(|error| {
        let hint = "check the flags of the body: --radius, --height, --knee, --step-up, --step-down, \
                    --climb, --max-slope";
        Failure::input(format!("bench: {error}")).hint(hint)
    })
}

fn threads(args: &BenchArgs) -> Vec<u16> {
    args.threads.clone().unwrap_or_else(|| vec![1, u16::try_from(cores()).unwrap_or(u16::MAX)])
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// In ascending order, without duplicates.
fn in_order<T: Ord + Copy>(numbers: &[T]) -> Vec<T> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Every number of threads with every size, in that order.
fn runs(
    site: &Site<'_>,
    starts: &[WorldPos],
    plans: &[(u32, Plan)],
    threads: &[u16],
) -> Result<Vec<Figures>, Failure> {
    // A tick of a large crowd takes longer.
    let work = |(count, plan): &(u32, Plan)| {
        u64::from(*count) * u64::from(plan.ticks + plan.warm_up_ticks)
    };
    let work: u64 = plans.iter().map(work).sum();
    let bar = progress_bar(work * threads.len() as u64, "moving");
    let mut runs = Vec::new();
    for &threads in threads {
        let pool = pool(Some(usize::from(threads)))?;
        for &(count, plan) in plans {
            let starts = &starts[..count as usize];
            let mut progress = || bar.inc(u64::from(count));
            runs.push(pool.install(|| measure(site, starts, &plan, &mut progress))?);
        }
    }
    bar.finish_and_clear();
    Ok(runs)
}

/// Checks that no unit is below the ground, and that the state is the same for the same crowd.
fn judge(runs: &[Figures]) -> Result<(), Failure> {
    let below: u64 = runs.iter().map(|run| run.units_below_ground).sum();
    if below > 0 {
        let units = output::count(below, "unit");
        return Err(Failure::check(format!("{units} ended below the ground")));
    }
    for run in runs {
        let other = runs.iter().find(|other| other.units == run.units);
        if let Some(other) = other.filter(|other| other.state_hash != run.state_hash) {
            let units = output::count(run.units.into(), "unit");
            let threads = output::count(run.threads.into(), "thread");
            return Err(Failure::check(format!(
                "the final state of {units} on {threads} is {}, but on {} it is {}",
                run.state_hash, other.threads, other.state_hash
            )));
        }
    }
    Ok(())
}

fn answer(args: &BenchArgs, land: &Land, runs: Vec<Figures>) -> Answer {
    let info = land.world().info();
    Answer {
        world: args.world.display().to_string(),
        sectors: info.sectors,
        sector_bytes: info.sector_bytes,
        sectors_loaded: land.sectors().len(),
        loaded_bytes: land.bytes(),
        processor: processor(),
        cores: cores(),
        rate: args.rate,
        speed: args.speed,
        seed: args.seed,
        path: args.path,
        body: json!({
            "radius": shortest(args.radius),
            "height": shortest(args.height),
            "knee": shortest(args.knee),
            "step_up": shortest(args.step_up),
            "step_down": shortest(args.step_down),
            "climb": shortest(args.climb),
            "max_slope": args.max_slope,
        }),
        runs,
        plot: args.out.as_ref().map(|path| path.display().to_string()),
    }
}

/// The name of the processor, if the system reports it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A description of the measurement, in one line.
fn title(args: &BenchArgs) -> String {
    let world = args.world.file_name().unwrap_or(args.world.as_os_str()).display();
    let body = format!("body {} x {} m", args.radius, args.height);
    let full = if args.path == PathArg::Full { ", all in the full controller" } else { "" };
    format!("{world}: {body} at {} m/s, {} Hz{full}", args.speed, args.rate)
}

fn print(answer: &Answer, args: &BenchArgs) -> Result<(), Failure> {
    output::line(&title(args))?;
    let mebibytes = answer.loaded_bytes as f64 / f64::from(1 << 20);
    let (loaded, sectors) = (answer.sectors_loaded, output::count(answer.sectors, "sector"));
    output::line(&format!("world: {loaded} of {sectors} in memory, {mebibytes:.1} MiB"))?;
    let processor = answer.processor.as_deref().unwrap_or("unknown processor");
    output::line(&format!("machine: {processor}, {}", output::count(answer.cores as u64, "core")))?;
    let room = format!("fit {:.1} ms", 1e3 / answer.rate);
    output::line(&format!(
        "{:>7} {:>9} {:>6} {:>10} {:>9} {:>9} {:>9} {room:>12} {:>6} {:>6}",
        "threads", "units", "ticks", "ns/unit", "p50 ms", "p99 ms", "full", "below", "held"
    ))?;
    answer.runs.iter().try_for_each(print_run)?;
    let put_back: u64 = answer.runs.iter().map(|run| run.put_back).sum();
    if put_back > 0 {
        let times = output::count(put_back, "time");
        output::line(&format!("{times} a unit fell through a hole and was put back"))?;
    }
    match &answer.plot {
        Some(plot) => output::line(&format!("plot: {plot}")),
        None => Ok(()),
    }
}

fn print_run(run: &Figures) -> Result<(), Failure> {
    let [p50, p99] = [run.tick_us.p50, run.tick_us.p99].map(|us| us / 1e3);
    output::line(&format!(
        "{:>7} {:>9} {:>6} {:>10.1} {p50:>9.3} {p99:>9.3} {:>9.1} {:>12} {:>6} {:>6}",
        run.threads,
        run.units,
        run.ticks,
        run.ns_per_unit_tick,
        run.full_units,
        run.room_for_units,
        run.units_below_ground,
        run.held_units
    ))
}
