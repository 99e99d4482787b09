//! Worlds with props: each mesh on disk once and in memory once, and nothing loaded without it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use marchland_terrain::error::SectorError;
use marchland_terrain::store::{
    DiskStorage, LoadOutcome, PutOutcome, Storage, StoreError, World, WorldWriter, verify_on,
};
use marchland_terrain::{LoadedMesh, MeshHash, PropRecord, SectorCoord, SectorState};

use super::memory::MemoryStorage;
use super::worlds::{
    PLACES, bake, bake_town, facts, record, roof, sector, town_meshes, town_props, town_sector,
    town_uses,
};

fn baked(bump: f64) -> (tempfile::TempDir, Arc<dyn Storage>) {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    bake_town(&storage, bump).unwrap();
    (folder, storage)
}

fn coord(at: (i32, i32)) -> SectorCoord {
    SectorCoord::new(at.0, at.1)
}

/// The props of a resident sector, each with its mesh's hash.
fn props_at(world: &World, at: (i32, i32)) -> Vec<(PropRecord, MeshHash)> {
    let SectorState::Resident(view) = world.view().sector(coord(at)) else { panic!("{at:?}") };
    let props = view.props();
    let all = (0..props.len()).map(|index| props.record(index));
    all.map(|record| (PropRecord { mesh: 0, ..record }, props.mesh_hash(&record))).collect()
}

fn meshes_at(world: &World, at: (i32, i32)) -> &[Arc<LoadedMesh>] {
    let SectorState::Resident(view) = world.view().sector(coord(at)) else { panic!("{at:?}") };
    view.props().meshes()
}

fn mesh_path(hash: MeshHash) -> String {
    let name = hash.to_string();
    format!("meshes/{}/{name}.mesh", &name[..2])
}

#[test]
fn a_world_with_props_says_what_it_holds() {
    let (folder, storage) = baked(1.0);
    let mut world = World::open(folder.path()).unwrap();
    let info = world.info().clone();
    let files = town_meshes(1.0);
    assert_eq!((info.meshes, info.props), (2, 6));
    assert_eq!(info.mesh_bytes, files.iter().map(|file| file.len() as u64).sum::<u64>());
    assert_eq!((info.unique_triangles, info.placed_triangles), (8, 24));
    for (file, mesh) in files.iter().zip(town_uses(1.0)) {
        assert_eq!(fs::read(folder.path().join(mesh_path(mesh.hash))).unwrap(), *file);
    }
    assert!(!folder.path().join("spool").exists());
    assert_eq!(world.load_all().unwrap().loaded, 7);
    let uses = town_uses(1.0);
    for prop in town_props() {
        let expected = (PropRecord { mesh: 0, ..prop }, uses[prop.mesh as usize].hash);
        let owner = (prop.sector.x, prop.sector.z);
        assert!(props_at(&world, owner).contains(&expected), "{prop:?}");
    }
    // One reaches in from the east, and one over a corner.
    assert_eq!(props_at(&world, (-1, 1)), []);
    let known = |at| props_at(&world, at).len();
    assert_eq!((known((0, 0)), known((1, 0)), known((1, 1)), known((1, 2))), (4, 2, 1, 2));
    let report = verify_on(storage).unwrap();
    assert!(report.is_sound(), "{:?}", report.problems);
    assert_eq!((report.meshes, report.props), (2, 6));
}

#[cfg(feature = "memmap2")]
#[test]
#[allow(unsafe_code)]
fn maps_and_copies_hold_the_same_props() {
    let (folder, _) = baked(1.0);
    let mut copied = World::open(folder.path()).unwrap();
    // SAFETY: nobody but this test knows the folder, and it writes nothing.
    let mut mapped = unsafe { World::open_mapped(folder.path()).unwrap() };
    for world in [&mut copied, &mut mapped] {
        assert_eq!(world.load_all().unwrap().loaded, 7);
    }
    for at in PLACES {
        assert_eq!(props_at(&copied, at), props_at(&mapped, at));
        for (a, b) in meshes_at(&copied, at).iter().zip(meshes_at(&mapped, at)) {
            assert_eq!(a.view().triangle(3), b.view().triangle(3));
        }
    }
}

