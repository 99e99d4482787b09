//! What a second thread gains: the same crowd twice, on one thread and on several, alternating tick by tick.
//! Any other load on the machine slows both, so the quotient of two consecutive ticks is more reliable than
//! either time.
//!
//! Pure arithmetic, which never waits for memory, shows what the machine itself gains. One pass over it counts
//! as a unit.
//!
//! ```text
//! cargo run --release -p marchland-benches --example threads [THREADS]
//! ```

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use marchland_benches::followers::{Followers, Order};
use marchland_benches::pool;
use marchland_benches::walkers::Walkers;
use marchland_controller::{Batch, TickSettings, Units, Wish};
use marchland_terrain::TerrainView;
use marchland_terrain::query::ALL_LAYERS;
use marchland_worlds::terrain::rolling_world;
use marchland_worlds::town::Town;
use rayon::prelude::*;

/// Ticks that are not counted: the first ones draw maps and touch memory.
const WARM: usize = 10;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |given| given.parse())?;
    println!("ns for a unit and tick; quartiles and median of the quotients of ticks in turns");
    println!("| | units | 1 thread | {threads} threads | quotient | quarter | three quarters |");
    println!("|---|---|---|---|---|---|---|");
    arithmetic(threads);
    let world = rolling_world(11, 1.0, 256, 3)?;
    for (count, ticks) in [(10_000, 3000), (100_000, 600), (1_000_000, 100)] {
        let crowds = [0; 2].map(|_| Followers::new(&world, count, Order::Near));
        compare("following", world.view(), crowds, Followers::steer, threads, ticks)?;
    }
    let town = Town::new()?;
    for (count, ticks) in [(1000, 600), (10_000, 300)] {
        let crowds = [0; 2].map(|_| Walkers::new(&town, count, ALL_LAYERS));
        let view = town.sectors.view();
        compare("walkers in town", view, crowds, Walkers::steer, threads, ticks)?;
    }
    Ok(())
}

/// Moves a crowd on one thread and its twin on several, and prints a line. `steer` gives the units of a crowd and their
/// wishes in a tick.
fn compare<C>(
    name: &str,
    view: TerrainView<'_>,
    crowds: [C; 2],
    steer: fn(&mut C, usize) -> (&mut Units, &[Wish]),
    threads: usize,
    ticks: usize,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let pools = [1, threads].map(pool);
    let mut sides = crowds.map(|crowd| (crowd, Batch::new()));
    let settings = TickSettings::at_rate(60.0);
    let mut times = [Vec::new(), Vec::new()];
    for tick in 0..ticks {
        for ((pool, (crowd, batch)), times) in pools.iter().zip(&mut sides).zip(&mut times) {
            let (units, wishes) = steer(crowd, tick);
            let time = pool.install(|| {
                let start = Instant::now();
                batch.tick(view, units, wishes, &settings).map(|_| start.elapsed())
            })?;
            times.push(time);
        }
    }
    let [one, several] = sides.map(|(mut crowd, _)| {
        let (units, _) = steer(&mut crowd, ticks);
        (units.len(), units.state_hash())
    });
    assert_eq!(one, several, "other bits on {threads} threads");
    print(name, one.0, times);
    Ok(())
}

/// The same measurement for pure arithmetic.
fn arithmetic(threads: usize) {
    const PARTS: usize = 64;
    const PASSES: usize = 20_000;
    let pools = [1, threads].map(pool);
    let mut times = [Vec::new(), Vec::new()];
    for (pool, at) in (0..300).flat_map(|_| pools.iter().zip([0, 1])) {
        let time = pool.install(|| {
            let start = Instant::now();
            (0..PARTS).into_par_iter().for_each(|part| {
                let mut sums = [part as f32; 64];
                for _ in 0..PASSES {
                    sums = sums.map(|sum| sum * 0.999 + 0.5);
                }
                black_box(sums);
            });
            start.elapsed()
        });
        times[at].push(time);
    }
    print("arithmetic", PARTS * PASSES, times);
}

/// Prints a line of the table, from times on one thread and on several.
fn print(name: &str, units: usize, times: [Vec<Duration>; 2]) {
    let [one, several] = times.map(|mut times| {
        let times = times.split_off(WARM).into_iter();
        times.map(|time| time.as_nanos() as f64 / units as f64).collect::<Vec<_>>()
    });
    let mut quotients: Vec<_> = one.iter().zip(&several).map(|(one, all)| one / all).collect();
    let [one, several] = [one, several].map(|mut times| middle(&mut times, 2));
    let [low, median, high] = [1, 2, 3].map(|quarters| middle(&mut quotients, quarters));
    println!("| {name} | {units} | {one:.2} | {several:.2} | {median:.2} | {low:.2} | {high:.2} |");
}

/// The value at this many quarters of the sorted values.
fn middle(values: &mut [f64], quarters: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() * quarters / 4]
}
