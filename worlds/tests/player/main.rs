//! Plays random sequences of game commands and looks at everybody after each tick.
//!
//! Bodies lie over the ends of all ranges. Live props are added, moved, turned, put elsewhere and removed; units
//! are spawned, despawned, thrown, put elsewhere, given other bodies and masks; ticks are of several lengths.
//! After each tick every unit is finite, not below the ground, in nothing or told so, and no farther
//! away than its move and what moves beside it explain; nobody depends on
//! threads, on what is remembered, on other units, or on what was put elsewhere, far away.
//!
//! A fault is reported with its seed and tick, and the first of each sort as a scenario file of the place. To play
//! one seed again, or for a number of seconds of processor time from a seed on; with `PLAYER_STOPS=1` no longer
//! than to the first finding:
//!
//! ```text
//! PLAYER_SEEDS=7..8 cargo test --release -p marchland-worlds --test player -- --ignored
//! PLAYER_SECONDS=3600 PLAYER_SEEDS=1000.. cargo test --release -p marchland-worlds --test player -- --ignored
//! ```

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stderr)]

mod check;
mod commands;
mod edge;
mod game;
#[path = "../common/ways.rs"]
mod ways;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::check::Findings;
use self::game::Game;

/// Ticks of one game.
const TICKS: u32 = 400;

#[test]
fn games_end_without_a_finding() {
    let mut findings = Findings::default();
    // Those beside carried on, from afar, who was crushed and left behind by its platform; flung a tiny unit aside that
    // sank between walls; had what was farther than a unit reaches decide whether it slides; and let who was freed from a
    // prop be put out of its low faces twice as far; led whom a prop had pushed as far aside again between walls; and
    // let who crept at the world's edge leave it, or stop there, by the way it was moved; and took ground 63 m lower for
    // what a body without knees steps onto, or what a climber ends on; and slid straight down farther than it slid along;
    // and was carried by a ledge that had turned away from it; and came down into a prop where it was led back; and
    // stayed behind its platform while its wish was none; and got out of what had jumped onto it, to where it had not
    // looked; and stepped through a skin wider than it; and stood up in the air on what was lower than the steep ground
    // under its middle.
    let kept = [
        900_836, 1_414, 510_461, 600_228, 600_692, 905_115, 902_002, 904_470, 903_189, 911_033,
        910_606, 930_276, 930_764, 960_566, 1_401_717, 1_500_347, 2_000_377, 301_523,
    ];
    for seed in (1..13).chain(kept) {
        play(seed, &mut findings);
    }
    findings.report();
}

#[test]
#[ignore = "takes as long as it is told: .ci/deep walks"]
fn long_games_end_without_a_finding() {
    let seeds = std::env::var("PLAYER_SEEDS").unwrap_or_else(|_| "1000..".to_owned());
    let (first, end) = seeds.split_once("..").expect("PLAYER_SEEDS is first..end or first..");
    let first: u64 = first.parse().expect("a whole number");
    let end: u64 = end.parse().unwrap_or(u64::MAX);
    let seconds = std::env::var("PLAYER_SECONDS").ok().and_then(|text| text.parse().ok());
    let (begin, most) = (Instant::now(), Duration::from_secs(seconds.unwrap_or(600)));
    let stops = std::env::var("PLAYER_STOPS").is_ok_and(|text| text == "1");
    let has_found = &AtomicBool::new(false);
    let goes_on = || begin.elapsed() < most / 2 && !(stops && has_found.load(Ordering::Relaxed));
    let halves = [0, 1].map(|half| (first..end).skip(half).step_by(2));
    let mut findings = Findings::default();
    std::thread::scope(|scope| {
        let threads = halves.map(|seeds| {
            scope.spawn(move || {
                let mut findings = Findings::default();
                for seed in seeds.take_while(|_| goes_on()) {
                    play(seed, &mut findings);
                    has_found.fetch_or(!findings.is_empty(), Ordering::Relaxed);
                }
                findings
            })
        });
        for thread in threads {
            findings.join(thread.join().unwrap());
        }
    });
    findings.report();
}

/// One game; a panic of the libraries is a finding as any other.
fn play(seed: u64, findings: &mut Findings) {
    let mut tick = 0;
    let played = catch_unwind(AssertUnwindSafe(|| {
        let mut game = Game::new(seed);
        while tick < TICKS {
            game.tick(findings);
            tick += 1;
        }
        findings.played(&game);
    }));
    if played.is_err() {
        findings.panicked(seed, tick);
    }
}
