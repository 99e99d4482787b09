//! Heaps of round things, into which units walk: nobody shakes there, and nobody changes its mode again and again.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;
use std::sync::Arc;

use marchland_controller::{Batch, Body, Motion, Spawn, TickSettings, Units, Wish};
use marchland_random::Random;
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, LoadedMesh, MeshSource, Placement, PreparedMesh};
use marchland_terrain::{LiveProps, WorldPos};
use marchland_worlds::shapes::torn;
use marchland_worlds::terrain::{grid_of, world_from_fn};

/// Heaps along a side of the world, how far they are apart, and the walkers into each.
const ALONG: usize = 4;
const APART: f64 = 16.0;
const WALKERS: usize = 12;

/// Seconds of a walk; the last one is judged.
const SECONDS: usize = 6;

/// Most changes of mode in a second; whoever stays within so many metres in it goes so far in a tick at most.
const CHANGES_MAX: usize = 2;
const STAYS: f32 = 0.05;
const SHAKES: f32 = 0.005;

/// A closed solid of revolution around Y, from rings of a radius at a height, upwards.
fn turned(rings: &[[f64; 2]], sides: u32) -> MeshSource {
    let corner = |[radius, y]: [f64; 2], side: u32| {
        let at = DVec2::from_angle(TAU * f64::from(side) / f64::from(sides)) * radius;
        Vec3::new(at.x as f32, y as f32, at.y as f32)
    };
    let mut vertices: Vec<Vec3> =
        rings.iter().flat_map(|ring| (0..sides).map(move |side| corner(*ring, side))).collect();
    let (low, high) = (vertices.len() as u32, vertices.len() as u32 + 1);
    vertices.extend([rings[0], rings[rings.len() - 1]].map(|[_, y]| corner([0.0, y], 0)));
    let mut triangles = Vec::new();
    for a in 0..sides {
        let (b, top) = ((a + 1) % sides, (rings.len() as u32 - 1) * sides);
        triangles.extend([[low, a, b], [high, top + b, top + a]]);
        for ring in (0..top).step_by(sides as usize) {
            let (a, b) = (ring + a, ring + b);
            triangles.extend([[a, a + sides, b + sides], [a, b + sides, b]]);
        }
    }
    MeshSource { vertices, triangles }
}

/// A ball, a cone, or a pillar that leans, partly in the ground: how it is turned, and how high it is put. One in five
/// is a soup.
fn round_thing(random: &mut Random) -> (MeshSource, Rotation, f64) {
    let mut one_of = |of: &[f64]| of[random.below(of.len() as u64) as usize];
    let (size, sides) = (one_of(&[0.5, 0.8, 1.0, 1.5, 2.0]), one_of(&[5.0, 6.0, 8.0, 12.0, 16.0]));
    let sides = sides as u32;
    let (mesh, lean, high) = match one_of(&[0.0, 1.0, 2.0]) as u32 {
        0 => {
            let flat = one_of(&[0.2, 0.5, 0.7, 1.0]);
            let arc = (1..8).map(|at| DVec2::from_angle(f64::from(at) * PI / 8.0 - FRAC_PI_2));
            let rings: Vec<[f64; 2]> = arc.map(|at| [size * at.x, size * flat * at.y]).collect();
            (turned(&rings, sides), 0.0, size * one_of(&[-0.5, 0.0, 0.3, 0.9]))
        }
        1 => {
            let top = size * one_of(&[0.01, 0.4, 0.7, 1.4]);
            let rings = [[size, 0.0], [top, size * one_of(&[0.5, 0.9, 1.5, 3.0])]];
            (turned(&rings, sides), 0.0, 0.0)
        }
        _ => (turned(&[[size, 0.0], [size, 2.5]], sides), 40.0, -0.4),
    };
    let mesh = if one_of(&[0.0, 1.0, 2.0, 3.0, 4.0]) == 0.0 { torn(mesh) } else { mesh };
    let turn = [lean, 180.0, lean].map(|most| random.between(-most, most));
    (mesh, Rotation::from_degrees(turn), high)
}

