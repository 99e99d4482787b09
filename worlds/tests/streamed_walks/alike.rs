//! Strict runs are the same to the bit whatever the disk does; so are mapped and copied worlds.

use std::path::Path;
use std::time::Duration;

use marchland_controller::TickMode;
use marchland_terrain::World;
use marchland_terrain::stream::{StreamSettings, Streamer};

use crate::late::{Clock, LateLoader};
use crate::march::{March, TICK, bake};

const UNITS: u32 = 14;
const TICKS: u64 = 900;

/// Ticks that run only when all ground is there. Gives the hash every hundred ticks, and how many
/// ticks had to wait.
fn strict_run(world: World, settings: StreamSettings, latency: Duration) -> (Vec<u64>, u64) {
    let clock = Clock::default();
    let loader = LateLoader::new(&clock, latency);
    let mut streamer = Streamer::with_loader(world, settings, Box::new(loader));
    let mut march = March::new(UNITS, TickMode::Strict);
    let (mut hashes, mut waits) = (Vec::new(), 0);
    while march.ticks() < TICKS {
        march.want(&mut streamer);
        streamer.update(clock.pass(TICK));
        if !march.tick(streamer.view()) {
            waits += 1;
            assert!(waits < 20_000, "it never goes on: {:?}", streamer.stats());
            continue;
        }
        if march.ticks().is_multiple_of(100) {
            hashes.push(march.hash());
        }
    }
    (hashes, waits)
}

fn open(folder: &Path) -> World {
    World::open(folder).unwrap()
}

/// The world as one that is elsewhere, fetched into a folder and mapped there.
#[cfg(feature = "remote")]
fn remote(folder: &Path) -> World {
    use marchland_terrain::store::{RemoteSettings, RemoteStorage};
    let (url, cache) = (format!("file://{}", folder.display()), folder.join("fetched"));
    let storage = RemoteStorage::connect(&url, cache, RemoteSettings::default()).unwrap();
    // SAFETY: nobody writes to the files that are fetched in this test.
    unsafe { World::open_mapped_on(std::sync::Arc::new(storage)) }.unwrap()
}

#[test]
fn strict_runs_are_the_same_for_every_budget_latency_and_number_of_loads() {
    let home = tempfile::tempdir().unwrap();
    bake(home.path());
    let mut whole = open(home.path());
    whole.load_all().unwrap();
    let all_bytes = whole.info().sector_bytes;
    let mut march = March::new(UNITS, TickMode::Strict);
    let mut expected = Vec::new();
    for tick in 1..=TICKS {
        assert!(march.tick(whole.view()));
        if tick.is_multiple_of(100) {
            expected.push(march.hash());
        }
    }
    march.assert_free(whole.resident());
    // SAFETY: nobody writes to the files of this test.
    let mapped = unsafe { World::open_mapped(home.path()) }.unwrap();
    let cases = [
        #[cfg(feature = "remote")]
        (remote(home.path()), u64::MAX, 4, 30),
        (mapped, u64::MAX, 4, 0),
        (open(home.path()), u64::MAX, 1, 100),
        (open(home.path()), all_bytes, 16, 700),
        (open(home.path()), all_bytes * 2 / 3, 3, 20),
        (open(home.path()), all_bytes / 2, 8, 50),
    ];
    let mut waited = 0;
    for (world, budget_bytes, loads_in_flight, milliseconds) in cases {
        let settings = StreamSettings {
            budget_bytes,
            loads_in_flight,
            look_ahead: 0.25,
            ..StreamSettings::default()
        };
        let (hashes, waits) = strict_run(world, settings, Duration::from_millis(milliseconds));
        assert_eq!(hashes, expected, "{settings:?}, {milliseconds} ms");
        waited += waits;
    }
    assert!(waited > 100, "only {waited} ticks had to wait");
}
