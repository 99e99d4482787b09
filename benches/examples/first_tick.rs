//! The first ticks of a crowd, when nothing is remembered yet: 10 000 walkers in town, all in the full
//! controller, one thread, milliseconds.
//!
//! ```text
//! cargo run --release -p marchland-benches --example first_tick
//! ```
//!
//! The crowd is thrown at random places, where many are inside of props and get out first; or it has stood for
//! a second, and another batch goes on with it.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::time::Instant;

use marchland_benches::{Random, pool};
use marchland_controller::{Batch, Body, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_terrain::{Ground, TerrainView, WorldPos};
use marchland_worlds::town::{self, Town};

/// Whatever went wrong.
type Failure = Box<dyn std::error::Error + Send + Sync>;

const WALKERS: usize = 10_000;

/// Ticks that are shown.
const TICKS: usize = 10;

fn main() -> Result<(), Failure> {
    let town = Town::new()?;
    pool(1).install(|| {
        println!(
            "| crowd | {} |",
            (1..=TICKS).map(|tick| tick.to_string()).collect::<Vec<_>>().join(" | ")
        );
        println!("|---|{}", "---|".repeat(TICKS));
        for (name, seconds) in [("thrown", 0), ("has stood", 1)] {
            let times = ticks(town.sectors.view(), seconds)?;
            println!("| {name} | {} |", times.map(|time| format!("{time:.1}")).join(" | "));
        }
        Ok(())
    })
}

/// Times of the first ticks of a batch, with a crowd that has stood for some seconds. Milliseconds.
fn ticks(view: TerrainView<'_>, seconds: usize) -> Result<[f64; TICKS], Failure> {
    let (mut random, size) = (Random::new(31), view.grid().sector_size());
    let switches = Switches::path(PathChoice::Full);
    let settings = TickSettings::at_rate(60.0);
    let mut units = Units::new(size);
    let body = units.add_body(Body::default())?;
    while units.len() < WALKERS {
        let [x, z] = [(); 2].map(|()| random.between(town::LOW + 6.0, town::HIGH - 6.0));
        let Ground::Height(y) = view.ground(WorldPos::from_metres(x, 0.0, z, size)?) else {
            continue;
        };
        units.spawn(Spawn::standing(WorldPos::from_metres(x, f64::from(y), z, size)?, body))?;
    }
    let mut before = Batch::new();
    for _ in 0..60 * seconds {
        before.tick_with(&switches, view, &mut units, &[Wish::STAND; WALKERS], &settings)?;
    }
    let wishes: Vec<Wish> = (0..WALKERS)
        .map(|_| Wish::walk(random.between(-5.0, 5.0) as f32, random.between(-5.0, 5.0) as f32))
        .collect();
    let (mut batch, mut times) = (Batch::new(), [0.0; TICKS]);
    for time in &mut times {
        let start = Instant::now();
        batch.tick_with(&switches, view, &mut units, &wishes, &settings)?;
        *time = start.elapsed().as_secs_f64() * 1e3;
    }
    Ok(times)
}
