//! Packs that are cut short, changed or in each other's place: refused or harmless, and always told of.

use std::sync::Arc;

use marchland_terrain::SectorCoord;
use marchland_terrain::layout::pack::{FILE_ALIGN_BYTES, field};
use marchland_terrain::store::{
    PackError, PackProgress, PackReport, Problem, PublishReport, Storage, StoreError, World,
    pack_on, unpack_on, verify_on,
};
use xxhash_rust::xxh3::xxh3_64;

use super::memory::MemoryStorage;
use super::worlds::{Bake, answers, bake, bake_places, bake_town};

const PACK: &str = "sectors/+000_+000.pack";
const PAGE: usize = FILE_ALIGN_BYTES as usize;

fn packed(bake: Bake, bump: f64) -> MemoryStorage {
    let plain: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake(&plain, bump).unwrap();
    let packed = MemoryStorage::default();
    pack_on(plain, Arc::new(packed.clone()), &mut |_| ()).unwrap();
    packed.settled()
}

/// Two sectors: three pages.
fn two(storage: &Arc<dyn Storage>, bump: f64) -> Result<PublishReport, StoreError> {
    bake_places(storage, &[(0, 0), (1, 0)], bump)
}

fn bytes_of(storage: &MemoryStorage, path: &str) -> Vec<u8> {
    storage.contents()[path].to_vec()
}

/// What a damaged world answers where it answers, beside the sound one's answers.
fn assert_harmless(storage: &MemoryStorage, sound: &[(u32, u32)], what: &str) -> bool {
    let mut world = World::open_on(Arc::new(storage.clone())).unwrap();
    let failed = world.load_all().unwrap().failed;
    if failed.is_empty() {
        assert!(answers(&world) == sound, "{what}: other answers");
    }
    failed.is_empty()
}

#[test]
fn every_flipped_byte_of_a_pack_is_refused_or_harmless_and_found_by_verify() {
    for (bake, path, step) in
        [(two as Bake, PACK, 1), (bake_town as Bake, "meshes/", 1), (bake_town as Bake, PACK, 61)]
    {
        let sound = packed(bake, 1.0);
        let path = sound.paths().into_iter().find(|found| found.starts_with(path)).unwrap();
        let mut world = World::open_on(Arc::new(sound.clone())).unwrap();
        world.load_all().unwrap();
        let expected = answers(&world);
        let length = bytes_of(&sound, &path).len();
        for at in (0..length).step_by(step) {
            let damaged = sound.settled();
            damaged.tamper(&path, |bytes| bytes[at] ^= 1 << (at % 8));
            // All answers are compared where the time allows.
            if at < PAGE || at % 64 == 0 {
                assert_harmless(&damaged, &expected, &format!("{path}, byte {at}"));
            }
            let report = verify_on(Arc::new(damaged)).unwrap();
            assert!(!report.is_sound(), "{path}: byte {at} is not missed");
        }
    }
}

#[test]
fn every_truncation_of_a_pack_and_every_addition_is_refused() {
    let sound = packed(two, 1.0);
    let length = bytes_of(&sound, PACK).len();
    assert_eq!(length, 3 * PAGE);
    let damaged = sound.settled();
    for length in (0..length).rev() {
        damaged.tamper(PACK, |bytes| bytes.truncate(length));
        let report = World::open_on(Arc::new(damaged.clone())).unwrap().load_all().unwrap();
        assert_eq!(report.failed.len(), 2, "{length} bytes");
        for (_, error) in report.failed {
            assert!(matches!(error, StoreError::Pack { .. }), "{length} bytes: {error}");
        }
        if length % 97 == 0 {
            assert!(!verify_on(Arc::new(damaged.clone())).unwrap().is_sound());
        }
    }
    for more in [1, PAGE] {
        let damaged = sound.settled();
        damaged.tamper(PACK, |bytes| bytes.extend(vec![0; more]));
        let error = load(&damaged, (0, 0)).unwrap_err();
        assert!(matches!(pack_error(&error), PackError::Length { .. }), "{error}");
    }
}

