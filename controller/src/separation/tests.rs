//! The fast ways give the same bits as the plain ones, unit by unit.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::lanes::Simd;
use marchland_terrain::math::lesser;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{
    CellKind, Grid, Ground, LiveProp, LiveProps, LoadedMesh, LoadedSector, ResidentSectors,
    SectorCoord, SectorData, WorldPos, format,
};

use super::columns::{Census, push_bits, push_of};
use super::grid::takes_part;
use super::guard::Guard;
use super::half_pairs::PairSums;
use super::pair_list::PairList;
use super::pairs::Crowd;
use super::settings::SeparationSettings;
use super::sorted::SortedUnits;
use super::steer::{Steer, Steering};
use super::strength::Strength;
use crate::units::body::{Body, BodyBuilder};
use crate::units::columns::Units;
use crate::units::executor::tests::Threads;
use crate::units::executor::{SingleThread, Workers};
use crate::units::settings::TickSettings;
use crate::units::spawn::Spawn;
use crate::units::tick::Tick;
use crate::units::unit::Motion;
use crate::units::wish::Wish;

const SIDE: f32 = 32.0;

fn grid() -> Grid {
    Grid::new(1.0, f64::from(SIDE), 1.0 / 256.0).unwrap()
}

/// Radii and heights of the bodies of a crowd.
type Shapes = &'static [(f32, f32)];

/// One body; of one shape; of one level; of several.
const SHAPES: [Shapes; 5] = [
    &[(0.4, 1.8)],
    &[(0.35, 1.7), (0.35, 1.7)],
    &[(0.4, 1.8), (0.45, 1.0), (0.13, 0.5)],
    &[(0.4, 1.8), (0.9, 2.5), (0.1, 0.2), (0.3, 1.8)],
    &[(20.0, 10.0), (7.0, 3.0), (5.0, 2.0)],
];

/// How a crowd stands.
#[derive(Clone, Copy, Debug)]
struct Stand {
    count: usize,
    /// Metres along a side of the square that it is on.
    side: f32,
    /// The sector in its middle.
    home: (i32, i32),
    /// How many times as many are at a few places alone.
    heaps: usize,
}

fn crowd(random: &mut Random, stand: Stand, shapes: Shapes) -> Units {
    let Stand { count, side, home, heaps } = stand;
    let mut units = Units::new(grid().sector_size());
    let bodies: Vec<_> = shapes
        .iter()
        .map(|&(radius, height)| {
            let knee = height * 0.25;
            let low = BodyBuilder { step_up: knee, step_down: knee, knee, ..Body::builder() };
            let body = BodyBuilder { radius, height, ..low }.build().unwrap();
            units.add_body(body).unwrap()
        })
        .collect();
    let mut places: Vec<[f32; 2]> = Vec::new();
    let mut ids = Vec::new();
    for unit in 0..count {
        let mut at = [(); 2].map(|()| random.within(-side, side) * 0.5);
        if let Some(taken) = places.get(unit / 7).filter(|_| heaps > 0 && unit % (heaps + 1) == 1) {
            at = *taken; // the very same place, for some
        } else if heaps > 1 && unit % heaps == 0 {
            // In the first bucket, and elsewhere.
            at = random.pick(&[[0.0, 0.0], [7.0, -5.0]]).map(|at| at + random.within(0.0, 0.3));
        }
        places.push(at);
        // A bridge, a step, and what is neither above nor below zero.
        let y = random.pick(&[0.0, 0.0, 0.0, -0.0, 1.5, 1.8, 40.0]);
        let sectors = at.map(|at| (at / SIDE).round());
        let [x, z] = [0, 1].map(|axis| at[axis] - sectors[axis] * SIDE);
        let inside = |at: f32| lesser(at, SIDE * 0.499);
        let local = Vec3::new(inside(x), y, inside(z));
        let sector = SectorCoord::new(
            home.0.saturating_add(sectors[0] as i32),
            home.1.saturating_add(sectors[1] as i32),
        );
        let position = WorldPos::new(sector, local, units.sector_size()).unwrap();
        let falls = unit % 11 == 5;
        let motion = if falls { Motion::Falling } else { Motion::Walking };
        let body = random.pick(&bodies);
        ids.push(units.spawn(Spawn { motion, ..Spawn::standing(position, body) }).unwrap());
    }
    for id in ids.iter().skip(3).step_by(17) {
        units.despawn(*id);
    }
    units
}

