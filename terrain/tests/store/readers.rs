//! Readers beside bakes, two bakers, and files that are not the ones that the manifest names.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marchland_terrain::error::SectorError;
use marchland_terrain::store::{DiskStorage, Storage, StoreError, World, WorldWriter};
use marchland_terrain::{Ground, SectorCoord, WorldPos, glam::Vec3};

use super::worlds::{PLACES, answers, bake, grid, sector};

fn baked(bumps: &[f64]) -> (tempfile::TempDir, Arc<dyn Storage>) {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    for &bump in bumps {
        bake(&storage, bump).unwrap();
    }
    (folder, storage)
}

fn sector_path(folder: &Path, at: (i32, i32), bump: f64) -> PathBuf {
    let hash = (sector(at, &PLACES, bump).content_hash >> 64) as u64;
    folder.join(format!(
        "sectors/{:+04}_{:+04}/{:+04}_{:+04}-{hash:016x}.sector",
        at.0 >> 5,
        at.1 >> 5,
        at.0,
        at.1
    ))
}

#[test]
fn the_second_of_two_bakers_is_told_that_the_world_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..200 {
        let first = WorldWriter::begin(folder.path()).unwrap();
        let second = WorldWriter::begin(folder.path());
        assert!(matches!(second, Err(StoreError::Locked { .. })));
        drop(first);
    }
    // All at once: one of them.
    let begun: Vec<_> = std::thread::scope(|scope| {
        let bakers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| WorldWriter::begin(folder.path()))).collect();
        bakers.into_iter().map(|baker| baker.join().unwrap()).collect()
    });
    assert_eq!(begun.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(begun.iter().all(|r| matches!(r, Ok(_) | Err(StoreError::Locked { .. }))));
}

#[test]
#[allow(unsafe_code)]
fn readers_keep_their_generation_while_fifty_others_are_baked() {
    let (folder, storage) = baked(&[1.0]);
    let mut loaded = World::open(folder.path()).unwrap();
    loaded.load_all().unwrap();
    let expected = answers(&loaded);
    let mut late = World::open(folder.path()).unwrap();
    #[cfg(feature = "memmap2")]
    // SAFETY: the bakes below only add files and take names away.
    let mut mapped = unsafe { World::open_mapped(folder.path()).unwrap() };
    for bake_number in 2..52 {
        bake(&storage, f64::from(bake_number)).unwrap();
        let mut newest = World::open(folder.path()).unwrap();
        assert_eq!(newest.generation(), bake_number as u64);
        newest.load_all().unwrap();
        assert_ne!(answers(&newest), expected);
        // Everything that is resident was so since before, or is loaded only now.
        for world in [&mut loaded, &mut late] {
            world.unload(SectorCoord::new(0, 0));
            assert!(world.load_all().unwrap().failed.is_empty());
            assert_eq!(answers(world), expected);
        }
        #[cfg(feature = "memmap2")]
        {
            assert!(mapped.load_all().unwrap().failed.is_empty());
            assert_eq!(answers(&mapped), expected);
        }
    }
    assert!(sector_path(folder.path(), (0, 0), 1.0).exists());
    drop(loaded);
    drop(late);
    #[cfg(feature = "memmap2")]
    drop(mapped);
    // Nobody holds the first generation now: the next bake removes it.
    bake(&storage, 100.0).unwrap();
    assert!(!sector_path(folder.path(), (0, 0), 1.0).exists());
}

#[test]
fn readers_that_open_during_bakes_always_find_a_whole_world() {
    let (folder, storage) = baked(&[1.0]);
    std::thread::scope(|scope| {
        let baker = scope.spawn(|| {
            for bump in 2..40 {
                bake(&storage, f64::from(bump)).unwrap();
            }
        });
        while !baker.is_finished() {
            let mut world = World::open(folder.path()).unwrap();
            let report = world.load_all().unwrap();
            assert!(report.failed.is_empty(), "{:?}", report.failed);
            assert_eq!(report.loaded, 7);
        }
    });
}

