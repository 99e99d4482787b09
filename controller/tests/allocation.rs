//! Nothing allocates in a tick once lists are as long as they have to be: the same ticks again take no
//! memory, and the first time lists grow by doubling.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::props::{cuboid, leaning, put};
use common::{HEADINGS, Random, Scene, endless, grid, hills, place};
use marchland_controller::{TickSettings, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Grid, LiveProp, LiveProps, TerrainView};

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to `System` unchanged; counting touches no memory that it gives out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const TICKS: usize = 200;

/// So often may lists that grow by doubling grow: a dozen lists, to some thousand entries.
const GROWTHS_MAX: usize = 64;

/// Runs a scene, and from its beginning once more. Gives the reports added up.
fn run_twice(scene: &mut Scene, view: TerrainView<'_>) -> Sums {
    scene.tick(view);
    let start = scene.units.snapshot();
    let count = |scene: &mut Scene| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let mut sums = Sums::default();
        for _ in 0..TICKS {
            let report = scene.tick(view);
            sums.borders += report.borders_crossed;
            sums.full += report.full;
            sums.events += scene.batch.events().len();
        }
        (ALLOCATIONS.load(Ordering::Relaxed) - before, sums)
    };
    let (growths, first) = count(scene);
    assert!(growths <= GROWTHS_MAX, "{growths} allocations in {TICKS} ticks");
    let hash = scene.units.state_hash();
    scene.units.restore(&start);
    let (allocations, again) = count(scene);
    assert_eq!((scene.units.state_hash(), &again), (hash, &first));
    assert_eq!(allocations, 0, "allocations in the same {TICKS} ticks");
    first
}

/// What happened in a run.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    borders: u64,
    full: usize,
    events: usize,
}

fn crowd(grid: Grid, view: TerrainView<'_>, count: usize) -> Scene {
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings { chunk_units: 64, ..scene.settings };
    let mut random = Random(3);
    for unit in 0..count {
        let at = [random.between(-4.0, 3.99), 0.0, random.between(-4.0, 3.99)];
        let sector = (random.below(9) as i32, random.below(9) as i32);
        let heading = HEADINGS[unit % 16];
        let wish = Wish::walk(heading[0] * 9.0, heading[1] * 9.0);
        scene.walker(view, place(grid, sector, at), wish);
    }
    scene
}

fn in_the_open() {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let sums = run_twice(&mut crowd(grid, ground.view(), 3000), ground.view());
    assert!(sums.borders > 1000, "nobody changed the order: {sums:?}");
}

/// Steps, walls and slanting roofs, all over where the units walk, and a lift.
fn among_props() {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let mut live = LiveProps::new(grid.sector_size());
    let meshes = [cuboid([1.0, 1.0, 2.0]), cuboid([2.0, 3.0, 0.5]), leaning([3.0, 0.5, 2.0], 0.5)];
    let mut random = Random(5);
    for prop in 0..200 {
        let at = [random.between(-4.0, 3.99), 0.5, random.between(-4.0, 3.99)];
        let sector = (random.below(9) as i32, random.below(9) as i32);
        put(&mut live, &meshes[prop % 3], place(grid, sector, at));
    }
    let lift = LiveProp::new(cuboid([8.0, 1.0, 8.0]), place(grid, (4, 4), [0.0; 3]));
    live.add(LiveProp { linear_velocity: Vec3::Y, ..lift }).unwrap();
    live.advance(1.0 / 60.0).unwrap();
    let view = ground.view().with_live(&live);
    let sums = run_twice(&mut crowd(grid, view, 500), view);
    assert!(sums.full > 20_000 && sums.events > 200, "too few met anything: {sums:?}");
}

fn run() {
    in_the_open();
    among_props();
}

#[cfg(feature = "rayon")]
#[test]
fn a_tick_on_one_thread_does_not_allocate() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
}

#[cfg(not(feature = "rayon"))]
#[test]
fn a_tick_does_not_allocate() {
    run();
}
