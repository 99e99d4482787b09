//! `marchland fly`: sources over a world, units beneath them, and the cost.
//!
//! Flights over worlds, to measure what streaming costs.
//!
//! ```text
//! course ─▶ sources ─▶ update of the streamer ─▶ view ─▶ tick of the squad ─▶ log ─▶ figures, plot
//! ```
//!
//! | file | what |
//! |---|---|
//! | `course` | the course of a source: legs and sharp turns within the world |
//! | `squad` | units that stay beneath the sources |
//! | `land` | the world: streamed, or all of it in memory |
//! | `flight` | tick after tick |
//! | `log` | the cost and the observations of every tick, and the figures computed from them |
//! | `system` | page faults, and the system's own copies of files |
//! | `plot` | the picture |

mod args;
mod course;
mod flight;
mod land;
mod log;
mod plot;
mod squad;
mod system;

pub use args::{FlyArgs, ModeArg};
pub use flight::fly;
pub use land::Land;
pub use log::{Figures, Log, Percentiles};
pub use plot::draw;
pub use system::forget_files;

use marchland_terrain::store::WorldInfo;
use serde::Serialize;

use crate::command::failure::Failure;
use crate::command::guard;
use crate::command::output::{self, progress_bar};
use crate::command::plot::PlotKind;
use crate::command::verbs::bake::pool;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    world: String,
    sectors: u64,
    sector_bytes: u64,
    speed: f64,
    radius: f64,
    rate: f64,
    sources: u16,
    units: u32,
    threads: u16,
    mode: ModeArg,
    real_time: bool,
    mapped: bool,
    cold: bool,
    shuttle: bool,
    crowds: bool,
    props: bool,
    streamed: Option<Figures>,
    resident: Option<Figures>,
    ratio_p999: Option<f32>,
    ratio_cpu_p999: Option<f32>,
    plot: Option<String>,
}

/// Flies, reports the cost, draws.
///
/// # Errors
/// With exit code 1 if a unit was below the ground; otherwise if the world cannot be read, does not
/// suit the flight, or the plot cannot be written.
pub fn run(args: &FlyArgs) -> Result<(), Failure> {
    let kind = args.plot.as_deref().map(PlotKind::of).transpose()?;
    let ticks = ticks(args)?;
    let plot = guard::begin_early(args.plot.as_deref(), "--plot", &args.world)?;
    if args.cold && !forget_files(&args.world)? {
        let why = "this system cannot drop files from its page cache";
        output::note(&format!("note: --cold has no effect: {why}"));
    }
    let mut info = None;
    let streamed = (!args.resident).then(|| flight(args, ticks, false, &mut info)).transpose()?;
    let is_compared = args.resident || args.compare;
    let resident = is_compared.then(|| flight(args, ticks, true, &mut info)).transpose()?;
    let Some(flown) = streamed.as_ref().or(resident.as_ref()) else { return Ok(()) };
    let figures = [&streamed, &resident].map(|log| log.as_ref().map(Log::figures));
    let below = figures.iter().flatten().map(|figures| figures.units_below_ground).sum();
    let answer = answer(args, info.as_ref(), figures);
    let printed = if args.json { output::json(&answer) } else { print(&answer, args) };
    // The result is valid even if the figures were not read, or the plot cannot be written.
    let judged = match below {
        0 => Ok(()),
        1_u64.. => {
            let times = output::count(below, "time");
            Err(Failure::check(format!("a unit was below the ground {times}")))
        }
    };
    let control = streamed.is_some().then_some(resident.as_ref()).flatten();
    let plotted = match plot.zip(kind) {
        Some((plot, kind)) => draw(plot, kind, &title(args), flown, control),
        None => Ok(()),
    };
    Failure::first_of([judged, plotted, printed])
}

/// The number of ticks, after a check of the numbers it follows from and of the speed.
fn ticks(args: &FlyArgs) -> Result<u32, Failure> {
    const TICKS_MAX: f64 = 10_000_000.0;
    let ticks = (args.seconds * args.rate).round();
    if !(1.0..=TICKS_MAX).contains(&ticks) {
        let message = format!("{ticks} ticks, expected 1 to {TICKS_MAX}");
        return Err(Failure::input(message).hint("check --seconds and --rate"));
    }
    if args.rate < 4.0 {
        let message = format!("{} ticks per second, expected at least 4", args.rate);
        return Err(Failure::input(message));
    }
    if args.speed > 4000.0 {
        let message = format!("a speed of {} m/s, expected at most 4000", args.speed);
        return Err(Failure::input(message));
    }
    Ok(ticks as u32)
}

fn flight(
    args: &FlyArgs,
    ticks: u32,
    is_resident: bool,
    info: &mut Option<WorldInfo>,
) -> Result<Log, Failure> {
    let mut land =
        if is_resident { Land::resident(&args.world, args.copied)? } else { Land::streamed(args)? };
    *info = Some(land.info().clone());
    let bar = progress_bar(u64::from(ticks), "flying");
    let mut progress = |tick: u32| {
        if tick.is_multiple_of(64) {
            bar.set_position(u64::from(tick));
        }
    };
    let pool = pool(Some(usize::from(args.threads)))?;
    let log = pool.install(|| fly(&mut land, args, ticks, &mut progress));
    bar.finish_and_clear();
    log
}

