//! Loads that fail: told once, tried again, nobody else's trouble, forgotten or mended.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::store::{Storage, StoreError};
use marchland_terrain::stream::{Interest, InterestId, StreamEvent, StreamSettings, Streamer};
use marchland_terrain::{Ground, SectorCoord, World};

use crate::driver::Driver;
use crate::memory::MemoryStorage;
use crate::plain::{at, bake, rectangle};
use crate::wire::Wire;

const BAD: SectorCoord = SectorCoord::new(1, 0);
const TICK: Duration = Duration::from_millis(10);

struct Scene {
    memory: MemoryStorage,
    wire: Wire,
    streamer: Streamer,
    driver: Driver,
    id: InterestId,
    now: Duration,
    events: Vec<StreamEvent>,
    /// When the bad sector was tried.
    tries: Vec<Duration>,
}

fn scene() -> Scene {
    let memory = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    let places: Vec<_> = rectangle((-2, -2), 5, 5).into_iter().map(|coord| (coord, 0.0)).collect();
    bake(&storage, &places);
    let wire = Wire::new(storage);
    let world = World::open_on(Arc::new(wire.clone())).unwrap();
    let settings =
        StreamSettings { retry_most: Duration::from_secs(6), ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 6.0)).unwrap();
    let (now, events, tries) = (Duration::ZERO, Vec::new(), Vec::new());
    Scene { memory, wire, streamer, driver, id, now, events, tries }
}

impl Scene {
    fn file(&self, coord: SectorCoord) -> String {
        let name = format!("/{:+04}_{:+04}-", coord.x, coord.z);
        self.memory.paths().into_iter().find(|path| path.contains(&name)).unwrap()
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now += TICK;
            self.streamer.update(self.now);
            if self.driver.loading().contains(&BAD) {
                self.tries.push(self.now);
            }
            self.driver.finish_all();
            self.events.extend(self.streamer.drain_events());
        }
    }

    fn failures(&self) -> Vec<&StoreError> {
        let failed = self.events.iter().filter_map(|event| match event {
            StreamEvent::Failed { coord: BAD, error } => Some(&**error),
            _ => None,
        });
        failed.collect()
    }

    fn recoveries(&self) -> Vec<u32> {
        let recovered = self.events.iter().filter_map(|event| match event {
            StreamEvent::Recovered { coord: BAD, failures } => Some(*failures),
            _ => None,
        });
        recovered.collect()
    }
}

/// A sector fails for half a minute and is then mended.
fn fails(
    name: &str,
    harm: impl FnOnce(&Scene),
    mend: impl FnOnce(&Scene),
    is_it: impl Fn(&StoreError) -> bool,
) {
    let mut scene = scene();
    harm(&scene);
    scene.run(Duration::from_secs(30));
    let failures = scene.failures();
    assert_eq!(failures.len(), 1, "{name}: told once");
    assert!(is_it(failures[0]), "{name}: {}", failures[0]);
    assert_eq!(scene.events.len(), 1, "{name}");
    // The rest is there.
    assert_eq!((scene.streamer.stats().resident, scene.streamer.stats().failed), (8, 1), "{name}");
    assert_eq!(scene.streamer.stats().missing, 0, "{name}");
    assert!(scene.streamer.view().has_failed(BAD));
    assert_eq!(scene.streamer.view().ground(at(8.0, 0.0)), Ground::NotResident);
    // After a half, one, two, four and then six seconds, to the tick.
    let waits: Vec<_> = scene.tries.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let expected = [500, 1000, 2000, 4000, 6000, 6000, 6000].map(Duration::from_millis);
    assert_eq!(waits.len(), 7, "{name}: {waits:?}");
    for (wait, expected) in waits.iter().zip(expected) {
        assert!((expected..=expected + 2 * TICK).contains(wait), "{name}: {waits:?}");
    }
    mend(&scene);
    scene.run(Duration::from_secs(7));
    assert_eq!(scene.recoveries(), [scene.tries.len() as u32 - 1], "{name}");
    assert!(!scene.streamer.view().has_failed(BAD), "{name}");
    assert_eq!((scene.streamer.stats().resident, scene.streamer.stats().failed), (9, 0), "{name}");
    assert!(matches!(scene.streamer.view().ground(at(8.0, 0.0)), Ground::Height(_)));
    assert_eq!(scene.events.len(), 2, "{name}");
    assert_eq!(scene.streamer.stats().failures, scene.tries.len() as u64 - 1);
}

/// Changes the bad sector's file, and back.
fn fails_by_bytes(name: &str, change: impl Fn(&mut Vec<u8>), is_it: impl Fn(&StoreError) -> bool) {
    let whole = std::cell::RefCell::new(Vec::new());
    let harm = |scene: &Scene| {
        scene.memory.tamper(&scene.file(BAD), |bytes| {
            *whole.borrow_mut() = bytes.clone();
            change(bytes);
        });
    };
    let mend = |scene: &Scene| {
        scene.memory.tamper(&scene.file(BAD), |bytes| *bytes = whole.borrow().clone());
    };
    fails(name, harm, mend, is_it);
}