/// A directory whose checksum is right again.
fn reseal(bytes: &mut [u8]) {
    bytes[field::CHECKSUM..][..8].fill(0);
    let checksum = xxh3_64(&bytes[..PAGE]);
    bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn a_directory_that_lies_with_a_right_checksum_is_refused() {
    let sound = packed(two, 1.0);
    let directory = 64 + 2 * 32;
    for at in (0..directory + 8).filter(|at| !(field::CHECKSUM..field::CHECKSUM + 8).contains(at)) {
        for bit in 0..8 {
            let damaged = sound.settled();
            damaged.tamper(PACK, |bytes| {
                bytes[at] ^= 1 << bit;
                reseal(bytes);
            });
            let errors = [(0, 0), (1, 0)].map(|place| load(&damaged, place).err());
            let field = (64..directory).contains(&at).then_some(at.wrapping_sub(64) % 32);
            match (field, errors) {
                (_, [Some(StoreError::Pack { .. }), Some(StoreError::Pack { .. })]) => {}
                // A key that lies is of another sector, or of another bake of it: not there.
                (Some(..16), [Some(StoreError::Missing { .. }), None]) => {}
                (Some(..16), [None, Some(StoreError::Missing { .. })]) => {}
                // A length that lies within its page is not that of a sector.
                (Some(24..), [Some(StoreError::Sector { .. }), None]) => {}
                (Some(24..), [None, Some(StoreError::Sector { .. })]) => {}
                other => panic!("byte {at}, bit {bit}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_header_that_tells_of_very_many_files_asks_for_no_memory() {
    for files in [0, 3, 1 << 20, u32::MAX] {
        let damaged = packed(two, 1.0);
        damaged.tamper(PACK, |bytes| {
            bytes[field::FILES..][..4].copy_from_slice(&files.to_le_bytes());
            reseal(bytes);
        });
        let error = load(&damaged, (0, 0)).unwrap_err();
        let found = pack_error(&error);
        assert!(matches!(found, PackError::Value { field: "number of files", .. }), "{error}");
    }
}

fn load(storage: &MemoryStorage, at: (i32, i32)) -> Result<(), StoreError> {
    let mut world = World::open_on(Arc::new(storage.clone())).unwrap();
    world.load(SectorCoord::new(at.0, at.1)).map(|_| ())
}

fn pack_error(error: &StoreError) -> &PackError {
    let StoreError::Pack { path, source } = error else { panic!("{error}") };
    assert!(path.to_str().unwrap().ends_with(".pack"), "{error}");
    source
}

#[test]
fn packs_in_each_others_place_are_refused_by_name() {
    let swapped = packed(bake_town, 1.0);
    let other = "sectors/-001_+000.pack";
    swapped.rename(PACK, "spare").unwrap();
    swapped.rename(other, PACK).unwrap();
    swapped.rename("spare", other).unwrap();
    for at in [(0, 0), (-1, 1)] {
        let error = load(&swapped, at).unwrap_err();
        let found = pack_error(&error);
        assert!(matches!(found, PackError::Value { field: "common key", .. }), "{error}");
    }
    let meshes = swapped.paths().into_iter().find(|path| path.starts_with("meshes/")).unwrap();
    swapped.rename(&meshes, PACK).unwrap();
    let error = load(&swapped, (0, 0)).unwrap_err();
    assert!(matches!(pack_error(&error), PackError::Value { field: "kind", .. }), "{error}");
}

#[test]
fn a_sector_that_is_not_in_its_pack_is_missing_and_the_others_load() {
    // The pack of another bake: sector (0, 0) alone is another.
    let (world, other) = (packed(bake, 1.0), packed(bake, 2.0));
    let bytes = bytes_of(&other, PACK);
    world.tamper(PACK, |old| *old = bytes);
    let report = World::open_on(Arc::new(world.clone())).unwrap().load_all().unwrap();
    assert_eq!(report.loaded, 6);
    let [(coord, error @ StoreError::Missing { .. })] = &report.failed[..] else {
        panic!("{:?}", report.failed)
    };
    assert_eq!(*coord, SectorCoord::new(0, 0));
    assert!(error.to_string().contains("+000_+000.pack/+000_+000-"), "{error}");
}

#[test]
fn one_bad_pack_does_not_stop_the_rest_and_verify_names_it_once() {
    let damaged = packed(bake_town, 1.0);
    damaged.tamper(PACK, |bytes| bytes[40] ^= 1);
    let report = World::open_on(Arc::new(damaged.clone())).unwrap().load_all().unwrap();
    assert_eq!(report.loaded, 2);
    assert!(report.failed.iter().all(|(_, error)| matches!(error, StoreError::Pack { .. })));
    let report = verify_on(Arc::new(damaged)).unwrap();
    assert_eq!((report.sectors, report.meshes), (7, 2));
    let packs = report.problems.iter().filter(|problem| matches!(problem, Problem::Pack { .. }));
    assert_eq!(packs.count(), 1, "{:?}", report.problems);

    let damaged = packed(bake_town, 1.0);
    for path in damaged.paths().iter().filter(|path| path.starts_with("meshes/")) {
        damaged.tamper(path, |bytes| bytes.truncate(100));
    }
    let report = verify_on(Arc::new(damaged)).unwrap();
    assert!(report.sectors == 7 && !report.is_sound());
}

#[test]
fn damage_is_neither_packed_nor_unpacked() {
    let plain = MemoryStorage::default();
    bake_town(&(Arc::new(plain.clone()) as Arc<dyn Storage>), 1.0).unwrap();
    let plain = plain.settled();
    let packed = packed(bake_town, 1.0);
    let names = |path: &&String| !path.ends_with("bake.lock");
    for (from, run) in [(plain, pack_on as Run), (packed, unpack_on as Run)] {
        for path in from.paths().iter().filter(names) {
            let damaged = from.settled();
            // The last byte that is not zero: in manifests and directories it counts too.
            damaged.tamper(path, |bytes| {
                let at = bytes.iter().rposition(|&byte| byte != 0).unwrap();
                bytes[at] ^= 0x10;
            });
            let out = MemoryStorage::default();
            let error = run(Arc::new(damaged), Arc::new(out.clone()), &mut |_| ()).unwrap_err();
            assert!(!error.is_io(), "{path}: {error}");
            assert!(!out.paths().iter().any(|path| path.starts_with("manifest")), "{path}");
            // With the damage undone the same call finishes.
            run(Arc::new(from.clone()), Arc::new(out.clone()), &mut |_| ()).unwrap();
            assert!(verify_on(Arc::new(out)).unwrap().is_sound(), "{path}");
        }
    }
}

type Run = fn(
    Arc<dyn Storage>,
    Arc<dyn Storage>,
    &mut dyn FnMut(PackProgress),
) -> Result<PackReport, StoreError>;
