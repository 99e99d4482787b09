//! The work of a batch besides following open ground: standing units, units among the houses and trees of the
//! town, and units spread over very many small sectors; also work on the state between ticks. Times are per
//! unit, 60 Hz, one thread.

#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Crowd, criterion, pool, size, sure};
use marchland_controller::{Batch, TickSettings};
use marchland_terrain::ResidentSectors;
use marchland_worlds::terrain::rolling_world;
use marchland_worlds::town::Town;

/// Speed of moving units. Metres per second.
const SPEED: f32 = 5.0;

fn ticks(c: &mut Criterion) {
    let hills = sure(rolling_world(2, 1.0, 256, 3));
    let town = sure(Town::new()).sectors;
    // Sectors of 16 m: a unit crosses a border every three seconds.
    let small = sure(rolling_world(size(32, 4), 1.0, 16, 3));
    for (name, world, count, speed) in [
        ("100_k_stand", &hills, 100_000, 0.0),
        ("10_k_in_town", &town, 10_000, SPEED),
        ("100_k_over_1024_sectors", &small, 100_000, SPEED),
    ] {
        tick(c, name, world, size(count, count / 1000), speed);
    }
}

fn tick(c: &mut Criterion, name: &str, world: &ResidentSectors, count: usize, speed: f32) {
    let settings = TickSettings::at_rate(60.0);
    let mut crowd = Crowd::among(world, count, speed);
    let (mut batch, mut ticks) = (Batch::new(), 0);
    let pool = pool(1);
    let mut group = c.benchmark_group("batch");
    group.sample_size(20).throughput(Throughput::Elements(count as u64));
    group.bench_function(name, |b| {
        pool.install(|| {
            b.iter(|| {
                let (units, wishes) = crowd.tick_parts(ticks);
                ticks += 1;
                let report = batch.tick(world.view(), units, wishes, &settings);
                let ticked = report.map_or(0, |report| report.ticked);
                assert_eq!(ticked, count, "every unit moves in every tick");
            });
        });
    });
    group.finish();
}

fn state(c: &mut Criterion) {
    let hills = sure(rolling_world(2, 1.0, 256, 3));
    let count = size(100_000, 100);
    let mut crowd = Crowd::new(&hills, count, SPEED);
    let (units, _) = crowd.tick_parts(0);
    let mut group = c.benchmark_group("state");
    group.sample_size(20).throughput(Throughput::Elements(count as u64));
    group.bench_function("hash", |b| b.iter(|| black_box(units.state_hash())));
    let snapshot = units.snapshot();
    group.bench_function("snapshot", |b| b.iter(|| black_box(units.snapshot())));
    group.bench_function("restore", |b| b.iter(|| units.restore(black_box(&snapshot))));
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = ticks, state }
criterion_main!(benches);
