//! Units that march to and fro over the wide world.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use marchland_controller::{
    Batch, Body, Motion, Spawn, TickError, TickMode, TickSettings, Units, Wish,
};
use marchland_random::Random;
use marchland_terrain::store::DiskStorage;
use marchland_terrain::stream::{Crowd, Streamer};
use marchland_terrain::{Ground, ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::judge::{Judge, JudgedBody};

use crate::wide;

/// Sectors along a side.
pub(crate) const SIDE: u32 = 12;
/// Metres along a side.
const METRES: f64 = 32.0 * SIDE as f64;
/// A tick.
pub(crate) const TICK: Duration = Duration::from_nanos(16_666_667);

pub(crate) fn bake(folder: &Path) {
    wide::bake(Arc::new(DiskStorage::new(folder)), SIDE, 11);
}

/// The units, and what moves them.
pub(crate) struct March {
    pub(crate) units: Units,
    wishes: Vec<Wish>,
    batch: Batch,
    settings: TickSettings,
    crowds: Vec<Crowd>,
    judge: Judge,
    ticks: u64,
    /// Unit-ticks in which somebody was held.
    pub(crate) held: usize,
    /// Unit-ticks of those who were not.
    pub(crate) moved: u64,
    random: Random,
}

impl March {
    /// So many units all over the world, a little above the ground, with ways of their own.
    pub(crate) fn new(count: u32, mode: TickMode) -> Self {
        let size = wide::grid().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        let mut march = Self {
            units: Units::new(size),
            wishes: Vec::new(),
            batch: Batch::new(),
            settings: TickSettings { mode, ..TickSettings::default() },
            crowds: Vec::new(),
            judge: Judge::new(),
            ticks: 0,
            held: 0,
            moved: 0,
            random: Random::new(77),
        };
        for _ in 0..count {
            let (x, z) = (march.draw(METRES - 20.0) - 6.0, march.draw(METRES - 20.0) - 6.0);
            // The hills are no higher than 20 m, so all of them fall first.
            let place = WorldPos::from_metres(x, 25.0, z, size).unwrap();
            let spawn = Spawn { motion: Motion::Falling, ..Spawn::standing(place, body) };
            units.spawn(spawn).unwrap();
            march.wishes.push(Wish::STAND);
        }
        march.units = units;
        march.turn();
        march
    }

    /// A number from 0 up to a greatest.
    fn draw(&mut self, most: f64) -> f64 {
        self.random.between(0.0, most)
    }

    /// Another way for everybody; those near the edge turn back by themselves.
    fn turn(&mut self) {
        for slot in 0..self.wishes.len() {
            let (x, z) = (self.draw(24.0) - 12.0, self.draw(24.0) - 12.0);
            self.wishes[slot] = Wish::walk(x as f32, z as f32);
        }
    }

    /// Where units are, as what the streamer is asked for.
    pub(crate) fn want(&mut self, streamer: &mut Streamer) {
        self.batch.crowds(&self.units, &mut self.crowds);
        streamer.set_crowds(&self.crowds, 8.0);
    }

    /// A tick. Gives whether it ran: a strict one may not.
    pub(crate) fn tick(&mut self, view: TerrainView<'_>) -> bool {
        let before = self.units.state_hash();
        match self.batch.tick(view, &mut self.units, &self.wishes, &self.settings) {
            Ok(report) => {
                self.held += report.held().len();
                self.moved += (self.wishes.len() - report.held().len()) as u64;
            }
            Err(TickError::NotResident { .. }) => {
                assert_eq!(self.units.state_hash(), before, "a tick that did not run");
                return false;
            }
            Err(error) => panic!("{error}"),
        }
        self.ticks += 1;
        if self.ticks.is_multiple_of(120) {
            self.turn();
        }
        true
    }

    /// Nobody is below the ground, whose ground is there; who is held has not moved.
    pub(crate) fn assert_above_ground(&self, view: TerrainView<'_>) {
        for id in self.units.iter() {
            let place = self.units.position(id).unwrap();
            match view.ground(place) {
                Ground::Height(height) => {
                    assert!(place.local().y >= height, "{id:?} at {place:?}, ground {height}");
                }
                Ground::NotResident => {
                    let is_held = self.units.is_held(id) == Some(true);
                    assert!(is_held || self.ticks == 0, "{id:?} moves where no ground is");
                }
                other => panic!("{id:?} at {place:?}: {other:?}"),
            }
        }
    }

    /// Nobody is inside anything, in a world that is all there.
    pub(crate) fn assert_free(&mut self, world: &ResidentSectors) {
        for id in self.units.iter() {
            let place = self.units.position(id).unwrap();
            let body = JudgedBody::from(self.units.body(id).unwrap());
            let depth = self.judge.penetration(world.view(), place, body, u32::MAX);
            assert!(depth < 1e-3, "{id:?} is {depth} m inside at {place:?}");
        }
    }

    pub(crate) fn ticks(&self) -> u64 {
        self.ticks
    }

    pub(crate) fn held_now(&self) -> usize {
        self.units.iter().filter(|id| self.units.is_held(*id) == Some(true)).count()
    }

    /// Where everybody is and how they move.
    pub(crate) fn hash(&self) -> u64 {
        self.units.state_hash()
    }
}
