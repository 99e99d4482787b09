//! The file system refuses, at any call.

use std::sync::Arc;

use marchland_terrain::store::{Storage, StoreError, World, WorldWriter};

use super::counting::Counting;
use super::memory::MemoryStorage;
use super::worlds::{Bake, answers, bake, bake_town, expected, published, roof};

/// Failures that harm nobody: an empty folder stays, or an old manifest that cannot be locked.
const HARMLESS: [&str; 2] = ["remove_folder", "lock"];

fn old_world(bake: Bake) -> MemoryStorage {
    let storage = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    for bump in [0.5, 1.0, 1.5] {
        bake(&shared, bump).unwrap();
    }
    storage.settled()
}

/// Fails the bake at every call by turns; gives the number of calls.
pub(super) fn fail_everywhere(start: &MemoryStorage, bake: Bake, old: Option<f64>) -> u64 {
    let (old, new) = (old.and_then(|bump| expected(bake, bump)), expected(bake, 2.0));
    for call in 0.. {
        let disk: Arc<dyn Storage> = Arc::new(start.settled());
        let failing = Counting::new(Arc::clone(&disk), Some(call));
        let result = bake(&(Arc::new(failing.clone()) as Arc<dyn Storage>), 2.0);
        let Some(op) = failing.failed() else {
            result.unwrap();
            return call;
        };
        match result {
            Ok(_) => assert!(HARMLESS.contains(&op), "call {call}, {op}: nobody noticed"),
            Err(error) => assert!(error.is_io(), "call {call}, {op}: {error}"),
        }
        let state = published(&disk).unwrap_or_else(|error| panic!("call {call}, {op}: {error}"));
        assert!(state == old || state == new, "call {call}, {op}: another world");
        bake(&disk, 2.0).unwrap_or_else(|error| panic!("bake after call {call}, {op}: {error}"));
        assert_eq!(published(&disk).unwrap(), new, "bake after call {call}, {op}");
    }
    unreachable!("a bake makes a finite number of calls")
}

#[test]
fn a_first_bake_that_fails_at_any_call_says_so_and_leaves_none_or_the_new_world() {
    let calls = fail_everywhere(&MemoryStorage::default(), bake, None);
    assert!(calls >= 40, "{calls} calls");
    let more = fail_everywhere(&MemoryStorage::default(), bake_town, None);
    assert!(more >= calls + 40, "{more} calls");
}

#[test]
fn a_later_bake_that_fails_at_any_call_says_so_and_leaves_the_old_or_the_new_world() {
    let calls = fail_everywhere(&old_world(bake), bake, Some(1.5));
    assert!(calls >= 50, "{calls} calls");
    let more = fail_everywhere(&old_world(bake_town), bake_town, Some(1.5));
    assert!(more >= calls + 40, "{more} calls");
}

#[test]
fn files_whose_sync_failed_are_not_trusted_by_the_next_bake() {
    sync_fails(bake);
    sync_fails(bake_town);
}

fn sync_fails(bake: Bake) {
    let disk = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(disk.clone());
    for call in 0.. {
        let failing = Counting::new(Arc::new(disk.settled()), Some(call));
        let error = bake(&(Arc::new(failing.clone()) as Arc<dyn Storage>), 1.0);
        if failing.failed() == Some("sync_all") {
            assert!(matches!(error, Err(StoreError::Io { op: "sync", .. })));
            let failing = Counting::new(Arc::clone(&shared), Some(call));
            bake(&(Arc::new(failing) as Arc<dyn Storage>), 1.0).unwrap_err();
            break;
        }
    }
    let is_left = |path: &String| path.ends_with(".sector") || path.ends_with(".mesh");
    assert!(!disk.paths().iter().any(is_left), "{:?}", disk.paths());
    assert_eq!(bake(&shared, 1.0).unwrap().written, 7);
}

#[test]
fn a_read_that_fails_leaves_the_rest_and_succeeds_when_tried_again() {
    read_fails(&old_world(bake));
    read_fails(&old_world(bake_town));
}

fn read_fails(disk: &MemoryStorage) {
    let disk: Arc<dyn Storage> = Arc::new(disk.clone());
    let mut whole = World::open_on(Arc::clone(&disk)).unwrap();
    whole.load_all().unwrap();
    let whole = answers(&whole);
    for call in 0.. {
        let failing = Counting::new(Arc::clone(&disk), Some(call));
        let mut world = match World::open_on(Arc::new(failing.clone())) {
            Ok(world) => world,
            Err(error) => {
                assert!(error.is_io(), "{error}");
                continue;
            }
        };
        match world.load_all() {
            Err(error) => assert!(error.is_io(), "{error}"),
            Ok(report) if report.failed.is_empty() => {
                assert_eq!(failing.failed(), None);
                break;
            }
            Ok(report) => {
                assert_eq!((report.loaded, report.failed.len()), (6, 1));
                let there = answers(&world);
                let wrong = there
                    .iter()
                    .zip(&whole)
                    .filter(|(got, full)| got != full && **got != (2, 0) && **got != (0, 0));
                assert_eq!(wrong.count(), 0, "call {call} changed other answers");
            }
        }
        assert!(world.load_all().unwrap().failed.is_empty());
        assert_eq!(answers(&world), whole);
    }
}

#[test]
fn a_mesh_whose_put_failed_is_not_taken_for_one_that_is_there() {
    let mesh = roof(1.0);
    for call in 0.. {
        let disk = MemoryStorage::default();
        let failing = Counting::new(Arc::new(disk.clone()), Some(call));
        let Ok(writer) = WorldWriter::begin_on(Arc::new(failing.clone())) else { continue };
        let first = writer.put_mesh(&mesh);
        if first.is_ok() {
            break;
        }
        let is_there = || disk.paths().iter().any(|path| path.ends_with(".mesh"));
        // Where a part of it lies under its unfinished name, only the next bake can write it.
        let again = writer.put_mesh(&mesh);
        assert!(again.is_err() || is_there(), "call {call}, {:?}", failing.failed());
    }
}
