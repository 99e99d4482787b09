//! Packed worlds: the same answers, the same files, nothing lost either way.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use marchland_terrain::layout::pack as pack_layout;
use marchland_terrain::store::{
    DiskStorage, PackProgress, Storage, StoreError, World, pack, pack_on, unpack, unpack_on, verify,
};
use marchland_terrain::{SectorCoord, WorldPos, glam::Vec3};

use super::counting::Counting;
use super::memory::MemoryStorage;
use super::worlds::{PLACES, answers, bake, bake_places, bake_town, grid};

/// Every file below a folder but the lock, by its path from there.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(within).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("bake.lock") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A town of the third generation, its packed form, and what was unpacked from that.
fn town() -> (tempfile::TempDir, [std::path::PathBuf; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["town", "packed", "unpacked"].map(|name| folder.path().join(name));
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(&paths[0]));
    for bump in [0.5, 1.0, 1.5] {
        bake_town(&storage, bump).unwrap();
    }
    pack(&paths[0], &paths[1], &mut |_| ()).unwrap();
    unpack(&paths[1], &paths[2], &mut |_| ()).unwrap();
    (folder, paths)
}

/// Rays down through the props of the town, as bits.
fn rays(world: &World) -> Vec<String> {
    let size = grid().sector_size();
    let ray = |x: i32, z: i32| {
        let (x, z) = (f64::from(x) * 0.25, f64::from(z) * 0.25);
        let from = WorldPos::from_metres(x, 60.0, z, size).unwrap();
        format!("{:?}", world.view().raycast(from, Vec3::new(0.1, -1.0, 0.05).normalize(), 40.0))
    };
    (-16..48).flat_map(|x| (-16..80).map(move |z| (x, z))).map(|(x, z)| ray(x, z)).collect()
}

fn loaded(mut world: World) -> World {
    let report = world.load_all().unwrap();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    world
}

#[test]
#[allow(unsafe_code)]
fn a_packed_world_gives_the_same_answers_copied_and_mapped() {
    let (_folder, [town, packed, unpacked]) = town();
    let plain = loaded(World::open(&town).unwrap());
    #[cfg_attr(not(feature = "memmap2"), expect(unused_mut, reason = "nothing is mapped"))]
    let mut others = vec![World::open(&packed).unwrap(), World::open(&unpacked).unwrap()];
    #[cfg(feature = "memmap2")]
    for folder in [&packed, &unpacked] {
        // SAFETY: nobody writes to these files.
        others.push(unsafe { World::open_mapped(folder).unwrap() });
    }
    let (heights, hits) = (answers(&plain), rays(&plain));
    for other in others {
        assert_eq!((other.info(), other.generation()), (plain.info(), 3));
        let other = loaded(other);
        assert_eq!(answers(&other), heights);
        assert_eq!(rays(&other), hits);
    }
    for folder in [&town, &packed, &unpacked] {
        let report = verify(folder).unwrap();
        assert!(report.is_sound(), "{:?}", report.problems);
        assert_eq!((report.sectors, report.meshes), (7, 2));
    }
}

#[test]
fn packing_and_unpacking_give_the_very_files_back() {
    let (folder, [town, packed, unpacked]) = town();
    let (files, found) = (tree(&town), tree(&unpacked));
    // The newest generation alone: its manifest, seven sectors and two meshes.
    assert_eq!(found.len(), 10, "{:?}", found.keys());
    assert!(found.contains_key("manifest-0000000003"));
    for (name, bytes) in &found {
        assert_eq!(files.get(name), Some(bytes), "{name}");
    }
    let packs = tree(&packed);
    assert_eq!(packs["manifest-0000000003"], files["manifest-0000000003"]);
    assert!(packs.contains_key("sectors/-001_+000.pack") && packs.len() < found.len());
    let again = folder.path().join("again");
    pack(&unpacked, &again, &mut |_| ()).unwrap();
    assert_eq!(tree(&again), packs);
}

#[test]
fn every_file_begins_on_a_page_and_stands_in_its_pack_unchanged() {
    let (_folder, [_, packed, unpacked]) = town();
    let storage = DiskStorage::new(&packed);
    for (name, bytes) in tree(&unpacked) {
        let Some((folder, _)) = name.rsplit_once('/') else { continue };
        let pack = fs::read(storage.full_path(&format!("{folder}.pack"))).unwrap();
        let pages = pack.chunks(pack_layout::FILE_ALIGN_BYTES as usize);
        let places = pages.enumerate().filter(|(_, page)| page.starts_with(&bytes[..64]));
        let places: Vec<_> = places.map(|(page, _)| page * 4096).collect();
        assert_eq!(places.len(), 1, "{name}");
        assert_eq!(&pack[places[0]..][..bytes.len()], bytes, "{name}");
    }
}