/// What is wrong with the last second of each unit, in a walk into heaps of a seed.
fn walk_into_heaps(seed: u64, rate: u16) -> Vec<String> {
    let mut random = Random::from_state(seed);
    let grid = grid_of(4.0, 16).unwrap();
    let sectors = world_from_fn(grid, 1, |_, _| 0.0).unwrap();
    let size = grid.sector_size();
    let (mut live, mut units) = (LiveProps::new(size), Units::new(size));
    let body = units.add_body(Body::default()).unwrap();
    let (mut ids, mut wishes) = (Vec::new(), Vec::new());
    let place = |at: DVec2, y: f64| WorldPos::from_metres(at.x, y, at.y, size).unwrap();
    for heap in 0..ALONG * ALONG {
        let middle = |at: usize| (at as f64 + 0.5 - ALONG as f64 / 2.0) * APART;
        let middle = DVec2::new(middle(heap % ALONG), middle(heap / ALONG));
        for _ in 0..random.between(3.0, 11.0) as usize {
            let (mesh, rotation, high) = round_thing(&mut random);
            let beside = DVec2::from_angle(random.between(0.0, TAU)) * random.between(0.0, 3.0);
            let mesh = PreparedMesh::new(&mesh).unwrap().0.encode();
            let at = place(middle + beside, high);
            let mut prop = LiveProp::new(Arc::new(LoadedMesh::new(mesh).unwrap()), at);
            prop.placement = Placement::new(rotation, 1.0).unwrap();
            live.add(prop).unwrap();
        }
        for _ in 0..WALKERS {
            let way = DVec2::from_angle(random.between(0.0, TAU));
            let at = middle - way * 6.5 + way.perp() * random.between(-2.0, 2.0);
            let (position, velocity) = (place(at, 0.0), Vec3::ZERO);
            let motion = Motion::Walking;
            let spawn = Spawn { position, velocity, motion, body, mask: u32::MAX };
            ids.push(units.spawn(spawn).unwrap());
            let wish = way * random.between(2.0, 4.0);
            wishes.push(Wish::walk(wish.x as f32, wish.y as f32));
        }
    }
    let (view, settings) =
        (sectors.view().with_live(&live), TickSettings::at_rate(f32::from(rate)));
    let mut batch = Batch::new();
    let (ticks, last) = (SECONDS * usize::from(rate), (SECONDS - 1) * usize::from(rate));
    let mut seen: Vec<Vec<(WorldPos, Motion)>> = vec![Vec::new(); units.len()];
    for tick in 0..ticks {
        batch.tick(view, &mut units, &wishes, &settings).unwrap();
        if tick >= last {
            for ((seen, id), motion) in seen.iter_mut().zip(&ids).zip(units.motions()) {
                seen.push((units.position(*id).unwrap(), *motion));
            }
        }
    }
    let way = |from: WorldPos, to: WorldPos| to.relative_to(from, size).length();
    let mut wrong = Vec::new();
    for (unit, seen) in seen.iter().enumerate() {
        let changes = seen.windows(2).filter(|two| two[0].1 != two[1].1).count();
        let gone: f32 = seen.windows(2).map(|two| way(two[0].0, two[1].0)).sum();
        let (went, mean) = (way(seen[0].0, seen[seen.len() - 1].0), gone / seen.len() as f32);
        if went < STAYS && (changes > CHANGES_MAX || mean > SHAKES) {
            wrong.push(format!(
                "seed {seed}, {rate} Hz, unit {unit}: {changes} changes, {mean} m a tick, {went} m"
            ));
        }
    }
    wrong
}

fn nobody_shakes(seeds: Range<u64>, rate: u16) {
    let wrong: Vec<String> = seeds.flat_map(|seed| walk_into_heaps(seed, rate)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nobody_shakes_in_a_heap_of_round_things() {
    nobody_shakes(1..6, 60);
}

#[test]
fn nor_at_other_rates() {
    nobody_shakes(1..3, 30);
    nobody_shakes(1..2, 120);
    nobody_shakes(1..2, 240);
}
