//! Nothing allocates in a tick after the first one of a population, whatever happens first in it: units
//! fall, meet walls, cross borders and tell of it.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::props::{cuboid, leaning, put};
use common::{HEADINGS, Random, Scene, endless, grid, height_at, hills, place, solid, world};
use counting::allocations;
use marchland_controller::{BodyBuilder, Motion, SingleThread, Switches, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Grid, LiveProp, LiveProps, SectorCoord, TerrainView};

const TICKS: usize = 200;

/// Runs a scene after its first tick: nothing allocates, from the second one on. Gives the reports added
/// up.
fn run(scene: &mut Scene, view: TerrainView<'_>) -> Sums {
    run_for(TICKS, scene, view)
}

fn run_for(ticks: usize, scene: &mut Scene, view: TerrainView<'_>) -> Sums {
    scene.tick(view);
    let mut sums = Sums::default();
    for tick in 0..ticks {
        let before = allocations();
        let report = scene.tick(view);
        sums.borders += report.borders_crossed;
        sums.full += report.full;
        sums.landed += report.landed;
        sums.left_ground += report.left_ground;
        sums.events += scene.batch.events().len();
        let allocations = allocations() - before;
        assert_eq!(allocations, 0, "allocations in tick {tick} after the first");
    }
    sums
}

/// What ticks run on.
type On = Switches<'static>;

fn scene(switches: On, grid: Grid) -> Scene {
    Scene { switches, ..Scene::new(grid) }
}

/// What happened in a run.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    borders: u64,
    full: usize,
    landed: usize,
    left_ground: usize,
    events: usize,
}

fn crowd(on: On, grid: Grid, view: TerrainView<'_>, count: usize) -> Scene {
    let mut scene = scene(on, grid);
    scene.switches.chunk_units = 64;
    let mut random = Random::from_state(3);
    for unit in 0..count {
        let at = [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)];
        let sector = (random.below(9) as i32, random.below(9) as i32);
        let heading = HEADINGS[unit % 16];
        let wish = Wish::walk(heading[0] * 9.0, heading[1] * 9.0);
        let on_ground = place(grid, sector, at);
        if unit % 8 == 0 {
            let y = height_at(view, on_ground).unwrap() + random.within(0.5, 12.0);
            let above = place(grid, sector, [at[0], y, at[2]]);
            scene.spawn(above, Motion::Falling, Vec3::new(wish.velocity()[0], 0.0, 1.0), wish);
        } else {
            scene.walker(view, on_ground, wish);
        }
    }
    scene
}

fn in_the_open(on: On) {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let sums = run(&mut crowd(on, grid, ground.view(), 3000), ground.view());
    assert!(sums.borders > 1000, "nobody changed the order: {sums:?}");
}

/// Steps, walls and slanting roofs, all over where the units walk, and a lift.
fn among_props(on: On) {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let mut live = LiveProps::new(grid.sector_size());
    let meshes = [cuboid([1.0, 1.0, 2.0]), cuboid([2.0, 3.0, 0.5]), leaning([3.0, 0.5, 2.0], 0.5)];
    let mut random = Random::from_state(5);
    for prop in 0..200 {
        let at = [random.within(-4.0, 3.99), 0.5, random.within(-4.0, 3.99)];
        let sector = (random.below(9) as i32, random.below(9) as i32);
        put(&mut live, &meshes[prop % 3], place(grid, sector, at));
    }
    let lift = LiveProp::new(cuboid([8.0, 1.0, 8.0]), place(grid, (4, 4), [0.0; 3]));
    live.add(LiveProp { linear_velocity: Vec3::Y, ..lift }).unwrap();
    live.advance(1.0 / 60.0).unwrap();
    let view = ground.view().with_live(&live);
    let sums = run(&mut crowd(on, grid, view, 500), view);
    let falls = sums.left_ground > 30 && sums.landed > 50;
    assert!(sums.full > 20_000 && sums.events > 1000 && falls, "too few met anything: {sums:?}");
}

/// From a few sectors over many, with a map for each and each of two bodies.
fn over_many_sectors(on: On) {
    let grid = grid(1.0, 8);
    let ground = world(grid, (-15, 15), &|_, _| 0.0, &solid);
    let mut scene = scene(on, grid);
    let wider = BodyBuilder { radius: 0.45, ..BodyBuilder::default() }.build().unwrap();
    let bodies = [scene.body, scene.units.add_body(wider).unwrap()];
    let mut random = Random::from_state(11);
    for unit in 0..600 {
        let sector = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        let heading = HEADINGS[unit % 16];
        let wish = Wish::walk(heading[0] * 40.0, heading[1] * 40.0);
        scene.body = bodies[random.below(2) as usize];
        let at = [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)];
        scene.walker(ground.view(), place(grid, sector, at), wish);
    }
    let sums = run(&mut scene, ground.view());
    assert!(sums.borders > 5000, "too few sectors: {sums:?}");
}

/// Through far more sectors than there is room for at once.
fn far_away(on: On) {
    let grid = grid(1.0, 8);
    let ground = endless(grid, &|_, _| 0.0);
    let mut scene = scene(on, grid);
    for heading in [HEADINGS[0], HEADINGS[5]] {
        let wish = Wish::walk(heading[0] * 100.0, heading[1] * 100.0);
        scene.walker(ground.view(), place(grid, (0, 0), [0.0; 3]), wish);
    }
    let sums = run_for(6000, &mut scene, ground.view());
    assert!(sums.borders > 2000, "too few sectors: {sums:?}");
}

/// Many that wait for few sectors, and no neighbours in the order of slots for the same.
fn held(on: On) {
    let grid = grid(1.0, 8);
    let mut ground = world(grid, (0, 8), &|_, _| 0.0, &solid);
    let mut scene = scene(on, grid);
    let mut random = Random::from_state(9);
    for _ in 0..3000 {
        let [x, z] = [(); 2].map(|()| if random.below(2) == 0 { -3.9 } else { 3.9 });
        let sector = (1 + random.below(7) as i32, 1 + random.below(7) as i32);
        scene.walker(ground.view(), place(grid, sector, [x, 0.0, z]), Wish::STAND);
    }
    scene.tick(ground.view());
    for (x, z) in (0..81).map(|at| (at % 9, at / 9)).filter(|(x, z)| (x + z) % 2 == 1) {
        ground.unload(SectorCoord::new(x, z));
    }
    let before = allocations();
    let report = scene.tick(ground.view());
    assert_eq!(allocations() - before, 0, "allocations in a tick in which all wait");
    assert!(report.held().len() == 3000 && report.missing().len() == 40, "{:?}", report.missing());
    assert!(report.missing().is_sorted_by(|a, b| a < b), "in order, each once");
}

fn run_all(on: On) {
    held(on);
    over_many_sectors(on);
    in_the_open(on);
    far_away(on);
    among_props(on);
}

#[test]
fn a_tick_does_not_allocate() {
    run_all(Switches { executor: &SingleThread, ..Switches::default() });
    #[cfg(feature = "rayon")]
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_all(Switches::default()));
    }
}
