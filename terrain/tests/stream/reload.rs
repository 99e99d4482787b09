//! Taking newer generations of a world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use marchland_terrain::format::encode;
use marchland_terrain::store::{DiskStorage, Storage, StoreError, WorldFacts, WorldWriter};
use marchland_terrain::stream::{Interest, StreamEvent, StreamSettings, Streamer};
use marchland_terrain::{Grid, Ground, SectorCoord, SectorData, SectorState, World};
use proptest::prelude::*;

use crate::driver::Driver;
use crate::memory::MemoryStorage;
use crate::plain::{answers, at, bake, rectangle};
use crate::smoke::settle;
use crate::worlds::{facts, record};

/// How high each sector of a generation is lifted.
type Lifts = BTreeMap<SectorCoord, f64>;

fn lifts(side: i32) -> Lifts {
    rectangle((-side / 2, -side / 2), side, side).into_iter().map(|coord| (coord, 0.0)).collect()
}

fn bake_lifts(storage: &Arc<dyn Storage>, lifts: &Lifts) {
    let places: Vec<_> = lifts.iter().map(|(coord, lift)| (*coord, *lift)).collect();
    bake(storage, &places);
}

fn middle(coord: SectorCoord) -> marchland_terrain::WorldPos {
    at(f64::from(coord.x) * 8.0, f64::from(coord.z) * 8.0)
}

/// The ground in a sector's middle, as [`bake`] makes it.
fn height(coord: SectorCoord, lift: f64) -> Ground {
    let metres = f64::from(coord.x) - f64::from(coord.z) * 0.5 + lift;
    Ground::Height(metres as f32)
}

/// A world of generation 1 with all its sectors in memory, wanted from its middle.
fn all_resident(lifts: &Lifts) -> (Arc<dyn Storage>, MemoryStorage, Streamer, Driver, Duration) {
    let memory = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    bake_lifts(&storage, lifts);
    let world = World::open_on(Arc::clone(&storage)).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.add_interest(Interest::new(at(0.0, 0.0), 300.0)).unwrap();
    let now = settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.stats().resident, lifts.len());
    (storage, memory, streamer, driver, now)
}

fn reload(streamer: &mut Streamer, driver: &Driver, now: Duration) -> Duration {
    streamer.reload();
    settle(streamer, driver, now)
}

#[test]
fn what_changed_leaves_the_view_at_once_and_alone_is_loaded_anew() {
    let mut lifts = lifts(7);
    let (storage, _, mut streamer, driver, mut now) = all_resident(&lifts);
    let before: Lifts = lifts.clone();
    let [changed, removed, added] =
        [[(0, 0), (1, 0), (-3, 2)].as_slice(), &[(2, 2), (-1, -1)], &[(9, 0), (-5, -6)]]
            .map(|places| places.iter().map(|&(x, z)| SectorCoord::new(x, z)).collect::<Vec<_>>());
    lifts.extend(changed.iter().map(|&coord| (coord, 2.0)));
    lifts.extend(added.iter().map(|&coord| (coord, 1.0)));
    removed.iter().for_each(|coord| _ = lifts.remove(coord));
    bake_lifts(&storage, &lifts);
    let started = driver.started().len();
    streamer.reload();
    streamer.reload();
    assert_eq!(driver.jobs(), 1);
    let mut told = Vec::new();
    while driver.jobs() > 0 || streamer.stats().missing > 0 || told.is_empty() {
        now += Duration::from_millis(16);
        streamer.update(now);
        told.extend(streamer.drain_events());
        for (&coord, &old) in &before {
            let ground = streamer.view().ground(middle(coord));
            let new = lifts.get(&coord).copied();
            if told.is_empty() {
                assert_eq!(ground, height(coord, old));
            } else if new == Some(old) {
                assert_eq!(ground, height(coord, old), "{coord} did not change");
            } else {
                let is_new = new.is_some_and(|lift| ground == height(coord, lift));
                assert!(is_new || ground == Ground::NotResident, "{coord} {ground:?}");
            }
        }
        if driver.jobs() > 0 {
            driver.finish(0);
        }
    }
    let [StreamEvent::Reloaded { generation: 2, changed: 3, removed: 2 }] = told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(streamer.generation(), 2);
    let loaded: BTreeSet<_> = driver.started()[started..].iter().copied().collect();
    assert_eq!(driver.started().len() - started, 5);
    assert_eq!(loaded, changed.into_iter().chain(added).collect());
    let mut fresh = World::open_on(storage).unwrap();
    fresh.load_all().unwrap();
    for (&coord, &lift) in &lifts {
        assert_eq!(streamer.view().ground(middle(coord)), height(coord, lift));
        assert_eq!(fresh.view().ground(middle(coord)), height(coord, lift));
    }
    // Nobody falls out of the world with the ground.
    for &coord in &removed {
        assert_eq!(fresh.view().ground(middle(coord)), Ground::Outside);
        assert_eq!(streamer.view().ground(middle(coord)), Ground::NotResident);
    }
}

