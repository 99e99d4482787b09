//! Waiting for ground.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::stream::{
    Crowd, Done, Interest, Job, Loader, NotReady, StreamSettings, Streamer,
};
use marchland_terrain::{SectorCoord, World, glam::Vec2};

use crate::driver::Driver;
use crate::plain::{at, level, sector_bytes, size, square};
use crate::wire::Wire;

/// A loader that never ends a job, and whose waits take so long, or no time at all.
#[derive(Debug)]
struct Never {
    jobs: Vec<Job>,
    wait: Option<Duration>,
    waited: Arc<std::sync::Mutex<Duration>>,
}

impl Loader for Never {
    fn start(&mut self, job: Job) {
        self.jobs.push(job);
    }

    fn finished(&mut self) -> Option<Done> {
        None
    }

    fn wait(&mut self, at_most: Duration) -> Duration {
        let waited = self.wait.unwrap_or(at_most);
        assert!(!at_most.is_zero());
        *self.waited.lock().unwrap() += waited;
        waited
    }
}

#[test]
fn a_wait_ends_with_its_deadline_though_nothing_is_ever_loaded() {
    for (wait, deadline) in [
        (None, Duration::from_secs(3600)),
        (Some(Duration::from_millis(3)), Duration::from_secs(1)),
        (Some(Duration::ZERO), Duration::from_millis(100)),
        (None, Duration::ZERO),
    ] {
        let (_storage, world) = square(9);
        let waited = Arc::default();
        let loader = Never { jobs: Vec::new(), wait, waited: Arc::clone(&waited) };
        let mut streamer =
            Streamer::with_loader(world, StreamSettings::default(), Box::new(loader));
        let error = streamer.ensure_ready(at(0.0, 0.0), 5.0, deadline).unwrap_err();
        assert_eq!((error.missing.len(), error.failed.len()), (9, 0));
        assert!(error.missing.is_sorted());
        let waited = *waited.lock().unwrap();
        assert!(waited <= deadline + Duration::from_millis(3), "{waited:?} of {deadline:?}");
        if wait != Some(Duration::ZERO) {
            assert!(waited >= deadline, "{waited:?} of {deadline:?}");
        }
        // What was wanted for the wait alone is not wanted any more.
        streamer.update(Duration::from_secs(7200));
        assert_eq!(streamer.stats().wanted, 0);
    }
}

#[test]
fn what_is_missing_and_what_failed_is_told() {
    let (storage, _world) = square(9);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    wire.fail("/+001_+001-", Some(io::ErrorKind::Other));
    wire.fail("/-001_+000-", Some(io::ErrorKind::NotFound));
    let (mut streamer, _driver) = Driver::stream(world, StreamSettings::default());
    let error = streamer.ensure_ready(at(0.0, 0.0), 5.0, Duration::from_secs(30)).unwrap_err();
    let failed = vec![SectorCoord::new(-1, 0), SectorCoord::new(1, 1)];
    assert_eq!(error, NotReady { missing: failed.clone(), failed });
    let text = error.to_string();
    assert!(text.contains("2 sectors") && text.contains("2 of which failed"), "{text}");
    // The retries go on during the wait.
    wire.fail("/+001_+001-", None);
    wire.fail("/-001_+000-", None);
    streamer.ensure_ready(at(0.0, 0.0), 5.0, Duration::from_secs(60)).unwrap();
}

#[test]
fn more_than_the_memory_holds_is_not_ready_and_says_what_is_missing() {
    let (_storage, world) = square(9);
    let budget_bytes = 4 * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, _driver) = Driver::stream(world, settings);
    let error = streamer.ensure_ready(at(0.0, 0.0), 5.0, Duration::from_secs(5)).unwrap_err();
    assert_eq!((error.missing.len(), error.failed.len()), (5, 0));
    assert!(streamer.stats().resident_bytes <= budget_bytes);
}