fn load(folder: &Path, at: (i32, i32)) -> Result<(), StoreError> {
    let mut world = World::open(folder).unwrap();
    let result = world.load(SectorCoord::new(at.0, at.1)).map(|_| ());
    if result.is_err() {
        let (coord, size) = (SectorCoord::new(at.0, at.1), grid().sector_size());
        let position = WorldPos::new(coord, Vec3::ZERO, size).unwrap();
        assert_eq!(world.view().ground(position), Ground::NotResident);
        let others = PLACES.iter().filter(|&&other| other != at);
        let loaded =
            others.filter(|other| world.load(SectorCoord::new(other.0, other.1)).is_ok()).count();
        assert!(loaded >= 5, "{loaded} of 6 others");
    }
    result
}

#[test]
fn sectors_in_each_others_place_are_refused() {
    for (one, other) in [((0, 0), (1, 0)), ((-1, 1), (1, 2)), ((0, 2), (0, 0))] {
        let (folder, _) = baked(&[1.0]);
        let [a, b] = [one, other].map(|at| sector_path(folder.path(), at, 1.0));
        let spare = folder.path().join("spare");
        fs::rename(&a, &spare).unwrap();
        fs::rename(&b, &a).unwrap();
        fs::rename(&spare, &b).unwrap();
        for at in [one, other] {
            let error = load(folder.path(), at).unwrap_err();
            let StoreError::Sector { source: SectorError::WrongSector { expected, .. }, .. } =
                error
            else {
                panic!("{error}")
            };
            assert_eq!(expected, SectorCoord::new(at.0, at.1));
        }
    }
}

#[test]
fn a_sector_that_stands_in_for_another_is_refused() {
    for at in &PLACES[1..] {
        let (folder, _) = baked(&[1.0]);
        let path = sector_path(folder.path(), PLACES[0], 1.0);
        fs::copy(&path, sector_path(folder.path(), *at, 1.0)).unwrap();
        assert!(matches!(
            load(folder.path(), *at),
            Err(StoreError::Sector { source: SectorError::WrongSector { .. }, .. })
        ));
        load(folder.path(), PLACES[0]).unwrap();
    }
}

