//! Units in groups that march over the demo world, and some that walk among its props.
//!
//! Steering (choosing directions) is the demo's own work and is not counted; only the library's tick is
//! timed.

use std::time::{Duration, Instant};

use marchland_controller::{
    Batch, Body, BodyId, EventKind, Motion, Spawn, TickSettings, Units, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::LiveProps;
use marchland_terrain::{Ground, SectorSize, TerrainView, WorldPos};
use marchland_worlds::demo::{SAMPLES, SPACING};
use marchland_worlds::demo_walks::{Feats, Movers};
use marchland_worlds::march::{Plan, groups};
use rayon::prelude::*;

use super::check::{Check, Findings};
use super::tracks::Tracks;
use super::walks::{Walks, place};
use crate::command::failure::Failure;

/// Each unit gets a new direction once in this many ticks; in each tick a share of the units does.
const STEER_EVERY: usize = 6;
/// Ticks between two marks of a track.
const TRACK_EVERY: u32 = 12;
/// Ticks between two checks of positions.
const CHECK_EVERY: u32 = 30;

/// The results of a march.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarchReport {
    /// How many of the units walk instead of marching.
    pub walkers: usize,
    /// Rounds completed by all walkers together.
    pub rounds_walked: u64,
    /// Actions of walkers, derived from their positions.
    pub feats: Feats,
    /// Units that took the full controller, summed over all ticks.
    pub full: u64,
    /// Times that a unit was pressed between a platform and something else.
    pub crushed: u64,
    /// Times that a unit found no way out of an overlap.
    pub stuck: u64,
    /// The results of an independent check of positions.
    pub findings: Findings,
    /// Sector borders crossed, by all units together.
    pub borders_crossed: u64,
    /// Times that a unit was seen below the ground at its place.
    pub below_ground: u64,
    /// Times that a unit was held.
    pub held: u64,
    /// Stops reached, by all units together.
    pub stops_reached: u64,
    /// Time in the library's ticks.
    pub in_ticks: Duration,
    /// Every bit of every unit's state.
    pub state_hash: u64,
}

/// Units on the march.
pub struct March<'a> {
    view: TerrainView<'a>,
    plan: &'a Plan,
    corner: WorldPos,
    units: Units,
    wishes: Vec<Wish>,
    live: LiveProps,
    movers: Movers,
    /// The walkers: the first units.
    walks: Walks,
    /// The group of each other unit and the stop it is heading for.
    routes: Vec<Route>,
}

#[derive(Clone, Copy)]
struct Route {
    group: usize,
    stop: usize,
}

