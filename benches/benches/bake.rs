//! Baking 1025 × 1025 heights from memory to the bytes of sector files, on all threads. Times are
//! per sample of the source.

#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{CELL, CELLS, criterion, size, sure};
use marchland_terrain::bake::{BakeInput, BakeSettings, HeightSource, VoidPolicy, bake};
use marchland_worlds::scene;
use marchland_worlds::source::{Codes, Heights};
use marchland_worlds::terrain::{bake_settings, grid_of};

fn whole_road(heights: impl HeightSource + 'static, settings: &BakeSettings) -> u64 {
    let heights = Box::new(heights);
    let input = BakeInput { heights, holes: None, surfaces: None, outside: Vec::new() };
    let report = sure(bake(input, settings, &mut |_| {}, &|file| {
        black_box(file.bytes);
        Ok(())
    }));
    assert!(report.sectors > 0);
    report.sectors
}

fn baking(c: &mut Criterion) {
    let samples = size(1025, 65);
    let grid = sure(grid_of(CELL, CELLS));
    let settings = |spacing: f64| bake_settings(grid, spacing, VoidPolicy::Hole);
    let metres = scene::rolling(samples, samples, CELL, 3);
    // About ±40 m over 16 bits.
    let codes = metres.map(|metres| ((metres + 40.0) * 819.0) as u16);
    let (min, max) = (-40.0, -40.0 + 65535.0 / 819.0);

    let mut group = c.benchmark_group("bake");
    group.sample_size(20);
    group.throughput(Throughput::Elements((samples * samples) as u64));
    // Off the grid, the world has 1.1² times as many samples as the source.
    for (name, spacing) in [("codes_on_the_grid", CELL), ("codes_resampled", 1.1 * CELL)] {
        let settings = settings(spacing);
        group.bench_function(name, |b| {
            let source = || Codes::new(codes.clone(), min, max);
            b.iter_batched(source, |s| whole_road(s, &settings), BatchSize::LargeInput);
        });
    }
    let on_grid = settings(CELL);
    group.bench_function("metres_on_the_grid", |b| {
        let source = || Heights::new(metres.clone());
        b.iter_batched(source, |s| whole_road(s, &on_grid), BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = baking }
criterion_main!(benches);
