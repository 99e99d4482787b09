//! Bytes in a second, and publications in an update.

use std::time::Duration;

use marchland_terrain::stream::{Interest, StreamSettings};
use proptest::prelude::*;

use crate::driver::Driver;
use crate::plain::{at, sector_bytes, square};

/// How many sectors were begun by when, with updates after these gaps, in milliseconds.
fn begun(bytes_per_second: u64, gaps: &[u64]) -> Vec<(Duration, u64)> {
    let (_storage, world) = square(31);
    let settings = StreamSettings {
        bytes_per_second,
        loads_in_flight: 1000,
        publications_per_update: 1000,
        ..StreamSettings::default()
    };
    let (mut streamer, driver) = Driver::stream(world, settings);
    streamer.add_interest(Interest::new(at(0.0, 0.0), 1000.0)).unwrap();
    let mut now = Duration::ZERO;
    let mut log = Vec::new();
    for &gap in gaps {
        now += Duration::from_millis(gap);
        streamer.update(now);
        driver.finish_all();
        log.push((now, driver.started().len() as u64));
    }
    log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn over_any_time_no_more_is_read_than_that_time_allows_and_a_sector(
        sectors_per_second in 0.3_f64..60.0,
        gaps in prop::collection::vec(
            prop_oneof![8 => 0_u64..40, 2 => 40_u64..400, 1 => 400_u64..9000], 10..120),
    ) {
        let rate = (sectors_per_second * sector_bytes() as f64) as u64;
        let log = begun(rate, &gaps);
        for (at, (from, before)) in log.iter().enumerate() {
            for (to, after) in &log[at..] {
                let bytes = (after - before) * sector_bytes();
                let allowed = rate as f64 * (*to - *from).as_secs_f64() + sector_bytes() as f64;
                prop_assert!(bytes as f64 <= allowed + 1.0, "{bytes} of {allowed}: {from:?} {to:?}");
            }
        }
    }
}

#[test]
fn all_that_may_be_read_is_read() {
    // In updates at 60 Hz, and in such that come seldom, but each second at least.
    for gap in [16_u64, 250, 1000] {
        let gaps = vec![gap; (20_000 / gap) as usize];
        let log = begun(30 * sector_bytes(), &gaps);
        let (end, loads) = *log.last().unwrap();
        let expected = (end.as_secs_f64() * 30.0) as u64;
        assert!((expected - 40..=expected + 1).contains(&loads), "{gap} ms: {loads} of {expected}");
    }
}

#[test]
fn a_clock_that_stands_still_lets_nothing_more_be_read() {
    let log = begun(sector_bytes(), &[0; 50]);
    assert_eq!(log.last().unwrap().1, 1);
    let log = begun(0, &[100; 50]);
    assert_eq!(log.last().unwrap().1, 0);
}

#[test]
fn no_update_publishes_more_than_it_may_and_the_most_urgent_come_first() {
    for most in [1, 3, 0] {
        let (_storage, world) = square(15);
        let settings = StreamSettings {
            loads_in_flight: 300,
            publications_per_update: most,
            ..StreamSettings::default()
        };
        let (mut streamer, driver) = Driver::stream(world, settings);
        streamer.add_interest(Interest::new(at(0.0, 0.0), 20.0)).unwrap();
        for _ in 0..2 {
            streamer.update(Duration::from_millis(1));
            driver.finish_others();
        }
        streamer.update(Duration::from_millis(1));
        // In the wrong order.
        while driver.jobs() > 0 {
            driver.finish(driver.jobs() - 1);
        }
        let (mut seen, mut farthest) = (Vec::new(), 0.0_f64);
        while seen.len() < streamer.stats().wanted {
            streamer.update(Duration::from_millis(1));
            let resident = streamer.resident().resident().to_vec();
            let fresh: Vec<_> = resident.iter().filter(|coord| !seen.contains(*coord)).collect();
            assert!((1..=most.max(1)).contains(&fresh.len()), "{} of {most}", fresh.len());
            for coord in fresh {
                let gap = |sector: i32| (f64::from(sector).abs() * 8.0 - 4.0).max(0.0);
                let far = gap(coord.x).hypot(gap(coord.z));
                assert!(far >= farthest - 1e-4 || most > 1, "{coord} after {farthest} m");
                farthest = farthest.max(far);
            }
            seen = resident;
        }
        assert!(seen.len() > 20);
    }
}
