//! Slow units in wide sectors: a way is the wish times the time, however short it is against a step of position.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Random, Scene, endless, grid, hills, place, solid, world};
use marchland_controller::{
    PathChoice, Separation, SeparationSettings, Shortcuts, Switches, TickError, TickMode,
    TickSettings, UnitId, Wish,
};
use marchland_terrain::glam::DVec2;
use marchland_terrain::{Grid, LiveProps, ResidentSectors, SectorCoord, WorldPos};

const SIDES: [f64; 3] = [256.0, 1024.0, 16_384.0];
const SPEEDS: [f32; 5] = [0.005, 0.02, 0.1, 1.0, 5.0];

/// Cells along a side.
const CELLS: u32 = 16;

const SECONDS: usize = 10;

fn wide(side: f64) -> Grid {
    grid(side / f64::from(CELLS), CELLS)
}

/// From one place to another, along X and Z. Metres, exact.
fn way(grid: Grid, from: WorldPos, to: WorldPos) -> DVec2 {
    let side = f64::from(grid.sector_size().metres());
    let sectors = [to.sector().x - from.sector().x, to.sector().z - from.sector().z];
    let [x, z] = sectors.map(|sectors| f64::from(sectors) * side);
    let (a, b) = (from.local().as_dvec3(), to.local().as_dvec3());
    DVec2::new(x + b.x - a.x, z + b.z - a.z)
}

fn step(grid: Grid) -> f64 {
    f64::from(grid.sector_size().metres()) / f64::from(1 << 25)
}

#[track_caller]
fn assert_way(grid: Grid, went: DVec2, asked: DVec2, what: &str) {
    let off = went - asked;
    let most = 0.01 * asked.length();
    assert!(
        off.length() <= most || off.abs().max_element() <= step(grid),
        "{what}: went {went}, asked {asked}, a step is {}",
        step(grid)
    );
}

/// Where units start: anywhere, at the edges, and so near to a border that slow ones cross it.
fn starts(random: &mut Random, grid: Grid) -> Vec<[f32; 2]> {
    let half = grid.sector_size().half();
    let mut all = vec![
        [0.0, 0.0],
        [half.next_down(), 0.3 * half],
        [-half, half.next_down()],
        [half - 0.01, -half + 0.02],
        [0.25 * half - 0.02, -0.5 * half + 0.02],
    ];
    all.extend((0..5).map(|_| [0; 2].map(|_| random.within(-half, half.next_down()))));
    all
}

/// A scene with units of every speed at every start, two headings each, beside a post each if there are `posts`.
fn walkers(
    grid: Grid,
    mut posts: Option<&mut LiveProps>,
    is_rolling: bool,
) -> (Scene, Vec<UnitId>) {
    let rolling: &dyn Fn(i64, i64) -> f64 = if is_rolling { &hills } else { &|_, _| 3.0 };
    let ground = endless(grid, rolling);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(11);
    let post = cuboid([0.5, 2.0, 0.5]);
    let mut ids = Vec::new();
    for speed in SPEEDS {
        for [x, z] in starts(&mut random, grid) {
            for _ in 0..2 {
                let heading = loop {
                    let to = [0; 2].map(|_| random.within(-1.0, 1.0));
                    let far = (to[0] * to[0] + to[1] * to[1]).sqrt();
                    if to.iter().all(|part| part.abs() > 0.1) && far < 1.0 {
                        break to.map(|part| part / far);
                    }
                };
                // Each in a sector of its own.
                let at = place(grid, (3 * ids.len() as i32, -7), [x, 0.0, z]);
                if let Some(posts) = &mut posts {
                    // On its right, within its reach and not in its way.
                    let beside = [x - heading[1] * 0.9, 3.0, z + heading[0] * 0.9];
                    put(posts, &post, place(grid, (3 * ids.len() as i32, -7), beside));
                }
                let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
                ids.push(scene.walker(ground.view(), at, wish));
            }
        }
    }
    (scene, ids)
}