/// Crowds of all kinds: none, a few, blocks and one more, some regions; spread out, dense, in heaps; at
/// the ends of the world, and so far apart that 32 bits do not tell places apart.
fn stands() -> Vec<Stand> {
    let mut all = Vec::new();
    for count in [0, 1, 2, 15, 16, 17, 31, 33, 300, 1000, 1500] {
        for per_side in [0.5, 0.9, 4.0] {
            let side = (count as f32).sqrt() * per_side;
            all.push(Stand { count, side, home: (0, 0), heaps: 0 });
            all.push(Stand { count, side, home: (-7, 3), heaps: count % 5 });
        }
    }
    let [high, low] = [i32::MAX - 3, i32::MIN + 3];
    all.push(Stand { count: 700, side: 100.0, home: (high, low), heaps: 2 });
    all.push(Stand { count: 500, side: 3e6, home: (0, 0), heaps: 2 });
    all.push(Stand { count: 9000, side: 80.0, home: (2, 2), heaps: 3 });
    all.push(Stand { count: 30_000, side: 150.0, home: (0, 0), heaps: 0 });
    all
}

/// All backends that run here.
fn backends() -> impl Iterator<Item = Simd> {
    Simd::ALL.into_iter().filter(|simd| *simd <= Simd::of_processor())
}

fn sorted(simd: Simd, units: &Units, threads: usize) -> SortedUnits {
    // Not empty: what an earlier population has left may not show.
    let mut sorted = SortedUnits::default();
    let small = Stand { count: 40, side: 9.0, home: (1, 1), heaps: 0 };
    sorted.sort(Workers::new(&SingleThread), simd, &crowd(&mut Random::new(5), small, SHAPES[2]));
    sorted.pushes = (0..units.slots() / 2 + 40).map(|_| AtomicU64::new(5)).collect();
    sorted.sort(Workers::new(&Threads(threads)), simd, units);
    sorted
}

#[test]
fn units_are_sorted_as_a_stable_sort_by_buckets_does() {
    let mut random = Random::new(11);
    for (index, stand) in stands().into_iter().enumerate() {
        let units = crowd(&mut random, stand, SHAPES[index % SHAPES.len()]);
        for simd in backends() {
            assert_sorted(&units, &sorted(simd, &units, 1 + index % 3), (simd, stand));
        }
    }
}

fn assert_sorted(units: &Units, sorted: &SortedUnits, what: (Simd, Stand)) {
    let plan = &sorted.plan;
    let mut census = Census::default();
    let bucket_of = |slot: usize| plan.bucket(units, slot, &mut Census::default());
    let mut expected: Vec<usize> =
        (0..units.slots()).filter(|slot| takes_part(units, *slot)).collect();
    expected.iter().for_each(|slot| _ = plan.bucket(units, *slot, &mut census));
    expected.sort_by_key(|slot| bucket_of(*slot));
    assert_eq!(sorted.count, expected.len(), "{what:?}");
    assert_eq!(sorted.is_far, census.farthest >> 30 != 0, "{what:?}");
    for (at, slot) in expected.iter().copied().enumerate() {
        let (row, shape) = (plan.row(units, slot, 0), plan.shape(units, slot));
        let found = (sorted.xs[at], sorted.zs[at], sorted.slots[at]);
        assert_eq!(found, (row.x, row.z, slot as u32), "{what:?} {at}");
        let found = (sorted.feet[at].to_bits(), sorted.shape(at));
        let top = row.feet + shape.height;
        assert_eq!(found, (row.feet.to_bits(), (top, shape.radius)), "{what:?} {at}");
        let bucket = bucket_of(slot).unwrap() as usize;
        let (begin, end) = (sorted.ends[bucket] as usize, sorted.ends[bucket + 1] as usize);
        assert!((begin..end).contains(&at), "{what:?} {at}: {begin} to {end}");
    }
    let last = sorted.ends.last().copied();
    assert_eq!((sorted.ends[0], last), (0, Some(expected.len() as u32)), "{what:?}");
}

