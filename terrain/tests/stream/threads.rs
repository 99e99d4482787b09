//! Loading threads, and a disk that takes its time.

use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::World;
use marchland_terrain::stream::{Interest, InterestId, StreamEvent, StreamSettings, Streamer};

use crate::plain::{at, square};
use crate::wire::Wire;

/// Updates until something is so. What never comes to be so hangs.
fn update_until(streamer: &mut Streamer, mut is_so: impl FnMut(&mut Streamer) -> bool) {
    let mut now = Duration::from_secs(1);
    while !is_so(streamer) {
        now += Duration::from_millis(1);
        streamer.update(now);
        std::thread::yield_now();
    }
}

/// A streamer, all of whose threads wait for the disk.
fn blocked() -> (Wire, Streamer, InterestId) {
    let (storage, _world) = square(21);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    let mut streamer = Streamer::new(world, StreamSettings::default()).unwrap();
    let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 10.0)).unwrap();
    update_until(&mut streamer, |streamer| streamer.stats().resident == 9);
    wire.close(".sector");
    streamer.set_interest(id, Interest::new(at(50.0, 0.0), 10.0)).unwrap();
    update_until(&mut streamer, |streamer| streamer.stats().in_flight == 4);
    wire.wait_for_waiting(4);
    (wire, streamer, id)
}

#[test]
fn updates_go_on_while_the_disk_does_not() {
    let (wire, mut streamer, id) = blocked();
    let before = streamer.resident().resident().to_vec();
    for step in 0..2000 {
        // Nothing here may wait for the disk: it does nothing before this loop has ended.
        let place = at(50.0 + f64::from(step % 40) - 20.0, 0.0);
        streamer.set_interest(id, Interest::new(place, 10.0)).unwrap();
        let other = streamer.add_interest(Interest::new(at(-60.0, 0.0), 5.0)).unwrap();
        streamer.update(Duration::from_millis(5000 + step as u64 * 16));
        streamer.remove_interest(other).unwrap();
        streamer.reload();
        assert!(streamer.stats().in_flight <= 4);
    }
    assert_eq!(streamer.resident().resident(), before);
    assert!(!streamer.is_ready(at(50.0, 0.0), 0.0));
    wire.open_again();
    streamer.set_interest(id, Interest::new(at(50.0, 0.0), 10.0)).unwrap();
    update_until(&mut streamer, |streamer| streamer.is_ready(at(50.0, 0.0), 7.0));
}

#[test]
fn a_streamer_ends_with_loads_in_flight_and_leaves_nothing_behind() {
    let (wire, streamer, _) = blocked();
    let ending = std::thread::spawn(move || drop(streamer));
    // The drop waits for the reads that have begun.
    wire.wait_for_waiting(4);
    assert!(!ending.is_finished());
    wire.open_again();
    ending.join().unwrap();
}

#[test]
fn a_streamer_that_ends_lets_go_of_its_world() {
    for updates in [0, 1, 2, 5, 50] {
        let (storage, _world) = square(21);
        let world = World::open_on(Arc::clone(&storage)).unwrap();
        let files = Arc::downgrade(world.files());
        let mut streamer = Streamer::new(world, StreamSettings::default()).unwrap();
        streamer.add_interest(Interest::new(at(0.0, 0.0), 100.0)).unwrap();
        for step in 0..updates {
            streamer.update(Duration::from_millis(step));
            if step % 7 == 3 {
                streamer.reload();
            }
        }
        drop(streamer);
        assert!(files.upgrade().is_none(), "after {updates} updates");
    }
}

/// Maps of files of a folder that this process has.
#[cfg(all(target_os = "linux", feature = "memmap2"))]
fn maps(folder: &std::path::Path) -> usize {
    let name = folder.to_str().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains(name)).count()
}

#[cfg(all(target_os = "linux", feature = "memmap2"))]
#[test]
#[allow(unsafe_code)]
fn no_more_files_are_mapped_than_the_budget_says_and_none_is_left() {
    use crate::plain::{bake, rectangle, sector_bytes};
    use marchland_terrain::store::{DiskStorage, Storage};

    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    let all: Vec<_> = rectangle((-15, -2), 31, 5).into_iter().map(|coord| (coord, 0.0)).collect();
    bake(&storage, &all);
    // SAFETY: nothing writes to the files of this folder.
    let world = unsafe { World::open_mapped(folder.path()).unwrap() };
    let settings = StreamSettings {
        budget_bytes: 14 * sector_bytes(),
        loads_in_flight: 3,
        ..StreamSettings::default()
    };
    let mut streamer = Streamer::new(world, settings).unwrap();
    let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 5.0)).unwrap();
    let mut most = 0;
    for step in -20..=20 {
        let place = at(f64::from(step) * 5.0, 0.0);
        streamer.set_interest(id, Interest::new(place, 5.0)).unwrap();
        update_until(&mut streamer, |streamer| {
            // What left the view is let go of by threads, behind the loads in flight.
            let mapped = maps(folder.path());
            assert!(mapped <= 14 + 2 * 3 + 3, "{mapped} files are mapped");
            most = most.max(mapped);
            streamer.is_ready(place, 3.5)
        });
    }
    assert!(most >= 14, "{most}");
    assert!(streamer.stats().evictions > 20);
    drop(streamer);
    assert_eq!(maps(folder.path()), 0);
}

#[test]
fn a_storage_that_panics_is_a_failure_that_is_told_and_tried_again() {
    let (storage, _world) = square(21);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    let settings = StreamSettings {
        loads_in_flight: 2,
        retry_first: Duration::from_millis(10),
        retry_most: Duration::from_millis(40),
        ..StreamSettings::default()
    };
    let mut streamer = Streamer::new(world, settings).unwrap();
    let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 10.0)).unwrap();
    let failures = |streamer: &mut Streamer| {
        let mut told = Vec::new();
        for event in streamer.drain_events() {
            match event {
                StreamEvent::Failed { error, .. } | StreamEvent::ReloadFailed { error } => {
                    told.push(error.to_string());
                }
                _ => {}
            }
        }
        told
    };
    let expected = "reading the world panicked: the wire is cut";
    // Lookups, then loads, more often than there are threads.
    for (part, place) in [("manifest-", 0.0), (".sector", 40.0)] {
        streamer.set_interest(id, Interest::new(at(place, 0.0), 10.0)).unwrap();
        wire.panic(Some(part));
        let before = streamer.stats().failures;
        let mut told = Vec::new();
        // Time goes faster here than threads do: at nearly every moment some are being tried again.
        update_until(&mut streamer, |streamer| {
            told.extend(failures(streamer));
            told.len() >= 9 && streamer.stats().failures > before + 20
        });
        assert!(told.len() == 9 && told.iter().all(|told| told == expected), "{part}: {told:?}");
        wire.panic(None);
        update_until(&mut streamer, |streamer| {
            streamer.is_ready(at(place, 0.0), 5.0) && streamer.stats().failed == 0
        });
    }
    // And what looks for a newer generation.
    let mut told = Vec::new();
    wire.panic(Some("manifest-"));
    streamer.reload();
    let mut now = Duration::from_secs(1000);
    while told.is_empty() {
        now += Duration::from_millis(1);
        streamer.update(now);
        told = failures(&mut streamer);
    }
    assert_eq!(told, [expected]);
    wire.panic(None);
    streamer.reload();
    while !streamer.drain_events().any(|event| matches!(event, StreamEvent::NothingNewer)) {
        now += Duration::from_millis(1);
        streamer.update(now);
    }
}
