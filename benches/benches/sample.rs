//! Queries of the ground: one place, many places, one sector, and normals. Times are per place.

#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Random, criterion, places, rolling, size};
use marchland_terrain::{Ground, SectorCoord, SectorState, WorldPos};

fn sample(c: &mut Criterion) {
    // 2 km of ground, 8.5 MiB of samples: more than a core's own cache.
    let world = rolling(8);
    let view = world.view();
    let count = size(1 << 16, 64);
    let scattered = places(&mut Random::new(1), &world, count, 1.0, 0.0);
    let mut by_sector = scattered.clone();
    by_sector.sort_by_key(|place| place.sector());
    let mut out = vec![Ground::Outside; count];

    let mut group = c.benchmark_group("sample");
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("view_ground_scattered", |b| {
        b.iter(|| {
            for (place, out) in scattered.iter().zip(&mut out) {
                *out = view.ground(*place);
            }
            black_box(&mut out);
        });
    });
    group.bench_function("view_grounds_scattered", |b| {
        b.iter(|| view.grounds(black_box(&scattered), black_box(&mut out)));
    });
    group.bench_function("view_grounds_by_sector", |b| {
        b.iter(|| view.grounds(black_box(&by_sector), black_box(&mut out)));
    });
    group.bench_function("view_face_normal_by_sector", |b| {
        b.iter(|| by_sector.iter().filter_map(|place| view.face_normal(*place)).count());
    });
    group.bench_function("view_smooth_normal_by_sector", |b| {
        b.iter(|| by_sector.iter().filter_map(|place| view.smooth_normal(*place)).count());
    });

    let SectorState::Resident(sector) = view.sector(SectorCoord::new(1, 1)) else {
        unreachable!("the scene has this sector")
    };
    let along = |axis: fn(&WorldPos) -> f32| scattered.iter().map(axis).collect::<Vec<_>>();
    let (x, z) = (along(|place| place.local().x), along(|place| place.local().z));
    group.bench_function("sector_grounds_scattered", |b| {
        b.iter(|| sector.field().grounds(black_box(&x), black_box(&z), black_box(&mut out)));
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = sample }
criterion_main!(benches);
