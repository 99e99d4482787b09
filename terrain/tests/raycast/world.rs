//! Rays over a world: moved scenes, sectors not in memory, the world's ends, bad questions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{
    Grid, LoadedSector, RayError, Raycast, ResidentSectors, SectorCoord, SectorData, WorldPos,
};
use proptest::prelude::*;

use crate::brute::Brute;
use crate::scene::{Random, Scene, bits_of, length_of};

fn grid() -> Grid {
    Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap()
}

fn pos(x: i32, z: i32, local: Vec3) -> WorldPos {
    WorldPos::new(SectorCoord::new(x, z), local, grid().sector_size()).unwrap()
}

#[test]
fn a_scene_moved_by_whole_sectors_answers_with_the_same_bits() {
    let moves = [
        (1, -1),
        (-1, 0),
        (1_000_000, -1_000_000),
        (-1_000_000, 1),
        (i32::MAX - 1, i32::MIN + 1),
        (i32::MIN + 1, i32::MAX - 1),
    ];
    let build = |middle| Scene::ragged(grid(), middle, 700, 11);
    let here = build(SectorCoord::new(0, 0));
    let moved: Vec<Scene> = moves.iter().map(|&(x, z)| build(SectorCoord::new(x, z))).collect();
    let mut numbers = Random::from_state(4711);
    let half = here.extent() * 0.5;
    for index in 0..30_000 {
        let mut across = || match index % 3 {
            0 => f64::from(numbers.whole(-48, 48)) * 0.5,
            _ => numbers.between(-half, half * 0.999),
        };
        let (x, z) = (across() * 0.999, across() * 0.999);
        let y = numbers.between(-4.0, 6.0);
        let mut part = || numbers.between(-1.0, 1.0) as f32;
        let direction = Vec3::new(part(), 0.3 * part(), part());
        let max = if index % 2 == 0 { f32::INFINITY } else { 20.0 };
        let expected = bits_of(here.cast(here.at(x, y, z), direction, max), here.middle);
        for scene in &moved {
            let got = scene.cast(scene.at(x, y, z), direction, max);
            assert_eq!(bits_of(got, scene.middle), expected, "{:?}", scene.middle);
        }
    }
}

/// FNV-1a over every bit of 20 000 answers.
const ANSWERS_HASH: u64 = 0x5323_7635_5091_8998;

