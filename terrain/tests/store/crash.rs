//! The power goes: after any number of operations, with any of those that were not synced lost.

use std::sync::Arc;

use marchland_random::Random;
use marchland_terrain::store::{SectorRecord, Storage};

use super::memory::{MemoryStorage, Sync};
use super::worlds::{Bake, PLACES, bake, bake_places, bake_town, expected, published};

type Published = Option<Vec<SectorRecord>>;

/// Every combination of fates where there are this many or fewer, else as many at random.
const IMAGES_EACH: usize = 600;

/// Images looked at, and what was wrong with those that were neither old nor new.
#[derive(Default)]
struct Found {
    images: usize,
    bad: Vec<String>,
}

/// A bake, and the worlds before and after it.
struct Cut {
    bake: Bake,
    bump: f64,
    old: Published,
    new: Published,
}

fn cut_everywhere(storage: &MemoryStorage, cut: &Cut) -> Found {
    let mut found = Found::default();
    let mut random = Random::new(1);
    for operations in 0..=storage.operations() {
        let is_finished = operations == storage.operations();
        let mut fates = Vec::new();
        // Everything survives: what a killed bake leaves.
        let killed = storage.after_power_cut(operations, |count| {
            fates.push(count);
            0
        });
        check(killed, operations, is_finished, cut, &mut found);
        let combinations = fates.iter().try_fold(1_usize, |all, &count| all.checked_mul(count));
        let all = combinations.filter(|&all| all <= IMAGES_EACH);
        for image in 0..all.unwrap_or(IMAGES_EACH) {
            let mut left = image;
            let image = storage.after_power_cut(operations, |count| {
                if all.is_some() {
                    let fate = left % count;
                    left /= count;
                    return fate;
                }
                random.below(count as u64) as usize
            });
            check(image, operations, is_finished, cut, &mut found);
        }
    }
    found
}

fn check(
    image: MemoryStorage,
    operations: usize,
    is_finished: bool,
    Cut { bake, bump, old, new }: &Cut,
    found: &mut Found,
) {
    found.images += 1;
    let image: Arc<dyn Storage> = Arc::new(image);
    match published(&image) {
        Ok(state) if state == *new || (!is_finished && state == *old) => {}
        Ok(_) => found.bad.push(format!("after {operations} operations another world")),
        Err(error) => found.bad.push(format!("after {operations} operations: {error}")),
    }
    // Baking again is slower than looking: every tenth will do.
    if found.images.is_multiple_of(10) {
        match bake(&image, *bump) {
            Ok(_) if published(&image).is_ok_and(|state| state == *new) => {}
            Ok(_) => found.bad.push(format!("bake after {operations} operations: another world")),
            Err(error) => found.bad.push(format!("bake after {operations} operations: {error}")),
        }
    }
}

/// A smaller world, baked three times, so that the next bake has much to write and to remove.
fn old_world() -> (MemoryStorage, Published) {
    let storage = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    for bump in [0.5, 1.0, 1.5] {
        bake_places(&shared, &PLACES[..4], bump).unwrap();
    }
    (storage.settled(), published(&shared).unwrap())
}

/// A town baked three times: of its two meshes one is another each time.
fn old_town() -> (MemoryStorage, Published) {
    let storage = MemoryStorage::default();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    for bump in [0.5, 1.0, 1.5] {
        bake_town(&shared, bump).unwrap();
    }
    (storage.settled(), published(&shared).unwrap())
}

fn assert_old_or_new(storage: &MemoryStorage, old: Published, bake: Bake, bump: f64) {
    let images = count_old_or_new(storage, old, bake, bump);
    assert!(images >= 10_000, "{images} images");
}

/// All images must hold the old world or the new one; gives their number.
pub(super) fn count_old_or_new(
    storage: &MemoryStorage,
    old: Published,
    bake: Bake,
    bump: f64,
) -> usize {
    bake(&(Arc::new(storage.clone()) as Arc<dyn Storage>), bump).unwrap();
    let found = cut_everywhere(storage, &Cut { bake, bump, old, new: expected(bake, bump) });
    assert!(found.bad.is_empty(), "{} of {}: {:?}", found.bad.len(), found.images, found.bad[0]);
    found.images
}

#[test]
fn a_power_cut_in_the_first_bake_leaves_no_world_or_a_whole_one() {
    assert_old_or_new(&MemoryStorage::default(), None, bake, 1.0);
}

#[test]
fn a_power_cut_in_a_later_bake_leaves_the_old_world_or_the_new_one() {
    let (storage, old) = old_world();
    assert_old_or_new(&storage, old, bake, 2.0);
}

#[test]
fn a_power_cut_in_the_first_bake_of_a_town_leaves_no_world_or_a_whole_one() {
    assert_old_or_new(&MemoryStorage::default(), None, bake_town, 1.0);
}

#[test]
fn a_power_cut_in_a_later_bake_of_a_town_leaves_the_old_town_or_the_new_one() {
    let (storage, old) = old_town();
    assert_old_or_new(&storage, old, bake_town, 2.0);
}

#[test]
fn every_sync_is_needed() {
    let syncs = [
        Sync::LockName,
        Sync::SectorFiles,
        Sync::SectorNames,
        Sync::BlockNames,
        Sync::SectorsName,
        Sync::ManifestFile,
        Sync::ManifestName,
    ];
    let of_meshes = [Sync::MeshFiles, Sync::MeshNames, Sync::MeshFolders];
    let worlds = syncs.map(|sync| (sync, bake as Bake));
    let towns = of_meshes.map(|sync| (sync, bake_town as Bake));
    for (sync, bake) in worlds.into_iter().chain(towns) {
        assert_needed(sync, bake);
    }
}

/// Leaves a sync out and sees that a power cut then does harm.
pub(super) fn assert_needed(sync: Sync, bake: Bake) {
    let storage = MemoryStorage::default();
    storage.leave_out(sync);
    bake(&(Arc::new(storage.clone()) as Arc<dyn Storage>), 1.0).unwrap();
    let new = expected(bake, 1.0);
    let found = cut_everywhere(&storage, &Cut { bake, bump: 1.0, old: None, new });
    assert!(!found.bad.is_empty(), "nobody misses the sync of {sync:?}");
}

#[test]
fn a_bake_that_is_cut_off_and_repeated_keeps_what_was_written() {
    let storage = MemoryStorage::default();
    bake(&(Arc::new(storage.clone()) as Arc<dyn Storage>), 1.0).unwrap();
    // Everything written survived, the last manifest's rename did not.
    let operations = storage.operations();
    let mut fates = 0;
    storage.after_power_cut(operations - 2, |_| {
        fates += 1;
        0
    });
    let mut asked = 0;
    let image = storage.after_power_cut(operations - 1, |_| {
        asked += 1;
        usize::from(asked > fates)
    });
    let image: Arc<dyn Storage> = Arc::new(image);
    assert_eq!(published(&image).unwrap(), None);
    let report = bake(&image, 1.0).unwrap();
    assert_eq!((report.written, report.kept), (0, 7));
}