fn answer(args: &FlyArgs, info: Option<&WorldInfo>, figures: [Option<Figures>; 2]) -> Answer {
    let [streamed, resident] = figures;
    let ratio = |of: fn(&Figures) -> Option<Percentiles>| {
        let p999 = |figures: &Option<Figures>| figures.as_ref().and_then(of).map(|of| of.p999);
        let both = p999(&streamed).zip(p999(&resident));
        both.filter(|(_, resident)| *resident > 0.0).map(|(streamed, resident)| streamed / resident)
    };
    let ratio_p999 = ratio(|figures| Some(figures.tick_us));
    let ratio_cpu_p999 = ratio(|figures| figures.tick_cpu_us);
    Answer {
        world: args.world.display().to_string(),
        sectors: info.map_or(0, |info| info.sectors),
        sector_bytes: info.map_or(0, |info| info.sector_bytes),
        speed: args.speed,
        radius: args.radius,
        rate: args.rate,
        sources: args.sources,
        units: args.units,
        threads: args.threads,
        mode: args.mode,
        real_time: args.real_time,
        mapped: !args.copied,
        cold: args.cold,
        shuttle: args.shuttle,
        crowds: args.crowds,
        props: args.props,
        streamed,
        resident,
        ratio_p999,
        ratio_cpu_p999,
        plot: args.plot.as_ref().map(|path| path.display().to_string()),
    }
}

/// A description of the flight, in one line.
fn title(args: &FlyArgs) -> String {
    let FlyArgs { world, speed, radius, rate, .. } = args;
    let world = world.file_name().unwrap_or(world.as_os_str()).display();
    let sources = output::count(args.sources.into(), "source");
    let units = output::count(args.units.into(), "unit");
    format!("{world}: {sources} at {speed} m/s, radius {radius} m, {units}, {rate} Hz")
}

fn print(answer: &Answer, args: &FlyArgs) -> Result<(), Failure> {
    output::line(&title(args))?;
    let gigabytes = answer.sector_bytes as f64 / f64::from(1 << 30);
    let sectors = output::count(answer.sectors, "sector");
    output::line(&format!("world: {sectors}, {gigabytes:.2} GiB"))?;
    if let Some(figures) = &answer.streamed {
        output::line("streamed")?;
        print_times(figures, true)?;
        print_streaming(figures)?;
        print_units(figures)?;
    }
    if let Some(figures) = &answer.resident {
        output::line("with the whole world in memory")?;
        print_times(figures, false)?;
        print_units(figures)?;
    }
    if let Some(ratio) = answer.ratio_p999 {
        output::line(&format!("tick p99.9: streamed is {ratio:.3} times in memory"))?;
    }
    if let Some(ratio) = answer.ratio_cpu_p999 {
        output::line(&format!("tick p99.9, CPU time: streamed is {ratio:.3} times in memory"))?;
    }
    if let Some(plot) = &answer.plot {
        output::line(&format!("plot: {plot}"))?;
    }
    Ok(())
}

fn print_times(figures: &Figures, is_streamed: bool) -> Result<(), Failure> {
    let Figures { ticks, seconds, .. } = figures;
    output::line(&format!("  {} in {seconds:.1} s", output::count(*ticks as u64, "tick")))?;
    let times = |name: &str, Percentiles { p50, p99, p999, max }: Percentiles| {
        let [p50, p99, p999, max] = [p50, p99, p999, max].map(|us| us / 1000.0);
        output::line(&format!(
            "  {name:<18} ms: p50 {p50:.3}, p99 {p99:.3}, p99.9 {p999:.3}, max {max:.3}"
        ))
    };
    times("tick", figures.tick_us)?;
    if is_streamed {
        times("streaming part", figures.update_us)?;
        times("movement part", figures.move_us)?;
    }
    // CPU times do not advance while other programs have the core.
    if let Some(own) = figures.tick_cpu_us {
        times("tick, CPU time", own)?;
    }
    if let Some(own) = figures.update_cpu_us.filter(|_| is_streamed) {
        times("streaming, CPU", own)?;
    }
    match (figures.page_faults_major, figures.page_faults_minor, figures.thread_waits) {
        (Some(major), Some(minor), Some(waits)) => output::line(&format!(
            "  threads that move units: {major} major and {minor} minor page faults, {waits} waits"
        )),
        _ => output::line("  threads that move units: page faults are unknown on this system"),
    }
}

fn print_streaming(figures: &Figures) -> Result<(), Failure> {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    output::line(&format!(
        "  loaded {}, {:.1} MiB at {:.1} MB/s; {} evicted, {} late, {} cancelled, {} failed",
        output::count(figures.sectors_loaded, "sector"),
        mib(figures.read_bytes),
        figures.read_mb_per_second,
        figures.evictions,
        figures.late_arrivals,
        figures.cancelled,
        figures.failures
    ))?;
    output::line(&format!(
        "  at most {} missing, {} without room, {:.3} s of waiting; longest publication {:.3} ms",
        figures.missing_most,
        figures.without_room_most,
        figures.oldest_wait_seconds,
        figures.worst_publication_us / 1000.0
    ))?;
    let (peak, budget) = (mib(figures.resident_bytes_peak), mib(figures.budget_bytes));
    output::line(&format!("  in memory at most {peak:.1} MiB of {budget:.1} MiB"))
}

fn print_units(figures: &Figures) -> Result<(), Failure> {
    output::line(&format!(
        "  held {} of {} unit ticks, at most {} at once, longest {:.3} s",
        figures.held_unit_ticks,
        figures.unit_ticks,
        output::count(figures.held_units_most as u64, "unit"),
        figures.longest_hold_seconds
    ))?;
    output::line(&format!(
        "  {} crossed, {} put back, {} below the ground",
        output::count(figures.borders_crossed, "border"),
        output::count(figures.put_back, "unit"),
        figures.units_below_ground
    ))?;
    if figures.waits > 0 {
        let Figures { waits, waited_seconds, .. } = figures;
        let ticks = output::count(*waits, "strict tick");
        output::line(&format!("  {ticks} waited, {waited_seconds:.3} s in total"))?;
    }
    Ok(())
}
