//! Clocks that begin anew, go back, or end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::World;
use marchland_terrain::stream::{Crowd, Interest, StreamSettings, Streamer};
use marchland_terrain::{SectorCoord, glam::Vec2};

use crate::driver::Driver;
use crate::plain::{at, sector_bytes, square};
use crate::smoke::settle;
use crate::wire::Wire;

#[test]
fn a_clock_that_begins_after_a_wait_does_not_stop_the_time() {
    let (storage, _world) = square(41);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    wire.fail("/+012_", Some(io::ErrorKind::Other));
    let settings =
        StreamSettings { bytes_per_second: 100 * sector_bytes(), ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let error = streamer.ensure_ready(at(5000.0, 0.0), 1.0, Duration::from_secs(1));
    assert_eq!(error, Ok(()), "outside");
    streamer.ensure_ready(at(96.0, 0.0), 1.0, Duration::from_secs(60)).unwrap_err();
    for x in [3, -3] {
        streamer.set_crowds(&[crowd(x)], 1.0);
        let mut now = Duration::ZERO;
        for _ in 0..40 {
            now += Duration::from_millis(16);
            streamer.update(now);
            driver.finish_all();
        }
        let ready = at(f64::from(x) * 8.0, 0.0);
        assert!(streamer.is_ready(ready, 0.0), "the time stands still: {:?}", streamer.stats());
    }
}

/// A crowd that stands in the middle of a sector.
fn crowd(x: i32) -> Crowd {
    Crowd { sector: SectorCoord::new(x, 0), low: Vec2::ZERO, high: Vec2::ZERO, fastest: 0.0 }
}

#[test]
fn a_crowd_that_is_put_where_no_source_was_is_loaded_for_at_once() {
    let ms = Duration::from_millis(1);
    for (keep, radius) in [(0.0, 1.0), (20.0, 1.0), (20.0, 20.0)] {
        let (_storage, world) = square(41);
        let settings = StreamSettings { keep, ..StreamSettings::default() };
        let (mut streamer, driver) = Driver::stream(world, settings);
        streamer.set_crowds(&[crowd(0)], radius);
        let mut now = settle(&mut streamer, &driver, Duration::ZERO);
        streamer.set_crowds(&[crowd(0)], radius);
        for far in [9, -9, 15] {
            // A plan has just been made; the next would come in a quarter of a second.
            let jobs = |now, streamer: &mut Streamer| {
                streamer.update(now);
                driver.jobs()
            };
            now += 250 * ms;
            assert_eq!(jobs(now, &mut streamer), 0);
            streamer.set_crowds(&[crowd(0), crowd(far)], radius);
            assert!(jobs(now + ms, &mut streamer) > 0, "waits: {:?}", streamer.stats());
            let there = at(f64::from(far) * 8.0, 0.0);
            for step in 2..40 {
                driver.finish_all();
                streamer.update(now + step * ms);
            }
            assert!(streamer.is_ready(there, 0.0), "{:?}", streamer.stats());
            now = settle(&mut streamer, &driver, now);
        }
    }
}

#[test]
fn crowds_that_stay_on_what_is_wanted_or_leave_the_world_make_no_plan() {
    let ms = Duration::from_millis(1);
    let (_storage, world) = square(41);
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.set_crowds(&[crowd(0)], 20.0);
    let now = settle(&mut streamer, &driver, Duration::ZERO) + 250 * ms;
    streamer.update(now);
    // They ask for more in the next plan.
    for (x, step) in [(0, 1), (2, 2), (-2, 3), (21, 4), (22, 5)] {
        streamer.set_crowds(&[crowd(x), Crowd { fastest: 9.0, ..crowd(1) }], 40.0);
        streamer.update(now + step * ms);
        assert_eq!(driver.jobs(), 0, "{x}");
    }
    streamer.update(now + 250 * ms);
    assert!(driver.jobs() > 0);
}

#[test]
fn times_and_waits_without_end_are_fine() {
    let (storage, _world) = square(5);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    let settings = StreamSettings {
        retry_first: Duration::MAX,
        retry_most: Duration::MAX,
        ..StreamSettings::default()
    };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let now = settle(&mut streamer, &driver, Duration::from_secs(5));
    streamer.ensure_ready(at(0.0, 0.0), 1.0, Duration::MAX).unwrap();
    streamer.ensure_ready(at(0.0, 0.0), f32::MAX, Duration::from_secs(1)).unwrap();
    streamer.ensure_ready(at(0.0, 0.0), f32::NAN, Duration::MAX).unwrap();
    wire.fail(".sector", Some(io::ErrorKind::Other));
    streamer.reload();
    streamer.add_interest(Interest::new(at(0.0, 0.0), 1e3)).unwrap();
    streamer.update(now);
    streamer.update(Duration::MAX);
    streamer.update(Duration::ZERO);
    streamer.update(Duration::MAX);
    driver.finish_all();
    streamer.update(Duration::MAX);
}
