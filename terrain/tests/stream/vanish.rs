//! A folder that is renamed or removed under a streamer.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::store::{DiskStorage, Storage};
use marchland_terrain::stream::{Interest, StreamEvent, StreamSettings, Streamer};
use marchland_terrain::{Ground, SectorCoord, World};

use crate::driver::Driver;
use crate::plain::{answers, at, bake, rectangle};

struct Scene {
    streamer: Streamer,
    driver: Driver,
    now: Duration,
}

impl Scene {
    fn run(&mut self) -> Vec<StreamEvent> {
        for _ in 0..400 {
            self.now += Duration::from_millis(20);
            self.streamer.update(self.now);
            self.driver.finish_all();
        }
        self.streamer.drain_events().collect()
    }
}

fn vanishes(open: impl Fn(&std::path::Path) -> World, is_removed: bool) {
    let parent = tempfile::tempdir().unwrap();
    let (here, elsewhere) = (parent.path().join("here"), parent.path().join("elsewhere"));
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(&here));
    let all: Vec<_> = rectangle((-5, -5), 11, 11).into_iter().map(|coord| (coord, 0.0)).collect();
    bake(&storage, &all);
    let (streamer, driver) = Driver::stream(open(&here), StreamSettings::default());
    let mut scene = Scene { streamer, driver, now: Duration::ZERO };
    let id = scene.streamer.add_interest(Interest::new(at(-20.0, -20.0), 5.0)).unwrap();
    assert_eq!(scene.run().len(), 0);
    let low = (-3, -3);
    let seen = answers(scene.streamer.view(), low, (-2, -2));
    assert_eq!(scene.streamer.stats().failed, 0);
    // A load is under way when it happens.
    scene.streamer.set_interest(id, Interest::new(at(20.0, 20.0), 5.0)).unwrap();
    scene.now += Duration::from_millis(20);
    scene.streamer.update(scene.now);
    scene.driver.finish_others();
    scene.streamer.update(scene.now);
    assert!(!scene.driver.loading().is_empty());
    fs::rename(&here, &elsewhere).unwrap();
    let copy = parent.path().join("copy");
    if is_removed {
        // What is restored later are other files with the same bytes.
        copy_folder(&elsewhere, &copy);
        fs::remove_dir_all(&elsewhere).unwrap();
    }
    scene.streamer.reload();
    let events = scene.run();
    let wanted = scene.streamer.stats().wanted;
    assert!(wanted >= 4);
    let is_failure = |event: &&StreamEvent| matches!(event, StreamEvent::Failed { .. });
    assert_eq!(events.iter().filter(is_failure).count(), wanted, "{events:?}");
    let is_reload = |event: &StreamEvent| matches!(event, StreamEvent::ReloadFailed { .. });
    assert!(events.iter().any(is_reload));
    assert_eq!(scene.streamer.view().ground(at(20.0, 20.0)), Ground::NotResident);
    assert_eq!(scene.streamer.stats().failed, wanted);
    // What is in memory is as it was.
    assert_eq!(answers(scene.streamer.view(), low, (-2, -2)), seen);
    fs::rename(if is_removed { &copy } else { &elsewhere }, &here).unwrap();
    let mut events = Vec::new();
    for _ in 0..8 {
        events.extend(scene.run());
    }
    let is_recovery = |event: &&StreamEvent| matches!(event, StreamEvent::Recovered { .. });
    assert_eq!(events.iter().filter(is_recovery).count(), wanted, "{events:?}");
    assert!(scene.streamer.is_ready(at(20.0, 20.0), 3.0));
    assert_eq!(scene.streamer.stats().failed, 0);
    let mut fresh = World::open(&here).unwrap();
    fresh.load_all().unwrap();
    assert_eq!(
        answers(scene.streamer.view(), (2, 2), (3, 3)),
        answers(fresh.view(), (2, 2), (3, 3))
    );
    assert!(!scene.streamer.view().has_failed(SectorCoord::new(2, 2)));
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_folder_that_is_away_for_a_while_fails_loads_and_harms_nothing() {
    for is_removed in [false, true] {
        vanishes(|folder| World::open(folder).unwrap(), is_removed);
    }
}

#[cfg(feature = "memmap2")]
#[test]
#[allow(unsafe_code)]
fn a_mapped_folder_that_is_away_for_a_while_fails_loads_and_harms_nothing() {
    for is_removed in [false, true] {
        // SAFETY: the files of the folder get other names or none, and are not written to.
        vanishes(|folder| unsafe { World::open_mapped(folder).unwrap() }, is_removed);
    }
}
