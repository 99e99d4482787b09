//! The world that is flown over: streamed, or all of it in memory.

use std::path::Path;
use std::time::Duration;

use marchland_controller::{Batch, Units};
use marchland_terrain::glam::Vec3;
use marchland_terrain::store::{World, WorldInfo};
use marchland_terrain::stream::{
    Crowd, Interest, InterestId, NotReady, StreamEvent, StreamSettings, StreamStats, Streamer,
};
use marchland_terrain::{TerrainView, WorldPos};

use super::flight::Plan;
use crate::failure::{Failure, chain};
use crate::world::{self, store_failure};

/// Metres around units in which ground is wanted, where units are sources: what a tick may reach.
const CROWD_RADIUS: f32 = 32.0;
/// The longest wait for the ground beneath the starts.
const START_MAX: Duration = Duration::from_secs(60);

/// The world that is flown over.
#[derive(Debug)]
pub struct Land(Kind);

#[derive(Debug)]
enum Kind {
    Streamed(Box<Streamed>),
    Resident(Box<World>),
}

#[derive(Debug)]
struct Streamed {
    streamer: Streamer,
    sources: Vec<InterestId>,
    radius: f32,
    crowds: Option<Vec<Crowd>>,
}

impl Land {
    /// The world by its sectors as they are wanted.
    ///
    /// # Errors
    /// If it cannot be opened, or the system gives no threads.
    pub fn streamed(path: &Path, is_copied: bool, plan: &Plan) -> Result<Self, Failure> {
        let settings = StreamSettings {
            budget_bytes: plan.budget_bytes,
            loads_in_flight: plan.loads,
            ..StreamSettings::default()
        };
        let streamer = Streamer::new(open(path, is_copied)?, settings)
            .map_err(|error| Failure::io(format!("threads that load: {error}")))?;
        let crowds = plan.crowds.then(Vec::new);
        let radius = plan.radius as f32;
        let streamed = Streamed { streamer, sources: Vec::new(), radius, crowds };
        Ok(Self(Kind::Streamed(Box::new(streamed))))
    }

    /// The whole world in memory.
    ///
    /// # Errors
    /// If it cannot be opened, or a sector cannot be loaded.
    pub fn resident(path: &Path, is_copied: bool) -> Result<Self, Failure> {
        let mut world = open(path, is_copied)?;
        let report = world.load_all().map_err(|error| store_failure(&error))?;
        match report.failed.first() {
            None => Ok(Self(Kind::Resident(Box::new(world)))),
            Some((_, error)) => Err(store_failure(error)),
        }
    }

    /// What is known of the whole world.
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

    /// Figures of the streaming; nothing where there is none.
    pub(super) fn stats(&self) -> Option<&StreamStats> {
        match &self.0 {
            Kind::Streamed(streamed) => Some(streamed.streamer.stats()),
            Kind::Resident(_) => None,
        }
    }

    /// Puts sources on their starts and waits for the ground within `radius` metres of each.
    pub(super) fn begin(&mut self, starts: &[Interest], radius: f32) -> Result<(), Failure> {
        let Kind::Streamed(streamed) = &mut self.0 else { return Ok(()) };
        for start in starts {
            let id = streamed
                .streamer
                .add_interest(*start)
                .map_err(|e| Failure::input(e.to_string()))?;
            streamed.sources.push(id);
        }
        for start in starts {
            let ready = streamed.streamer.ensure_ready(start.position, radius, START_MAX);
            ready.map_err(|missing| streamed.not_ready(&missing))?;
        }
        Ok(())
    }

    /// A source of the flight's radius.
    pub(super) fn source(&self, position: WorldPos, velocity: Vec3) -> Interest {
        let radius = match &self.0 {
            Kind::Streamed(streamed) => streamed.radius,
            Kind::Resident(_) => 0.0,
        };
        Interest { velocity, ..Interest::new(position, radius) }
    }

    /// The work of streaming between two ticks: moves the sources and updates the view.
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

    /// Tells of sectors that could not be loaded.
    pub(super) fn tell_failures(&mut self) {
        let Kind::Streamed(streamed) = &mut self.0 else { return };
        for event in streamed.streamer.drain_events() {
            if let StreamEvent::Failed { coord, error } = event {
                crate::output::note(&format!("warning: sector {coord}: {}", chain(&error)));
            }
        }
    }
}

impl Streamed {
    fn not_ready(&mut self, missing: &NotReady) -> Failure {
        let seconds = START_MAX.as_secs();
        let failure = Failure::io(format!("beneath the start, after {seconds} s: {missing}"));
        if missing.failed.is_empty() {
            return failure.hint("a larger --budget, or a smaller --radius, leaves room for it");
        }
        failure.hint("`marchland verify` says what is wrong with the world")
    }
}

fn open(path: &Path, is_copied: bool) -> Result<World, Failure> {
    if is_copied {
        return World::open(path).map_err(|error| store_failure(&error));
    }
    world::open(path)
}
