//! Worlds larger than memory: sectors are loaded and evicted as things move over them.
//!
//! ```text
//! sources ──▶ plan ──▶ table: new → located → loading → arrived → resident ──▶ view, for a tick
//!                              │        ▲ │        ▲
//!                              ▼        │ ▼        │
//!                             jobs ──▶ loader threads: look up, map or read, prefault, check, free
//! ```
//!
//! A [`Streamer`] replaces a [`World`] whose sectors are loaded manually. It is [updated](Streamer::update)
//! between two ticks: it collects the results of its threads, brings sectors into the view, takes others out,
//! and starts new jobs. It waits for nothing while it does; the tick borrows a [view](Streamer::view) that
//! does not change.
//!
//! `wanted` says which sectors, `plan` in which order; `evict` says whether the budget has room for one, by what
//! `ledger` counts, and makes it; `start_jobs` begins what it lets in; `take_results` collects, `publish` shows it.

mod ensure;
mod evict;
mod interest;
mod ledger;
mod loader;
mod plan;
mod publish;
mod reload;
mod report;
mod settings;
mod start_jobs;
mod sync;
mod table;
mod take_results;
mod threads;
mod wanted;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use ensure::NotReady;
pub use interest::{Crowd, Interest, InterestError, InterestId};
pub use loader::{Done, Job, Loader};
pub use report::{StreamEvent, StreamStats};
pub use settings::StreamSettings;
pub use threads::ThreadLoader;

use crate::format::LoadedSector;
use crate::math::{SectorCoord, clamp, lesser};
use crate::resident::ResidentSectors;
use crate::store::{World, WorldFiles, WorldInfo};
use crate::view::TerrainView;
use interest::{Interests, tidy};
use ledger::Ledger;
use loader::{OwnLoader, Task};
use plan::Plan;
use table::{Slot, State, Table};
use wanted::{Rank, Want};

/// A world of which the wanted sectors are in memory, within a budget. It is [`Send`] and [`Sync`], whatever
/// its loader is.
///
/// ```no_run
/// use std::time::{Duration, Instant};
/// use marchland_terrain::stream::{Interest, StreamSettings, Streamer};
/// use marchland_terrain::{SectorCoord, World, WorldPos, glam::Vec3};
///
/// let world = World::open("hills.world")?;
/// let size = world.info().facts.grid.sector_size();
/// let mut streamer = Streamer::new(world, StreamSettings::default())?;
/// let camp = WorldPos::new(SectorCoord::new(3, -1), Vec3::ZERO, size)?;
/// let camera = streamer.add_interest(Interest::new(camp, 1500.0))?;
/// streamer.ensure_ready(camp, 200.0, Duration::from_secs(10))?; // behind a loading screen
/// let begun = Instant::now();
/// loop {
///     let moved = Interest { velocity: Vec3::new(40.0, 0.0, 0.0), ..Interest::new(camp, 1500.0) };
///     streamer.set_interest(camera, moved)?;
///     streamer.update(begun.elapsed());
///     let view = streamer.view(); // for the tick
/// #   let _ = view; break;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Streamer {
    settings: StreamSettings,
    files: Arc<WorldFiles>,
    sectors: ResidentSectors,
    loader: OwnLoader,
    interests: Interests,
    crowds: Vec<Crowd>,
    crowd_radius: f32,
    table: Table,
    plan: Plan,
    ledger: Ledger,
    /// Bytes that loads in flight will bring, as far as known.
    reserved_bytes: u64,
    /// Bytes that may still be read; negative after a large sector.
    allowance: f64,
    is_locating: bool,
    is_reopening: bool,
    /// Sectors that left the view and go to a loading thread to be freed, and emptied lists that came back
    /// from there.
    leaving: Vec<Arc<LoadedSector>>,
    spare: Vec<Vec<Arc<LoadedSector>>>,
    spare_coords: Vec<SectorCoord>,
    /// The caller's clock at the last update, and the streamer's own time, which never goes back whatever the
    /// clock does.
    clock: Duration,
    now: Duration,
    stats: StreamStats,
    events: Vec<StreamEvent>,
}

impl Streamer {
    /// Streams a world with its own threads. Sectors that are already in memory stay there as long as there
    /// is room.
    ///
    /// # Errors
    /// If the system provides no thread.
    pub fn new(world: World, settings: StreamSettings) -> std::io::Result<Self> {
        let loader = ThreadLoader::new(settings.loads_in_flight)?;
        Ok(Self::with_loader(world, settings, Box::new(loader)))
    }