#[test]
fn what_was_removed_is_held_through_later_reloads_until_it_is_there_again() {
    let mut lifts = lifts(5);
    let (storage, _, mut streamer, driver, mut now) = all_resident(&lifts);
    let gone = SectorCoord::new(1, 1);
    let old = lifts.remove(&gone).unwrap();
    for number in 0..4 {
        lifts.insert(SectorCoord::new(0, 0), f64::from(number) + 1.0);
        bake_lifts(&storage, &lifts);
        now = reload(&mut streamer, &driver, now);
        assert_eq!(streamer.view().ground(middle(gone)), Ground::NotResident, "{number}");
        let told: Vec<_> = streamer.drain_events().collect();
        let removals = usize::from(number == 0);
        assert!(
            matches!(told[..], [StreamEvent::Reloaded { changed: 1, removed, .. }] if removed == removals),
            "{told:?}"
        );
    }
    lifts.insert(gone, old);
    bake_lifts(&storage, &lifts);
    reload(&mut streamer, &driver, now);
    assert_eq!(streamer.view().ground(middle(gone)), height(gone, old));
}

#[test]
fn with_nothing_newer_nothing_happens() {
    let (_storage, _, mut streamer, driver, now) = all_resident(&lifts(5));
    let started = driver.started().len();
    reload(&mut streamer, &driver, now);
    let told: Vec<_> = streamer.drain_events().collect();
    assert!(matches!(told[..], [StreamEvent::NothingNewer]), "{told:?}");
    assert_eq!((driver.started().len(), streamer.stats().resident), (started, 25));
}

#[test]
fn another_grid_is_refused_and_the_old_world_stays() {
    let lifts = lifts(5);
    let (storage, _, mut streamer, driver, now) = all_resident(&lifts);
    let other = Grid::new(1.0, 8.0, 1.0 / 128.0).unwrap();
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    let data = SectorData::from_fn(other, |_, _| 3.0).unwrap();
    writer.put(&encode(SectorCoord::new(0, 0), &data)).unwrap();
    writer.finish(&WorldFacts { grid: other, ..facts() }, &record(1.0)).unwrap();
    let now = reload(&mut streamer, &driver, now);
    let told: Vec<_> = streamer.drain_events().collect();
    let [StreamEvent::ReloadFailed { error }] = &told[..] else { panic!("{told:?}") };
    assert!(matches!(**error, StoreError::OtherGrid { .. }), "{error}");
    assert_eq!((streamer.generation(), streamer.stats().resident), (1, 25));
    // Its sectors still come and go, and a third generation on the grid is taken.
    assert_eq!(streamer.view().ground(middle(SectorCoord::new(1, 1))), Ground::Height(0.5));
    bake_lifts(&storage, &lifts);
    reload(&mut streamer, &driver, now);
    assert_eq!(streamer.generation(), 3);
}