#[test]
fn pushes_are_those_of_one_unit_after_the_other() {
    let mut random = Random::new(12);
    let (mut pushed, mut half_pairs, mut sums) = (0, 0, PairSums::default());
    for (index, stand) in stands().into_iter().enumerate() {
        for shapes in [SHAPES[index % SHAPES.len()], SHAPES[0], SHAPES[2]] {
            let units = crowd(&mut random, stand, shapes);
            let sorted = sorted(Simd::Plain, &units, 1);
            let rates = random.pick(&[(8.0, 1.5, 0.02), (900.0, 0.3, 0.0), (30.0, 64.0, 0.3)]);
            let settings = SeparationSettings { rate: rates.0, push_max: rates.1, rest: rates.2 };
            let strength = Strength::new(&settings, random.pick(&[1.0 / 60.0, 0.25, 1e-4]));
            let plain =
                Crowd { simd: Simd::Plain, units: &units, sorted: &sorted, strength: &strength };
            let mut by_slot = vec![0; units.slots()];
            for (at, slot) in sorted.slots[..sorted.count].iter().enumerate() {
                by_slot[*slot as usize] = push_bits(plain.push_one(at));
            }
            let assert_pushes = |way: &str, find: &mut dyn FnMut() -> bool| {
                // Those who take no part have theirs already: none.
                for slot in &sorted.slots[..sorted.count] {
                    sorted.pushes[*slot as usize].store(7, Ordering::Relaxed);
                }
                if !find() {
                    return 0;
                }
                let found: Vec<_> =
                    sorted.pushes.iter().map(|push| push.load(Ordering::Relaxed)).collect();
                let differs = (0..found.len()).find(|slot| found[*slot] != by_slot[*slot]);
                assert!(found == by_slot, "{way}: {stand:?} {shapes:?}: {differs:?}");
                sorted.count
            };
            for (simd, chunk) in backends().zip([37, 1024, 16, 64, 1024]) {
                let crowd = Crowd { simd, ..plain };
                assert_pushes(&format!("{simd:?}, blocks"), &mut || {
                    let mut scratch: PairList = bytemuck::Zeroable::zeroed();
                    for first in (0..sorted.count).step_by(chunk) {
                        crowd.push(first..sorted.count.min(first + chunk), &mut scratch);
                    }
                    true
                });
                for threads in [1, 3] {
                    half_pairs += assert_pushes(&format!("{simd:?}, half-pairs"), &mut || {
                        sums.push(Workers::new(&Threads(threads)), crowd, chunk)
                    });
                }
            }
            pushed += by_slot.iter().filter(|push| **push != 0).count();
        }
    }
    assert!(pushed > 30_000, "only {pushed} were pushed");
    assert!(half_pairs > 150_000, "only {half_pairs} were visited in half-pairs");
}

/// Nine sectors of rolling ground with steep blocks; one has a hole, one is not in memory.
fn ground() -> ResidentSectors {
    let grid = grid();
    let mut world = ResidentSectors::new(grid);
    for index in 0..9 {
        let coord = SectorCoord::new(index % 3 - 1, index / 3 - 1);
        let height = |x: f64, z: f64| {
            let steep = if x > 0.0 && z > 0.0 && x < 8.0 { 3.0 } else { 0.2 };
            let wave = |at: f64| (at.rem_euclid(8.0) - 4.0).abs();
            wave(x) * steep + wave(z) * 0.1
        };
        let mut data = SectorData::from_fn(grid, height).unwrap();
        if index == 4 {
            let cells = grid.cells() as usize + 2;
            let kind = |cell| if cell == 400 { CellKind::Hole } else { CellKind::Solid };
            data = data.with_kinds((0..cells * cells).map(kind).collect()).unwrap();
        }
        if index == 5 {
            // The world ends within it.
            let cells = grid.cells() as usize + 2;
            let is_beyond = |cell: usize| cell % cells > 20;
            let kind = |cell| if is_beyond(cell) { CellKind::Outside } else { CellKind::Solid };
            data = data.with_kinds((0..cells * cells).map(kind).collect()).unwrap();
        }
        let bytes = format::encode(coord, &data).bytes;
        world.insert(coord, Arc::new(LoadedSector::new(bytes).unwrap())).unwrap();
    }
    world.unload(SectorCoord::new(1, 1));
    world
}

