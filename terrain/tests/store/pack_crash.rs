//! Packing and unpacking while the power goes, or the file system refuses.

use std::sync::Arc;

use marchland_terrain::store::{
    PackReport, PublishReport, Storage, StoreError, WorldWriter, pack_on, unpack_on,
};

use super::crash::{assert_needed, count_old_or_new};
use super::faults::fail_everywhere;
use super::memory::{MemoryStorage, Sync};
use super::worlds::{Bake, bake, bake_town, town_meshes};

/// As a bake reports it. A world that is there already is as good as one that was made now.
fn as_bake(result: Result<PackReport, StoreError>) -> Result<PublishReport, StoreError> {
    let report = match result {
        Err(StoreError::Occupied { .. }) => PackReport::default(),
        other => other?,
    };
    Ok(PublishReport {
        generation: report.generation,
        is_unchanged: false,
        written: report.written,
        kept: report.kept,
        written_bytes: report.bytes,
        meshes_written: 0,
        meshes_kept: 0,
        mesh_bytes_written: 0,
        removed: 0,
    })
}

fn town(bump: f64) -> Arc<dyn Storage> {
    let town: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_town(&town, bump).unwrap();
    town
}

/// A town, packed from elsewhere.
fn pack_town(out: &Arc<dyn Storage>, bump: f64) -> Result<PublishReport, StoreError> {
    as_bake(pack_on(town(bump), Arc::clone(out), &mut |_| ()))
}

/// A town, unpacked from elsewhere.
fn unpack_town(out: &Arc<dyn Storage>, bump: f64) -> Result<PublishReport, StoreError> {
    let packed: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    pack_on(town(bump), Arc::clone(&packed), &mut |_| ()).unwrap();
    as_bake(unpack_on(packed, Arc::clone(out), &mut |_| ()))
}

/// What a run that was killed just before it published leaves.
fn killed(run: Bake, bump: f64) -> MemoryStorage {
    let disk = MemoryStorage::default();
    run(&(Arc::new(disk.clone()) as Arc<dyn Storage>), bump).unwrap();
    disk.remove_file("manifest-0000000001").unwrap();
    disk.settled()
}

#[test]
fn a_power_cut_while_a_world_is_packed_or_unpacked_leaves_none_or_a_whole_one() {
    for run in [pack_town as Bake, unpack_town] {
        let first = count_old_or_new(&MemoryStorage::default(), None, run, 1.0);
        let again = count_old_or_new(&killed(run, 2.0), None, run, 1.0);
        assert!(first + again >= 10_000, "{first} and {again} images");
    }
}

#[test]
fn every_sync_of_packing_and_unpacking_is_needed() {
    let both = [
        Sync::LockName,
        Sync::SectorFiles,
        Sync::BlockNames,
        Sync::MeshFolders,
        Sync::SectorsName,
        Sync::ManifestFile,
        Sync::ManifestName,
    ];
    for sync in both {
        assert_needed(sync, pack_town);
        assert_needed(sync, unpack_town);
    }
    for sync in [Sync::SectorNames, Sync::MeshFiles, Sync::MeshNames] {
        assert_needed(sync, unpack_town);
    }
}

#[test]
fn packing_and_unpacking_that_fail_at_any_call_say_so_and_leave_no_world_or_a_whole_one() {
    let calls = fail_everywhere(&MemoryStorage::default(), pack_town, None);
    assert!(calls >= 35, "{calls} calls");
    let calls = fail_everywhere(&MemoryStorage::default(), unpack_town, None);
    assert!(calls >= 48, "{calls} calls");
}

#[test]
fn packing_that_was_cut_off_keeps_the_packs_that_are_whole() {
    let disk = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(disk.clone());
    let made = pack_on(town(1.0), Arc::clone(&shared), &mut |_| ()).unwrap();
    assert!(made.written >= 3 && made.kept == 0, "{made:?}");
    shared.remove_file("manifest-0000000001").unwrap();
    // One was not written to its end: the right length, and zeros from the middle on.
    disk.tamper("sectors/+000_+000.pack", |bytes| {
        let half = bytes.len() / 2;
        bytes[half..].fill(0);
    });
    shared.write_new("sectors/-001_+000.pack.tmp", b"half a").unwrap();
    let again = pack_on(town(1.0), Arc::clone(&shared), &mut |_| ()).unwrap();
    assert_eq!((again.written, again.kept), (1, made.written - 1));
    assert!(!disk.paths().iter().any(|path| path.ends_with(".tmp")), "{:?}", disk.paths());
    let fresh = MemoryStorage::default();
    pack_on(town(1.0), Arc::new(fresh.clone()), &mut |_| ()).unwrap();
    assert_eq!(disk.contents(), fresh.contents());
}

#[test]
fn nothing_is_packed_or_unpacked_over_what_is_there() {
    let occupied: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake(&occupied, 3.0).unwrap();
    let packed: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    pack_on(town(1.0), Arc::clone(&packed), &mut |_| ()).unwrap();
    let killed_bake: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&killed_bake)).unwrap();
    writer.put_mesh(&town_meshes(1.0)[0]).unwrap();
    let is_locked = |result| matches!(result, Err(StoreError::Locked { .. }));
    assert!(is_locked(unpack_on(Arc::clone(&packed), Arc::clone(&killed_bake), &mut |_| ())));
    drop(writer);
    let foreign: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    foreign.write_new("holiday.jpg", b"sea").unwrap();
    for out in [&occupied, &packed] {
        for run in [pack_on, unpack_on] {
            let error = run(town(1.0), Arc::clone(out), &mut |_| ()).unwrap_err();
            assert!(matches!(error, StoreError::Occupied { .. }), "{error}");
        }
    }
    for run in [pack_on, unpack_on] {
        let error = run(town(1.0), Arc::clone(&foreign), &mut |_| ()).unwrap_err();
        assert!(matches!(error, StoreError::NotAWorld { .. }), "{error}");
    }
    let error = pack_on(town(1.0), killed_bake, &mut |_| ()).unwrap_err();
    assert!(matches!(&error, StoreError::NotAWorld { found, .. } if found.starts_with("meshes/")));
}

#[test]
fn a_bake_into_a_packed_world_is_refused_and_changes_nothing() {
    let disk = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(disk.clone());
    pack_on(town(1.0), Arc::clone(&shared), &mut |_| ()).unwrap();
    let before = disk.contents();
    let refused = |storage: &Arc<dyn Storage>| {
        let error = bake(storage, 2.0).unwrap_err();
        assert!(matches!(error, StoreError::Packed { .. }), "{error}");
    };
    refused(&shared);
    assert_eq!(disk.contents(), before);
    // So is one into the beginning of a packed world, and one with nothing but meshes packed.
    shared.remove_file("manifest-0000000001").unwrap();
    refused(&shared);
    for path in disk.paths().iter().filter(|path| path.starts_with("sectors/")) {
        shared.remove_file(path).unwrap();
    }
    refused(&shared);
    let begun: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    begun.write_new("bake.lock", b"").unwrap();
    begun.create_folder("sectors").unwrap();
    begun.write_new("sectors/+000_+000.pack.tmp", b"half a").unwrap();
    refused(&begun);
}