#[test]
fn a_mesh_is_in_memory_once_for_as_long_as_a_sector_uses_it() {
    let (folder, _) = baked(1.0);
    let mut world = World::open(folder.path()).unwrap();
    let shared = town_uses(1.0)[0].hash;
    world.load(coord((0, 0))).unwrap();
    world.load(coord((1, 0))).unwrap();
    let of = |world: &World, at| {
        meshes_at(world, at).iter().find(|mesh| mesh.hash() == shared).map(Arc::clone).unwrap()
    };
    let (one, other) = (of(&world, (0, 0)), of(&world, (1, 0)));
    assert!(Arc::ptr_eq(&one, &other));
    drop(other);
    assert_eq!(Arc::strong_count(&one), 3);
    let weak = Arc::downgrade(&one);
    drop(one);
    world.unload(coord((0, 0)));
    assert_eq!(weak.strong_count(), 1);
    // While one has it, nobody reads it.
    fs::rename(folder.path().join(mesh_path(shared)), folder.path().join("away")).unwrap();
    assert!(world.load(coord((1, 1))).is_ok());
    assert!(meshes_at(&world, (1, 1)).iter().all(|mesh| mesh.hash() == shared));
    world.unload(coord((1, 0)));
    world.unload(coord((1, 1)));
    assert_eq!(weak.strong_count(), 0);
    let error = world.load(coord((1, 0))).unwrap_err();
    assert!(matches!(error, StoreError::MissingMesh { .. }), "{error}");
    fs::rename(folder.path().join("away"), folder.path().join(mesh_path(shared))).unwrap();
    assert_eq!(world.load(coord((1, 0))).unwrap(), LoadOutcome::Loaded);
}

#[test]
fn a_missing_or_damaged_mesh_fails_the_sectors_that_need_it_and_no_others() {
    let (folder, _) = baked(1.0);
    let [shared, own] = town_uses(1.0).map(|mesh| folder.path().join(mesh_path(mesh.hash)));
    let whole = fs::read(&own).unwrap();
    type Spoil = Box<dyn Fn(&PathBuf)>;
    let write =
        |bytes: Vec<u8>| -> Spoil { Box::new(move |path| fs::write(path, &bytes).unwrap()) };
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    let spoils: Vec<(&str, Spoil)> = vec![
        ("missing", Box::new(|path| fs::remove_file(path).unwrap())),
        ("damaged", write(flipped)),
        ("damaged", write(whole[..whole.len() / 2].to_vec())),
        ("damaged", write(Vec::new())),
        ("damaged", write(whole.repeat(2))),
        ("other", write(fs::read(&shared).unwrap())),
    ];
    for (what, spoil) in spoils {
        spoil(&own);
        let mut world = World::open(folder.path()).unwrap();
        let error = world.load(coord((0, 0))).unwrap_err();
        let fits = match &error {
            StoreError::MissingMesh { path } => what == "missing" && *path == own,
            StoreError::Mesh { path, .. } => what == "damaged" && *path == own,
            StoreError::OtherMesh { path, .. } => what == "other" && *path == own,
            _ => false,
        };
        assert!(fits, "{what}: {error}");
        assert!(error.to_string().contains(&own.display().to_string()), "{error}");
        assert!(matches!(world.view().sector(coord((0, 0))), SectorState::NotResident));
        // (1, 0) knows the shared mesh alone.
        assert_eq!(world.load(coord((1, 0))).unwrap(), LoadOutcome::Loaded);
        let report = world.load_all().unwrap();
        let failed: Vec<_> = report.failed.iter().map(|(coord, _)| (coord.x, coord.z)).collect();
        assert_eq!(failed.len(), 3, "{failed:?}");
        assert!(failed.contains(&(0, 0)) && failed.contains(&(-1, 0)) && failed.contains(&(1, 2)));
        let _ = fs::remove_file(&own);
        fs::write(&own, &whole).unwrap();
        assert_eq!(world.load(coord((0, 0))).unwrap(), LoadOutcome::Loaded);
    }
}

