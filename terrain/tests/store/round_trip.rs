//! What is baked is what is read, from copies and from maps alike.

use std::fs;
use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::store::{
    DiskStorage, LoadOutcome, PutOutcome, SectorBounds, Storage, StoreError, World, WorldWriter,
};
use marchland_terrain::{Ground, SectorCoord, SectorData, WorldPos, glam::Vec3};

use super::memory::MemoryStorage;
use super::worlds::{PLACES, bake, bake_places, facts, grid, published, record, sector};

fn baked(bump: f64) -> (tempfile::TempDir, Arc<dyn Storage>) {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    bake(&storage, bump).unwrap();
    (folder, storage)
}

fn at(x: i32, z: i32) -> WorldPos {
    let local = Vec3::new(1.5, 0.0, -2.25);
    WorldPos::new(SectorCoord::new(x, z), local, grid().sector_size()).unwrap()
}

#[test]
fn a_world_says_what_it_holds() {
    let (folder, _) = baked(1.0);
    let world = World::open(folder.path()).unwrap();
    let info = world.info();
    assert_eq!((world.generation(), info.sectors), (1, 7));
    assert_eq!(info.facts, facts());
    assert_eq!(info.record, record(1.0));
    let bounds = info.bounds.unwrap();
    assert_eq!((bounds.min, bounds.max), (SectorCoord::new(-1, 0), SectorCoord::new(1, 2)));
    assert!(!info.is_dense());
    let ranges: Vec<_> = world.records().map(|r| r.unwrap().height_range.unwrap()).collect();
    let low = ranges.iter().map(|range| range.0).min().unwrap();
    let high = ranges.iter().map(|range| range.1).max().unwrap();
    assert_eq!(info.height_range, Some((low, high)));
    let bytes: u64 = world.records().map(|r| r.unwrap().file_bytes).sum();
    assert_eq!(info.sector_bytes, bytes);
}

#[test]
fn heights_come_back_and_the_rest_is_outside() {
    let (folder, _) = baked(1.0);
    let mut world = World::open(folder.path()).unwrap();
    assert_eq!(world.load_all().unwrap().loaded, 7);
    let centre = WorldPos::from_metres(0.0, 0.0, 0.0, grid().sector_size()).unwrap();
    assert_eq!(world.view().ground(centre), Ground::Height(43.0));
    // The gap inside the box, and a place beyond it.
    assert_eq!(world.view().ground(at(0, 1)), Ground::Outside);
    assert_eq!(world.view().ground(at(5, 1)), Ground::Outside);
}

#[cfg(feature = "memmap2")]
#[test]
#[allow(unsafe_code)]
fn maps_and_copies_answer_alike_to_the_bit() {
    use super::worlds::answers;

    let (folder, _) = baked(1.0);
    let mut copied = World::open(folder.path()).unwrap();
    // SAFETY: nobody but this test knows the folder, and it writes nothing.
    let mut mapped = unsafe { World::open_mapped(folder.path()).unwrap() };
    copied.load_all().unwrap();
    mapped.load_all().unwrap();
    assert_eq!(answers(&copied), answers(&mapped));
    assert_eq!(copied.resident().resident(), mapped.resident().resident());
}

#[cfg(feature = "memmap2")]
#[test]
#[allow(unsafe_code)]
fn what_came_from_a_mapped_world_outlives_it_and_the_names_of_its_files() {
    let (folder, _) = baked(1.0);
    // SAFETY: nobody but this test knows the folder, and it takes names away and writes nothing.
    let mut mapped = unsafe { World::open_mapped(folder.path()).unwrap() };
    mapped.load_all().unwrap();
    let files = Arc::clone(mapped.files());
    let late = files.find(SectorCoord::new(1, 2)).unwrap().unwrap();
    let kept = mapped.resident().clone();
    let ground = |sectors: &marchland_terrain::ResidentSectors| {
        PLACES.map(|(x, z)| sectors.view().ground(at(x, z)))
    };
    let expected = ground(mapped.resident());
    drop(mapped);
    // Its files alone still map.
    let sector = files.read(&late).unwrap();
    drop(files);
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(ground(&kept), expected);
    let local = at(1, 2).local();
    assert_eq!(sector.view().field().ground(local.x, local.z), expected[6]);
}

