//! Small scenes whose instructions are counted: `count follow` and so on, see `.ci/counts`.
//!
//! | scene | what |
//! |---|---|
//! | `follow` | 10 000 units that follow rolling ground |
//! | `full` | 100 units among obstacles in which units get caught, all moved by the full controller |
//! | `town` | 1000 walkers among the props of the town, as in `benches/kinematic.rs` |
//! | `rough` | 200 walkers on bare ground, much of it too steep, all moved by the full controller |
//! | `longest` | a few units where their ticks take longest |
//!
//! Prints how many ticks of units were counted, and how many were of the full controller, before counting as well.
//!
//! One thread, random numbers that are the same in every run. Only calls of [`counted_tick`](tick::counted_tick) are
//! counted: the ticks, not the scenes or the first ticks, which allocate memory and sort units.

mod longest;
mod tick;

use std::error::Error;
use std::io::Write;

use marchland_benches::walkers::Walkers;
use marchland_benches::{Crowd, Random, heading, is_free};
use marchland_controller::{Batch, Body, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_terrain::ResidentSectors;
use marchland_terrain::query::ALL_LAYERS;
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::scene::rolling_height;
use marchland_worlds::terrain::{grid_of, rolling_world, world_from_fn};
use marchland_worlds::town::Town;

use self::tick::{counted_tick, text};

/// Counted ticks, and ticks before them.
const TICKS: usize = 60;
const WARM_UP: usize = 20;
/// Metres per second.
const SPEED: f32 = 5.0;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let scene = std::env::args().nth(1).unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    // Within the pool, so that ticks stay on this thread: collecting is switched on for one thread only.
    let [unit_ticks, full] = pool.install(|| match scene.as_str() {
        "follow" => follow(),
        "full" => full(),
        "town" => town(),
        "rough" => rough(),
        "longest" => longest::longest().map(|full| [full, full]),
        _ => Err("expected a scene: follow, full, town, rough or longest".to_owned()),
    })?;
    writeln!(std::io::stdout(), "{unit_ticks} {full}")?;
    Ok(())
}

/// Returns the number of unit ticks counted, and that of the full controller in all ticks.
fn follow() -> Result<[usize; 2], String> {
    let world = rolling_world(2, 1.0, 128, 3).map_err(text)?;
    let [ticked, full] = walk(&world, 10_000, PathChoice::default())?;
    Ok([ticked - full, 0])
}

/// As [`follow`].
fn rough() -> Result<[usize; 2], String> {
    let grid = grid_of(1.0, 128).map_err(text)?;
    let height = |x: f64, z: f64| 0.7 * rolling_height(10.0 * x, 10.0 * z, 5);
    let world = world_from_fn(grid, 2, height).map_err(text)?;
    walk(&world, 200, PathChoice::Full)
}

/// So many units over bare ground. Returns how many ticks of units were counted, and how many of these were of the full
/// controller.
fn walk(world: &ResidentSectors, count: usize, path: PathChoice) -> Result<[usize; 2], String> {
    let mut crowd = Crowd::new(world, count, SPEED);
    let switches = Switches::path(path);
    let settings = TickSettings::at_rate(60.0);
    let (mut batch, mut ticked, mut full) = (Batch::new(), 0, 0);
    for tick in 0..WARM_UP + TICKS {
        let (units, wishes) = crowd.tick_parts(tick);
        if tick < WARM_UP {
            batch.tick_with(&switches, world.view(), units, wishes, &settings).map_err(text)?;
        } else {
            counted_tick(&mut batch, world.view(), units, wishes, &switches, &settings)?;
            ticked += batch.report().ticked;
            full += batch.report().full;
        }
    }
    Ok([ticked, full])
}

/// As [`follow`].
fn full() -> Result<[usize; 2], String> {
    let mut clutter = Clutter::new(1).map_err(text)?;
    let mut random = Random::new(5);
    let mut units = Units::new(clutter.sectors.grid().sector_size());
    let body = units.add_body(Body::default()).map_err(text)?;
    while units.len() < 100 {
        let [x, z] = [(); 2].map(|()| random.between(clutter::LOW + 4.0, clutter::HIGH - 4.0));
        let place = clutter.place(x, 0.0, z).filter(|place| is_free(clutter.view(), *place));
        if let Some(place) = place {
            units.spawn(Spawn::standing(place, body)).map_err(text)?;
        }
    }
    let switches = Switches::path(PathChoice::Full);
    let settings = TickSettings::at_rate(clutter::RATE);
    let (mut batch, mut unit_ticks) = (Batch::new(), 0);
    let mut wishes = [Wish::STAND; 100];
    for tick in 0..WARM_UP + TICKS {
        if tick % WARM_UP == 0 {
            for wish in &mut wishes {
                *wish = Wish::STAND.at_velocity(heading(&mut random).map(|part| part * SPEED));
            }
        }
        clutter.advance().map_err(text)?;
        if tick < WARM_UP {
            batch
                .tick_with(&switches, clutter.view(), &mut units, &wishes, &settings)
                .map_err(text)?;
        } else {
            counted_tick(&mut batch, clutter.view(), &mut units, &wishes, &switches, &settings)?;
            unit_ticks += batch.report().full;
        }
    }
    Ok([unit_ticks; 2])
}

/// As [`follow`].
fn town() -> Result<[usize; 2], String> {
    let town = Town::new().map_err(text)?;
    let mut walkers = Walkers::new(&town, 1000, ALL_LAYERS);
    let settings = TickSettings::at_rate(60.0);
    let (mut batch, mut unit_ticks, mut full) = (Batch::new(), 0, 0);
    for tick in 0..WARM_UP + TICKS {
        walkers.steer(tick);
        let Walkers { units, wishes, .. } = &mut walkers;
        if tick < WARM_UP {
            batch.tick(town.sectors.view(), units, wishes, &settings).map_err(text)?;
        } else {
            counted_tick(
                &mut batch,
                town.sectors.view(),
                units,
                wishes,
                &Switches::default(),
                &settings,
            )?;
            unit_ticks += batch.report().ticked;
        }
        full += batch.report().full;
    }
    Ok([unit_ticks, full])
}