#[test]
fn only_meshes_that_changed_are_written_and_two_generations_stay() {
    let (folder, storage) = baked(1.0);
    let names = || {
        let blocks = storage.list("meshes").unwrap().unwrap();
        let of = |block: &String| storage.list(&format!("meshes/{block}")).unwrap().unwrap();
        let mut names: Vec<_> = blocks.iter().flat_map(of).collect();
        names.sort();
        names
    };
    let report = bake_town(&storage, 1.0).unwrap();
    assert!(report.is_unchanged);
    assert_eq!((report.written, report.kept), (0, 7));
    assert_eq!((report.meshes_written, report.meshes_kept, report.mesh_bytes_written), (0, 2, 0));
    for (generation, bump) in [(2, 2.0), (3, 3.0), (4, 4.0)] {
        let report = bake_town(&storage, bump).unwrap();
        assert_eq!((report.meshes_written, report.meshes_kept), (1, 1));
        assert_eq!(report.mesh_bytes_written, town_meshes(bump)[1].len() as u64);
        // Sectors whose mesh is another: (-1, 0), (0, 0) and (1, 2). With the oldest of three
        // manifests they go, and its mesh.
        assert_eq!((report.written, report.kept), (3, 4));
        assert_eq!(report.removed, if generation > 2 { 1 + 3 + 1 } else { 0 });
    }
    let uses = [town_uses(3.0), town_uses(4.0)].concat();
    let mut expected: Vec<_> = uses.iter().map(|mesh| format!("{}.mesh", mesh.hash)).collect();
    expected.sort();
    expected.dedup();
    assert_eq!(names(), expected);
    // Without props the meshes go with the generations that know them.
    bake(&storage, 1.0).unwrap();
    bake(&storage, 2.0).unwrap();
    assert_eq!(names(), [""; 0]);
    let info = World::open(folder.path()).unwrap().info().clone();
    assert_eq!((info.meshes, info.mesh_bytes, info.props, info.placed_triangles), (0, 0, 0, 0));
}

#[test]
fn a_lost_or_damaged_mesh_is_mended_by_baking_again() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake_town(&storage, 1.0).unwrap();
    let [lost, damaged] = town_uses(1.0).map(|mesh| mesh_path(mesh.hash));
    let put_all = |writer: WorldWriter| {
        let put = |bytes: &Vec<u8>| writer.put_mesh(bytes).unwrap().1;
        let outcomes = town_meshes(1.0).each_ref().map(put);
        for at in PLACES {
            writer.put(&town_sector(at, &town_props(), 1.0)).unwrap();
        }
        assert!(writer.finish(&facts(), &record(1.0)).unwrap().is_unchanged);
        outcomes
    };
    let begin = || WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert!(begin().is_up_to_date(&record(1.0)).unwrap());
    disk.remove_file(&lost).unwrap();
    assert!(!begin().is_up_to_date(&record(1.0)).unwrap());
    assert_eq!(put_all(begin()), [PutOutcome::Written, PutOutcome::Kept]);
    assert!(begin().is_up_to_date(&record(1.0)).unwrap());
    // Of the same length: only a comparison of all tells.
    disk.tamper(&damaged, |bytes| bytes[80] ^= 1);
    assert_eq!(put_all(begin()), [PutOutcome::Kept, PutOutcome::Kept]);
    assert!(!verify_on(Arc::clone(&storage)).unwrap().is_sound());
    assert_eq!(put_all(begin().comparing_all()), [PutOutcome::Kept, PutOutcome::Written]);
    assert!(verify_on(storage).unwrap().is_sound());
}

#[test]
fn a_mesh_that_a_sector_uses_must_be_put_and_one_that_none_uses_is_no_part_of_the_world() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let [shared, own] = town_meshes(1.0);
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    writer.put_mesh(&shared).unwrap();
    writer.put(&town_sector((0, 0), &town_props(), 1.0)).unwrap();
    let error = writer.finish(&facts(), &record(1.0)).unwrap_err().to_string();
    assert!(error.contains("is used by a sector, but was not put into the world"), "{error}");
    assert!(World::open_on(Arc::clone(&storage)).is_err());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    // From many threads, the same ones again and again.
    std::thread::scope(|scope| {
        for bytes in [&shared, &own, &roof(9.0)] {
            for _ in 0..4 {
                let writer = &writer;
                let bytes = bytes.clone();
                scope.spawn(move || writer.put_mesh(&bytes).unwrap());
            }
        }
    });
    writer.put(&town_sector((0, 0), &town_props(), 1.0)).unwrap();
    let report = writer.finish(&facts(), &record(1.0)).unwrap();
    assert_eq!((report.meshes_written, report.meshes_kept, report.removed), (2, 1, 1));
    let world = World::open_on(storage).unwrap();
    assert_eq!((world.info().meshes, world.info().props), (2, 3));
    assert_eq!(disk.paths().iter().filter(|path| path.ends_with(".mesh")).count(), 2);
}