#[test]
fn places_are_known_as_far_as_they_were_asked_for() {
    let (folder, _) = baked(1.0);
    let mut world = World::open(folder.path()).unwrap();
    let ground = |world: &World, x, z| world.view().ground(at(x, z));
    // Beyond the box at once; inside it a gap looks like any other place.
    assert_eq!(ground(&world, 2, 0), Ground::Outside);
    assert_eq!(ground(&world, 0, 0), Ground::NotResident);
    assert_eq!(ground(&world, 0, 1), Ground::NotResident);
    assert_eq!(ground(&world, -1, 2), Ground::NotResident);
    // A neighbour's load tells of the gap, not of what lies farther off.
    assert_eq!(world.load(SectorCoord::new(0, 0)).unwrap(), LoadOutcome::Loaded);
    assert_eq!(ground(&world, 0, 1), Ground::Outside);
    assert_eq!(ground(&world, 1, 1), Ground::NotResident);
    assert_eq!(ground(&world, -1, 2), Ground::NotResident);
    assert_eq!(world.locate(SectorCoord::new(-1, 2)).unwrap(), None);
    assert_eq!(ground(&world, -1, 2), Ground::Outside);
    assert_eq!(world.load(SectorCoord::new(0, 0)).unwrap(), LoadOutcome::AlreadyResident);
    assert_eq!(world.load(SectorCoord::new(0, 1)).unwrap(), LoadOutcome::Outside);
    assert_eq!(world.load(SectorCoord::new(i32::MAX, i32::MIN)).unwrap(), LoadOutcome::Outside);
    // What was unloaded is still part of the world; what is not of it cannot be unloaded.
    assert!(world.unload(SectorCoord::new(0, 0)));
    assert!(!world.unload(SectorCoord::new(0, 1)));
    assert_eq!(ground(&world, 0, 0), Ground::NotResident);
    assert_eq!(ground(&world, 0, 1), Ground::Outside);
}

#[test]
fn boxes_and_surroundings_are_loaded_as_far_as_the_world_goes() {
    let (folder, _) = baked(1.0);
    let mut world = World::open(folder.path()).unwrap();
    // 1.5 + 4 + 2.4 < 8: the radius ends before the second border to the east.
    let report = world.load_around(at(-1, 0), 2.6).unwrap();
    assert_eq!((report.loaded, report.already_resident), (2, 0), "{:?}", world.resident());
    let report = world.load_around(at(-1, 0), 9.0).unwrap();
    assert_eq!((report.loaded, report.already_resident), (1, 2), "{:?}", world.resident());
    let everything = SectorBounds {
        min: SectorCoord::new(i32::MIN, i32::MIN),
        max: SectorCoord::new(i32::MAX, i32::MAX),
    };
    assert_eq!(world.load_box(everything).unwrap().loaded, 4);
    assert_eq!(world.load_around(at(0, 0), f64::INFINITY).unwrap().already_resident, 7);
    for bad in [f64::NAN, -1.0] {
        assert!(matches!(world.load_around(at(0, 0), bad), Err(StoreError::Radius { .. })));
    }
}

#[test]
fn a_box_far_larger_than_its_sectors_is_loaded_by_its_records() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let places = [(i32::MIN, 5), (i32::MAX, i32::MAX), (0, i32::MIN)];
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for place in places {
        let data = SectorData::from_fn(grid(), |x, z| x - z).unwrap();
        let file = encode(SectorCoord::new(place.0, place.1), &data);
        writer.put(&file).unwrap();
    }
    writer.finish(&facts(), &record(0.0)).unwrap();
    let mut world = World::open_on(storage).unwrap();
    let whole = world.info().bounds.unwrap();
    assert_eq!(world.load_box(whole).unwrap().loaded, 3);
}

#[test]
fn a_world_without_sectors_is_outside_everywhere() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_places(&storage, &[], 1.0).unwrap();
    let mut world = World::open_on(storage).unwrap();
    assert_eq!(world.info().bounds, None);
    assert_eq!(world.view().ground(at(0, 0)), Ground::Outside);
    assert_eq!(world.load(SectorCoord::new(0, 0)).unwrap(), LoadOutcome::Outside);
    assert_eq!(world.load_all().unwrap().loaded, 0);
}

