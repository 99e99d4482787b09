//! Worlds larger than memory: sectors come and go with what moves over them.
//!
//! ```text
//! sources ──▶ plan ──▶ table: new → located → loading → arrived → resident ──▶ view, for a tick
//!                              │        ▲ │        ▲
//!                              ▼        │ ▼        │
//!                             jobs ──▶ loader threads: look up, map or read, prefault, check, free
//! ```
//!
//! A [`Streamer`] takes the place of a [`World`] whose sectors are loaded by hand. Between two ticks
//! it is [updated](Streamer::update): it takes what its threads have finished, brings sectors into the
//! view, takes others out, and hands out new jobs. It waits for nothing then; the tick borrows a
//! [view](Streamer::view) that stays as it is.

mod ensure;
mod evict;
mod interest;
mod ledger;
mod loader;
mod plan;
mod reload;
mod report;
mod settings;
mod sync;
mod table;
mod take;
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
use crate::math::SectorCoord;
use crate::resident::ResidentSectors;
use crate::store::{SectorBounds, World, WorldFiles, WorldInfo};
use crate::view::TerrainView;
use interest::{Interests, tidy};
use ledger::Ledger;
use loader::{OwnLoader, Task};
use plan::Plan;
use table::Table;
use wanted::Rank;

/// A world of which those sectors are in memory that are wanted, within a budget. It is [`Send`] and
/// [`Sync`], whatever its loader is.
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
    /// Bytes that loads in flight will bring, as far as it is known.
    reserved_bytes: u64,
    /// Bytes that may still be read; below zero after a large sector.
    allowance: f64,
    is_locating: bool,
    is_reopening: bool,
    /// What left the view and goes to a loading thread, and lists that came back from there.
    leaving: Vec<Arc<LoadedSector>>,
    spare: Vec<Vec<Arc<LoadedSector>>>,
    spare_coords: Vec<SectorCoord>,
    /// What the caller's clock said last, and the time that this streamer knows: it goes on from there
    /// whatever the clock does.
    clock: Duration,
    now: Duration,
    stats: StreamStats,
    events: Vec<StreamEvent>,
}