#[test]
fn what_is_no_mesh_is_not_put() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    let whole = roof(1.0);
    for bytes in [&b"solid cube"[..], &[], &whole[..whole.len() - 1]] {
        let error = writer.put_mesh(bytes).unwrap_err();
        assert!(matches!(error, StoreError::Mesh { .. }), "{error}");
    }
    assert_eq!(storage.list("meshes").unwrap(), None);
}

#[test]
fn a_sector_whose_mesh_the_manifest_does_not_name_is_refused() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for at in PLACES {
        // It says of itself that it uses no mesh.
        let mut file = town_sector(at, &town_props(), 1.0);
        file.meshes.clear();
        writer.put(&file).unwrap();
    }
    writer.finish(&facts(), &record(1.0)).unwrap();
    let mut world = World::open_on(Arc::clone(&storage)).unwrap();
    let error = world.load(coord((0, 0))).unwrap_err();
    assert!(matches!(error, StoreError::UnnamedMesh { .. }), "{error}");
    assert_eq!(world.load(coord((-1, 1))).unwrap(), LoadOutcome::Loaded);
    assert!(!verify_on(storage).unwrap().is_sound());
}

#[test]
fn readers_keep_the_meshes_of_their_generation_while_others_are_baked() {
    let (folder, storage) = baked(1.0);
    let mut early = World::open(folder.path()).unwrap();
    let expected = {
        early.load_all().unwrap();
        PLACES.map(|at| props_at(&early, at))
    };
    let old_mesh = folder.path().join(mesh_path(town_uses(1.0)[1].hash));
    for bump in 2..9 {
        bake_town(&storage, f64::from(bump)).unwrap();
        for at in PLACES {
            early.unload(coord(at));
        }
        assert!(early.load_all().unwrap().failed.is_empty());
        assert_eq!(PLACES.map(|at| props_at(&early, at)), expected);
        let mut newest = World::open(folder.path()).unwrap();
        newest.load_all().unwrap();
        assert_ne!(PLACES.map(|at| props_at(&newest, at)), expected);
        assert!(old_mesh.exists());
    }
    drop(early);
    bake_town(&storage, 99.0).unwrap();
    assert!(!old_mesh.exists());
}

#[test]
fn a_damaged_mesh_table_fails_sectors_with_props_alone_and_loses_no_file() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake_town(&storage, 1.0).unwrap();
    disk.tamper("manifest-0000000001", |bytes| *bytes.last_mut().unwrap() ^= 1);
    let mut world = World::open_on(Arc::clone(&storage)).unwrap();
    let error = world.load(coord((0, 0))).unwrap_err();
    assert!(matches!(error, StoreError::Manifest { .. }), "{error}");
    assert_eq!(world.load(coord((-1, 1))).unwrap(), LoadOutcome::Loaded);
    assert!(!verify_on(Arc::clone(&storage)).unwrap().is_sound());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert!(!writer.is_up_to_date(&record(1.0)).unwrap());
    drop(writer);
    // The next bake removes nothing that the damaged part may name.
    let before = disk.paths().iter().filter(|path| path.ends_with(".mesh")).count();
    let report = bake_town(&storage, 2.0).unwrap();
    assert_eq!((report.meshes_written, report.meshes_kept), (1, 1));
    assert_eq!(disk.paths().iter().filter(|p| p.ends_with(".mesh")).count(), before + 1);
    assert!(World::open_on(storage).unwrap().load_all().unwrap().failed.is_empty());
}

#[test]
fn a_sector_whose_props_are_not_what_its_meshes_are_is_refused() {
    let (sector, uses) = (sector((0, 0), &PLACES, 1.0), town_uses(1.0));
    // Boxes made for a smaller mesh lead past the real one.
    let mut small = uses;
    small[0].bounds.max *= 0.5;
    let one = [town_props()[0]];
    let file = marchland_terrain::format::with_props(&sector.bytes, &one, &small).unwrap();
    let meshes = town_meshes(1.0).map(|bytes| Arc::new(LoadedMesh::new(bytes).unwrap()));
    let mut find = |hash| meshes.iter().find(|mesh| mesh.hash() == hash).map(Arc::clone);
    let error = marchland_terrain::LoadedSector::with_meshes(file.bytes, &mut find).unwrap_err();
    assert!(matches!(error, SectorError::Value { .. }), "{error}");
}
