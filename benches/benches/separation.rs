//! Pushes of a crowd of 100 000 on rolling ground of 1 km, bodies of 0.4 m radius. The crowd is dense (a unit
//! each 0.8 m², in perturbed rows, so that most touch another), dense with places assigned at random, or
//! spread over the whole kilometre, where hardly any unit touches another. The dense crowd is also measured
//! with a prop near every sector, so that the support of each unit is checked. Times are per unit and tick:
//! sorting, pushing, checking where a push leads. Slots do not determine places.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Random, criterion, place, pool, rolling, size, sure};
use marchland_controller::{Body, Separation, SeparationSettings, Spawn, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::MeshSource;
use marchland_terrain::{LiveProp, LiveProps, ResidentSectors};
use marchland_worlds::shapes::loaded;

/// Metres between neighbours of a dense crowd: 0.8 m² for each.
const SPACING: f64 = 0.894_427;

/// How units are distributed.
#[derive(Clone, Copy)]
enum Stand {
    Dense,
    Random,
    Sparse,
}

fn crowd(world: &ResidentSectors, count: usize, stand: Stand) -> Units {
    let mut random = Random::new(5);
    let along = (count as f64).sqrt().ceil() as usize;
    let side = along as f64 * SPACING;
    let mut places: Vec<_> = (0..count)
        .map(|unit| match stand {
            Stand::Dense => [unit % along, unit / along]
                .map(|number| 20.0 + number as f64 * SPACING + random.between(-0.2, 0.2)),
            Stand::Random => [(); 2].map(|()| random.between(20.0, 20.0 + side)),
            Stand::Sparse => [(); 2].map(|()| random.between(20.0, size(1000.0, 490.0))),
        })
        .collect();
    for last in (1..count).rev() {
        places.swap(last, random.between(0.0, last as f64 + 1.0) as usize);
    }
    let mut units = Units::new(world.grid().sector_size());
    let body = sure(units.add_body(Body::default()));
    for [x, z] in places {
        sure(units.spawn(Spawn::standing(place(world.view(), x, z, 0.0), body)));
    }
    units
}

/// A small level prop every 100 m.
fn stones(world: &ResidentSectors) -> LiveProps {
    let corner = |x: f32, z: f32| Vec3::new(x, 0.2, z);
    let vertices = vec![corner(0.0, 0.0), corner(0.0, 0.5), corner(0.5, 0.0)];
    let mesh = sure(loaded(&MeshSource { vertices, triangles: vec![[0, 1, 2]] }));
    let mut live = LiveProps::new(world.grid().sector_size());
    let across = (size(1000.0, 490.0) / 100.0) as usize;
    for stone in 0..across * across {
        let [x, z] = [stone % across, stone / across].map(|number| 50.0 + number as f64 * 100.0);
        sure(live.add(LiveProp::new(mesh.clone(), place(world.view(), x, z, 0.0))));
    }
    live
}

fn separation(c: &mut Criterion) {
    let world = rolling(4);
    let live = stones(&world);
    let mut group = c.benchmark_group("separation");
    group.sample_size(20);
    let count = size(100_000, 1000);
    for (threads, road) in [(1, "1_thread"), (2, "2_threads")] {
        let pool = pool(threads);
        let (bare, among_props) = (world.view(), world.view().with_live(&live));
        let stands = [
            ("dense", Stand::Dense, bare),
            ("dense_among_props", Stand::Dense, among_props),
            ("random", Stand::Random, bare),
            ("sparse", Stand::Sparse, bare),
        ];
        for (name, stand, view) in stands {
            let units = crowd(&world, count, stand);
            let wishes = vec![Wish::STAND; units.slots()];
            let mut separation = sure(Separation::new(SeparationSettings::default()));
            let mut push = || {
                let asked = separation.push(view, &units, &wishes, 1.0 / 60.0);
                let moved = asked.is_ok_and(|asked| asked.iter().any(|wish| *wish != Wish::STAND));
                assert!(moved, "nobody is pushed");
            };
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(road, name), |b| {
                pool.install(|| b.iter(&mut push));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = separation }
criterion_main!(benches);
