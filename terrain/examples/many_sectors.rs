//! A world of very many small sectors, and how long it takes to open it and to load from it.
//!
//! ```text
//! cargo run --release -p marchland-terrain --example many_sectors -- write DIR [SIDE]
//! cargo run --release -p marchland-terrain --example many_sectors -- pack DIR OUT
//! cargo run --release -p marchland-terrain --example many_sectors -- unpack DIR OUT
//! cargo run --release -p marchland-terrain --example many_sectors -- read DIR [warm|cold]
//! ```
//!
//! `SIDE` is 1000 by default: a million sectors of 8 × 8 cells. `cold` asks the system to drop its
//! cached copy of the manifest before each opening, and of the sector's file before each load; its
//! caches of folders and names stay. The figures are in `benches/RESULTS.md`.
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::time::{Duration, Instant};

#[cfg(all(unix, feature = "memmap2"))]
use marchland_random::Random;
use marchland_terrain::format::encode;
use marchland_terrain::store::{self, BakeRecord, WorldFacts, WorldWriter};
#[cfg(all(unix, feature = "memmap2"))]
use marchland_terrain::store::{DiskStorage, Storage, World};
use marchland_terrain::{CellKind, Grid, SectorCoord, SectorData};
use rayon::prelude::*;

const CELLS: i32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let began = Instant::now();
    match words.as_slice() {
        ["write", folder] => write(folder, 1000),
        ["write", folder, side] => write(folder, side.parse()?),
        ["pack", folder, out] => copied(&store::pack(folder, out, &mut |_| ())?, began),
        ["unpack", folder, out] => copied(&store::unpack(folder, out, &mut |_| ())?, began),
        ["read", folder, rest @ ..] => read(folder, rest.contains(&"cold")),
        _ => Err("write DIR [SIDE], pack DIR OUT, unpack DIR OUT, or read DIR [warm|cold]".into()),
    }
}

fn copied(report: &store::PackReport, began: Instant) -> Result<(), Box<dyn Error>> {
    println!("{} files written in {:.1} s", report.written, began.elapsed().as_secs_f64());
    Ok(())
}

fn write(folder: &str, side: i32) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let grid = Grid::new(1.0, f64::from(CELLS), 1.0 / 256.0)?;
    let writer = WorldWriter::begin(folder)?;
    let (low, high) = (-side / 2, side - side / 2);
    // Blocks of rows, so that folders are filled one after the other.
    let rows: Vec<i32> = (low..high).collect();
    for band in rows.chunks(32) {
        let put = |x: i32| {
            band.iter().try_for_each(|&z| {
                let is_inside = |x, z| (low..high).contains(&x) && (low..high).contains(&z);
                let (data, coord) = (sector(grid, x, z, is_inside), SectorCoord::new(x, z));
                writer.put(&encode(coord, &data)).map(|_| ())
            })
        };
        (low..high).into_par_iter().try_for_each(put)?;
    }
    println!("written in {:.1} s", began.elapsed().as_secs_f64());
    let facts = WorldFacts { grid, surface_names: vec!["ground".into()] };
    writer.finish(&facts, &BakeRecord::default())?;
    println!("published after {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Rolling ground that is the same on both sides of borders, and different in every sector.
#[allow(clippy::unwrap_used)]
fn sector(grid: Grid, x: i32, z: i32, is_inside: impl Fn(i32, i32) -> bool) -> SectorData {
    let origin = [x, z].map(|at| f64::from(at * CELLS));
    let height = |east: f64, south: f64| {
        let (east, south) = (east + origin[0], south + origin[1]);
        let wave = |along: f64, length: f64| ((along / length).fract() - 0.5).abs();
        80.0 * wave(east, 1024.0) + 20.0 * wave(south, 300.0) + 0.001 * east + 0.0003 * south
    };
    let beside = |index: i32| i32::from(index == CELLS + 1) - i32::from(index == 0);
    let along = CELLS + 2;
    let kinds = (0..along * along)
        .map(|index| match is_inside(x + beside(index % along), z + beside(index / along)) {
            true => CellKind::Solid,
            false => CellKind::Outside,
        })
        .collect();
    SectorData::from_fn(grid, height).unwrap().with_kinds(kinds).unwrap()
}

#[cfg(all(unix, feature = "memmap2"))]
fn read(folder: &str, is_cold: bool) -> Result<(), Box<dyn Error>> {
    let storage = DiskStorage::new(folder);
    let open = || World::open(folder);
    let world = open()?;
    let bounds = world.info().bounds.ok_or("a world without sectors")?;
    let mut random = Random::new(1);
    let mut anywhere = || {
        let x = random.whole(bounds.min.x, bounds.max.x);
        SectorCoord::new(x, random.whole(bounds.min.z, bounds.max.z))
    };
    let forget = |coord| -> Result<(), Box<dyn Error>> {
        if is_cold {
            for place in places_of(&storage, &world, coord)? {
                let file = std::fs::File::open(place)?;
                rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
            }
        }
        Ok(())
    };
    let (mut opens, mut firsts, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..21 {
        let coord = anywhere();
        forget(coord)?;
        let began = Instant::now();
        let mut world = open()?;
        opens.push(began.elapsed());
        let began = Instant::now();
        world.load(coord)?;
        firsts.push(began.elapsed());
    }
    let mut opened = open()?;
    for _ in 0..2000 {
        let coord = anywhere();
        forget(coord)?;
        let began = Instant::now();
        opened.load(coord)?;
        others.push(began.elapsed());
    }
    let mut near = Vec::new();
    let mut opened = open()?;
    let corner = anywhere();
    for index in 0..4096 {
        let coord = SectorCoord::new(corner.x / 2 + index % 64, corner.z / 2 + index / 64);
        let began = Instant::now();
        opened.load(coord)?;
        near.push(began.elapsed());
    }
    for (what, times) in [
        ("open", opens),
        ("first load", firsts),
        ("loads anywhere", others),
        ("loads side by side", near),
    ] {
        tell(what, times);
    }
    Ok(())
}

/// The files that a load of a sector reads.
#[cfg(all(unix, feature = "memmap2"))]
fn places_of(
    storage: &DiskStorage,
    world: &World,
    coord: SectorCoord,
) -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
    let manifest = storage.full_path(&format!("manifest-{:010}", world.generation()));
    let record = world.files().find(coord)?.ok_or("no such sector")?;
    let block = format!("sectors/{:+04}_{:+04}", coord.x >> 5, coord.z >> 5);
    let hash = (record.content_hash >> 64) as u64;
    let file = format!("{block}/{:+04}_{:+04}-{hash:016x}.sector", coord.x, coord.z);
    let mut places = vec![manifest];
    for path in [file, format!("{block}.pack")] {
        if storage.len_bytes(&path)?.is_some() {
            places.push(storage.full_path(&path));
        }
    }
    Ok(places)
}

#[cfg(not(all(unix, feature = "memmap2")))]
fn read(_: &str, _: bool) -> Result<(), Box<dyn Error>> {
    let _ = tell;
    Err("reading is measured on Unix only".into())
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e6;
    println!(
        "{what:20} median {:8.1} us, 95 % {:8.1} us, longest {:8.1} us, of {}",
        at(50),
        at(95),
        at(100),
        times.len()
    );
}
