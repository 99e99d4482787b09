//! Ray casts from scattered places over rolling ground. Times are per ray.

#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Random, criterion, heading, places, rolling, size};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Raycast, WorldPos};

/// Greatest length of a ray. Metres.
const RAY_LENGTH: f32 = 500.0;

fn raycast(c: &mut Criterion) {
    let world = rolling(8);
    let view = world.view();
    let count = size(4096, 16);
    // Far enough from the world's edge that no ray leaves it.
    let margin = size(f64::from(RAY_LENGTH), 8.0);
    let rays = |above: f32, slope: f32| -> Vec<(WorldPos, Vec3)> {
        let mut random = Random::new(2);
        let origins = places(&mut random, &world, count, margin, above);
        let towards = origins.into_iter().map(|origin| {
            let [x, z] = heading(&mut random);
            (origin, Vec3::new(x, slope, z))
        });
        towards.collect()
    };
    let downwards = |(origin, _): &(WorldPos, Vec3)| (*origin, Vec3::NEG_Y);
    // Rays at eye height, rays of a camera, and rays straight down.
    let level = rays(2.0, -0.002);
    let slanted = rays(100.0, -1.0);
    let vertical: Vec<_> = slanted.iter().map(downwards).collect();

    let mut group = c.benchmark_group("raycast");
    group.throughput(Throughput::Elements(count as u64));
    for (name, rays) in
        [("near_level_from_2_m", &level), ("45_degrees_down", &slanted), ("vertical", &vertical)]
    {
        let hits = || {
            let hits = black_box(rays).iter().filter(|(origin, direction)| {
                matches!(view.raycast(*origin, *direction, RAY_LENGTH), Ok(Raycast::Hit(_)))
            });
            hits.count()
        };
        let (hit, least) = (hits(), if name == "vertical" { count } else { 1 });
        assert!(hit >= least, "{name}: {hit} of {count} rays hit the ground");
        group.bench_function(name, |b| b.iter(hits));
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = raycast }
criterion_main!(benches);
