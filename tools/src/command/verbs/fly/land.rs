//! The world below the flight: streamed, or all of it in memory.

use std::path::Path;
use std::time::Duration;

use marchland_controller::{Batch, Units};
use marchland_terrain::store::{World, WorldInfo};
use marchland_terrain::stream::{
    Crowd, Interest, InterestId, NotReady, StreamEvent, StreamSettings, StreamStats, Streamer,
};
use marchland_terrain::{TerrainView, WorldPos};

use super::args::FlyArgs;
use crate::command::failure::{Failure, chain};
use crate::command::output;
use crate::command::world;

/// Metres around units in which ground is wanted if units are sources: the reach of a tick.
const CROWD_RADIUS: f32 = 32.0;
/// How long a wait lasts before it checks whether waiting is useless: a failed load is tried again within
/// this time.
pub(super) const SETTLED: Duration = Duration::from_secs(1);
/// The longest wait for the ground beneath the starts.
const START_MAX: Duration = Duration::from_secs(60);

/// The world below the flight.
#[derive(Debug)]
pub struct Land(Kind);

#[derive(Debug)]
enum Kind {
    Streamed(Box<StreamedLand>),
    Resident(Box<World>),
}

#[derive(Debug)]
struct StreamedLand {
    streamer: Streamer,
    sources: Vec<InterestId>,
    crowds: Option<Vec<Crowd>>,
}

impl Land {
    /// Opens a world whose sectors are streamed as they are wanted.
    ///
    /// # Errors
    /// If it cannot be opened, the budget has no room for a sector, or the system provides no
    /// threads.
    pub fn streamed(args: &FlyArgs) -> Result<Self, Failure> {
        let settings = StreamSettings {
            budget_bytes: args.budget,
            loads_in_flight: usize::from(args.loads),
            ..StreamSettings::default()
        };
        let world = open(&args.world, args.copied)?;
        check_budget(&args.world, &world, args.budget)?;
        let streamer = Streamer::new(world, settings)
            .map_err(|error| Failure::io(format!("loading threads: {error}")))?;
        let crowds = args.crowds.then(Vec::new);
        let streamed = StreamedLand { streamer, sources: Vec::new(), crowds };
        Ok(Self(Kind::Streamed(Box::new(streamed))))
    }

    /// Loads the whole world into memory.
    ///
    /// # Errors
    /// If it cannot be opened, or a sector cannot be loaded.
    pub fn resident(path: &Path, is_copied: bool) -> Result<Self, Failure> {
        let mut world = open(path, is_copied)?;
        world::load_all(&mut world)?;
        Ok(Self(Kind::Resident(Box::new(world))))
    }

    /// Information about the whole world.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        match &self.0 {
            Kind::Streamed(streamed) => streamed.streamer.info(),
            Kind::Resident(world) => world.info(),
        }
    }

    /// What a tick borrows.
    pub(super) fn view(&self) -> TerrainView<'_> {
        match &self.0 {
            Kind::Streamed(streamed) => streamed.streamer.view(),
            Kind::Resident(world) => world.view(),
        }
    }

    /// Streaming statistics; `None` if the world is resident.
    pub(super) fn stats(&self) -> Option<&StreamStats> {
        match &self.0 {
            Kind::Streamed(streamed) => Some(streamed.streamer.stats()),
            Kind::Resident(_) => None,
        }
    }

    /// Puts sources at their starts and waits for the ground within `radius` metres of each.
    pub(super) fn begin(&mut self, starts: &[Interest], radius: f32) -> Result<(), Failure> {
        let Kind::Streamed(streamed) = &mut self.0 else { return Ok(()) };
        for start in starts {
            let id = streamed.streamer.add_interest(*start);
            streamed.sources.push(id.map_err(|error| Failure::input(error.to_string()))?);
        }
        for start in starts {
            streamed.await_ready(start.position, radius)?;
        }
        Ok(())
    }

    /// The streaming work between two ticks: moves the sources and updates the view.
    pub(super) fn update(
        &mut self,
        now: Duration,
        sources: &[Interest],
        batch: &mut Batch,
        units: &Units,
    ) -> Result<(), Failure> {
        let Kind::Streamed(streamed) = &mut self.0 else { return Ok(()) };
        for (&id, source) in streamed.sources.iter().zip(sources) {
            let moved = streamed.streamer.set_interest(id, *source);
            moved.map_err(|error| Failure::input(error.to_string()))?;
        }
        if let Some(crowds) = &mut streamed.crowds {
            batch.crowds(units, crowds);
            streamed.streamer.set_crowds(crowds, CROWD_RADIUS);
        }
        streamed.streamer.update(now);
        Ok(())
    }

    /// Reports sectors that could not be loaded.
    pub(super) fn note_failures(&mut self) {
        if let Kind::Streamed(streamed) = &mut self.0 {
            streamed.note_failures();
        }
    }
}

impl StreamedLand {
    /// Waits for the ground around a start, as long as any of it may still arrive.
    fn await_ready(&mut self, position: WorldPos, radius: f32) -> Result<(), Failure> {
        let mut waited = Duration::ZERO;
        loop {
            let ready = self.streamer.ensure_ready(position, radius, SETTLED);
            self.note_failures();
            waited += SETTLED;
            match ready {
                Ok(()) => return Ok(()),
                Err(NotReady { missing, failed })
                    if failed.len() < missing.len() && waited < START_MAX => {}
                Err(missing) => {
                    let seconds = waited.as_secs();
                    let text = format!("ground below the start, after {seconds} s: {missing}");
                    return Err(Failure::io(text).hint(lack_hint(missing.failed.len())));
                }
            }
        }
    }

    fn note_failures(&mut self) {
        for event in self.streamer.drain_events() {
            if let StreamEvent::Failed { coord, error } = event {
                output::note(&format!("warning: sector {coord}: {}", chain(&error)));
            }
        }
    }
}

/// The hint for ground that does not arrive, given the number of sectors that failed to load.
pub(super) fn lack_hint(failed: usize) -> &'static str {
    match failed {
        0 => "give a larger --budget or a smaller --radius to make room for it",
        1.. => "`marchland verify` lists what is wrong with the world",
    }
}

/// Rejects a budget into which no sector fits.
fn check_budget(path: &Path, world: &World, budget_bytes: u64) -> Result<(), Failure> {
    for record in world.records() {
        if record?.file_bytes <= budget_bytes {
            return Ok(());
        }
    }
    if world.info().sectors == 0 {
        return Ok(()); // reported by its own name
    }
    Err(world::no_room(path, budget_bytes))
}

fn open(path: &Path, is_copied: bool) -> Result<World, Failure> {
    if is_copied { Ok(World::open(path)?) } else { world::open(path) }
}
