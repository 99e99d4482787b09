//! Ticks of many units at random places and with random headings, 5 m/s at 60 Hz, on rolling ground
//! of 1 km with cells of 1 m. Times are per unit and tick: grouping, moving, writing back.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Crowd, criterion, pool, rolling, size};
use marchland_controller::{Batch, TickSettings};

fn follow(c: &mut Criterion) {
    let world = rolling(4);
    let settings = TickSettings::at_rate(60.0);
    let mut group = c.benchmark_group("follow");
    group.sample_size(20);
    for (threads, road) in [(1, "1_thread"), (2, "2_threads")] {
        let pool = pool(threads);
        for (name, count) in [("10_k", 10_000), ("100_k", 100_000), ("1_M", 1_000_000)] {
            let count = size(count, count / 1000);
            let mut crowd = Crowd::new(&world, count, 5.0);
            let mut batch = Batch::new();
            let mut ticks = 0;
            let mut tick = || {
                let (units, wishes) = crowd.tick_parts(ticks);
                ticks += 1;
                let report = batch.tick(world.view(), units, wishes, &settings);
                let ticked = report.map_or(0, |report| report.ticked);
                assert_eq!(ticked, count, "every unit moves in every tick");
            };
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(road, name), |b| {
                pool.install(|| b.iter(&mut tick));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = follow }
criterion_main!(benches);