#[test]
fn the_ground_that_is_waited_for_comes_before_all_other_ground() {
    let (_storage, world) = square(41);
    let settings = StreamSettings { loads_in_flight: 1, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let crowds: Vec<_> = (-20..-3)
        .flat_map(|x| (-20..21).map(move |z| SectorCoord::new(x, z)))
        .map(|sector| Crowd { sector, low: Vec2::ZERO, high: Vec2::ZERO, fastest: 2.0 })
        .collect();
    streamer.set_crowds(&crowds, 1.0);
    for _ in 0..8 {
        streamer.update(Duration::ZERO);
        driver.finish_others();
    }
    let before = driver.started().len();
    assert_eq!(before, 1);
    streamer.ensure_ready(at(80.0, 0.0), 5.0, Duration::from_secs(10)).unwrap();
    let others = driver.started()[before..].iter().filter(|coord| coord.x < 0).count();
    // A few begin while the new ones are looked up.
    assert!(others <= 4, "{others} others came before");
    let source = Interest::new(at(80.0, 0.0), 5.0);
    assert!(streamer.add_interest(source).is_ok());
}

#[test]
fn where_the_manifest_cannot_be_read_nothing_is_ready_and_that_is_said() {
    let far = [(0, 0), (900_000, -5)].map(|(x, z)| SectorCoord::new(x, z));
    let storage = level(&far);
    let manifest = storage.paths().into_iter().find(|path| path.starts_with("manifest")).unwrap();
    // The only block of the index: it follows the root.
    storage.tamper(&manifest, |bytes| bytes[4096 + 500] ^= 1);
    let world = World::open_on(storage).unwrap();
    let (mut streamer, _driver) = Driver::stream(world, StreamSettings::default());
    let here = at(1.0, -2.0);
    assert!(!streamer.is_ready(here, f32::MAX) && streamer.missing(here, f32::MAX).is_empty());
    let error = streamer.ensure_ready(here, f32::MAX, Duration::from_millis(20)).unwrap_err();
    assert_eq!(error, NotReady { missing: Vec::new(), failed: Vec::new() });
    assert!(error.to_string().contains("manifest"), "{error}");
}

#[test]
fn in_a_world_of_few_sectors_far_apart_only_these_are_gone_over() {
    let coord = |(x, z)| SectorCoord::new(x, z);
    let near = [(-1, 0), (0, -1), (0, 0), (1, 0)].map(coord);
    let far = [(-700, 300), (-40, 650), (600, -3), (900_000, -5)].map(coord);
    let last = [(i32::MIN, i32::MAX), (i32::MAX, i32::MIN)].map(coord);
    let all = [&near[..], &far, &last].concat();
    let storage = level(&all);
    let world = World::open_on(storage).unwrap();
    let (mut streamer, _driver) = Driver::stream(world, StreamSettings::default());
    let here = at(1.0, -2.0);
    let mut expected: Vec<_> = near.iter().chain(&far[..3]).copied().collect();
    expected.sort_unstable();
    // 1501 × 1501 places, of which seven have a sector.
    let missing = streamer.missing(here, 6000.0);
    assert!(missing == expected, "{} instead of {expected:?}", missing.len());
    assert!(!streamer.is_ready(here, 6000.0));
    let mut everywhere = all.clone();
    everywhere.sort_unstable();
    assert_eq!(streamer.missing(here, f32::MAX), everywhere);
    // What can be wanted at once comes, the rest is told.
    streamer.ensure_ready(here, 9.0, Duration::from_secs(10)).unwrap();
    let late = streamer.ensure_ready(here, f32::MAX, Duration::from_millis(20)).unwrap_err();
    expected = far.iter().chain(&last).copied().collect();
    expected.sort_unstable();
    assert_eq!(late, NotReady { missing: expected.clone(), failed: Vec::new() });
    assert_eq!(streamer.missing(here, f32::MAX), expected);
    // And when all of them are in memory, all is ready, though nobody has looked at the gaps.
    let everything = far.iter().chain(&last).map(|&far| {
        let there = marchland_terrain::WorldPos::new(far, here.local(), size()).unwrap();
        streamer.add_interest(Interest::new(there, 1.0)).unwrap()
    });
    assert_eq!(everything.count(), 6);
    streamer.add_interest(Interest::new(here, 9.0)).unwrap();
    streamer.ensure_ready(here, f32::MAX, Duration::from_secs(20)).unwrap();
    assert!(streamer.is_ready(here, f32::MAX) && streamer.missing(here, 6000.0).is_empty());
}