#[test]
fn baking_the_same_again_writes_nothing() {
    let (folder, storage) = baked(1.0);
    let names = |folder: &std::path::Path| {
        let mut found: Vec<_> = walk(folder);
        found.sort();
        found
    };
    let before = names(folder.path());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert_eq!(writer.newest().unwrap().0, 1);
    assert!(writer.is_up_to_date(&record(1.0)).unwrap());
    assert!(!writer.is_up_to_date(&record(2.0)).unwrap());
    drop(writer);
    let report = bake(&storage, 1.0).unwrap();
    assert!(report.is_unchanged);
    assert_eq!((report.generation, report.written, report.kept), (1, 0, 7));
    assert_eq!(names(folder.path()), before);
}

fn walk(folder: &std::path::Path) -> Vec<(std::path::PathBuf, std::time::SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            let changed = fs::metadata(&path).unwrap().modified().unwrap();
            found.push((path, changed));
        }
    }
    found
}

#[test]
fn only_sectors_that_changed_are_written_and_two_generations_stay() {
    let (folder, storage) = baked(1.0);
    for (generation, bump) in [(2, 2.0), (3, 3.0), (4, 4.0)] {
        let report = bake(&storage, bump).unwrap();
        assert_eq!((report.generation, report.written, report.kept), (generation, 1, 6));
        // The oldest of three manifests, and its own sector.
        assert_eq!(report.removed, if generation > 2 { 2 } else { 0 });
    }
    let manifests: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("manifest"))
        .collect();
    assert_eq!(manifests.len(), 2, "{manifests:?}");
    let sectors = walk(&folder.path().join("sectors"));
    assert_eq!(sectors.len(), 6 + 2);
}

#[test]
fn a_lost_or_damaged_sector_is_mended_by_baking_again() {
    let storage = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    bake(&shared, 1.0).unwrap();
    let sectors: Vec<_> =
        storage.paths().into_iter().filter(|path| path.ends_with(".sector")).collect();
    storage.remove_file(&sectors[2]).unwrap();
    storage.tamper(&sectors[4], |bytes| bytes.truncate(100));
    storage.tamper(&sectors[5], |bytes| bytes[200] ^= 1);
    let writer = WorldWriter::begin_on(Arc::clone(&shared)).unwrap();
    assert!(!writer.is_up_to_date(&record(1.0)).unwrap());
    let writer = writer.comparing_all();
    let written = PLACES
        .iter()
        .filter(|at| writer.put(&sector(**at, &PLACES, 1.0)).unwrap() == PutOutcome::Written);
    assert_eq!(written.count(), 3);
    let report = writer.finish(&facts(), &record(1.0)).unwrap();
    assert!(report.is_unchanged);
    assert_eq!(World::open_on(shared).unwrap().load_all().unwrap().loaded, 7);
}

#[test]
fn sectors_are_put_from_many_threads() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    std::thread::scope(|scope| {
        for at in PLACES {
            let writer = &writer;
            scope.spawn(move || writer.put(&sector(at, &PLACES, 1.0)).unwrap());
        }
    });
    writer.finish(&facts(), &record(1.0)).unwrap();
    let (_folder, other) = baked(1.0);
    let records = |storage| {
        World::open_on(storage).unwrap().records().collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!(records(storage), records(other));
}

#[test]
fn a_sector_put_twice_is_refused() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(storage).unwrap();
    writer.put(&sector((0, 0), &PLACES, 1.0)).unwrap();
    writer.put(&sector((0, 0), &PLACES, 2.0)).unwrap();
    let error = writer.finish(&facts(), &record(1.0)).unwrap_err().to_string();
    assert!(error.contains("sector (0, 0) is listed twice"), "{error}");
}

#[test]
fn many_sectors_are_synced_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let places: Vec<_> = (0..12).flat_map(|z| (-6..6).map(move |x| (x, z))).collect();
    // Two folders deep, none of which is there.
    let path = folder.path().join("new/hills.world");
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(&path));
    assert_eq!(bake_places(&storage, &places, 1.0).unwrap().written, 144);
    let mut world = World::open(&path).unwrap();
    assert!(world.info().is_dense());
    assert_eq!(world.load_all().unwrap().loaded, 144);
    assert!(marchland_terrain::store::verify(&path).unwrap().is_sound());
}

#[test]
fn a_folder_that_is_no_world_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let error = World::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NoManifest { .. }), "{error}");
    fs::write(folder.path().join("holiday.jpg"), b"sun").unwrap();
    let error = WorldWriter::begin(folder.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::NotAWorld { found, .. } if found == "holiday.jpg"),
        "{error}"
    );
    assert_eq!(walk(folder.path()).len(), 1, "something was written");
}

