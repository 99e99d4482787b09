//! What several worlds share of a folder of fetched files, and what of a file is asked for anew.

use std::sync::Arc;
use std::thread;

use marchland_terrain::World;
use marchland_terrain::store::{LoadOutcome, RemoteSettings, RemoteStorage, StoreError, pack};

use crate::reading::{impatient, served, town};
use crate::server::{Mood, Server};
use crate::worlds::{PLACES, answers};

#[test]
fn worlds_that_share_a_folder_with_room_for_one_file_load_whole() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let mut plain = World::open(home.path()).unwrap();
    plain.load_all().unwrap();
    let expected = answers(&plain);
    let url = format!("file://{}", home.path().display());
    let load = || {
        let settings = RemoteSettings { cache_bytes: 0, ..impatient() };
        let storage = Arc::new(RemoteStorage::connect(&url, cache.path(), settings).unwrap());
        for _ in 0..20 {
            // SAFETY: nobody writes to the files that are fetched in this test.
            let mapped = unsafe { World::open_mapped_on(Arc::<RemoteStorage>::clone(&storage)) };
            let copied = World::open_on(Arc::<RemoteStorage>::clone(&storage));
            for mut world in [mapped.unwrap(), copied.unwrap()] {
                let report = world.load_all().unwrap();
                assert!(report.failed.is_empty(), "{:?}", report.failed);
                assert_eq!(answers(&world), expected);
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(load))));
}

#[test]
fn the_folder_of_a_world_is_not_taken_for_fetched_files() {
    let home = tempfile::tempdir().unwrap();
    let hills = home.path().join("hills.world");
    town(&hills);
    let url = format!("file://{}", hills.display());
    let settings = RemoteSettings { cache_bytes: 0, ..impatient() };
    let error = RemoteStorage::connect(&url, &hills, settings).unwrap_err();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<StoreError>());
    assert!(matches!(inner, Some(StoreError::Occupied { .. })), "{error}");
    // The folder above is another one.
    let above = Arc::new(RemoteStorage::connect(&url, home.path(), settings).unwrap());
    assert_eq!(load_all(&mut World::open_on(above).unwrap()), (PLACES.len() as u64, 0));
    assert_eq!(load_all(&mut World::open(&hills).unwrap()), (PLACES.len() as u64, 0));
}

fn load_all(world: &mut World) -> (u64, usize) {
    let report = world.load_all().unwrap();
    (report.loaded, report.failed.len())
}

#[test]
fn an_index_that_arrived_damaged_is_asked_for_anew() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    // The one byte that is another lies in the index: its root is right.
    server.set_mood(Mood::Lies);
    let mut world = World::open_on(served(&server, cache.path())).unwrap();
    let error = world.load_all().unwrap_err();
    assert!(matches!(error, StoreError::Manifest { .. }), "{error}");
    server.set_mood(Mood::Well);
    assert_eq!(load_all(&mut world), (PLACES.len() as u64, 0));
}

#[test]
fn what_arrived_damaged_of_a_pack_is_asked_for_anew() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [plain, packed] = ["plain", "packed"].map(|name| home.path().join(name));
    town(&plain);
    pack(&plain, &packed, &mut |_| {}).unwrap();
    let server = Server::of(packed);
    let open = || {
        server.set_mood(Mood::Well);
        let world = World::open_on(served(&server, cache.path())).unwrap();
        // In memory before the server lies.
        assert!(world.records().all(|record| record.is_ok()));
        server.set_mood(Mood::Lies);
        world
    };
    let failed = open().load_all().unwrap().failed;
    assert!(!failed.is_empty());
    for (coord, _) in failed {
        let mut world = open();
        let error = world.load(coord).unwrap_err();
        let (StoreError::Sector { path, .. } | StoreError::Mesh { path, .. }) = &error else {
            panic!("{error}")
        };
        assert!(path.to_string_lossy().contains(".pack/"), "{error}");
        server.set_mood(Mood::Well);
        assert_eq!(world.load(coord).unwrap(), LoadOutcome::Loaded);
    }
}