#[test]
fn a_file_that_is_missing_or_cannot_be_read() {
    let fail = |kind| move |scene: &Scene| scene.wire.fail("/+001_+000-", kind);
    let missing = Some(io::ErrorKind::NotFound);
    let is_missing = |error: &StoreError| matches!(error, StoreError::Missing { coord: BAD, .. });
    fails("missing", fail(missing), fail(None), is_missing);
    let broken = Some(io::ErrorKind::PermissionDenied);
    fails("unreadable", fail(broken), fail(None), StoreError::is_io);
}

#[test]
fn a_file_that_is_damaged_or_another() {
    let is_damage = |error: &StoreError| matches!(error, StoreError::Sector { .. });
    fails_by_bytes("a bit", |bytes| bytes[100] ^= 1, is_damage);
    fails_by_bytes("the last bit", |bytes| *bytes.last_mut().unwrap() ^= 0x80, is_damage);
    fails_by_bytes("truncated", |bytes| bytes.truncate(bytes.len() / 2), is_damage);
    fails_by_bytes("empty", Vec::clear, is_damage);
    fails_by_bytes("longer", |bytes| bytes.push(0), is_damage);
    // The neighbour's file under this one's name.
    let other = {
        let scene = scene();
        let mut other = Vec::new();
        let neighbour = scene.file(SectorCoord::new(0, 1));
        scene.memory.tamper(&neighbour, |bytes| other = bytes.clone());
        other
    };
    fails_by_bytes(
        "another sector",
        |bytes| *bytes = other.clone(),
        |error| error.to_string().contains("sector") && matches!(error, StoreError::Sector { .. }),
    );
}

#[test]
fn an_index_that_is_damaged_fails_all_that_it_holds_and_is_read_again() {
    let mut scene = scene();
    let manifest = scene.memory.paths().into_iter().find(|path| path.starts_with("manifest"));
    let manifest = manifest.unwrap();
    // The only block of the index: it follows the root. Who has the file open sees the bytes of then.
    let storage: Arc<dyn Storage> = Arc::new(scene.memory.clone());
    scene.memory.tamper(&manifest, |bytes| bytes[4096 + 500] ^= 1);
    let world = World::open_on(storage).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.add_interest(Interest::new(at(0.0, 0.0), 6.0)).unwrap();
    let mut events = Vec::new();
    for step in 1..1000 {
        streamer.update(TICK * step);
        driver.finish_all();
        events.extend(streamer.drain_events());
    }
    assert_eq!(events.len(), 9);
    for event in &events {
        let StreamEvent::Failed { error, .. } = event else { panic!("{event:?}") };
        assert!(matches!(**error, StoreError::Manifest { .. }), "{error}");
    }
    assert_eq!((streamer.stats().failed, streamer.stats().resident), (9, 0));
    assert!(streamer.view().has_failed(SectorCoord::new(0, 0)));
    // By way of the wire, the index is whole again after a while.
    scene.memory.tamper(&manifest, |bytes| bytes[4096 + 500] ^= 1);
    scene.wire.fail("manifest", Some(io::ErrorKind::Other));
    scene.run(Duration::from_secs(3));
    assert_eq!((scene.streamer.stats().failed, scene.streamer.stats().resident), (9, 0));
    assert_eq!(scene.events.len(), 9);
    scene.wire.fail("manifest", None);
    scene.run(Duration::from_secs(5));
    assert_eq!((scene.streamer.stats().failed, scene.streamer.stats().resident), (0, 9));
    assert_eq!(scene.events.len(), 18);
    assert_eq!(scene.recoveries().len(), 1);
}

#[test]
fn a_failure_is_forgotten_when_nobody_wants_the_sector_any_more() {
    let mut scene = scene();
    scene.wire.fail("/+001_+000-", Some(io::ErrorKind::Other));
    scene.run(Duration::from_secs(9));
    let tries = scene.tries.len();
    assert!(tries > 3 && scene.streamer.view().has_failed(BAD));
    scene.streamer.set_interest(scene.id, Interest::new(at(-500.0, 0.0), 0.0)).unwrap();
    scene.run(Duration::from_secs(20));
    assert_eq!(scene.tries.len(), tries);
    assert!(!scene.streamer.view().has_failed(BAD));
    assert_eq!(scene.streamer.stats().failed, 0);
    // Wanted again, it is a new failure, tried at once and told.
    scene.streamer.set_interest(scene.id, Interest::new(at(0.0, 0.0), 6.0)).unwrap();
    scene.run(Duration::from_millis(600));
    assert_eq!((scene.tries.len(), scene.failures().len()), (tries + 2, 2));
}

#[test]
fn failures_hold_up_nobody_who_waits_behind_them() {
    // Every sector near fails at once, with one load at a time; those far away are whole.
    let mut scene = scene();
    let world = World::open_on(Arc::new(scene.wire.clone())).unwrap();
    let settings = StreamSettings { loads_in_flight: 1, ..StreamSettings::default() };
    (scene.streamer, scene.driver) = Driver::stream(world, settings);
    for coord in rectangle((-1, -2), 3, 5) {
        scene.wire.fail(&scene.file(coord), Some(io::ErrorKind::Other));
    }
    scene.streamer.add_interest(Interest::new(at(0.0, 0.0), 100.0)).unwrap();
    scene.run(Duration::from_millis(600));
    assert_eq!((scene.streamer.stats().failed, scene.streamer.stats().resident), (15, 10));
}
