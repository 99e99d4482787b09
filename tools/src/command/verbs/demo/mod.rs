//! `marchland demo`: the complete process once, from a PNG to marching units and a picture of them.
//!
//! The demo: bakes the sample world, marches units over it, draws where they went.

mod check;
mod folder;
mod march;
mod picture;
mod standing;
mod tracks;
mod walks;

pub use check::Findings;
pub use folder::{Images, PICTURE, WORLD, prepare};
use march::fault;
pub use march::{March, MarchReport};
pub use picture::{draw, legend_lines, sketches};
pub use tracks::Tracks;

use clap::Args;
use std::path::{Path, PathBuf};

use marchland_terrain::bake::props::PropInput;
use marchland_terrain::props::LiveProps;
use marchland_terrain::store::World;
use marchland_worlds::march::{Plan, groups};
use marchland_worlds::{demo as recipe, demo_props, demo_walks};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::bake::{self, BakeArgs, PropPlan, pool};
use crate::command::failure::Failure;
use crate::command::interrupt::{self, Phase};
use crate::command::output::{self, count, progress_bar};
use crate::command::output_file::OutputFile;
use crate::command::plot::Pen;
use crate::command::render::MapRect;
use crate::command::world;

/// `marchland demo`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland demo --units 50000 --ticks 6000 --out demo-out")]
pub struct DemoArgs {
    /// Number of marching units.
    #[arg(long, default_value_t = 20_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000), allow_hyphen_values = true)]
    pub units: u32,
    /// Number of ticks, each 1/60 s.
    #[arg(long, default_value_t = 6_000, value_name = "N", allow_hyphen_values = true)]
    pub ticks: u32,
    /// Threads that move units; the result does not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Folder for the world and the picture.
    #[arg(long, default_value = "marchland-demo", value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Pixels along a side of the map.
const MAP_PIXELS: u32 = 1280;

/// Bakes, marches, draws.
///
/// # Errors
/// If the folder cannot be written.
pub fn run(args: &DemoArgs) -> Result<(), Failure> {
    let world_path = bake(args)?;
    interrupt::enter(Phase::Marches);
    let picture_path = args.out.join(PICTURE);
    let out = OutputFile::begin(&picture_path)?;
    let mut world = world::open(&world_path)?;
    world::load_all(&mut world)?;
    let plan = Plan::new().map_err(|error| fault(&error))?;
    let side = March::side_metres();
    let mut tracks = tracks(args.units as usize, side);
    let threads = args.threads.map(usize::from);
    let (marched, live) = pool(threads)?.install(|| march(&world, &plan, args, &mut tracks))?;

    let printed = print(&marched, &world, &world_path, &picture_path, args);
    // The result is valid even if the figures were not read, or the picture cannot be written.
    let judged = judge(&marched, args);
    let half = f64::from(world.info().facts.grid.sector_size().half());
    let rect = MapRect { x0: -half, z0: -half, x1: side - half, z1: side - half };
    let lines = legend_lines(args.units, args.ticks, &marched);
    let drawn = draw(&mut world, &live, rect, &tracks, MAP_PIXELS, &lines)
        .and_then(|picture| picture.write(out));
    Failure::first_of([judged, drawn, printed])
}

/// Reports units at invalid places, and writes scenarios of them into the folder.
fn judge(marched: &MarchReport, args: &DemoArgs) -> Result<(), Failure> {
    let findings = &marched.findings;
    findings.lines.iter().for_each(|line| output::note(line));
    let folder = &args.out;
    let left = findings.write(folder).map_err(|error| Failure::file(folder, &error));
    let found = match (findings.violations, marched.below_ground) {
        (0, 0) => Ok(()),
        (0, below) => {
            let times = count(below, "time");
            Err(Failure::check(format!("a unit was below the ground {times}")))
        }
        (inside, _) => {
            let times = count(inside, "time");
            Err(Failure::check(format!("a unit was inside something {times}"))
                .hint(format!("scenario files of the first ones are in {}", folder.display())))
        }
    };
    Failure::first_of([found, left])
}

/// Tracks for the picture's maps: the large one and those beside it.
fn tracks(units: usize, side: f64) -> Vec<Tracks> {
    let mut colours: Vec<_> = groups().iter().map(|group| group.colour).collect();
    colours.push(demo_walks::COLOUR);
    let mut tracks = vec![Tracks::new(MAP_PIXELS, side, units, colours.clone())];
    tracks.extend(sketches(units, &colours));
    tracks
}

/// Writes the embedded images beside the world and bakes them like any others.
fn bake(args: &DemoArgs) -> Result<PathBuf, Failure> {
    let Images { heights, holes, surfaces } = prepare(&args.out)?;
    let world = args.out.join(WORLD);
    let mut bake = BakeArgs::new(heights, world.clone());
    bake.spacing = Some([recipe::SPACING; 2]);
    bake.min_height = Some(recipe::MIN_HEIGHT);
    bake.max_height = Some(recipe::MAX_HEIGHT);
    bake.holes = Some(holes);
    bake.surfaces = Some(surfaces);
    bake.surface_names = Some(demo_props::ALL_SURFACE_NAMES.map(str::to_owned).to_vec());
    bake.jobs = args.threads;
    let mut plan = bake::plan(&bake)?;
    let props = demo_props::props().map_err(|error| fault(&error))?;
    // The props come from no file whose hash would reveal a change.
    plan.settings_text += &format!("demo props = {:032x}\n", hash_of(&props));
    plan.props = Some(PropPlan { input: props, ..PropPlan::default() });
    bake::execute(plan)?;
    Ok(world)
}

/// A number that differs for different props.
fn hash_of(props: &PropInput) -> u128 {
    let mut text = format!("{:?} {:?}", props.props, props.scatters).into_bytes();
    props.meshes.iter().for_each(|mesh| text.extend(mesh.encode()));
    xxh3_128(&text)
}

fn march(
    world: &World,
    plan: &Plan,
    args: &DemoArgs,
    tracks: &mut [Tracks],
) -> Result<(MarchReport, LiveProps), Failure> {
    let mut march = March::begin(world.view(), plan, args.units)?;
    let bar = progress_bar(u64::from(args.ticks), "marching");
    let marched = march.run(args.ticks, tracks, &mut |tick| bar.set_position(u64::from(tick)));
    bar.finish_and_clear();
    Ok((marched?, march.live().clone()))
}

fn print(
    marched: &MarchReport,
    world: &World,
    path: &Path,
    picture: &Path,
    args: &DemoArgs,
) -> Result<(), Failure> {
    let MarchReport { borders_crossed, walkers, rounds_walked, feats, findings, .. } = marched;
    // Units that take it in a tick, on average.
    let full_controller = marched.full as f64 / f64::from(args.ticks.max(1));
    let unit_ticks = f64::from(args.units) * f64::from(args.ticks);
    let nanoseconds = marched.in_ticks.as_secs_f64() * 1e9;
    let ns_per_unit_tick = if unit_ticks > 0.0 { nanoseconds / unit_ticks } else { 0.0 };
    let state_hash = format!("{:016x}", marched.state_hash);
    let (info, picture) = (world.info(), picture.display().to_string());
    if args.json {
        return output::json(&json!({
            "sectors": info.sectors,
            "units": args.units,
            "ticks": args.ticks,
            "borders_crossed": borders_crossed,
            "walkers": walkers,
            "rounds_walked": rounds_walked,
            "stairs_climbed": feats.stairs_climbed,
            "stairs_descended": feats.stairs_descended,
            "bridges_crossed": feats.bridges_crossed,
            "platforms_ridden": feats.platforms_ridden,
            "full_controller": full_controller,
            "crushed": marched.crushed,
            "stuck": marched.stuck,
            "checked": findings.looks,
            "violations": findings.violations,
            "ns_per_unit_tick": ns_per_unit_tick,
            "units_below_ground": marched.below_ground,
            "units_held": marched.held,
            "state_hash": state_hash,
            "picture": picture,
        }));
    }
    let seconds = f64::from(args.ticks) / 60.0;
    let threads = args.threads.map(|threads| count(threads.into(), "thread"));
    let threads = threads.as_deref().unwrap_or("all threads");
    let (units, ticks) = (count(args.units.into(), "unit"), count(args.ticks.into(), "tick"));
    let borders = count(*borders_crossed, "sector border");
    let stops = count(marched.stops_reached, "stop");
    let [walkers, rounds] = [count(*walkers as u64, "walker"), count(*rounds_walked, "round")];
    let times = |number| count(number, "time");
    let [climbed, descended] = [feats.stairs_climbed, feats.stairs_descended].map(times);
    let [crossed, ridden] = [feats.bridges_crossed, feats.platforms_ridden].map(times);
    let looks = count(findings.looks, "look");
    for (label, text) in [
        ("world", format!("{} in {}", count(info.sectors, "sector"), path.display())),
        ("props", format!("{} of {} meshes", info.props, info.meshes)),
        ("marched", format!("{units}, {ticks} ({seconds:.0} s at 60 Hz)")),
        ("", format!("{borders} crossed, {stops} reached")),
        ("walked", format!("{walkers}, {rounds}")),
        ("", format!("stairs climbed {climbed}, descended {descended}")),
        ("", format!("bridge crossed {crossed}, platforms ridden {ridden}")),
        ("controller", format!("{full_controller:.1} units in a tick on average")),
        ("speed", format!("{ns_per_unit_tick:.1} ns per unit and tick on {threads}")),
        ("below ground", marched.below_ground.to_string()),
        ("violations", format!("{} in {looks} at single units", findings.violations)),
        ("held", marched.held.to_string()),
        ("state hash", state_hash),
        ("picture", picture),
    ] {
        output::line(&format!("{label:<13} {text}"))?;
    }
    Ok(())
}
