//! The same views, however the bytes come into memory.

use std::sync::Arc;
use std::time::Duration;

use marchland_random::Random;
use marchland_terrain::World;
use marchland_terrain::store::{DiskStorage, Storage};
use marchland_terrain::stream::{Interest, StreamSettings};
use proptest::prelude::*;

use crate::driver::Driver;
use crate::memory::MemoryStorage;
use crate::plain::{answers, at, velocity};
use crate::worlds::bake_town;

/// Where a source goes, and what is seen from there: what is not wanted is not asked for.
fn views(
    world: World,
    stops: &[(f64, f64)],
    settings: StreamSettings,
    mut pick: impl FnMut(usize) -> usize,
) -> Vec<Vec<(u32, u32)>> {
    let (mut streamer, driver) = Driver::stream(world, settings);
    let source = |(x, z): (f64, f64)| Interest {
        velocity: velocity(x as f32 * 0.1, 0.5),
        ..Interest::new(at(x, z), 1.0)
    };
    let id = streamer.add_interest(source(stops[0])).unwrap();
    let mut now = Duration::ZERO;
    let mut seen = Vec::new();
    for &stop in stops {
        streamer.set_interest(id, source(stop)).unwrap();
        for _ in 0..60 {
            now += Duration::from_millis(260);
            streamer.update(now);
            for _ in 0..pick(5) {
                let jobs = driver.jobs();
                if jobs > 0 {
                    driver.finish(pick(jobs));
                }
            }
        }
        driver.finish_all();
        for _ in 0..10 {
            now += Duration::from_millis(260);
            streamer.update(now);
            driver.finish_all();
        }
        let all = answers(streamer.view(), (-1, 0), (1, 2));
        // Of the whole world, what lies within a metre of the source.
        let near = |x: i32, z: i32| {
            let (x, z) = (f64::from(x) * 0.5 - stop.0, f64::from(z) * 0.5 - stop.1);
            x.hypot(z) <= 1.0
        };
        let places = (-16..=16).flat_map(|x| (0..=32).map(move |z| (x, z)));
        let near = places.enumerate().filter(|(_, (x, z))| near(*x, *z));
        seen.push(near.flat_map(|(at, _)| [all[at * 2], all[at * 2 + 1]]).collect());
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    #[allow(unsafe_code)]
    fn mapped_copied_and_in_memory_any_order_and_budget_give_the_same_views(
        stops in prop::collection::vec((-12.0_f64..12.0, -4.0_f64..20.0), 1..6),
        budget in 12_000_u64..60_000,
        flights in 1_usize..5,
        seed in any::<u64>(),
    ) {
        let memory: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
        bake_town(&memory, 1.0).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Storage> = Arc::new(DiskStorage::new(folder.path()));
        bake_town(&disk, 1.0).unwrap();
        let generous = StreamSettings::default();
        let expected =
            views(World::open_on(Arc::clone(&memory)).unwrap(), &stops, generous, |n| n.min(1) - 1);
        let tight = StreamSettings {
            budget_bytes: budget,
            loads_in_flight: flights,
            publications_per_update: 1,
            ..generous
        };
        #[cfg_attr(not(feature = "memmap2"), expect(unused_mut, reason = "nothing is mapped"))]
        let mut worlds = vec![World::open_on(memory).unwrap(), World::open(folder.path()).unwrap()];
        #[cfg(feature = "memmap2")]
        // SAFETY: nothing writes to the files of this folder.
        worlds.push(unsafe { World::open_mapped(folder.path()).unwrap() });
        for (number, world) in (0_u64..).zip(worlds) {
            let mut random = Random::new(seed ^ number);
            let pick = |most: usize| random.below(most as u64) as usize;
            prop_assert_eq!(&views(world, &stops, tight, pick), &expected);
        }
        prop_assert!(expected.iter().flatten().all(|(kind, _)| *kind != 2), "not all was there");
    }
}