fn march(grid: Grid, rate: f32, path: PathChoice, has_posts: bool) -> [u64; 2] {
    let ground = endless(grid, if has_posts { &|_, _| 3.0 } else { &hills });
    let mut posts = LiveProps::new(grid.sector_size());
    let (mut scene, ids) = walkers(grid, has_posts.then_some(&mut posts), !has_posts);
    scene.settings = TickSettings::at_rate(rate);
    scene.switches.path = path;
    let start: Vec<_> = ids.iter().map(|id| scene.units.position(*id).unwrap()).collect();
    let ticks = SECONDS * rate as usize;
    let (mut crossed, mut full) = (0, 0);
    for _ in 0..ticks {
        let view = ground.view().with_live(&posts);
        let report = scene.tick(view);
        crossed += report.borders_crossed;
        full += report.full as u64;
    }
    let time = f64::from(scene.settings.dt) * ticks as f64;
    for (id, start) in ids.iter().zip(start) {
        let asked = scene.wishes[id.slot as usize].velocity().map(|part| f64::from(part) * time);
        let went = way(grid, start, scene.units.position(*id).unwrap());
        let side = grid.sector_size().metres();
        let what = format!("{side} m at {rate} Hz, {path:?}, posts {has_posts}, from {start:?}");
        assert_way(grid, went, DVec2::from(asked), &what);
    }
    [crossed, full]
}

#[test]
fn a_way_is_the_wish_times_the_time_for_units_that_follow() {
    for side in SIDES {
        for rate in [30.0, 60.0, 120.0, 240.0] {
            let [crossed, full] = march(wide(side), rate, PathChoice::Auto, false);
            assert!(crossed > 10 && full == 0, "{crossed} {full}");
        }
    }
}

#[test]
fn a_way_is_the_wish_times_the_time_in_the_full_controller() {
    for side in SIDES {
        for (rate, has_posts) in [(30.0, true), (60.0, false), (240.0, true)] {
            let [crossed, full] = march(wide(side), rate, PathChoice::Full, has_posts);
            assert!(crossed > 10 && full > 0, "{crossed} {full}");
        }
        let [crossed, _] = march(wide(side), 60.0, PathChoice::Auto, true);
        assert!(crossed > 10, "{crossed}");
    }
}

#[test]
fn a_way_is_the_sum_of_what_separation_makes_of_the_wishes() {
    for (side, rate) in [(256.0, 240.0_f32), (16_384.0, 60.0), (16_384.0, 240.0)] {
        for path in [PathChoice::Auto, PathChoice::Full] {
            let grid = wide(side);
            let ground = endless(grid, &|_, _| 3.0);
            let mut scene = Scene::new(grid);
            scene.settings = TickSettings::at_rate(rate);
            scene.switches.path = path;
            let mut random = Random::from_state(5);
            // In a heap at the corner of four sectors.
            let (half, dt) = (grid.sector_size().half(), scene.settings.dt);
            for _ in 0..60 {
                let [x, z] = [0; 2].map(|_| half - random.within(-2.5, 2.5));
                let wish = [0; 2].map(|_| random.within(-0.03, 0.03));
                let at = place(grid, (-1, 4), [x, 0.0, z]);
                scene.walker(ground.view(), at, Wish::STAND.at_velocity(wish));
            }
            let start: Vec<_> = scene.units.iter().collect();
            let start = start.into_iter().map(|id| (id, scene.units.position(id).unwrap()));
            let mut all: Vec<_> = start.map(|(id, at)| (id, at, DVec2::ZERO, 0.0)).collect();
            let settings = SeparationSettings::default();
            let mut separation = Separation::new(settings).unwrap();
            let own = scene.wishes.clone();
            for _ in 0..SECONDS * rate as usize {
                let pushed = separation.push(ground.view(), &scene.units, &own, dt).unwrap();
                scene.wishes.copy_from_slice(pushed);
                scene.tick(ground.view());
                for (id, _, asked, far) in &mut all {
                    let velocity = scene.wishes[id.slot as usize].velocity().map(f64::from);
                    let by = DVec2::from(velocity) * f64::from(dt);
                    (*asked, *far) = (*asked + by, *far + by.length());
                }
            }
            for (id, start, asked, far) in all {
                let off = way(grid, start, scene.units.position(id).unwrap()) - asked;
                let is_near = off.abs().max_element() <= step(grid);
                assert!(is_near || off.length() <= 0.01 * far, "{id:?} {off} of {far}, {path:?}");
            }
        }
    }
}

/// A unit on level ground in a sector of 16 km, where a step of position is about a millimetre.
fn alone(wish: Wish) -> (Grid, ResidentSectors, Scene, UnitId) {
    let grid = wide(16_384.0);
    let ground = endless(grid, &|_, _| 3.0);
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings::at_rate(240.0);
    let id = scene.walker(ground.view(), place(grid, (0, 0), [-5000.0, 0.0, 7000.0]), wish);
    (grid, ground, scene, id)
}