    /// Streams a world with a loader that runs its jobs.
    #[must_use]
    pub fn with_loader(world: World, settings: StreamSettings, loader: Box<dyn Loader>) -> Self {
        let World { files, sectors } = world;
        let mut streamer = Self {
            settings,
            files,
            sectors,
            loader: OwnLoader::new(loader),
            interests: Interests::default(),
            crowds: Vec::new(),
            crowd_radius: 0.0,
            table: Table::default(),
            plan: Plan::default(),
            ledger: Ledger::default(),
            reserved_bytes: 0,
            allowance: 0.0,
            is_locating: false,
            is_reopening: false,
            leaving: Vec::new(),
            spare: Vec::new(),
            spare_coords: Vec::new(),
            clock: Duration::ZERO,
            now: Duration::ZERO,
            stats: StreamStats::default(),
            events: Vec::new(),
        };
        streamer.adopt_resident();
        streamer
    }

    /// Takes over the sectors that are already in memory.
    fn adopt_resident(&mut self) {
        // What a manually loaded world knew of places outside is valid for its generation alone, and for no
        // sector that leaves memory.
        let sectors = ResidentSectors::new_within(self.sectors.grid(), self.info().bounds);
        let by_hand = std::mem::replace(&mut self.sectors, sectors);
        for &coord in by_hand.resident() {
            let Some(sector) = by_hand.sector(coord) else { continue };
            self.ledger.add(sector);
            self.sectors.put(coord, sector.clone());
            let (rank, need) = (Rank::Stale, f32::INFINITY);
            let want = Want { coord, rank, need, is_occupied: false };
            self.table.insert(Slot { state: State::Resident, ..Slot::new(&want, Duration::ZERO) });
        }
        let sectors =
            plan::worth_wanting(self.info(), &self.settings).min(self.info().sectors) as usize;
        self.sectors.reserve(sectors);
        self.table.reserve(sectors);
        self.note_memory();
    }

