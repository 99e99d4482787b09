//! The cost of streaming for the thread that ticks: an update while nothing changes, and an update while the
//! source flies on and sectors come and go, all of them read between two updates. For the loader's threads:
//! the time until ground that was on the disk is in memory, checked and in the view. Sectors are 64 m wide
//! with cells of 1 m. After the first run their files are in the system's page cache, so no disk is measured.

#![allow(missing_docs, reason = "criterion's macros")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{criterion, is_measured, size, sure};
use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;
use marchland_terrain::store::{BakeRecord, World, WorldFacts, WorldWriter};
use marchland_terrain::stream::{
    Done, Interest, InterestId, Job, Loader, StreamSettings, Streamer,
};
use marchland_worlds::scene;
use marchland_worlds::terrain::{baked_files, grid_of, plain};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const CELLS: usize = 64;
/// Metres around a source in which sectors are wanted.
const RADIUS: f32 = 200.0;
/// Seconds between two updates.
const DT: f64 = 1.0 / 60.0;
/// Metres per second: fast enough for a new row of sectors every third of a second.
const SPEED: f64 = 200.0;
/// Sectors for which there is room: more than are wanted at that speed, 2 s ahead of the source, and
/// half of those that it flies over.
const ROOM: u64 = 128;
/// Longest time that a start may take.
const START: Duration = Duration::from_secs(60);

fn streaming(c: &mut Criterion) {
    let folder = sure(tempfile::tempdir());
    let sectors = size(48, 16);
    sure(write_world(folder.path(), sectors));
    let side = (sectors * CELLS) as f64;
    updates(c, folder.path(), side);
    starts(c, folder.path(), side);
}

fn updates(c: &mut Criterion, folder: &Path, side: f64) {
    let mut group = c.benchmark_group("stream/update");
    for (name, speed) in [("nothing_changes", 0.0), ("at_200_m_s", SPEED)] {
        let mut flight = sure(Flight::begin(folder, side, speed));
        let begun = *flight.streamer.stats();
        group.bench_function(name, |b| {
            b.iter_custom(|iterations| (0..iterations).map(|_| flight.update()).sum());
        });
        let stats = flight.streamer.stats();
        assert_eq!(stats.failures, 0, "{stats:?}");
        let (came, went) = (stats.loads - begun.loads, stats.evictions - begun.evictions);
        if speed == 0.0 {
            assert_eq!((came, went), (0, 0), "{stats:?}");
        } else if is_measured() {
            assert!(came > ROOM && went > ROOM, "{came} came, {went} went: {stats:?}");
        }
    }
    group.finish();
}

fn starts(c: &mut Criterion, folder: &Path, side: f64) {
    let mut group = c.benchmark_group("stream/ready");
    let ready = |mut streamer: Streamer| {
        let here = place(&streamer, side / 2.0, side / 2.0);
        sure(streamer.ensure_ready(here, RADIUS, START));
        streamer
    };
    let begin = || sure(streamer(folder));
    let resident = ready(begin()).stats().resident;
    group.sample_size(20).throughput(Throughput::Elements(resident as u64));
    group.bench_function("sectors", |b| b.iter_batched(begin, ready, BatchSize::PerIteration));
    group.finish();
}

/// A source that flies back and forth over the middle of the world.
struct Flight {
    streamer: Streamer,
    reader: Reader,
    source: InterestId,
    side: f64,
    speed: f64,
    seconds: f64,
}

impl Flight {
    fn begin(folder: &Path, side: f64, speed: f64) -> Result<Self, Failure> {
        let world = World::open(folder)?;
        let info = world.info();
        let budget_bytes = info.sector_bytes / info.sectors * ROOM;
        let settings = StreamSettings { loads_in_flight: 2, budget_bytes, ..Default::default() };
        let reader = Reader::default();
        let mut streamer = Streamer::with_loader(world, settings, Box::new(reader.clone()));
        let here = place(&streamer, side / 2.0, side / 2.0);
        let source = streamer.add_interest(Interest::new(here, RADIUS))?;
        streamer.ensure_ready(here, RADIUS, START)?;
        Ok(Self { streamer, reader, source, side, speed, seconds: 0.0 })
    }

    /// The time of the update; the sectors that it requests are read afterwards.
    fn update(&mut self) -> Duration {
        self.seconds += DT;
        // From a quarter of the world to three quarters and back, endlessly.
        let length = self.side / 2.0;
        let along = self.seconds * self.speed % (2.0 * length);
        let (away, sign) = if along < length { (along, 1.0) } else { (2.0 * length - along, -1.0) };
        let middle = self.side / 2.0;
        let x = if self.speed > 0.0 { self.side / 4.0 + away } else { middle };
        let velocity = Vec3::new((self.speed * sign) as f32, 0.0, 0.0);
        let here = place(&self.streamer, x, middle);
        let interest = Interest { velocity, ..Interest::new(here, RADIUS) };
        let start = Instant::now();
        sure(self.streamer.set_interest(self.source, interest));
        self.streamer.update(Duration::from_secs_f64(self.seconds));
        self.streamer.drain_events().for_each(drop);
        let took = start.elapsed();
        self.reader.read();
        took
    }
}

/// Reads only on request.
#[derive(Clone, Debug, Default)]
struct Reader(Arc<Mutex<(Vec<Job>, Vec<Done>)>>);

impl Reader {
    fn read(&self) {
        if let Ok(mut both) = self.0.lock() {
            let (jobs, done) = &mut *both;
            done.extend(jobs.drain(..).map(Job::run));
        }
    }
}

impl Loader for Reader {
    fn start(&mut self, job: Job) {
        if let Ok(mut both) = self.0.lock() {
            both.0.push(job);
        }
    }

    fn finished(&mut self) -> Option<Done> {
        self.0.lock().ok()?.1.pop()
    }

    fn wait(&mut self, _: Duration) -> Duration {
        self.read();
        Duration::ZERO
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
    sure(WorldPos::from_metres(x - half, 0.0, z - half, size))
}

/// Rolling hills, `sectors` sectors each way, as files.
fn write_world(folder: &Path, sectors: usize) -> Result<(), Failure> {
    let grid = grid_of(1.0, CELLS as u32)?;
    let samples = sectors * CELLS + 1;
    let (input, settings) = plain(scene::rolling(samples, samples, 1.0, 3), 1.0, grid);
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