#[test]
fn who_stands_stays_and_who_goes_on_loses_nothing_by_it() {
    for path in [PathChoice::Auto, PathChoice::Full] {
        let walk = Wish::walk(0.011, -0.007);
        let (grid, ground, mut scene, id) = alone(walk);
        scene.switches.path = path;
        let start = scene.units.position(id).unwrap();
        for tick in 0..2400 {
            scene.wishes[id.slot as usize] = if tick % 3 == 0 { walk } else { Wish::STAND };
            scene.tick(ground.view());
        }
        let asked = DVec2::new(0.011, -0.007) * (800.0 / 240.0);
        assert_way(grid, way(grid, start, scene.units.position(id).unwrap()), asked, "by turns");
        scene.wishes[id.slot as usize] = Wish::STAND;
        scene.tick(ground.view());
        let before = scene.units.state_hash();
        for _ in 0..1000 {
            scene.tick(ground.view());
            assert_eq!(scene.units.state_hash(), before);
        }
    }
}

#[test]
fn at_a_wall_nothing_is_left_over() {
    let (grid, ground, mut scene, id) = alone(Wish::walk(0.02, 0.0));
    let mut posts = LiveProps::new(grid.sector_size());
    // Its face is 1 cm beyond the skin of the unit.
    put(&mut posts, &cuboid([0.5, 2.0, 0.5]), place(grid, (0, 0), [-4999.33, 3.0, 7000.0]));
    let view = ground.view().with_live(&posts);
    let start = scene.units.position(id).unwrap();
    (0..600).for_each(|_| _ = scene.tick(view));
    let (at_wall, before) = (scene.units.position(id).unwrap(), scene.units.state_hash());
    let went = way(grid, start, at_wall);
    assert!((went.x - 0.01).abs() < 3.0 * step(grid) && went.y == 0.0, "{went}");
    for _ in 0..1000 {
        scene.tick(view);
        assert_eq!(scene.units.state_hash(), before);
    }
    scene.wishes[id.slot as usize] = Wish::walk(-0.005, 0.0);
    (0..2400).for_each(|_| _ = scene.tick(view));
    let back = way(grid, at_wall, scene.units.position(id).unwrap());
    assert_way(grid, back, DVec2::new(-0.05, 0.0), "away from the wall");
}

#[test]
fn what_is_left_over_is_state_until_the_unit_is_put_elsewhere() {
    let walk = Wish::walk(0.011, -0.007);
    let (grid, ground, mut scene, id) = alone(walk);
    let start = scene.units.position(id).unwrap();
    let fresh = scene.units.state_hash();
    scene.tick(ground.view());
    assert_eq!(scene.units.position(id), Some(start), "one tick is less than a step");
    scene.wishes[id.slot as usize] = Wish::STAND;
    scene.tick(ground.view());
    assert_ne!(scene.units.state_hash(), fresh, "at rest in the same place, a little farther");

    scene.wishes[id.slot as usize] = walk;
    let snapshot = scene.units.snapshot();
    let mut ends = [0; 2];
    for end in &mut ends {
        scene.units.restore(&snapshot);
        (0..100).for_each(|_| _ = scene.tick(ground.view()));
        *end = scene.units.state_hash();
    }
    assert_eq!(ends[0], ends[1]);

    scene.units.teleport(ground.view(), id, start).unwrap();
    assert_eq!(scene.units.state_hash(), fresh);
    scene.tick(ground.view());
    assert!(scene.units.despawn(id));
    let again = scene.walker(ground.view(), start, walk);
    let (_, _, mut other, first) = alone(walk);
    other.units.despawn(first);
    let there = other.walker(ground.view(), place(grid, (0, 0), start.local().into()), walk);
    assert_eq!(again, there);
    assert_eq!(scene.units.state_hash(), other.units.state_hash());
}

#[test]
fn a_strict_tick_that_does_not_run_gives_back_what_was_left_over() {
    let walk = Wish::walk(0.011, -0.007);
    let grid = wide(16_384.0);
    let mut ground = world(grid, (0, 1), &|_, _| 3.0, &solid);
    ground.unload(SectorCoord::new(1, 1));
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings::at_rate(240.0);
    scene.walker(ground.view(), place(grid, (0, 0), [-5000.0, 0.0, 7000.0]), walk);
    (0..100).for_each(|_| _ = scene.tick(ground.view()));
    scene.walker(ground.view(), place(grid, (1, 1), [0.0; 3]), walk);
    for _ in 0..5 {
        scene.settings.mode = TickMode::Hold;
        (0..3).for_each(|_| _ = scene.tick(ground.view()));
        scene.settings.mode = TickMode::Strict;
        let before = scene.units.state_hash();
        let Scene { batch, units, wishes, settings, .. } = &mut scene;
        let result = batch.tick(ground.view(), units, wishes, settings);
        assert_eq!(result.err(), Some(TickError::NotResident { count: 1 }));
        assert_eq!(units.state_hash(), before);
    }
}