/// Flat props here and there on that ground, as high as feet may be, in its sectors along the middle row.
fn decks(random: &mut Random) -> LiveProps {
    let corner = |at: u32| Vec3::new((at & 1) as f32, 0.0, (at >> 1) as f32) * 6.0;
    let vertices = (0..4).map(corner).collect();
    let mesh = MeshSource { vertices, triangles: vec![[0, 2, 1], [1, 2, 3]] };
    let mesh = Arc::new(LoadedMesh::new(PreparedMesh::new(&mesh).unwrap().0.encode()).unwrap());
    let mut live = LiveProps::new(grid().sector_size());
    for index in 0..24 {
        let [x, z] = [(); 2].map(|()| random.within(-SIDE, SIDE) * 0.499);
        let local = Vec3::new(x, random.pick(&[0.1, 1.5, 1.8, 40.0]), z);
        let sector = SectorCoord::new(index % 3 - 1, 0);
        let at = WorldPos::new(sector, local, grid().sector_size()).unwrap();
        live.add(LiveProp::new(mesh.clone(), at)).unwrap();
    }
    live
}

#[test]
fn what_is_allowed_at_a_glance_is_allowed_exactly() {
    let world = ground();
    let mut random = Random::new(14);
    let mut told = [0; 2];
    for index in 0..90 {
        let live = decks(&mut random);
        // Of sectors without props the ground itself is not looked at.
        let is_bare = index % 3 == 2;
        let view = if is_bare { world.view() } else { world.view().with_live(&live) };
        let stand = Stand { count: 500, side: 100.0, home: (0, 0), heaps: 0 };
        let mut units = crowd(&mut random, stand, SHAPES[index % 4]);
        let dt = random.pick(&[1.0 / 60.0, 0.25]);
        let settings = TickSettings { dt, ..TickSettings::default() };
        let tick = Tick::new(view, &settings);
        let mut guard = Guard::new(view, &tick);
        for slot in (0..units.slots()).filter(|slot| units.live[*slot]).collect::<Vec<_>>() {
            let at = WorldPos::new(units.sectors[slot], units.locals[slot], grid().sector_size());
            if let Ground::Height(height) = view.ground(at.unwrap())
                && (is_bare || random.once_in(2.0))
            {
                units.locals[slot].y = height;
            }
            let velocity = [(); 2].map(|()| random.within(-8.0, 8.0));
            let exactly = guard.allows_exactly(&units, slot, velocity);
            let at_a_glance = guard.allows(&units, slot, velocity);
            let local = units.locals[slot];
            assert_eq!(at_a_glance, exactly, "{slot} at {local} {velocity:?} {dt}");
            told[usize::from(exactly)] += 1;
        }
    }
    assert!(told.iter().all(|count| *count > 5000), "{told:?}");
}

fn asked(random: &mut Random) -> Wish {
    let odd =
        [f32::NAN, f32::INFINITY, -0.0, 1e38, 8192.0, -8191.9, 1e-40, 0.0, 0.0, -1e-23, 1e-10];
    let velocity = match random.below(5) {
        0 => [0.0, 0.0],
        1 => [(); 2].map(|()| random.pick(&odd)),
        _ => [(); 2].map(|()| random.within(-3.0, 3.0)),
    };
    Wish::STAND.at_velocity(velocity).with_jump(random.once_in(16.0))
}

fn spawn_far(random: &mut Random, units: &mut Units, home: (i32, i32)) {
    let Some(body) = units.iter().next().and_then(|id| units.body_id(id)) else { return };
    for _ in 0..units.slots() - units.len() {
        let local = [(); 2].map(|()| random.within(-SIDE, SIDE) * 0.499);
        let sector = [home.0, home.1].map(|at| at + random.below(3) as i32 - 1);
        let sector = SectorCoord::new(sector[0], sector[1]);
        let local = Vec3::new(local[0], 0.0, local[1]);
        let position = WorldPos::new(sector, local, units.sector_size()).unwrap();
        units.spawn(Spawn::standing(position, body)).unwrap();
    }
}