    /// Information about the whole world.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        self.files.info()
    }

    /// The generation that is open.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.files.generation()
    }

    /// The view that a tick or a query borrows. It changes only in [`update`](Self::update) and
    /// [`ensure_ready`](Self::ensure_ready).
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.sectors.view()
    }

    /// The sectors in the view.
    #[must_use]
    pub fn resident(&self) -> &ResidentSectors {
        &self.sectors
    }

    /// Adds a source.
    ///
    /// # Errors
    /// If a value is not finite, the radius is negative or the weight not above 0.
    pub fn add_interest(&mut self, interest: Interest) -> Result<InterestId, InterestError> {
        interest.check()?;
        Ok(self.interests.add(interest))
    }

    /// Moves a source, or changes its other values.
    ///
    /// # Errors
    /// As [`add_interest`](Self::add_interest), and if there is no source of that id.
    pub fn set_interest(
        &mut self,
        id: InterestId,
        interest: Interest,
    ) -> Result<(), InterestError> {
        interest.check()?;
        let old = self.interests.get_mut(id)?;
        let is_another = (old.radius, old.weight, old.pinned)
            != (interest.radius, interest.weight, interest.pinned);
        *old = interest;
        self.interests.version += u64::from(is_another);
        Ok(())
    }

    /// Removes a source.
    ///
    /// # Errors
    /// If there is no source of that id.
    pub fn remove_interest(&mut self, id: InterestId) -> Result<(), InterestError> {
        self.interests.remove(id)
    }

    /// Adds crowds of units as sources beside those that were added, replacing the crowds of the last call.
    /// Every sector within `radius` metres of where a unit of a crowd may be in the time of look-ahead is
    /// wanted. If a crowd is on a sector that was not wanted before, as after a teleport, the next update
    /// takes it into account; other changes are taken into account by an update within a quarter of a second.
    /// Values that are not finite count as 0. A box is clipped at one sector's side from the sector's centre,
    /// which is farther than its units can be.
    pub fn set_crowds(&mut self, crowds: &[Crowd], radius: f32) {
        let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
        let size = self.info().facts.grid.sector_size().metres();
        let local = |value: f32| clamp(finite(value), -size, size);
        let finite_crowd = |crowd: &Crowd| Crowd {
            low: crowd.low.map(local),
            high: crowd.high.map(local),
            fastest: finite(crowd.fastest),
            ..*crowd
        };
        self.crowds.clear();
        self.crowds.extend(crowds.iter().map(finite_crowd));
        self.crowd_radius = tidy(radius);
        // Units that were put on ground that no source was near must not wait for the next plan.
        let Some(bounds) = self.info().bounds else { return };
        let mut sectors = self.crowds.iter().map(|crowd| crowd.sector);
        if sectors.any(|sector| bounds.contains(sector) && self.plan.is_blind_to(sector)) {
            self.plan.forget();
        }
    }

    /// Updates the view with the results of the loading threads, and gives them new work. `now` is the time
    /// since some fixed moment, by any clock; waits and rates are measured by it. If the clock goes back, or
    /// starts again after [`ensure_ready`](Self::ensure_ready), the streamer's time continues from where it
    /// was. Never waits for a disk.
    pub fn update(&mut self, now: Duration) {
        let begun = Instant::now();
        let _span = tracing::trace_span!("update stream").entered();
        let passed = now.saturating_sub(self.clock);
        self.clock = now;
        self.now = self.now.saturating_add(passed);
        self.refill(passed);
        self.take_finished();
        if self.plan.is_due(&self.interests, self.info().facts.grid.sector_size(), self.now) {
            self.make_plan();
        }
        // More than the budget can only have been in memory before the first update. Pinned sectors stay.
        self.shrink(self.settings.budget_bytes, Rank::Pinned, 0.0);
        self.publish();
        self.start_jobs();
        self.free_leaving();
        self.loader.get().flush();
        self.count();
        let took = begun.elapsed();
        self.stats.worst_update = self.stats.worst_update.max(took);
    }

    /// Statistics as of the last update.
    #[must_use]
    pub fn stats(&self) -> &StreamStats {
        &self.stats
    }

    /// The events since they were last drained, in order.
    pub fn drain_events(&mut self) -> impl Iterator<Item = StreamEvent> + '_ {
        self.events.drain(..)
    }

    /// Adds to what may be read, as time passes. What was not read in the time between two updates, and in a
    /// second, is lost: if it were kept, it would be added to what may be read later.
    fn refill(&mut self, passed: Duration) {
        if self.settings.bytes_per_second == u64::MAX {
            self.allowance = f64::INFINITY;
            return;
        }
        let rate = self.settings.bytes_per_second as f64;
        let seconds = passed.as_secs_f64();
        let most = rate * lesser(seconds, 1.0);
        self.allowance = lesser(most, self.allowance + rate * seconds);
    }

    /// Determines what is wanted and updates the table with it.
    fn make_plan(&mut self) {
        let _span = tracing::trace_span!("plan").entered();
        let extent = plan::extent(self.files.info(), &self.settings);
        let crowds = (self.crowds.as_slice(), self.crowd_radius);
        let wants = self.plan.make(&self.interests, crowds, extent.as_ref(), self.now);
        let sectors = &mut self.sectors;
        // Only slots of which nothing is known any more: their places answer like places that were never
        // looked up.
        self.table.want(wants, self.now, |slot| sectors.unlist(slot.coord));
    }

    fn free_leaving(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let empty = self.spare.pop().unwrap_or_default();
        let leaving = std::mem::replace(&mut self.leaving, empty);
        self.loader.get().start(Job(Task::Free(leaving)));
    }

    /// Recomputes the statistics if anything has changed.
    fn count(&mut self) {
        let since = match self.plan.oldest {
            Some(since) => since,
            None => self.count_slots(),
        };
        self.plan.oldest = Some(since);
        self.stats.oldest_wait = self.now.saturating_sub(since);
        self.stats.resident = self.sectors.resident().len();
        self.note_memory();
    }

    /// Counts the slots in each state. Returns since when the longest waiting slot has been wanted, or the
    /// greatest time if there is none.
    fn count_slots(&mut self) -> Duration {
        let stats = &mut self.stats;
        let (mut oldest, mut wanted, mut missing, mut failed, mut arrived) =
            (Duration::MAX, 0, 0, 0, 0);
        for slot in self.table.slots() {
            wanted += usize::from(slot.is_wanted());
            failed += usize::from(slot.failures > 0);
            arrived += usize::from(matches!(slot.state, State::Arrived(_)));
            if slot.is_missing() && slot.failures == 0 {
                missing += 1;
                oldest = lesser(slot.since, oldest);
            }
        }
        (stats.wanted, stats.missing, stats.failed, stats.arrived) =
            (wanted, missing, failed, arrived);
        oldest
    }

    fn note_memory(&mut self) {
        let stats = &mut self.stats;
        stats.resident_bytes = self.ledger.bytes();
        stats.mesh_bytes = self.ledger.mesh_bytes();
        stats.resident_bytes_peak = stats.resident_bytes_peak.max(stats.resident_bytes);
    }
}