#[test]
fn answers_are_the_same_bits_on_every_machine() {
    let scene = Scene::ragged(grid(), SectorCoord::new(-4, 9), 500, 33);
    let mut numbers = Random::from_state(0x5eed);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..20_000 {
        let mut across = || numbers.between(-24.0, 24.0);
        let (x, z) = (across(), across());
        let from = scene.at(x, numbers.between(-3.0, 5.0), z);
        let mut part = || numbers.between(-1.0, 1.0) as f32;
        let direction = Vec3::new(part(), 0.5 * part(), part());
        for bits in bits_of(scene.cast(from, direction, f32::INFINITY), scene.middle) {
            hash = (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(hash, ANSWERS_HASH, "got {hash:#018x}: were ray casts meant to change?");
}

#[test]
fn what_lies_behind_a_sector_not_in_memory_is_unknown() {
    let mut scene = Scene::ragged(grid(), SectorCoord::new(3, -2), 300, 21);
    let unloaded = [(1, 0), (-1, 1), (0, -1)];
    for (x, z) in unloaded {
        scene.sectors.unload(scene.middle.offset(x, z).unwrap());
    }
    let brute = Brute::new(&scene);
    let mut numbers = Random::from_state(8);
    let (mut unknown, mut hits, half) = (0, 0, scene.extent() * 0.5);
    for index in 0..20_000 {
        let mut across = || numbers.between(-half, half) * 1.2;
        let (x, z) = (across(), across());
        let from = scene.at(x, numbers.between(-1.0, 4.0), z);
        let mut part = || numbers.between(-1.0, 1.0) as f32;
        let direction = Vec3::new(part(), 0.1 * part(), part());
        let max = if index % 2 == 0 { f32::INFINITY } else { 15.0 };
        let (origin, towards) = (scene.metres(from), direction.to_array().map(f64::from));
        let length = length_of(direction);
        // Where the ray comes into a square: the later of its two slabs.
        let known = unloaded.iter().fold(f64::INFINITY, |known, &(x, z)| {
            let (mut enter, mut leave) = (0.0, f64::INFINITY);
            for (axis, sector) in [(0, x), (2, z)] {
                let low = f64::from(sector) * 16.0 - 8.0;
                let speed = towards[axis] / length;
                let (a, b) = ((low - origin[axis]) / speed, (low + 16.0 - origin[axis]) / speed);
                let (near, far) = if a < b { (a, b) } else { (b, a) };
                enter = greater(near, enter);
                leave = lesser(far, leave);
            }
            if enter < leave && enter < known { enter } else { known }
        });
        let answer = scene.cast(from, direction, max);
        if let Err(wrong) = brute.judge(origin, towards, f64::from(max), known, answer) {
            panic!("{wrong}: {from:?} {direction} {max}: {answer:?}");
        }
        unknown += u32::from(matches!(answer, Raycast::Unknown { .. }));
        hits += u32::from(matches!(answer, Raycast::Hit(_)));
    }
    assert!(unknown > 3000 && hits > 3000, "{unknown} unknown, {hits} hits");
}

#[test]
fn a_border_counts_as_reached_only_beyond_it() {
    let mut scene = Scene::rough(grid(), SectorCoord::new(0, 0), 0, 1);
    scene.sectors.unload(SectorCoord::new(1, 0));
    scene.sectors.unload(SectorCoord::new(-1, 0));
    // Flat ground at 0; the border is 8 m to the east and to the west.
    let from = pos(0, 0, Vec3::new(0.0, 1.0, 0.5));
    for east in [Vec3::X, Vec3::NEG_X] {
        assert_eq!(scene.cast(from, east, 8.0), Raycast::Miss);
        let farther = scene.cast(from, east, 8.001);
        assert_eq!(farther, Raycast::Unknown { from: 8.0 });
    }
    // A ray that ends on the ground exactly at the border hits the ground of this side.
    let down = Vec3::new(8.0, -1.0, 0.0);
    let Raycast::Hit(hit) = scene.cast(from, down, 65.0_f32.sqrt()) else { panic!("no hit") };
    assert_eq!(hit.position, pos(1, 0, Vec3::new(-8.0, 0.0, 0.5)));
    // Through the corner of four sectors, two of them not in memory: between them.
    let diagonal = Vec3::new(1.0, 0.0, 1.0);
    let answer = scene.cast(pos(0, 0, Vec3::new(-8.0, 1.0, -8.0)), diagonal, f32::INFINITY);
    assert_eq!(answer, Raycast::Miss);
    // A ray that begins in a sector that is not in memory knows nothing, even straight up.
    let lost = pos(1, 0, Vec3::new(-8.0, 9000.0, 0.0));
    assert_eq!(scene.cast(lost, Vec3::Y, 0.0), Raycast::Unknown { from: 0.0 });
}

fn flat(height: f64) -> Arc<LoadedSector> {
    let data = SectorData::from_fn(grid(), |_, _| height).unwrap();
    Arc::new(LoadedSector::new(encode(SectorCoord::default(), &data).bytes).unwrap())
}

#[test]
fn an_endless_reach_ends_soon() {
    let begin = Instant::now();
    let cast = |sectors: &ResidentSectors, y: f32, direction: Vec3| {
        let from = pos(7, 7, Vec3::new(0.25, y, -3.0));
        sectors.view().raycast(from, direction, f32::INFINITY).unwrap()
    };
    let slanted = Vec3::new(1.0, -1e-6, 0.7);
    let level = Vec3::new(1.0, 0.0, 0.7);
    // An empty world, and a world far away.
    let mut far = ResidentSectors::new(grid());
    assert_eq!(cast(&far, 5.0, slanted), Raycast::Miss);
    far.insert(SectorCoord::new((1 << 30) + 7, 7), flat(2.0)).unwrap();
    assert_eq!(cast(&far, 5.0, Vec3::NEG_X), Raycast::Miss);
    assert_eq!(cast(&far, 5.0, slanted), Raycast::Miss);
    let down = Vec3::new(16.0 * (1 << 30) as f32, -3.0, 0.0);
    let Raycast::Hit(hit) = cast(&far, 5.0, down) else { panic!("no hit") };
    assert_eq!(hit.position.sector(), SectorCoord::new((1 << 30) + 7, 7));
    // Without an end: over it, down to it from far above, up to it from far below.
    let endless = ResidentSectors::endless(flat(2.0));
    assert_eq!(cast(&endless, 5.0, level), Raycast::Miss);
    assert_eq!(cast(&endless, 5.0, Vec3::new(1.0, 1e-9, 1.0)), Raycast::Miss);
    assert_eq!(cast(&endless, -5.0, slanted), Raycast::Miss);
    for (y, rise) in [(5.0, -3.0), (-1.0, 3.0)] {
        let Raycast::Hit(hit) = cast(&endless, y, Vec3::new(1e6, rise, 3e6)) else {
            panic!("no hit from {y}")
        };
        assert!((f64::from(hit.distance) - 1e13_f64.sqrt()).abs() < 1.0, "{hit:?}");
        assert_eq!(hit.from_below, y < 0.0);
    }
    // Level in a valley without end: given up, and said so.
    let data = SectorData::from_fn(grid(), |x, _| x.abs()).unwrap();
    let valley = LoadedSector::new(encode(SectorCoord::default(), &data).bytes).unwrap();
    let valley = ResidentSectors::endless(Arc::new(valley));
    let Raycast::Unknown { from } = cast(&valley, 3.0, Vec3::Z) else { panic!("no end") };
    assert!(from > 65_000.0 * 16.0);
    // One listed sector in an endless world is found from above its own height.
    let mut tower = ResidentSectors::endless(flat(2.0));
    tower.insert(SectorCoord::new(-90_000, 7), flat(500.0)).unwrap();
    assert_eq!(cast(&tower, 400.0, Vec3::NEG_X), Raycast::Miss, "there are no side walls");
    let Raycast::Hit(hit) = cast(&tower, 503.0, Vec3::new(-90_007.0 * 16.0, -3.0, 0.0)) else {
        panic!("no hit")
    };
    assert_eq!(hit.position.sector(), SectorCoord::new(-90_000, 7));
    // The last sector there is.
    let mut last = ResidentSectors::new(grid());
    last.insert(SectorCoord::new(i32::MAX, i32::MIN), flat(2.0)).unwrap();
    let from = pos(i32::MAX, i32::MIN, Vec3::new(0.0, 3.0, 0.0));
    let out = last.view().raycast(from, Vec3::new(8.0, -0.9, -1.0), f32::INFINITY).unwrap();
    assert_eq!(out, Raycast::Miss);
    let edge = last.view().raycast(from, Vec3::new(8.0, -1.0, 0.0), f32::INFINITY).unwrap();
    let Raycast::Hit(hit) = edge else { panic!("no hit on the last edge") };
    assert_eq!(hit.position.sector(), SectorCoord::new(i32::MAX, i32::MIN));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn questions_without_a_meaning_are_refused() {
    let sectors = ResidentSectors::endless(flat(0.0));
    let ask =
        |direction: Vec3, max: f32| sectors.view().raycast(pos(0, 0, Vec3::Y), direction, max);
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY, Vec3::new(1.0, f32::NEG_INFINITY, 0.0)] {
        assert!(matches!(ask(bad, 1.0), Err(RayError::Direction { .. })), "{bad}");
    }
    for bad in [-1.0, -1e-30, f32::NAN, f32::NEG_INFINITY] {
        assert!(matches!(ask(Vec3::X, bad), Err(RayError::MaxDistance { .. })), "{bad}");
    }
    assert_eq!(ask(Vec3::X, -0.0), Ok(Raycast::Miss));
}

proptest! {
    /// Any finite ray has an answer, soon, and it does not depend on the direction's length.
    #[test]
    fn any_ray_has_an_answer(
        local in prop::array::uniform3(-7.9_f32..7.9),
        high in prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO,
        direction in prop::array::uniform3(
            prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO),
        far in any::<bool>(),
    ) {
        let scene = Scene::ragged(grid(), SectorCoord::new(0, 0), 300, 5);
        let direction = Vec3::from_array(direction);
        prop_assume!(direction != Vec3::ZERO);
        let max = if far { f32::INFINITY } else { 30.0 };
        for y in [local[1], high] {
            let from = pos(0, 0, Vec3::new(local[0], y, local[2]));
            let answer = scene.cast(from, direction, max);
            let longer = direction * 0.25;
            if (longer * 4.0) == direction {
                prop_assert_eq!(scene.cast(from, longer, max), answer);
            }
        }
    }
}
