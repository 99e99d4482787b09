//! Units on open ground: 5 m/s, at random places, each with a new random heading every second.

use marchland_controller::{Body, Spawn, Units, Wish};
use marchland_terrain::ResidentSectors;

use crate::{Random, heading, places, sure};

/// Metres per second.
const SPEED: f32 = 5.0;

/// Ticks for which a unit keeps its heading.
const HEADING_TICKS: usize = 60;

/// How many times headings change before they repeat.
const HEADINGS: usize = 64;

/// Which units have adjacent slots.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Units that start near each other: all were spawned at once.
    Near,
    /// Random units: they were spawned one by one.
    Any,
}

/// Units that follow the ground, and their wishes.
#[derive(Debug)]
pub struct Followers {
    /// One slot each.
    pub units: Units,
    wishes: Vec<Wish>,
}

impl Followers {
    /// At random places over a world, the same in every run.
    #[must_use]
    pub fn new(world: &ResidentSectors, count: usize, order: Order) -> Self {
        let mut random = Random::new(1);
        let mut units = Units::new(world.grid().sector_size());
        let body = sure(units.add_body(Body::default()));
        let places = places(&mut random, world, count, 120.0, 0.0);
        let spawns: Vec<_> = places.iter().map(|place| Spawn::standing(*place, body)).collect();
        let spawned = match order {
            Order::Near => units.spawn_all(&spawns).map(|_| ()).map_err(|refused| refused.error),
            Order::Any => spawns.iter().try_for_each(|one| units.spawn(*one).map(|_| ())),
        };
        assert!(spawned.is_ok(), "{spawned:?}");
        let wish = |_| Wish::STAND.at_velocity(heading(&mut random).map(|part| part * SPEED));
        let wishes = (0..count + HEADINGS).map(wish).collect();
        Self { units, wishes }
    }

    /// The units, and their wishes in a tick.
    pub fn steer(&mut self, tick: usize) -> (&mut Units, &[Wish]) {
        (&mut self.units, &self.wishes[tick / HEADING_TICKS % HEADINGS..])
    }
}
