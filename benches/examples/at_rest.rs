//! Nanoseconds a tick of a unit takes that stands on bare rough ground, where it has been walked about before.
//!
//! ```text
//! cargo run --release -p marchland-benches --no-default-features --example at_rest
//! ```

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::error::Error;
use std::time::Instant;

use marchland_benches::Crowd;
use marchland_controller::{Batch, TickSettings, Wish};
use marchland_worlds::scene::rolling_height;
use marchland_worlds::terrain::{grid_of, world_from_fn};

/// Ticks in which all walk, ticks in which they come to rest, and ticks that are measured.
const WALKED: usize = 60;
const SETTLED: usize = 300;
const MEASURED: usize = 300;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    for (what, relief) in [("hilly", 0.35), ("rough", 0.7)] {
        let height = |x: f64, z: f64| relief * rolling_height(10.0 * x, 10.0 * z, 5);
        let world = world_from_fn(grid_of(1.0, 128)?, 2, height)?;
        for count in [10_000, 100_000] {
            let (best, median, full) = at_rest(world.view(), Crowd::new(&world, count, 5.0))?;
            let full = 100.0 * full as f64 / count as f64;
            println!(
                "{what} {count:6}: best {best:5.1} ns, median {median:5.1} ns a unit; \
                 {full:.0} % are the full controller's"
            );
        }
    }
    Ok(())
}

/// The best and the median of the ticks, nanoseconds a unit, and how many the full controller answers for.
fn at_rest(
    view: marchland_terrain::TerrainView<'_>,
    mut crowd: Crowd,
) -> Result<(f64, f64, usize), Box<dyn Error + Send + Sync>> {
    let (settings, mut batch, mut times) = (TickSettings::at_rate(60.0), Batch::new(), Vec::new());
    for tick in 0..WALKED {
        let (units, wishes) = crowd.tick_parts(tick);
        batch.tick(view, units, wishes, &settings)?;
    }
    let (units, wishes) = crowd.tick_parts(WALKED);
    let stand = vec![Wish::STAND; wishes.len()];
    for tick in 0..SETTLED + MEASURED {
        let begun = Instant::now();
        batch.tick(view, units, &stand, &settings)?;
        if tick >= SETTLED {
            times.push(begun.elapsed().as_secs_f64() * 1e9 / stand.len() as f64);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[0], times[MEASURED / 2], batch.report().full))
}