#[test]
fn opening_a_packed_world_asks_no_more_of_the_disk_and_its_directories_are_read_once() {
    let plain = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(plain.clone());
    bake(&shared, 1.0).unwrap();
    let packed: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    pack_on(Arc::clone(&shared), Arc::clone(&packed), &mut |_| ()).unwrap();
    let [plain, packed] = [shared, packed].map(|storage| Counting::new(storage, None));
    let worlds = [&plain, &packed].map(|counting| World::open_on(Arc::new(counting.clone())));
    let [mut world, mut packed_world] = worlds.map(Result::unwrap);
    assert_eq!((plain.calls(), plain.read_bytes()), (packed.calls(), packed.read_bytes()));
    let load = |world: &mut World, counting: &Counting, at: (i32, i32)| {
        let before = (counting.calls(), counting.read_bytes());
        world.load(SectorCoord::new(at.0, at.1)).unwrap();
        (counting.calls() - before.0, counting.read_bytes() - before.1)
    };
    let directory = 4096;
    let [first, packed_first] =
        [load(&mut world, &plain, (0, 0)), load(&mut packed_world, &packed, (0, 0))];
    assert_eq!(packed_first.1, first.1 + directory);
    // Later ones of the same pack open no file.
    let [later, packed_later] =
        [load(&mut world, &plain, (1, 2)), load(&mut packed_world, &packed, (1, 2))];
    assert_eq!(packed_later.1, later.1);
    assert!(packed_later.0 < later.0, "{packed_later:?} {later:?}");
}

#[test]
fn more_packs_than_are_kept_open_are_read_by_turns() {
    // Each in a block of its own; more than 128 of them.
    let places: Vec<(i32, i32)> = (0..150).map(|at| (at * 32 - 600, at % 3)).collect();
    let plain: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_places(&plain, &places, 1.0).unwrap();
    let packed = MemoryStorage::default();
    let report = pack_on(plain, Arc::new(packed.clone()), &mut |_| ()).unwrap();
    assert_eq!((report.sectors, report.written), (150, 150));
    let mut world = World::open_on(Arc::new(packed)).unwrap();
    for _ in 0..2 {
        assert_eq!(world.load_all().unwrap().loaded, 150);
        for &(x, z) in &places {
            assert!(world.unload(SectorCoord::new(x, z)));
        }
    }
}

#[test]
fn a_world_of_nothing_is_packed_and_unpacked() {
    let plain: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_places(&plain, &[], 1.0).unwrap();
    let [packed, unpacked] = [(); 2].map(|()| Arc::new(MemoryStorage::default()));
    pack_on(plain, packed.clone(), &mut |_| ()).unwrap();
    unpack_on(packed, unpacked.clone(), &mut |_| ()).unwrap();
    assert_eq!(World::open_on(unpacked).unwrap().info().sectors, 0);
}

#[test]
fn progress_counts_every_sector_and_mesh_and_the_report_says_what_was_made() {
    let plain: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_town(&plain, 1.0).unwrap();
    let packed: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let expected: Vec<_> = (1..=9).map(|files| PackProgress { files, files_total: 9 }).collect();
    let mut told = Vec::new();
    let report = pack_on(plain, Arc::clone(&packed), &mut |at| told.push(at)).unwrap();
    assert_eq!(told, expected);
    assert_eq!((report.sectors, report.meshes, report.generation), (7, 2, 1));
    told.clear();
    let unpacked: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let back = unpack_on(packed, unpacked, &mut |at| told.push(at)).unwrap();
    assert_eq!(told, expected);
    assert_eq!((back.bytes, back.written), (report.bytes, 9));
}

#[test]
fn a_pack_that_is_not_there_fails_its_own_sectors_alone() {
    let (_folder, [_, packed, _]) = town();
    fs::remove_file(packed.join("sectors/+000_+000.pack")).unwrap();
    let report = World::open(&packed).unwrap().load_all().unwrap();
    let there = PLACES.iter().filter(|place| place.0 < 0).count() as u64;
    assert_eq!(report.loaded, there);
    for (coord, error) in report.failed {
        assert!(coord.x >= 0 && matches!(error, StoreError::Missing { .. }), "{error}");
    }
}
