//! Sources that go to and fro over borders.

use std::time::Duration;

use marchland_terrain::stream::{Interest, StreamSettings};

use crate::driver::Driver;
use crate::plain::{at, sector_bytes, square, velocity};
use crate::smoke::settle;

/// Goes to and fro; gives loads and how many different sectors were loaded.
fn to_and_fro(budget: u64, place: impl Fn(u32) -> (f64, f64), speed: f32) -> (usize, usize) {
    let (_storage, world) = square(21);
    let budget_bytes = budget * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let source = |step: u32| {
        let ((x, z), sign) = (place(step), if step.is_multiple_of(2) { 1.0 } else { -1.0 });
        Interest { velocity: velocity(speed * sign, 0.0), ..Interest::new(at(x, z), 6.0) }
    };
    let id = streamer.add_interest(source(0)).unwrap();
    let mut now = Duration::ZERO;
    for step in 0..200 {
        streamer.set_interest(id, source(step)).unwrap();
        now = settle(&mut streamer, &driver, now + Duration::from_millis(300));
        assert_eq!(streamer.stats().missing, 0);
    }
    let mut loads = driver.started();
    let all = loads.len();
    loads.sort_unstable();
    loads.dedup();
    (all, loads.len())
}

fn sign(step: u32) -> f64 {
    if step.is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[test]
fn to_and_fro_over_a_border_or_a_corner_loads_nothing_twice() {
    // Within the distance in which sectors are kept, in no more memory than is wanted at once.
    for (place, budget) in [
        ((|step| (4.0 + sign(step) * 0.9, 0.0)) as fn(u32) -> (f64, f64), 9),
        (|step| (4.0 + sign(step) * 0.9, 4.0 + sign(step) * 0.9), 12),
        (|step| (4.0 + sign(step) * 0.9, 4.0 + sign(step / 2) * 0.9), 12),
    ] {
        let (loads, distinct) = to_and_fro(budget, place, 0.0);
        assert_eq!(loads, distinct, "budget {budget}");
        assert!(loads >= 4);
    }
    // And with a velocity that turns each time.
    let (loads, distinct) = to_and_fro(16, |step| (4.0 + sign(step) * 0.9, 4.0), 6.0);
    assert_eq!(loads, distinct);
}

#[test]
fn jitter_wider_than_what_is_kept_loads_nothing_twice_where_all_of_it_fits() {
    let (loads, distinct) = to_and_fro(40, |step| (sign(step) * 30.0, sign(step / 2) * 3.0), 0.0);
    assert_eq!(loads, distinct);
    assert!(loads > 12);
}

#[test]
fn jitter_over_more_than_fits_loads_again() {
    // The tests above would notice.
    let (loads, distinct) = to_and_fro(9, |step| (sign(step) * 30.0, 0.0), 0.0);
    assert!(loads > distinct * 10, "{loads} {distinct}");
}

#[test]
fn sectors_that_are_needed_equally_soon_do_not_push_each_other_out() {
    let (_storage, world) = square(21);
    let budget_bytes = 5 * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    for x in 0..4 {
        streamer.add_interest(Interest::new(at(f64::from(x) * 16.0, 0.0), 12.0)).unwrap();
    }
    let mut now = Duration::ZERO;
    for _ in 0..100 {
        now = settle(&mut streamer, &driver, now + Duration::from_secs(1));
    }
    let loads = driver.started().len();
    for _ in 0..100 {
        now = settle(&mut streamer, &driver, now + Duration::from_secs(100));
    }
    assert_eq!(driver.started().len(), loads);
    assert!(loads < 30, "{loads}");
}
