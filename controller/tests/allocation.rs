//! Nothing allocates in a tick after warm-up.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{HEADINGS, Random, Scene, endless, grid, hills, place};
use marchland_controller::{TickSettings, Wish};

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

fn run() {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings { chunk_units: 64, ..scene.settings };
    let mut random = Random(3);
    for unit in 0..3000 {
        let at = [random.between(-4.0, 3.99), 0.0, random.between(-4.0, 3.99)];
        let sector = (random.below(9) as i32, random.below(9) as i32);
        let heading = HEADINGS[unit % 16];
        scene.walker(
            ground.view(),
            place(grid, sector, at),
            Wish::walk(heading[0] * 9.0, heading[1] * 9.0),
        );
    }
    scene.tick(ground.view());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let mut borders = 0;
    for _ in 0..200 {
        borders += scene.tick(ground.view()).borders_crossed;
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(borders > 1000, "nobody changed the order: {borders}");
    assert_eq!(allocations, 0, "allocations in 200 ticks");
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