impl<'a> March<'a> {
    /// Puts `count` units at their starts.
    ///
    /// # Errors
    /// If a unit cannot stand at a start, which is a fault of the plan.
    pub fn begin(view: TerrainView<'a>, plan: &'a Plan, count: u32) -> Result<Self, Failure> {
        let size = view.grid().sector_size();
        let corner = Self::corner(size)?;
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).map_err(|error| fault(&error))?;
        let mut live = LiveProps::new(size);
        let movers = Movers::add(&mut live).map_err(|error| fault(&error))?;
        let (walks, mut starts) = Walks::begin(count);
        let marching = plan.spawn_points(count as usize - walks.len());
        starts.extend(marching.iter().map(|start| [start.x, start.z]));
        for [x, z] in starts {
            let there = corner.moved_by(Vec3::new(x, 0.0, z), size);
            let start = stand(view, there.map_err(|error| fault(&error))?, body)?;
            units.spawn(start).map_err(|error| fault(&error))?;
        }
        let route = |start: &marchland_worlds::march::Spawn| Route { group: start.group, stop: 0 };
        let routes = marching.iter().map(route).collect();
        let wishes = vec![Wish::STAND; units.slots()];
        Ok(Self { view, plan, corner, units, wishes, live, movers, walks, routes })
    }

    /// The place of the first sample: the low corner of sector (0, 0).
    fn corner(size: SectorSize) -> Result<WorldPos, Failure> {
        let half = f64::from(size.half());
        WorldPos::from_metres(-half, 0.0, -half, size).map_err(|error| fault(&error))
    }

    /// Metres along a side of the demo world.
    #[must_use]
    pub fn side_metres() -> f64 {
        (SAMPLES - 1) as f64 * SPACING
    }

    /// Marches for `ticks` ticks of a 60th of a second.
    ///
    /// # Errors
    /// If a tick does not run, which is a fault of this program.
    pub fn run(
        &mut self,
        ticks: u32,
        tracks: &mut [Tracks],
        progress: &mut dyn FnMut(u32),
    ) -> Result<MarchReport, Failure> {
        let settings = TickSettings::default();
        let mut batch = Batch::new();
        let mut check = Check::new(Body::default(), self.walks.len());
        let mut marched = MarchReport { walkers: self.walks.len(), ..MarchReport::default() };
        for tick in 0..ticks {
            marched.stops_reached += self.steer(tick);
            let is_checked = tick % CHECK_EVERY == 0 || tick + 1 == ticks;
            if is_checked {
                check.choose(&self.units);
            }
            let began = Instant::now();
            self.movers.steer(&mut self.live, u64::from(tick)).map_err(|error| fault(&error))?;
            self.live.advance(settings.dt).map_err(|error| fault(&error))?;
            let view = self.view.with_live(&self.live);
            let ticked = batch.tick(view, &mut self.units, &self.wishes, &settings);
            ticked.map_err(|error| fault(&error))?;
            marched.in_ticks += began.elapsed();
            marched.take(&batch);
            self.walks.watch(&self.units, self.corner, tick);
            if tick % TRACK_EVERY == 0 {
                self.mark(tracks);
            }
            if is_checked {
                marched.below_ground += self.count_below_ground();
                let about = |slot| self.about(slot);
                check.look(view, &self.units, &self.wishes, tick, about);
            }
            progress(tick + 1);
        }
        self.mark_ends(tracks);
        marched.rounds_walked = self.walks.rounds_walked();
        marched.feats = self.walks.feats();
        marched.findings = check.into_findings();
        marched.state_hash = self.units.state_hash();
        Ok(marched)
    }

    /// The platforms at their current places.
    #[must_use]
    pub fn live(&self) -> &LiveProps {
        &self.live
    }

    /// A description of a unit.
    fn about(&self, slot: usize) -> String {
        match self.walks.whereabouts(slot) {
            Some((round, point)) => format!("{round}, on its way to point {point}"),
            None => groups()[self.routes[slot - self.walks.len()].group].name.to_owned(),
        }
    }

    /// Steers the walkers, and sets new directions from the plan for the units whose turn it is. Returns the
    /// number of stops reached by marching units.
    fn steer(&mut self, tick: u32) -> u64 {
        self.walks.steer(&self.units, self.corner, tick, &mut self.wishes);
        let walkers = self.walks.len();
        let (corner, plan, units) = (self.corner, self.plan, &self.units);
        let turn = tick as usize % STEER_EVERY;
        self.wishes[walkers..]
            .par_iter_mut()
            .zip(&mut self.routes)
            .enumerate()
            .with_min_len(1024)
            .filter(|(slot, _)| tick == 0 || slot % STEER_EVERY == turn)
            .map(|(number, (wish, route))| {
                let place = place(units, walkers + number, corner);
                let asked = plan.wish(route.group, route.stop, place.x, place.z, number as u32);
                *wish = Wish::STAND.at_velocity(asked.velocity);
                route.stop += usize::from(asked.reached);
                u64::from(asked.reached)
            })
            .sum()
    }

    /// Counts units below the ground by querying the world, not the units.
    fn count_below_ground(&self) -> u64 {
        let size = self.units.sector_size();
        let below = |slot: usize| {
            let (sector, local) = (self.units.sectors()[slot], self.units.locals()[slot]);
            let Ok(place) = WorldPos::new(sector, local, size) else { return true };
            match self.view.ground(place) {
                Ground::Height(height) => local.y < height,
                Ground::Hole => false,
                Ground::Outside | Ground::NotResident => true,
            }
        };
        (0..self.units.slots()).into_par_iter().filter(|&slot| below(slot)).count() as u64
    }

    fn mark(&self, tracks: &mut [Tracks]) {
        for tracks in tracks {
            for (place, group, walking) in self.places(tracks.stride()) {
                if walking {
                    tracks.mark(place.x, place.z, group);
                }
            }
        }
    }

    fn mark_ends(&self, tracks: &mut [Tracks]) {
        for tracks in tracks {
            for (place, group, _) in self.places(tracks.stride()) {
                tracks.mark_end(place.x, place.z, group);
            }
        }
    }

    /// Places from the north-west corner, of every walker and every `stride`-th other unit; their groups,
    /// with that of walkers after all others; and whether they walk.
    fn places(&self, stride: usize) -> impl Iterator<Item = (Vec3, usize, bool)> + '_ {
        let walkers = self.walks.len();
        let marching = (walkers..self.units.slots()).step_by(stride);
        (0..walkers).chain(marching).map(move |slot| {
            let place = place(&self.units, slot, self.corner);
            let route = slot.checked_sub(walkers).map(|number| self.routes[number].group);
            let walking = self.units.motions()[slot] == Motion::Walking;
            (place, route.unwrap_or(groups().len()), walking)
        })
    }
}

impl MarchReport {
    /// Adds the results of a tick.
    fn take(&mut self, batch: &Batch) {
        let report = batch.report();
        self.borders_crossed += report.borders_crossed;
        self.held += report.held().len() as u64;
        self.full += report.full as u64;
        for event in batch.events() {
            match event.kind {
                EventKind::Crushed { .. } => self.crushed += 1,
                EventKind::Stuck { .. } => self.stuck += 1,
                _ => {}
            }
        }
    }
}

/// What is wrong with the demo itself.
pub(super) fn fault(error: &dyn std::error::Error) -> Failure {
    Failure::input(format!("demo: {error}"))
}

fn stand(view: TerrainView<'_>, place: WorldPos, body: BodyId) -> Result<Spawn, Failure> {
    let on_ground = view.on_ground(place);
    let feet = on_ground.ok_or_else(|| Failure::input("demo: no ground at the start of a unit"))?;
    Ok(Spawn::standing(feet, body))
}
