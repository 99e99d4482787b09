//! Walks at random through the clutter: whatever units are asked to do, they end every tick free.
//!
//! A fault is printed with its seed, tick and unit, and the first of each kind as a scenario file of the
//! place. To walk one seed again, or more of them than usual; with `CLUTTER_RATE=30` or 240 at that rate:
//!
//! ```text
//! CLUTTER_SEEDS=7..8 cargo test --release -p marchland-worlds --test clutter_walks million -- --ignored
//! ```

#![allow(clippy::unwrap_used, clippy::panic)]

mod faults;
mod flung;
mod walk;

use std::ops::Range;

use marchland_controller::{Motion, PathChoice, TickSettings};
use marchland_terrain::SectorCoord;
use marchland_worlds::clutter::Rate;

use self::faults::Faults;
use self::walk::{Caught, Walk};

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
    let (walks, falls) = (Motion::Walking, Motion::Falling);
    let mut faults = Faults::default();
    let mut ticks = 0;
    for caught in [
        // A mover presses a body in the air, stuck at the ground, under an arch.
        Caught {
            seed: 120,
            rate: Rate::Hz60,
            tick: 707,
            body: 0,
            at: [63.790_511_205_792_43, 0.354_976_385_831_832_9, 22.001_886_367_797_85],
            motion: falls,
            velocity: [0.549_064_34, -0.612_826_8, 0.0],
            request: [0.0, 2.442_504],
            jumps: false,
        },
        // A jump under a slab that leans over the way.
        Caught {
            seed: 384,
            rate: Rate::Hz60,
            tick: 2,
            body: 1,
            at: [103.446_619_987_487_8, 3.180_943_489_074_707, 64.272_104_948_759_08],
            motion: walks,
            velocity: [-42.100_384, 0.0, -2.798_867],
            request: [-40.551_37, -26.098_713],
            jumps: true,
        },
        // In the air, its foot in a rock, out of which the shortest way leads into steep ground.
        Caught {
            seed: 131,
            rate: Rate::Hz60,
            tick: 610,
            body: 1,
            at: [93.150_932_073_593_14, 0.891_205_072_402_954_1, 64.249_284_014_105_8],
            motion: falls,
            velocity: [0.0; 3],
            request: [0.366_938_26, -1.360_852_2],
            jumps: false,
        },
        // The same below an arch.
        Caught {
            seed: 129,
            rate: Rate::Hz60,
            tick: 707,
            body: 4,
            at: [-0.678_504_347_801_208_5, 2.216_792_345_046_997, 78.128_684_997_558_6],
            motion: falls,
            velocity: [0.0; 3],
            request: [9.929_349, 2.835_431_3],
            jumps: false,
        },
        // Down beside steep ground, onto level ground.
        Caught {
            seed: 500,
            rate: Rate::Hz240,
            tick: 163,
            body: 1,
            at: [2.328_337_669_372_558_6, -0.077_250_897_884_368_9, 80.463_945_388_793_95],
            motion: walks,
            velocity: [6.924_390_3, 0.0, -1.135_388_5],
            request: [6.924_390_3, -1.135_388_5],
            jumps: false,
        },
    ] {
        let mut walk = Walk::again(&caught);
        let settings = TickSettings::at_rate(f32::from(caught.rate.per_second()));
        for _ in 0..20 {
            walk.tick(&settings);
            walk.check(&mut faults);
            ticks += 1;
            // Who is stuck, and told, is in something below the knee, and led into nothing else.
            assert!(walk.all_are_free(), "seed {}, tick {ticks}", caught.seed);
        }
    }
    faults.tell(ticks);
}

/// Walks every seed at every rate, two at a time, and tells all faults.
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
                    let settings = TickSettings::at_rate(f32::from(rate.per_second()));
                    for _ in 0..TICKS {
                        walk.tick(&settings);
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
    all.tell(walks.len() as u64 * TICKS * u64::from(UNITS));
}

/// The hash of the state after every tick.
fn hashes(threads: usize, settings: &TickSettings, origin: SectorCoord) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut walk = Walk::new(9, Rate::Hz60, origin, 120);
        (0..300)
            .map(|_| {
                walk.tick(settings);
                walk.hash()
            })
            .collect()
    })
}

#[test]
fn no_bit_depends_on_threads_chunks_paths_or_the_part_of_the_world() {
    let home = SectorCoord::new(0, 0);
    let usual = TickSettings::default();
    let expected = hashes(1, &usual, home);
    assert_ne!(expected[0], expected[299], "nobody has moved");
    let full = TickSettings { path: PathChoice::Full, ..usual };
    let chunks = |chunk_units| TickSettings { chunk_units, ..usual };
    for (what, threads, settings, origin) in [
        ("two threads, chunks of 1", 2, chunks(1), home),
        ("two threads, chunks of 7", 2, chunks(7), home),
        ("the full controller for all", 1, full, home),
        (
            "the full controller for all, two threads",
            2,
            TickSettings { chunk_units: 16, ..full },
            home,
        ),
        ("a million sectors away", 1, usual, SectorCoord::new(1_000_000, -77)),
        ("two sectors away", 1, full, SectorCoord::new(-1, 2)),
    ] {
        let found = hashes(threads, &settings, origin);
        let apart = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        assert_eq!(apart, None, "{what}: another state from this tick on");
    }
}
