//! A remote world answers as the world that it is, or says what went wrong.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::World;
use marchland_terrain::store::{
    DiskStorage, LoadReport, RemoteSettings, RemoteStorage, Storage, StoreError,
};

use crate::server::{Mood, Server};
use crate::worlds::{PLACES, answers, bake_town};

/// Bakes the town into a folder.
pub(crate) fn town(folder: &Path) {
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder));
    bake_town(&storage, 1.0).unwrap();
}

/// Gives up soon.
pub(crate) fn impatient() -> RemoteSettings {
    let timeout = Duration::from_secs(20);
    RemoteSettings { timeout, retries: 0, ..RemoteSettings::default() }
}

/// The town as a server shows it.
pub(crate) fn served(server: &Server, cache: &Path) -> Arc<dyn Storage> {
    let url = format!("{}/manifest-0000000001", server.url);
    Arc::new(RemoteStorage::connect(&url, cache, impatient()).unwrap())
}

fn load_all(world: &mut World) -> LoadReport {
    world.load_all().unwrap()
}

#[test]
fn remote_mapped_and_copied_worlds_answer_the_same() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    let folder = format!("file://{}", home.path().display());
    let (a, b) = (cache.path().join("a"), cache.path().join("b"));
    let in_store = RemoteStorage::connect(&folder, &a, impatient()).unwrap();
    // SAFETY: nobody writes to the files of this test.
    let mapped = unsafe { World::open_mapped(home.path()) };
    // SAFETY: nor to those that it fetches.
    let remote_mapped = unsafe { World::open_mapped_on(served(&server, &b)) };
    let worlds = [
        World::open(home.path()),
        mapped,
        World::open_on(Arc::new(in_store)),
        World::open_on(served(&server, &b)),
        remote_mapped,
    ];
    let found: Vec<_> = worlds
        .into_iter()
        .map(|world| {
            let mut world = world.unwrap();
            let report = load_all(&mut world);
            assert_eq!((report.loaded, report.failed.len()), (PLACES.len() as u64, 0));
            answers(&world)
        })
        .collect();
    for other in &found[1..] {
        assert_eq!(other, &found[0]);
    }
}

#[test]
fn what_was_fetched_once_is_not_fetched_again_and_what_is_damaged_is() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    let open = || World::open_on(served(&server, cache.path())).unwrap();
    let mut first = open();
    load_all(&mut first);
    let (asked, expected) = (server.answers(), answers(&first));
    drop(first);
    let mut again = open();
    load_all(&mut again);
    // The manifest alone: seven sectors and two meshes are here.
    assert!(server.answers() - asked <= asked - 9, "{asked}, then {}", server.answers());
    assert_eq!(answers(&again), expected);
    drop(again);
    // One damaged, one cut short, behind our back.
    let mut files = Vec::new();
    for block in std::fs::read_dir(cache.path().join("sectors")).unwrap() {
        for file in std::fs::read_dir(block.unwrap().path()).unwrap() {
            files.push(file.unwrap().path());
        }
    }
    files.sort();
    let mut bytes = std::fs::read(&files[0]).unwrap();
    bytes[777] ^= 4;
    std::fs::write(&files[0], &bytes).unwrap();
    std::fs::write(&files[1], &bytes[..900]).unwrap();
    std::fs::remove_file(&files[2]).unwrap();
    let mut third = open();
    let failed = load_all(&mut third).failed;
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed.iter().all(|(_, error)| matches!(error, StoreError::Sector { .. })));
    assert!(load_all(&mut third).failed.is_empty());
    assert_eq!(answers(&third), expected);
}

#[test]
fn every_way_in_which_a_server_fails_is_a_failed_load_that_can_be_tried_again() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    let mut world = World::open_on(served(&server, cache.path())).unwrap();
    for mood in [Mood::HangsUp, Mood::Overloaded, Mood::Lies] {
        server.set_mood(mood);
        let coord = world.records().next().map(|record| record.map(|record| record.coord));
        let Some(Ok(coord)) = coord else {
            // The index itself was asked for anew.
            assert_ne!(mood, Mood::Well);
            continue;
        };
        let error = world.load(coord).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. } | StoreError::Sector { .. }), "{error}");
        assert!(error.to_string().contains(&server.url), "{error}");
    }
    server.set_mood(Mood::Well);
    assert_eq!(load_all(&mut world).loaded, PLACES.len() as u64);
}

#[test]
fn a_world_that_is_not_there_and_urls_of_no_kind_are_told_apart() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    for url in ["ftp://example.org/world", "hills", "memory:///world"] {
        let error = RemoteStorage::connect(url, cache.path(), impatient()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains(url), "{error}");
    }
    let absent = format!("{}/manifest-0000000005", server.url);
    let storage = RemoteStorage::connect(&absent, cache.path(), impatient()).unwrap();
    let error = World::open_on(Arc::new(storage)).unwrap_err();
    assert!(error.to_string().contains("manifest-0000000005"), "{error}");
    // This server does not say what it holds.
    let storage = RemoteStorage::connect(&server.url, cache.path(), impatient()).unwrap();
    let error = World::open_on(Arc::new(storage)).unwrap_err();
    assert!(matches!(error, StoreError::Io { op: "list", .. }), "{error}");
    let refused = RemoteStorage::connect(&absent, cache.path(), impatient()).unwrap();
    assert!(refused.write_new("x", &[1]).is_err() && refused.remove_file("x").is_err());
}

#[test]
fn asynchronous_code_reads_a_remote_world_and_lets_it_go() {
    use tokio::runtime::Builder;

    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    let mut plain = World::open(home.path()).unwrap();
    load_all(&mut plain);
    let expected = answers(&plain);
    let read = |name: &str| {
        let cache = cache.path().join(name);
        let mut world = World::open_on(served(&server, &cache)).unwrap();
        let report = load_all(&mut world);
        assert_eq!((report.loaded, report.failed.len()), (PLACES.len() as u64, 0));
        // Here it goes, with its runtime, and so does one that was never connected.
        assert!(RemoteStorage::connect("hills", &cache, impatient()).is_err());
        answers(&world)
    };
    // In the middle of tasks, where no runtime may wait, of one thread and of several.
    let single = Builder::new_current_thread().build().unwrap();
    assert_eq!(single.block_on(async { read("single") }), expected);
    let several = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    assert_eq!(several.block_on(async { read("several") }), expected);
    // Where waiting is allowed, and on a thread that has only entered a runtime.
    let (from, to) = (server.clone(), cache.path().join("blocking"));
    let waits = several.spawn_blocking(move || {
        let mut world = World::open_on(served(&from, &to)).unwrap();
        load_all(&mut world);
        answers(&world)
    });
    assert_eq!(several.block_on(waits).unwrap(), expected);
    let _entered = single.enter();
    assert_eq!(read("entered"), expected);
}
