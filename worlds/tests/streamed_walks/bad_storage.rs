//! Storage that fails every third read, takes a second for each, or vanishes under the running process.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use marchland_controller::TickMode;
use marchland_terrain::World;
use marchland_terrain::store::{DiskStorage, FilePlace, Storage, StoredFile};
use marchland_terrain::stream::{StreamSettings, Streamer};

use crate::late::{Clock, LateLoader};
use crate::march::{March, TICK, bake};

/// A disk that refuses one file of so many.
#[derive(Debug)]
struct FlakyStorage {
    disk: DiskStorage,
    opened: AtomicU64,
    fails_every: Option<u64>,
}

impl Storage for FlakyStorage {
    fn full_path(&self, path: &str) -> PathBuf {
        self.disk.full_path(path)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.disk.create_folder(path)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_new(path, bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.disk.sync_file(path)
    }

    fn sync_folder(&self, path: &str) -> io::Result<()> {
        self.disk.sync_folder(path)
    }

    fn sync_all(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        self.disk.sync_all(files, folders)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        let opened = self.opened.fetch_add(1, Ordering::Relaxed);
        let is_file = path.contains('/');
        if is_file && self.fails_every.is_some_and(|every| opened.is_multiple_of(every)) {
            return Err(io::Error::other("the disk says no"));
        }
        self.disk.open(path)
    }

    fn open_lock(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        self.disk.open_lock(path)
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        self.disk.len_bytes(path)
    }

    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        self.disk.place(path)
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        self.disk.list(path)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.disk.remove_file(path)
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        self.disk.remove_folder(path)
    }
}

/// What goes wrong, and when.
struct Trouble {
    latency: Duration,
    fails_every: Option<u64>,
    /// Ticks in which the folder is not where it was.
    vanishes: std::ops::Range<u64>,
}

const NEVER: std::ops::Range<u64> = 0..0;

#[test]
fn ticks_go_on_and_nobody_is_below_the_ground_in_a_million_unit_ticks() {
    let troubles = [
        Trouble { latency: Duration::from_secs(1), fails_every: None, vanishes: NEVER },
        Trouble { latency: Duration::from_millis(40), fails_every: Some(3), vanishes: NEVER },
        Trouble { latency: Duration::from_millis(40), fails_every: None, vanishes: 200..900 },
    ];
    let mut unit_ticks = 0;
    for trouble in &troubles {
        unit_ticks += march_through(trouble);
    }
    assert!(unit_ticks >= 1_000_000, "{unit_ticks}");
}

fn march_through(trouble: &Trouble) -> u64 {
    const UNITS: u32 = 360;
    const TICKS: u64 = 1900;
    let home = tempfile::tempdir().unwrap();
    let (folder, away) = (home.path().join("wide.world"), home.path().join("away"));
    bake(&folder);
    let disk = DiskStorage::new(&folder);
    let fails_every = trouble.fails_every;
    let storage = FlakyStorage { disk, opened: AtomicU64::new(0), fails_every };
    let world = World::open_on(Arc::new(storage)).unwrap();
    let mut whole = World::open(&folder).unwrap();
    whole.load_all().unwrap();
    let clock = Clock::default();
    // Not all of the world fits, so sectors come and go.
    let settings = StreamSettings {
        budget_bytes: whole.info().sector_bytes * 3 / 4,
        loads_in_flight: 16,
        ..StreamSettings::default()
    };
    let loader = LateLoader::new(&clock, trouble.latency);
    let mut streamer = Streamer::with_loader(world, settings, Box::new(loader));
    let mut march = March::new(UNITS, TickMode::Hold);
    for tick in 0..TICKS {
        if tick == trouble.vanishes.start && !trouble.vanishes.is_empty() {
            std::fs::rename(&folder, &away).unwrap();
        }
        if tick == trouble.vanishes.end && !trouble.vanishes.is_empty() {
            std::fs::rename(&away, &folder).unwrap();
        }
        march.want(&mut streamer);
        streamer.update(clock.pass(TICK));
        assert!(march.tick(streamer.view()), "a tick in hold mode always runs");
        march.assert_above_ground(streamer.view());
        if tick.is_multiple_of(100) {
            march.assert_free(whole.resident());
        }
    }
    let stats = *streamer.stats();
    assert!(march.held > 1000, "nobody waited: {stats:?}");
    assert_eq!(
        stats.failures > 0,
        fails_every.is_some() || !trouble.vanishes.is_empty(),
        "{stats:?}"
    );
    // Between two plans a sector more for every load in flight, and that is less than all of them.
    let bytes = whole.records().map(|record| {
        let sector = whole.files().read(&record.unwrap()).unwrap();
        let meshes = sector.meshes().iter().map(|mesh| mesh.len_bytes()).sum::<usize>();
        (sector.len_bytes() + meshes) as u64
    });
    let most = settings.budget_bytes + settings.loads_in_flight as u64 * bytes.max().unwrap();
    assert!(most < whole.info().sector_bytes, "all of the world fits");
    assert!(stats.resident_bytes_peak <= most, "{most}: {stats:?}");
    assert!(stats.resident_bytes <= settings.budget_bytes, "{stats:?}");
    // With everything in memory that they need, everybody goes on.
    let roomy = StreamSettings { budget_bytes: u64::MAX, ..settings };
    let world = World::open(&folder).unwrap();
    let loader = LateLoader::new(&clock, Duration::ZERO);
    let mut streamer = Streamer::with_loader(world, roomy, Box::new(loader));
    for _ in 0..60 {
        march.want(&mut streamer);
        streamer.update(clock.pass(TICK));
        march.tick(streamer.view());
        march.assert_above_ground(streamer.view());
    }
    assert_eq!(march.held_now(), 0, "held with all ground in memory: {:?}", streamer.stats());
    march.moved
}