#[test]
fn a_sector_that_failed_and_was_baked_anew_has_not_failed() {
    let mut lifts = lifts(3);
    let memory = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    bake_lifts(&storage, &lifts);
    let bad = SectorCoord::new(1, 0);
    let path = memory.paths().into_iter().find(|path| path.contains("/+001_+000-")).unwrap();
    memory.tamper(&path, |bytes| bytes[200] ^= 4);
    let world = World::open_on(Arc::clone(&storage)).unwrap();
    let settings =
        StreamSettings { retry_first: Duration::from_secs(60), ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    streamer.add_interest(Interest::new(at(0.0, 0.0), 300.0)).unwrap();
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    assert!(streamer.view().has_failed(bad));
    lifts.insert(bad, 4.0);
    bake_lifts(&storage, &lifts);
    streamer.reload();
    driver.finish_all();
    now += Duration::from_millis(16);
    streamer.update(now);
    assert!(!streamer.view().has_failed(bad));
    assert_eq!(streamer.stats().failed, 0);
    settle(&mut streamer, &driver, now);
    assert_eq!(streamer.view().ground(middle(bad)), height(bad, 4.0));
}

#[test]
fn what_a_world_by_hand_knew_of_gaps_ends_with_its_generation() {
    let mut lifts = lifts(5);
    let gap = SectorCoord::new(1, 1);
    lifts.remove(&gap);
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake_lifts(&storage, &lifts);
    let mut world = World::open_on(Arc::clone(&storage)).unwrap();
    world.load(SectorCoord::new(1, 0)).unwrap();
    assert_eq!(world.view().ground(middle(gap)), Ground::Outside);
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.update(Duration::ZERO);
    lifts.insert(gap, 0.0);
    bake_lifts(&storage, &lifts);
    reload(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.generation(), 2);
    assert_eq!(streamer.view().ground(middle(gap)), Ground::NotResident);
    assert_eq!(driver.started(), []);
}

#[derive(Clone, Debug)]
enum Act {
    /// Bakes with changes: 0 takes a sector out of the world, other numbers lift it.
    Bake(Vec<((i32, i32), u8)>),
    Reload,
    Finish(Vec<usize>),
    Move(i32, i32),
}

fn act() -> impl Strategy<Value = Act> {
    let change = ((-3..4, -3..4), prop_oneof![1 => Just(0_u8), 3 => 1_u8..4]);
    prop_oneof![
        2 => prop::collection::vec(change, 0..6).prop_map(Act::Bake),
        3 => Just(Act::Reload),
        12 => prop::collection::vec(any::<usize>(), 1..4).prop_map(Act::Finish),
        2 => (-20..20, -20..20).prop_map(|(x, z)| Act::Move(x, z)),
    ]
}

/// Every sector in memory is one of the open generation, and no place of it is outside.
fn check(streamer: &Streamer, generations: &[Lifts], ever: &mut BTreeSet<SectorCoord>) {
    let lifts = &generations[streamer.generation() as usize - 1];
    for coord in rectangle((-4, -4), 9, 9) {
        let lift = lifts.get(&coord);
        match streamer.view().sector(coord) {
            SectorState::Resident(_) => {
                let ground = streamer.view().ground(middle(coord));
                let expected = lift.map(|&lift| height(coord, lift));
                assert_eq!(Some(ground), expected, "{coord} is of another generation");
                ever.insert(coord);
            }
            SectorState::Outside => {
                assert_eq!(lift, None, "{coord} is part of the world");
                assert!(!ever.contains(&coord), "{coord} was there, and units with it");
            }
            SectorState::NotResident => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_is_under_way_during_reloads_nobody_sees_two_generations(
        acts in prop::collection::vec(act(), 1..50),
        flights in 1_usize..5,
    ) {
        let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
        let mut generations = vec![lifts(5)];
        bake_lifts(&storage, &generations[0]);
        let world = World::open_on(Arc::clone(&storage)).unwrap();
        let settings = StreamSettings { loads_in_flight: flights, ..StreamSettings::default() };
        let (mut streamer, driver) = Driver::stream(world, settings);
        let id = streamer.add_interest(Interest::new(at(0.0, 0.0), 12.0)).unwrap();
        let (mut now, mut ever) = (Duration::ZERO, BTreeSet::new());
        for act in acts.iter().chain([&Act::Reload]) {
            match act {
                Act::Bake(changes) => {
                    let mut lifts = generations.last().unwrap().clone();
                    for &((x, z), lift) in changes {
                        match lift {
                            0 => _ = lifts.remove(&SectorCoord::new(x, z)),
                            _ => _ = lifts.insert(SectorCoord::new(x, z), f64::from(lift)),
                        }
                    }
                    bake_lifts(&storage, &lifts);
                    // A bake that changes nothing publishes nothing.
                    let newest = World::open_on(Arc::clone(&storage)).unwrap().generation();
                    if newest as usize > generations.len() {
                        generations.push(lifts);
                    }
                }
                Act::Reload => streamer.reload(),
                Act::Finish(places) => {
                    for place in places {
                        let jobs = driver.jobs();
                        if jobs > 0 {
                            driver.finish(place % jobs);
                        }
                    }
                }
                Act::Move(x, z) => {
                    let place = at(f64::from(*x), f64::from(*z));
                    streamer.set_interest(id, Interest::new(place, 12.0)).unwrap();
                }
            }
            now += Duration::from_millis(16);
            streamer.update(now);
            check(&streamer, &generations, &mut ever);
        }
        settle(&mut streamer, &driver, now);
        now = reload(&mut streamer, &driver, now + Duration::from_secs(1));
        for _ in 0..5 {
            now = settle(&mut streamer, &driver, now + Duration::from_secs(1));
        }
        check(&streamer, &generations, &mut ever);
        prop_assert_eq!(streamer.generation() as usize, generations.len());
        let bad: Vec<_> = streamer.drain_events().filter(|event| {
            !matches!(event, StreamEvent::Reloaded { .. } | StreamEvent::NothingNewer)
        }).collect();
        prop_assert!(bad.is_empty(), "{:?}", bad);
        prop_assert_eq!(streamer.stats().missing, 0);
    }
}

#[test]
#[allow(unsafe_code)]
fn fifty_bakes_in_a_row_beside_open_worlds_and_streamers() {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
    let mut lifts = lifts(4);
    bake_lifts(&storage, &lifts);
    let (low, high) = ((-3, -3), (2, 2));
    let mut kept = World::open(folder.path()).unwrap();
    kept.load_all().unwrap();
    let expected = answers(kept.view(), low, high);
    #[cfg_attr(not(feature = "memmap2"), expect(unused_mut, reason = "nothing is mapped"))]
    let mut streamed = vec![World::open(folder.path()).unwrap()];
    #[cfg(feature = "memmap2")]
    // SAFETY: the bakes below only add files and take names away.
    streamed.push(unsafe { World::open_mapped(folder.path()).unwrap() });
    let mut streamed: Vec<_> = streamed
        .into_iter()
        .map(|world| {
            let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
            streamer.add_interest(Interest::new(at(0.0, 0.0), 300.0)).unwrap();
            let now = settle(&mut streamer, &driver, Duration::ZERO);
            (streamer, driver, now)
        })
        .collect();
    for number in 2..52 {
        lifts.insert(SectorCoord::new(number % 4 - 2, number / 4 % 4 - 2), f64::from(number));
        bake_lifts(&storage, &lifts);
        let mut fresh = World::open(folder.path()).unwrap();
        fresh.load_all().unwrap();
        let newest = answers(fresh.view(), low, high);
        assert_ne!(newest, expected);
        for (streamer, driver, now) in &mut streamed {
            let loads = streamer.stats().loads;
            *now = reload(streamer, driver, *now);
            assert_eq!(streamer.generation(), number as u64);
            assert_eq!(answers(streamer.view(), low, high), newest);
            assert_eq!(streamer.stats().loads, loads + 1);
        }
        kept.unload(SectorCoord::new(0, 0));
        assert_eq!(kept.load_all().unwrap().loaded, 1);
        assert_eq!(answers(kept.view(), low, high), expected);
    }
    for (streamer, ..) in &mut streamed {
        let told: Vec<_> = streamer.drain_events().collect();
        assert_eq!(told.len(), 50);
        assert!(told.iter().all(|event| {
            matches!(event, StreamEvent::Reloaded { changed: 1, removed: 0, .. })
        }));
    }
}
