//! The kernels of every processor, compared with the plain code bit by bit.

use marchland_random::Random;
use marchland_terrain::kernel::height_in_cell;
use marchland_terrain::{Grid, ResidentSectors};

use super::*;
use crate::following::follow::in_cell_velocity;
use crate::limits::SPEED_MAX;
use crate::units::body::BodyBuilder;
use crate::units::settings::TickSettings;
use crate::units::tick::{Tick, without_creep as without_creep_of_one};

/// What the kernels are tried with.
trait Awkward {
    fn next(&mut self) -> u32;
    fn float(&mut self, size: f32) -> f32;
}

impl Awkward for Random {
    fn next(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// Any bits at all, the values that are easily forgotten, or a number of some size.
    fn float(&mut self, size: f32) -> f32 {
        const SPECIAL: [f32; 12] = [
            0.0,
            -0.0,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            SPEED_MAX,
            crate::limits::SPEED_MIN,
            -0.5,
        ];
        match self.next() % 16 {
            0 => f32::from_bits(self.next()),
            1 => SPECIAL[self.next() as usize % SPECIAL.len()],
            2 => (self.next() % 64) as f32 - 32.0,
            _ => (self.next() as f32 / u32::MAX as f32 - 0.5) * size,
        }
    }
}

/// Of a sector. Metres, and cells of one.
const HALF: f32 = 32.0;

/// Units of a chunk, as many as make some blocks and a part of one.
#[derive(Clone)]
struct OwnedColumns {
    locals: Vec<Vec3>,
    velocities: Vec<Vec3>,
    wishes: Vec<Wish>,
    bodies: Vec<BodyId>,
    corners: Vec<Corners>,
    map_ids: Vec<u32>,
}

impl OwnedColumns {
    fn any(random: &mut Random, count: usize, follow_limits: usize) -> Self {
        // Within the sector, as every place is; a height may be anything.
        let inside = |metres: f32| if metres.abs() < HALF { metres } else { 0.5 - HALF };
        let place = |random: &mut Random| {
            Vec3::new(inside(random.float(60.0)), random.float(4.0), inside(random.float(60.0)))
        };
        let wish = |random: &mut Random| {
            let wish = Wish::walk(random.float(12.0), random.float(12.0));
            wish.with_jump(random.next().is_multiple_of(16))
        };
        let locals: Vec<Vec3> = (0..count).map(|_| place(random)).collect();
        let mut wishes: Vec<Wish> = (0..count).map(|_| wish(random)).collect();
        // Some go on as they did; in some blocks all do.
        let all_go_on = random.next().is_multiple_of(2);
        let velocities = wishes.iter_mut().map(|wish| {
            let [x, z] = wish.velocity().map(without_creep_of_one);
            if all_go_on || random.next().is_multiple_of(2) {
                *wish = Wish::walk(x, z);
                return Vec3::new(x, 0.0, z);
            }
            let [x, z] = [0; 2].map(|_: u32| without_creep_of_one(random.float(12.0)));
            Vec3::new(x, 0.0, z)
        });
        let velocities = velocities.collect();
        // Of one kind for a while, or each of another.
        let run = [1, 40][random.next() as usize % 2];
        let first = random.next() as usize;
        let bodies = (0..count).map(|at| match run {
            1 => random.next() as usize % follow_limits,
            _ => (first + at / run) % follow_limits,
        });
        let bodies = bodies.map(|body| BodyId(body as u16)).collect();
        let corners = (0..count).map(|_| [0; 4].map(|_: u32| random.float(4.0)));
        let corners = corners.collect();
        Self { locals, velocities, wishes, bodies, corners, map_ids: vec![0; count] }
    }

    fn columns(&mut self) -> Columns<'_> {
        Columns {
            locals: &mut self.locals,
            velocities: &mut self.velocities,
            wishes: &self.wishes,
            bodies: &self.bodies,
            corners: &self.corners,
            map_ids: &self.map_ids,
        }
    }

    fn bits(&self) -> Vec<u32> {
        let all = self.locals.iter().chain(&self.velocities);
        all.flat_map(|part| part.to_array().map(f32::to_bits)).collect()
    }
}

fn bits_of(beyond_cell: &BeyondCell) -> (Vec<u16>, Vec<[u32; 7]>) {
    let all = &beyond_cell.crossings;
    let crossings = (0..all.count).map(|at| {
        let [x, z, u, v] = [&all.x, &all.z, &all.u, &all.v].map(|part| part[at].to_bits());
        [all.index[at], x, z, u, v, all.column[at], all.row[at]]
    });
    (beyond_cell.slow_lanes.clone(), crossings.collect())
}

