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

use std::io::Write;

use marchland_benches::walkers::Walkers;
use marchland_benches::{Crowd, Random, heading, is_free, pool};
use marchland_controller::{Batch, Body, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_terrain::query::ALL_LAYERS;
use marchland_terrain::{ResidentSectors, TerrainView};
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::scene::rolling_height;
use marchland_worlds::terrain::{SceneError, grid_of, rolling_world, world_from_fn};
use marchland_worlds::town::Town;

use self::tick::counted_tick;

/// Counted ticks, and ticks before them.
const TICKS: usize = 60;
const WARM_UP: usize = 20;
/// Metres per second.
const SPEED: f32 = 5.0;

fn main() -> Result<(), SceneError> {
    let scene = std::env::args().nth(1).unwrap_or_default();
    // Within the pool, so that ticks stay on this thread: collecting is switched on for one thread only.
    let [unit_ticks, full] = pool(1).install(|| match scene.as_str() {
        "follow" => follow(),
        "full" => full(),
        "town" => town(),
        "rough" => rough(),
        "longest" => longest::longest().map(|full| [full, full]),
        _ => Err("expected a scene: follow, full, town, rough or longest".into()),
    })?;
    writeln!(std::io::stdout(), "{unit_ticks} {full}")?;
    Ok(())
}

/// Ticks of a scene: the first ones warm up, the others are counted.
struct Ticks {
    batch: Batch,
    switches: Switches<'static>,
    settings: TickSettings,
    /// Unit ticks counted, and those of the full controller among them.
    counted: [usize; 2],
    /// Unit ticks of the full controller in all ticks.
    full: usize,
}

impl Ticks {
    fn new(path: PathChoice) -> Self {
        let (switches, settings) = (Switches::path(path), TickSettings::at_rate(60.0));
        Self { batch: Batch::new(), switches, settings, counted: [0; 2], full: 0 }
    }

    fn run(
        &mut self,
        tick: usize,
        view: TerrainView<'_>,
        units: &mut Units,
        wishes: &[Wish],
    ) -> Result<(), SceneError> {
        let Self { batch, switches, settings, counted, full } = self;
        if tick < WARM_UP {
            batch.tick_with(switches, view, units, wishes, settings)?;
        } else {
            counted_tick(batch, view, units, wishes, switches, settings)?;
            counted[0] += batch.report().ticked;
            counted[1] += batch.report().full;
        }
        *full += batch.report().full;
        Ok(())
    }
}

/// Returns the number of unit ticks counted, and that of the full controller in all ticks.
fn follow() -> Result<[usize; 2], SceneError> {
    let world = rolling_world(2, 1.0, 128, 3)?;
    let [ticked, full] = walk(&world, 10_000, PathChoice::default())?;
    Ok([ticked - full, 0])
}

/// As [`follow`].
fn rough() -> Result<[usize; 2], SceneError> {
    let height = |x: f64, z: f64| 0.7 * rolling_height(10.0 * x, 10.0 * z, 5);
    walk(&world_from_fn(grid_of(1.0, 128)?, 2, height)?, 200, PathChoice::Full)
}

/// So many units over bare ground. Returns how many ticks of units were counted, and how many of these were of the full
/// controller.
fn walk(world: &ResidentSectors, count: usize, path: PathChoice) -> Result<[usize; 2], SceneError> {
    let mut crowd = Crowd::new(world, count, SPEED);
    let mut ticks = Ticks::new(path);
    for tick in 0..WARM_UP + TICKS {
        let (units, wishes) = crowd.tick_parts(tick);
        ticks.run(tick, world.view(), units, wishes)?;
    }
    Ok(ticks.counted)
}

/// As [`follow`].
fn full() -> Result<[usize; 2], SceneError> {
    let mut clutter = Clutter::new(1)?;
    let mut random = Random::new(5);
    let mut units = Units::new(clutter.sectors.grid().sector_size());
    let body = units.add_body(Body::default())?;
    while units.len() < 100 {
        let [x, z] = [(); 2].map(|()| random.between(clutter::LOW + 4.0, clutter::HIGH - 4.0));
        let place = clutter.place(x, 0.0, z).filter(|place| is_free(clutter.view(), *place));
        if let Some(place) = place {
            units.spawn(Spawn::standing(place, body))?;
        }
    }
    let mut ticks = Ticks::new(PathChoice::Full);
    let mut wishes = [Wish::STAND; 100];
    for tick in 0..WARM_UP + TICKS {
        if tick % WARM_UP == 0 {
            for wish in &mut wishes {
                *wish = Wish::STAND.at_velocity(heading(&mut random).map(|part| part * SPEED));
            }
        }
        clutter.advance()?;
        ticks.run(tick, clutter.view(), &mut units, &wishes)?;
    }
    Ok([ticks.counted[1]; 2])
}

/// As [`follow`].
fn town() -> Result<[usize; 2], SceneError> {
    let town = Town::new()?;
    let mut walkers = Walkers::new(&town, 1000, ALL_LAYERS);
    let mut ticks = Ticks::new(PathChoice::default());
    for tick in 0..WARM_UP + TICKS {
        let (units, wishes) = walkers.steer(tick);
        ticks.run(tick, town.sectors.view(), units, wishes)?;
    }
    Ok([ticks.counted[0], ticks.full])
}