/// The hash of units of all speeds that turn now and then, at the borders of wide sectors, after some time.
fn turned(path: PathChoice, shortcuts: Shortcuts, threads: usize) -> u64 {
    let run = || {
        let grid = wide(16_384.0);
        let mut posts = LiveProps::new(grid.sector_size());
        let ground = endless(grid, &|_, _| 3.0);
        let (mut scene, ids) = walkers(grid, Some(&mut posts), false);
        let chunk_units = 64 / threads + 1;
        scene.settings = TickSettings::at_rate(120.0);
        scene.switches = Switches { path, shortcuts, chunk_units, ..Switches::default() };
        let mut random = Random::from_state(3);
        for tick in 0..600 {
            for id in ids.iter().filter(|id| (id.slot + tick) % 97 == 0) {
                let side = SPEEDS[random.below(5) as usize];
                let wish = [0; 2].map(|_| random.within(-side, side));
                scene.wishes[id.slot as usize] = Wish::STAND.at_velocity(wish);
            }
            scene.tick(ground.view().with_live(&posts));
        }
        scene.units.state_hash()
    };
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    #[cfg(not(feature = "rayon"))]
    run()
}

#[test]
fn the_state_of_slow_units_is_the_same_however_they_are_moved() {
    let got = turned(PathChoice::Auto, Shortcuts::Use, 1);
    for threads in [2, 5, 32] {
        assert_eq!(turned(PathChoice::Auto, Shortcuts::Use, threads), got);
    }
    assert_eq!(turned(PathChoice::Auto, Shortcuts::Ignore, 1), got);
    assert_eq!(turned(PathChoice::Full, Shortcuts::Use, 1), got);
    let golden = 0x6653_9843_2a6e_9acc;
    assert_eq!(
        got, golden,
        "got {got:#018x}; if movement was meant to change, say so in CHANGELOG.md"
    );
}

/// Units that creep along and over the edges of a world, so slowly that mostly rounding decides where they are.
fn at_the_edge(path: PathChoice, shortcuts: Shortcuts) -> Vec<WorldPos> {
    let grid = grid(1.0, 16);
    let ground = world(grid, (0, 0), &|_, _| 0.5, &solid);
    let mut scene = Scene::new(grid);
    scene.settings = TickSettings::at_rate(4.0);
    scene.switches = Switches { path, shortcuts, ..Switches::default() };
    let mut random = Random::from_state(5);
    let half = grid.sector_size().half();
    let mut ids = Vec::new();
    for _ in 0..200 {
        // Within a few steps of position of one edge, or of two.
        let at = [0; 2].map(|_| match random.below(3) {
            0 => -half + 2e-6 * random.below(3) as f32,
            1 => half.next_down() - 2e-6 * random.below(3) as f32,
            _ => random.within(-half, half.next_down()),
        });
        let wish = [0; 2].map(|_| random.within(-2e-6, 2e-6));
        let at = place(grid, (0, 0), [at[0], 0.0, at[1]]);
        ids.push(scene.walker(ground.view(), at, Wish::STAND.at_velocity(wish)));
    }
    for _ in 0..40 {
        scene.tick(ground.view());
    }
    ids.iter().map(|id| scene.units.position(*id).unwrap()).collect()
}

#[test]
fn who_creeps_stays_in_the_world_however_it_is_moved() {
    let expected = at_the_edge(PathChoice::Auto, Shortcuts::Use);
    assert!(expected.iter().all(|at| at.sector() == SectorCoord::new(0, 0)));
    assert_eq!(at_the_edge(PathChoice::Auto, Shortcuts::Ignore), expected);
    assert_eq!(at_the_edge(PathChoice::Full, Shortcuts::Use), expected);
    assert_eq!(at_the_edge(PathChoice::Full, Shortcuts::Ignore), expected);
}

/// The same as programs of their own in which fewer lanes are taken.
#[cfg(target_arch = "x86_64")]
#[test]
fn fewer_lanes_come_to_the_same_state_of_slow_units() {
    for lanes in ["plain", "sse2", "avx2", "avx512"] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["the_state_of_slow_units_is_the_same_however_they_are_moved", "--exact"])
            .env("MARCHLAND_SIMD", lanes)
            .output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{lanes}: {said}");
    }
}
