//! The cost of following, compared with the limit set by memory: units at random places with random
//! headings, 5 m/s at 60 Hz, on rolling ground with cells of 1 m.
//!
//! ```text
//! cargo run --release -p marchland-benches --example following [UNITS,…] [SECTORS ALONG] [THREADS,…] [any]
//! ```
//!
//! Units are spawned at once, so that neighbours have adjacent slots; with `any`, one by one.
//!
//! The world is written to the folder for temporary files and read back twice: copied, in the large pages that Linux
//! grants (the share is printed; for the rest of the memory none are asked for), and mapped. With more than 32 sectors
//! along, all have the same hills, each in its own memory.
//!
//! The lower limit is the bytes of a unit and the cache lines of samples that a tick must touch, divided by
//! the bandwidth of reading and rewriting as many bytes in the same run, on as many threads.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use marchland_benches::followers::{Followers, Order};
use marchland_benches::pool;
use marchland_controller::{Batch, TickSettings};
use marchland_terrain::bake::BAKE_VERSION;
use marchland_terrain::format::encode;
use marchland_terrain::math::greater;
use marchland_terrain::store::{BakeRecord, StoreError, WorldFacts, WorldWriter};
use marchland_terrain::{ResidentSectors, SectorCoord, SectorData, World};
use marchland_worlds::scene::rolling_height;
use marchland_worlds::terrain::{grid_of, repeating_sector};
use rayon::prelude::*;

/// Metres per second.
const SPEED: f32 = 5.0;

/// With more sectors along than this, different hills for each would take a minute to compute.
const SLOW_ALONG: i32 = 32;

/// Read for a unit within its cell in each tick: place, velocity, wish, corners of its cell.
const READ_BYTES: f64 = 12.0 + 12.0 + 12.0 + 16.0;

/// Written: its place.
const WRITTEN_BYTES: f64 = 12.0;

/// Transferred for a unit that enters a different cell: two lines of samples, and its corners and home, which
/// are in separate lines.
const CROSSING_BYTES: f64 = 2.0 * 64.0 + 2.0 * 16.0 + 4.0;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let mut list = |default: &str| -> Vec<usize> {
        let given = args.next().unwrap_or_else(|| default.to_owned());
        given.split(',').filter_map(|part| part.parse().ok()).collect()
    };
    let counts = list("10000,100000,1000000,10000000");
    let along = list("11").first().copied().unwrap_or(11);
    let threads = list("1,2");
    let order = if std::env::args().any(|arg| arg == "any") { Order::Any } else { Order::Near };
    let folder = tempfile::tempdir()?;
    write_world(folder.path(), u16::try_from(along)?)?;
    for name in ["copied", "mapped"] {
        let mut world =
            if name == "copied" { World::open(folder.path()) } else { mapped(&folder) }?;
        let before = large_pages_mib();
        world.load_all()?;
        let mib = world.info().sector_bytes as f64 / 1_048_576.0;
        let granted = large_pages_mib() - before;
        println!(
            "{along} x {along} sectors of 256 m, {mib:.0} MiB {name}, large pages for {granted:.0} MiB; ns for a unit \
             and tick"
        );
        println!(
            "| units | threads | median | best | GB/s | floor | best / floor | median / floor |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for &count in &counts {
            measure(world.resident(), (count, order), &threads);
        }
    }
    Ok(())
}

/// Prints a line for each number of threads.
fn measure(world: &ResidentSectors, (count, order): (usize, Order), threads: &[usize]) {
    let mut scene = Scene::new(world, count, order);
    for &threads in threads {
        let pool = pool(threads);
        let times = pool.install(|| scene.run(world));
        let bandwidth = pool.install(|| bandwidth(count, threads));
        let floor = bytes() / bandwidth;
        let (median, best) = (times[times.len() / 2], times[0]);
        println!(
            "| {count} | {threads} | {median:.2} | {best:.2} | {bandwidth:.1} | {floor:.2} | {:.2} | {:.2} |",
            best / floor,
            median / floor
        );
    }
}

