//! What streaming costs the thread that ticks: an update while nothing changes, an update while the
//! source flies on and sectors come and go, and, for its loader's threads, the time until ground that was
//! on the disk is in memory, checked and in the view. Sectors of 64 m with cells of 1 m; their files are
//! in the system's memory after the first run, so that no disk is measured.

#![allow(missing_docs, reason = "criterion's macros")]

use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{criterion, size};
use marchland_terrain::WorldPos;
use marchland_terrain::bake::{BakeInput, VoidPolicy};
use marchland_terrain::glam::Vec3;
use marchland_terrain::store::{BakeRecord, World, WorldFacts, WorldWriter};
use marchland_terrain::stream::{Interest, InterestId, StreamSettings, Streamer};
use marchland_worlds::source::Heights;
use marchland_worlds::terrain::{bake_settings, baked_files, grid_of};
use marchland_worlds::{grid, scene};

type Failure = Box<dyn std::error::Error>;

const CELLS: usize = 64;
/// Metres around a source in which sectors are wanted.
const RADIUS: f32 = 200.0;
/// Seconds between two updates.
const DT: f64 = 1.0 / 60.0;
/// Metres per second: fast enough for a new row of sectors every third of a second.
const SPEED: f64 = 200.0;
/// How long a start may take.
const START: Duration = Duration::from_secs(60);

fn streaming(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| unreachable!("{error}"));
    let sectors = size(48, 16);
    write_world(folder.path(), sectors).unwrap_or_else(|error| unreachable!("{error}"));
    let side = (sectors * CELLS) as f64;
    updates(c, folder.path(), side);
    starts(c, folder.path(), side);
}

fn updates(c: &mut Criterion, folder: &Path, side: f64) {
    let mut group = c.benchmark_group("stream/update");
    for (name, speed) in [("nothing_changes", 0.0), ("at_200_m_s", SPEED)] {
        let mut flight = Flight::begin(folder, side, speed).unwrap_or_else(|e| unreachable!("{e}"));
        group.bench_function(name, |b| b.iter(|| flight.update()));
        let stats = flight.streamer.stats();
        assert_eq!(stats.failures, 0, "{stats:?}");
    }
    group.finish();
}

fn starts(c: &mut Criterion, folder: &Path, side: f64) {
    let mut group = c.benchmark_group("stream/ready");
    let ready = |mut streamer: Streamer| {
        let here = place(&streamer, side / 2.0, side / 2.0);
        let ready = streamer.ensure_ready(here, RADIUS, START);
        assert!(ready.is_ok(), "{ready:?}");
        streamer
    };
    let begin = || streamer(folder).unwrap_or_else(|error| unreachable!("{error}"));
    let resident = ready(begin()).stats().resident;
    group.sample_size(20).throughput(Throughput::Elements(resident as u64));
    group.bench_function("sectors", |b| b.iter_batched(begin, ready, BatchSize::PerIteration));
    group.finish();
}

/// A source that goes to and fro over the middle of the world.
struct Flight {
    streamer: Streamer,
    source: InterestId,
    side: f64,
    speed: f64,
    seconds: f64,
}

impl Flight {
    fn begin(folder: &Path, side: f64, speed: f64) -> Result<Self, Failure> {
        let mut streamer = streamer(folder)?;
        let here = place(&streamer, side / 2.0, side / 2.0);
        let source = streamer.add_interest(Interest::new(here, RADIUS))?;
        streamer.ensure_ready(here, RADIUS, START)?;
        Ok(Self { streamer, source, side, speed, seconds: 0.0 })
    }

    fn update(&mut self) {
        self.seconds += DT;
        // From a quarter of the world to three quarters and back, for ever.
        let length = self.side / 2.0;
        let along = self.seconds * self.speed % (2.0 * length);
        let (away, sign) = if along < length { (along, 1.0) } else { (2.0 * length - along, -1.0) };
        let middle = self.side / 2.0;
        let x = if self.speed > 0.0 { self.side / 4.0 + away } else { middle };
        let velocity = Vec3::new((self.speed * sign) as f32, 0.0, 0.0);
        let here = place(&self.streamer, x, middle);
        let interest = Interest { velocity, ..Interest::new(here, RADIUS) };
        let moved = self.streamer.set_interest(self.source, interest);
        assert!(moved.is_ok(), "{moved:?}");
        self.streamer.update(Duration::from_secs_f64(self.seconds));
        self.streamer.drain_events().for_each(drop);
    }
}

fn streamer(folder: &Path) -> Result<Streamer, Failure> {
    let settings = StreamSettings { loads_in_flight: 2, ..StreamSettings::default() };
    Ok(Streamer::new(World::open(folder)?, settings)?)
}

/// At metres from the world's low corner.
fn place(streamer: &Streamer, x: f64, z: f64) -> WorldPos {
    let size = streamer.info().facts.grid.sector_size();
    let half = f64::from(size.half());
    let place = WorldPos::from_metres(x - half, 0.0, z - half, size);
    place.unwrap_or_else(|error| unreachable!("{error}"))
}

/// Rolling hills, so many sectors each way, as files.
fn write_world(folder: &Path, sectors: usize) -> Result<(), Failure> {
    let grid = grid_of(1.0, CELLS as u32)?;
    let samples = sectors * CELLS + 1;
    let heights: grid::Grid<f64> = scene::rolling(samples, samples, 1.0, 3);
    let input = BakeInput {
        heights: Box::new(Heights::new(heights)),
        holes: None,
        surfaces: None,
        outside: Vec::new(),
    };
    let settings = bake_settings(grid, 1.0, VoidPolicy::Hole);
    let writer = WorldWriter::begin(folder)?;
    for file in baked_files(input, &settings)? {
        writer.put(&file)?;
    }
    let facts = WorldFacts { grid, surface_names: vec!["ground".into()] };
    let record = BakeRecord { bake_version: 1, sources: Vec::new(), settings: String::new() };
    writer.finish(&facts, &record)?;
    Ok(())
}

criterion_group! { name = benches; config = criterion(); targets = streaming }
criterion_main!(benches);