#[test]
fn wishes_are_steered_as_one_after_the_other() {
    let world = ground();
    let mut random = Random::new(13);
    let (mut pushed, mut held) = (0, 0);
    for index in 0..60 {
        let live = decks(&mut random);
        let view = if index % 3 == 0 { world.view().with_live(&live) } else { world.view() };
        let stand = Stand { count: 40 * index, side: 110.0, home: (0, 0), heaps: 0 };
        // Also at the same place of the memory as sectors nearby.
        let home = random.pick(&[(0, 0), (0, 0), (0, 0), (8, 0), (-8, 16), (i32::MAX - 3, 0)]);
        let shapes = SHAPES[index % SHAPES.len()];
        let mut units = crowd(&mut random, Stand { home, ..stand }, shapes);
        if index % 2 == 0 {
            // Among the others, in slots that were left: some whose sectors have the same place there.
            let far = [(home.0.saturating_sub(8), home.1), (home.0, home.1 + 16)];
            spawn_far(&mut random, &mut units, far[index / 2 % 2]);
        }
        let dt = random.pick(&[1.0 / 60.0, 0.25, 1e-4, 1e-42]);
        let settings = TickSettings { dt, ..TickSettings::default() };
        let tick = Tick::new(view, &settings);
        let mut pushes: Vec<[f32; 2]> = (0..units.slots())
            .map(|_| {
                let none = random.once_in(4.0);
                [(); 2].map(|()| if none { 0.0 } else { random.within(-1.5, 1.5) })
            })
            .collect();
        let mut wishes: Vec<_> = (0..units.slots()).map(|_| asked(&mut random)).collect();
        for slot in (0..units.slots()).step_by(9) {
            // Head-on: neither to the left nor to the right.
            let way = random.pick(&[[1.0, 0.0], [0.0, -1.0], [0.5, 0.5]]);
            wishes[slot] = Wish::STAND.at_velocity(way.map(|part| part * 2.0));
            pushes[slot] = way.map(|part: f32| -part);
        }
        let most = random.pick(&[1.5, 0.3, 64.0]);
        let pushes: Vec<_> = pushes.into_iter().map(push_bits).map(AtomicU64::new).collect();
        let backends: Vec<_> = backends().collect();
        let simd = backends[index % backends.len()];
        let steering = &Steering { units: &units, most };
        let steer = |simd: Simd, guard: &mut Guard<'_>, slots: Range<usize>, found: &mut [Wish]| {
            let (first, pushes, asked) = (slots.start, &pushes[slots.clone()], &wishes[slots]);
            simd.run(Steer { steering, guard, first, pushes, asked, wishes: found });
        };
        let mut found = vec![Wish::walk(9.0, 9.0).jumping(); units.slots()];
        let mut guard = Guard::new(view, &tick);
        let first = units.slots() / 3;
        let (low, high) = found.split_at_mut(first);
        steer(simd, &mut guard, 0..first, low);
        steer(simd, &mut guard, first..units.slots(), high);
        for (slot, (wish, found)) in wishes.iter().zip(&found).enumerate() {
            let push = push_of(pushes[slot].load(Ordering::Relaxed));
            // Its own guard: nothing is remembered. Alone in its block, it is looked at by itself.
            let mut guard = Guard::new(view, &tick);
            let mut expected = [*wish];
            steer(Simd::Plain, &mut guard, slot..slot + 1, &mut expected);
            let [expected] = expected;
            let parts = |wish: Wish| (wish.velocity().map(f32::to_bits), wish.jumps());
            assert_eq!(parts(*found), parts(expected), "{slot} of {stand:?}: {push:?} {wish:?}");
            pushed += usize::from(parts(expected) != parts(*wish));
            held += usize::from(parts(expected) == parts(*wish) && push != [0.0; 2]);
        }
    }
    assert!(pushed > 5000 && held > 5000, "{pushed} {held}");
}