/// Writes sectors of 256 m with cells of 1 m.
fn write_world(folder: &Path, along: u16) -> Result<(), Failure> {
    let grid = grid_of(1.0, 256)?;
    let side = f64::from(grid.sector_size().metres());
    let along = i32::from(along);
    let same = repeating_sector(1.0, 256, 2, 20.0, 3)?;
    let writer = WorldWriter::begin(folder)?;
    let coords: Vec<_> =
        (0..along).flat_map(|z| (0..along).map(move |x| SectorCoord::new(x, z))).collect();
    coords.par_iter().try_for_each(|&coord| -> Result<(), Failure> {
        if along > SLOW_ALONG {
            writer.put(&encode(coord, &same))?;
            return Ok(());
        }
        let [west, north] = [coord.x, coord.z].map(|at| (f64::from(at) + 0.5) * side);
        let hills = SectorData::from_fn(grid, |x, z| rolling_height(west + x, north + z, 3))?;
        writer.put(&encode(coord, &hills))?;
        Ok(())
    })?;
    let facts = WorldFacts { grid, surface_names: vec!["ground".to_owned()] };
    let settings = format!("{along} x {along} sectors");
    writer.finish(
        &facts,
        &BakeRecord { bake_version: BAKE_VERSION, sources: Vec::new(), settings },
    )?;
    Ok(())
}

#[allow(unsafe_code)]
fn mapped(folder: &tempfile::TempDir) -> Result<World, StoreError> {
    // SAFETY: `open_mapped` asks that nobody writes to the files or shortens them: the folder is this process's own, and
    // nothing writes to it any more.
    unsafe { World::open_mapped(folder.path()) }
}

/// What this process has in large pages, where the system reports. MiB.
fn large_pages_mib() -> f64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("AnonHugePages:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Bytes transferred per unit and tick.
fn bytes() -> f64 {
    // The mean of |cos| and |sin| over all headings is 2/π.
    let crossings = f64::from(SPEED) / 60.0 * 2.0 * 2.0 / std::f64::consts::PI;
    READ_BYTES + WRITTEN_BYTES + crossings * CROSSING_BYTES
}

struct Scene {
    followers: Followers,
    batch: Batch,
    tick: usize,
}

impl Scene {
    fn new(world: &ResidentSectors, count: usize, order: Order) -> Self {
        Self { followers: Followers::new(world, count, order), batch: Batch::new(), tick: 0 }
    }

    /// Nanoseconds per unit, sorted.
    fn run(&mut self, world: &ResidentSectors) -> Vec<f64> {
        let settings = TickSettings::at_rate(60.0);
        let count = self.followers.units.len();
        let ticks = (60_000_000 / count).clamp(24, 600);
        let mut times = Vec::with_capacity(ticks);
        for tick in 0..ticks + 3 {
            let (units, wishes) = self.followers.steer(self.tick);
            self.tick += 1;
            let start = Instant::now();
            let report = self.batch.tick(world.view(), units, wishes, &settings);
            let time = start.elapsed().as_nanos() as f64 / count as f64;
            assert!(report.is_ok_and(|report| report.ticked == count), "every unit moves");
            if tick >= 3 {
                times.push(time); // the first ones draw maps
            }
        }
        times.sort_by(f64::total_cmp);
        times
    }
}

/// Bytes transferred in a nanosecond when as many are read and as many rewritten as in a tick of `count`
/// units. Access is sequential with many sums at a time, so that only memory limits the speed. The best of
/// some runs.
fn bandwidth(count: usize, threads: usize) -> f64 {
    const SUMS: usize = 64;
    let kept = vec![1.0_f32; (READ_BYTES - WRITTEN_BYTES) as usize / 4 * count];
    let mut written = vec![1.0_f32; WRITTEN_BYTES as usize / 4 * count];
    let each = |(kept, written): (&[f32], &mut [f32])| {
        let mut sums = [0.0_f32; SUMS];
        for block in kept.as_chunks::<SUMS>().0 {
            for (sum, value) in sums.iter_mut().zip(block) {
                *sum += value;
            }
        }
        for value in &mut *written {
            *value += 1.0;
        }
        black_box(sums);
    };
    let mut best = 0.0_f64;
    for _ in 0..(60_000_000 / count).clamp(8, 100) {
        let start = Instant::now();
        let (most, least) = (kept.len().div_ceil(threads), written.len().div_ceil(threads));
        kept.par_chunks(most).zip(written.par_chunks_mut(least)).for_each(each);
        black_box(&mut written);
        let bytes = (READ_BYTES + WRITTEN_BYTES) * count as f64;
        let rate = bytes / start.elapsed().as_nanos() as f64;
        best = greater(rate, best);
    }
    best
}
