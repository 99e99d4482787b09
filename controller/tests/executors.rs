//! Ticks and separation on threads of any kind: the same bits on all of them.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{HEADINGS, Random, Scene, grid, hills, place, solid, world};
use marchland_controller::{
    Event, Executor, Motion, PathChoice, Report, Separation, SeparationSettings, SingleThread,
    Switches, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{LiveProp, LiveProps, SectorCoord};

include!("common/threads.rs");

/// One thread that claims to be seven, and calls backwards.
struct Backwards;

impl Executor for Backwards {
    fn threads(&self) -> usize {
        7
    }

    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).rev().for_each(work);
    }
}

/// Calls nothing.
struct Nothing;

impl Executor for Nothing {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {}
}

/// Every other time more threads, as numbers that nobody asked for, each twice at the same time.
struct Fickle(std::sync::atomic::AtomicUsize);

impl Executor for Fickle {
    fn threads(&self) -> usize {
        let times = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        [1, 5, 0, 2][times % 4]
    }

    fn run(&self, _: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for index in [3, 3, usize::MAX, 0, 0] {
                scope.spawn(move || work(index));
            }
        });
    }
}

/// State, pushed wishes, report and events of each tick.
type Seen = Vec<(u64, Vec<Wish>, Report, Vec<Event>)>;

/// A crowd on hills among props, and at the edge of what is in memory: some follow, some take the full
/// controller, some fall, some wait, many push each other.
fn run(switches: &Switches<'_>) -> Seen {
    let grid = grid(1.0, 16);
    let mut ground = world(grid, (-1, 1), &hills, &solid);
    ground.unload(SectorCoord::new(1, 1));
    let mut live = LiveProps::new(grid.sector_size());
    let meshes = [cuboid([1.0, 1.0, 2.0]), cuboid([2.0, 3.0, 0.5]), leaning([3.0, 0.5, 2.0], 0.5)];
    let mut random = Random::from_state(21);
    for prop in 0..60 {
        let at = [random.within(-8.0, 7.9), 0.5, random.within(-8.0, 7.9)];
        put(&mut live, &meshes[prop % 3], place(grid, (prop as i32 % 2, 0), at));
    }
    let lift = LiveProp::new(cuboid([5.0, 1.0, 5.0]), place(grid, (0, -1), [0.0; 3]));
    live.add(LiveProp { linear_velocity: Vec3::Y, ..lift }).unwrap();

    let mut scene = Scene::new(grid);
    for unit in 0..1501 {
        let at = [random.within(-8.0, 7.9), 5.0, random.within(-8.0, 7.9)];
        let sector = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        let heading = HEADINGS[unit % 16];
        let wish = Wish::walk(heading[0] * 3.0, heading[1] * 3.0);
        if unit % 9 == 0 {
            scene.spawn(place(grid, sector, at), Motion::Falling, Vec3::ZERO, wish);
        } else {
            scene.walker(ground.view(), place(grid, sector, at), wish);
        }
    }
    let mut separation = Separation::new(SeparationSettings::default()).unwrap();
    let mut seen = Seen::new();
    for _ in 0..40 {
        live.advance(scene.settings.dt).unwrap();
        let view = ground.view().with_live(&live);
        let Scene { units, wishes, batch, settings, .. } = &mut scene;
        let wishes = separation.push_with(switches, view, units, wishes, settings.dt).unwrap();
        batch.tick_with(switches, view, units, wishes, settings).unwrap();
        let (report, events) = (batch.report().clone(), batch.events().to_vec());
        seen.push((units.state_hash(), wishes.to_vec(), report, events));
    }
    seen
}

#[test]
fn no_bit_depends_on_what_a_tick_runs_on() {
    for path in [PathChoice::Auto, PathChoice::Full] {
        let usual = Switches::path(path);
        let on = |executor| run(&Switches { executor, ..usual });
        let expected = on(&SingleThread);
        let last = &expected.last().unwrap().2;
        assert!(last.full > 100 && !last.held().is_empty(), "{last:?}");
        assert!(path == PathChoice::Full || last.ticked > last.full + 100, "{last:?}");
        assert!(expected.iter().map(|(.., events)| events.len()).sum::<usize>() > 300);
        let fickle = Fickle(0.into());
        let others: [(&str, &dyn Executor); 6] = [
            ("two threads", &Threads(2)),
            ("many threads", &Threads(40)),
            ("no thread", &Threads(0)),
            ("backwards", &Backwards),
            ("nothing called", &Nothing),
            ("something else each time", &fickle),
        ];
        for (name, executor) in others {
            assert!(on(executor) == expected, "{name}, {path:?}");
        }
        assert!(run(&usual) == expected, "the usual threads");
        #[cfg(feature = "rayon")]
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let rayon = &marchland_controller::Rayon;
            assert!(pool.install(|| on(rayon)) == expected, "{threads} in a pool");
        }
    }
}
