//! Walks at random through the clutter: whatever units are asked to do, they end every tick free.
//!
//! A fault is printed with its seed, tick and unit, and the first of each kind as a scenario file of the
//! place. To walk one seed again, or more of them than usual; with `CLUTTER_RATE=30` or 240 at that rate:
//!
//! ```text
//! CLUTTER_SEEDS=7..8 cargo test --release -p marchland-worlds --test clutter_walks million -- --ignored
//! ```

#![allow(clippy::unwrap_used, clippy::panic)]

mod caught;
mod chances;
mod faults;
mod flung;
mod walk;
#[path = "../common/ways.rs"]
mod ways;

use std::ops::Range;

use marchland_controller::{Body, BodyBuilder, PathChoice, Switches};
use marchland_terrain::SectorCoord;
use marchland_worlds::clutter::Rate;

use self::caught::CAUGHT;
use self::faults::{Faults, Kind};
use self::walk::Walk;

/// Units of one walk, and its ticks: a quarter of a million together.
const UNITS: u32 = 250;
const TICKS: u64 = 1000;

#[test]
fn a_million_ticks_of_units_end_free() {
    walk_all(1..5, &[Rate::Hz60]);
}

#[test]
fn half_a_million_ticks_of_units_end_free_at_the_slowest_and_the_fastest_rate() {
    walk_all(3..4, &[Rate::Hz30, Rate::Hz240]);
}

#[test]
#[ignore = "takes minutes: .ci/deep walks"]
fn ten_million_ticks_of_units_end_free() {
    let seeds = std::env::var("CLUTTER_SEEDS").unwrap_or_else(|_| "5..45".to_owned());
    let (first, end) = seeds.split_once("..").expect("CLUTTER_SEEDS is first..end");
    let seeds = first.parse().unwrap()..end.parse().unwrap();
    let rate = match std::env::var("CLUTTER_RATE").as_deref() {
        Ok("30") => Rate::Hz30,
        Ok("240") => Rate::Hz240,
        Ok("60") | Err(_) => Rate::Hz60,
        Ok(rate) => panic!("CLUTTER_RATE is 30, 60 or 240, not {rate}"),
    };
    walk_all(seeds, &[rate]);
}

/// Whoever begins where something happened to somebody, and asks for the same, is free after every tick and not flung.
#[test]
fn nothing_happens_again_where_it_happened() {
    let mut faults = Faults::default();
    let mut ticks = 0;
    for caught in CAUGHT {
        let mut walk = Walk::again(caught);
        for _ in 0..20 {
            walk.tick(&Switches::default());
            walk.check(&mut faults);
            ticks += 1;
            // Who is stuck, and told, is in something below the knee, and led into nothing else.
            assert!(walk.all_are_free(), "seed {}, tick {ticks}", caught.seed);
        }
    }
    faults.report(ticks);
}

/// Whose body is larger than the work of a tick allows for is seen.
#[test]
fn who_is_overloaded_is_a_fault() {
    let mut walk = Walk::new(1, Rate::Hz60, SectorCoord::new(0, 0), 0);
    let huge = BodyBuilder { radius: 64.0, height: 130.0, ..Body::builder() };
    walk.spawn_with(huge.build().unwrap());
    let mut faults = Faults::default();
    for _ in 0..3 {
        walk.tick(&Switches::default());
        walk.check(&mut faults);
    }
    assert_eq!(faults.count(Kind::Overloaded), 3);
}

/// Walks every seed at every rate, two at a time, and reports all faults.
fn walk_all(seeds: Range<u64>, rates: &[Rate]) {
    let walks: Vec<(u64, Rate)> =
        seeds.flat_map(|seed| rates.iter().map(move |&rate| (seed, rate))).collect();
    let halves = [0, 1].map(|half| walks.iter().copied().skip(half).step_by(2));
    let mut all = Faults::default();
    std::thread::scope(|scope| {
        let walks = halves.map(|walks| {
            scope.spawn(move || {
                let mut faults = Faults::default();
                for (seed, rate) in walks {
                    let mut walk = Walk::new(seed, rate, SectorCoord::new(0, 0), UNITS);
                    for _ in 0..TICKS {
                        walk.tick(&Switches::default());
                        walk.check(&mut faults);
                    }
                }
                faults
            })
        });
        for walk in walks {
            all.join(walk.join().unwrap());
        }
    });
    all.report(walks.len() as u64 * TICKS * u64::from(UNITS));
}

/// The hash of the state after every tick.
fn hashes(threads: usize, switches: &Switches<'_>, origin: SectorCoord) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut walk = Walk::new(9, Rate::Hz60, origin, 120);
        (0..300)
            .map(|_| {
                walk.tick(switches);
                walk.hash()
            })
            .collect()
    })
}

#[test]
fn no_bit_depends_on_threads_chunks_paths_or_the_part_of_the_world() {
    let home = SectorCoord::new(0, 0);
    let usual = Switches::default();
    let expected = hashes(1, &usual, home);
    assert_ne!(expected[0], expected[299], "nobody has moved");
    let full = Switches::path(PathChoice::Full);
    let chunks = |chunk_units| Switches { chunk_units, ..usual };
    for (what, threads, switches, origin) in [
        ("two threads, chunks of 1", 2, chunks(1), home),
        ("two threads, chunks of 7", 2, chunks(7), home),
        ("the full controller for all", 1, full, home),
        ("the full controller for all, two threads", 2, Switches { chunk_units: 16, ..full }, home),
        ("a million sectors away", 1, usual, SectorCoord::new(1_000_000, -77)),
        ("two sectors away", 1, full, SectorCoord::new(-1, 2)),
    ] {
        let found = hashes(threads, &switches, origin);
        let apart = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        assert_eq!(apart, None, "{what}: another state from this tick on");
    }
}
