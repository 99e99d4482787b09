//! Very many requests at once: their order, their end, and nobody who starves.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use marchland_terrain::store::Storage;
use marchland_terrain::stream::{Interest, StreamSettings};
use marchland_terrain::{SectorCoord, World};

use crate::driver::Driver;
use crate::plain::{at, sector_bytes, square};

const TICK: Duration = Duration::from_millis(100);

/// More than ten thousand sectors.
fn large() -> World {
    static STORAGE: OnceLock<Arc<dyn Storage>> = OnceLock::new();
    let storage = STORAGE.get_or_init(|| square(101).0);
    World::open_on(Arc::clone(storage)).unwrap()
}

/// Metres from the origin to a sector's square.
fn far(coord: SectorCoord) -> f64 {
    let gap = |sector: i32| (f64::from(sector).abs() * 8.0 - 4.0).max(0.0);
    gap(coord.x).hypot(gap(coord.z))
}

#[test]
fn ten_thousand_requests_are_served_nearest_first_each_once() {
    let settings = StreamSettings { publications_per_update: 100, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(large(), settings);
    streamer.add_interest(Interest::new(at(0.0, 0.0), 1000.0)).unwrap();
    let mut now = Duration::ZERO;
    streamer.update(now);
    assert_eq!((streamer.stats().wanted, streamer.stats().missing), (10_201, 10_201));
    assert_eq!((driver.jobs(), streamer.stats().in_flight), (1, 0));
    // Lookups alone, until all are known.
    for _ in 0..60 {
        driver.finish_others();
        now += TICK;
        streamer.update(now);
        assert!(driver.jobs() <= 4 + 1, "{}", driver.jobs());
    }
    assert_eq!(driver.started().len(), 4);
    while streamer.stats().resident < 10_201 {
        let before = streamer.stats().resident;
        driver.finish_all();
        now += TICK;
        streamer.update(now);
        assert_eq!(streamer.stats().resident, before + 4.min(10_201 - before));
        assert!(driver.jobs() <= 4);
    }
    let started = driver.started();
    let distances: Vec<_> = started.iter().map(|&coord| far(coord)).collect();
    assert!(distances.is_sorted_by(|a, b| *a <= b + 1e-4), "not nearest first");
    assert_eq!(started.iter().collect::<BTreeSet<_>>().len(), started.len());
    assert_eq!(streamer.stats().loads, 10_201);
}

#[test]
fn stale_requests_are_cancelled_and_never_published() {
    let (mut streamer, driver) = Driver::stream(large(), StreamSettings::default());
    let here = Interest::new(at(0.0, 0.0), 100.0);
    let id = streamer.add_interest(here).unwrap();
    let mut now = Duration::ZERO;
    for _ in 0..5 {
        now += TICK;
        streamer.update(now);
        driver.finish_others();
    }
    let old = driver.loading();
    assert_eq!((old.len(), driver.stale().len()), (4, 0));
    // One has been read and waits to be taken when its source jumps away; others are being read.
    driver.finish_load(old[0]);
    let there = Interest::new(at(300.0, 300.0), 100.0);
    streamer.set_interest(id, there).unwrap();
    now += TICK;
    streamer.update(now);
    assert_eq!(driver.stale(), old[1..]);
    let near = |coord: &SectorCoord| coord.x > 15 && coord.z > 15;
    for _ in 0..400 {
        driver.finish_all();
        now += TICK;
        streamer.update(now);
        assert!(streamer.resident().resident().iter().all(near), "what is stale was published");
    }
    assert_eq!(streamer.stats().cancelled, 3);
    assert_eq!(streamer.stats().missing, 0);
    // Nothing is left of them, in the queue or in memory.
    assert_eq!(streamer.stats().wanted, streamer.stats().resident);
    assert_eq!(streamer.stats().resident_bytes, streamer.stats().resident as u64 * sector_bytes());
}

#[test]
fn a_request_that_is_cancelled_and_made_again_is_served() {
    let (mut streamer, driver) = Driver::stream(large(), StreamSettings::default());
    let (here, there) = (Interest::new(at(0.0, 0.0), 0.0), Interest::new(at(300.0, 300.0), 0.0));
    let id = streamer.add_interest(here).unwrap();
    let mut now = Duration::ZERO;
    for step in 0..12 {
        now += TICK;
        streamer.update(now);
        driver.finish_others();
        if step == 5 {
            streamer.set_interest(id, there).unwrap();
        }
        if step == 7 {
            streamer.set_interest(id, here).unwrap();
        }
    }
    driver.finish_all();
    for _ in 0..4 {
        now += TICK;
        streamer.update(now);
        driver.finish_all();
    }
    assert!(streamer.is_ready(at(0.0, 0.0), 0.0));
}

#[test]
fn nothing_starves_while_nearer_requests_keep_coming() {
    // One load ends in each update, and in each update a source enters a sector that is not there.
    let settings = StreamSettings {
        loads_in_flight: 1,
        budget_bytes: 50 * sector_bytes(),
        ..StreamSettings::default()
    };
    let (mut streamer, driver) = Driver::stream(large(), settings);
    // The outermost of these is 8 m away: at 2 m/s needed in 4 s, and 0.5 s more.
    streamer.add_interest(Interest { pinned: true, ..Interest::new(at(0.0, 0.0), 8.5) }).unwrap();
    let jumping = streamer.add_interest(Interest::new(at(-390.0, -390.0), 0.0)).unwrap();
    // A wait of w seconds divides the time until a sector is needed by 1 + w / 10, and what is
    // entered is needed in 0.5 s: after 10 · (4.5 / 0.5 − 1) s nothing new comes before it.
    let bound = Duration::from_secs(80);
    let mut now = Duration::ZERO;
    let mut entered = 0;
    let mut ready = None;
    while now < bound + Duration::from_secs(5) {
        let (column, row) = (entered % 98, entered / 98 % 98);
        entered += 1;
        let place = at(-390.0 + f64::from(column) * 8.0, -390.0 + f64::from(row) * 8.0);
        streamer.set_interest(jumping, Interest::new(place, 0.0)).unwrap();
        // What is entered is looked up by the time that the load before it has ended.
        now += TICK;
        streamer.update(now);
        driver.finish_others();
        driver.finish_all();
        streamer.update(now);
        if ready.is_none() && streamer.is_ready(at(0.0, 0.0), 8.5) {
            ready = Some(now);
        }
    }
    let ready = ready.expect("it starved");
    // They have to wait, or the test tells nothing; four and a half seconds' worth of loads come after.
    assert!(ready > Duration::from_secs(30) && ready < bound + Duration::from_secs(3), "{ready:?}");
    let served = driver.started().into_iter().filter(|coord| coord.x < -2).count();
    assert!(served > 200, "{served} of those that were entered");
}

#[test]
fn a_source_that_rushes_through_leaves_no_queue_behind() {
    let settings = StreamSettings { look_ahead: 0.5, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(large(), settings);
    let id = streamer.add_interest(Interest::new(at(-390.0, 0.0), 40.0)).unwrap();
    let mut now = Duration::ZERO;
    for step in 0..390 {
        let source = Interest::new(at(-390.0 + f64::from(step) * 2.0, 0.0), 40.0);
        streamer.set_interest(id, source).unwrap();
        now += Duration::from_millis(16);
        streamer.update(now);
        if step % 4 == 0 && driver.jobs() > 0 {
            driver.finish(0);
        }
        // A disc of five sectors around one.
        assert!(streamer.stats().missing <= 121, "{}", streamer.stats().missing);
        assert!(driver.jobs() <= 4 + 1 + 2);
    }
}