#[test]
fn a_folder_that_does_not_exist_is_told_from_one_without_a_world() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    for _ in 0..2 {
        let error = World::open(&nowhere).unwrap_err();
        assert!(matches!(&error, StoreError::NoFolder { path } if *path == nowhere), "{error}");
        let error = marchland_terrain::store::verify(&nowhere).unwrap_err();
        assert!(matches!(error, StoreError::NoFolder { .. }), "{error}");
    }
    assert!(!nowhere.exists(), "looking must not create it");
    fs::create_dir(&nowhere).unwrap();
    let error = World::open(&nowhere).unwrap_err();
    assert!(matches!(error, StoreError::NoManifest { .. }), "{error}");
}

#[test]
fn a_damaged_manifest_is_refused_by_readers_and_mended_by_a_bake() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    for bump in [1.0, 2.0, 3.0] {
        bake(&storage, bump).unwrap();
    }
    disk.tamper("manifest-0000000003", |bytes| bytes[40] ^= 1);
    let error = World::open_on(Arc::clone(&storage)).unwrap_err();
    assert!(matches!(error, StoreError::Manifest { .. }), "{error}");
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert_eq!(writer.newest().unwrap().0, 2);
    assert!(!writer.is_up_to_date(&record(3.0)).unwrap());
    drop(writer);
    let report = bake(&storage, 3.0).unwrap();
    assert_eq!((report.generation, report.written, report.kept), (4, 0, 7));
    // The damaged one is no help to anybody; the one before it is now the second newest.
    let manifests: Vec<_> =
        disk.paths().into_iter().filter(|path| path.starts_with("manifest")).collect();
    assert_eq!(manifests, ["manifest-0000000002", "manifest-0000000004"]);
    assert_eq!(World::open_on(storage).unwrap().load_all().unwrap().loaded, 7);
}

#[test]
fn a_damaged_index_block_takes_its_sectors_and_no_others() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let places: Vec<_> = (0..11).flat_map(|z| (0..11).map(move |x| (x, z))).collect();
    bake_places(&storage, &places, 1.0).unwrap();
    // Two leaves: the second begins behind the root and the first.
    disk.tamper("manifest-0000000001", |bytes| bytes[4096 + 4096 + 20] ^= 1);
    let mut world = World::open_on(Arc::clone(&storage)).unwrap();
    assert_eq!(world.load(SectorCoord::new(0, 0)).unwrap(), LoadOutcome::Loaded);
    let error = world.load(SectorCoord::new(10, 10)).unwrap_err();
    assert!(matches!(error, StoreError::Manifest { .. }), "{error}");
    assert_eq!(world.view().ground(at(10, 10)), Ground::NotResident);
    let report = marchland_terrain::store::verify_on(Arc::clone(&storage)).unwrap();
    assert_eq!(report.sectors, 102);
    // Nothing that the damaged part may name is removed, and the next bake mends it.
    let again = bake_places(&storage, &places, 1.0).unwrap();
    assert_eq!((again.written, again.generation), (0, 2));
    assert!(marchland_terrain::store::verify_on(storage).unwrap().is_sound());
}

#[test]
fn a_manifest_of_a_later_version_is_left_alone() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake(&storage, 1.0).unwrap();
    disk.tamper("manifest-0000000001", |bytes| bytes[8] = 2);
    let error = WorldWriter::begin_on(storage).unwrap_err().to_string();
    assert!(error.ends_with("manifest format version 2, expected version 1"), "{error}");
}

#[test]
fn nothing_is_published_after_the_last_generation() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake(&storage, 1.0).unwrap();
    let last = "manifest-18446744073709551615";
    storage.rename("manifest-0000000001", last).unwrap();
    let before = published(&storage).unwrap();
    let error = bake(&storage, 2.0).unwrap_err();
    assert!(
        matches!(&error, StoreError::LastGeneration { path } if path.ends_with(last)),
        "{error}"
    );
    assert_eq!(published(&storage).unwrap(), before);
    // What is there already needs no other.
    let report = bake(&storage, 1.0).unwrap();
    assert!(report.is_unchanged && report.generation == u64::MAX, "{report:?}");
}