impl Streamer {
    /// Streams a world with threads of its own. Sectors that are in memory stay there for as long as
    /// there is room.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(world: World, settings: StreamSettings) -> std::io::Result<Self> {
        let loader = ThreadLoader::new(settings.loads_in_flight)?;
        Ok(Self::with_loader(world, settings, Box::new(loader)))
    }

    /// Streams a world whose jobs somebody else does.
    #[must_use]
    pub fn with_loader(world: World, settings: StreamSettings, loader: Box<dyn Loader>) -> Self {
        let (files, sectors) = world.into_parts();
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

    /// What is known of the whole world.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        self.files.info()
    }

    /// The generation that is open.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.files.generation()
    }

    /// What a tick or a query borrows. It changes only in [`update`](Self::update) and
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

    /// Moves a source, or makes it another.
    ///
    /// # Errors
    /// As [`add_interest`](Self::add_interest), and if there is none of that name.
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

    /// Takes a source away.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn remove_interest(&mut self, id: InterestId) -> Result<(), InterestError> {
        self.interests.remove(id)
    }

    /// Makes crowds of units the sources beside those that were added, in place of the crowds of the
    /// last call: every sector within `radius` metres of where one of them may be in the time of
    /// look-ahead is wanted. The next update acts upon a crowd on a sector that was not wanted before, as
    /// after a teleport; on other changes an update within a quarter of a second does. What is not finite counts as 0; a box ends a sector's side from the
    /// sector's centre, which is farther than its units can be.
    pub fn set_crowds(&mut self, crowds: &[Crowd], radius: f32) {
        let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
        let size = self.info().facts.grid.sector_size().metres();
        let local = |value: f32| match finite(value) {
            value if value > size => size,
            value if value < -size => -size,
            value => value,
        };
        let finite_crowd = |crowd: &Crowd| Crowd {
            low: glam::Vec2::from_array(crowd.low.to_array().map(local)),
            high: glam::Vec2::from_array(crowd.high.to_array().map(local)),
            fastest: finite(crowd.fastest),
            ..*crowd
        };
        self.crowds.clear();
        self.crowds.extend(crowds.iter().map(finite_crowd));
        self.crowd_radius = tidy(radius);
        // Where units were put on ground that nobody was near, it must not wait for the next plan.
        let Some(SectorBounds { min, max }) = self.info().bounds else { return };
        let is_within = |coord: SectorCoord| {
            (min.x..=max.x).contains(&coord.x) && (min.z..=max.z).contains(&coord.z)
        };
        let mut sectors = self.crowds.iter().map(|crowd| crowd.sector);
        if sectors.any(|sector| is_within(sector) && self.plan.is_blind_to(sector)) {
            self.plan.forget();
        }
    }

    /// Brings the view up to date with what the loading threads have done, and gives them new work.
    /// `now` is the time since some beginning, by any clock; waits and rates are reckoned by it. Of a
    /// clock that goes back, or begins anew after [`ensure_ready`](Self::ensure_ready), the time goes
    /// on from there. Never waits for a disk.
    pub fn update(&mut self, now: Duration) {
        let begun = Instant::now();
        let _span = tracing::trace_span!("update stream").entered();
        let passed = now.saturating_sub(self.clock);
        self.clock = now;
        self.now = self.now.saturating_add(passed);
        self.refill(passed);
        self.take_finished();
        if self.is_plan_due() {
            self.make_plan();
        }
        // More than fits can only have been there before the first update. What is pinned stays.
        self.shrink(self.settings.budget_bytes, Rank::Pinned, 0.0);
        self.publish();
        self.start_jobs();
        self.free_leaving();
        self.loader.get().flush();
        self.count();
        let took = begun.elapsed();
        self.stats.worst_update = self.stats.worst_update.max(took);
    }

    /// Figures as of the last update.
    #[must_use]
    pub fn stats(&self) -> &StreamStats {
        &self.stats
    }

    /// What happened since events were drained last, in order.
    pub fn drain_events(&mut self) -> impl Iterator<Item = StreamEvent> + '_ {
        self.events.drain(..)
    }

    /// Lets more be read as time goes by. What was not read in the time between two updates, and in a
    /// second, is lost: kept for later it would come on top of what may be read then.
    fn refill(&mut self, passed: Duration) {
        if self.settings.bytes_per_second == u64::MAX {
            self.allowance = f64::INFINITY;
            return;
        }
        let rate = self.settings.bytes_per_second as f64;
        let seconds = passed.as_secs_f64();
        let most = rate * if seconds < 1.0 { seconds } else { 1.0 };
        self.allowance += rate * seconds;
        if self.allowance > most {
            self.allowance = most;
        }
    }

    /// Hands out lookups and loads, the most urgent first.
    fn start_jobs(&mut self) {
        self.plan.order(&self.table, self.now);
        self.start_locating();
        let (mut without_room, mut full) = (0, None);
        for at in 0..self.plan.queue.len() {
            let slot = self.plan.queue[at];
            if !self.may_load(slot) {
                continue;
            }
            // What is no dearer than one that found no room finds none either; but what fits into no
            // memory at all must not stand in the way of the rest, nor what has only waited long.
            if self.is_too_large(slot) || full.is_some_and(|full| !self.is_dearer(slot, full)) {
                without_room += 1;
            } else if self.make_room(slot) {
                self.start_load(slot);
            } else {
                full = Some(slot);
                without_room += 1;
            }
        }
        self.stats.without_room = without_room;
    }

    fn free_leaving(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let empty = self.spare.pop().unwrap_or_default();
        let leaving = std::mem::replace(&mut self.leaving, empty);
        self.loader.get().start(Job(Task::Free(leaving)));
    }

    /// Takes stock, where anything has changed.
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

    /// Counts what is in which state. Gives since when the one that waits longest is wanted, or a time
    /// without end.
    fn count_slots(&mut self) -> Duration {
        let stats = &mut self.stats;
        let (mut oldest, mut wanted, mut missing, mut failed, mut arrived) =
            (Duration::MAX, 0, 0, 0, 0);
        for slot in self.table.slots() {
            wanted += usize::from(slot.is_wanted());
            failed += usize::from(slot.failures > 0);
            arrived += usize::from(matches!(slot.state, table::State::Arrived(_)));
            if slot.is_missing() && slot.failures == 0 {
                missing += 1;
                oldest = if slot.since < oldest { slot.since } else { oldest };
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
        if stats.resident_bytes > stats.resident_bytes_peak {
            stats.resident_bytes_peak = stats.resident_bytes;
        }
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Streamer>();
};