#[test]
fn an_old_sector_in_a_new_world_is_refused() {
    let (folder, _) = baked(&[1.0, 2.0]);
    fs::copy(sector_path(folder.path(), (0, 0), 1.0), sector_path(folder.path(), (0, 0), 2.0))
        .unwrap();
    let error = load(folder.path(), (0, 0)).unwrap_err();
    let StoreError::Sector { source: SectorError::Mismatch { what, .. }, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(what, "content hash");
}

#[test]
fn a_missing_sector_is_named_and_the_others_load() {
    for at in PLACES {
        let (folder, _) = baked(&[1.0]);
        fs::remove_file(sector_path(folder.path(), at, 1.0)).unwrap();
        let error = load(folder.path(), at).unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
        let mut world = World::open(folder.path()).unwrap();
        let report = world.load_all().unwrap();
        assert_eq!((report.loaded, report.failed.len()), (6, 1));
        // It is not there, and that it failed is to be seen.
        let failed = PLACES.map(|(x, z)| world.view().has_failed(SectorCoord::new(x, z)));
        assert_eq!(failed, PLACES.map(|place| place == at));
    }
}

#[test]
fn a_sector_file_cut_or_overwritten_while_the_world_is_open_is_refused_or_has_no_effect() {
    let (folder, _) = baked(&[1.0]);
    let mut world = World::open(folder.path()).unwrap();
    world.load(SectorCoord::new(0, 0)).unwrap();
    let before = answers(&world);
    for at in [(0, 0), (1, 0)] {
        let path = sector_path(folder.path(), at, 1.0);
        let whole = fs::read(&path).unwrap();
        for length in [0, 1, 63, 64, 500, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(at == (0, 0) || world.load(SectorCoord::new(at.0, at.1)).is_err());
            assert_eq!(answers(&world), before);
        }
        fs::write(&path, whole.repeat(2)).unwrap();
        assert!(at == (0, 0) || world.load(SectorCoord::new(at.0, at.1)).is_err());
        assert_eq!(answers(&world), before);
    }
}

#[test]
fn a_world_whose_folder_goes_away_answers_as_before_and_loads_no_more() {
    let (folder, _) = baked(&[1.0]);
    let (other, _) = baked(&[5.0]);
    let moved = folder.path().join("moved");
    let path = folder.path().join("world");
    fs::create_dir(&path).unwrap();
    for name in fs::read_dir(folder.path()).unwrap() {
        let name = name.unwrap().file_name();
        if name != "world" {
            fs::rename(folder.path().join(&name), path.join(&name)).unwrap();
        }
    }
    let mut world = World::open(&path).unwrap();
    world.load(SectorCoord::new(1, 1)).unwrap();
    let before = answers(&world);
    fs::rename(&path, &moved).unwrap();
    let error = world.load(SectorCoord::new(0, 0)).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    // Another world in its place: its sector of the same coordinates is another file.
    fs::rename(other.path(), &path).unwrap();
    let error = world.load(SectorCoord::new(0, 0)).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    fs::remove_dir_all(&path).unwrap();
    assert!(world.load(SectorCoord::new(0, 0)).is_err());
    assert_eq!(answers(&world), before);
    fs::rename(&moved, &path).unwrap();
    world.load(SectorCoord::new(0, 0)).unwrap();
}

/// Puts a pipe where a file was. Who opens one to read waits for somebody who writes.
#[cfg(unix)]
fn make_pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What is done to a world ends soon, with the pipe's name.
#[cfg(unix)]
fn refuses_pipe(pipe: &Path, run: impl FnOnce() -> StoreError + Send + 'static) {
    let (said, hears) = std::sync::mpsc::channel();
    std::thread::spawn(move || said.send(run()));
    let error = hears.recv_timeout(std::time::Duration::from_secs(20)).expect("it waits for good");
    let is_it = |error: &StoreError| matches!(error, StoreError::NotAFile { path, found: "a pipe" } if path == pipe);
    assert!(is_it(&error), "{error}");
}

#[cfg(unix)]
#[test]
#[allow(unsafe_code)]
fn a_pipe_where_a_file_should_be_is_refused_and_hangs_nobody() {
    let (folder, _) = baked(&[1.0]);
    let packed = tempfile::tempdir().unwrap();
    marchland_terrain::store::pack(folder.path(), packed.path(), &mut |_| ()).unwrap();
    let origin = SectorCoord::new(0, 0);
    let load = move |folder: PathBuf| World::open(folder).unwrap().load(origin).unwrap_err();
    let root = folder.path().to_owned();
    let pipe = sector_path(&root, (0, 0), 1.0);
    make_pipe(&pipe);
    refuses_pipe(&pipe, {
        let root = root.clone();
        move || load(root)
    });
    #[cfg(feature = "memmap2")]
    refuses_pipe(&pipe, {
        let root = root.clone();
        // SAFETY: nobody writes to the world's files.
        move || unsafe { World::open_mapped(root) }.unwrap().load(origin).unwrap_err()
    });
    let pack = packed.path().join("sectors/+000_+000.pack");
    make_pipe(&pack);
    let of_pack = packed.path().to_owned();
    refuses_pipe(&pack, move || load(of_pack));
    let manifest = root.join("manifest-0000000002");
    make_pipe(&manifest);
    refuses_pipe(&manifest, {
        let root = root.clone();
        move || World::open(root).unwrap_err()
    });
    refuses_pipe(&manifest, move || WorldWriter::begin(root).unwrap_err());
    // So is a folder.
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    let error = World::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NotAFile { found: "a folder", .. }), "{error}");
}
