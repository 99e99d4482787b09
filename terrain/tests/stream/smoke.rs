//! The road of a sector: wanted, looked up, loaded, in the view, out of memory again.

use std::time::Duration;

use marchland_terrain::stream::{Interest, StreamSettings, Streamer};
use marchland_terrain::{Ground, SectorCoord, World};

use crate::driver::Driver;
use crate::plain::{at, sector_bytes, square, velocity};

/// Lets jobs and updates go on until nothing more happens. Gives the time then.
pub(crate) fn settle(streamer: &mut Streamer, driver: &Driver, mut now: Duration) -> Duration {
    for _ in 0..10_000 {
        now += Duration::from_millis(16);
        streamer.update(now);
        if driver.jobs() == 0 && streamer.stats().in_flight == 0 && streamer.stats().arrived == 0 {
            return now;
        }
        driver.finish_all();
    }
    panic!("it never settles: {:?}", streamer.stats());
}

#[test]
fn what_a_source_wants_comes_into_the_view_and_nothing_else_does() {
    let (_storage, world) = square(11);
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.add_interest(Interest::new(at(0.0, 0.0), 8.1)).unwrap();
    assert!(!streamer.is_ready(at(0.0, 0.0), 0.0));
    settle(&mut streamer, &driver, Duration::ZERO);
    // Sectors of 8 m: of those two away 12 m begin.
    let expected: Vec<_> =
        (-1..=1).flat_map(|x| (-1..=1).map(move |z| SectorCoord::new(x, z))).collect();
    assert_eq!(streamer.resident().resident(), expected);
    assert_eq!(streamer.stats().resident_bytes, 9 * sector_bytes());
    assert!(streamer.is_ready(at(0.0, 0.0), 11.9) && !streamer.is_ready(at(0.0, 0.0), 12.1));
    assert_eq!(streamer.missing(at(8.0, 0.0), 4.1).len(), 3);
    assert!(matches!(streamer.view().ground(at(3.0, 3.0)), Ground::Height(_)));
}

#[test]
fn what_lies_ahead_is_fetched_first_and_what_lies_behind_goes_first() {
    let (_storage, world) = square(41);
    let settings = StreamSettings {
        budget_bytes: 12 * sector_bytes(),
        loads_in_flight: 1,
        ..StreamSettings::default()
    };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let fast =
        |x: f64| Interest { velocity: velocity(20.0, 0.0), ..Interest::new(at(x, 0.0), 5.0) };
    let id = streamer.add_interest(fast(0.0)).unwrap();
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    // The own sector, then those on the way: 40 m and 5 more, to the middle of the sixth.
    let row: Vec<_> = (0..=6).map(|x| SectorCoord::new(x, 0)).collect();
    let in_row: Vec<_> = driver.started().into_iter().filter(|coord| row.contains(coord)).collect();
    assert_eq!(in_row[0], SectorCoord::new(0, 0));
    assert!(in_row.is_sorted(), "{in_row:?}");
    for step in 1..200 {
        streamer.set_interest(id, fast(f64::from(step) * 0.8)).unwrap();
        now = settle(&mut streamer, &driver, now);
        assert!(streamer.stats().resident_bytes <= 12 * sector_bytes());
        assert!(streamer.is_ready(at(f64::from(step) * 0.8, 0.0), 0.0));
    }
    let resident = streamer.resident().resident();
    assert!(resident.iter().all(|coord| coord.x > 15), "{resident:?}");
}

#[test]
fn with_threads_a_wait_for_ready_ground_ends_with_ready_ground() {
    let (_storage, world) = square(21);
    let mut streamer = Streamer::new(world, StreamSettings::default()).unwrap();
    streamer.ensure_ready(at(3.0, 3.0), 40.0, Duration::from_secs(60)).unwrap();
    assert!(streamer.is_ready(at(3.0, 3.0), 40.0));
    assert!(streamer.stats().resident >= 100);
    let (_storage, other) = square(21);
    let mut by_hand: World = other;
    by_hand.load_around(at(3.0, 3.0), 40.0).unwrap();
    for (x, z) in [(0.0, 0.0), (3.3, -20.1), (40.0, 40.0)] {
        assert_eq!(streamer.view().ground(at(x, z)), by_hand.view().ground(at(x, z)));
    }
}
