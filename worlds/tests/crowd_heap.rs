//! What a crowd takes of the heap: its columns, what a tick writes beside them, what is remembered.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../controller/tests/common/counting.rs"]
mod counting;

use marchland_controller::{Batch, Body, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_random::Random;
use marchland_terrain::{Ground, WorldPos};
use marchland_worlds::town::{self, Town};

use self::counting::bytes_in_use;

/// Most bytes for each walker of a crowd of 10 000, all in the full controller.
const BYTES_MAX: i64 = 2000;

/// Bytes for each of so many walkers in the town, from the first unit to the end of some ticks.
fn bytes_each(town: &Town, count: usize) -> i64 {
    let (view, mut random) = (town.sectors.view(), Random::from_state(31));
    let size = view.grid().sector_size();
    let wishes: Vec<Wish> = (0..count)
        .map(|_| Wish::walk(random.between(-5.0, 5.0) as f32, random.between(-5.0, 5.0) as f32))
        .collect();
    let (settings, switches) = (TickSettings::at_rate(60.0), Switches::path(PathChoice::Full));
    let before = bytes_in_use();
    let (mut units, mut batch) = (Units::new(size), Batch::new());
    let body = units.add_body(Body::default()).unwrap();
    while units.len() < count {
        let [x, z] = [(); 2].map(|()| random.between(town::LOW + 6.0, town::HIGH - 6.0));
        let at = |y| WorldPos::from_metres(x, y, z, size).unwrap();
        if let Ground::Height(y) = view.ground(at(0.0)) {
            units.spawn(Spawn::standing(at(f64::from(y)), body)).unwrap();
        }
    }
    for _ in 0..10 {
        batch.tick_with(&switches, view, &mut units, &wishes, &settings).unwrap();
    }
    (bytes_in_use() - before) / count as i64
}

#[test]
fn a_walker_of_a_large_crowd_takes_two_kilobytes_at_most() {
    let town = Town::new().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let each = pool.install(|| [10_000, 1000, 100].map(|count| bytes_each(&town, count)));
    println!("heap bytes of each of 10 000, 1000 and 100 walkers: {each:?}");
    assert!(each[0] <= BYTES_MAX, "{each:?}");
    // What is gathered around units follows their number, and has an end.
    assert!(each[1] < 10 * BYTES_MAX && each[2] < 100 * BYTES_MAX, "{each:?}");
}
