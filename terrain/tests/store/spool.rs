//! Sectors that wait for their props: read back while a bake runs, and never part of a world.

use std::sync::Arc;

use marchland_terrain::SectorCoord;
use marchland_terrain::store::{DiskStorage, Storage, StoreError, World, WorldWriter};

use super::memory::MemoryStorage;
use super::worlds::{PLACES, bake, bake_town, facts, record, sector};

fn coord(at: (i32, i32)) -> SectorCoord {
    SectorCoord::new(at.0, at.1)
}

fn is_spool(path: &str) -> bool {
    path.starts_with("spool")
}

#[test]
fn what_is_spooled_is_read_back_by_anybody_any_number_of_times() {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    std::thread::scope(|scope| {
        for at in PLACES {
            let writer = &writer;
            scope.spawn(move || {
                let file = sector(at, &PLACES, 1.0);
                assert_eq!(writer.spooled(coord(at)).unwrap(), None);
                writer.spool(&file).unwrap();
                for _ in 0..3 {
                    assert_eq!(writer.spooled(coord(at)).unwrap().unwrap(), file.bytes);
                }
            });
        }
    });
    assert_eq!(writer.spooled(SectorCoord::new(5, 5)).unwrap(), None);
    assert!(matches!(World::open_on(storage), Err(StoreError::NoManifest { .. })));
}

#[test]
fn a_spooled_sector_goes_when_it_is_put_and_the_rest_when_the_bake_ends() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for at in PLACES {
        writer.spool(&sector(at, &PLACES, 1.0)).unwrap();
    }
    for at in &PLACES[..3] {
        writer.put(&sector(*at, &PLACES, 1.0)).unwrap();
        assert_eq!(writer.spooled(coord(*at)).unwrap(), None);
    }
    assert_eq!(disk.paths().iter().filter(|path| is_spool(path)).count(), 4);
    assert!(writer.spooled(coord(PLACES[3])).unwrap().is_some());
    assert_eq!(writer.finish(&facts(), &record(1.0)).unwrap().removed, 0);
    assert!(!disk.paths().iter().any(|path| is_spool(path)), "{:?}", disk.paths());
    assert_eq!(storage.list("spool").unwrap(), None);
    assert_eq!(World::open_on(storage).unwrap().info().sectors, 3);
}

#[test]
fn what_a_killed_bake_spooled_is_removed_by_the_next() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake(&storage, 1.0).unwrap();
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for at in PLACES {
        writer.spool(&sector(at, &PLACES, 2.0)).unwrap();
    }
    drop(writer);
    assert_eq!(disk.paths().iter().filter(|path| is_spool(path)).count(), 7);
    // What lies there and is none of ours stays.
    disk.write_new("spool/+000_+000/notes.txt", b"mine").unwrap();
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert_eq!(writer.spooled(coord(PLACES[0])).unwrap(), None);
    let left: Vec<_> = disk.paths().into_iter().filter(|path| is_spool(path)).collect();
    assert_eq!(left, ["spool/+000_+000/notes.txt"]);
    drop(writer);
    // A bake that spools anew does so into folders that are there.
    bake_town(&storage, 2.0).unwrap();
    assert_eq!(World::open_on(storage).unwrap().load_all().unwrap().loaded, 7);
}
