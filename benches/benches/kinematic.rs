//! Ticks of walkers among the props of the town, see [`Walkers`], at 60 Hz. Times are per walker and
//! tick, over all walkers; the share that took the full controller is printed.
//!
//! The times of the walkers that took the full controller are printed too: the mean and the 99th percentile.
//! For these, the same walkers run once more, each in its own population, so that each has its own time. The
//! time of a following unit is not subtracted: it is about a tenth of a microsecond.

#![allow(missing_docs, reason = "criterion's macros")]
#![allow(clippy::print_stdout, reason = "it says how many take the full controller")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::walkers::Walkers;
use marchland_benches::{criterion, is_measured, pool, size, sure};
use marchland_controller::{Batch, TickSettings, Units};
use marchland_terrain::query::ALL_LAYERS;
use marchland_worlds::town::Town;

/// Ticks in which walkers are timed one by one.
const ALONE: usize = 100;

fn kinematic(c: &mut Criterion) {
    let town = sure(Town::new());
    let settings = TickSettings::at_rate(60.0);
    let pool = pool(1);
    let mut group = c.benchmark_group("kinematic");
    group.sample_size(20);
    for (name, count) in [("1_k", 1000), ("10_k", 10_000)] {
        for (what, mask) in [("among_props", ALL_LAYERS), ("followed", 0)] {
            let count = size(count, 50);
            let mut walkers = Walkers::new(&town, count, mask);
            let (mut batch, mut ticks, mut full) = (Batch::new(), 0, 0);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(what, name), |b| {
                pool.install(|| {
                    b.iter_custom(|iterations| {
                        let mut time = Duration::ZERO;
                        for _ in 0..iterations {
                            let (units, wishes) = walkers.steer(ticks);
                            let start = Instant::now();
                            let report = batch.tick(town.sectors.view(), units, wishes, &settings);
                            time += start.elapsed();
                            full += sure(report).full;
                            ticks += 1;
                        }
                        time
                    });
                });
            });
            let share = full as f64 / (ticks * count) as f64;
            let is_known = is_measured() && mask != 0; // one tick is not enough
            assert!(!is_known || full > 0, "nobody among props took the full controller");
            println!("kinematic/{what}/{name}: {share:.3} took the full controller");
        }
    }
    group.finish();
    let (mean, slow) = pool.install(|| alone(&town, size(1000, 50), &settings));
    println!(
        "kinematic: the full controller takes {mean:.2} us, once in a hundred over {slow:.2} us"
    );
}

/// Times of walkers that took the full controller. Microseconds: the mean and the 99th percentile.
fn alone(town: &Town, count: usize, settings: &TickSettings) -> (f64, f64) {
    let mut walkers = Walkers::new(town, count, ALL_LAYERS);
    let mut each: Vec<Units> = (0..count).map(|slot| walkers.alone(slot)).collect();
    let (mut batch, mut times) = (Batch::new(), Vec::new());
    for tick in 0..size(ALONE, 2) {
        let (units, wishes) = walkers.steer(tick);
        for (one, wish) in each.iter_mut().zip(wishes.chunks(1)) {
            let start = Instant::now();
            let report = batch.tick(town.sectors.view(), one, wish, settings);
            let time = start.elapsed().as_secs_f64() * 1e6;
            if report.is_ok_and(|report| report.full > 0) {
                times.push(time);
            }
        }
        let _ = batch.tick(town.sectors.view(), units, wishes, settings);
    }
    times.sort_by(f64::total_cmp);
    let slow = times.get(times.len() * 99 / 100).copied().unwrap_or(0.0);
    (times.iter().sum::<f64>() / times.len().max(1) as f64, slow)
}

criterion_group! { name = benches; config = criterion(); targets = kinematic }
criterion_main!(benches);