/// How many stayed in their cells and how many crossed.
fn compare(random: &mut Random, count: usize) -> (usize, usize) {
    let follow_limits = [
        FollowLimits {
            inner: HALF,
            longest_squared: 0.98,
            fastest_squared: 3500.0,
            step_down: 0.45,
        },
        FollowLimits { inner: HALF, longest_squared: 0.01, fastest_squared: 36.0, step_down: 3.0 },
        FollowLimits { inner: HALF, longest_squared: 1.0, fastest_squared: 1e7, step_down: 1.0 },
    ];
    let follow_limits =
        if random.next().is_multiple_of(2) { &follow_limits[..1] } else { &follow_limits[..] };
    let pace = Pace {
        simd: Simd::Plain,
        dt: [1.0 / 60.0, 0.1, 1e-40][random.next() as usize % 3],
        short_squared: [1e-3, 4.0, f32::INFINITY][random.next() as usize % 3],
        cells: CellFrame { cells_per_metre: 1.0, half: HALF, half_cells: HALF },
        tile_log2: 1,
        follow_limits,
    };
    let before = OwnedColumns::any(random, count, follow_limits.len());
    let moved = |simd| {
        let (mut columns, mut left) = (before.clone(), BeyondCell::default());
        left.crossings.reserve(count);
        follow_in_cell(&Pace { simd, ..pace }, columns.columns(), &mut left);
        left.crossings.locate(simd, &pace.cells);
        (columns, left)
    };
    let (plain, mut left_plain) = moved(Simd::Plain);
    for simd in Simd::ALL.into_iter().filter(|simd| *simd <= Simd::of_processor()) {
        let (there, mut left) = moved(simd);
        for (at, (here, there)) in plain.bits().iter().zip(there.bits()).enumerate() {
            assert_eq!(*here, there, "{simd:?}: float {} of unit {}", at % 3, at / 3 % count);
        }
        let is_same = bits_of(&left_plain) == bits_of(&left);
        assert!(is_same, "{simd:?}: slow lanes or crossings differ");
        compare_heights(random, simd, &mut left_plain.crossings, &mut left.crossings);
    }
    assert_one_by_one(&pace, &before, &plain);
    let slow: u32 = left_plain.slow_lanes.iter().map(|bits| bits.count_ones()).sum();
    let crossed = left_plain.crossings.count;
    (count - slow as usize - crossed, crossed)
}

/// Whoever stayed in its cell is where the rules for one unit lead it.
fn assert_one_by_one(pace: &Pace<'_>, before: &OwnedColumns, after: &OwnedColumns) {
    for at in 0..before.locals.len() {
        let (from, to) = (before.locals[at], after.locals[at]);
        let [x, z] = before.wishes[at].velocity();
        let is_short = crate::units::tick::is_short(x * x + z * z, pace.short_squared);
        if from.to_array().map(f32::to_bits) == to.to_array().map(f32::to_bits) {
            continue;
        }
        let [vx, vz] = before.wishes[at].velocity().map(without_creep_of_one);
        let (x, z) = (from.x + vx * pace.dt, from.z + vz * pace.dt);
        let (u, v) = (x - from.x.floor(), z - from.z.floor());
        let height = height_in_cell(before.corners[at], u, v);
        let expected = Vec3::new(x + 0.0, height + 0.0, z + 0.0);
        assert_eq!(to, expected, "from {from} with {:?}", before.wishes[at]);
        assert!(!is_short, "from {from} with {:?}", before.wishes[at]);
        let limits = &pace.follow_limits[before.bodies[at].index()];
        assert!(from.y - height <= limits.step_down, "from {from}");
    }
}

/// What crossings find at random, in lanes and one by one.
fn compare_heights(random: &mut Random, simd: Simd, here: &mut Crossings, there: &mut Crossings) {
    let quantum = 1.0 / 256.0;
    for at in 0..here.count {
        here.quanta[at] = [0; 4].map(|_: u32| random.next() as i32 >> (8 + random.next() % 16));
        there.quanta[at] = here.quanta[at];
    }
    here.find_heights(Simd::Plain, quantum);
    there.find_heights(simd, quantum);
    for at in 0..here.count {
        let corners = here.quanta[at].map(|quanta| quanta as f32 * quantum);
        let height = height_in_cell(corners, here.u[at], here.v[at]);
        for found in [&*here, &*there] {
            assert_eq!(found.corners[at], corners);
            assert_eq!(found.height[at].to_bits(), height.to_bits(), "{corners:?}");
        }
    }
}

#[test]
fn whoever_is_slow_enough_for_the_lanes_stays_in_them() {
    let mut random = Random::from_state(7);
    let grid = Grid::new(0.5, 32.0, 1.0 / 256.0).unwrap();
    let mut near = 0;
    for _ in 0..200_000 {
        let radius = 0.1 + (random.next() % 1000) as f32 * 0.002;
        let body = BodyBuilder { radius, ..BodyBuilder::default() }.build().unwrap();
        let dt = [1.0 / 60.0, 0.25, 1.0 / 240.0, 1e-4, 1e-7, 1e-40][random.next() as usize % 6];
        let settings = TickSettings { dt, ..TickSettings::default() };
        let tick = Tick::new(ResidentSectors::new(grid).view(), &settings);
        let limits = FollowLimits::new(&tick, &body);
        let fastest =
            limits.fastest_squared.sqrt() * (0.999 + 0.002 * random.next() as f32 / 4.3e9);
        let east = random.next() as f32 / 4.3e9;
        let wish = Wish::walk(fastest * east, -fastest * (1.0 - east * east).sqrt());
        let [x, z] = wish.velocity();
        if x * x + z * z < limits.fastest_squared {
            assert!(in_cell_velocity(&tick, &limits, wish).is_some(), "{wish:?} {dt} {radius}");
            near += 1;
        }
    }
    assert!(near > 50_000, "{near}");
}

fn compare_many(inputs: usize) {
    let mut random = Random::from_state(0x9e37_79b9_7f4a_7c15);
    let (mut done, mut stayed, mut crossed) = (0, 0, 0);
    while done < inputs {
        let count = 1 + random.next() as usize % 256;
        let (stays, crosses) = compare(&mut random, count);
        (done, stayed, crossed) = (done + count, stayed + stays, crossed + crosses);
    }
    assert!(stayed > inputs / 50 && crossed > inputs / 100, "{stayed} {crossed}");
}

#[test]
fn every_processor_gives_the_same_bits() {
    compare_many(2_000_000);
}

/// A hundred million.
#[test]
#[ignore = "a hundred million: .ci/deep walks"]
fn every_processor_gives_the_same_bits_for_a_hundred_million() {
    compare_many(100_000_000);
}
