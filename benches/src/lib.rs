//! Code shared by the benches: random places and headings, the same in every run, and sizes that are
//! small where a bench is only tested.

#![forbid(unsafe_code)]

pub mod followers;
pub mod walkers;

use std::fmt::Display;
#[cfg(feature = "measured")]
use std::time::Duration;

#[cfg(feature = "measured")]
use criterion::Criterion;
use marchland_controller::{Body, Spawn, Units, Wish};
pub use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::query::{Contacts, Cylinder};
use marchland_terrain::{Ground, ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::terrain::rolling_world;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Side of a cell in every bench. Metres.
pub const CELL: f64 = 1.0;

/// Cells along a sector in every bench.
pub const CELLS: u32 = 256;

/// Whether times are measured; otherwise each bench runs once as a quick test.
#[must_use]
pub fn is_measured() -> bool {
    let has = |flag: &str| std::env::args().any(|arg| arg == flag);
    has("--bench") && !has("--test")
}

/// `measured` if times are measured, otherwise `tried`.
pub fn size<T>(measured: T, tried: T) -> T {
    if is_measured() { measured } else { tried }
}

/// What a scene or a bench is made of.
///
/// # Panics
/// If there is none, which is a fault of this project.
pub fn sure<T, E: Display>(made: Result<T, E>) -> T {
    made.unwrap_or_else(|error| unreachable!("{error}"))
}

/// A pool of so many threads.
///
/// # Panics
/// If the system has no thread left.
#[must_use]
pub fn pool(threads: usize) -> ThreadPool {
    sure(ThreadPoolBuilder::new().num_threads(threads).build())
}

/// Settings short enough that all benches together take about two minutes.
#[cfg(feature = "measured")]
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .sample_size(30)
}

/// Rolling hills of 1 m cells, `sectors_along` sectors of 256 m each way: 2 in a test.
///
/// # Panics
/// If the scene cannot be built, which is a fault of this project.
#[must_use]
pub fn rolling(sectors_along: u16) -> ResidentSectors {
    sure(rolling_world(size(sectors_along, 2), CELL, CELLS, 3))
}

/// A horizontal direction of length 1: a point of the disc, moved out to its rim.
pub fn heading(random: &mut Random) -> [f32; 2] {
    loop {
        let (x, z) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let length = (x * x + z * z).sqrt();
        if (0.1..=1.0).contains(&length) {
            return [(x / length) as f32, (z / length) as f32];
        }
    }
}

/// `count` places over a square world, `margin` metres from its edges, `above` metres above the
/// ground.
///
/// # Panics
/// If there is no ground somewhere in it.
pub fn places(
    random: &mut Random,
    world: &ResidentSectors,
    count: usize,
    margin: f64,
    above: f32,
) -> Vec<WorldPos> {
    let side = side_metres(world);
    (0..count)
        .map(|_| {
            let x = random.between(margin, side - margin);
            let z = random.between(margin, side - margin);
            place(world.view(), x, z, above)
        })
        .collect()
}

/// Metres along a square world that begins at sector (0, 0).
#[must_use]
pub fn side_metres(world: &ResidentSectors) -> f64 {
    let sectors = world.resident().last().map_or(0, |last| last.x + 1);
    f64::from(sectors) * f64::from(world.grid().sector_size().metres())
}

/// The place `above` metres above the ground at metres from the world's low corner.
///
/// # Panics
/// If there is no ground.
#[must_use]
pub fn place(view: TerrainView<'_>, x: f64, z: f64, above: f32) -> WorldPos {
    let size = view.grid().sector_size();
    let corner = f64::from(size.half());
    let place = sure(WorldPos::from_metres(x - corner, 0.0, z - corner, size));
    let ground = view.ground(place);
    let Ground::Height(height) = ground else {
        unreachable!("a scene has ground at {x}, {z}, found {ground:?}")
    };
    sure(place.moved_by(Vec3::new(0.0, height + above, 0.0), size))
}

/// Whether there is ground at a place, and nothing above the knee of a unit that stands there.
#[must_use]
pub fn is_free(view: TerrainView<'_>, place: WorldPos) -> bool {
    let body = Body::default();
    let upper = Cylinder { radius: body.radius(), height: body.height() - body.knee() };
    let above = Vec3::new(0.0, body.knee(), 0.0);
    let Ok(feet) = place.moved_by(above, view.grid().sector_size()) else { return false };
    let mut contacts = Contacts::with_capacity(8);
    let asked = view.solids(u32::MAX).overlap(upper, feet, &mut contacts);
    let is_ground = matches!(view.ground(place), Ground::Height(_));
    is_ground && asked.is_ok() && contacts.as_slice().is_empty()
}

/// Units that walk over a world.
pub struct Crowd {
    units: Units,
    /// More than one for each unit.
    wishes: Vec<Wish>,
}

/// Wishes in addition to one for each unit.
const SPARE_WISHES: usize = 4099;

/// Ticks for which a unit keeps its heading: a little more than a second.
const HEADING_TICKS: usize = 64;

impl Crowd {
    /// `count` units standing at random places, which will walk at `speed` metres per second.
    ///
    /// # Panics
    /// If a unit cannot be spawned.
    #[must_use]
    pub fn new(world: &ResidentSectors, count: usize, speed: f32) -> Self {
        let mut random = Random::new(11);
        let places = places(&mut random, world, count, 8.0, 0.0);
        Self::at(world, &mut random, &places, speed)
    }

    /// As [`new`](Self::new), at random places without props.
    ///
    /// # Panics
    /// If a unit cannot be spawned.
    #[must_use]
    pub fn among(world: &ResidentSectors, count: usize, speed: f32) -> Self {
        let mut random = Random::new(13);
        let mut free = Vec::with_capacity(count);
        while free.len() < count {
            let more = places(&mut random, world, count - free.len(), 8.0, 0.0);
            free.extend(more.into_iter().filter(|place| is_free(world.view(), *place)));
        }
        Self::at(world, &mut random, &free, speed)
    }

    fn at(world: &ResidentSectors, random: &mut Random, places: &[WorldPos], speed: f32) -> Self {
        let mut units = Units::new(world.grid().sector_size());
        let body = sure(units.add_body(Body::default()));
        for &position in places {
            sure(units.spawn(Spawn::standing(position, body)));
        }
        let wish = |_| Wish::STAND.at_velocity(heading(random).map(|part| part * speed));
        let wishes = (0..places.len() + SPARE_WISHES).map(wish).collect();
        Self { units, wishes }
    }

    /// The units, and their wishes in a tick: each has a random heading, which changes after a
    /// second, so that the crowd stays spread out however long a bench runs.
    pub fn tick_parts(&mut self, tick: usize) -> (&mut Units, &[Wish]) {
        let shift = tick / HEADING_TICKS * 61 % SPARE_WISHES;
        let slots = self.units.slots();
        (&mut self.units, &self.wishes[shift..shift + slots])
    }
}
