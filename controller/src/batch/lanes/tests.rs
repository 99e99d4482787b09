//! What every processor does, against the plain code: bit by bit.

use marchland_terrain::heightfield::height_in_cell;

use super::*;
use crate::batch::crossers::{Locate, Support};

/// Xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
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

/// Units of a stretch, as many as make some blocks and a part of one.
#[derive(Clone)]
struct Stretch {
    locals: Vec<Vec3>,
    velocities: Vec<Vec3>,
    wishes: Vec<Wish>,
    bodies: Vec<BodyId>,
    corners: Vec<Corners>,
    homes: Vec<u32>,
}

impl Stretch {
    fn any(random: &mut Random, count: usize, gaits: usize) -> Self {
        let vec = |random: &mut Random, size| {
            Vec3::new(random.float(size), random.float(4.0), random.float(size))
        };
        let wish = |random: &mut Random| Wish {
            velocity: [random.float(12.0), random.float(12.0)],
            jump: random.next().is_multiple_of(16),
        };
        let locals: Vec<Vec3> = (0..count).map(|_| vec(random, 60.0)).collect();
        let wishes: Vec<Wish> = (0..count).map(|_| wish(random)).collect();
        // Some go on as they did.
        let velocities = wishes.iter().map(|wish| match random.next() % 3 {
            0 => vec(random, 12.0),
            _ => Vec3::new(wish.velocity[0], 0.0, wish.velocity[1]),
        });
        let velocities = velocities.collect();
        let bodies = (0..count).map(|_| BodyId((random.next() as usize % gaits) as u16));
        let bodies = bodies.collect();
        let corners = (0..count).map(|_| [0; 4].map(|_: u32| random.float(4.0)));
        let corners = corners.collect();
        Self { locals, velocities, wishes, bodies, corners, homes: vec![0; count] }
    }

    fn columns(&mut self) -> Columns<'_> {
        Columns {
            locals: &mut self.locals,
            velocities: &mut self.velocities,
            wishes: &self.wishes,
            bodies: &self.bodies,
            corners: &self.corners,
            homes: &self.homes,
        }
    }

    fn bits(&self) -> Vec<u32> {
        let all = self.locals.iter().chain(&self.velocities);
        all.flat_map(|part| part.to_array().map(f32::to_bits)).collect()
    }
}

fn bits_of(left: &Left) -> (Vec<u16>, Vec<[u32; 7]>) {
    let all = &left.crossers;
    let crossers = (0..all.len()).map(|at| {
        let [x, z, u, v] = [&all.x, &all.z, &all.u, &all.v].map(|part| part[at].to_bits());
        [all.index[at], x, z, u, v, all.column[at], all.row[at]]
    });
    (left.others.clone(), crossers.collect())
}

/// How many strolled and how many crossed.
fn compare(random: &mut Random, count: usize) -> (usize, usize) {
    let gaits = [
        Gait { inner: 31.0, longest_squared: 0.98, step_down: 0.45 },
        Gait { inner: 20.0, longest_squared: 0.01, step_down: 3.0 },
        Gait { inner: -1.0, longest_squared: 1.0, step_down: 1.0 },
    ];
    let gaits = if random.next().is_multiple_of(2) { &gaits[..1] } else { &gaits[..] };
    let pace = Pace {
        dt: [1.0 / 60.0, 0.1, 1e-40][random.next() as usize % 3],
        cells_per_metre: 1.0,
        half_cells: 32.0,
        tile_log2: 1,
        gaits,
    };
    let mut here = Stretch::any(random, count, gaits.len());
    let mut there = here.clone();
    let (mut left_here, mut left_there) = (Left::default(), Left::default());
    left_here.crossers.make_room(count);
    left_there.crossers.make_room(count);
    stroll(&pace, here.columns(), &mut left_here);
    Anywhere { pace: &pace, columns: there.columns(), left: &mut left_there }.run();
    with_widest(Locate { crossers: &mut left_here.crossers, pace: &pace });
    left_there.crossers.locate(&pace);
    assert_eq!(here.bits(), there.bits());
    assert_eq!(bits_of(&left_here), bits_of(&left_there));
    compare_support(random, &mut left_here.crossers);
    let others: u32 = left_here.others.iter().map(|bits| bits.count_ones()).sum();
    let crossed = left_here.crossers.len();
    (count - others as usize - crossed, crossed)
}

/// What crossers find at random, in lanes and one by one.
fn compare_support(random: &mut Random, crossers: &mut Crossers) {
    let all = 0..crossers.len();
    for at in all.clone() {
        crossers.corners[at] = [0; 4].map(|_: u32| random.float(4.0));
        (crossers.y[at], crossers.step_down[at]) = (random.float(8.0), random.float(4.0));
    }
    with_widest(Support { crossers, which: all.clone() });
    for at in all {
        let height = height_in_cell(crossers.corners[at], crossers.u[at], crossers.v[at]);
        let is_supported = crossers.y[at] - height <= crossers.step_down[at];
        assert_eq!(crossers.supported[at] != 0, is_supported, "{height}");
        if is_supported {
            assert_eq!(crossers.height[at].to_bits(), height.to_bits());
        }
    }
}

fn compare_many(inputs: usize) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut done, mut strolled, mut crossed) = (0, 0, 0);
    while done < inputs {
        let count = 1 + random.next() as usize % 256;
        let (strolls, crosses) = compare(&mut random, count);
        (done, strolled, crossed) = (done + count, strolled + strolls, crossed + crosses);
    }
    assert!(strolled > inputs / 50 && crossed > inputs / 100, "{strolled} {crossed}");
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
